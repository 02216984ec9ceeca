/* The compilers of compile: ptxas, a program, and nvJitLink, a library that a worker of ours loads. */
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/probe/forge.h"
#include "driver/worker/nvjitlink.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "pack/compile/offline_work.h"
#include "software/find/toolkit_find.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 32, TIMEOUT_S = 30 * 60, MOST_SAID = 1 << 20 };

#define NVJITLINK "nvJitLink"

/* ---- which one ---- */

static bool find_library(struct jw_arena *a, const char **path, struct jw_err *err)
{
    struct jw_toolkit_places places;

    if (!jw_nvjitlink_find(NULL, a, &places, err))
        return false;
    if (!places.n)
        return jw_fail(
            err, JW_E_USAGE,
            "there is no nvJitLink here (%s): \"pip install nvidia-nvjitlink\" or a CUDA toolkit of 12.0 or "
            "later brings one, or name one with --compiler /PATH/%s",
            jw_nvjitlink_where(jw_os_is_windows()),
            jw_os_is_windows() ? "nvJitLink_130_0.dll" : "libnvJitLink.so.13");
    *path = places.v[0].path;
    return true;
}

static bool ask_library(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                        struct jw_compiler *out, struct jw_err *err)
{
    struct jw_nvjitlink l;

    if (!jw_is_file(path))
        return jw_fail(err, JW_E_USAGE, "%.200s: there is no such library", path);
    if (!jw_nvjitlink_ask(path, interrupted, a, &l, err)) {
        if (err->code == JW_E_DRIVER)
            err->code = JW_E_USAGE;
        return false;
    }
    *out = (struct jw_compiler){
        .name = NVJITLINK, .path = path, .version = l.version, .simulated = l.simulated, .library = true
    };
    jw_compiler_isa(l.major, l.minor, &out->isa_major, &out->isa_minor);
    return true;
}

bool offline_compiler_find(const char *asked, const atomic_bool *interrupted, struct jw_arena *a,
                           struct jw_compiler *out, struct jw_err *err)
{
    if (jw_text_equal_nocase(asked, NVJITLINK)) {
        const char *path;

        return find_library(a, &path, err) && ask_library(path, interrupted, a, out, err);
    }
    if (jw_path_absolute(asked) && jw_is_nvjitlink_name(jw_path_base(asked)))
        return ask_library(asked, interrupted, a, out, err);
    return jw_compiler_find(asked, a, out, err);
}

/* ---- one module ---- */

struct words {
    const char *v[MOST_WORDS + 1];
    size_t n;
    char arch[24];
};

/* -arch=sm_86, and what its file wants. */
static bool read_words(const struct offline *x, const struct offline_call *call, struct words *w,
                       struct jw_err *err)
{
    char *options = jw_arena_str(call->a, call->options);
    const char *unknown;

    (void)snprintf(w->arch, sizeof w->arch, "-arch=sm_%u", x->o->sm);
    w->v[0] = w->arch;
    if (!forge_options(options, w->v + 1, MOST_WORDS, &w->n, &unknown))
        return jw_fail(err, JW_E_FORMAT, "it asks for the option %.60s, which this jitwarm does not pass on",
                       unknown);
    if (x->out->compiler.library && !forge_nvjitlink_options(w->v + 1, &w->n, call->a))
        return false;
    w->n++;
    return true;
}

static unsigned timeout_ms(const struct offline *x)
{
    return (x->o->timeout_s ? x->o->timeout_s : TIMEOUT_S) * 1000;
}

static bool run_ptxas(const struct offline *x, const struct offline_call *call, const struct words *w,
                      struct jw_err *err)
{
    const struct jw_compiler *by = &x->out->compiler;
    const char *argv[MOST_WORDS + 8] = { by->path };
    struct jw_buf said = JW_BUF(MOST_SAID);
    struct jw_process_options o = {
        .exe = by->path, .argv = argv, .timeout_ms = timeout_ms(x), .interrupted = x->o->interrupted
    };
    int code = -1;

    memcpy(argv + 1, w->v, w->n * sizeof *argv);
    argv[1 + w->n] = call->in;
    argv[2 + w->n] = "-o";
    argv[3 + w->n] = call->out;
    bool ran = jw_process_run(&o, &said, &code, err);

    jw_buf_free(&said);
    if (!ran)
        return jw_wrap(err, "%s", by->name);
    return code == 0 || jw_fail(err, JW_E_FORMAT, "%s refuses it (exit code %d)", by->name, code);
}

static bool run_library(const struct offline *x, const struct offline_call *call, const struct words *w,
                        struct jw_err *err)
{
    const struct jw_compiler *by = &x->out->compiler;
    struct jw_nvjitlink_job job = { call->in, call->out, w->v, w->n, timeout_ms(x), x->o->interrupted };
    struct jw_nvjitlink l = { .path = by->path, .version = by->version };

    return jw_nvjitlink_compile(&l, &job, err);
}

bool offline_compiler_run(const struct offline *x, const struct offline_call *call, struct jw_err *err)
{
    struct words w = { 0 };

    return read_words(x, call, &w, err)
           && (x->out->compiler.library ? run_library : run_ptxas)(x, call, &w, err);
}
