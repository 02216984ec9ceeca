/* One entry of the driver's cache for another build of the driver: only the stamp in its key changes. */
#ifndef CACHE_FORMAT_CARRY_ENTRY_H
#define CACHE_FORMAT_CARRY_ENTRY_H

#include "cache/format/jitcache.h"

struct carried_entry {
    uint64_t name; /* the new one */
    struct jw_cache_entry sizes;
};

/*
 * Copies the entry `name`, at `from`, to the new file `to`, which is synced, as a driver of this stamp would have named
 * it. Everything is checked on the way: both hashes of the old entry, that its key begins with a stamp, and that its
 * payload is machine code. False, JW_E_FORMAT or JW_E_LIMIT: it is not sound, or not of that kind, and there is no file
 * `to`.
 */
bool carry_entry(const char *from, uint64_t name, const char *to, const char *stamp,
                 struct carried_entry *out, struct jw_err *err) JW_MUST;

/* The new name alone, from the key alone: nothing is checked. */
bool carry_name(const char *from, const char *stamp, uint64_t *name, struct jw_err *err) JW_MUST;

/* CUDA's version whose compiler made the machine code, ten times it (124); `least`: that one, or a later one. */
struct carry_compiler {
    uint16_t cuda; /* 0: the code does not say */
    bool least;
};

/* What cannot be read does not say. driver-fact: F85-code-names-cuda */
struct carry_compiler carry_compiler(const char *from, uint64_t key_size);

#endif
