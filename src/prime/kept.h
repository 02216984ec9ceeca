/*
 * PTX that a recorded command made while it ran: no file has it, so it would be lost with the cache. The head and the key of its entry
 * are kept without the code, beside the roots (jw_kept_path), under the digest of what follows stamp and architecture in the key: PTX,
 * NULs, options. The root's module has that digest as its `text`, and no file.
 */
#ifndef PRIME_KEPT_H
#define PRIME_KEPT_H

#include "base/buf.h"
#include "cache/format/jitcache.h"
#include "memory/roots.h"

/* The key of an entry, of a cache or kept. */
struct jw_entry_key {
    struct jw_buf bytes; /* of the key */
    struct jw_cache_key key;
    uint8_t text[JW_DIGEST]; /* of its PTX alone */
    uint8_t made[JW_DIGEST]; /* of PTX, NULs and options */
};

/* `key_size` 0: all behind the head, of a kept one. A file that is gone or torn has a key of the kind OTHER. */
bool jw_entry_key_read(const char *path, uint64_t key_size, struct jw_entry_key *out,
                       struct jw_err *err) JW_MUST;
void jw_entry_key_free(struct jw_entry_key *k);

/* Keeps this entry's head and key. `*room`: bytes that may still be kept; JW_E_LIMIT: it is more. */
bool jw_kept_put(const struct jw_cache_folder *f, const char *entry, const struct jw_entry_key *k,
                 uint64_t *room, struct jw_err *err) JW_MUST;
/* Removes what no root needs any more, when a root was forgotten or recorded again. Returns the bytes that are left. */
uint64_t jw_kept_sweep(const struct jw_cache_folder *f, const struct jw_roots *roots);

#define JW_MAX_KEPT ((uint64_t)256 << 20) /* bytes for one cache */

#endif
