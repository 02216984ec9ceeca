#include "driver/probe/forge.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "cache/change/publish.h"
#include "cache/format/jitcache.h"
#include "driver/probe/probe_place.h"
#include "driver/probe/probe_set.h"
#include "driver/probe/probe_work.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum { KERNEL = 4211, CUDA_11 = 11000, MAX_KEY = 32 * 1024 };

bool forge_canary(struct jw_buf *out, unsigned n, struct jw_err *err)
{
    return jw_probe_canary(out, CUDA_11, KERNEL, n, err);
}

bool forge_canary_key(const char *stamp, uint16_t sm, struct jw_buf *key, uint64_t *name, struct jw_err *err)
{
    struct jw_buf own = JW_BUF(0);
    char arch[16];
    bool ok = forge_canary(&own, FORGE_OWN, err);

    *key = JW_BUF(MAX_KEY);
    (void)snprintf(arch, sizeof arch, "sm_%u", sm);
    if (ok)
        jw_cache_key_make(key, stamp, arch, jw_buf_bytes(&own), 1, "");
    ok = ok && jw_buf_ok(key, err);
    *name = ok ? jw_fnv1a(JW_FNV_START, key->p, key->n) : 0;
    jw_buf_free(&own);
    return ok;
}

static bool number_behind(const char *word, const char *option)
{
    size_t n = strlen(option);

    return strncmp(word, option, n) == 0 && word[n] && strspn(word + n, "0123456789") == strlen(word + n);
}

static bool is_harmless(const char *word)
{
    static const char *const plain[] = { "-v",
                                         "-g",
                                         "-O0",
                                         "-O1",
                                         "-O2",
                                         "-O3",
                                         "-O4",
                                         "--generate-line-info",
                                         "-lineinfo",
                                         "--dont-merge-basicblocks",
                                         "--return-at-end",
                                         "--device-debug",
                                         "--verbose" };
    static const char *const numbers[] = { "-maxrregcount=", "--maxrregcount=", "--opt-level=" };

    for (size_t i = 0; i < JW_COUNT(plain); i++)
        if (strcmp(word, plain[i]) == 0)
            return true;
    for (size_t i = 0; i < JW_COUNT(numbers); i++)
        if (number_behind(word, numbers[i]))
            return true;
    return false;
}

bool forge_options(char *text, const char **argv, size_t most, size_t *n, const char **unknown)
{
    *n = 0;
    *unknown = NULL;
    for (char *p = text; *p;) {
        size_t blanks = strspn(p, " "), length = strcspn(p + blanks, " ");
        char *word = p + blanks, *end = word + length;

        p = *end ? end + 1 : end;
        *end = '\0';
        if (!length)
            continue;
        if (*n == most || !is_harmless(word)) {
            *unknown = word;
            return false;
        }
        argv[(*n)++] = word;
    }
    return true;
}

/* NULL: drop it. Other options are passed to the ptxas inside nvJitLink. */
static const char *nvjitlink_word(const char *word, struct jw_arena *a)
{
    static const char *const own[][2] = { { "--generate-line-info", "-lineinfo" },
                                          { "-lineinfo", "-lineinfo" },
                                          { "--device-debug", "-g" },
                                          { "-g", "-g" },
                                          { "-O0", "-O0" },
                                          { "-O3", "-O3" } };
    size_t n = strlen(word) + sizeof "-Xptxas=";
    char *text;

    for (size_t i = 0; i < JW_COUNT(own); i++)
        if (strcmp(word, own[i][0]) == 0)
            return own[i][1];
    if (number_behind(word, "-maxrregcount="))
        return word;
    if (number_behind(word, "--maxrregcount="))
        return word + 1;
    text = jw_arena_alloc(a, n);
    if (text)
        (void)snprintf(text, n, "-Xptxas=%s", word);
    return text;
}

bool forge_nvjitlink_options(const char **argv, size_t *n, struct jw_arena *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < *n; i++) {
        if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0)
            continue;

        const char *word = nvjitlink_word(argv[i], a);
        argv[kept++] = word;
    }
    *n = kept;
    return true;
}

/* driver-fact: F34-payload-unchecked, F38-forged-hits */
enum { CLOSED = 2 /* compute mode: prohibited */ };

struct forging {
    const struct jw_forge_probe *o;
    const struct jw_probe_report *met;
    struct probing p;
    struct jw_probe_options options;
    char *root;
    struct jw_buf own;
    char why[400]; /* "": not refuted yet */
};

bool jw_forge_known(const struct jw_driver_state *s, const char *compiler, uint16_t sm)
{
    for (size_t i = 0; i < s->n_forged; i++)
        if (s->forged[i].sm == sm && strcmp(s->forged[i].compiler, compiler) == 0)
            return true;
    return false;
}

static bool choose_device(struct forging *f)
{
    for (size_t i = 0; i < f->met->n_devices && !f->p.on; i++)
        if (f->met->devices[i].sm == f->o->sm && f->met->devices[i].compute_mode != CLOSED)
            f->p.on = &f->met->devices[i];
    if (!f->p.on)
        (void)snprintf(f->why, sizeof f->why, "no GPU here that is open for computing is an sm_%u", f->o->sm);
    return f->p.on != NULL;
}

static bool place(struct forging *f, struct jw_err *err)
{
    struct jw_publisher *pub = NULL;
    struct jw_pub_entry one = { .name = f->o->name, .from = f->o->canary };
    bool ok = jw_publisher_open(&pub, f->root, err) && jw_publisher_add(pub, &one, 1, f->p.a, err)
              && jw_publisher_flush(pub, probe_timeout(&f->options), f->o->interrupted, err);

    jw_publisher_close(pub);
    return ok && (one.result == JW_PUB_PLACED || jw_fail(err, JW_E_IO, "%s", one.why ? one.why : "refused"));
}

static bool launch(struct forging *f, struct jw_worker_result *r, struct jw_err *err)
{
    struct jw_worker_job job = { .path = jw_path_join(f->p.a, f->p.folder, "own.ptx"),
                                 .size = f->own.n,
                                 .text = true };
    struct jw_worker *w = NULL;
    unsigned device;

    jw_digest(job.digest, f->own.p, f->own.n);
    bool ok = probe_write(job.path, jw_buf_bytes(&f->own), err) && probe_go_on(&f->p, err)
              && probe_start_worker(&f->p, f->root, &w, &device, err)
              && jw_worker_launch(w, device, &job, FORGE_X, r, err);

    if (ok && !r->ok)
        (void)snprintf(f->why, sizeof f->why, "the kernel of the test entry could not be run: %s", r->name);
    jw_worker_stop(w);
    return ok;
}

static void judge(struct forging *f, uint32_t number, const char *difference)
{
    if (difference)
        (void)snprintf(f->why, sizeof f->why, "the test entry was not used as it is: %s", difference);
    else if (number == FORGE_X + FORGE_OWN)
        (void)snprintf(f->why, sizeof f->why, "the test entry was not used: the driver compiled again");
    else if (number != FORGE_X + FORGE_OTHER)
        (void)snprintf(f->why, sizeof f->why, "the test entry's code computed %u where %u is right",
                       (unsigned)number, (unsigned)(FORGE_X + FORGE_OTHER));
}

static bool try(struct forging *f, struct jw_err *err)
{
    struct probe_image before, after;
    struct jw_worker_result r = { .name = "" };

    f->root = jw_path_join(f->p.a, f->p.folder, "cache");
    if (!jw_make_private_dir(f->root, err) || !forge_canary(&f->own, FORGE_OWN, err) || !place(f, err)
        || !probe_image_take(f->root, f->p.a, &before, err) || !launch(f, &r, err))
        return false;
    if (*f->why)
        return true;
    if (!probe_image_take(f->root, f->p.a, &after, err))
        return false;
    judge(f, r.number, probe_image_difference(&before, &after, f->p.a));
    return true;
}

static bool work(struct forging *f, struct jw_err *err)
{
    const char *state = jw_state_dir(f->p.a, err);
    bool ok = state && jw_scratch_make(state, "probe", f->p.a, &f->p.folder, err) && try(f, err);

    jw_scratch_remove(f->p.folder);
    jw_buf_free(&f->own);
    return ok;
}

static void add_evidence(struct forging *f, struct jw_driver_state *s)
{
    const char **all = jw_arena_alloc(f->p.a, (s->n_evidence + 1) * sizeof *all);
    char text[300];

    (void)snprintf(text, sizeof text,
                   "machine code of %s for sm_%u was used by a fresh process as it is, and its kernel "
                   "computed the right "
                   "number",
                   f->o->compiler, f->o->sm);
    for (size_t i = 0; i < s->n_evidence; i++)
        all[i] = s->evidence[i];
    all[s->n_evidence] = jw_arena_str(f->p.a, text);
    s->evidence = all;
    s->n_evidence += s->n_evidence < JW_MAX_NOTES;
}

/* Adds the result to the saved state of this build, if there is one. */
static bool remember(struct forging *f, struct jw_err *err)
{
    struct jw_driver_state s;
    struct jw_forged_proof *list;
    const char *damage;
    bool found = false;

    if (!f->met->driver.build || !*f->met->driver.build || probe_is_played(&f->p))
        return true;
    if (!jw_state_load_driver(f->met->driver.build, f->p.a, &s, &found, &damage, err))
        return false;
    if (!found || s.n_forged >= JW_MAX_FORGED || jw_forge_known(&s, f->o->compiler, f->o->sm))
        return true;
    list = jw_arena_alloc(f->p.a, (s.n_forged + 1) * sizeof *list);
    for (size_t i = 0; i < s.n_forged; i++)
        list[i] = s.forged[i];
    list[s.n_forged++] = (struct jw_forged_proof){ f->o->compiler, f->o->sm, jw_time_unix() };
    s.forged = list;
    add_evidence(f, &s);
    if (s.level == JW_LEVEL_CARRYABLE)
        s.level = JW_LEVEL_FORGEABLE;
    return jw_state_save_driver(&s, err);
}

bool jw_forge_prove(const struct jw_forge_probe *o, const struct jw_probe_report *met, struct jw_arena *a,
                    const char **why, struct jw_err *err)
{
    struct jw_err own = { 0 }, ignored = { 0 };
    struct jw_probe_report out = *met;
    struct forging f = { .o = o,
                         .met = met,
                         .options = { .driver = o->driver, .exe = o->exe, .interrupted = o->interrupted },
                         .own = JW_BUF(0) };

    f.p = (struct probing){ .o = &f.options, .a = a, .out = &out, .f = { .arena = a } };
    *why = NULL;
    bool ok = !choose_device(&f) || work(&f, &own);

    if (!ok && (own.code == JW_E_INTERRUPTED)) {
        *err = own;
        return false;
    }
    if (ok && !*f.why) {
        (void)remember(&f, &ignored); /* else it is proven again next time */
        return true;
    }
    *why = jw_arena_str(a, ok ? f.why : own.msg);
    return true;
}
