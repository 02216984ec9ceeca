/* key: the kind of this machine, whose packs it can share, and key pairs for signing packs. */
#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "pack/format/pack_name.h"
#include "pack/keys/keys.h"
#include "prime/look.h"
#include "verbs/asked.h"
#include "verbs/secret_key.h"

#include <sodium.h>
#include <string.h>

struct key_args {
    const char *new_file;
    bool no_passphrase;
};

static const struct opt key_opts[] = {
    { "new", 0, OPT_TEXT, offsetof(struct key_args, new_file), "FILE",
      "make a key pair for signing packs: the secret key in FILE, the public key beside it", NULL,
      HINT_FILES },
    { "no-passphrase", 0, OPT_FLAG, offsetof(struct key_args, no_passphrase), NULL,
      "with --new: do not lock the secret key; anyone who can read the file can sign", NULL, HINT_NONE },
    { 0 },
};

/* ---- the kind of this machine ---- */

static int print_kinds(struct cli *cli, const struct jw_look *l)
{
    struct rep *r = rep_open(cli, "key");
    const char **kinds = jw_arena_alloc(cli->arena, (l->facts.scope.sms.n + 1) * sizeof *kinds);

    for (size_t i = 0; i < l->facts.scope.sms.n; i++) {
        kinds[i] = jw_arena_str(cli->arena, jw_pack_kind(l->facts.scope.stamp, l->facts.scope.sms.v[i]).text);
        if (i)
            rep_say(r, REP_PLAIN, NULL, "%s", kinds[i]);
        else
            rep_head(r, JW_END_LISTED, "done", "%s", kinds[i]);
    }
    rep_texts(r, "keys", NULL, kinds, l->facts.scope.sms.n);
    return rep_close(r);
}

static int show_kinds(struct cli *cli)
{
    struct jw_want want = { .gpus = jw_asked_gpus(cli) };
    struct jw_run run = jw_cli_run(cli);
    struct jw_look l = { .n_jobs = 0 };
    struct jw_err err = { 0 };
    /* A script takes the printed line for the kind, so nothing is printed without one. */
    bool ok = jw_gpus_are_absent(cli, &want.gpus, &want.absent_gpus, &err)
              && jw_look_scope(&run, &want, JW_ASKS_DRIVER, &l, &err)
              && (!l.stop || jw_fail(&err, JW_E_DRIVER, "%s: jitwarm doctor says what to do", l.stop->text))
              && (!run.ended || jw_fail(&err, JW_E_DRIVER, "%s", run.why))
              && ((l.facts.scope.stamp && *l.facts.scope.stamp && l.facts.scope.sms.n)
                  || jw_fail(&err, JW_E_DRIVER,
                             "the driver's build or the GPU is not known here: jitwarm doctor says why"));
    int code = ok ? print_kinds(cli, &l) : jw_cli_fail(cli, &err);

    jw_look_free(&l);
    return code;
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
    struct jw_passphrase again = { .n = 0 };
    int code = jw_cli_passphrase(cli, "Passphrase for the new key: ", without, out);

    if (code == EXIT_DONE && !out->n) {
        jw_messages_error(&cli->messages, "the passphrase is empty; %s", without);
        code = EXIT_BUSY;
    }
    if (code == EXIT_DONE)
        code = jw_cli_passphrase(cli, "Once more: ", without, &again);
    if (code == EXIT_DONE && (again.n != out->n || sodium_memcmp(again.p, out->p, out->n) != 0)) {
        jw_messages_error(&cli->messages, "the passphrases differ; no key was made");
        code = EXIT_BUSY;
    }
    sodium_memzero(&again, sizeof again);
    return code;
}

static int make_text(struct cli *cli, const struct jw_minisign_secret *key, bool locked,
                     struct jw_minisign_secret_text *text)
{
    struct jw_passphrase pass = { .n = 0 };
    struct jw_minisign_lock lock = { 0 };
    struct jw_err err = { 0 };
    int code = locked ? ask_twice(cli, &pass) : EXIT_DONE;

    lock.passphrase = (struct jw_bytes){ (const uint8_t *)pass.p, pass.n };
    if (code == EXIT_DONE && locked)
        jw_messages_say(&cli->messages, "locking the key; this takes 1 GiB of memory and a few seconds");
    if (code == EXIT_DONE
        && ((locked && !jw_scrypt_new(&lock.how, &err))
            || !jw_minisign_secret_write(text, key, locked ? &lock : NULL, &err)))
        code = jw_cli_fail(cli, &err);
    sodium_memzero(&pass, sizeof pass);
    return code;
}

static int print_pair(struct cli *cli, const struct pair *p)
{
    struct rep *r = rep_open(cli, "key");
    char id[17], line[JW_MINISIGN_LINE + 1];

    jw_minisign_show_id(id, p->public.id);
    jw_minisign_show_public(line, &p->public);
    rep_head(r, JW_END_DONE, NULL, "A key pair for signing packs was made.");
    rep_fact(r, NULL, "Key", rep_text(id));
    rep_fact(r, NULL, "Secret file", rep_path(p->secret_path));
    rep_fact(r, NULL, "Public file", rep_path(p->public_path));
    rep_fact(r, NULL, "Trusted here", rep_path(jw_key_trusted_path(&p->public, r->a)));
    rep_fact(r, "public_key", "Public key", rep_path(line));
    rep_note(
        r, "Only you should have the secret file, which export --sign takes. Others need the public one, or "
           "its text: import --trust");
    return rep_close(r);
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

/* Creates only jitwarm's own folder; another missing folder is a typing error. */
static bool check_folder(const char *path, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_path_dir(a, path), *config = jw_env_config_user(a);
    struct jw_file_info info;

    if (!jw_file_stat(folder, &info, JW_IGNORED) || info.kind == JW_FILE_DIR)
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
    code = make_text(cli, &key, p->locked, &text);
    sodium_memzero(&key, sizeof key);
    if (code == EXIT_DONE && !jw_key_pair_save(p->secret_path, &text, p->public_path, &p->public, &err))
        code = jw_cli_fail(cli, &err);
    sodium_memzero(&text, sizeof text);
    return code;
}

static int make_key_pair(struct cli *cli, const char *file, bool no_passphrase)
{
    struct pair p = { .secret_path = file, .locked = !no_passphrase };
    struct jw_err err = { 0 };
    int code;

    if (strcmp(file, "-") == 0 || jw_text_ends(file, ".pub"))
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE,
                             "--new needs the name of a file for the secret key, not %.200s", file);
    p.public_path = jw_key_public_path(file, cli->arena);
    if (!check_folder(file, cli->arena, &err) || !check_free(p.secret_path, &err)
        || !check_free(p.public_path, &err))
        return jw_cli_fail(cli, &err);
    code = make_and_save(cli, &p);
    return code == EXIT_DONE ? print_pair(cli, &p) : code;
}

/* ---- the verb ---- */

static int key_run(struct cli *cli, const void *args)
{
    const struct key_args *a = args;
    struct jw_err err = { 0 };

    if (a->new_file)
        return make_key_pair(cli, a->new_file, a->no_passphrase);
    if (!a->no_passphrase)
        return show_kinds(cli);
    return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "--no-passphrase needs --new FILE");
}

static const struct example key_examples[] = {
    { "jitwarm key", "the kind of this machine" },
    { "jitwarm key --gpu sm_90", "the kind of a machine with this driver and another GPU" },
    { "jitwarm key --new ~/packs.key", "a key pair of your own; asks for a passphrase twice" },
    { 0 },
};

const struct cmd jw_cmd_key = {
    .name = "key",
    .summary = "show this machine's kind; make signing keys",
    .synopsis_args = "",
    .details =
        "A machine's kind is its GPU architecture and its driver build, as in sm_86-20260107-225146: entries "
        "work on machines of the same kind and system. Names of packs and tags have it.\n\n--new "
        "writes a key pair in minisign's format: the secret key, which a passphrase locks, and the public "
        "key beside it, which is trusted here, and elsewhere by import --trust. It never overwrites a file.",
    .examples = key_examples,
    .opts = key_opts,
    .order = "new no-passphrase gpu json" JW_OF_ALL,
    .args_size = sizeof(struct key_args),
    .run = key_run,
};
