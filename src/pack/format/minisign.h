/* minisign's files as bytes: keys and signatures, read strictly and written as minisign 0.11 writes
 * them. Lines end in LF; CRLF is read, too. A comment is any bytes but NUL, CR, LF: clean it before
 * showing it.
 *
 *   public key   untrusted comment: TEXT
 *                base64 of  "Ed"  8 id  32 key
 *   secret key   untrusted comment: TEXT
 *                base64 of  "Ed"  2 kdf  "B2"  32 salt  u64 work  u64 memory
 *                           (8 id  64 key  32 checksum) ^ stream
 *     kdf "Sc": the stream is scrypt's of the passphrase; two zeros: there is none, and then the
 *     checksum may be zeros. The checksum is BLAKE2b-256 of "Ed", id and key.
 *   signature    untrusted comment: TEXT
 *                base64 of  "ED"  8 id  64 signature of the message's BLAKE2b-512
 *                trusted comment: TEXT
 *                base64 of  64 signature of the first signature's 64 bytes and the trusted comment
 *     "Ed", of the message itself (minisign before 0.10, -l), is refused. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "jitwarm/err.h"

/* Ed25519 is libsodium's: a secret key is the seed followed by its public key. */
enum {
    JW_MINISIGN_ID = 8,
    JW_MINISIGN_INNER = JW_MINISIGN_ID + crypto_sign_SECRETKEYBYTES + JW_DIGEST
};

/* An id is shown as minisign shows it: the little-endian number in 16 capital hex digits, and a
 * NUL. (Up to 0.11 it leaves leading zeros out.) */
void jw_minisign_show_id(char out[17], const uint8_t id[JW_MINISIGN_ID]);

/* ---- public keys ---- */

struct jw_minisign_public {
    uint8_t id[JW_MINISIGN_ID];
    uint8_t key[crypto_sign_PUBLICKEYBYTES];
};

bool jw_minisign_public_read(struct jw_bytes file, struct jw_minisign_public *out,
                             struct jw_err *err) JW_MUST;

/* The line of base64 alone, as `minisign -P` takes it. False: it is none. */
bool jw_minisign_public_line(struct jw_bytes line, struct jw_minisign_public *out) JW_MUST;

void jw_minisign_public_put(struct jw_buf *out, const struct jw_minisign_public *key);

/* The line of a public key. */
enum { JW_MINISIGN_LINE = 56 };
void jw_minisign_show_public(char out[JW_MINISIGN_LINE + 1], const struct jw_minisign_public *key);

/* ---- a passphrase made into key bytes, slowly: scrypt, at the cost that minisign states ---- */

struct jw_scrypt {
    uint8_t salt[crypto_pwhash_scryptsalsa208sha256_SALTBYTES];
    uint64_t work, memory; /* libsodium's opslimit and memlimit */
};

/* A fresh salt, and the cost that libsodium calls sensitive: 1 GiB and a few seconds. */
bool jw_scrypt_new(struct jw_scrypt *out, struct jw_err *err) JW_MUST;

/* ---- secret keys: the owner of one of these structs wipes it (sodium_memzero) ---- */

struct jw_minisign_secret {
    uint8_t id[JW_MINISIGN_ID];
    uint8_t key[crypto_sign_SECRETKEYBYTES];
};

/* The content of a secret key file. If no passphrase locks it, it is a secret, too. */
struct jw_minisign_encrypted {
    bool locked; /* by a passphrase */
    struct jw_scrypt how;
    uint8_t inner[JW_MINISIGN_INNER];
};

struct jw_minisign_lock {
    struct jw_bytes passphrase;
    struct jw_scrypt how; /* as jw_scrypt_new fills it */
};

/* A whole file: in one place, so that no copy of a growing buffer is left behind. */
enum { JW_MINISIGN_SECRET_TEXT = 1280 };
struct jw_minisign_secret_text {
    char p[JW_MINISIGN_SECRET_TEXT];
    size_t n;
};

bool jw_minisign_make(struct jw_minisign_secret *out, struct jw_err *err) JW_MUST;
struct jw_minisign_public jw_minisign_public_of(const struct jw_minisign_secret *key);

bool jw_minisign_secret_read(struct jw_bytes file, struct jw_minisign_encrypted *out,
                             struct jw_err *err) JW_MUST;

/* JW_E_USAGE: the passphrase is wrong, or the file is damaged, which looks the same. A key that is
 * not locked needs none. When false, `out` is wiped. */
bool jw_minisign_secret_open(const struct jw_minisign_encrypted *encrypted,
                             struct jw_bytes passphrase, struct jw_minisign_secret *out,
                             struct jw_err *err) JW_MUST;

/* `lock` NULL: without a passphrase, as `minisign -W`. When false, `out` is wiped. */
bool jw_minisign_secret_write(struct jw_minisign_secret_text *out,
                              const struct jw_minisign_secret *key,
                              const struct jw_minisign_lock *lock, struct jw_err *err) JW_MUST;

/* ---- signatures ---- */

struct jw_minisign_sig {
    uint8_t id[JW_MINISIGN_ID];
    uint8_t signature[crypto_sign_BYTES], global[crypto_sign_BYTES];
    struct jw_bytes trusted; /* the trusted comment, borrowed; to be trusted once it is verified */
};

bool jw_minisign_sig_read(struct jw_bytes text, struct jw_minisign_sig *out,
                          struct jw_err *err) JW_MUST;

/* Checks a signature that was read, of a message by its digest (jw_digest512_*). */
bool jw_minisign_verify(const struct jw_minisign_sig *sig, const struct jw_minisign_public *key,
                        const uint8_t digest[JW_DIGEST512], struct jw_err *err) JW_MUST;

/* Appends a signature's text. `trusted` is one line. */
bool jw_minisign_sign(struct jw_buf *out, const struct jw_minisign_secret *key,
                      const uint8_t digest[JW_DIGEST512], const char *trusted,
                      struct jw_err *err) JW_MUST;
