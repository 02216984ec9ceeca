/*
 * carry: entries that an older build of this driver made are copied for the current one, with their machine code as it is
 * and nothing but the stamp in their keys changed. NVIDIA's driver cannot tell, and a compiler's fix does not reach them:
 * so it is done only where this machine's driver was seen to run such code rightly (level 4), from older builds to newer
 * ones only, and each such entry stands in a ledger until the driver has compiled it again.
 * driver-fact: F33-restamp-hits, F34-payload-unchecked, F37-old-code-runs
 */
#ifndef PACK_CARRY_CARRY_H
#define PACK_CARRY_CARRY_H

#include "cache/format/jitcache.h"
#include "jitwarm/prime.h"

#include <stdatomic.h>

enum jw_carry_state {
    JW_CARRY_CARRIED, /* in a dry run: would be */
    JW_CARRY_THERE,   /* the current build has one of its own */
    JW_CARRY_NO_ROOM, /* under the limit, or on the disk */
    JW_CARRY_REFUSED, /* `why` */
    JW_CARRY_STATES
};

/* "carried" "there" "no-room" "refused" */
const char *jw_carry_state_name(enum jw_carry_state s);

struct jw_carry_entry {
    uint64_t from, name;            /* the old entry, the new one; name 0: not known */
    char stamp[JW_CACHE_STAMP + 1]; /* of the build that made it */
    char arch[12];
    uint64_t key_bytes, bytes; /* key; key and payload */
    uint64_t payload;          /* hash of the machine code */
    unsigned cuda;             /* of the compiler, ten times its version; 0: not known */
    enum jw_carry_state state;
    const char *why;
    bool doubtful; /* another entry may be of the same module: only its new name tells */
};

struct jw_carry_options {
    const char *cache; /* another root; NULL: the one that programs use */
    const char *const *gpus;
    size_t n_gpus;
    bool dry_run, undo, as_root;
    unsigned wait_s;
    const char *exe, *driver;
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, const char *what, uint64_t done,
                     uint64_t total); /* bytes; total 0: not known */
    void *ctx;
};

struct jw_carry_report {
    struct jw_prime_report prime;   /* its end, cache, driver, notes and advice */
    bool proven;                    /* level 4 */
    bool played;                    /* on phantom: it was rehearsed, not proven */
    const char *unproven;           /* NULL, or why not */
    struct jw_carry_entry *entries; /* those of older builds, least worth first */
    size_t n_entries;
    uint64_t counts[JW_CARRY_STATES], carried_bytes;
    uint64_t newer;                  /* entries of later builds, which are left alone */
    uint64_t removed, removed_bytes; /* undo */
};

struct jw_carry_memory;

/* False only when nothing can be said. What became of it is in the report: look at `prime.end`. */
bool jw_carry(const struct jw_carry_options *o, struct jw_carry_report *out, struct jw_carry_memory **memory,
              struct jw_err *err);
void jw_carry_free(struct jw_carry_memory *m); /* accepts NULL */

#endif
