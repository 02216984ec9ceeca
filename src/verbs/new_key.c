#include "verbs/new_key.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/page.h"
#include "cli/secret_key.h"
#include "os/files/file.h"

#include <string.h>

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

static const struct jw_row rows[] = {
    { JW_ROW("key", struct pair, id), JW_LABEL("Key"), JW_PATTERN("^[0-9A-F]{16}$"), JW_ABOUT("its id") },
    { JW_ROW("secret_file", struct pair, secret_path), JW_LABEL("Secret file") },
    { JW_ROW("public_file", struct pair, public_path), JW_LABEL("Public file") },
    { JW_ROW("public_key", struct pair, line), JW_LABEL("Public key"), JW_PATTERN("^[A-Za-z0-9+/]{56}$"),
      JW_ABOUT("for trust = in jitwarm.conf and minisign -P") },
    { JW_ROW("passphrase", struct pair, locked), JW_LABEL("Passphrase"),
      JW_ABOUT("a passphrase locks the secret key") },
    { 0 },
};

const struct jw_form new_key_form = { .verb = "new-key", .about = "The new key pair.", .rows = rows };

static bool show_text(struct cli *cli, const struct pair *p, struct jw_err *err)
{
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    jw_page_rows(&page, TINT_STRONG, rows, p);
    jw_page_say(&page, TINT_NONE, NULL,
                "Sign packs with export --sign and the secret file, which only you should have. To import "
                "them, other people need the public key: import --trust KEY, or a copy of its file in their "
                "key folder (jitwarm help key).");
    return !page.bad;
}

static int print_new_key(struct cli *cli, struct pair *p)
{
    struct jw_err err = { 0 };

    jw_minisign_show_id(p->id, p->public.id);
    p->line = key_line(cli->arena, &p->text);
    return (cli->common.json ? jw_output_report(&cli->out, &new_key_form, p, &err) : show_text(cli, p, &err))
               ? EXIT_DONE
               : jw_cli_fail(cli, &err);
}

/* ---- all of it ---- */

/* No folder is made: the name may be a typing error. */
static bool check_folder(struct cli *cli, const char *file, struct jw_err *err)
{
    const char *folder = jw_path_dir(cli->arena, file);
    struct jw_file_info info;

    if (!jw_file_stat(folder, &info, err))
        return jw_wrap(err, "%s", folder);
    return info.kind == JW_FILE_DIR
           || jw_fail(err, JW_E_IO, info.kind == JW_FILE_NONE ? "%s: no such folder" : "%s: is not a folder",
                      folder);
}

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

int new_key_run(struct cli *cli, const char *file, bool no_passphrase)
{
    struct pair p = { .text = JW_BUF(JW_MAX_KEY_FILE), .secret_path = file, .locked = !no_passphrase };
    struct jw_err err = { 0 };
    int code;

    if (!*file || strcmp(file, "-") == 0) {
        (void)jw_fail(&err, JW_E_USAGE, "--new needs the name of a file for the secret key");
        return jw_cli_usage(cli, &err);
    }
    p.public_path = jw_key_public_path(file, cli->arena);
    if (!check_folder(cli, file, &err) || !check_free(p.secret_path, &err)
        || !check_free(p.public_path, &err))
        return jw_cli_fail(cli, &err);
    code = make_and_save(cli, &p);
    if (code == EXIT_DONE)
        code = print_new_key(cli, &p);
    jw_buf_free(&p.text);
    return code;
}
