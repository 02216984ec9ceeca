#include "driver/probe/forge.h"
#include "base/limits.h"
#include "base/path.h"
#include "cache/format/jitcache.h"
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

    for (size_t i = 0; i < JW_COUNT(own); i++)
        if (strcmp(word, own[i][0]) == 0)
            return own[i][1];
    if (number_behind(word, "-maxrregcount="))
        return word;
    if (number_behind(word, "--maxrregcount="))
        return word + 1;
    return jw_arena_printf(a, "-Xptxas=%s", word);
}

void forge_nvjitlink_options(const char **argv, size_t *n, struct jw_arena *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < *n; i++) {
        if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0)
            continue;

        argv[kept++] = nvjitlink_word(argv[i], a);
    }
    *n = kept;
}

/* driver-fact: F34-payload-unchecked, F38-forged-hits */
struct forging {
    const struct jw_forge_probe *o;
    struct probing p;
    struct jw_probe_options options;
    char why[400]; /* "": not refuted yet */
};

bool jw_forge_known(const struct jw_driver_state *s, const char *compiler, uint16_t sm)
{
    for (size_t i = 0; i < s->n_forged; i++)
        if (s->forged[i].sm == sm && strcmp(s->forged[i].compiler, compiler) == 0)
            return true;
    return false;
}

static void judge_forged(struct forging *f, const struct probe_launch *l)
{
    if (l->failed)
        (void)snprintf(f->why, sizeof f->why, "the kernel of the test entry could not be run: %s", l->failed);
    else if (l->difference)
        (void)snprintf(f->why, sizeof f->why, "the test entry was not used as it is: %s", l->difference);
    else if (l->number == FORGE_X + FORGE_OWN)
        (void)snprintf(f->why, sizeof f->why, "the test entry was not used: the driver compiled again");
    else if (l->number != FORGE_X + FORGE_OTHER)
        (void)snprintf(f->why, sizeof f->why, "the test entry's code computed %u where %u is right",
                       (unsigned)l->number, (unsigned)(FORGE_X + FORGE_OTHER));
}

static bool try_forged(struct forging *f, struct jw_err *err)
{
    struct jw_arena *a = f->p.a;
    struct jw_buf own = JW_BUF(0);
    const char *state = jw_state_dir(a, err);
    bool ok = state && jw_scratch_make(state, "probe", a, &f->p.folder, err);
    struct probe_launch l = { .file = "own.ptx", .ptx = &own, .x = FORGE_X };

    if (ok)
        l.root = jw_path_join(a, f->p.folder, "cache");
    ok = ok && jw_make_private_dir(l.root, err) && forge_canary(&own, FORGE_OWN, err)
         && probe_publish(&f->p, l.root, f->o->name, f->o->canary, err)
         && probe_write(&f->p, jw_path_join(a, f->p.folder, l.file), jw_buf_bytes(&own), err)
         && probe_launch(&f->p, &l, err);
    if (ok)
        judge_forged(f, &l);
    jw_scratch_remove(f->p.folder);
    jw_buf_free(&own);
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
static bool remember_forged(struct forging *f, struct jw_err *err)
{
    struct jw_driver_state s;
    struct jw_forged_proof *list;
    const char *damage;
    bool found = false;

    if (!f->p.out->driver.build || !*f->p.out->driver.build || probe_is_played(&f->p))
        return true;
    if (!jw_state_load_driver(f->p.out->driver.build, f->p.a, &s, &found, &damage, err))
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
                         .options = { .driver = o->driver, .exe = o->exe, .interrupted = o->interrupted } };

    f.p = (struct probing){ .o = &f.options, .a = a, .out = &out, .f = { .arena = a } };
    *why = NULL;
    bool here = probe_choose_device(&f.p, o->sm), ok = !here || try_forged(&f, &own);

    if (!here)
        (void)snprintf(f.why, sizeof f.why, "no GPU here that is open for computing is an sm_%u", o->sm);

    if (!ok && (own.code == JW_E_INTERRUPTED)) {
        *err = own;
        return false;
    }
    if (ok && !*f.why) {
        (void)remember_forged(&f, &ignored); /* else it is proven again next time */
        return true;
    }
    *why = jw_arena_str(a, ok ? f.why : own.msg);
    return true;
}
