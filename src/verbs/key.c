/* key: shows the key of this machine, which machines of the same kind share, and makes key pairs for
 * signing. */
#include "base/limits.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "cli/secret_key.h"
#include "fleet/machine.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

struct key_args {
    struct jw_texts gpus;
    const char *new_file;
    bool no_passphrase;
};

static const struct opt key_opts[] = {
    { "gpu", 0, OPT_LIST, offsetof(struct key_args, gpus), "GPU",
      "the key for this architecture: sm_86, 8.6 or \"RTX 3070\"; several with commas, or repeated (default: "
      "this machine's GPUs)",
      NULL, HINT_GPUS },
    { "new", 0, OPT_TEXT, offsetof(struct key_args, new_file), "FILE",
      "make a key pair for signing packs: the secret key in FILE, the public key beside it", NULL,
      HINT_FILES },
    { "no-passphrase", 0, OPT_FLAG, offsetof(struct key_args, no_passphrase), NULL,
      "with --new: do not lock the secret key; anyone who can read the file can sign", NULL, HINT_NONE },
    { 0 },
};

/* ---- the key of this machine ---- */

static int show_key(struct cli *cli, const struct key_args *a)
{
    struct jw_fleet_machine m;
    struct jw_buf text = JW_LINE(cli->arena);
    struct jw_err err = { 0 };

    if (!jw_fleet_machine(&cli->session, a->gpus.items, a->gpus.n, &m, &err)
        || !jw_fleet_key(&text, &m, m.sms, m.n_sms, &err)) {
        return jw_cli_fail(cli, &err);
    }
    jw_buf_text(&text, "\n");
    return jw_cli_page(cli, &text);
}

/* ---- a key pair ---- */

enum { LABEL = 12 };

struct pair {
    const char *secret_path, *public_path;
    struct jw_minisign_public public;
    struct jw_buf text; /* of the public half */
    const char *line;   /* of its key in base64 */
    char id[17];
    bool locked;
};

/* Twice, because of typing errors. */
static int ask_twice(struct cli *cli, struct jw_passphrase *out)
{
    static const char without[] = "for a key without one add --no-passphrase";
    struct jw_passphrase again = { .n = 0 };
    int code = jw_cli_passphrase(cli, "Passphrase for the new key: ", without, out);

    if (code == EXIT_DONE && !out->n) {
        jw_messages_error(&cli->messages, "the passphrase is empty; %s", without);
        code = EXIT_BUSY;
    }
    if (code == EXIT_DONE)
        code = jw_cli_passphrase(cli, "Once more: ", without, &again);
    if (code == EXIT_DONE && (again.n != out->n || !jw_secret_same(again.p, out->p, out->n))) {
        jw_messages_error(&cli->messages, "the passphrases differ; no key was made");
        code = EXIT_BUSY;
    }
    jw_secret_wipe(&again, sizeof again);
    return code;
}

static bool lock_with(struct jw_minisign_secret_text *text, const struct jw_minisign_secret *key,
                      const struct jw_passphrase *pass, struct jw_err *err)
{
    struct jw_minisign_lock lock = { .passphrase = { (const uint8_t *)pass->p, pass->n } };

    return jw_scrypt_new(&lock.how, err) && jw_minisign_secret_write(text, key, &lock, err);
}

static int make_text(struct cli *cli, const struct jw_minisign_secret *key, bool locked,
                     struct jw_minisign_secret_text *text)
{
    struct jw_passphrase pass = { .n = 0 };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!locked)
        return jw_minisign_secret_write(text, key, NULL, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
    code = ask_twice(cli, &pass);
    if (code == EXIT_DONE) {
        jw_messages_say(&cli->messages, "locking the key; this takes 1 GiB of memory and a few seconds");
        if (!lock_with(text, key, &pass, &err))
            code = jw_cli_fail(cli, &err);
    }
    jw_secret_wipe(&pass, sizeof pass);
    return code;
}

/* ---- its report ---- */

/* The base64 line of the public key's file. */
static const char *key_line(struct jw_arena *a, const struct jw_buf *text)
{
    struct jw_bytes rest = jw_buf_bytes(text);
    size_t first = jw_find(rest, JW_BYTES("\n")) + 1, n;

    rest = (struct jw_bytes){ rest.p + first, rest.n - first };
    n = jw_find(rest, JW_BYTES("\n"));
    return jw_arena_text(a, (const char *)rest.p, n);
}

static void show_use(struct jw_page *p, const void *of)
{
    (void)of;
    jw_page_say(p, TINT_NONE, NULL,
                "Sign packs with export --sign and the secret file, which only you should have. To import "
                "them, other people need the public key: import --trust KEY, or a copy of its file in their "
                "key folder (jitwarm help key).");
}

static const struct jw_row new_key_rows[] = {
    { JW_ROW("key", struct pair, id), JW_LABEL("Key"), JW_PATTERN("^[0-9A-F]{16}$"), JW_ABOUT("its id") },
    { JW_ROW("secret_file", struct pair, secret_path), JW_LABEL("Secret file") },
    { JW_ROW("public_file", struct pair, public_path), JW_LABEL("Public file") },
    { JW_ROW("public_key", struct pair, line), JW_LABEL("Public key"), JW_PATTERN("^[A-Za-z0-9+/]{56}$"),
      JW_ABOUT("for trust = in jitwarm.conf and minisign -P") },
    { JW_ROW("passphrase", struct pair, locked), JW_LABEL("Passphrase"),
      JW_ABOUT("a passphrase locks the secret key") },
    { JW_TEXT_ALONE(show_use) },
    { 0 },
};

const struct jw_form new_key_form = {
    .verb = "new-key", .about = "The new key pair.", .rows = new_key_rows, .label = LABEL, .tint = TINT_STRONG
};

static int print_new_key(struct cli *cli, struct pair *p)
{
    struct jw_err err = { 0 };

    jw_minisign_show_id(p->id, p->public.id);
    p->line = key_line(cli->arena, &p->text);
    return jw_cli_report(cli, &new_key_form, p, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

/* ---- in files ---- */

static bool check_free(const char *path, struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_file_stat(path, &info, err))
        return jw_wrap(err, "%s", path);
    return info.kind == JW_FILE_NONE
           || jw_fail(
               err, JW_E_IO,
               "%s: already exists, and a key is never overwritten; move it away, or name another file",
               path);
}

/* jitwarm's own folder is made; another name that is not there is a typing error. */
static bool check_folder(const char *path, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_path_dir(a, path), *config = jw_env_config_user(a);
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_file_stat(folder, &info, &ignored) || info.kind == JW_FILE_DIR)
        return true;
    return (info.kind == JW_FILE_NONE && config && jw_text_same(folder, jw_path_join(a, config, "jitwarm")))
           || jw_fail(err, JW_E_USAGE, "--new: %s: %s", folder,
                      info.kind == JW_FILE_NONE ? "no such folder" : "is not a folder");
}

static int make_and_save(struct cli *cli, struct pair *p)
{
    struct jw_minisign_secret key;
    struct jw_minisign_secret_text text = { .n = 0 };
    struct jw_err err = { 0 };
    int code;

    if (!jw_minisign_make(&key, &err))
        return jw_cli_fail(cli, &err);
    p->public = jw_minisign_public_of(&key);
    jw_minisign_public_put(&p->text, &p->public);
    code = make_text(cli, &key, p->locked, &text);
    jw_secret_wipe(&key, sizeof key);
    if (code == EXIT_DONE
        && (!jw_buf_ok(&p->text, &err)
            || !jw_key_pair_save(p->secret_path, &text, p->public_path, jw_buf_bytes(&p->text), &err)))
        code = jw_cli_fail(cli, &err);
    jw_secret_wipe(&text, sizeof text);
    return code;
}

static int make_key_pair(struct cli *cli, const char *file, bool no_passphrase)
{
    struct pair p = { .text = JW_BUF(JW_MAX_KEY_FILE), .secret_path = file, .locked = !no_passphrase };
    struct jw_err err = { 0 };
    int code;

    if (!*file || strcmp(file, "-") == 0) {
        (void)jw_fail(&err, JW_E_USAGE, "--new needs the name of a file for the secret key");
        return jw_cli_usage(cli, &err);
    }
    if (!check_folder(file, cli->arena, &err))
        return jw_cli_usage(cli, &err);
    p.public_path = jw_key_public_path(file, cli->arena);
    if (!check_free(p.secret_path, &err) || !check_free(p.public_path, &err))
        return jw_cli_fail(cli, &err);
    code = make_and_save(cli, &p);
    if (code == EXIT_DONE)
        code = print_new_key(cli, &p);
    jw_buf_free(&p.text);
    return code;
}

/* ---- the verb ---- */

static int run(struct cli *cli, const void *args)
{
    const struct key_args *a = args;
    struct jw_err err = { 0 };

    if (a->new_file)
        return make_key_pair(cli, a->new_file, a->no_passphrase);
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
        "The key names these and the pack format, as in jitwarm2-linux-x86_64-sm_86-20260107-225146. It has "
        "only letters, digits, - _ and ., so it can be the key of a CI cache, a tag or a file name. push and "
        "pull use it as their default tag.\n\n"
        "A key pair: --new writes two files in minisign's format: the secret key, which only you can read "
        "and which a passphrase locks, and the public key beside it. It never overwrites a file, and makes "
        "the folder of jitwarm.conf for it. import "
        "accepts packs of export --sign if the public key is trusted: with import --trust FILE; as a file "
        "NAME.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, to which only you and root can "
        "write; or by a line \"trust = KEY\" in jitwarm.conf.\n\n"
        "Exit codes: 0; 2 wrong option; 3 unknown driver or GPU; 4 the key cannot be written; 7 no terminal "
        "to ask for the passphrase; 130 Ctrl-C.",
    .examples = key_examples,
    .opts = key_opts,
    .groups = key_groups,
    .args_size = sizeof(struct key_args),
    .report = true,
    .stateless = true,
    .run = run,
};
