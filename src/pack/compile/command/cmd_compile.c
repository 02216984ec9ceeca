#include "base/limits.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/text.h"
#include "cli/commands.h"
#include "machine/config.h"
#include "pack/compile/command/compile_view.h"
#include "pack/keys/command/secret_key.h"

#include <string.h>

static const struct opt compile_opts[] = {
    { "for", 0, OPT_TEXT, offsetof(struct compile_args, target), "TARGET",
      "the target: sm=86,sm=89 with --compiler driver; else driver=STAMP,sm=86 with the stamp that jitwarm "
      "doctor --probe --json prints there (knowledge, stamp), such as \"Jan  7 202622:51:46\"; for a .cu "
      "file "
      "sm=86 (default: the oldest GPU here)",
      NULL, HINT_NONE },
    { "output", 'o', OPT_TEXT, offsetof(struct compile_args, output), "FILE",
      "write the pack to this file or folder (default: the store), or the PTX of the .cu file to this file",
      NULL, HINT_FILES },
    { "compiler", 0, OPT_TEXT, offsetof(struct compile_args, compiler), "NAME",
      "driver (needs --driver-files, but no GPU); ptxas (the default) or nvjitlink, from CUDA_HOME, "
      "CUDA_PATH, "
      "/usr/local/cuda, PATH or Python's packages; or the absolute path of one",
      NULL, HINT_FILES },
    { "driver-files", 0, OPT_TEXT, offsetof(struct compile_args, driver_files), "DIR",
      "with --compiler driver: NVIDIA's driver, unpacked (sh NVIDIA-Linux-x86_64-VERSION.run --extract-only)",
      NULL, HINT_DIRS },
    { "sign", 0, OPT_TEXT, offsetof(struct compile_args, sign), "KEY",
      "sign the pack with this secret key (jitwarm keygen)", NULL, HINT_FILES },
    { "include", 'I', OPT_LIST, offsetof(struct compile_args, includes), "DIR",
      "also search this folder for headers of a .cu file; may be repeated", NULL, HINT_DIRS },
    { "only", 0, OPT_LIST, offsetof(struct compile_args, only), "PATTERN",
      "only files with this name (* and ? as in a shell); may be repeated", NULL, HINT_NONE },
    { "exclude", 0, OPT_LIST, offsetof(struct compile_args, exclude), "PATTERN",
      "skip files and folders with this name; may be repeated", NULL, HINT_NONE },
    { "all", 0, OPT_FLAG, offsetof(struct compile_args, all), NULL,
      "also NVIDIA's own libraries, and modules that are loaded on demand only", NULL, HINT_NONE },
    { "jobs", 'j', OPT_UINT, offsetof(struct compile_args, jobs), "N",
      "number of parallel compilers (default: half the CPUs)", NULL, HINT_NONE },
    { "timeout", 0, OPT_DURATION, offsetof(struct compile_args, timeout_s), "TIME",
      "give up on a module after 90s, 5m or 2h (default: 30m)", NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct compile_args, yes), NULL, "replace the file of --output", NULL,
      HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct compile_args, dry_run), NULL,
      "show what would be compiled, and compile nothing", NULL, HINT_NONE },
    { "run", 0, OPT_REST, offsetof(struct compile_args, run), "CMD...",
      "with --compiler driver: run this command for each GPU, on emulated GPUs, and pack what it loads", NULL,
      HINT_NONE },
    { 0 },
};

static bool check_pack_args(const struct compile_args *a, struct jw_err *err)
{
    if (!a->target)
        return jw_fail(
            err, JW_E_USAGE,
            "name the target with --for \"driver=STAMP,sm=86\"; jitwarm doctor --probe --json prints "
            "the stamp there");
    if (a->includes.n)
        return jw_fail(err, JW_E_USAGE, "--include goes with a .cu file");
    if (a->driver_files)
        return jw_fail(err, JW_E_USAGE, "--driver-files goes with --compiler driver");
    if (a->output && strcmp(a->output, "-") == 0)
        return jw_fail(err, JW_E_USAGE, "--output: cannot write a pack to standard output; name a file");
    if (a->jobs > JW_MAX_JOBS)
        return jw_fail(err, JW_E_USAGE, "--jobs %u is more than %u", a->jobs, (unsigned)JW_MAX_JOBS);
    return true;
}

/* Adds what jitwarm.conf sets. */
static void read_config(struct cli *cli, const struct compile_args *a, struct jw_offline_options *o)
{
    struct jw_config config = { 0 };

    jw_config_load(cli->arena, &config);
    for (size_t i = 0; i < config.warnings.n; i++)
        jw_messages_warn(&cli->messages, "%s", config.warnings.v[i]);
    o->store_cap = jw_config_store_cap(&config);
    o->jobs = o->jobs ? o->jobs : config.jobs_count;
    jw_config_excludes(&config, a->exclude.items, a->exclude.n, cli->arena, &o->exclude, &o->n_exclude);
}

static int make_and_print(struct cli *cli, const struct compile_args *a, struct jw_offline_options *o)
{
    struct offline_view v = { .dry_run = a->dry_run };
    struct jw_err err = { 0 };
    struct jw_run frame = jw_cli_run(cli);

    read_config(cli, a, o);
    bool ok = jw_offline(&frame, o, &v.r, &err);

    jw_messages_progress_end(&cli->messages);
    ok = ok
         && (cli->common.json ? jw_output_report(&cli->out, &compile_form, &v, &err)
                              : offline_write_text(cli, &v, &err));
    if (!ok)
        return jw_cli_fail(cli, &err);
    return frame.end == JW_END_NOTHING ? EXIT_PARTLY : jw_cli_exit(frame.end);
}

static int make_pack(struct cli *cli, const struct compile_args *a)
{
    struct jw_minisign_secret key = { 0 };
    struct jw_err err = { 0 };
    struct jw_offline_options o = { .paths = a->paths.items,
                                    .n_paths = a->paths.n,
                                    .only = a->only.items,
                                    .n_only = a->only.n,
                                    .all = a->all,
                                    .compiler = a->compiler ? a->compiler : "ptxas",
                                    .output = a->output,
                                    .jobs = a->jobs,
                                    .timeout_s = a->timeout_s,
                                    .yes = a->yes,
                                    .dry_run = a->dry_run,
                                    .key = a->sign && !a->dry_run ? &key : NULL };
    int code = EXIT_DONE;

    if (!check_pack_args(a, &err) || !jw_compile_build(a->target, cli->arena, &o.stamp, &o.sm, &err))
        return jw_cli_usage(cli, &err);
    if (o.key)
        code = jw_cli_secret_key(cli, a->sign, &key);
    if (code == EXIT_DONE)
        code = make_and_print(cli, a, &o);
    if (o.key)
        jw_secret_wipe(&key, sizeof key);
    return code;
}

static int run(struct cli *cli, const void *args)
{
    const struct compile_args *a = args;
    struct jw_err err = { 0 };
    bool by_driver = a->compiler && strcmp(a->compiler, "driver") == 0;

    if (a->run.n && !by_driver)
        (void)jw_fail(&err, JW_E_USAGE, "--run goes with --compiler driver");
    else if (!a->run.n && !a->paths.n)
        (void)jw_fail(&err, JW_E_USAGE, "PATH... is missing");
    if (err.code)
        return jw_cli_usage(cli, &err);
    for (size_t i = 0; i < a->paths.n; i++)
        if (jw_text_ends(a->paths.items[i], ".cu"))
            return compile_source(cli, a);
    if (by_driver)
        return compile_by_driver(cli, a);
    return make_pack(cli, a);
}

static const struct example compile_examples[] = {
    { "jitwarm compile kernels.cu -o kernels.ptx", "a source file to PTX, for the GPU here" },
    { "jitwarm compile --for sm=86 kernels.cu -o kernels.ptx", "the same without a GPU" },
    { "jitwarm compile --compiler driver --driver-files NVIDIA-Linux-x86_64-580.178.04 --for sm=86,sm=120 -o "
      "packs /opt/app",
      "on a build machine without a GPU: the same packs that machines with these GPUs would make" },
    { "jitwarm compile --compiler driver --driver-files NVIDIA-Linux-x86_64-580.178.04 --for sm=86 -o packs "
      "--run python serve.py --check",
      "a pack of what this program loads on an emulated GPU" },
    { "jitwarm compile --for \"driver=Jan  7 202622:51:46,sm=86\" /opt/app -o app.tar.zst",
      "with a toolkit's compiler, if you do not have the driver's files" },
    { 0 },
};

const struct cmd jw_cmd_compile = {
    .name = "compile",
    .summary = "compile a .cu file, or make packs for other machines without a GPU",
    .synopsis_args = "PATH...",
    .details =
        "compile turns a .cu file into PTX, with the NVRTC of an installed toolkit or Python package. "
        "jitwarm "
        "prime can warm this PTX, for programs that load this file.\n\n"
        "From other files and folders compile makes packs for other machines. It needs no GPU. The best way "
        "is "
        "--compiler driver (Linux): it uses the driver of those machines, from files that you unpacked. This "
        "driver makes the same entries as there, so import takes the packs like any other. jitwarm contains "
        "nothing of NVIDIA's; NVIDIA's licence applies to the driver. -o names a folder, which gets a pack "
        "for "
        "each GPU. --run, the last option, runs a command once for each GPU and packs what it loads. No "
        "kernel "
        "computes anything on an emulated GPU: a program that needs results may end early or never (--run "
        "timeout 10m CMD).\n\n"
        "Without the driver's files, a toolkit's ptxas or nvJitLink compiles. The driver cannot distinguish "
        "this "
        "code from its own. So jitwarm import takes it only after a small test kernel of the pack ran "
        "correctly "
        "on the target.\n\n"
        "The exit code is 0 when everything is compiled; 1 when a module is not in the pack; 2 for a wrong "
        "option or path; 3 when a .cu file has no NVRTC or no GPU to compile for; 4 when the output cannot "
        "be "
        "written; 6 when the .cu file does not compile, or a library in --driver-files is damaged; 7 when "
        "--yes is missing; 130 after Ctrl-C.",
    .examples = compile_examples,
    .opts = compile_opts,
    .often = "for output compiler driver-files sign include all yes run dry-run",
    .args_size = sizeof(struct compile_args),
    .positional_at = offsetof(struct compile_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run,
};
