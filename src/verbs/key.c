/* key: the keys that sign packs: those that are trusted here, and new pairs. */
#include "base/path.h"
#include "cli/report.h"
#include "verbs/secret_key.h"

#include <sodium.h>
#include <string.h>

struct key_args {
    const char *new_file;
    bool no_passphrase;
};

/* ---- the keys that are trusted here ---- */

/* Which of their secret keys are here is not known: a passphrase hides whose a secret key is. */
static int list_trusted(struct cli *cli)
{
    const char *user = jw_env_config_user(cli->arena);
    const char *config = user ? user : "~/.config";
    const char *public = jw_path_join(cli->arena, config, "jitwarm/own.pub");
    struct jw_trusted_keys keys, own = {0};
    struct jw_err err = {0};
    char id[17], line[JW_MINISIGN_LINE + 1];

    bool ok = jw_keys_load((struct jw_texts){0}, jw_session_config(&cli->session), cli->arena,
                           &keys, &err);

    (void)!jw_keys_load((struct jw_texts){&public, 1}, NULL, cli->arena, &own, JW_IGNORED);

    struct rep *r = rep_open(cli, "key");

    if (!ok)
        rep_head(r, jw_end_of(err.code), NULL, "No pack is taken: %s", err.msg);
    else if (keys.n)
        rep_head(r, JW_END_LISTED, "done", "Packs are taken if one of these keys signed them.");
    else
        rep_head(r, JW_END_NOTHING, NULL,
                 "No key is trusted here: import takes packs only with --trust or "
                 "--allow-unsigned.");
    rep_table(r, "keys", 0);
    for (const struct jw_trusted_key *k = keys.v; k < keys.v + keys.n; k++) {
        jw_minisign_show_id(id, k->key.id);
        jw_minisign_show_public(line, &k->key);
        rep_row(r);
        rep_fact(r, "id", "KEY", rep_text(id));
        rep_fact(r, "public_key", "PUBLIC KEY", rep_path(line));
        rep_fact(r, "file", "FILE", rep_path(k->from));
        if (own.n && memcmp(k->key.id, own.v->key.id, sizeof k->key.id) == 0)
            rep_note(r, "prune made %s, to sign what it saves for this user", id);
    }
    rep_end(r);
    rep_note(r, "jitwarm key --new FILE makes a key. To trust another's, copy its .pub into %s%s",
             jw_path_join(cli->arena, config, "jitwarm/keys"),
             keys.n ? "; to stop trusting one, delete its FILE, or the line that FILE names."
                    : ".");
    return rep_close(r);
}

/* ---- a key pair ---- */

struct pair {
    const char *secret_path, *public_path;
    struct jw_minisign_public public;
    bool locked;
};

/* Asks twice, because of typing errors. */
static int ask_twice(struct cli *cli, struct jw_passphrase *out)
{
    static const char without[] = "for a key without one add --no-passphrase";
    struct jw_passphrase again = {.n = 0};
    struct jw_err err = {0};
    int code = jw_cli_passphrase(cli, "Passphrase for the new key: ", without, out);

    if (code == EXIT_DONE && out->n)
        code = jw_cli_passphrase(cli, "Once more: ", without, &again);
    if (code == EXIT_DONE
        && (!out->n || again.n != out->n || sodium_memcmp(again.p, out->p, out->n) != 0))
        code = JW_CLI_REFUSE(cli, &err, JW_E_NAMED, "no key was made: %s",
                             out->n ? "the two passphrases differ" : "the passphrase is empty");
    sodium_memzero(&again, sizeof again);
    return code;
}

static int make_and_save(struct cli *cli, struct pair *p)
{
    struct jw_minisign_secret key = {0};
    struct jw_minisign_secret_text text = {.n = 0};
    struct jw_passphrase pass = {.n = 0};
    struct jw_minisign_lock lock = {0};
    struct jw_err err = {0};
    int code = p->locked ? ask_twice(cli, &pass) : EXIT_DONE;

    if (code == EXIT_DONE && p->locked)
        jw_messages_say(&cli->messages,
                        "locking the key; this takes 1 GiB of memory and a few seconds");
    lock.passphrase = (struct jw_bytes){(const uint8_t *)pass.p, pass.n};
    bool ok = code == EXIT_DONE && jw_minisign_make(&key, &err)
              && (!p->locked || jw_scrypt_new(&lock.how, &err))
              && jw_minisign_secret_write(&text, &key, p->locked ? &lock : NULL, &err);

    p->public = jw_minisign_public_of(&key);
    ok = ok && jw_key_pair_save(p->secret_path, &text, p->public_path, false, &p->public, &err);
    sodium_memzero(&key, sizeof key);
    sodium_memzero(&text, sizeof text);
    sodium_memzero(&pass, sizeof pass);
    return ok || code != EXIT_DONE ? code : jw_cli_fail(cli, &err);
}

static int print_pair(struct cli *cli, const struct pair *p)
{
    struct rep *r = rep_open(cli, "key");
    char id[17], line[JW_MINISIGN_LINE + 1];

    jw_minisign_show_id(id, p->public.id);
    jw_minisign_show_public(line, &p->public);
    rep_head(r, JW_END_DONE, NULL, "A key pair for signing packs was made.");
    rep_fact(r, NULL, "Key", rep_text(id));
    rep_fact(r, "secret_file", "Secret file", rep_path(p->secret_path));
    rep_fact(r, "public_file", "Public file", rep_path(p->public_path));
    rep_fact(r, NULL, "Trusted here", rep_path(jw_key_trusted_path(&p->public, r->a)));
    rep_fact(r, "public_key", "Public key", rep_path(line));
    rep_note(r, "Only you should have the secret file, which export --sign takes. Others need the "
                "public one, or its text: import --trust");
    return rep_close(r);
}

static int make_key_pair(struct cli *cli, const char *file, bool no_passphrase)
{
    struct pair p = {.secret_path = file, .locked = !no_passphrase};
    struct jw_err err = {0};
    int code;

    if (strcmp(file, "-") == 0 || jw_text_ends(file, ".pub"))
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE,
                             "--new needs the name of a file for the secret key, not %.200s", file);
    if (!jw_is_folder(jw_path_dir(cli->arena, file))) /* its name may be a typing error */
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "%s: no such folder",
                             jw_path_dir(cli->arena, file));
    p.public_path = jw_key_public_path(file, cli->arena);
    if (!jw_is_absent(file) || !jw_is_absent(p.public_path))
        return JW_CLI_REFUSE(cli, &err, JW_E_IO,
                             "%s: already exists, and a key is never overwritten; move it away, or "
                             "name another file",
                             jw_is_absent(file) ? p.public_path : file);
    code = make_and_save(cli, &p);
    return code == EXIT_DONE ? print_pair(cli, &p) : code;
}

static int key_run(struct cli *cli, const void *args)
{
    const struct key_args *a = args;
    struct jw_err err = {0};

    if (a->new_file)
        return make_key_pair(cli, a->new_file, a->no_passphrase);
    if (!a->no_passphrase)
        return list_trusted(cli);
    return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "--no-passphrase needs --new FILE");
}

const struct cmd jw_cmd_key = {
    .name = "key",
    .summary = "list and make the keys that sign packs",
    .synopsis_args = "",
    .details = "Lists the public keys that are trusted here: of files NAME.pub in the folder "
               "jitwarm/keys of this user and of the machine, and of lines of jitwarm.conf and "
               "startup.conf.\n\n--new writes a key pair in minisign's format: the secret key, "
               "which a passphrase locks, and the public key beside it.",
    .examples = {{"jitwarm key", "list the keys whose packs are taken here"},
                 {"jitwarm key --new ~/packs.key",
                  "a key pair of your own; asks for a passphrase twice"}},
    .opts =
        {{"new", 0, OPT_TEXT, offsetof(struct key_args, new_file), .arg = "FILE",
          .help =
              "make a key pair for signing packs: the secret key in FILE, the public key beside it",
          .hint = HINT_FILES},
         {"no-passphrase", 0, OPT_FLAG, offsetof(struct key_args, no_passphrase),
          .help = "with --new: do not lock the secret key; anyone who can read the file can sign"}},
    .order = "new no-passphrase json" JW_OF_ALL,
    .args_size = sizeof(struct key_args),
    .run = key_run,
};
