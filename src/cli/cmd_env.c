#include "base/path.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/env_view.h"
#include "facts/env_defaults.h"

struct env_args {
    struct texts words;
    unsigned shell; /* an index into SHELLS: 0 is none */
    uint64_t size;
    const char *place;
};

#define SHELLS "none " JW_ENV_FORM_WORDS
#define ACTIONS "show"

static const struct opt env_opts[] = {
    { "shell", 0, OPT_CHOICE, offsetof(struct env_args, shell), "SHELL",
      "print the recommended settings as this one reads them, and nothing else: sh, fish, powershell, cmd (a "
      "batch "
      "file), docker (a Dockerfile), systemd (a unit) or conda",
      SHELLS, HINT_WORDS },
    { "maxsize", 0, OPT_SIZE, offsetof(struct env_args, size), "SIZE",
      "this limit for the cache, at most 4GiB (default: what is needed and a quarter more)", NULL,
      HINT_NONE },
    { "path", 0, OPT_TEXT, offsetof(struct env_args, place), "DIR",
      "this folder for the cache (default: where it is, unless that is bad)", NULL, HINT_DIRS },
    { 0 },
};

static bool check(const struct env_args *a, unsigned *action, struct jw_err *err)
{
    uint64_t most = jw_cache_limits().most;

    *action = 0;
    if (a->words.n && !jw_opt_choice(ACTIONS, a->words.items[0], action))
        return jw_fail(err, JW_E_USAGE, "there is no action \"%.60s\"; there are: %s", a->words.items[0],
                       ACTIONS);
    if (a->size > most)
        return jw_fail(err, JW_E_USAGE, "--maxsize: %llu is more than a driver heeds; %llu is the most",
                       (unsigned long long)a->size, (unsigned long long)most);
    if (a->place && !jw_path_absolute(a->place))
        return jw_fail(
            err, JW_E_USAGE,
            "--path: %.200s is not an absolute path, so that each program would have another cache",
            a->place);
    return true;
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

static int env_run(struct cli *cli, const void *p)
{
    const struct env_args *a = p;
    struct jw_err err = { 0 };
    unsigned action;

    if (!check(a, &action, &err))
        return jw_cli_usage(cli, &err);
    return show(cli, a);
}

static const struct example env_examples[] = {
    { "jitwarm env",
      "which settings of the driver's cache hold here, who said so, and what would be better" },
    { "eval \"$(jitwarm env --shell sh)\"", "the recommended settings, for this shell" },
    { 0 },
};

const struct cmd jw_cmd_env = {
    .name = "env",
    .summary = "tell and set the environment variables that decide what the driver keeps",
    .synopsis_args = "[show]",
    .details =
        "The NVIDIA driver keeps what it compiled in a cache whose size and place come from environment "
        "variables. Their "
        "defaults are too small for some frameworks, and then much is compiled again at every start.\n\n"
        "show (or no word) tells of each: its value, which file set it, what a fresh login will have, and "
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
