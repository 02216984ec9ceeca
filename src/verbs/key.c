#include "base/limits.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "fleet/machine.h"
#include "verbs/new_key.h"

struct key_args {
    struct texts gpus;
    const char *new_file;
    bool no_passphrase;
};

static const struct opt key_opts[] = {
    { "gpu", 0, OPT_LIST, offsetof(struct key_args, gpus), "GPU",
      "the key for this architecture: sm_86, 8.6 or \"RTX 3070\"; may be repeated (default: this machine's "
      "GPUs)",
      NULL, HINT_GPUS },
    { "new", 0, OPT_TEXT, offsetof(struct key_args, new_file), "FILE",
      "make a key pair for signing packs: the secret key in FILE, the public key beside it", NULL,
      HINT_FILES },
    { "no-passphrase", 0, OPT_FLAG, offsetof(struct key_args, no_passphrase), NULL,
      "with --new: do not lock the secret key; anyone who can read the file can sign", NULL, HINT_NONE },
    { 0 },
};

static int show_key(struct cli *cli, const struct key_args *a)
{
    struct jw_fleet_machine m;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_err err = { 0 };

    if (!jw_fleet_machine(&cli->session, a->gpus.items, a->gpus.n, &m, &err)
        || !jw_fleet_key(&text, &m, m.sms, m.n_sms, cli->arena, &err)) {
        jw_buf_free(&text);
        return jw_cli_fail(cli, &err);
    }
    jw_buf_text(&text, "\n");
    return jw_cli_page(cli, &text);
}

static int run(struct cli *cli, const void *args)
{
    const struct key_args *a = args;
    struct jw_err err = { 0 };

    if (a->new_file)
        return new_key_run(cli, a->new_file, a->no_passphrase);
    if (!a->no_passphrase && !cli->common.json)
        return show_key(cli, a);
    (void)jw_fail(&err, JW_E_USAGE, "%s needs --new FILE", a->no_passphrase ? "--no-passphrase" : "--json");
    return jw_cli_usage(cli, &err);
}

static const struct example key_examples[] = {
    { "jitwarm key", "this machine's key" },
    { "jitwarm key --gpu sm_90", "the key of a machine with this driver and another GPU" },
    { "docker pull registry/app:$(jitwarm key)", "an image for each kind of machine" },
    { "jitwarm key --new ~/packs.key", "a key pair of your own; asks for a passphrase twice" },
    { 0 },
};

static const struct opt_group key_groups[] = {
    { "The key of this machine", "gpu" },
    { "A key pair for signing packs", "new no-passphrase" },
    { 0 },
};

const struct cmd jw_cmd_key = {
    .name = "key",
    .summary = "show the key that equal machines share; make signing keys",
    .synopsis_args = "",
    .details =
        "A machine's key: entries work on machines with the same system, driver build and GPU architecture. "
        "The key "
        "names these and "
        "the pack format, as in jitwarm2-linux-x86_64-sm_86-20260107-225146. It has only letters, "
        "digits, - _ and ., "
        "so it can be the key of a CI cache, a tag or a file name. push and pull use it as their "
        "default tag.\n\n"
        "A key pair: --new writes two files in minisign's format: the secret key, which only you can read "
        "and which "
        "a passphrase locks, and the public key beside it. It never overwrites a file. import accepts "
        "packs of export --sign if the public key is trusted: with import --trust FILE; as a file "
        "NAME.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, to which only you and root can "
        "write; or by a line \"trust = KEY\" in jitwarm.conf.\n\n"
        "Exit codes: 0; 2 wrong option; 3 unknown driver or GPU; 4 the key cannot be written; 7 no terminal "
        "to ask for the passphrase; 130 Ctrl-C.",
    .examples = key_examples,
    .opts = key_opts,
    .groups = key_groups,
    .args_size = sizeof(struct key_args),
    .report = true,
    .run = run,
};
