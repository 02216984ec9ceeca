#include "pack/keys/keys.h"

#include "base/path.h"
#include "base/text.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/folder.h"
#include "os/machine/env.h"

#include <sodium.h>
#include <string.h>

struct loader {
    struct jw_arena *a;
    struct jw_trusted_keys *out;
    struct jw_err *err;
    const char *remedy; /* behind what is said of a file that is no key */
};

static bool keep_key(struct loader *l, struct jw_trusted_key key)
{
    struct jw_trusted_key *to =
        jw_list_add(l->a, &l->out->v, &l->out->n, sizeof *to, JW_MAX_TRUSTED_KEYS, l->err);

    if (!to)
        return jw_wrap(l->err, "%s", key.from);
    *to = key;
    return true;
}

static bool is_secret(struct jw_bytes text)
{
    struct jw_minisign_encrypted encrypted;
    bool yes = jw_minisign_secret_read(text, &encrypted, JW_IGNORED);

    sodium_memzero(&encrypted, sizeof encrypted);
    return yes;
}

static bool load_open(struct loader *l, struct jw_file *f, const char *path, const char *from,
                      struct jw_trusted_key *out)
{
    struct jw_buf text = JW_BUF(JW_MAX_KEY_FILE);
    bool ok = jw_file_read_all(f, &text, l->err)
              && jw_minisign_public_read(jw_buf_bytes(&text), &out->key, l->err);

    if (!ok && is_secret(jw_buf_bytes(&text)))
        (void)jw_fail(l->err, JW_E_FORMAT,
                      "this is a secret key; name the public key (.pub), and keep the secret key "
                      "to yourself");
    else if (!ok && l->err->code == JW_E_FORMAT)
        (void)jw_fail(l->err, JW_E_FORMAT, "%s%s", jw_arena_str(l->a, l->err->msg), l->remedy);
    if (text.n)
        sodium_memzero(text.p, text.n);
    out->from = from;
    jw_buf_free(&text);
    return ok || jw_wrap(l->err, "%s", path);
}

/* Checks the owner of the opened file, not of its name. */
static bool load_file(struct loader *l, const char *path, const char *from,
                      struct jw_trusted_key *out)
{
    struct jw_file f = JW_FILE_CLOSED;
    const char *doubt = NULL;
    bool found = false;
    bool ok;

    if (!jw_trust_open(path, "key file", l->a, &f, &found, &doubt, l->err))
        ok = jw_wrap(l->err, "%s", path);
    else if (!found)
        ok = jw_fail(l->err, JW_E_IO, "%s: no such key file", path);
    else if (doubt)
        ok = jw_fail(l->err, JW_E_TRUST, "%s", doubt);
    else
        ok = load_open(l, &f, path, from, out);
    jw_file_close(&f);
    return ok;
}

static bool is_key(const char *word, struct jw_trusted_key *out)
{
    return jw_minisign_public_line((struct jw_bytes){(const uint8_t *)word, strlen(word)},
                                   &out->key);
}

/* A file, or the key's own text, which no other user can change. */
static bool load_given(struct loader *l, const char *word)
{
    struct jw_trusted_key key = {.from = "--trust"};

    if ((is_key(word, &key) || load_file(l, word, word, &key)) && keep_key(l, key))
        return true;
    jw_err_becomes(l->err, JW_E_IO, JW_E_NAMED); /* the user named it */
    jw_err_becomes(l->err, JW_E_FORMAT, JW_E_NAMED);
    return false;
}

/* The folder itself, too: who can write there can add a key. */
static bool check_folder(struct loader *l, const char *folder)
{
    struct jw_folder held = JW_FOLDER_CLOSED;
    const char *at = NULL;
    struct jw_trust t;
    bool ok =
        (jw_trust_check_path(folder, l->a, &held, &at, &t, l->err) || jw_wrap(l->err, "%s", folder))
        && (!at || jw_trust_check_keys(&t, at, "folder", l->err));

    jw_folder_close(&held);
    return ok;
}

static bool load_folder(struct loader *l, const char *config)
{
    const char *folder = config ? jw_path_join(l->a, config, "jitwarm/keys") : NULL;
    struct jw_texts unread = {0};
    bool ok = true;

    if (!config)
        return true;
    if (!check_folder(l, folder))
        return false;
    l->remedy = ": delete it, or put the whole .pub file there";
    const struct jw_listing names = jw_listing_read(folder, "*.pub", l->a, &unread);

    for (size_t i = 0; i < names.n; i++) {
        const char *path = jw_path_join(l->a, folder, names.names[i]);
        struct jw_trusted_key key = {0};

        ok = load_file(l, path, path, &key) && keep_key(l, key) && ok;
    }
    l->remedy = "";
    return ok && (!unread.n || jw_fail(l->err, JW_E_IO, "%s", unread.v[0]));
}

static bool load_line(struct loader *l, const struct jw_conf_item *item)
{
    struct jw_trusted_key key = {.from = item->origin};

    if (item->doubt)
        return jw_fail(l->err, JW_E_TRUST, "%s", item->doubt);
    bool text = is_key(item->value, &key);

    if (!text && !jw_path_absolute(item->value))
        return jw_fail(
            l->err, JW_E_FORMAT,
            "%s: trust needs the absolute path of a key file or a key of %d characters, not %.100s",
            item->origin, JW_MINISIGN_LINE, item->value);
    return (text || load_file(l, item->value, item->origin, &key)
            || jw_wrap(l->err, "%s", item->origin))
           && keep_key(l, key);
}

bool jw_keys_load(struct jw_texts given, const struct jw_config *conf, struct jw_arena *a,
                  struct jw_trusted_keys *out, struct jw_err *err)
{
    *out = (struct jw_trusted_keys){0};

    struct loader l = {a, out, err, ""};
    bool ok;

    for (size_t i = 0; i < given.n; i++)
        if (!load_given(&l, given.v[i]))
            return false;
    ok = load_folder(&l, jw_env_config_user(a));
    ok = load_folder(&l, jw_env_config_system(a)) && ok;
    for (size_t i = 0; conf && i < conf->trust.n; i++)
        ok = load_line(&l, &conf->trust.v[i]) && ok;
    return ok;
}

const struct jw_trusted_key *jw_keys_find(const struct jw_trusted_keys *keys,
                                          const uint8_t id[JW_MINISIGN_ID])
{
    for (size_t i = 0; keys && i < keys->n; i++)
        if (memcmp(keys->v[i].key.id, id, JW_MINISIGN_ID) == 0)
            return &keys->v[i];
    return NULL;
}

/* ---- secret keys ---- */

static bool read_secret(struct jw_bytes text, struct jw_minisign_encrypted *out, struct jw_err *err)
{
    struct jw_minisign_public public;

    return jw_minisign_secret_read(text, out, err)
           || (jw_minisign_public_read(text, &public, JW_IGNORED)
               && jw_fail(err, JW_E_FORMAT, "this is a public key; name the secret key (.key)"));
}

/* `text` is wiped by the caller. */
static bool load_secret(struct jw_file *f, const char *path, struct jw_arena *a,
                        struct jw_minisign_secret_text *text, struct jw_minisign_encrypted *out,
                        struct jw_err *err)
{
    struct jw_file_info info;
    struct jw_trust t;

    if (!jw_file_info(f, &info, err) || !jw_trust_file(f, a, &t, err))
        return jw_wrap(err, "%s", path);
    if (!jw_trust_check_keys(&t, path, "key file", err))
        return false;
    if (!jw_file_read(f, 0, text->p, sizeof text->p, &text->n, err))
        return jw_wrap(err, "%s", path);
    if (text->n == sizeof text->p)
        return jw_fail(err, JW_E_FORMAT, "%s: too long for a secret key file", path);
    if (!read_secret((struct jw_bytes){(const uint8_t *)text->p, text->n}, out, err))
        return jw_wrap(err, "%s", path);
    return out->locked || !(info.mode & 044)
           || jw_fail(err, JW_E_TRUST,
                      "%s: other users can read this secret key, which no passphrase locks (chmod "
                      "600)",
                      path);
}

bool jw_key_secret_load(const char *path, struct jw_minisign_encrypted *out, struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_minisign_secret_text text = {.n = 0};
    struct jw_file f = JW_FILE_CLOSED;

    if (!jw_file_open(&f, path, err))
        return jw_wrap(err, "%s", path);
    bool ok = load_secret(&f, path, &a, &text, out, err);

    jw_file_close(&f);
    sodium_memzero(&text, sizeof text);
    jw_arena_free(&a);
    return ok;
}

/* ---- new keys ---- */

#define SUFFIX ".key"

const char *jw_key_public_path(const char *secret, struct jw_arena *a)
{
    size_t n = strlen(secret);

    if (jw_text_ends(secret, SUFFIX) && n > sizeof SUFFIX - 1)
        n -= sizeof SUFFIX - 1;
    return jw_arena_printf(a, "%.*s.pub", (int)n, secret);
}

static bool put_key(const char *path, unsigned how, struct jw_bytes text, struct jw_err *err)
{
    return jw_file_put(path, how, text, err) || jw_wrap(err, "%s", path);
}

/* Removes a key that was written by now, be it that only its sync failed. Another program's file of
 * this name stays. */
static void take_back(const char *path, struct jw_bytes text, struct jw_err *err)
{
    struct jw_buf there = JW_BUF(JW_MAX_KEY_FILE);
    bool found = false;
    bool ours = jw_file_slurp(path, &there, &found, JW_IGNORED) && found && there.n == text.n
                && memcmp(there.p, text.p, text.n) == 0;

    if (there.n)
        sodium_memzero(there.p, there.n);
    jw_buf_free(&there);
    if (ours && !jw_file_remove(path, JW_IGNORED))
        (void)jw_wrap(err, "cannot remove %s again", path);
}

const char *jw_key_trusted_path(const struct jw_minisign_public *key, struct jw_arena *a)
{
    const char *config = jw_env_config_user(a);
    char id[17];

    jw_minisign_show_id(id, key->id);
    return config ? jw_path_join(a, config, jw_arena_printf(a, "jitwarm/keys/%s.pub", id)) : NULL;
}

static bool fail_homeless(struct jw_err *err)
{
    return jw_fail(err, JW_E_IO, "there is no folder for this user's settings (HOME is unset?)");
}

/* Writes a public key into this user's key folder, which it makes. */
static bool put_trusted(const char *path, struct jw_bytes text, struct jw_arena *a,
                        struct jw_err *err)
{
    if (!path)
        return fail_homeless(err);
    const char *folder = jw_path_dir(a, path);

    if (!jw_trust_make(jw_path_dir(a, folder), err) || !jw_trust_make(folder, err))
        return jw_wrap(err, "%s", folder);
    jw_out_sweep(folder);
    return put_key(path, JW_OUT_REPLACE | JW_OUT_PRIVATE, text, err);
}

bool jw_key_pair_save(const char *secret_path, const struct jw_minisign_secret_text *text,
                      const char *public_path, bool over, const struct jw_minisign_public *key,
                      struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_buf line = JW_BUF_IN(&a, JW_MAX_KEY_FILE);
    const struct jw_bytes secret_text = {(const uint8_t *)text->p, text->n};
    const char *trusted = jw_key_trusted_path(key, &a);

    jw_minisign_public_put(&line, key);
    const struct jw_bytes public_text = jw_buf_bytes(&line);
    jw_out_sweep(jw_path_dir(&a, secret_path));
    bool fresh = trusted && jw_is_absent(trusted);
    bool new_secret = jw_is_absent(secret_path);
    bool new_public = jw_is_absent(public_path);
    bool ok = put_trusted(trusted, public_text, &a, err)
              && put_key(secret_path, JW_OUT_NEW | JW_OUT_PRIVATE, secret_text, err)
              && put_key(public_path, over ? JW_OUT_REPLACE : JW_OUT_NEW, public_text, err);

    if (!ok && new_secret)
        take_back(secret_path, secret_text, err);
    if (!ok && new_public)
        take_back(public_path, public_text, err);
    if (!ok && fresh)
        take_back(trusted, public_text, err);
    jw_arena_free(&a);
    return ok;
}

/* ---- this user's own ---- */

/* If a secret key was lost, the key folder still has its public half: what it signed stays
 * trusted. */
static bool make_own(const char *path, struct jw_minisign_secret *out, struct jw_arena *a,
                     struct jw_err *err)
{
    struct jw_minisign_secret_text text = {.n = 0};
    bool ok = jw_minisign_make(out, err) && jw_minisign_secret_write(&text, out, NULL, err);
    const struct jw_minisign_public public = jw_minisign_public_of(out);

    ok = ok && jw_key_pair_save(path, &text, jw_key_public_path(path, a), true, &public, err);
    sodium_memzero(&text, sizeof text);
    return ok;
}

bool jw_key_own(struct jw_minisign_secret *out, struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_minisign_encrypted file;
    const char *config = jw_env_config_user(&a);
    const char *path = config ? jw_path_join(&a, config, "jitwarm/own" SUFFIX) : NULL;
    struct jw_err why = {0};
    bool ok = true;

    *out = (struct jw_minisign_secret){0};
    if (!path)
        ok = fail_homeless(err);
    else if (jw_is_absent(path) && make_own(path, out, &a, &why))
        ok = true;
    else if (jw_is_absent(path))
        ok = jw_pass(err, why);
    else /* it was there, or another run made it meanwhile */
        ok = jw_key_secret_load(path, &file, err)
             && jw_minisign_secret_open(&file, (struct jw_bytes){NULL, 0}, out, err);
    sodium_memzero(&file, sizeof file);
    jw_arena_free(&a);
    return ok;
}
