/* A .cu file as PATH: NVRTC makes its PTX, which is primed in its place. */
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "cache/memory/state_folder.h"
#include "driver/nvrtc/nvrtc_compile.h"
#include "facts/gpus.h"
#include "os/files/file.h"
#include "verbs/prime.h"

#include <stdio.h>
#include <string.h>

static bool is_source(const char *path)
{
    return jw_text_ends(path, ".cu");
}

/* The oldest GPU that is named, or that is here: newer ones run its PTX, too. */
static bool choose_arch(struct cli *cli, const struct prime_args *a, unsigned *sm, unsigned *cuda,
                        struct jw_err *err)
{
    const struct jw_probe_report *here;
    struct jw_gpu gpu;
    struct jw_err ignored;

    *sm = *cuda = 0;
    for (size_t i = 0; i < a->gpus.n; i++)
        if (!jw_gpu_is_index(a->gpus.items[i]) && jw_gpu_parse(a->gpus.items[i], &gpu, &ignored)
            && (!*sm || gpu.sm < *sm))
            *sm = gpu.sm;
    if (*sm)
        return true;
    if (!jw_session_driver(&cli->session, &here, err))
        return false;
    for (size_t i = 0; i < here->n_devices; i++)
        if (!*sm || here->devices[i].sm < *sm)
            *sm = here->devices[i].sm;
    *cuda = here->driver.cuda_version;
    return *sm || jw_fail(err, JW_E_DRIVER, "no usable GPU here; name one with --gpu sm_86");
}

/* Keeps the compiler's line breaks. */
static void show_log(struct cli *cli, const char *log)
{
    while (log && *log && cli->messages.level != MESSAGES_QUIET) {
        struct jw_buf line = JW_BUF(JW_MAX_LINE / 8), clean = JW_BUF(JW_MAX_LINE);
        size_t n = strcspn(log, "\n");

        jw_buf_add(&line, log, n < JW_MAX_LINE / 8 - 1 ? n : JW_MAX_LINE / 8 - 1);
        jw_text_clean(&clean, jw_buf_cstr(&line));
        jw_buf_text(&clean, "\n");
        jw_messages_page(&cli->messages, jw_buf_cstr(&clean));
        jw_buf_free(&clean);
        jw_buf_free(&line);
        log += n + (log[n] == '\n');
    }
}

static void say_compiled(struct cli *cli, const char *source, const char *ptx,
                         const struct jw_nvrtc_report *r)
{
    if (r->reused) {
        jw_messages_detail(&cli->messages, "the PTX of %s for %s is kept from before", source, r->arch);
        return;
    }
    jw_messages_say(&cli->messages, "Compiled %s for %s with NVRTC %u.%u%s%s", source, r->arch, r->major,
                    r->minor, ptx ? ": " : "", ptx ? ptx : "");
    if (r->arch_note)
        jw_messages_warn(&cli->messages, "%s", r->arch_note);
}

static bool compile_source(struct cli *cli, const struct prime_args *a, const char *source, unsigned sm,
                           unsigned cuda, const char *keep, const char **to, struct jw_err *err)
{
    struct jw_nvrtc_report report = { 0 };
    struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN);
    struct jw_nvrtc_options o = { .source = source,
                                  .target.sm = (uint16_t)sm,
                                  .driver_cuda = cuda,
                                  .keep = keep,
                                  .interrupted = cli->interrupted };
    bool ok = jw_nvrtc_compile(&o, cli->arena, &ptx, &report, err)
              && (!a->output || jw_file_put(a->output, JW_OUT_REPLACE, jw_buf_bytes(&ptx), err)
                  || jw_wrap(err, "%s", a->output));

    jw_messages_progress_end(&cli->messages);
    show_log(cli, report.log);
    if (ok) {
        say_compiled(cli, source, a->output, &report);
        *to = report.kept;
    }
    jw_buf_free(&ptx);
    return ok;
}

static bool check_sources(const struct prime_args *a, size_t n, struct jw_err *err)
{
    struct jw_file_info info;

    if (a->output && (n != 1 || a->paths.n != 1))
        return jw_fail(err, JW_E_USAGE, "--output goes with one .cu file: it gets that file's PTX");
    if (a->output && (!*a->output || strcmp(a->output, "-") == 0))
        return jw_fail(err, JW_E_USAGE, "--output: name a file for the PTX");
    for (size_t i = 0; i < a->paths.n; i++) {
        if (!is_source(a->paths.items[i]))
            continue;
        if (!jw_file_stat(a->paths.items[i], &info, err))
            return jw_wrap(err, "%s", a->paths.items[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", a->paths.items[i]);
    }
    return true;
}

bool prime_compile_sources(struct cli *cli, struct prime_args *a, struct jw_err *err)
{
    unsigned sm, cuda;
    size_t n = 0;

    for (size_t i = 0; i < a->paths.n; i++)
        n += is_source(a->paths.items[i]);
    if (!check_sources(a, n, err) || !n)
        return !err->code;

    const char *keep = jw_state_path(JW_STATE_SOURCES, cli->arena, err);
    const char **paths = jw_arena_copy(cli->arena, a->paths.items, a->paths.n * sizeof *paths);

    if (!keep || !choose_arch(cli, a, &sm, &cuda, err))
        return false;
    for (size_t i = 0; i < a->paths.n; i++)
        if (is_source(paths[i]) && !compile_source(cli, a, paths[i], sm, cuda, keep, &paths[i], err))
            return false;
    a->paths = (struct texts){ paths, a->paths.n };
    return true;
}
