/* The store's lock, the names of its own files, and how a small file gets into it. */
#ifndef PACK_STORE_STORE_LOCK_H
#define PACK_STORE_STORE_LOCK_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "os/files/file.h"
#include "os/files/tree.h"

#include <stdbool.h>

#define STORE_SIGNATURE ".minisig" /* after a pack's name */
#define STORE_WORK ".work"         /* prefix of temporary folders */
#define STORE_LOCK "lock"
#define STORE_NEW ".new" /* temporary name of a small file */
#define STORE_OWN                                                                                            \
    ".own" /* the digests of the packs that this user's jitwarm made, a line each, the newest last */

/* The lock on the folder. JW_E_IO: another process still has it after `patience_ms`. */
struct store_lock {
    struct jw_tree tree;
    struct jw_file lock;
};
#define STORE_LOCK_NONE ((struct store_lock){ JW_TREE_CLOSED, JW_FILE_CLOSED })

bool store_lock(struct store_lock *h, const char *dir, unsigned patience_ms, struct jw_err *err) JW_MUST;
void store_unlock(struct store_lock *h);

/* Replaces a small file atomically. Needs the lock. */
bool store_put(const struct jw_tree *t, const char *name, struct jw_bytes text, struct jw_err *err) JW_MUST;

/* Before such a pack gets its name. Needs the lock. */
bool store_add_own(const struct jw_tree *t, const char *dir, const uint8_t digest[JW_DIGEST],
                   struct jw_arena *a, struct jw_err *err) JW_MUST;

#endif
