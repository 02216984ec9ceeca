#include "base/mem.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "os/files/file.h"
#include "pack/keys/command/secret_key.h"

#include <string.h>

enum { LABEL = 12 };

struct keygen_args {
    const char *output;
    bool no_passphrase;
};

static const struct opt keygen_opts[] = {
    { "output", 'o', OPT_TEXT, offsetof(struct keygen_args, output), "FILE",
      "file of the secret key (default: jitwarm.key beside jitwarm.conf); the public key goes beside it",
      NULL, HINT_FILES },
    { "no-passphrase", 0, OPT_FLAG, offsetof(struct keygen_args, no_passphrase), NULL,
      "do not lock the secret key: anyone who can read the file can sign", NULL, HINT_NONE },
    { 0 },
};

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

    return jw_scrypt_new(&lock.how, err) && jw_minisign_secret_write(text, key, &lock, NULL, err);
}

static int make_text(struct cli *cli, const struct jw_minisign_secret *key, bool locked,
                     struct jw_minisign_secret_text *text)
{
    struct jw_passphrase pass = { .n = 0 };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!locked)
        return jw_minisign_secret_write(text, key, NULL, NULL, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
    code = ask_twice(cli, &pass);
    if (code == EXIT_DONE) {
        jw_messages_say(&cli->messages, "locking the key; this takes 1 GiB of memory and a few seconds");
        if (!lock_with(text, key, &pass, &err))
            code = jw_cli_fail(cli, &err);
    }
    jw_secret_wipe(&pass, sizeof pass);
    return code;
}

/* ---- the report ---- */

/* The base64 line of the public key's file. */
static const char *key_line(struct jw_arena *a, const struct jw_buf *text)
{
    struct jw_bytes rest = jw_buf_bytes(text);
    size_t first = jw_find(rest, JW_BYTES("\n")) + 1, n;

    rest = (struct jw_bytes){ rest.p + first, rest.n - first };
    n = jw_find(rest, JW_BYTES("\n"));
    return jw_arena_text(a, (const char *)rest.p, n);
}

static bool show_text(struct cli *cli, const struct pair *p, struct jw_err *err)
{
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    jw_page_say(&page, TINT_STRONG, "Key", "%s, Ed25519, in minisign's formats%s", p->id,
                p->locked ? "" : ", without a passphrase");
    jw_page_whole(&page, TINT_STRONG, "Secret", "%s", p->secret_path);
    jw_page_whole(&page, TINT_STRONG, "Public", "%s", p->public_path);
    jw_page_say(&page, TINT_NONE, NULL,
                "Sign packs with export --sign and the secret file, which only you should have. To import "
                "them, other people need the public file: import --trust FILE, or a copy in their key folder "
                "(jitwarm help keygen).");
    return !page.bad;
}

static const struct jw_row rows[] = {
    { JW_ROW("key", struct pair, id), JW_PATTERN("^[0-9A-F]{16}$"), JW_ABOUT("its id") },
    { JW_ROW("secret_file", struct pair, secret_path) },
    { JW_ROW("public_file", struct pair, public_path) },
    { JW_ROW("public_key", struct pair, line), JW_PATTERN("^[A-Za-z0-9+/]{56}$"),
      JW_ABOUT("for trust = in jitwarm.conf and minisign -P") },
    { JW_ROW("passphrase", struct pair, locked), JW_ABOUT("a passphrase locks the secret key") },
    { 0 },
};

const struct jw_form keygen_form = { "keygen", "The new key pair.", rows };

static int print_keygen(struct cli *cli, struct pair *p)
{
    struct jw_err err = { 0 };

    jw_minisign_show_id(p->id, p->public.id);
    p->line = key_line(cli->arena, &p->text);
    return (cli->common.json ? jw_output_report(&cli->out, &keygen_form, p, &err) : show_text(cli, p, &err))
               ? EXIT_DONE
               : jw_cli_fail(cli, &err);
}

/* ---- the verb ---- */

/* Makes the default folder only: another name may be a typing error. */
static bool check_folder(struct cli *cli, const char *output, struct jw_err *err)
{
    const char *folder = jw_path_dir(cli->arena, output);
    struct jw_file_info info;

    if (!jw_file_stat(folder, &info, err))
        return jw_wrap(err, "%s", folder);
    return info.kind == JW_FILE_DIR
           || jw_fail(err, JW_E_IO, info.kind == JW_FILE_NONE ? "%s: no such folder" : "%s: is not a folder",
                      folder);
}

static bool choose_paths(struct cli *cli, const struct keygen_args *args, struct pair *p, struct jw_err *err)
{
    struct jw_file_info info;

    p->secret_path = args->output ? args->output : jw_key_usual_path(cli->arena);
    if (!p->secret_path)
        return jw_fail(err, JW_E_IO, "there is no folder for settings; name a file with -o FILE");
    p->public_path = jw_key_public_path(p->secret_path, cli->arena);
    if (args->output && !check_folder(cli, args->output, err))
        return false;
    for (int i = 0; i < 2; i++) {
        const char *path = i ? p->public_path : p->secret_path;

        if (!jw_file_stat(path, &info, err))
            return jw_wrap(err, "%s", path);
        if (info.kind != JW_FILE_NONE)
            return jw_fail(
                err, JW_E_IO,
                "%s: already exists, and keygen never overwrites a key; move it away, or name another file "
                "with -o FILE",
                path);
    }
    return true;
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

static int keygen_run(struct cli *cli, const void *a)
{
    const struct keygen_args *args = a;
    struct pair p = { .text = JW_BUF(JW_MAX_KEY_FILE), .locked = !args->no_passphrase };
    struct jw_err err = { 0 };
    int code;

    if (args->output && (!*args->output || strcmp(args->output, "-") == 0)) {
        (void)jw_fail(&err, JW_E_USAGE, "--output needs the name of a file for the secret key");
        return jw_cli_usage(cli, &err);
    }
    if (!choose_paths(cli, args, &p, &err))
        return jw_cli_fail(cli, &err);
    code = make_and_save(cli, &p);
    if (code == EXIT_DONE)
        code = print_keygen(cli, &p);
    jw_buf_free(&p.text);
    return code;
}

static const struct example keygen_examples[] = {
    { "jitwarm keygen", "a key pair of your own; asks for a passphrase twice" },
    { "jitwarm keygen --no-passphrase -o /srv/ci/packs.key", "a key for a build machine" },
    { NULL, NULL },
};

const struct cmd jw_cmd_keygen = {
    .name = "keygen",
    .summary = "create a key pair for signing packs",
    .synopsis_args = "",
    .details =
        "Writes two files in minisign's format: the secret key, which only you can read and which a "
        "passphrase locks, and the public key beside it. keygen never overwrites a file.\n\n"
        "import accepts packs of export --sign if the public key is trusted: with import --trust FILE; "
        "as a file NAME.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, to which only you "
        "and root can write; or by a line \"trust = KEY\" in jitwarm.conf. A third line \"# origins: "
        "torch libfoo*\" in the file, or such names after KEY in jitwarm.conf, limit the key to these "
        "packages and libraries.\n\n"
        "The exit code is 7 when there is no terminal to ask for the passphrase.",
    .examples = keygen_examples,
    .opts = keygen_opts,
    .args_size = sizeof(struct keygen_args),
    .report = true,
    .run = keygen_run,
};
