/* A key that is read is the same when it is written and read again. */
#include "base/secret.h"
#include "fuzz.h"
#include "pack/format/minisign.h"

static bool same(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n) == 0;
}

static void check_public(struct jw_bytes file)
{
    struct jw_minisign_public key, again;
    struct jw_buf out = JW_BUF(4096);
    struct jw_err err = { 0 };
    bool ok = jw_minisign_public_read(file, &key, &err);

    fuzz_error(ok, &err);
    if (ok) {
        jw_minisign_public_put(&out, &key);
        FUZZ_CHECK(jw_minisign_public_read(jw_buf_bytes(&out), &again, &err));
        FUZZ_CHECK(same(&key, &again, sizeof key));
    }
    ok = jw_minisign_public_line(file, &key, &err);
    fuzz_error(ok, &err);
    jw_buf_free(&out);
}

static void check_again(const struct jw_minisign_secret *key, const struct jw_minisign_lock *lock)
{
    struct jw_minisign_secret_text text;
    struct jw_minisign_box box;
    struct jw_minisign_secret again;
    struct jw_err err = { 0 };

    FUZZ_CHECK(jw_minisign_secret_write(&text, key, lock, NULL, &err));
    FUZZ_CHECK(jw_minisign_secret_read((struct jw_bytes){ (const uint8_t *)text.p, text.n }, &box, &err));
    FUZZ_CHECK(box.locked == (lock != NULL));
    FUZZ_CHECK(jw_minisign_secret_open(&box, JW_BYTES("pw"), &again, &err));
    FUZZ_CHECK(same(key, &again, sizeof again));
}

static void check_secret(struct jw_bytes file)
{
    struct jw_minisign_lock lock = { .passphrase = JW_BYTES("pw") };
    struct jw_minisign_box box;
    struct jw_minisign_secret key;
    struct jw_err err = { 0 };
    bool ok = jw_minisign_secret_read(file, &box, &err);

    fuzz_error(ok, &err);
    if (!ok)
        return;
    FUZZ_CHECK(!box.locked || (box.how.work <= JW_MAX_SCRYPT_WORK && box.how.memory <= JW_MAX_SCRYPT_MEMORY));
    if (box.locked && (box.how.work > 32768 || box.how.memory > 32768))
        return;
    ok = jw_minisign_secret_open(&box, lock.passphrase, &key, &err);
    fuzz_error(ok, &err);
    if (!ok)
        return;
    lock.how = box.how;
    check_again(&key, box.locked ? &lock : NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes file = { data, size };

    check_public(file);
    check_secret(file);
    return 0;
}
