/* Keys that another user could have written: every place where that can be. */
#include "pack/keys/keys.h"

#include "check.h"
#include "os/files/file.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static struct jw_arena a;

static void write_key(const char *path)
{
    struct jw_minisign_secret key = {.id = {1}};
    uint8_t seed[crypto_sign_SEEDBYTES] = {1};
    struct jw_minisign_public public;
    FREED(jw_buf) text = JW_BUF(4096);

    (void)crypto_sign_seed_keypair((uint8_t[crypto_sign_PUBLICKEYBYTES]){0}, key.key, seed);
    public = jw_minisign_public_of(&key);
    jw_minisign_public_put(&text, &public);
    scratch_write(path, jw_buf_cstr(&text));
    CHECK(chmod(path, 0644) == 0);
}

static void begin(void)
{
    jw_arena_free(&a);
    (void)chmod(scratch("home/jitwarm"), 0755);
    (void)chmod(scratch("home/jitwarm/keys"), 0755);
    scratch_empty(scratch("home"));
    CHECK(jw_make_dirs(scratch("home/jitwarm/keys"), JW_IGNORED));
    CHECK(chmod(scratch("home/jitwarm"), 0755) == 0
          && chmod(scratch("home/jitwarm/keys"), 0755) == 0);
    set_variable("XDG_CONFIG_HOME", scratch("home"));
    write_key(scratch("home/jitwarm/keys/a.pub"));
}

static bool load(const char *file, const char *conf, struct jw_err *err)
{
    struct jw_config config = {0};
    struct jw_trusted_keys keys;

    if (conf)
        jw_config_load_file(conf, NULL, &a, &config);
    *err = (struct jw_err){0};
    return jw_keys_load((struct jw_texts){&file, file != NULL}, &config, &a, &keys, err);
}

static void refused(const char *path, unsigned mode, const char *sentence)
{
    struct jw_err err;

    begin();
    CHECK(load(NULL, NULL, &err));
    CHECK(chmod(scratch(path), mode) == 0);
    CHECK_REFUSED(load(NULL, NULL, &err), err, path);
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK_HAS(err.msg, sentence);
}

EACH(begin, NULL)

TEST(a_key_file_that_others_can_write)
{
    refused("home/jitwarm/keys/a.pub", 0646,
            "everybody may write to this key file and so could decide whose packs you trust; take "
            "that right "
            "away first (chmod go-w)");
}

TEST(a_folder_that_others_can_write)
{
    refused("home/jitwarm/keys", 0757, "everybody may write to this folder");
    refused("home/jitwarm", 0757, "everybody may write to this folder");
    refused("home/jitwarm/keys", 01777, "everybody may write to this folder");
}

TEST(a_key_of_another_user)
{
    if (getuid() != 0)
        SKIP("needs root to give a file away");

    CHECK(chown(scratch("home/jitwarm/keys/a.pub"), 12345, 12345) == 0);
    CHECK_REFUSED(load(NULL, NULL, &err), err,
                  "this key file belongs to user 12345, who could put keys there");
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK(chown(scratch("home/jitwarm/keys/a.pub"), 0, 0) == 0
          && chown(scratch("home/jitwarm/keys"), 12345, 0) == 0);
    CHECK_REFUSED(load(NULL, NULL, &err), err, "this folder belongs to user 12345");
}

TEST(a_link_among_the_keys_is_what_it_leads_to)
{
    const char *there = scratch("home/b"), *link = scratch("home/jitwarm/keys/b.pub");

    write_key(there);
    CHECK(symlink(there, link) == 0 && load(NULL, NULL, &err));
    CHECK(chmod(there, 0666) == 0);
    CHECK_REFUSED(load(NULL, NULL, &err), err, "keys/b.pub: everybody may write to this key file");
    CHECK(unlink(link) == 0);
}

/* ---- every folder on the way ---- */

TEST(a_folder_above_that_others_can_write)
{
    set_variable("HOME", "/nowhere");
    CHECK(load(NULL, NULL, &err));
    CHECK(chmod(scratch("home"), 0777) == 0);
    CHECK_REFUSED(load(NULL, NULL, &err), err, "home: everybody may write to this folder");
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK(chmod(scratch("home"), 01777) == 0); /* what is ours there nobody can replace */
    CHECK(load(NULL, NULL, &err));
    CHECK(chmod(scratch("home"), 0777) == 0);
    set_variable("HOME",
                 scratch("home/jitwarm")); /* what is above the home is not this user's business */
    CHECK(load(NULL, NULL, &err));
    set_variable("HOME", "/nowhere");
    CHECK(chmod(scratch("home"), 0755) == 0);
}

TEST(a_link_to_keys_that_others_can_write)
{
    const char *keys = scratch("home/jitwarm/keys"), *open = scratch("home/all"),
               *there = scratch("home/all/keys");

    set_variable("HOME", "/nowhere");
    CHECK(jw_make_dirs(open, &err) && rename(keys, there) == 0 && symlink(there, keys) == 0);
    CHECK(load(NULL, NULL, &err));
    CHECK(chmod(open, 0777) == 0);
    CHECK_REFUSED(load(NULL, NULL, &err), err, "home/all: everybody may write to this folder");
    CHECK(chmod(open, 0755) == 0 && unlink(keys) == 0);
}

TEST(a_conf_below_a_folder_that_others_can_write)
{
    const char *conf = scratch("home/all/sub/jitwarm.conf");
    FREED(jw_buf) line = JW_BUF(8192);

    set_variable("HOME", "/nowhere");
    CHECK(jw_make_dirs(scratch("home/all/sub"), &err));
    jw_buf_printf(&line, "trust = %s\n", scratch("home/jitwarm/keys/a.pub"));
    scratch_write(conf, jw_buf_cstr(&line));
    CHECK(chmod(conf, 0644) == 0 && load(NULL, conf, &err));
    CHECK(chmod(scratch("home/all"), 0777) == 0 && !load(NULL, conf, &err));
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK_HAS(err.msg, "home/all: everybody may write to this folder");
    CHECK(chmod(scratch("home/all"), 0755) == 0);
}

/* ---- access lists ---- */

/* user::rw-, user:12345:`user`, group::`group`, mask::`mask`, other::r-- */
static bool set_list(const char *path, uint8_t user, uint8_t group, uint8_t mask)
{
    uint8_t list[] = {2,    0, 0,     0,                          /* version */
                      0x01, 0, 6,     0, 0xff, 0xff, 0xff, 0xff,  /* the owner */
                      0x02, 0, user,  0, 0x39, 0x30, 0,    0,     /* user 12345 */
                      0x04, 0, group, 0, 0xff, 0xff, 0xff, 0xff,  /* the group */
                      0x10, 0, mask,  0, 0xff, 0xff, 0xff, 0xff,  /* the mask */
                      0x20, 0, 4,     0, 0xff, 0xff, 0xff, 0xff}; /* others */

    return setxattr(path, "system.posix_acl_access", list, sizeof list, 0) == 0;
}

/* The rights of the group that the mode shows are the mask of the list, and no group's. */
TEST(an_access_list)
{
    const char *key = scratch("home/jitwarm/keys/a.pub");

    if (!set_list(key, 6, 4, 6))
        SKIP("this file system keeps no access lists");
    CHECK(!load(NULL, NULL, &err)); /* although the group is the owner's own one */
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK_HAS(err.msg, "a.pub: user 12345 may write to this key file");
    CHECK_HAS(err.msg, "(chmod go-w)");
    CHECK(set_list(key, 6, 4, 4) && load(NULL, NULL, &err)); /* the mask takes it away */
    CHECK_TEXT(err.msg, "");
    CHECK(set_list(key, 4, 4, 6) && load(NULL, NULL, &err)); /* nobody has what the mask allows */
    CHECK_TEXT(err.msg, "");
    if (getuid() == 0) {
        CHECK(chown(key, 0, 12345) == 0 && set_list(key, 4, 4, 6) && load(NULL, NULL, &err));
        CHECK(set_list(key, 4, 6, 6) && !load(NULL, NULL, &err));
        CHECK_HAS(err.msg, "a.pub: its group may write to this key file");
    }
}

/* A conf file without such a line may be anybody's: it says nothing of trust. */
TEST(a_conf_that_others_can_write)
{
    const char *conf = scratch("home/jitwarm/jitwarm.conf");
    FREED(jw_buf) line = JW_BUF(8192);

    jw_buf_printf(&line, "trust = %s\n", scratch("home/jitwarm/keys/a.pub"));
    scratch_write(conf, jw_buf_cstr(&line));
    CHECK(chmod(conf, 0644) == 0 && load(NULL, conf, &err));
    CHECK(chmod(conf, 0666) == 0 && !load(NULL, conf, &err));
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK_HAS(err.msg, "jitwarm.conf: everybody may write to this file");
    scratch_write(conf, "jobs = 2\n");
    CHECK(chmod(conf, 0666) == 0 && load(NULL, conf, &err));
}

/* /tmp is like that: what is ours there, nobody can replace. */
TEST(a_named_key_in_a_folder_for_all)
{
    const char *open = scratch("home/all"), *key = scratch("home/all/x.pub");

    CHECK(jw_make_dirs(open, &err));
    write_key(key);
    CHECK(chmod(open, 01777) == 0 && load(key, NULL, &err));
    CHECK(chmod(open, 0777) == 0 && !load(key, NULL, &err));
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK_HAS(err.msg, "home/all: everybody may write to this folder");
    CHECK(chmod(open, 0755) == 0 && chmod(key, 0666) == 0 && !load(key, NULL, &err));
    CHECK_HAS(err.msg, "x.pub: everybody may write to this key file");
    CHECK(chmod(key, 0644) == 0 && chmod(scratch("home"), 0777) == 0);
    set_variable("HOME", "/nowhere");
    CHECK_REFUSED(load(key, NULL, &err), err, "home: everybody may write to this folder");
    CHECK(chmod(scratch("home"), 0755) == 0 && load(key, NULL, &err));
}

TEST(a_secret_key_that_others_can_write)
{
    struct jw_minisign_secret_text text;
    struct jw_minisign_secret key;
    struct jw_minisign_encrypted encrypted;
    struct stat st;

    CHECK(jw_minisign_make(&key, &err) && jw_minisign_secret_write(&text, &key, NULL, &err));
    const char *path = scratch("home/x.key");
    mode_t before = umask(0);

    const struct jw_minisign_public made = jw_minisign_public_of(&key);
    struct jw_trusted_keys trusted;

    set_variable("XDG_CONFIG_HOME", scratch("home/fresh"));
    CHECK_OK(jw_key_pair_save(path, &text, scratch("home/x.pub"), false, &made, &err), err);
    (void)umask(before);
    CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
    CHECK(stat(scratch("home/fresh/jitwarm"), &st) == 0 && (st.st_mode & 07777) == 0700);
    CHECK(chmod(path, 0602) == 0 && !jw_key_secret_load(path, &encrypted, &err));
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK_HAS(err.msg, "x.key: everybody may write to this key file");
    CHECK(chmod(path, 0640) == 0 && !jw_key_secret_load(path, &encrypted, &err));
    CHECK_HAS(err.msg, "x.key: other users can read this secret key, which no passphrase locks");
    /* Nobody else may write to the copy that makes it trusted, whatever the umask was. */
    err = (struct jw_err){0};
    CHECK_OK(jw_keys_load((struct jw_texts){0}, NULL, &a, &trusted, &err), err);
    CHECK(jw_keys_find(&trusted, key.id) != NULL);
    set_variable("XDG_CONFIG_HOME", path);
    CHECK_REFUSED(
        jw_key_pair_save(scratch("home/y.key"), &text, scratch("home/y.pub"), false, &made, &err),
        err, "keys: is not a folder");
}

MAIN(argc, argv)
{
    int code;

    (void)umask(022);
    scratch_begin();
    (void)setenv("HOME", scratch("."),
                 1); /* who may write to the folders above is no matter of these tests */
    code = RUN(argc, argv);
    jw_arena_free(&a);
    return code;
}
