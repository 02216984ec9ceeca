#include "base/base64.h"
#include "base/limits.h"
#include "check.h"
#include "minisign_files.h"
#include "pack/format/minisign.h"
#include "rigs/digest512.h"

#include <stdlib.h>

/* Cheap enough to try often: the least work, in memory that stays in the cache of the processor. */
static const struct jw_scrypt quick = {.salt = {7}, .work = 32768, .memory = 1 << 16};

static struct jw_bytes bytes(const char *text)
{
    return (struct jw_bytes){(const uint8_t *)text, strlen(text)};
}

static struct jw_bytes text_bytes(const struct jw_minisign_secret_text *text)
{
    return (struct jw_bytes){(const uint8_t *)text->p, text->n};
}

static bool opens(struct jw_bytes file, const char *passphrase, struct jw_minisign_secret *out,
                  struct jw_err *err)
{
    struct jw_minisign_encrypted encrypted;

    return jw_minisign_secret_read(file, &encrypted, err)
           && jw_minisign_secret_open(&encrypted, bytes(passphrase), out, err);
}

static bool refuses(struct jw_bytes file, bool (*reads)(struct jw_bytes file, struct jw_err *err))
{
    struct jw_err err = {0};

    return !reads(file, &err) && err.code != JW_OK && err.msg[0];
}

static bool reads_public(struct jw_bytes file, struct jw_err *err)
{
    struct jw_minisign_public key;

    return jw_minisign_public_read(file, &key, err);
}

static bool opens_secret(struct jw_bytes file, struct jw_err *err)
{
    struct jw_minisign_secret key;

    return opens(file, "pw", &key, err);
}

static void crlf_of(struct jw_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            jw_buf_add(out, "\r", 1);
        jw_buf_add(out, text, 1);
    }
}

/* Each of them copied to memory of its own, so that a reader that goes too far is caught. */
static void check_cuts(const char *text, bool (*reads)(struct jw_bytes file, struct jw_err *err))
{
    size_t n = strlen(text);

    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *copy = malloc(cut ? cut : 1);

        memcpy(copy, text, cut);
        CHECK(refuses((struct jw_bytes){copy, cut}, reads));
        free(copy);
    }
}

TEST(a_public_key_is_read_and_written)
{
    struct jw_minisign_public key, again;
    FREED(jw_buf) out = JW_BUF(4096);
    char id[17];

    CHECK(jw_minisign_public_read(bytes(PUBLIC_KEY), &key, &err));
    jw_minisign_show_id(id, key.id);
    CHECK_TEXT(id, "791A9F1864D572B7");
    jw_minisign_public_put(&out, &key);
    CHECK_TEXT(jw_buf_cstr(&out), PUBLIC_KEY);
    CHECK(jw_minisign_public_line(
        JW_BYTES("RWS3ctVkGJ8aef4AKxEdId8yF6J3tw6ob6LhuXvP2QeWuUaM9o53WlR8"), &again));
    CHECK(memcmp(&key, &again, sizeof key) == 0);
    jw_buf_clear(&out);
    crlf_of(&out, PUBLIC_KEY);
    CHECK(jw_minisign_public_read(jw_buf_bytes(&out), &again, &err)
          && memcmp(&key, &again, sizeof key) == 0);
}

TEST(an_id_shows_its_leading_zeros)
{
    static const uint8_t id[JW_MINISIGN_ID] = {0xbc, 0x0a};
    char text[17];

    jw_minisign_show_id(text, id);
    CHECK_TEXT(text, "0000000000000ABC");
}

static void check_public_refusal(const char *file, const char *sentence)
{
    struct jw_minisign_public key;
    struct jw_err err = {0};

    CHECK_SAYS(jw_minisign_public_read(bytes(file), &key, &err), err, sentence);
}

TEST(a_public_key_that_is_not_whole_is_refused)
{
    static const char line[] = "RWS3ctVkGJ8aef4AKxEdId8yF6J3tw6ob6LhuXvP2QeWuUaM9o53WlR8";
    struct jw_minisign_public key;

    check_cuts(PUBLIC_KEY, reads_public);
    check_public_refusal("", "minisign public key: line 1 is cut off");
    check_public_refusal("comment: x\n",
                         "minisign public key: line 1 does not begin with \"untrusted comment: \"");
    check_public_refusal("untrusted comment: x\ry\nz\n",
                         "minisign public key: line 1 holds a NUL or a carriage return");
    check_public_refusal("untrusted comment: x\nRWS3\n",
                         "minisign public key: line 2 is not the base64 of 42 bytes");
    check_public_refusal(PUBLIC_KEY "\n",
                         "minisign public key: something follows line 2, the last one");
    check_public_refusal(
        "untrusted comment: x\nRUS3ctVkGJ8aef4AKxEdId8yF6J3tw6ob6LhuXvP2QeWuUaM9o53WlR8\n",
        "minisign public key: it is a key of another kind than Ed25519");
    CHECK(!jw_minisign_public_line((struct jw_bytes){(const uint8_t *)line, 55}, &key));
}

TEST(a_comment_may_be_so_long_and_no_longer)
{
    FREED(jw_buf) file = JW_BUF(1 << 20);

    for (size_t more = 0; more < 3; more++) {
        jw_buf_clear(&file);
        jw_buf_text(&file, "untrusted comment: ");
        jw_buf_fill(&file, 'x', JW_MAX_MINISIGN_COMMENT + more);
        jw_buf_text(&file, more == 2 ? "\n" : "\r\n");
        jw_buf_text(&file, strchr(PUBLIC_KEY, '\n') + 1);
        CHECK(reads_public(jw_buf_bytes(&file), &err) == (more == 0));
    }
    CHECK_TEXT(err.msg, "minisign public key: line 1 is longer than 1022 characters");
}

TEST(a_bare_key_is_read_and_written)
{
    struct jw_minisign_secret key;
    struct jw_minisign_public key_of, want;
    struct jw_minisign_secret_text out;

    CHECK(opens(bytes(BARE_KEY), "", &key, &err));
    key_of = jw_minisign_public_of(&key);
    CHECK(jw_minisign_public_read(bytes(PUBLIC_KEY), &want, &err)
          && memcmp(&key_of, &want, sizeof want) == 0);
    CHECK(jw_minisign_secret_write(&out, &key, NULL, &err));
    CHECK_TEXT(out.p, BARE_KEY);
    CHECK_NUM(out.n, strlen(BARE_KEY));
}

/* With the cost that minisign gives it, once: what locks it unlocks it, too. The rest goes the
 * cheap way. */
TEST(a_key_is_locked_as_minisign_does)
{
    struct jw_minisign_encrypted encrypted;
    struct jw_minisign_secret key;
    struct jw_minisign_secret_text out;
    struct jw_minisign_lock lock = {.passphrase = JW_BYTES("pw")};

    CHECK(jw_minisign_secret_read(bytes(LOCKED_KEY), &encrypted, &err) && encrypted.locked);
    CHECK(opens(bytes(UNLOCKED_KEY), "", &key, &err));
    lock.how = encrypted.how;
    if (!jw_minisign_secret_write(&out, &key, &lock, &err) && err.code == JW_E_LIMIT)
        SKIP("less memory than minisign's scrypt needs");
    CHECK_TEXT(out.p, LOCKED_KEY);
}

TEST(a_wrong_passphrase_has_its_own_sentence)
{
    static const struct jw_minisign_secret none;
    struct jw_minisign_secret key, again;
    struct jw_minisign_secret_text out;
    struct jw_minisign_lock lock = {.passphrase = JW_BYTES("right"), .how = quick};

    CHECK(jw_minisign_make(&key, &err) && jw_minisign_secret_write(&out, &key, &lock, &err));
    CHECK(jw_starts(text_bytes(&out), "untrusted comment: minisign encrypted secret key\n"));
    CHECK(opens(text_bytes(&out), "right", &again, &err) && memcmp(&key, &again, sizeof key) == 0);
    CHECK(!opens(text_bytes(&out), "wrong", &again, &err) && err.code == JW_E_USAGE);
    CHECK_TEXT(err.msg, "minisign secret key: the passphrase does not open it");
    CHECK(memcmp(&again, &none, sizeof none) == 0);
}

TEST(a_scrypt_that_costs_too_much_is_refused)
{
    struct jw_minisign_secret key;
    struct jw_minisign_secret_text out;
    struct jw_minisign_lock lock = {.passphrase = JW_BYTES("pw"), .how = quick};
    char *line;
    uint8_t file[158];

    CHECK(jw_minisign_make(&key, &err) && jw_minisign_secret_write(&out, &key, &lock, &err));
    line = strchr(out.p, '\n') + 1;
    for (size_t at = 38; at <= 46; at += 8) {
        CHECK(jw_base64_get(file, sizeof file, (struct jw_bytes){(const uint8_t *)line, 212}));
        jw_put64(file + at, JW_MAX_SCRYPT_MEMORY + 1);
        jw_base64_put(line, file, sizeof file);
        line[212] = '\n';
        CHECK(!opens(text_bytes(&out), "pw", &key, &err) && err.code == JW_E_LIMIT);
        CHECK_TEXT(err.msg,
                   "minisign secret key: its scrypt costs more than that of minisign's keys");
        jw_put64(file + at, at == 38 ? quick.work : quick.memory);
        jw_base64_put(line, file, sizeof file);
        line[212] = '\n';
        CHECK(opens(text_bytes(&out), "pw", &key, &err));
    }
}

/* `ignored`: bytes of the file that say nothing: a salt that is not used, an id that nothing
 * vouches for. `step`: 7 is a bit of each byte, or two, where each costs a scrypt. */
static void check_flips(const struct jw_minisign_secret_text *text, size_t ignored_from,
                        size_t ignored_to, size_t step)
{
    uint8_t file[158];
    char copy[JW_MINISIGN_SECRET_TEXT];
    size_t line = (size_t)(strchr(text->p, '\n') + 1 - text->p);

    CHECK(
        jw_base64_get(file, sizeof file, (struct jw_bytes){(const uint8_t *)text->p + line, 212}));
    memcpy(copy, text->p, sizeof copy);
    for (size_t bit = 0; bit < 8 * sizeof file; bit += step) {
        if (bit / 8 >= ignored_from && bit / 8 < ignored_to)
            continue;
        /* The cost of scrypt: in its low bits nothing changes, in its high ones it is too much. */
        if (ignored_from == ignored_to && bit / 8 >= 38 && bit / 8 < 54)
            continue;
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        jw_base64_put(copy + line, file, sizeof file);
        copy[line + 212] = '\n';
        CHECK(refuses((struct jw_bytes){(const uint8_t *)copy, text->n}, opens_secret));
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(a_changed_secret_key_is_refused)
{
    struct jw_minisign_secret key;
    struct jw_minisign_secret_text out;
    struct jw_minisign_lock lock = {.passphrase = JW_BYTES("pw"), .how = quick};

    CHECK(jw_minisign_make(&key, &err) && jw_minisign_secret_write(&out, &key, &lock, &err));
    check_flips(&out, 0, 0, 7);
    CHECK(jw_minisign_secret_write(&out, &key, NULL, &err));
    check_flips(&out, 6, 54 + JW_MINISIGN_ID, 1);
    check_cuts(BARE_KEY, opens_secret);
    out.n = strlen(UNLOCKED_KEY);
    memcpy(out.p, UNLOCKED_KEY, out.n + 1);
    check_flips(&out, 6, 54, 1);
}

TEST(a_secret_key_of_another_kind_is_refused)
{
    struct jw_minisign_secret_text out = {.n = strlen(BARE_KEY)};
    char *line = out.p + (strchr(BARE_KEY, '\n') + 1 - BARE_KEY);
    struct jw_minisign_secret key;

    memcpy(out.p, BARE_KEY, out.n + 1);
    memcpy(line, "RWRTZEIy", 8);
    CHECK_SAYS(opens(text_bytes(&out), "", &key, &err), err,
               "minisign secret key: its passphrase goes through something else than scrypt");
    memcpy(line, "RWQAAEIz", 8);
    CHECK_SAYS(opens(text_bytes(&out), "", &key, &err), err,
               "minisign secret key: its checksum is another than BLAKE2b");
    memcpy(line, "RUQAAEIy", 8);
    CHECK_SAYS(opens(text_bytes(&out), "", &key, &err), err,
               "minisign secret key: it is a key of another kind than Ed25519");
    CHECK_SAYS(opens(bytes(BARE_KEY "x"), "", &key, &err), err,
               "minisign secret key: something follows line 2, the last one");
}

/* ---- signatures ---- */

static struct jw_minisign_public public_key(const char *file)
{
    struct jw_minisign_public key = {0};

    CHECK(jw_minisign_public_read(bytes(file), &key, JW_IGNORED));
    return key;
}

static struct jw_minisign_secret secret_key(const char *file)
{
    struct jw_minisign_encrypted encrypted;
    struct jw_minisign_secret key = {0};

    CHECK(jw_minisign_secret_read(bytes(file), &encrypted, JW_IGNORED)
          && jw_minisign_secret_open(&encrypted, bytes(""), &key, JW_IGNORED));
    return key;
}

static bool verify(const struct jw_minisign_sig *sig, const struct jw_minisign_public *key,
                   const char *message, struct jw_err *err)
{
    uint8_t digest[JW_DIGEST512];

    digest512(digest, message, strlen(message));
    return jw_minisign_verify(sig, key, digest, err);
}

/* From copies of the right size, so that a reader that goes too far is caught. */
static bool verifies(struct jw_bytes text, const char *key_file, const char *message,
                     struct jw_err *err)
{
    struct jw_minisign_public key = public_key(key_file);
    struct jw_minisign_sig sig;
    uint8_t *copy = malloc(text.n ? text.n : 1);
    bool ok;

    memcpy(copy, text.p, text.n);
    ok = jw_minisign_sig_read((struct jw_bytes){copy, text.n}, &sig, err)
         && verify(&sig, &key, message, err);
    free(copy);
    return ok;
}

static void check_refused(struct jw_bytes text)
{
    struct jw_err err = {0};

    CHECK(!verifies(text, PUBLIC_KEY, SIGNED_MESSAGE, &err) && err.code != JW_OK && err.msg[0]);
}

static void check_sentence(const char *text, const char *key, const char *message,
                           const char *sentence)
{
    struct jw_err err = {0};

    CHECK(!verifies(bytes(text), key, message, &err) && err.code == JW_E_FORMAT);
    CHECK_TEXT(err.msg, sentence);
}

TEST(what_minisign_signed_verifies)
{
    struct jw_minisign_sig sig;

    CHECK(verifies(bytes(PREHASHED), PUBLIC_KEY, SIGNED_MESSAGE, &err));
    CHECK(jw_minisign_sig_read(bytes(PREHASHED), &sig, &err));
    CHECK(sig.trusted.n == strlen(PREHASHED_TRUSTED)
          && memcmp(sig.trusted.p, PREHASHED_TRUSTED, sig.trusted.n) == 0);
}

TEST(we_sign_as_minisign_does)
{
    struct jw_minisign_secret key = secret_key(BARE_KEY);
    FREED(jw_buf) out = JW_BUF(1 << 20);
    uint8_t digest[JW_DIGEST512];

    digest512(digest, SIGNED_MESSAGE, strlen(SIGNED_MESSAGE));
    CHECK(jw_minisign_sign(&out, &key, digest, PREHASHED_TRUSTED, &err));
    CHECK_TEXT(jw_buf_cstr(&out), PREHASHED);
}

TEST(the_longest_comment_goes_round)
{
    static char trusted[JW_MAX_MINISIGN_TRUSTED + 2];
    struct jw_minisign_secret key = secret_key(BARE_KEY);
    FREED(jw_buf) out = JW_BUF(1 << 20);
    uint8_t digest[JW_DIGEST512];

    memset(trusted, 't', sizeof trusted - 2);
    digest512(digest, "x", 1);
    CHECK(jw_minisign_sign(&out, &key, digest, trusted, &err));
    CHECK(verifies(jw_buf_bytes(&out), PUBLIC_KEY, "x", &err));
    jw_buf_clear(&out);
    trusted[sizeof trusted - 2] = 't';
    CHECK(!jw_minisign_sign(&out, &key, digest, trusted, &err) && err.code == JW_E_LIMIT);
    CHECK_NUM(out.n, 0);
}

TEST(no_room_is_no_signature)
{
    struct jw_minisign_secret key = secret_key(BARE_KEY);
    uint8_t digest[JW_DIGEST512] = {0};
    FREED(jw_buf) out = JW_BUF(100);

    CHECK(!jw_minisign_sign(&out, &key, digest, "", &err) && err.msg[0]);
}

TEST(crlf_is_read)
{
    FREED(jw_buf) out = JW_BUF(4096);

    for (const char *p = PREHASHED; *p; p++) {
        if (*p == '\n')
            jw_buf_add(&out, "\r", 1);
        jw_buf_add(&out, p, 1);
    }
    CHECK(verifies(jw_buf_bytes(&out), PUBLIC_KEY, SIGNED_MESSAGE, &err));
}

TEST(refusals_say_why)
{
    check_sentence(PREHASHED, LOCKED_PUBLIC_KEY, SIGNED_MESSAGE,
                   "minisign signature: it is not a signature of this content by this key");
    check_sentence(PREHASHED, PUBLIC_KEY, "hello",
                   "minisign signature: it is not a signature of this content by this key");
    check_sentence(LEGACY, PUBLIC_KEY, SIGNED_MESSAGE,
                   "minisign signature: it is of the older kind (Ed): sign with minisign -H");
    check_sentence(PREHASHED "\n", PUBLIC_KEY, SIGNED_MESSAGE,
                   "minisign signature: something follows line 4, the last one");
    check_sentence(PUBLIC_KEY, PUBLIC_KEY, SIGNED_MESSAGE,
                   "minisign signature: line 2 is not the base64 of 74 bytes");
}

TEST(another_trusted_comment_is_refused)
{
    struct jw_minisign_public key = public_key(PUBLIC_KEY);
    struct jw_minisign_sig sig;

    CHECK(jw_minisign_sig_read(bytes(PREHASHED), &sig, &err));
    sig.trusted = JW_BYTES("hi there");
    CHECK_SAYS(verify(&sig, &key, SIGNED_MESSAGE, &err), err,
               "minisign signature: its trusted comment is not the one that was signed");
}

TEST(every_cut_is_refused)
{
    for (size_t n = 0; n < strlen(PREHASHED); n++)
        check_refused((struct jw_bytes){(const uint8_t *)PREHASHED, n});
}

/* Nothing but the untrusted comment's text may be another. */
TEST(every_changed_bit_is_refused)
{
    char copy[] = PREHASHED;
    size_t n = strlen(copy), untrusted = strcspn(copy, "\n");

    for (size_t bit = 0; bit < 8 * n; bit++) {
        if (bit / 8 >= strlen("untrusted comment: ") && bit / 8 < untrusted)
            continue;
        copy[bit / 8] ^= (char)(1 << bit % 8);
        check_refused((struct jw_bytes){(const uint8_t *)copy, n});
        copy[bit / 8] ^= (char)(1 << bit % 8);
    }
}

TEST(a_changed_public_key_verifies_nothing)
{
    struct jw_minisign_public key = public_key(PUBLIC_KEY);
    struct jw_minisign_sig sig;
    uint8_t *fields[] = {key.id, key.key};
    const size_t sizes[] = {sizeof key.id, sizeof key.key};

    CHECK(jw_minisign_sig_read(bytes(PREHASHED), &sig, &err));
    for (size_t i = 0; i < 2; i++)
        for (size_t bit = 0; bit < 8 * sizes[i]; bit++) {
            fields[i][bit / 8] ^= (uint8_t)(1 << bit % 8);
            CHECK(!verify(&sig, &key, SIGNED_MESSAGE, &err));
            fields[i][bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    CHECK(verify(&sig, &key, SIGNED_MESSAGE, &err));
}

TEST(a_new_one_has_its_own_salt)
{
    struct jw_scrypt a, b;

    CHECK(jw_scrypt_new(&a, &err) && jw_scrypt_new(&b, &err));
    CHECK(memcmp(a.salt, b.salt, sizeof a.salt) != 0);
    CHECK(a.work == JW_MAX_SCRYPT_WORK && a.memory == JW_MAX_SCRYPT_MEMORY);
}
