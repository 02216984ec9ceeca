#include "pack/format/minisign.h"

#include "base/base64.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

/* Whether the public half matches the seed. Signing with a mismatched key would reveal the seed. */
static bool is_whole_key(const uint8_t secret[crypto_sign_SECRETKEYBYTES])
{
    uint8_t public[crypto_sign_PUBLICKEYBYTES], again[crypto_sign_SECRETKEYBYTES];

    (void)crypto_sign_seed_keypair(public, again, secret);
    sodium_memzero(again, sizeof again);
    return memcmp(public, secret + crypto_sign_SEEDBYTES, sizeof public) == 0;
}

/* ---- scrypt ---- */

_Static_assert(JW_MAX_SCRYPT_WORK == crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE
                   && JW_MAX_SCRYPT_MEMORY == crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE,
               "what is written can be read");

static bool put_random(void *p, size_t n, struct jw_err *err)
{
    if (sodium_init() < 0)
        return jw_fail(err, JW_E_IO, "libsodium could not be made ready to give random bytes");
    randombytes_buf(p, n);
    return true;
}

bool jw_scrypt_new(struct jw_scrypt *out, struct jw_err *err)
{
    out->work = crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE;
    out->memory = crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE;
    return put_random(out->salt, sizeof out->salt, err);
}

/* The lines that minisign's files are made of: comments behind a prefix, base64 of a known
 * length. */

#define UNTRUSTED "untrusted comment: "
#define TRUSTED "trusted comment: "

struct lines {
    struct jw_bytes left;
    unsigned line; /* the last one taken */
};

/* Takes what is before the line's end, which may be CRLF. `max` bounds the search, too. */
static bool take_line(struct lines *in, size_t max, struct jw_bytes *out, struct jw_err *err)
{
    size_t room = max + 2;
    size_t seen = in->left.n < room ? in->left.n : room;
    const uint8_t *end = seen ? memchr(in->left.p, '\n', seen) : NULL;
    size_t n;

    in->line++;
    if (!end && seen < room)
        return jw_fail(err, JW_E_FORMAT, "line %u is cut off", in->line);
    n = end ? (size_t)(end - in->left.p) : 0;
    *out = (struct jw_bytes){in->left.p, n && in->left.p[n - 1] == '\r' ? n - 1 : n};
    if (!end || out->n > max)
        return jw_fail(err, JW_E_FORMAT, "line %u is longer than %zu characters", in->line, max);
    in->left.p = end + 1;
    in->left.n -= n + 1;
    return true;
}

/* The text behind `prefix` in the next line: borrowed, at most `max` bytes. */
static bool take_comment(struct lines *in, const char *prefix, size_t max, struct jw_bytes *out,
                         struct jw_err *err)
{
    size_t skip = strlen(prefix);
    struct jw_bytes line;

    if (!take_line(in, skip + max, &line, err))
        return false;
    if (!jw_starts(line, prefix))
        return jw_fail(err, JW_E_FORMAT, "line %u does not begin with \"%s\"", in->line, prefix);
    if (memchr(line.p, '\0', line.n) || memchr(line.p, '\r', line.n))
        return jw_fail(err, JW_E_FORMAT, "line %u holds a NUL or a carriage return", in->line);
    *out = (struct jw_bytes){line.p + skip, line.n - skip};
    return true;
}

static bool take_base64(struct lines *in, uint8_t *out, size_t n, struct jw_err *err)
{
    struct jw_bytes line;

    return take_line(in, JW_BASE64(n), &line, err)
           && (jw_base64_get(out, n, line)
               || jw_fail(err, JW_E_FORMAT, "line %u is not the base64 of %zu bytes", in->line, n));
}

static bool take_end(const struct lines *in, struct jw_err *err)
{
    return !in->left.n
           || jw_fail(err, JW_E_FORMAT, "something follows line %u, the last one", in->line);
}

/* ---- keys ---- */

#define SECRET_COMMENT "minisign encrypted secret key" /* minisign's, with -W, too */

/* Their structs have the bytes of a file behind its "Ed", in its order. */
enum {
    PUBLIC_BYTES = 2 + sizeof(struct jw_minisign_public),
    KDF_AT = 2,
    CHECKSUM_KIND_AT = 4,
    SALT_AT = 6,
    WORK_AT = SALT_AT + crypto_pwhash_scryptsalsa208sha256_SALTBYTES,
    MEMORY_AT = WORK_AT + 8,
    INNER_AT = MEMORY_AT + 8,
    SECRET_BYTES = INNER_AT + JW_MINISIGN_INNER,
    CHECKSUM_AT = sizeof(struct jw_minisign_secret) /* in the part that is locked */
};

_Static_assert(sizeof UNTRUSTED + JW_MAX_MINISIGN_COMMENT + 1 + JW_BASE64(SECRET_BYTES) + 1
                   <= JW_MINISIGN_SECRET_TEXT,
               "room for the longest file");

void jw_minisign_show_id(char out[17], const uint8_t id[JW_MINISIGN_ID])
{
    (void)snprintf(out, 17, "%016" PRIX64, jw_le64(id));
}

/* ---- public keys ---- */

static bool public_from(const uint8_t bytes[PUBLIC_BYTES], struct jw_minisign_public *out,
                        struct jw_err *err)
{
    if (memcmp(bytes, "Ed", 2) != 0)
        return jw_fail(err, JW_E_FORMAT, "it is a key of another kind than Ed25519");
    memcpy(out, bytes + 2, sizeof *out);
    return true;
}

bool jw_minisign_public_read(struct jw_bytes file, struct jw_minisign_public *out,
                             struct jw_err *err)
{
    struct lines in = {.left = file};
    struct jw_bytes comment;
    uint8_t bytes[PUBLIC_BYTES];

    return (take_comment(&in, UNTRUSTED, JW_MAX_MINISIGN_COMMENT, &comment, err)
            && take_base64(&in, bytes, sizeof bytes, err) && take_end(&in, err)
            && public_from(bytes, out, err))
           || jw_wrap(err, "minisign public key");
}

bool jw_minisign_public_line(struct jw_bytes line, struct jw_minisign_public *out)
{
    uint8_t bytes[PUBLIC_BYTES];

    return jw_base64_get(bytes, sizeof bytes, line) && public_from(bytes, out, JW_IGNORED);
}

void jw_minisign_show_public(char out[JW_MINISIGN_LINE + 1], const struct jw_minisign_public *key)
{
    uint8_t bytes[PUBLIC_BYTES] = "Ed";

    memcpy(bytes + 2, key, sizeof *key);
    jw_base64_put(out, bytes, sizeof bytes);
}

_Static_assert(JW_MINISIGN_LINE == JW_BASE64(PUBLIC_BYTES), "a public key is one line");

void jw_minisign_public_put(struct jw_buf *out, const struct jw_minisign_public *key)
{
    char line[JW_MINISIGN_LINE + 1], id[17];

    jw_minisign_show_public(line, key);
    jw_minisign_show_id(id, key->id);
    jw_buf_printf(out, UNTRUSTED "minisign public key %s\n%s\n", id, line);
}

/* ---- secret keys ---- */

bool jw_minisign_make(struct jw_minisign_secret *out, struct jw_err *err)
{
    uint8_t public[crypto_sign_PUBLICKEYBYTES];

    if (!put_random(out->id, sizeof out->id, err))
        return false;
    (void)crypto_sign_keypair(public, out->key);
    return true;
}

struct jw_minisign_public jw_minisign_public_of(const struct jw_minisign_secret *key)
{
    struct jw_minisign_public out;

    memcpy(out.id, key->id, sizeof out.id);
    memcpy(out.key, key->key + crypto_sign_SEEDBYTES, sizeof out.key);
    return out;
}

static bool encrypted_from(const uint8_t bytes[SECRET_BYTES], struct jw_minisign_encrypted *out,
                           struct jw_err *err)
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
    if (out->locked
        && (out->how.work > JW_MAX_SCRYPT_WORK || out->how.memory > JW_MAX_SCRYPT_MEMORY))
        return jw_fail(err, JW_E_LIMIT, "its scrypt costs more than that of minisign's keys");
    memcpy(out->inner, bytes + INNER_AT, sizeof out->inner);
    return true;
}

bool jw_minisign_secret_read(struct jw_bytes file, struct jw_minisign_encrypted *out,
                             struct jw_err *err)
{
    struct lines in = {.left = file};
    struct jw_bytes comment;
    uint8_t bytes[SECRET_BYTES];
    bool ok = take_comment(&in, UNTRUSTED, JW_MAX_MINISIGN_COMMENT, &comment, err)
              && take_base64(&in, bytes, sizeof bytes, err) && take_end(&in, err)
              && encrypted_from(bytes, out, err);

    sodium_memzero(bytes, sizeof bytes);
    if (!ok)
        sodium_memzero(out, sizeof *out);
    return ok || jw_wrap(err, "minisign secret key");
}

static void checksum(uint8_t out[JW_DIGEST], const uint8_t inner[JW_MINISIGN_INNER])
{
    struct jw_digest_state s;

    jw_digest_init(&s);
    jw_digest_update(&s, "Ed", 2);
    jw_digest_update(&s, inner, CHECKSUM_AT);
    jw_digest_final(&s, out);
    sodium_memzero(&s, sizeof s);
}

/* Locks and unlocks. False: there is not so much memory. */
static bool apply_stream(uint8_t inner[JW_MINISIGN_INNER], const struct jw_scrypt *how,
                         struct jw_bytes passphrase, struct jw_err *err)
{
    uint8_t stream[JW_MINISIGN_INNER];
    const char *text = passphrase.n ? (const char *)passphrase.p : "";
    int chosen = sodium_init(); /* It only chooses the fastest code: a failure costs time. */
    bool ok = crypto_pwhash_scryptsalsa208sha256(stream, sizeof stream, text, passphrase.n,
                                                 how->salt, how->work, (size_t)how->memory)
                  == 0
              || jw_fail(err, JW_E_LIMIT, "scrypt did not get the memory that it needs (%llu MiB)",
                         (unsigned long long)(how->memory >> 20));

    (void)chosen;
    for (size_t i = 0; ok && i < sizeof stream; i++)
        inner[i] ^= stream[i];
    sodium_memzero(stream, sizeof stream);
    return ok;
}

static bool check_inner(const uint8_t inner[JW_MINISIGN_INNER], bool locked, struct jw_err *err)
{
    static const uint8_t none[JW_DIGEST];
    uint8_t want[JW_DIGEST];
    bool same;

    checksum(want, inner);
    same = sodium_memcmp(want, inner + CHECKSUM_AT, sizeof want) == 0;
    sodium_memzero(want, sizeof want);
    if (!same && locked)
        return jw_fail(err, JW_E_USAGE, "the passphrase does not open it");
    /* minisign -G -W writes this. A key whose passphrase was taken away has its checksum. */
    if (!same && sodium_memcmp(none, inner + CHECKSUM_AT, sizeof none) != 0)
        return jw_fail(err, JW_E_FORMAT, "its checksum does not fit");
    return is_whole_key(inner + JW_MINISIGN_ID)
           || jw_fail(err, JW_E_FORMAT, "its public half is not that of its secret half");
}

bool jw_minisign_secret_open(const struct jw_minisign_encrypted *encrypted,
                             struct jw_bytes passphrase, struct jw_minisign_secret *out,
                             struct jw_err *err)
{
    uint8_t inner[JW_MINISIGN_INNER];
    bool ok;

    memcpy(inner, encrypted->inner, sizeof inner);
    ok = (!encrypted->locked || apply_stream(inner, &encrypted->how, passphrase, err))
         && check_inner(inner, encrypted->locked, err);
    if (ok)
        memcpy(out, inner, sizeof *out);
    else
        sodium_memzero(out, sizeof *out);
    sodium_memzero(inner, sizeof inner);
    return ok || jw_wrap(err, "minisign secret key");
}

static bool secret_bytes(uint8_t out[SECRET_BYTES], const struct jw_minisign_secret *key,
                         const struct jw_minisign_lock *lock, struct jw_err *err)
{
    uint8_t *inner = out + INNER_AT;

    memset(out, 0, SECRET_BYTES);
    memcpy(out, "Ed", 2);
    memcpy(out + CHECKSUM_KIND_AT, "B2", 2);
    memcpy(inner, key, sizeof *key);
    if (!lock)
        return true;
    memcpy(out + KDF_AT, "Sc", 2);
    memcpy(out + SALT_AT, lock->how.salt, sizeof lock->how.salt);
    jw_put64(out + WORK_AT, lock->how.work);
    jw_put64(out + MEMORY_AT, lock->how.memory);
    checksum(inner + CHECKSUM_AT, inner);
    return apply_stream(inner, &lock->how, lock->passphrase, err);
}

bool jw_minisign_secret_write(struct jw_minisign_secret_text *out,
                              const struct jw_minisign_secret *key,
                              const struct jw_minisign_lock *lock, struct jw_err *err)
{
    uint8_t bytes[SECRET_BYTES];
    char line[JW_BASE64(SECRET_BYTES) + 1];
    bool ok = secret_bytes(bytes, key, lock, err);

    sodium_memzero(out, sizeof *out);
    if (ok) {
        jw_base64_put(line, bytes, sizeof bytes);
        out->n = (size_t)snprintf(out->p, sizeof out->p, UNTRUSTED SECRET_COMMENT "\n%s\n", line);
    }
    sodium_memzero(bytes, sizeof bytes);
    sodium_memzero(line, sizeof line);
    return ok || jw_wrap(err, "minisign secret key");
}

/* ---- signatures ---- */

#define SIGNATURE_COMMENT "signature from minisign secret key" /* minisign's */

enum { SIGNATURE_BYTES = 2 + JW_MINISIGN_ID + crypto_sign_BYTES };

static bool sig_from(const uint8_t bytes[SIGNATURE_BYTES], struct jw_minisign_sig *out,
                     struct jw_err *err)
{
    if (memcmp(bytes, "Ed", 2) == 0)
        return jw_fail(err, JW_E_FORMAT, "it is of the older kind (Ed): sign with minisign -H");
    if (memcmp(bytes, "ED", 2) != 0)
        return jw_fail(err, JW_E_FORMAT, "it is of another kind than Ed25519");
    memcpy(out->id, bytes + 2, sizeof out->id);
    memcpy(out->signature, bytes + 2 + JW_MINISIGN_ID, sizeof out->signature);
    return true;
}

bool jw_minisign_sig_read(struct jw_bytes text, struct jw_minisign_sig *out, struct jw_err *err)
{
    struct lines in = {.left = text};
    struct jw_bytes untrusted;
    uint8_t bytes[SIGNATURE_BYTES];

    return (take_comment(&in, UNTRUSTED, JW_MAX_MINISIGN_COMMENT, &untrusted, err)
            && take_base64(&in, bytes, sizeof bytes, err)
            && take_comment(&in, TRUSTED, JW_MAX_MINISIGN_TRUSTED, &out->trusted, err)
            && take_base64(&in, out->global, sizeof out->global, err) && take_end(&in, err)
            && sig_from(bytes, out, err))
           || jw_wrap(err, "minisign signature");
}

/* Puts together what the global signature is over. Returns how many bytes. */
static size_t seal(uint8_t out[crypto_sign_BYTES + JW_MAX_MINISIGN_TRUSTED],
                   const struct jw_minisign_sig *sig)
{
    memcpy(out, sig->signature, crypto_sign_BYTES);
    if (sig->trusted.n)
        memcpy(out + crypto_sign_BYTES, sig->trusted.p, sig->trusted.n);
    return crypto_sign_BYTES + sig->trusted.n;
}

bool jw_minisign_verify(const struct jw_minisign_sig *sig, const struct jw_minisign_public *key,
                        const uint8_t digest[JW_DIGEST512], struct jw_err *err)
{
    uint8_t sealed[crypto_sign_BYTES + JW_MAX_MINISIGN_TRUSTED];

    if (memcmp(sig->id, key->id, sizeof sig->id) != 0
        || crypto_sign_verify_detached(sig->signature, digest, JW_DIGEST512, key->key) != 0)
        return jw_fail(err, JW_E_FORMAT,
                       "minisign signature: it is not a signature of this content by this key");
    return crypto_sign_verify_detached(sig->global, sealed, seal(sealed, sig), key->key) == 0
           || jw_fail(err, JW_E_FORMAT,
                      "minisign signature: its trusted comment is not the one that was signed");
}

static void put_sig(struct jw_buf *out, const struct jw_minisign_sig *sig)
{
    uint8_t bytes[SIGNATURE_BYTES] = "ED";
    char line[JW_BASE64(SIGNATURE_BYTES) + 1];

    memcpy(bytes + 2, sig->id, sizeof sig->id);
    memcpy(bytes + 2 + JW_MINISIGN_ID, sig->signature, sizeof sig->signature);
    jw_base64_put(line, bytes, sizeof bytes);
    jw_buf_printf(out, UNTRUSTED SIGNATURE_COMMENT "\n%s\n" TRUSTED, line);
    jw_buf_add(out, sig->trusted.p, sig->trusted.n);
    jw_base64_put(line, sig->global, sizeof sig->global);
    jw_buf_printf(out, "\n%s\n", line);
}

bool jw_minisign_sign(struct jw_buf *out, const struct jw_minisign_secret *key,
                      const uint8_t digest[JW_DIGEST512], const char *trusted, struct jw_err *err)
{
    struct jw_minisign_sig sig = {.trusted = {(const uint8_t *)trusted, strlen(trusted)}};
    uint8_t sealed[crypto_sign_BYTES + JW_MAX_MINISIGN_TRUSTED];

    if (sig.trusted.n > JW_MAX_MINISIGN_TRUSTED)
        return jw_fail(err, JW_E_LIMIT, "minisign signature: a comment of %zu bytes is too long",
                       sig.trusted.n);
    memcpy(sig.id, key->id, sizeof sig.id);
    (void)crypto_sign_detached(sig.signature, NULL, digest, JW_DIGEST512, key->key);
    (void)crypto_sign_detached(sig.global, NULL, sealed, seal(sealed, &sig), key->key);
    put_sig(out, &sig);
    return jw_buf_ok(out, err) || jw_wrap(err, "minisign signature");
}
