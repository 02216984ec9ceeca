/* A passphrase made into key bytes, slowly: scrypt, with the cost as libsodium and minisign state it. */
#ifndef PACK_FORMAT_SCRYPT_H
#define PACK_FORMAT_SCRYPT_H

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

enum { JW_SCRYPT_SALT = 32 };

struct jw_scrypt {
    uint8_t salt[JW_SCRYPT_SALT];
    uint64_t work, memory; /* libsodium's opslimit and memlimit */
};

/* A fresh salt, and the cost that libsodium calls sensitive: 1 GiB and a few seconds. */
bool jw_scrypt_new(struct jw_scrypt *out, struct jw_err *err) JW_MUST;

/* False: it costs more than JW_MAX_SCRYPT_WORK and JW_MAX_SCRYPT_MEMORY allow, or there is not so much memory. */
bool jw_scrypt_derive(uint8_t *out, size_t n, const struct jw_scrypt *how, struct jw_bytes passphrase,
                      struct jw_err *err) JW_MUST;

#endif
