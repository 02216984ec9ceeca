#include "base/compiler.h"
/* Whose packs are believed: key files, folders of them, lines of jitwarm.conf; what others can
 * write to is refused. */
#include "pack/keys/keys.h"

#include "check.h"
#include "os/files/file.h"
#include "os/machine/thread.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <sodium.h>

static struct jw_arena a;

static struct jw_minisign_public key_of(uint8_t n)
{
    struct jw_minisign_secret key = {.id = {n, 2, 3, 4, 5, 6, 7, 8}};
    uint8_t seed[crypto_sign_SEEDBYTES] = {n};

    (void)crypto_sign_seed_keypair((uint8_t[crypto_sign_PUBLICKEYBYTES]){0}, key.key, seed);
    return jw_minisign_public_of(&key);
}

static const char *text_of_key(const struct jw_minisign_public *key)
{
    FREED(jw_buf) text = JW_BUF(8192);

    jw_minisign_public_put(&text, key);
    return jw_arena_str(&a, jw_buf_cstr(&text));
}

/* The text of a key file, and what follows the key. */
static const char *text_of(uint8_t n, const char *more)
{
    const struct jw_minisign_public key = key_of(n);

    return jw_arena_printf(&a, "%s%s", text_of_key(&key), more);
}

/* The line of base64. */
static const char *line_of(uint8_t n)
{
    const char *text = text_of(n, ""), *begin = strchr(text, '\n') + 1;

    return jw_arena_text(&a, begin, strcspn(begin, "\n"));
}

/* An empty home with no system keys that we know of. */
static void begin(void)
{
    jw_arena_free(&a);
    scratch_empty(scratch("home"));
    CHECK(jw_make_dirs(scratch("home/jitwarm/keys"), JW_IGNORED));
    CHECK(jw_make_dirs(scratch("home/else"), JW_IGNORED));
    set_variable("XDG_CONFIG_HOME", scratch("home"));
    set_variable("APPDATA", built_path(scratch("home")));
}

static bool loads(const char *conf, const char *file, struct jw_trusted_keys *out,
                  struct jw_err *err)
{
    struct jw_config config = {0};

    if (conf) {
        scratch_write(scratch("home/jitwarm/jitwarm.conf"), conf);
        jw_config_load_file(scratch("home/jitwarm/jitwarm.conf"), NULL, &a, &config);
        CHECK_NUM(config.warnings.n, 0);
    }
    return jw_keys_load((struct jw_texts){&file, file != NULL}, &config, &a, out, err);
}

static struct jw_trusted_keys load(const char *conf, const char *file)
{
    struct jw_trusted_keys keys;
    struct jw_err err = {0};

    CHECK_OK(loads(conf, file, &keys, &err), err);
    return keys;
}

static void refused(const char *conf, const char *file, enum jw_code code, const char *sentence)
{
    struct jw_trusted_keys keys;
    struct jw_err err = {0};

    CHECK_REFUSED(loads(conf, file, &keys, &err), err, sentence);
    CHECK_NUM(err.code, code);
}

static bool holds(const struct jw_trusted_keys *keys, uint8_t n)
{
    struct jw_minisign_public key = key_of(n);
    const struct jw_trusted_key *found = jw_keys_find(keys, key.id);

    return found && memcmp(found->key.key, key.key, sizeof key.key) == 0;
}

EACH(begin, NULL)

TEST(none)
{
    CHECK_NUM(load(NULL, NULL).n, 0);
    scratch_empty(scratch("home/jitwarm"));
    CHECK_NUM(load(NULL, NULL).n, 0);
}

TEST(a_folder)
{
    scratch_write(scratch("home/jitwarm/keys/b.pub"), text_of(2, ""));
    scratch_write(scratch("home/jitwarm/keys/a.pub"), text_of(1, ""));
    scratch_write(scratch("home/jitwarm/keys/README"), "no key");
    struct jw_trusted_keys keys = load(NULL, NULL);

    CHECK_NUM(keys.n, 2);
    CHECK(holds(&keys, 1) && holds(&keys, 2) && !holds(&keys, 3));
    CHECK_HAS(keys.v[0].from, "keys/a.pub");
}

TEST(a_file_that_is_named_comes_first)
{
    scratch_write(scratch("home/jitwarm/keys/a.pub"), text_of(1, ""));
    scratch_write(scratch("home/else/x"), text_of(3, ""));
    struct jw_trusted_keys keys = load(NULL, scratch("home/else/x"));

    CHECK_NUM(keys.n, 2);
    CHECK(holds(&keys, 3) && holds(&keys, 1));
    CHECK_HAS(keys.v[0].from, "else/x");
}

TEST(lines_of_jitwarm_conf)
{
    FREED(jw_buf) conf = JW_BUF(8192);

    scratch_write(scratch("home/else/a key.pub"), text_of(1, ""));
    scratch_write(scratch("home/else/b.pub"), text_of(2, ""));
    jw_buf_printf(&conf, "trust = %s\n", scratch("home/else/a key.pub"));
    jw_buf_printf(&conf, "trust = %s\n", scratch("home/else/b.pub"));
    jw_buf_printf(&conf, "trust = %s  \n", line_of(3));
    struct jw_trusted_keys keys = load(jw_buf_cstr(&conf), NULL);

    CHECK_NUM(keys.n, 3);
    CHECK(holds(&keys, 1) && holds(&keys, 2) && holds(&keys, 3));
    CHECK_HAS(keys.v[0].from, "jitwarm.conf:1");
}

TEST(lines_that_make_no_sense)
{
    refused("trust = keys/a.pub\n", NULL, JW_E_FORMAT,
            "jitwarm.conf:1: trust needs the absolute path of a key file or a key of 56 "
            "characters, not "
            "keys/a.pub");
    refused("\ntrust = RWQrubbish\n", NULL, JW_E_FORMAT, "jitwarm.conf:2: trust needs ");
    refused("trust = /nowhere/at/all.pub\n", NULL, JW_E_IO, "no such key file");
    FREED(jw_buf) conf = JW_BUF(8192);

    jw_buf_printf(&conf, "trust = %s torch\n", line_of(3));
    refused(jw_buf_cstr(&conf), NULL, JW_E_FORMAT,
            "jitwarm.conf:1: trust needs the absolute path of a key file or a key of 56 "
            "characters, not ");
}

/* ---- files ---- */

TEST(files_that_are_no_keys)
{
    refused(NULL, scratch("home/else/none.pub"), JW_E_NAMED, "none.pub: no such key file");
    CHECK(jw_make_dirs(scratch("home/jitwarm/keys/b.pub"), &err));
    refused(NULL, NULL, JW_E_IO, "keys/b.pub: ");
}

/* ---- pairs ---- */

TEST(names_of_pairs)
{
    CHECK_TEXT(jw_key_public_path("/x/a.key", &a), "/x/a.pub");
    CHECK_TEXT(jw_key_public_path("/x/a", &a), "/x/a.pub");
    CHECK_TEXT(jw_key_public_path("a.b", &a), "a.b.pub");
}

TEST(a_pair_is_saved_and_never_overwritten)
{
    struct jw_minisign_secret_text text;
    struct jw_minisign_secret key, again;
    struct jw_minisign_encrypted encrypted;

    CHECK(jw_minisign_make(&key, &err) && jw_minisign_secret_write(&text, &key, NULL, &err));
    const char *secret = scratch("home/else/x.key"), *public = scratch("home/else/x.pub");

    const struct jw_minisign_public made = jw_minisign_public_of(&key);
    struct jw_trusted_keys trusted;

    CHECK_OK(jw_key_pair_save(secret, &text, public, false, &made, &err), err);
    CHECK(jw_key_secret_load(secret, &encrypted, &err) && !encrypted.locked);
    CHECK(jw_minisign_secret_open(&encrypted, JW_BYTES(""), &again, &err)
          && sodium_memcmp(&again, &key, sizeof key) == 0);
    CHECK_REFUSED(jw_key_pair_save(secret, &text, scratch("home/else/y.pub"), false, &made, &err),
                  err, "x.key: already exists");
    CHECK_REFUSED(jw_key_pair_save(scratch("home/else/y.key"), &text, public, false, &made, &err),
                  err, "x.pub: already exists");
    scratch_holds(public, text_of_key(&made));
    CHECK_NUM(scratch_count(scratch("home/else")), 2);
    err = (struct jw_err){0};
    CHECK_OK(jw_keys_load((struct jw_texts){0}, NULL, &a, &trusted, &err), err);
    CHECK(jw_keys_find(&trusted, key.id) && trusted.n == 1); /* made here, and trusted here */
}

static void ask_own(void *ctx, unsigned worker)
{
    (void)!jw_key_own((struct jw_minisign_secret *)ctx + worker, JW_IGNORED);
}

TEST(the_own_key_is_made_once_and_trusted)
{
    struct jw_minisign_secret all[8] = {0}, second;
    struct jw_trusted_keys trusted;

    jw_parallel(JW_COUNT(all), ask_own, all); /* one of them makes it */
    for (size_t i = 1; i < JW_COUNT(all); i++)
        CHECK(sodium_memcmp(&all[0], &all[i], sizeof all[i]) == 0);
    const struct jw_minisign_public made = jw_minisign_public_of(&all[0]);

    scratch_holds(scratch("home/jitwarm/own.pub"), text_of_key(&made));
    CHECK_OK(jw_keys_load((struct jw_texts){0}, NULL, &a, &trusted, &err), err);
    CHECK(jw_keys_find(&trusted, made.id) && trusted.n == 1);
    scratch_write(scratch("home/jitwarm/own.key"), "rubbish");
    CHECK_REFUSED(jw_key_own(&second, &err), err, "own.key: minisign secret key");
    err = (struct jw_err){0};
    CHECK_OK(jw_file_remove(scratch("home/jitwarm/own.key"), &err), err); /* lost */
    CHECK_OK(jw_key_own(&second, &err), err);
    CHECK_OK(jw_keys_load((struct jw_texts){0}, NULL, &a, &trusted, &err), err);
    CHECK(jw_keys_find(&trusted, made.id)
          && jw_keys_find(&trusted, second.id)); /* the new one, and what the lost one signed */
}

TEST(a_secret_key_that_is_none)
{
    struct jw_minisign_encrypted encrypted;
    char many[3000];

    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    CHECK(!jw_key_secret_load(scratch("home/else/none.key"), &encrypted, &err));
    CHECK(err.code == JW_E_IO);
    scratch_write(scratch("home/else/x.key"), many);
    CHECK_REFUSED(jw_key_secret_load(scratch("home/else/x.key"), &encrypted, &err), err,
                  "x.key: too long for a secret key file");
    scratch_write(scratch("home/else/x.key"), text_of(1, ""));
    CHECK_REFUSED(jw_key_secret_load(scratch("home/else/x.key"), &encrypted, &err), err,
                  "x.key: this is a public key");
}
