#include "driver/files/driver_run.h"

#include "base/buf.h"
#include "base/limits.h"
#include "facts/drivers.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

#define CACHE "JITWARM_DRIVER_FILES_CACHE" /* set for that run */

static bool is_among(unsigned sm, const uint16_t *sms, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sms[i] == sm)
            return true;
    return false;
}

static bool drives(const struct jw_driver_files *files, unsigned sm)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    return !jw_driver_parse(files->version, &v, &ignored) || jw_driver_support(&v, sm) == JW_DRIVER_FITS;
}

const char *jw_driver_run_gpu_for(const struct jw_driver_files *files, const uint16_t *sms, size_t n,
                                  struct jw_arena *a)
{
    static const unsigned usual[] = { 75, 86, 80, 70 };
    unsigned known = 0;

    for (size_t i = 0; i < JW_COUNT(usual) && (!known || is_among(known, sms, n)); i++)
        if (drives(files, usual[i]) && (!known || !is_among(usual[i], sms, n)))
            known = usual[i];
    return jw_arena_printf(a, "sm_%u:an emulated GPU", known ? known : usual[0]);
}

/* The same command line, started from the program's own file. */
static bool same_words(char *const *given, struct jw_arena *a, const char ***argv, struct jw_err *err)
{
    struct jw_buf self = JW_BUF_IN(a, JW_MAX_PATH);
    bool ok = jw_process_self(&self, err);
    size_t n = 0;

    while (given[n])
        n++;
    *argv = jw_arena_alloc(a, (n + 1) * sizeof **argv);
    memcpy(*argv, given, n * sizeof **argv);
    (*argv)[0] = jw_buf_cstr(&self);
    return ok;
}

static const char *put_before(struct jw_arena *a, const char *variable, const char *value,
                              const char *between)
{
    const char *old = jw_env(a, variable);

    return jw_arena_printf(a, "%s%s%s", value, old && *old ? between : "", old ? old : "");
}

bool jw_driver_run(const struct jw_driver_run *o, struct jw_arena *a, int *code, struct jw_err *err)
{
    const struct jw_child_edit edits[] = {
        { CACHE, o->cache },
        { "LD_LIBRARY_PATH", put_before(a, "LD_LIBRARY_PATH", o->files->links, ":") },
        { "LD_PRELOAD", put_before(a, "LD_PRELOAD", o->files->phantom, " ") },
        { "JITWARM_PHANTOM_GPUS", o->gpu },
        { "JITWARM_PHANTOM_DRIVER", o->files->version },
        { "JITWARM_PHANTOM_BESIDE", "1" }, /* also on a machine with a driver */
        { "JITWARM_DRIVER", NULL },
        { "CUDA_VISIBLE_DEVICES", NULL },
        /* Entries for the emulated GPU must not enter the user's cache. */
        { "CUDA_CACHE_PATH", o->cache },
        { "CUDA_CACHE_MAXSIZE", "4294967296" },
        { "CUDA_CACHE_DISABLE", NULL },
        /* These choose what this machine's programs compile. */
        { "CUDA_DISABLE_PTX_JIT", NULL },
        { "CUDA_DISABLE_JIT", NULL },
        { "CUDA_FORCE_PTX_JIT", NULL },
        { "CUDA_FORCE_JIT", NULL },
    };
    struct jw_command run = { .edits = edits, .n_edits = JW_COUNT(edits), .interrupted = o->interrupted };
    struct jw_process_end ended;
    const char **argv;

    if (!same_words(o->argv, a, &argv, err))
        return false;
    run.argv = argv;
    if (!jw_process_foreground(&run, &ended, err))
        return false;
    *code = ended.code;
    return true;
}

const char *jw_driver_run_cache(struct jw_arena *a)
{
    return jw_env(a, CACHE);
}
