#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/doctor_view.h"
#include "os/env.h"

struct doctor_args {
    struct doctor_ask ask;
    bool probe;
};

static const struct opt doctor_opts[] = {
    DOCTOR_ASK_OPTS(struct doctor_args, ask),
    { "probe", 0, OPT_FLAG, offsetof(struct doctor_args, probe), NULL,
      "prove again how far the driver is understood, instead of telling what was proven before", NULL,
      HINT_NONE },
    { 0 },
};

/* The library that the user, and not the system, says is the driver. */
static const char *asked_for(struct cli *cli)
{
    const char *path = jw_os_is_windows() ? NULL : jw_env(cli->arena, "JITWARM_DRIVER");

    return path && *path ? path : NULL;
}

static int doctor_run(struct cli *cli, const void *args)
{
    const struct doctor_args *a = args;
    struct jw_probe_options o = { .again = a->probe, .carry = a->probe, .interrupted = cli->interrupted };
    struct jw_doctor_machine machine = { .asked = asked_for(cli), .windows = jw_os_is_windows() };
    struct jw_findings findings = JW_FINDINGS(cli->arena);
    struct doctor_answer answer;
    bool elsewhere = doctor_ask_elsewhere(&a->ask);
    struct doctor_view v = { .machine = elsewhere ? NULL : &machine,
                             .answer = &answer,
                             .findings = &findings };
    struct jw_err err = { 0 };
    bool ok = true;

    if (!elsewhere) {
        ok = jw_host_gpus("", cli->arena, &machine.here, &err)
             && jw_probe(&o, cli->arena, &machine.probe, &err);
        if (ok)
            jw_doctor_driver(&machine, &findings);
    }
    ok = ok && doctor_ask_answer(cli, &a->ask, v.machine, &answer, &findings, &err);
    if (ok)
        jw_findings_sort(&findings);
    ok = ok && jw_findings_ok(&findings, &err);
    ok = ok && (cli->common.json ? doctor_write_json(cli, &v, &err) : doctor_write_text(cli, &v, &err));
    if (!ok)
        return jw_cli_fail(cli, &err);
    return jw_findings_reach(&findings, JW_WARNING) ? EXIT_PARTLY : EXIT_DONE;
}

static const struct example doctor_examples[] = {
    { "jitwarm doctor", "which driver and GPUs are here, and how far this driver's cache is understood" },
    { "jitwarm doctor --probe", "prove it again" },
    DOCTOR_ASK_EXAMPLES,
    { 0 },
};

const struct cmd jw_cmd_doctor = {
    .name = "doctor",
    .summary = "tell what is wrong with the driver, and how far its cache is understood",
    .synopsis_args = "",
    .details = "The driver is loaded by a separate process: whatever that does, this one lives to tell.\n\n"
               "NVIDIA does not document how its driver keeps compiled code. So on the first run with a "
               "driver, or with "
               "--probe, a handful of tiny modules is compiled into an empty folder of jitwarm's own, and "
               "what appears "
               "there is compared with what was expected. Each level of understanding that is proven unlocks "
               "features; "
               "the result is remembered for this very build of the driver, and for no other. The cache of "
               "your programs "
               "is not touched.\n\n" DOCTOR_ASK_DETAILS "The exit code is 1 when something is wrong.",
    .examples = doctor_examples,
    .opts = doctor_opts,
    .args_size = sizeof(struct doctor_args),
    .report = true,
    .run = doctor_run,
};
