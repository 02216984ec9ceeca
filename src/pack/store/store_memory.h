/*
 * The store's memory beside its packs, and its lock. The file `records` has one checked record (base/fields.h) for each
 * fact:
 *
 *   33 USED      text name of a pack   i64 seconds since 1970
 *   34 VOUCHED   32 digest of a pack   text by whom: "here", or the id of a key       the newest first
 *
 * VOUCHED is about a digest, because a name can belong to another pack later.
 */
#ifndef PACK_STORE_STORE_MEMORY_H
#define PACK_STORE_STORE_MEMORY_H

#include "os/files/tree.h"
#include "pack/store/store.h"

#define STORE_SIGNATURE ".minisig" /* after a pack's name */
#define STORE_WORK ".work"         /* prefix of temporary folders */
#define STORE_MEMORY "records"
#define STORE_LOCK "lock"
#define STORE_NEW ".new" /* temporary name of a small file */

struct store_use {
    const char *name;
    int64_t at;
};

struct store_vouch {
    uint8_t digest[JW_DIGEST];
    const char *by;
};

/* Each list has room for one more. What is damaged is forgotten: uses only decide which pack is evicted first, and a pack without a voucher is not
 * trusted. */
struct store_memory {
    struct store_use *uses;
    size_t n_uses;
    struct store_vouch *vouches;
    size_t n_vouches;
};

void store_memory_read(const char *dir, struct jw_arena *a, struct store_memory *out);

/* Replaces the file. Needs the lock. */
bool store_memory_write(const struct jw_tree *t, const struct store_memory *m, struct jw_err *err) JW_MUST;

int64_t store_used_at(const struct store_memory *m, const char *name); /* 0: unknown */

/* Puts a voucher first; the oldest of too many is dropped. */
void store_vouch(struct store_memory *m, const uint8_t digest[JW_DIGEST], const char *by);

/* Replaces a small file atomically. Needs the lock. */
bool store_put(const struct jw_tree *t, const char *name, struct jw_bytes text, struct jw_err *err) JW_MUST;

/* The lock on the folder. JW_E_IO: another process still has it after `patience_ms`. */
struct store_hold {
    struct jw_tree tree;
    struct jw_file lock;
};
#define STORE_HOLD_NONE ((struct store_hold){ JW_TREE_CLOSED, JW_FILE_CLOSED })

bool store_hold(struct store_hold *h, const char *dir, unsigned patience_ms, struct jw_err *err) JW_MUST;
void store_release(struct store_hold *h);

#endif
