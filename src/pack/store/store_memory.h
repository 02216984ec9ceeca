/* The store's small files beside its packs, and its lock. */
#ifndef PACK_STORE_STORE_MEMORY_H
#define PACK_STORE_STORE_MEMORY_H

#include "base/json_read.h"
#include "os/files/tree.h"
#include "pack/store/store.h"

#define STORE_SIGNATURE ".minisig" /* after a pack's name */
#define STORE_WORK ".work"         /* prefix of temporary folders */
#define STORE_USES "used.json"
#define STORE_VOUCHED "vouched.json"
#define STORE_LOCK "lock"
#define STORE_NEW ".new" /* temporary name of a small file */

struct store_use {
    const char *name;
    int64_t at;
};

/* used.json. Damage is ignored: it only decides which pack is evicted first. */
struct store_uses {
    struct store_use *v;
    size_t n;
};

/* Records `by` for the pack with this digest. Needs the lock. */
bool store_vouch(const struct jw_tree *t, const char *dir, const uint8_t digest[JW_DIGEST], const char *by,
                 struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Replaces a small file atomically. Needs the lock. */
bool store_put(const struct jw_tree *t, const char *name, struct jw_bytes text, struct jw_err *err) JW_MUST;

bool store_uses_read(const char *dir, struct jw_arena *a, struct store_uses *out, struct jw_err *err) JW_MUST;
bool store_uses_write(const struct jw_tree *t, const struct store_uses *uses, struct jw_err *err) JW_MUST;
int64_t store_uses_find(const struct store_uses *uses, const char *name); /* 0: unknown */

/* The lock on the folder. JW_E_IO: another process still has it after `patience_ms`. */
struct store_hold {
    struct jw_tree tree;
    struct jw_file lock;
};
#define STORE_HOLD_NONE ((struct store_hold){ JW_TREE_CLOSED, JW_FILE_CLOSED })

bool store_hold(struct store_hold *h, const char *dir, unsigned patience_ms, struct jw_err *err) JW_MUST;
void store_release(struct store_hold *h);

#endif
