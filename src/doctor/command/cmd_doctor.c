#include "cli/cli.h"
#include "cli/commands.h"
#include "doctor/command/doctor_view.h"
#include "os/machine/env.h"

#include <string.h>

struct doctor_args {
    struct doctor_ask ask;
    bool probe, portable;
    const char *cache, *bundle;
    struct texts ignore;
};

#define AT(field) offsetof(struct doctor_args, field)

static const struct opt doctor_opts[] = {
    { "framework", 0, OPT_LIST, AT(ask.frameworks), "NAME==VER",
      "check this software: tensorflow==2.3.1, torch==2.9+cu130, onnxruntime-gpu, matlab==R2020b; may be "
      "repeated (default: the installed software)",
      NULL, HINT_NONE },
    { "gpu", 0, OPT_LIST, AT(ask.gpus), "GPU",
      "for this GPU: sm_86, 8.6, 10de:2484, \"RTX 3070\", its number here, all or known; may be repeated, "
      "twice the same for two of them (default: the GPUs of this machine)",
      NULL, HINT_GPUS },
    { "driver", 0, OPT_TEXT, AT(ask.driver), "VERSION",
      "with this driver: 580.126.09, 456.71, or a CUDA version such as 13.0", NULL, HINT_NONE },
    { "os", 0, OPT_CHOICE, AT(ask.system), "SYSTEM",
      "on this system: here, linux (x86-64), linux-aarch64, windows or wsl", DOCTOR_SYSTEMS, HINT_NONE },
    { "python", 0, OPT_TEXT, AT(ask.python), "VERSION", "with this Python, such as 3.11", NULL, HINT_NONE },
    { "cuda", 0, OPT_TEXT, AT(ask.cuda), "VERSION", "with this CUDA toolkit installed, such as 11.2, or none",
      NULL, HINT_NONE },
    { "cudnn", 0, OPT_TEXT, AT(ask.cudnn), "VERSION", "with this cuDNN installed, such as 8.1, or none", NULL,
      HINT_NONE },
    { "env", 0, OPT_LIST, AT(ask.env), "NAME=VALUE",
      "with this environment variable, such as CUDA_CACHE_MAXSIZE=268435456; may be repeated", NULL,
      HINT_NONE },
    { "container", 0, OPT_FLAG, AT(ask.container), NULL, "in a container, whose files are lost when it ends",
      NULL, HINT_NONE },
    { "log", 0, OPT_TEXT, AT(ask.log), "FILE",
      "read what a program printed (- for standard input): its pauses, errors, GPUs and libraries", NULL,
      HINT_FILES },
    { "probe", 0, OPT_FLAG, AT(probe), NULL,
      "repeat the probe of the driver, instead of showing the saved result", NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, AT(cache), "DIR",
      "look at this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "ignore", 0, OPT_LIST, AT(ignore), "ID", "hide this finding, also from the exit code; may be repeated",
      NULL, HINT_NONE },
    { "portable", 0, OPT_FLAG, AT(portable), NULL,
      "print only what two equal machines share, to compare them with diff", NULL, HINT_NONE },
    { "bundle", 0, OPT_TEXT, AT(bundle), "FILE",
      "also write everything to a new file for a bug report, without names and folders", NULL, HINT_FILES },
    { 0 },
};

/* Refuses misspelt ids, which would hide nothing. */
static bool known_ids(const struct texts *ids, struct jw_err *err)
{
    for (size_t i = 0; i < ids->n; i++)
        if (!jw_finding_exists(ids->items[i]))
            return jw_fail(
                err, JW_E_USAGE,
                "--ignore: there is no finding \"%.60s\"; doctor prints the id of each finding in brackets",
                ids->items[i]);
    return true;
}

void doctor_fill_redact(const struct jw_doctor_machine *m, struct cli *cli, struct jw_redact *r)
{
    static const char *const users[] = { "USER", "LOGNAME", "USERNAME", "SUDO_USER", "USERDOMAIN" };
    static const char *const hosts[] = { "HOSTNAME", "COMPUTERNAME" };
    static const char *const homes[] = { "HOME", "USERPROFILE" };

    for (size_t i = 0; i < JW_COUNT(homes); i++)
        jw_redact_home(r, jw_env(cli->arena, homes[i]));
    jw_redact_home(r, m->who.home);
    jw_redact_home(r, m->who.behind_home);
    jw_redact_user(r, m->who.user);
    jw_redact_user(r, m->who.behind);
    jw_redact_account(r, m->place.trust.owner);
    jw_redact_account(r, m->place.trust.writers);
    for (size_t i = 0; i < JW_COUNT(users); i++)
        jw_redact_user(r, jw_env(cli->arena, users[i]));
    jw_redact_host(r, m->who.host);
    for (size_t i = 0; i < JW_COUNT(hosts); i++)
        jw_redact_host(r, jw_env(cli->arena, hosts[i]));
    jw_redact_path(r, m->cache->dir.root);
    jw_redact_path(r, m->probe.driver.library);
    for (size_t i = 0; i < m->n_toolkits; i++)
        jw_redact_path(r, m->toolkits[i].where);
}

static bool show_bundle(struct cli *cli, const char *path, const struct doctor_view *v,
                        struct jw_redact *redact, struct jw_err *err)
{
    struct doctor_view b = *v;

    b.bundle = true;
    b.redact = redact;
    if (!doctor_write_bundle(path, &b, err))
        return false;
    jw_messages_say(&cli->messages, "%s: names, home and folders are removed; check it before you send it",
                    path);
    return true;
}

static bool show_answer(struct cli *cli, const struct doctor_args *a, struct doctor_view *v,
                        struct jw_err *err)
{
    struct jw_redact redact = { .a = cli->arena };
    struct doctor_view shown;

    if (v->machine)
        doctor_fill_redact(v->machine, cli, &redact);
    if (a->bundle && !show_bundle(cli, a->bundle, v, &redact, err))
        return false;
    v->portable = a->portable;
    shown = *v;
    shown.redact = a->portable ? &redact : NULL;
    return cli->common.json ? doctor_write_json(cli, &shown, err) : doctor_write_text(cli, &shown, err);
}

static bool is_bad(const struct doctor_view *v)
{
    for (size_t i = 0; i < v->findings->n; i++)
        if (v->findings->v[i].severity >= JW_WARNING && doctor_is_shown(v, &v->findings->v[i]))
            return true;
    return false;
}

/* Removes software findings that repeat one about the machine. */
static void drop_twice(struct jw_findings *f, size_t before)
{
    size_t n = before;

    for (size_t i = before; i < f->n; i++) {
        bool said = false;

        for (size_t k = 0; k < before && !said; k++)
            said = strcmp(f->v[k].id, f->v[i].id) == 0;
        if (!said)
            f->v[n++] = f->v[i];
    }
    f->n = n;
}

static bool check_args(const struct doctor_args *a, struct jw_err *err)
{
    if (a->bundle && doctor_ask_elsewhere(&a->ask))
        return jw_fail(
            err, JW_E_USAGE,
            "--bundle is about this machine; it cannot be combined with --gpu, --driver, --os or --log");
    return known_ids(&a->ignore, err);
}

static bool judge_question(struct cli *cli, const struct doctor_args *a, struct doctor_view *v,
                           struct jw_doctor_machine *machine, struct jw_status_report *cache,
                           struct doctor_answer *answer, struct jw_findings *findings, struct jw_err *err)
{
    const struct jw_doctor_options o = { .again = a->probe,
                                         .cache = a->cache,
                                         .interrupted = cli->interrupted };
    size_t before;

    if (v->machine && !jw_doctor_gather(&o, cli->arena, machine, cache, err))
        return false;
    if (v->machine)
        jw_doctor_judge(machine, findings);
    before = findings->n;
    if (!doctor_ask_answer(cli, &a->ask, v->machine, answer, findings, err))
        return false;
    drop_twice(findings, before);
    jw_findings_sort(findings);
    return true;
}

static int doctor_run(struct cli *cli, const void *args)
{
    const struct doctor_args *a = args;
    struct jw_doctor_machine machine = { 0 };
    struct jw_status_report cache = { 0 };
    struct jw_doctor_checked checked = { 0 };
    struct doctor_answer answer = { 0 };
    struct jw_findings findings = JW_FINDINGS(cli->arena);
    struct doctor_view v = { .machine = doctor_ask_elsewhere(&a->ask) ? NULL : &machine,
                             .answer = &answer,
                             .findings = &findings,
                             .checked = &checked,
                             .ignored = &a->ignore,
                             .evidence = a->probe || cli->common.verbose };
    struct jw_err err = { 0 };
    bool ok;

    if (!check_args(a, &err))
        return jw_cli_usage(cli, &err);
    ok = judge_question(cli, a, &v, &machine, &cache, &answer, &findings, &err);
    if (ok && v.machine)
        jw_doctor_checked(&machine, cli->arena, &checked);
    if (ok)
        doctor_ask_checked(&answer, cli->arena, &checked);
    ok = ok && show_answer(cli, a, &v, &err);
    jw_status_free(&cache);
    if (!ok)
        return jw_cli_fail(cli, &err);
    return is_bad(&v) ? EXIT_PARTLY : EXIT_DONE;
}

static const struct example doctor_examples[] = {
    { "jitwarm doctor", "show what is wrong here, and how to fix it" },
    { "jitwarm doctor --probe", "repeat the probe of the driver" },
    { "jitwarm doctor --framework tensorflow==2.3.1 --gpu 10de:2484 --os windows --driver 456.71",
      "will this start slowly there, and why?" },
    { "jitwarm doctor --framework torch==2.9+cu130 --gpu \"RTX PRO 6000\" --driver 570.124",
      "check before you buy or rent a GPU" },
    { "jitwarm doctor --log training.log", "where did the time go?" },
    { "jitwarm doctor --portable >mine.txt", "compare with another machine" },
    { "jitwarm doctor --bundle report.json", "write a file for a bug report" },
    { 0 },
};

const struct cmd jw_cmd_doctor = {
    .name = "doctor",
    .summary = "find out why CUDA programs start slowly here",
    .synopsis_args = "",
    .details = "Looks at the driver, the GPUs, the settings, the driver's cache of compiled GPU code and the "
               "CUDA software that is installed, and reports what is wrong: what it saw, what follows, and "
               "the command that fixes it. It changes nothing.\n\n"
               "Each piece of software gets a verdict for each GPU: NATIVE starts at once. The driver "
               "compiles JIT_FIRST at the first "
               "start, and JIT_EVERY at every start. NO_KERNEL does not run. DRIVER_OLD and PTX_TOO_NEW need "
               "a newer driver. "
               "CPU_BUILD and LIBS_MISSING run on the CPU, or not at all. WRONG_RESULT_RISK was reported to "
               "compute wrong results. Doctor reads installed software from its files, also for another GPU "
               "or driver "
               "(--gpu, --driver). For other versions and systems (--os) it uses a table of known builds, "
               "and says how sure that is.\n\n"
               "A separate process loads the driver, so that a crash of the driver does not end jitwarm. "
               "NVIDIA does not document the driver's cache. On the first run with a driver, and with "
               "--probe, jitwarm compiles a few tiny modules into an empty folder and compares the result "
               "with what it expects. Each proven level enables features. The result is saved for this "
               "driver build only. The cache of your programs is not touched.\n\nThe exit code suits "
               "monitoring: 0 healthy (notes do not count), 1 a warning or a problem (--json lists the ids, "
               "--ignore skips one), 2 wrong options, 130 interrupted, any other code: doctor itself failed.",
    .examples = doctor_examples,
    .opts = doctor_opts,
    .often = "framework gpu driver env log probe cache ignore portable bundle",
    .args_size = sizeof(struct doctor_args),
    .report = true,
    .run = doctor_run,
};
