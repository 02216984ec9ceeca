#include "pack/format/minisign.h"
#include "pack/format/minisign_text.h"

#define SIGNATURE_COMMENT "signature from minisign secret key" /* minisign's */

enum { SIGNATURE_BYTES = 2 + JW_MINISIGN_ID + JW_ED25519_SIGNATURE };

static bool sig_from(const uint8_t bytes[SIGNATURE_BYTES], struct jw_minisign_sig *out, struct jw_err *err)
{
    out->prehashed = memcmp(bytes, "ED", 2) == 0;
    if (!out->prehashed && memcmp(bytes, "Ed", 2) != 0)
        return jw_fail(err, JW_E_FORMAT, "it is of another kind than Ed25519");
    memcpy(out->id, bytes + 2, sizeof out->id);
    memcpy(out->signature, bytes + 2 + JW_MINISIGN_ID, sizeof out->signature);
    return true;
}

bool jw_minisign_sig_read(struct jw_bytes text, struct jw_minisign_sig *out, struct jw_err *err)
{
    struct jw_minisign_lines in = { .left = text };
    struct jw_bytes untrusted;
    uint8_t bytes[SIGNATURE_BYTES];

    return (jw_minisign_take_comment(&in, JW_MINISIGN_UNTRUSTED, JW_MAX_MINISIGN_COMMENT, &untrusted, err)
            && jw_minisign_take_base64(&in, bytes, sizeof bytes, err)
            && jw_minisign_take_comment(&in, JW_MINISIGN_TRUSTED, JW_MAX_MINISIGN_TRUSTED, &out->trusted, err)
            && jw_minisign_take_base64(&in, out->global, sizeof out->global, err)
            && jw_minisign_take_end(&in, err) && sig_from(bytes, out, err))
           || jw_wrap(err, "minisign signature");
}

/* What the global signature is over. */
struct sealed {
    uint8_t p[JW_ED25519_SIGNATURE + JW_MAX_MINISIGN_TRUSTED];
    size_t n;
};

/* `trusted` is at most JW_MAX_MINISIGN_TRUSTED long. */
static struct jw_bytes seal(struct sealed *s, const uint8_t signature[JW_ED25519_SIGNATURE],
                            struct jw_bytes trusted)
{
    s->n = JW_ED25519_SIGNATURE + trusted.n;
    memcpy(s->p, signature, JW_ED25519_SIGNATURE);
    if (trusted.n)
        memcpy(s->p + JW_ED25519_SIGNATURE, trusted.p, trusted.n);
    return (struct jw_bytes){ s->p, s->n };
}

static bool check_id(const struct jw_minisign_sig *sig, const struct jw_minisign_public *key,
                     struct jw_err *err)
{
    char signer[17], ours[17];

    if (memcmp(sig->id, key->id, sizeof sig->id) == 0)
        return true;
    jw_minisign_show_id(signer, sig->id);
    jw_minisign_show_id(ours, key->id);
    return jw_fail(err, JW_E_FORMAT, "it was made with key %s, this is key %s", signer, ours);
}

/* `signed_bytes`: the digest or the message, whichever this kind of signature is over. */
static bool verify(const struct jw_minisign_sig *sig, const struct jw_minisign_public *key,
                   struct jw_bytes signed_bytes, struct jw_err *err)
{
    struct sealed s;

    if (!check_id(sig, key, err))
        return false;
    if (!jw_ed25519_verify(sig->signature, signed_bytes, key->key))
        return jw_fail(err, JW_E_FORMAT, "it is not a signature of this content by this key");
    return (sig->trusted.n <= JW_MAX_MINISIGN_TRUSTED
            && jw_ed25519_verify(sig->global, seal(&s, sig->signature, sig->trusted), key->key))
           || jw_fail(err, JW_E_FORMAT, "its trusted comment is not the one that was signed");
}

bool jw_minisign_verify_digest(const struct jw_minisign_sig *sig, const struct jw_minisign_public *key,
                               const uint8_t digest[JW_DIGEST512], struct jw_err *err)
{
    if (!sig->prehashed)
        return jw_fail(err, JW_E_FORMAT,
                       "minisign signature: it is of the older kind (Ed), which needs all of the content");
    return verify(sig, key, (struct jw_bytes){ digest, JW_DIGEST512 }, err)
           || jw_wrap(err, "minisign signature");
}

bool jw_minisign_verify(const struct jw_minisign_sig *sig, const struct jw_minisign_public *key,
                        struct jw_bytes message, struct jw_err *err)
{
    uint8_t digest[JW_DIGEST512];

    if (!sig->prehashed)
        return verify(sig, key, message, err) || jw_wrap(err, "minisign signature");
    jw_digest512(digest, message.p, message.n);
    return jw_minisign_verify_digest(sig, key, digest, err);
}

static void put_sig(struct jw_buf *out, const struct jw_minisign_sig *sig, const char *untrusted)
{
    uint8_t bytes[SIGNATURE_BYTES] = "ED";
    char line[JW_BASE64(SIGNATURE_BYTES) + 1];

    memcpy(bytes + 2, sig->id, sizeof sig->id);
    memcpy(bytes + 2 + JW_MINISIGN_ID, sig->signature, sizeof sig->signature);
    jw_base64_put(line, bytes, sizeof bytes);
    jw_buf_text(out, JW_MINISIGN_UNTRUSTED);
    jw_buf_text(out, untrusted);
    jw_buf_printf(out, "\n%s\n" JW_MINISIGN_TRUSTED, line);
    jw_buf_add(out, sig->trusted.p, sig->trusted.n);
    jw_base64_put(line, sig->global, sizeof sig->global);
    jw_buf_printf(out, "\n%s\n", line);
}

bool jw_minisign_sign(struct jw_buf *out, const struct jw_minisign_secret *key,
                      const uint8_t digest[JW_DIGEST512], const char *untrusted, const char *trusted,
                      struct jw_err *err)
{
    const char *said = untrusted ? untrusted : SIGNATURE_COMMENT;
    struct jw_minisign_sig sig;
    struct sealed s;

    if (!jw_minisign_check_comment(said, JW_MAX_MINISIGN_COMMENT, err)
        || !jw_minisign_check_comment(trusted, JW_MAX_MINISIGN_TRUSTED, err))
        return jw_wrap(err, "minisign signature");
    memcpy(sig.id, key->id, sizeof sig.id);
    sig.trusted = (struct jw_bytes){ (const uint8_t *)trusted, strlen(trusted) };
    jw_ed25519_sign(sig.signature, (struct jw_bytes){ digest, JW_DIGEST512 }, key->key);
    jw_ed25519_sign(sig.global, seal(&s, sig.signature, sig.trusted), key->key);
    put_sig(out, &sig, said);
    return jw_buf_ok(out, err) || jw_wrap(err, "minisign signature");
}
