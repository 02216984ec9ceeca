#include "driver/nvrtc/nvrtc_compile.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "driver/worker/child.h"
#include "driver/worker/worker.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <string.h>

enum { TIME_LIMIT_MS = 30 * 60 * 1000, KEY_DIGITS = 32, MAX_NAME = 100, MAX_OUTPUT = 16 << 20 };

struct nvrtc_compiling {
    const struct jw_nvrtc_options *o;
    struct jw_arena *a;
    struct jw_nvrtc_made *out;
    const char *source, *sm, *cuda;
    /* why the first such library is not used; NULL: there is none */
    const char *unfit, *broken, *untrusted;
};

/* HEX-NAME.ptx: one file for each source and architecture. */
static const char *ptx_path(const struct nvrtc_compiling *c)
{
    const char *name = jw_path_base(c->source);
    const char *key = jw_arena_printf(c->a, "%s %s", c->sm, c->source);
    size_t n = strlen(name) <= MAX_NAME ? strlen(name) - strlen(".cu") : 0;
    uint8_t digest[JW_DIGEST];

    jw_digest(digest, key, strlen(key));
    return jw_path_join(c->a, c->o->folder,
                        jw_arena_printf(c->a, "%.*s%s%.*s.ptx", KEY_DIGITS,
                                        jw_digest_text(digest).text, n ? "-" : "", (int)n, name));
}

/* The folder of the path as it is given, not of a link's target: headers are searched there. */
static bool find_source(struct nvrtc_compiling *c, struct jw_err *err)
{
    const char *folder;

    if (!jw_real_path(jw_path_dir(c->a, c->o->source), c->a, &folder, err))
        return false;
    c->source = jw_path_join(c->a, folder, jw_path_base(c->o->source));
    c->sm = jw_arena_printf(c->a, "%u", c->o->sm);
    c->cuda = jw_arena_printf(c->a, "%u", c->o->driver_cuda);
    c->out->ptx = ptx_path(c);
    jw_out_sweep(c->o->folder);
    return true;
}

/* The child's last answer. Its output may hold any other bytes, as the library may print, too. */
static bool last_answer(const struct jw_buf *output, struct jw_arena *a, enum jw_nvrtc_end *end,
                        const char **why)
{
    const struct jw_bytes says = JW_BYTES(JW_NVRTC_SAYS);
    struct jw_bytes rest = jw_buf_bytes(output);
    bool found = false;

    for (size_t at; !output->bad && (at = jw_find(rest, says)) < rest.n; found = true)
        rest = (struct jw_bytes){rest.p + at + says.n, rest.n - at - says.n};
    if (!found || !rest.n)
        return false;
    *end = (enum jw_nvrtc_end) * rest.p;
    *why = jw_arena_text(a, (const char *)rest.p + 1, rest.n - 1);
    *why = jw_arena_text(a, *why, strcspn(*why, "\r\n"));
    return true;
}

/* False: interrupted. */
static bool run_child(struct nvrtc_compiling *c, const char *library, const char *ptx,
                      unsigned limit_ms, enum jw_nvrtc_end *end, const char **why,
                      struct jw_err *err)
{
    static const struct jw_child_edit edits[] = {{"LD_PRELOAD", NULL}, {"LD_AUDIT", NULL}};
    struct jw_buf self = JW_BUF_IN(c->a, JW_MAX_PATH);
    struct jw_buf output = JW_BUF_IN(c->a, MAX_OUTPUT);
    int code;

    if (!jw_process_self(&self, err))
        return false;

    const char *exe = jw_buf_cstr(&self);
    const char *argv[] = {exe, JW_NVRTC_VERB, library, c->source, c->sm, c->cuda, ptx, NULL};
    const struct jw_command run = {.exe = exe,
                                   .argv = argv,
                                   .edits = edits,
                                   .n_edits = JW_COUNT(edits),
                                   .interrupted = c->o->interrupted};
    struct jw_err how = {0};
    bool ok = jw_process_run(&run, limit_ms, &output, &code, &how);
    bool answered = last_answer(&output, c->a, end, why);

    if (!jw_not_interrupted(c->o->interrupted, err))
        return false;
    if (answered)
        return true;
    *end = JW_NVRTC_BROKEN;
    *why = ok ? jw_arena_printf(c->a, "NVRTC %s ended its process: exit %d", library, code)
              : jw_arena_printf(c->a, "NVRTC %s %s", library, how.msg);
    return true;
}

/* Lets one library compile, after a child has loaded it without a hang. */
static bool try_library(struct nvrtc_compiling *c, const char *library, enum jw_nvrtc_end *end,
                        const char **why, struct jw_err *err)
{
    unsigned given = c->o->timeout_ms;
    unsigned load = given ? given : jw_time_limit_ms(JW_WORKER_START_MS);

    return run_child(c, library, JW_NVRTC_LOADS, load, end, why, err)
           && (*end != JW_NVRTC_MADE
               || run_child(c, library, c->out->ptx, given ? given : TIME_LIMIT_MS, end, why, err));
}

/* Why a file of NVRTC's is not loaded; NULL: it is safe, and `*real` is its path. */
static const char *why_untrusted(struct nvrtc_compiling *c, const char *path, const char **real)
{
    struct jw_err why = {0};
    const char *doubt;

    if (!jw_trust_library(path, c->a, real, &doubt, &why))
        doubt = why.msg;
    return doubt ? jw_arena_printf(c->a, "NVRTC %s was not loaded: %s", path, doubt) : NULL;
}

static void note_first(const char **first, const char *why)
{
    if (!*first)
        *first = why;
}

/* NVRTC's code runs as this user, and loads its builtins from its own folder. */
static bool is_trusted(struct nvrtc_compiling *c, const char *path, const char **library)
{
    const char *why = why_untrusted(c, path, library), *ignored;

    if (!why) {
        const char *folder = jw_path_dir(c->a, *library);
        const struct jw_listing builtins = jw_listing_read(folder, "*nvrtc-builtins*", c->a, NULL);

        for (size_t i = 0; i < builtins.n && !why; i++)
            why = why_untrusted(c, jw_path_join(c->a, folder, builtins.names[i]), &ignored);
    }
    note_first(&c->untrusted, why);
    return !why;
}

static bool fail_without(const struct nvrtc_compiling *c, struct jw_err *err)
{
    if (c->unfit)
        return jw_fail(err, JW_E_DRIVER, "%s", c->unfit);
    if (c->broken)
        return jw_fail(err, JW_E_DRIVER, "no NVRTC that can be used to compile it: %s", c->broken);
    if (c->untrusted)
        return jw_fail(err, JW_E_TRUST, "no NVRTC that can be used to compile it: %s",
                       c->untrusted);
    return jw_fail(err, JW_E_DRIVER,
                   "no NVRTC was found to compile it: NVIDIA's CUDA toolkit has one, of a CUDA "
                   "that the driver knows");
}

static bool compile(struct nvrtc_compiling *c, struct jw_err *err)
{
    for (size_t i = 0; i < c->o->libraries->n; i++) {
        const char *library, *why;
        enum jw_nvrtc_end end;

        if (!is_trusted(c, c->o->libraries->names[i], &library))
            continue;
        if (!try_library(c, library, &end, &why, err))
            return false;
        switch (end) {
        case JW_NVRTC_MADE: c->out->note = *why ? why : NULL; return true;
        case JW_NVRTC_REFUSED: return jw_fail(err, JW_E_FORMAT, "%s", why);
        case JW_NVRTC_UNFIT: note_first(&c->unfit, why); break;
        case JW_NVRTC_BROKEN: note_first(&c->broken, why); break;
        }
    }
    return fail_without(c, err);
}

bool jw_nvrtc_compile(const struct jw_nvrtc_options *o, struct jw_arena *a,
                      struct jw_nvrtc_made *out, struct jw_err *err)
{
    struct nvrtc_compiling c = {.o = o, .a = a, .out = out};

    *out = (struct jw_nvrtc_made){0};
    bool made = find_source(&c, err) && compile(&c, err);

    out->untrusted = c.untrusted;
    return made;
}
