/*
 * minisign_play COMMAND...: what pack/format/minisign.h does, over files, for minisign.py.
 *
 *   make SECRET PUBLIC [PASSPHRASE]       a key pair
 *   copy SECRET NEW [PASSPHRASE]          the key, read and written again; a locked one with the same salt
 *   public SECRET PUBLIC [PASSPHRASE]
 *   sign SECRET FILE SIGNATURE TRUSTED [PASSPHRASE]
 *   verify PUBLIC FILE SIGNATURE          prints the trusted comment
 */
#include "../../rigs/digest512.h"
#include "pack/format/minisign.h"

#include <stdio.h>
#include <string.h>

static bool read_all(const char *path, struct jw_buf *out, struct jw_err *err)
{
    char part[4096];
    FILE *f = fopen(path, "rb");

    if (!f)
        return jw_fail(err, JW_E_IO, "%s cannot be read", path);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        jw_buf_add(out, part, n);
    (void)fclose(f);
    return jw_buf_ok(out, err);
}

static bool write_all(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n;

    ok = f && !fclose(f) && ok;
    return ok || jw_fail(err, JW_E_IO, "%s cannot be written", path);
}

static struct jw_bytes text(const char *t)
{
    return t ? (struct jw_bytes){ (const uint8_t *)t, strlen(t) } : (struct jw_bytes){ NULL, 0 };
}

static bool read_secret(const char *path, const char *passphrase, struct jw_minisign_encrypted *encrypted,
                        struct jw_minisign_secret *out, struct jw_err *err)
{
    struct jw_buf file = JW_BUF(1 << 16);
    bool ok = read_all(path, &file, err) && jw_minisign_secret_read(jw_buf_bytes(&file), encrypted, err)
              && jw_minisign_secret_open(encrypted, text(passphrase), out, err);

    jw_buf_free(&file);
    return ok;
}

static bool write_secret(const char *path, const struct jw_minisign_secret *key,
                         const struct jw_minisign_lock *lock, struct jw_err *err)
{
    struct jw_minisign_secret_text out;

    return jw_minisign_secret_write(&out, key, lock, err)
           && write_all(path, (struct jw_bytes){ (const uint8_t *)out.p, out.n }, err);
}

static bool write_public(const char *path, const struct jw_minisign_secret *secret, struct jw_err *err)
{
    struct jw_minisign_public key = jw_minisign_public_of(secret);
    struct jw_buf out = JW_BUF(1 << 16);
    bool ok;

    jw_minisign_public_put(&out, &key);
    ok = jw_buf_ok(&out, err) && write_all(path, jw_buf_bytes(&out), err);
    jw_buf_free(&out);
    return ok;
}

static bool make(char **arg, const char *passphrase, struct jw_err *err)
{
    struct jw_minisign_lock lock = { .passphrase = text(passphrase) };
    struct jw_minisign_secret key;

    return jw_minisign_make(&key, err) && jw_scrypt_new(&lock.how, err)
           && write_secret(arg[0], &key, passphrase ? &lock : NULL, err) && write_public(arg[1], &key, err);
}

static bool copy(char **arg, const char *passphrase, struct jw_err *err)
{
    struct jw_minisign_lock lock = { .passphrase = text(passphrase) };
    struct jw_minisign_secret key;
    struct jw_minisign_encrypted encrypted;

    if (!read_secret(arg[0], passphrase, &encrypted, &key, err))
        return false;
    lock.how = encrypted.how;
    return write_secret(arg[1], &key, encrypted.locked ? &lock : NULL, err);
}

static bool public_of(char **arg, const char *passphrase, struct jw_err *err)
{
    struct jw_minisign_secret key;
    struct jw_minisign_encrypted encrypted;

    return read_secret(arg[0], passphrase, &encrypted, &key, err) && write_public(arg[1], &key, err);
}

static bool sign(char **arg, const char *passphrase, struct jw_err *err)
{
    struct jw_buf message = JW_BUF(1 << 26), out = JW_BUF(1 << 16);
    struct jw_minisign_secret key;
    struct jw_minisign_encrypted encrypted;
    uint8_t digest[JW_DIGEST512];
    bool ok = read_secret(arg[0], passphrase, &encrypted, &key, err) && read_all(arg[1], &message, err);

    if (ok)
        digest512(digest, message.p, message.n);
    ok =
        ok && jw_minisign_sign(&out, &key, digest, arg[3], err) && write_all(arg[2], jw_buf_bytes(&out), err);
    jw_buf_free(&message);
    jw_buf_free(&out);
    return ok;
}

static bool verify(char **arg, const char *passphrase, struct jw_err *err)
{
    struct jw_buf file = JW_BUF(1 << 16), message = JW_BUF(1 << 26), signature = JW_BUF(1 << 16);
    struct jw_minisign_public key;
    struct jw_minisign_sig sig;
    uint8_t digest[JW_DIGEST512];
    bool ok = read_all(arg[0], &file, err) && read_all(arg[1], &message, err)
              && read_all(arg[2], &signature, err) && jw_minisign_public_read(jw_buf_bytes(&file), &key, err)
              && jw_minisign_sig_read(jw_buf_bytes(&signature), &sig, err);

    (void)passphrase;
    if (ok)
        digest512(digest, message.p, message.n);
    ok = ok && jw_minisign_verify(&sig, &key, digest, err);
    if (ok)
        printf("%.*s\n", (int)sig.trusted.n, sig.trusted.n ? (const char *)sig.trusted.p : "");
    jw_buf_free(&file);
    jw_buf_free(&message);
    jw_buf_free(&signature);
    return ok;
}

static const struct {
    const char *name;
    int args; /* a passphrase may follow them */
    bool (*run)(char **arg, const char *passphrase, struct jw_err *err);
} commands[] = {
    { "make", 2, make }, { "copy", 2, copy },     { "public", 2, public_of },
    { "sign", 4, sign }, { "verify", 3, verify },
};

int main(int argc, char **argv)
{
    struct jw_err err = { 0 };

    for (size_t i = 0; argc > 1 && i < JW_COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i].name) != 0 || argc < 2 + commands[i].args)
            continue;
        if (commands[i].run(argv + 2, argv[2 + commands[i].args], &err))
            return 0;
        (void)fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    (void)fprintf(stderr, "minisign_play: see its first comment\n");
    return 2;
}
