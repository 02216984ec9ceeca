#include "cli/cli.h"
#include "cli/commands.h"
#include "startup/command/startup_view.h"

#define ACTIONS "status install remove run"

struct startup_args {
    struct texts words;
    const char *cache, *root, *packs;
    unsigned with;
    bool everybody, prune, as_root, dry_run, yes;
};

static const struct opt startup_opts[] = {
    { "system", 0, OPT_FLAG, offsetof(struct startup_args, everybody), NULL,
      "for every user of this machine, with that user's rights", NULL, HINT_NONE },
    { "prune", 0, OPT_FLAG, offsetof(struct startup_args, prune), NULL,
      "with install: after a driver update, once all is warm again, delete entries of earlier drivers", NULL,
      HINT_NONE },
    { "packs", 0, OPT_TEXT, offsetof(struct startup_args, packs), "DIR",
      "with install: each run first imports packs that fit from this folder (with --system: "
      "/var/lib/jitwarm/packs, %ProgramData%\\jitwarm\\packs)",
      NULL, HINT_DIRS },
    { "cache", 0, OPT_TEXT, offsetof(struct startup_args, cache), "DIR",
      "with install: use this cache (default: the one that CUDA programs use)", NULL, HINT_DIRS },
    { "with", 0, OPT_CHOICE, offsetof(struct startup_args, with), "WHAT",
      "start it with systemd, or a task on Windows (default: what this system has)", "auto systemd task",
      HINT_WORDS },
    { "root", 0, OPT_TEXT, offsetof(struct startup_args, root), "DIR",
      "with --system: install into the system image in this folder", NULL, HINT_DIRS },
    { "as-root", 0, OPT_FLAG, offsetof(struct startup_args, as_root), NULL,
      "allow root to install it for root's own programs", NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct startup_args, yes), NULL,
      "overwrite or remove files that were edited by hand", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct startup_args, dry_run), NULL,
      "print the exact files, and change nothing", NULL, HINT_NONE },
    { 0 },
};

const char *startup_verb_name(enum startup_verb v)
{
    static const char *const names[] = { "status", "install", "remove", "run" };

    return names[v];
}

static bool ask(const struct startup_args *args, struct cli *cli, struct startup_view *v,
                struct jw_startup_report *r, struct jw_err *err)
{
    static bool (*const act[])(
        const struct jw_startup_options *o, struct jw_arena *a, struct jw_startup_report *out,
        struct jw_err *err) = { jw_startup_status, jw_startup_install, jw_startup_remove, jw_startup_run };
    const struct jw_startup_options o = { .with = (enum jw_startup_with)args->with,
                                          .everybody = args->everybody,
                                          .prune = args->prune,
                                          .packs = args->packs,
                                          .as_root = args->as_root,
                                          .dry_run = args->dry_run,
                                          .yes = args->yes,
                                          .cache = args->cache,
                                          .root = args->root };
    unsigned verb = STARTUP_STATUS;

    if (args->words.n && !jw_opt_choice(ACTIONS, args->words.items[0], &verb))
        return jw_fail(err, JW_E_USAGE, "'%s' is not an action: use install, remove, run or status",
                       args->words.items[0]);
    v->verb = (enum startup_verb)verb;
    if (args->prune && verb != STARTUP_INSTALL)
        return jw_fail(err, JW_E_USAGE, "--prune needs install");
    if (args->packs && verb != STARTUP_INSTALL)
        return jw_fail(err, JW_E_USAGE, "--packs needs install");
    if (args->cache && verb != STARTUP_INSTALL)
        return jw_fail(err, JW_E_USAGE, "--cache needs install");
    return act[verb](&o, cli->arena, r, err);
}

static int startup_run(struct cli *cli, const void *p)
{
    const struct startup_args *args = p;
    struct jw_startup_report r = { 0 };
    struct startup_view v = { .dry_run = args->dry_run, .report = &r };
    struct jw_err err = { 0 };

    if (!ask(args, cli, &v, &r, &err))
        return jw_cli_fail(cli, &err);
    bool ok = cli->common.json ? startup_write_json(cli, &v, &err) : startup_write_text(cli, &v, &err);

    return ok ? jw_cli_exit(r.end) : jw_cli_fail(cli, &err);
}

static const struct example startup_examples[] = {
    { "jitwarm startup install", "prime again after driver updates, from the next login on" },
    { "jitwarm startup", "show whether it works, its last run, and its log" },
    { "jitwarm startup install --dry-run", "print every file first" },
    { "sudo jitwarm startup install --system", "for every user of this machine" },
    { "jitwarm startup remove", "restore everything" },
    { 0 },
};

const struct cmd jw_cmd_startup = {
    .name = "startup",
    .summary = "prime at login and after driver updates",
    .synopsis_args = "[install|remove|run|status]",
    .details =
        "install makes this system run jitwarm prime --if-stale --background --quiet with two workers, 45 "
        "seconds after each login, by a systemd timer or a Windows task. If nothing changed since the last "
        "prime, that takes milliseconds, and neither loads the driver nor wakes a GPU. After a driver or "
        "software update it warms again what was primed before.\n\n"
        "It waits for mains power, runs at the lowest priority, and stops while memory is short. After a "
        "driver "
        "update that needs a reboot it waits for the reboot.\n\n"
        "With --system each user's run also imports packs that fit from /var/lib/jitwarm/packs "
        "(%ProgramData%\\jitwarm\\packs). A key in /etc/jitwarm/keys must have signed them. So one machine "
        "can compile for all machines of the same kind.\n\n"
        "install never overwrites another program's files. remove deletes the files and the folders that "
        "install "
        "created.\n\n"
        "`jitwarm startup` alone prints a one-line status. The exit code is 0 if it works, and 1 if it does "
        "not "
        "or is not installed. install and remove exit with 0 also if there was nothing to do, with 4 if a "
        "file "
        "of another program is in the way or a file cannot be written, and with 7 if files were edited by "
        "hand "
        "(use --yes to overwrite).",
    .examples = startup_examples,
    .opts = startup_opts,
    .args_size = sizeof(struct startup_args),
    .positional_at = offsetof(struct startup_args, words),
    .min_pos = 0,
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = ACTIONS,
    .report = true,
    .run = startup_run,
};
