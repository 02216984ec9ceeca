#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "doctor/command/doctor_view.h"

#include <limits.h>
#include <string.h>

struct doctor_args {
    bool probe;
    const char *log, *cache;
    unsigned watch_s;
    struct texts ignore, rest;
};

#define AT(field) offsetof(struct doctor_args, field)

static const struct opt doctor_opts[] = {
    { "log", 0, OPT_TEXT, AT(log), "FILE",
      "read what a program printed (- for standard input): its pauses, errors, GPUs and libraries", NULL,
      HINT_FILES },
    { "watch", 0, OPT_MAYBE_SPAN, AT(watch_s), "TIME",
      "show live which programs make the driver compile, for this long (default: until Ctrl-C); --json: a "
      "line for each event",
      NULL, HINT_NONE },
    { "probe", 0, OPT_FLAG, AT(probe), NULL,
      "repeat the probe of the driver, instead of showing the saved result", NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, AT(cache), "DIR",
      "look at this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "ignore", 0, OPT_LIST, AT(ignore), "ID", "hide this finding, also from the exit code; may be repeated",
      NULL, HINT_NONE },
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
        bool repeated = false;

        for (size_t k = 0; k < before && !repeated; k++)
            repeated = strcmp(f->v[k].id, f->v[i].id) == 0;
        if (!repeated)
            f->v[n++] = f->v[i];
    }
    f->n = n;
}

static bool check_machine(struct cli *cli, struct jw_doctor_machine *machine, struct jw_status_report *cache,
                          struct doctor_answer *answer, struct jw_findings *findings, struct jw_err *err)
{
    size_t before;

    if (!jw_doctor_gather(&cli->session, machine, cache, err))
        return false;
    jw_doctor_check(machine, findings);
    before = findings->n;
    if (!doctor_answer_machine(cli, machine, answer, findings, err))
        return false;
    drop_twice(findings, before);
    return true;
}

/* "--watch 20s" is --watch=20s, and no other argument means anything. */
static bool take_time(const struct doctor_args *a, unsigned *seconds, struct jw_err *err)
{
    uint64_t s;

    *seconds = a->watch_s;
    if (!a->rest.n)
        return true;
    if (a->watch_s != UINT_MAX || !jw_text_seconds(a->rest.items[0], &s) || !s || s >= UINT_MAX)
        return jw_fail(err, JW_E_USAGE, "takes no arguments, but got '%s'", a->rest.items[0]);
    *seconds = (unsigned)s;
    return true;
}

static int doctor_run(struct cli *cli, const void *args)
{
    const struct doctor_args *a = args;
    unsigned watch_s;
    struct jw_doctor_machine machine = { 0 };
    struct jw_status_report cache = { 0 };
    struct jw_doctor_checked checked = { 0 };
    struct doctor_answer answer = { 0 };
    struct jw_findings findings = JW_FINDINGS(cli->arena);
    struct doctor_view v = { .machine = a->log ? NULL : &machine,
                             .answer = &answer,
                             .findings = &findings,
                             .checked = &checked,
                             .ignored = &a->ignore,
                             .evidence = a->probe || cli->common.verbose };
    struct jw_err err = { 0 };
    bool ok;

    if (!known_ids(&a->ignore, &err) || !take_time(a, &watch_s, &err))
        return jw_cli_usage(cli, &err);
    if (watch_s)
        return doctor_live(cli, watch_s);
    cli->session.cache = a->cache;
    cli->session.probe_again = a->probe;
    ok = a->log ? doctor_answer_log(cli, a->log, &answer, &findings, &err)
                : check_machine(cli, &machine, &cache, &answer, &findings, &err);
    jw_findings_sort(&findings);
    if (ok && v.machine)
        jw_doctor_checked(&machine, cli->arena, &checked);
    if (ok)
        doctor_answer_checked(&answer, cli->arena, &checked);
    if (ok && v.machine && (cli->common.verbose || cli->common.json))
        doctor_gather_settings(cli, &cache, &v.settings);
    ok = ok && (cli->common.json ? doctor_write_json : doctor_write_text)(cli, &v, &err);
    jw_status_free(&cache);
    if (!ok)
        return jw_cli_fail(cli, &err);
    return is_bad(&v) ? EXIT_PARTLY : EXIT_DONE;
}

static const struct example doctor_examples[] = {
    { "jitwarm doctor", "show what is wrong here, and how to fix it" },
    { "jitwarm doctor --probe", "repeat the probe of the driver" },
    { "jitwarm doctor --watch=60s", "which programs make the driver compile right now?" },
    { "jitwarm doctor --log training.log", "where did the time go?" },
    { "jitwarm doctor -v", "also show each setting, and where it comes from" },
    { 0 },
};

const struct cmd jw_cmd_doctor = {
    .name = "doctor",
    .summary = "find out why CUDA programs start slowly here",
    .synopsis_args = "",
    .details =
        "Looks at the driver, the GPUs, the settings, the driver's cache of compiled GPU code and the "
        "CUDA software that is installed, and reports what is wrong: what it saw, what follows, and "
        "the command that fixes it. It changes nothing.\n\n"
        "Each piece of software gets a verdict for each GPU, read from its files: NATIVE starts at once. "
        "The driver compiles JIT_FIRST at the first start, and JIT_EVERY at every start. NO_KERNEL does "
        "not run. DRIVER_OLD and PTX_TOO_NEW need a newer driver. CPU_BUILD and LIBS_MISSING run on the "
        "CPU, or not at all. jitwarm scan checks software for GPUs that are not here.\n\n"
        "A separate process loads the driver, so that a crash of the driver does not end jitwarm. "
        "NVIDIA does not document the driver's cache. On the first run with a driver, and with "
        "--probe, jitwarm compiles a few tiny modules into an empty folder and compares the result "
        "with what it expects. Each proven level enables features. The result is saved for this "
        "driver build only. The cache of your programs is not touched.\n\nThe exit code suits "
        "monitoring: 0 healthy (notes do not count), 1 a warning or a problem (--json lists the ids, "
        "--ignore skips one), 2 wrong options, 130 interrupted, any other code: doctor itself failed.",
    .examples = doctor_examples,
    .opts = doctor_opts,
    .often = "log watch probe cache ignore",
    .args_size = sizeof(struct doctor_args),
    .positional_at = AT(rest),
    .max_pos = 1,
    .report = true,
    .run = doctor_run,
};
