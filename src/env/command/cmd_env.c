#include "base/path.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "env/command/env_view.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

struct env_args {
    struct texts words;
    unsigned shell; /* an index into SHELLS: 0 is none */
    uint64_t size;
    const char *place;
    bool user, system, dry_run;
};

enum action { SHOW, APPLY, UNDO };

#define SHELLS "- " JW_ENV_FORM_WORDS
#define ACTIONS "show apply undo"

static const struct opt env_opts[] = {
    { "shell", 0, OPT_CHOICE, offsetof(struct env_args, shell), "SHELL",
      "print only the recommended settings, in this form: sh, fish, powershell, cmd (a batch "
      "file), docker (a Dockerfile), systemd (a unit) or conda",
      SHELLS, HINT_WORDS },
    { "maxsize", 0, OPT_SIZE, offsetof(struct env_args, size), "SIZE",
      "limit for the cache, at most 4GiB (default: what is needed and a quarter more)", NULL, HINT_NONE },
    { "path", 0, OPT_TEXT, offsetof(struct env_args, place), "DIR",
      "folder for the cache (default: where it is, unless that is unsuitable)", NULL, HINT_DIRS },
    { "user", 0, OPT_FLAG, offsetof(struct env_args, user), NULL, "apply, undo: for this user (the default)",
      NULL, HINT_NONE },
    { "system", 0, OPT_FLAG, offsetof(struct env_args, system), NULL,
      "apply, undo: for everybody on this machine; needs root, or an administrator", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct env_args, dry_run), NULL,
      "apply, undo: show what would be written, and write nothing", NULL, HINT_NONE },
    { 0 },
};

static bool check_action(const struct env_args *a, unsigned action, struct jw_err *err)
{
    if (action == SHOW && (a->user || a->system || a->dry_run))
        return jw_fail(err, JW_E_USAGE, "--user, --system and --dry-run go with apply or undo");
    if (action != SHOW && a->shell)
        return jw_fail(err, JW_E_USAGE, "--shell prints lines and changes nothing: not with apply or undo");
    if (a->user && a->system)
        return jw_fail(err, JW_E_USAGE, "--user and --system exclude each other");
    if (action == UNDO && (a->size || a->place))
        return jw_fail(err, JW_E_USAGE,
                       "undo restores what was there; it takes neither --maxsize nor --path");
    return !a->system || !a->place
           || jw_fail(err, JW_E_USAGE,
                      "--path with --system would give all users one cache, in which each could have code "
                      "run in the programs "
                      "of the others; each user runs jitwarm env apply --path DIR");
}

static bool check(const struct env_args *a, unsigned *action, struct jw_err *err)
{
    uint64_t most = jw_cache_limits().most;

    *action = SHOW;
    if (a->words.n && !jw_opt_choice(ACTIONS, a->words.items[0], action))
        return jw_fail(err, JW_E_USAGE, "there is no action \"%.60s\"; there are show, apply and undo",
                       a->words.items[0]);
    if (a->size > most)
        return jw_fail(err, JW_E_USAGE, "--maxsize: %llu is more than a driver heeds; %llu is the most",
                       (unsigned long long)a->size, (unsigned long long)most);
    if (a->place && !jw_path_absolute(a->place))
        return jw_fail(
            err, JW_E_USAGE,
            "--path: %.200s is not an absolute path, so that each program would have another cache",
            a->place);
    return check_action(a, *action, err);
}

static int show(struct cli *cli, const struct env_args *a)
{
    struct jw_env_ask ask = {
        .size = a->size, .place = a->place, .no_login = a->shell > 0, .interrupted = cli->interrupted
    };
    struct jw_env_state s = { 0 };
    struct jw_err err = { 0 };
    bool ok = jw_env_state(&ask, cli->arena, &s, &err);

    if (ok && a->shell)
        ok = env_write_lines(cli, &s, (enum jw_env_form)(a->shell - 1), &err);
    else if (ok)
        ok = cli->common.json ? env_write_show_json(cli, &s, &err) : env_write_show_text(cli, &s, &err);
    jw_env_state_free(&s);
    return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
}

static int change(struct cli *cli, const struct env_args *a, bool undo)
{
    struct jw_env_ask ask = { .size = a->size, .place = a->place, .interrupted = cli->interrupted };
    struct jw_env_apply_options o = { .scope = a->system ? JW_ENV_SYSTEM : JW_ENV_USER,
                                      .size_asked = a->size > 0,
                                      .place_asked = a->place != NULL,
                                      .dry_run = a->dry_run,
                                      .sysroot = "" };
    struct jw_env_state s = { .home = jw_env_home(cli->arena) };
    struct jw_env_report r = { 0 };
    struct env_done d = { &r, s.home, undo, a->dry_run };
    struct jw_err err = { 0 };
    bool ok = undo ? jw_env_undo(&o, cli->arena, &r, &err)
                   : jw_env_state(&ask, cli->arena, &s, &err) && jw_env_apply(&o, &s, cli->arena, &r, &err);

    ok = ok && (cli->common.json ? env_write_done_json(cli, &d, &err) : env_write_done_text(cli, &d, &err));
    jw_env_state_free(&s);
    if (ok)
        return EXIT_DONE;

    int code = jw_cli_fail(cli, &err);

    if (r.begun)
        jw_messages_say(&cli->messages,
                        "what was written before that stays, and jitwarm env undo takes it back");
    return code;
}

static int env_run(struct cli *cli, const void *p)
{
    const struct env_args *a = p;
    struct jw_err err = { 0 };
    unsigned action;

    if (!check(a, &action, &err))
        return jw_cli_usage(cli, &err);
    return action == SHOW ? show(cli, a) : change(cli, a, action == UNDO);
}

static const struct example env_examples[] = {
    { "jitwarm env", "which settings apply, which file sets them, and what would be better" },
    { "eval \"$(jitwarm env --shell sh)\"", "the recommended settings, for this shell" },
    { "jitwarm env apply --dry-run", "what would be written so that they last" },
    { "jitwarm env apply --maxsize 2GiB", "write this limit, for every new login of this user" },
    { "jitwarm env undo", "restore every file as it was" },
    { 0 },
};

const struct cmd jw_cmd_env = {
    .name = "env",
    .summary = "show and set the variables that control the driver's cache",
    .synopsis_args = "[show|apply|undo]",
    .details =
        "The NVIDIA driver keeps what it compiled in a cache whose size and place come from environment "
        "variables. Their "
        "defaults are too small for some frameworks, and then much is compiled again at every start.\n\n"
        "show (or no word) prints of each: its value, which file set it, what a fresh login will have, and "
        "what is "
        "recommended and why. Nothing is changed.",
    .examples = env_examples,
    .opts = env_opts,
    .args_size = sizeof(struct env_args),
    .positional_at = offsetof(struct env_args, words),
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = ACTIONS,
    .report = true,
    .run = env_run,
};
