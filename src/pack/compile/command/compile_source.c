/* Compiles a .cu file to PTX with NVRTC, for programs that load this PTX. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/page.h"
#include "driver/nvrtc/nvrtc_compile.h"
#include "driver/probe/probe.h"
#include "os/files/file.h"
#include "pack/compile/command/compile_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 10 };

static bool check_source_args(const struct compile_args *a, struct jw_err *err)
{
    struct jw_file_info info;
    const char *other = a->compiler       ? "--compiler"
                        : a->sign         ? "--sign"
                        : a->driver_files ? "--driver-files"
                        : a->only.n       ? "--only"
                        : a->exclude.n    ? "--exclude"
                        : a->all          ? "--all"
                        : a->jobs         ? "--jobs"
                        : a->yes          ? "--yes"
                        : a->dry_run      ? "--dry-run"
                                          : NULL;

    if (a->paths.n > 1)
        return jw_fail(err, JW_E_USAGE, "a .cu file must be the only path, but there are %zu", a->paths.n);
    if (other)
        return jw_fail(err, JW_E_USAGE, "%s is for packs, not for a .cu file", other);
    if (!a->output || !*a->output || strcmp(a->output, "-") == 0)
        return jw_fail(err, JW_E_USAGE, "%.200s needs an output file: -o FILE.ptx", a->paths.items[0]);
    if (!jw_file_stat(a->paths.items[0], &info, err))
        return jw_wrap(err, "%s", a->paths.items[0]);
    return info.kind != JW_FILE_NONE
           || jw_fail(err, JW_E_USAGE, "%s: no such file or folder", a->paths.items[0]);
}

static bool named_arch(const char *text, struct jw_arena *a, unsigned *sm, struct jw_err *err)
{
    struct jw_compile_target t;

    if (!jw_compile_target(text, a, &t, err) || t.n_sms != 1 || t.driver)
        return jw_fail(err, JW_E_USAGE, "--for %.100s: for a .cu file it is one architecture, such as sm=86",
                       text);
    *sm = t.sms[0];
    return true;
}

/* The oldest GPU, because newer ones run its PTX, too. */
static bool arch_here(struct cli *cli, unsigned *sm, unsigned *cuda, struct jw_err *err)
{
    const struct jw_probe_options o = { .interrupted = cli->interrupted };
    struct jw_probe_report here;

    if (!jw_probe(&o, cli->arena, &here, err))
        return false;
    *sm = 0;
    for (size_t i = 0; i < here.n_devices; i++)
        if (!*sm || here.devices[i].sm < *sm)
            *sm = here.devices[i].sm;
    *cuda = here.driver.cuda_version;
    return *sm || jw_fail(err, JW_E_DRIVER, "no usable GPU here; name one with --for sm=86");
}

static bool write_ptx(const char *path, const struct jw_buf *ptx, struct jw_err *err)
{
    return jw_file_put(path, true, jw_buf_bytes(ptx), err) || jw_wrap(err, "%s", path);
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

#define V struct ptx_view
#define R struct jw_nvrtc_report

struct ptx_view {
    const R *report;
    const char *path, *log;
    char release[24];
    const char *notes[2];
    size_t n_notes;
};

static const struct jw_row made[] = {
    { JW_ROW("arch", R, arch), JW_ABOUT("of the PTX: compute_86") },
    { JW_ROW("kernels", R, kernels) },
    { 0 },
};

static const struct jw_row library[] = { { JW_ROW("library", R, library) }, { 0 } };
static const struct jw_row took[] = { { JW_ROW("milliseconds", R, milliseconds) }, { 0 } };

static const struct jw_row rows[] = {
    { JW_ROW("path", V, path), JW_ABOUT("of the PTX") },
    { JW_PART_AT(V, report, made) },
    { JW_ROW("nvrtc", V, release), JW_ABOUT("its release: 12.9") },
    { JW_PART_AT(V, report, library) },
    { JW_ROW("log", V, log), JW_MAY, JW_ABOUT("of NVRTC, with its warnings") },
    { JW_PART_AT(V, report, took) },
    { JW_ARRAY("notes", V, notes, n_notes, NULL) },
    { 0 },
};

const struct jw_form ptx_form = { "ptx", "The PTX of a .cu file.", rows };

static bool write_json(struct cli *cli, const char *path, const struct jw_nvrtc_report *r, struct jw_err *err)
{
    struct ptx_view v = { .report = r, .path = path, .log = r->log };

    (void)snprintf(v.release, sizeof v.release, "%u.%u", r->major, r->minor);
    if (r->arch_note)
        v.notes[v.n_notes++] = r->arch_note;
    if (r->driver_note)
        v.notes[v.n_notes++] = r->driver_note;
    return jw_output_report(&cli->out, &ptx_form, &v, err);
}

static void put_note(struct jw_page *p, const char *note)
{
    if (note)
        jw_page_say(p, TINT_WARN, "Note", "%s", note);
}

static bool write_ptx_text(struct cli *cli, const char *path, const struct jw_nvrtc_report *r,
                           struct jw_err *err)
{
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    jw_page_say(&page, TINT_STRONG, NULL, "Compiled %zu kernel%s for %s with NVRTC %u.%u", r->kernels,
                r->kernels == 1 ? "" : "s", r->arch, r->major, r->minor);
    jw_page_whole(&page, TINT_STRONG, "PTX", "%s", path);
    put_note(&page, r->arch_note);
    put_note(&page, r->driver_note);
    jw_page_whole(&page, TINT_STRONG, "To do", "jitwarm prime %s", path);
    return !page.bad;
}

static bool compile_to_ptx(struct cli *cli, const struct compile_args *a, struct jw_nvrtc_report *report,
                           struct jw_err *err)
{
    struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN);
    unsigned sm = 0, cuda = 0;
    char arch[20];
    struct jw_nvrtc_options o = { .source = a->paths.items[0],
                                  .includes = a->includes.items,
                                  .n_includes = a->includes.n,
                                  .arch = arch,
                                  .timeout_ms = a->timeout_s * 1000,
                                  .interrupted = cli->interrupted };
    bool ok = a->target ? named_arch(a->target, cli->arena, &sm, err) : arch_here(cli, &sm, &cuda, err);

    (void)snprintf(arch, sizeof arch, "compute_%u", sm);
    o.driver_cuda = cuda;
    ok = ok && jw_nvrtc_compile(&o, &ptx, report, err) && write_ptx(a->output, &ptx, err);
    jw_buf_free(&ptx);
    return ok;
}

int compile_source(struct cli *cli, const struct compile_args *a)
{
    struct jw_nvrtc_report report = { 0 };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!check_source_args(a, &err))
        return jw_cli_usage(cli, &err);
    bool ok = compile_to_ptx(cli, a, &report, &err);

    jw_messages_progress_end(&cli->messages);
    show_log(cli, report.log);
    ok = ok
         && (cli->common.json ? write_json(cli, a->output, &report, &err)
                              : write_ptx_text(cli, a->output, &report, &err));
    if (!ok)
        code = jw_cli_fail(cli, &err);
    jw_nvrtc_report_free(&report);
    return code;
}
