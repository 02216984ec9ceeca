#include "check.h"

#include "minisign_files.h"
#include "pack/format/minisign.h"

#include <stdlib.h>

static struct jw_bytes bytes(const char *text)
{
    return (struct jw_bytes){ (const uint8_t *)text, strlen(text) };
}

static struct jw_minisign_public public_key(const char *file)
{
    struct jw_minisign_public key = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_minisign_public_read(bytes(file), &key, &err));
    return key;
}

static struct jw_minisign_secret secret_key(const char *file)
{
    struct jw_minisign_box box;
    struct jw_minisign_secret key = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_minisign_secret_read(bytes(file), &box, &err)
          && jw_minisign_secret_open(&box, bytes(""), &key, &err));
    return key;
}

/* From copies of the right size, so that a reader that goes too far is caught. */
static bool verifies(struct jw_bytes text, const char *key_file, const char *message, struct jw_err *err)
{
    struct jw_minisign_public key = public_key(key_file);
    struct jw_minisign_sig sig;
    uint8_t *copy = malloc(text.n ? text.n : 1);
    bool ok;

    memcpy(copy, text.p, text.n);
    ok = jw_minisign_sig_read((struct jw_bytes){ copy, text.n }, &sig, err)
         && jw_minisign_verify(&sig, &key, bytes(message), err);
    free(copy);
    return ok;
}

static void check_refused(struct jw_bytes text)
{
    struct jw_err err = { 0 };

    CHECK(!verifies(text, PUBLIC_KEY, SIGNED_MESSAGE, &err) && err.code != JW_OK && err.msg[0]);
}

static void check_sentence(const char *text, const char *key, const char *message, const char *sentence)
{
    struct jw_err err = { 0 };

    CHECK(!verifies(bytes(text), key, message, &err) && err.code == JW_E_FORMAT);
    CHECK_TEXT(err.msg, sentence);
}

TEST(what_minisign_signed_verifies)
{
    struct jw_minisign_sig sig;
    struct jw_err err = { 0 };

    CHECK(verifies(bytes(PREHASHED), PUBLIC_KEY, SIGNED_MESSAGE, &err));
    CHECK(verifies(bytes(LEGACY), PUBLIC_KEY, SIGNED_MESSAGE, &err));
    CHECK(jw_minisign_sig_read(bytes(PREHASHED), &sig, &err) && sig.prehashed);
    CHECK(sig.trusted.n == strlen(PREHASHED_TRUSTED)
          && memcmp(sig.trusted.p, PREHASHED_TRUSTED, sig.trusted.n) == 0);
    CHECK(jw_minisign_sig_read(bytes(LEGACY), &sig, &err) && !sig.prehashed);
}

TEST(a_message_may_go_by_in_parts)
{
    struct jw_minisign_public key = public_key(PUBLIC_KEY);
    struct jw_minisign_sig sig;
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST512];
    struct jw_err err = { 0 };

    jw_digest512_init(&s);
    for (const char *p = SIGNED_MESSAGE; *p; p++)
        jw_digest_update(&s, p, 1);
    jw_digest512_final(&s, digest);
    CHECK(jw_minisign_sig_read(bytes(PREHASHED), &sig, &err)
          && jw_minisign_verify_digest(&sig, &key, digest, &err));
    CHECK(jw_minisign_sig_read(bytes(LEGACY), &sig, &err)
          && !jw_minisign_verify_digest(&sig, &key, digest, &err));
    CHECK_TEXT(err.msg, "minisign signature: it is of the older kind (Ed), which needs all of the content");
}

TEST(we_sign_as_minisign_does)
{
    struct jw_minisign_secret key = secret_key(BARE_KEY);
    struct jw_buf out = JW_BUF(1 << 20);
    uint8_t digest[JW_DIGEST512];
    struct jw_err err = { 0 };

    jw_digest512(digest, SIGNED_MESSAGE, strlen(SIGNED_MESSAGE));
    CHECK(jw_minisign_sign(&out, &key, digest, NULL, PREHASHED_TRUSTED, &err));
    CHECK_TEXT(jw_buf_cstr(&out), PREHASHED);
    jw_buf_free(&out);
}

TEST(the_longest_comments_go_round)
{
    static char untrusted[JW_MAX_MINISIGN_COMMENT + 2], trusted[JW_MAX_MINISIGN_TRUSTED + 2];
    struct jw_minisign_secret key = secret_key(BARE_KEY);
    struct jw_buf out = JW_BUF(1 << 20);
    uint8_t digest[JW_DIGEST512];
    struct jw_err err = { 0 };

    memset(untrusted, 'u', sizeof untrusted - 2);
    memset(trusted, 't', sizeof trusted - 2);
    jw_digest512(digest, "x", 1);
    CHECK(jw_minisign_sign(&out, &key, digest, untrusted, trusted, &err));
    CHECK(verifies(jw_buf_bytes(&out), PUBLIC_KEY, "x", &err));
    jw_buf_clear(&out);
    CHECK(jw_minisign_sign(&out, &key, digest, "", "", &err));
    CHECK(verifies(jw_buf_bytes(&out), PUBLIC_KEY, "x", &err));
    jw_buf_clear(&out);
    untrusted[sizeof untrusted - 2] = 'u';
    trusted[sizeof trusted - 2] = 't';
    CHECK(!jw_minisign_sign(&out, &key, digest, untrusted, "", &err) && err.code == JW_E_LIMIT);
    CHECK(!jw_minisign_sign(&out, &key, digest, "", trusted, &err) && err.code == JW_E_LIMIT);
    CHECK(!jw_minisign_sign(&out, &key, digest, "", "two\rlines", &err) && err.code == JW_E_USAGE);
    CHECK_NUM(out.n, 0);
    jw_buf_free(&out);
}

TEST(no_room_is_no_signature)
{
    struct jw_minisign_secret key = secret_key(BARE_KEY);
    uint8_t digest[JW_DIGEST512] = { 0 };
    struct jw_err err = { 0 };
    struct jw_buf out = JW_BUF(100);

    CHECK(!jw_minisign_sign(&out, &key, digest, "", "", &err) && err.msg[0]);
    jw_buf_free(&out);
}

TEST(crlf_is_read)
{
    static const char *const texts[] = { PREHASHED, LEGACY };
    struct jw_buf out = JW_BUF(4096);
    struct jw_err err = { 0 };

    for (size_t i = 0; i < 2; i++) {
        jw_buf_clear(&out);
        for (const char *p = texts[i]; *p; p++) {
            if (*p == '\n')
                jw_buf_add(&out, "\r", 1);
            jw_buf_add(&out, p, 1);
        }
        CHECK(verifies(jw_buf_bytes(&out), PUBLIC_KEY, SIGNED_MESSAGE, &err));
    }
    jw_buf_free(&out);
}

TEST(refusals_say_why)
{
    check_sentence(PREHASHED, LOCKED_PUBLIC_KEY, SIGNED_MESSAGE,
                   "minisign signature: it was made with key 791A9F1864D572B7, this is key 9429725AE4B1ECFC");
    check_sentence(PREHASHED, PUBLIC_KEY, "hello",
                   "minisign signature: it is not a signature of this content by this key");
    check_sentence(LEGACY, PUBLIC_KEY, "hello",
                   "minisign signature: it is not a signature of this content by this key");
    check_sentence(PREHASHED "\n", PUBLIC_KEY, SIGNED_MESSAGE,
                   "minisign signature: something follows line 4, the last one");
    check_sentence(PUBLIC_KEY, PUBLIC_KEY, SIGNED_MESSAGE,
                   "minisign signature: line 2 is not the base64 of 74 bytes");
}

TEST(a_trusted_comment_of_another_signature_is_refused)
{
    struct jw_minisign_public key = public_key(PUBLIC_KEY);
    struct jw_minisign_sig a, b;
    struct jw_err err = { 0 };

    CHECK(jw_minisign_sig_read(bytes(PREHASHED), &a, &err) && jw_minisign_sig_read(bytes(LEGACY), &b, &err));
    a.trusted = b.trusted;
    memcpy(a.global, b.global, sizeof a.global);
    CHECK(!jw_minisign_verify(&a, &key, bytes(SIGNED_MESSAGE), &err));
    CHECK_TEXT(err.msg, "minisign signature: its trusted comment is not the one that was signed");
}

TEST(every_cut_is_refused)
{
    static const char *const texts[] = { PREHASHED, LEGACY };

    for (size_t i = 0; i < 2; i++)
        for (size_t n = 0; n < strlen(texts[i]); n++)
            check_refused((struct jw_bytes){ (const uint8_t *)texts[i], n });
}

/* Nothing but the untrusted comment's text may be another. */
TEST(every_changed_bit_is_refused)
{
    static const char *const texts[] = { PREHASHED, LEGACY };
    char copy[1024];

    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(texts[i]), untrusted = (size_t)(strchr(texts[i], '\n') - texts[i]);

        memcpy(copy, texts[i], n);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            if (bit / 8 >= strlen("untrusted comment: ") && bit / 8 < untrusted)
                continue;
            copy[bit / 8] ^= (char)(1 << bit % 8);
            check_refused((struct jw_bytes){ (const uint8_t *)copy, n });
            copy[bit / 8] ^= (char)(1 << bit % 8);
        }
    }
}

TEST(a_changed_public_key_verifies_nothing)
{
    struct jw_minisign_public key = public_key(PUBLIC_KEY);
    struct jw_minisign_sig sig;
    struct jw_err err = { 0 };
    uint8_t *fields[] = { key.id, key.key };
    const size_t sizes[] = { sizeof key.id, sizeof key.key };

    CHECK(jw_minisign_sig_read(bytes(PREHASHED), &sig, &err));
    for (size_t i = 0; i < 2; i++)
        for (size_t bit = 0; bit < 8 * sizes[i]; bit++) {
            fields[i][bit / 8] ^= (uint8_t)(1 << bit % 8);
            CHECK(!jw_minisign_verify(&sig, &key, bytes(SIGNED_MESSAGE), &err));
            fields[i][bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    CHECK(jw_minisign_verify(&sig, &key, bytes(SIGNED_MESSAGE), &err));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_minisign_signed_verifies), T(a_message_may_go_by_in_parts),
               T(we_sign_as_minisign_does), T(the_longest_comments_go_round), T(no_room_is_no_signature),
               T(crlf_is_read), T(refusals_say_why), T(a_trusted_comment_of_another_signature_is_refused),
               T(every_cut_is_refused), T(every_changed_bit_is_refused),
               T(a_changed_public_key_verifies_nothing));
}
