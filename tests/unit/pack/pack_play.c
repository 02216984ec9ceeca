/*
 * pack_play make FILE [SECRET]     a small pack; signed inside and in FILE.minisig
 * pack_play check FILE PUBLIC
 *                                  "signed KEY WHERE: COMMENT", "unsigned", "unknown KEY", "wrong: WHY"; then it is read
 */
#include "rigs/pack_rig.h"

#include "base/path.h"

static struct jw_arena arena;

static int fail(const struct jw_err *err)
{
    (void)fprintf(stderr, "pack_play: %s\n", err->msg);
    return 1;
}

static bool save(const char *path, const char *suffix, const struct jw_buf *bytes, struct jw_err *err)
{
    struct jw_buf name = JW_BUF(4096);
    bool ok;

    jw_buf_printf(&name, "%s%s", path, suffix);
    ok = jw_file_put(jw_buf_cstr(&name), JW_OUT_REPLACE, jw_buf_bytes(bytes), err);
    jw_buf_free(&name);
    return ok;
}

static bool load_key(const char *path, struct jw_minisign_secret *key, struct jw_err *err)
{
    struct jw_minisign_encrypted encrypted;

    return jw_key_secret_load(path, &encrypted, err)
           && jw_minisign_secret_open(&encrypted, JW_BYTES(""), key, err);
}

static int make(const char *path, const char *secret)
{
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX), sig = JW_BUF(JW_MAX_SIGNATURE);
    struct jw_minisign_secret key;
    struct jw_err err = { 0 };
    struct pack_rig r;
    bool ok = !secret || load_key(secret, &key, &err);

    pack_rig_make(&r, 3, 5000, 300);
    struct jw_pack_write_options o = { 0 };

    o.key = secret ? &key : NULL;
    if (ok) {
        pack_rig_write(&r, &o, &pack);
        if (secret)
            pack_rig_minisig(&sig, jw_buf_bytes(&pack), &key);
        ok = save(path, "", &pack, &err) && (!secret || save(path, ".minisig", &sig, &err));
    }
    jw_buf_free(&pack);
    jw_buf_free(&sig);
    pack_rig_free(&r);
    return ok ? 0 : fail(&err);
}

static void tell(const struct jw_pack_verdict *v)
{
    switch (v->kind) {
    case JW_PACK_UNCHECKED:
    case JW_PACK_UNSIGNED: printf("unsigned\n"); break;
    case JW_PACK_SIGNED: printf("signed %s %s: %s\n", v->key, jw_path_base(v->where), v->comment); break;
    case JW_PACK_SIGNED_UNKNOWN: printf("unknown %s\n", v->key); break;
    case JW_PACK_SIGNED_WRONG: printf("wrong: %s\n", v->why); break;
    }
}

static int check(const char *path, const char *public)
{
    struct jw_keys_options k = { .files = &public, .n_files = 1 };
    struct jw_run o = { 0 };
    struct jw_pack_read_options read = { 0 };
    struct pack_reader got = { .rig = NULL };
    struct jw_trusted_keys keys;
    struct jw_pack_verdict v;
    struct jw_err err = { 0 };
    struct jw_pack_in in = { 0 };
    bool ok = jw_keys_load(&k, &arena, &keys, &err) && jw_pack_open(&in, path, path, &err)
              && jw_pack_check(&in, &keys, &o, &arena, &v, &err);

    if (ok) {
        tell(&v);
        ok = pack_rig_entries(&in, &got, &read, &arena, &err);
    }
    jw_pack_close(&in);
    jw_arena_free(&arena);
    return ok ? 0 : fail(&err);
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "make") == 0)
        return make(argv[2], argv[3]);
    if (argc >= 4 && strcmp(argv[1], "check") == 0)
        return check(argv[2], argv[3]);
    (void)fprintf(stderr, "usage: pack_play make FILE [SECRET] | check FILE PUBLIC [SIGNATURE]\n");
    return 2;
}
