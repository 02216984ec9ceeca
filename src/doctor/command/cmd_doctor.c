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

static const struct opt doctor_opts[] = {
    DOCTOR_ASK_OPTS(struct doctor_args, ask),
    { "probe", 0, OPT_FLAG, offsetof(struct doctor_args, probe), NULL,
      "prove again how far the driver is understood, instead of showing what was proven before", NULL,
      HINT_NONE },
    { "cache", 0, OPT_TEXT, offsetof(struct doctor_args, cache), "DIR",
      "look at this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "ignore", 0, OPT_LIST, offsetof(struct doctor_args, ignore), "ID",
      "hide this finding, also from the exit code; may be repeated", NULL, HINT_NONE },
    { "portable", 0, OPT_FLAG, offsetof(struct doctor_args, portable), NULL,
      "print only what two equal machines have in common: compare with diff", NULL, HINT_NONE },
    { "bundle", 0, OPT_TEXT, offsetof(struct doctor_args, bundle), "FILE",
      "also write everything, without your names and folders, to a new file for a bug report", NULL,
      HINT_FILES },
    { 0 },
};

/* A misspelt id would hide nothing, and nobody would notice. */
static bool known_ids(const struct texts *ids, struct jw_err *err)
{
    for (size_t i = 0; i < ids->n; i++)
        if (!jw_finding_kind(ids->items[i]))
            return jw_fail(err, JW_E_USAGE,
                           "--ignore: there is no finding \"%.60s\"; each answer names the ids "
                           "of its findings",
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

/* The same answer without folders. */
static void redact_answer(const struct doctor_answer *in, struct jw_redact *redact, struct doctor_answer *out)
{
    struct jw_software *copy = jw_arena_alloc(redact->a, (in->n + 1) * sizeof *copy);

    *out = *in;
    for (size_t i = 0; i < in->n; i++) {
        copy[i] = in->software[i];
        copy[i].path = jw_redacted(redact, copy[i].path);
    }
    out->software = copy;
    out->log_path = jw_redacted(redact, in->log_path);
}

static bool show_bundle(struct cli *cli, const char *path, const struct doctor_view *v,
                        struct jw_redact *redact, struct jw_err *err)
{
    struct doctor_view b = *v;
    struct doctor_answer answer;

    b.bundle = true;
    b.redact = redact;
    b.answer = &answer;
    redact_answer(v->answer, redact, &answer);
    if (!doctor_write_bundle(path, &b, err))
        return false;
    jw_messages_say(&cli->messages,
                    "%s: names, home and folders are taken out; have a look at it before you send it", path);
    return true;
}

static bool show(struct cli *cli, const struct doctor_args *a, struct doctor_view *v, struct jw_err *err)
{
    struct jw_redact redact = { .a = cli->arena };
    struct doctor_answer answer;
    struct doctor_view shown;

    if (v->machine)
        doctor_fill_redact(v->machine, cli, &redact);
    if (a->bundle && !show_bundle(cli, a->bundle, v, &redact, err))
        return false;
    v->portable = a->portable;
    shown = *v;
    if (a->portable) {
        redact_answer(v->answer, &redact, &answer);
        shown.answer = &answer;
        shown.redact = &redact;
    }
    return cli->common.json ? doctor_write_json(cli, &shown, err) : doctor_write_text(cli, &shown, err);
}

static bool is_bad(const struct doctor_view *v)
{
    for (size_t i = 0; i < v->findings->n; i++)
        if (v->findings->v[i].severity >= JW_WARNING && doctor_tells(v, &v->findings->v[i]))
            return true;
    return false;
}

/* What was said of the machine is not said again of its software. */
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
        return jw_fail(err, JW_E_USAGE,
                       "--bundle is about this machine: it goes with none of --gpu, --driver, --os "
                       "and --log");
    return known_ids(&a->ignore, err);
}

static bool judge(struct cli *cli, const struct doctor_args *a, struct doctor_view *v,
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
    ok = judge(cli, a, &v, &machine, &cache, &answer, &findings, &err)
         && (!v.machine || jw_doctor_checked(&machine, cli->arena, &checked))
         && doctor_ask_checked(&answer, cli->arena, &checked) && show(cli, a, &v, &err);
    jw_status_free(&cache);
    if (!ok)
        return jw_cli_fail(cli, &err);
    return is_bad(&v) ? EXIT_PARTLY : EXIT_DONE;
}

static const struct example doctor_examples[] = {
    { "jitwarm doctor", "what is wrong here, and what to do about it" },
    { "jitwarm doctor --probe", "prove again how far the driver is understood" },
    DOCTOR_ASK_EXAMPLES,
    { "jitwarm doctor --portable >mine.txt", "for a diff with another machine's" },
    { "jitwarm doctor --bundle report.json", "something to attach to a bug report" },
    { 0 },
};

const struct cmd jw_cmd_doctor = {
    .name = "doctor",
    .summary = "find out why CUDA programs start slowly here",
    .synopsis_args = "",
    .details =
        "Looks at the driver, the GPUs, the settings, the driver's cache of compiled GPU code and the CUDA "
        "software "
        "that is installed, and says what is wrong: what was seen, what follows from it, and the command "
        "that mends "
        "it. Nothing is changed.\n\n" DOCTOR_ASK_DETAILS
        "The driver is loaded by a separate process: whatever that does, this one goes on. NVIDIA does "
        "not document how its driver keeps compiled code. So on the first run with a driver, or with "
        "--probe, "
        "a handful of tiny modules is compiled into an empty folder of jitwarm's own, and what appears there "
        "is "
        "compared with what was expected. Each level of understanding that is proven unlocks features; the "
        "result is remembered for this very build of the driver, and for no other. The cache of your "
        "programs "
        "is not touched.\n\n"
        "The exit code is 1 when there is a warning or a problem; notes do not count. So a machine on which "
        "prime has proven all its software warm gets 0, and monitoring may call doctor: 0 healthy, 1 a "
        "finding (--json lists their ids, --ignore leaves one out), 2 wrong options, 130 interrupted, any "
        "other code: doctor itself failed.",
    .examples = doctor_examples,
    .opts = doctor_opts,
    .often = "framework gpu driver env log probe cache ignore portable bundle",
    .args_size = sizeof(struct doctor_args),
    .report = true,
    .run = doctor_run,
};
