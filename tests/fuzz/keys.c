#include "pack/keys/keys.h"
#include "../rigs/digest512.h"
#include "fuzz.h"
#include "pack/format/minisign.h"

/* ---- minisign_key ---- */

/* A key that is read is the equal when it is written and read again. */

static bool equal(const void *a, const void *b, size_t n) { return memcmp(a, b, n) == 0; }

static void check_public(struct jw_bytes file)
{
    struct jw_minisign_public key, again;
    FREED(jw_buf) out = JW_BUF(4096);
    struct jw_err err = {0};
    bool ok = jw_minisign_public_read(file, &key, &err);

    fuzz_error(ok, &err);
    if (ok) {
        jw_minisign_public_put(&out, &key);
        FUZZ_CHECK(jw_minisign_public_read(jw_buf_bytes(&out), &again, &err));
        FUZZ_CHECK(equal(&key, &again, sizeof key));
    }
    (void)!jw_minisign_public_line(file, &key);
}

static void check_again(const struct jw_minisign_secret *key, const struct jw_minisign_lock *lock)
{
    struct jw_minisign_secret_text text;
    struct jw_minisign_encrypted encrypted;
    struct jw_minisign_secret again;
    struct jw_err err = {0};

    FUZZ_CHECK(jw_minisign_secret_write(&text, key, lock, &err));
    FUZZ_CHECK(jw_minisign_secret_read((struct jw_bytes){(const uint8_t *)text.p, text.n},
                                       &encrypted, &err));
    FUZZ_CHECK(encrypted.locked == (lock != NULL));
    FUZZ_CHECK(jw_minisign_secret_open(&encrypted, JW_BYTES("pw"), &again, &err));
    FUZZ_CHECK(equal(key, &again, sizeof again));
}

static void check_secret(struct jw_bytes file)
{
    struct jw_minisign_lock lock = {.passphrase = JW_BYTES("pw")};
    struct jw_minisign_encrypted encrypted;
    struct jw_minisign_secret key;
    struct jw_err err = {0};
    bool ok = jw_minisign_secret_read(file, &encrypted, &err);

    fuzz_error(ok, &err);
    if (!ok)
        return;
    FUZZ_CHECK(!encrypted.locked
               || (encrypted.how.work <= JW_MAX_SCRYPT_WORK
                   && encrypted.how.memory <= JW_MAX_SCRYPT_MEMORY));
    if (encrypted.locked && (encrypted.how.work > 32768 || encrypted.how.memory > 32768))
        return;
    ok = jw_minisign_secret_open(&encrypted, lock.passphrase, &key, &err);
    fuzz_error(ok, &err);
    if (!ok)
        return;
    lock.how = encrypted.how;
    check_again(&key, encrypted.locked ? &lock : NULL);
}

FUZZ(minisign_key)
{
    struct jw_bytes file = {data, size};

    check_public(file);
    check_secret(file);
}

/* ---- minisign_sig ---- */

/* Of a key and a signed_text: no text verifies but what minisign wrote, in whatever untrusted words
 * and line ends. */

static const char signed_text[] = "hello\n";

static void check_verified(const struct jw_minisign_sig *sig)
{
    static const char want[] = "timestamp:1795181673\tfile:f\thashed";

    FUZZ_CHECK(sig->trusted.n == strlen(want) && memcmp(sig->trusted.p, want, sig->trusted.n) == 0);
}

FUZZ(minisign_sig)
{
    struct jw_bytes line = JW_BYTES("RWS3ctVkGJ8aef4AKxEdId8yF6J3tw6ob6LhuXvP2QeWuUaM9o53WlR8");
    struct jw_minisign_public key;
    struct jw_minisign_sig sig;
    uint8_t digest[JW_DIGEST512];
    struct jw_err err = {0};
    bool ok;

    FUZZ_CHECK(jw_minisign_public_line(line, &key));
    ok = jw_minisign_sig_read((struct jw_bytes){data, size}, &sig, &err);
    fuzz_error(ok, &err);
    if (!ok)
        return;
    digest512(digest, signed_text, strlen(signed_text));
    ok = jw_minisign_verify(&sig, &key, digest, &err);
    fuzz_error(ok, &err);
    if (ok)
        check_verified(&sig);
}
