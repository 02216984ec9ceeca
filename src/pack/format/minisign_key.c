#include "base/secret.h"
#include "pack/format/minisign.h"
#include "pack/format/minisign_text.h"

#include <inttypes.h>
#include <stdio.h>

#define SECRET_COMMENT "minisign encrypted secret key" /* minisign's, with -W, too */

enum {
    PUBLIC_BYTES = 2 + JW_MINISIGN_ID + JW_ED25519_PUBLIC,
    KDF_AT = 2,
    CHECKSUM_KIND_AT = 4,
    SALT_AT = 6,
    WORK_AT = SALT_AT + JW_SCRYPT_SALT,
    MEMORY_AT = WORK_AT + 8,
    INNER_AT = MEMORY_AT + 8,
    SECRET_BYTES = INNER_AT + JW_MINISIGN_INNER,
    CHECKSUM_AT = JW_MINISIGN_ID + JW_ED25519_SECRET /* in what is inside */
};

_Static_assert(sizeof JW_MINISIGN_UNTRUSTED + JW_MAX_MINISIGN_COMMENT + 1 + JW_BASE64(SECRET_BYTES) + 1
                   <= JW_MINISIGN_SECRET_TEXT,
               "room for the longest file");

void jw_minisign_show_id(char out[17], const uint8_t id[JW_MINISIGN_ID])
{
    (void)snprintf(out, 17, "%016" PRIX64, jw_le64(id));
}

/* ---- public keys ---- */

static bool public_from(const uint8_t bytes[PUBLIC_BYTES], struct jw_minisign_public *out, struct jw_err *err)
{
    if (memcmp(bytes, "Ed", 2) != 0)
        return jw_fail(err, JW_E_FORMAT, "it is a key of another kind than Ed25519");
    memcpy(out->id, bytes + 2, sizeof out->id);
    memcpy(out->key, bytes + 2 + JW_MINISIGN_ID, sizeof out->key);
    return true;
}

bool jw_minisign_public_read(struct jw_bytes file, struct jw_minisign_public *out, struct jw_err *err)
{
    struct jw_minisign_lines in = { .left = file };
    struct jw_bytes comment;
    uint8_t bytes[PUBLIC_BYTES];

    return (jw_minisign_take_comment(&in, JW_MINISIGN_UNTRUSTED, JW_MAX_MINISIGN_COMMENT, &comment, err)
            && jw_minisign_take_base64(&in, bytes, sizeof bytes, err) && jw_minisign_take_end(&in, err)
            && public_from(bytes, out, err))
           || jw_wrap(err, "minisign public key");
}

bool jw_minisign_public_line(struct jw_bytes line, struct jw_minisign_public *out, struct jw_err *err)
{
    uint8_t bytes[PUBLIC_BYTES];

    if (!jw_base64_get(bytes, sizeof bytes, line))
        return jw_fail(err, JW_E_FORMAT, "minisign public key: it is not %zu characters of base64",
                       JW_BASE64(PUBLIC_BYTES));
    return public_from(bytes, out, err) || jw_wrap(err, "minisign public key");
}

void jw_minisign_public_put(struct jw_buf *out, const struct jw_minisign_public *key)
{
    uint8_t bytes[PUBLIC_BYTES] = "Ed";
    char line[JW_BASE64(PUBLIC_BYTES) + 1], id[17];

    memcpy(bytes + 2, key->id, sizeof key->id);
    memcpy(bytes + 2 + JW_MINISIGN_ID, key->key, sizeof key->key);
    jw_base64_put(line, bytes, sizeof bytes);
    jw_minisign_show_id(id, key->id);
    jw_buf_printf(out, JW_MINISIGN_UNTRUSTED "minisign public key %s\n%s\n", id, line);
}

/* ---- secret keys ---- */

bool jw_minisign_make(struct jw_minisign_secret *out, struct jw_err *err)
{
    uint8_t seed[JW_ED25519_SEED];
    bool ok = jw_secret_random(out->id, sizeof out->id, err) && jw_secret_random(seed, sizeof seed, err);

    if (ok)
        jw_ed25519_from_seed(out->key, seed);
    jw_secret_wipe(seed, sizeof seed);
    return ok;
}

struct jw_minisign_public jw_minisign_public_of(const struct jw_minisign_secret *key)
{
    struct jw_minisign_public out;

    memcpy(out.id, key->id, sizeof out.id);
    memcpy(out.key, key->key + JW_ED25519_SEED, sizeof out.key);
    return out;
}

static bool box_from(const uint8_t bytes[SECRET_BYTES], struct jw_minisign_box *out, struct jw_err *err)
{
    static const uint8_t none[2];

    if (memcmp(bytes, "Ed", 2) != 0)
        return jw_fail(err, JW_E_FORMAT, "it is a key of another kind than Ed25519");
    out->locked = memcmp(bytes + KDF_AT, "Sc", 2) == 0;
    if (!out->locked && memcmp(bytes + KDF_AT, none, 2) != 0)
        return jw_fail(err, JW_E_FORMAT, "its passphrase goes through something else than scrypt");
    if (memcmp(bytes + CHECKSUM_KIND_AT, "B2", 2) != 0)
        return jw_fail(err, JW_E_FORMAT, "its checksum is another than BLAKE2b");
    memcpy(out->how.salt, bytes + SALT_AT, sizeof out->how.salt);
    out->how.work = jw_le64(bytes + WORK_AT);
    out->how.memory = jw_le64(bytes + MEMORY_AT);
    if (out->locked && (out->how.work > JW_MAX_SCRYPT_WORK || out->how.memory > JW_MAX_SCRYPT_MEMORY))
        return jw_fail(err, JW_E_LIMIT, "its scrypt costs more than that of minisign's keys");
    memcpy(out->inner, bytes + INNER_AT, sizeof out->inner);
    return true;
}

bool jw_minisign_secret_read(struct jw_bytes file, struct jw_minisign_box *out, struct jw_err *err)
{
    struct jw_minisign_lines in = { .left = file };
    struct jw_bytes comment;
    uint8_t bytes[SECRET_BYTES];
    bool ok = jw_minisign_take_comment(&in, JW_MINISIGN_UNTRUSTED, JW_MAX_MINISIGN_COMMENT, &comment, err)
              && jw_minisign_take_base64(&in, bytes, sizeof bytes, err) && jw_minisign_take_end(&in, err)
              && box_from(bytes, out, err);

    jw_secret_wipe(bytes, sizeof bytes);
    if (!ok)
        jw_secret_wipe(out, sizeof *out);
    return ok || jw_wrap(err, "minisign secret key");
}

static void checksum(uint8_t out[JW_DIGEST], const uint8_t inner[JW_MINISIGN_INNER])
{
    struct jw_digest_state s;

    jw_digest_init(&s);
    jw_digest_update(&s, "Ed", 2);
    jw_digest_update(&s, inner, CHECKSUM_AT);
    jw_digest_final(&s, out);
    jw_secret_wipe(&s, sizeof s);
}

/* Locks and unlocks. */
static bool apply_stream(uint8_t inner[JW_MINISIGN_INNER], const struct jw_scrypt *how,
                         struct jw_bytes passphrase, struct jw_err *err)
{
    uint8_t stream[JW_MINISIGN_INNER];
    bool ok = jw_scrypt_derive(stream, sizeof stream, how, passphrase, err);

    for (size_t i = 0; ok && i < sizeof stream; i++)
        inner[i] ^= stream[i];
    jw_secret_wipe(stream, sizeof stream);
    return ok;
}

static bool check_inner(const uint8_t inner[JW_MINISIGN_INNER], bool locked, struct jw_err *err)
{
    static const uint8_t none[JW_DIGEST];
    uint8_t want[JW_DIGEST];
    bool same;

    checksum(want, inner);
    same = jw_secret_same(want, inner + CHECKSUM_AT, sizeof want);
    jw_secret_wipe(want, sizeof want);
    if (!same && locked)
        return jw_fail(err, JW_E_USAGE, "the passphrase does not open it");
    /* What minisign -G -W writes. A key whose passphrase was taken away has its checksum. */
    if (!same && !jw_secret_same(none, inner + CHECKSUM_AT, sizeof none))
        return jw_fail(err, JW_E_FORMAT, "its checksum does not fit");
    return jw_ed25519_whole(inner + JW_MINISIGN_ID)
           || jw_fail(err, JW_E_FORMAT, "its public half is not that of its secret half");
}

bool jw_minisign_secret_open(const struct jw_minisign_box *box, struct jw_bytes passphrase,
                             struct jw_minisign_secret *out, struct jw_err *err)
{
    uint8_t inner[JW_MINISIGN_INNER];
    bool ok;

    memcpy(inner, box->inner, sizeof inner);
    ok = (!box->locked || apply_stream(inner, &box->how, passphrase, err))
         && check_inner(inner, box->locked, err);
    if (ok) {
        memcpy(out->id, inner, sizeof out->id);
        memcpy(out->key, inner + JW_MINISIGN_ID, sizeof out->key);
    } else {
        jw_secret_wipe(out, sizeof *out);
    }
    jw_secret_wipe(inner, sizeof inner);
    return ok || jw_wrap(err, "minisign secret key");
}

static bool secret_bytes(uint8_t out[SECRET_BYTES], const struct jw_minisign_secret *key,
                         const struct jw_minisign_lock *lock, struct jw_err *err)
{
    uint8_t *inner = out + INNER_AT;

    memset(out, 0, SECRET_BYTES);
    memcpy(out, "Ed", 2);
    memcpy(out + CHECKSUM_KIND_AT, "B2", 2);
    memcpy(inner, key->id, sizeof key->id);
    memcpy(inner + JW_MINISIGN_ID, key->key, sizeof key->key);
    if (!lock)
        return true;
    memcpy(out + KDF_AT, "Sc", 2);
    memcpy(out + SALT_AT, lock->how.salt, sizeof lock->how.salt);
    jw_put64(out + WORK_AT, lock->how.work);
    jw_put64(out + MEMORY_AT, lock->how.memory);
    checksum(inner + CHECKSUM_AT, inner);
    return apply_stream(inner, &lock->how, lock->passphrase, err);
}

bool jw_minisign_secret_write(struct jw_minisign_secret_text *out, const struct jw_minisign_secret *key,
                              const struct jw_minisign_lock *lock, const char *comment, struct jw_err *err)
{
    const char *said = comment ? comment : SECRET_COMMENT;
    uint8_t bytes[SECRET_BYTES];
    char line[JW_BASE64(SECRET_BYTES) + 1];
    bool ok =
        jw_minisign_check_comment(said, JW_MAX_MINISIGN_COMMENT, err) && secret_bytes(bytes, key, lock, err);

    jw_secret_wipe(out, sizeof *out);
    if (ok) {
        jw_base64_put(line, bytes, sizeof bytes);
        out->n = (size_t)snprintf(out->p, sizeof out->p, JW_MINISIGN_UNTRUSTED "%s\n%s\n", said, line);
    }
    jw_secret_wipe(bytes, sizeof bytes);
    jw_secret_wipe(line, sizeof line);
    return ok || jw_wrap(err, "minisign secret key");
}
