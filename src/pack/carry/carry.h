/*
 * Copies entries of older driver builds for the current build. Only the stamp in the key changes, the machine code
 * stays. The driver cannot distinguish such an entry from its own, and compiler fixes do not reach it. So carry needs a
 * driver that ran such code correctly on this machine (level 4), copies from older to newer builds only, and records
 * each entry in a ledger until the driver compiled it again. driver-fact: F33-restamp-hits, F34-payload-unchecked,
 * F37-old-code-runs
 */
#ifndef PACK_CARRY_CARRY_H
#define PACK_CARRY_CARRY_H

#include "cache/format/carry_entry.h"
#include "cache/place/cachedir.h"
#include "jitwarm/prime.h"

enum jw_carry_state {
    JW_CARRY_CARRIED, /* in a dry run: would be carried */
    JW_CARRY_THERE,   /* the current build has this entry */
    JW_CARRY_NO_ROOM, /* does not fit under the limit or on the disk */
    JW_CARRY_REFUSED, /* `why` */
    JW_CARRY_STATES
};

/* "carried" "there" "no-room" "refused" */
const char *jw_carry_state_name(enum jw_carry_state s);

struct jw_carry_entry {
    uint64_t from, name;            /* the old entry, the new one; name 0: unknown */
    char stamp[JW_CACHE_STAMP + 1]; /* of the old build */
    char arch[12];
    uint64_t key_bytes, bytes; /* key; key + payload */
    uint64_t payload;          /* hash of the machine code */
    unsigned cuda;             /* compiler's CUDA version times 10; 0: unknown */
    enum jw_carry_state state;
    const char *why;
    bool doubtful; /* another entry may be of the same module: compute the new name to find out */
};

struct jw_carry_options {
    const char *cache; /* another root; NULL: the one that programs use */
    const char *const *gpus;
    size_t n_gpus;
    bool dry_run, undo, as_root;
    unsigned wait_s;
    const char *exe, *driver;
};

struct jw_carry_report {
    const struct jw_run *run; /* how it ended, notes and advice */
    struct jw_driver_here driver;
    struct jw_cache_here cache;
    bool proven;                    /* level 4 */
    bool played;                    /* on phantom, which runs no kernel */
    const char *unproven;           /* why it is not proven, or NULL */
    struct jw_carry_entry *entries; /* of older builds, the least useful first */
    size_t n_entries;
    uint64_t counts[JW_CARRY_STATES], carried_bytes;
    uint64_t newer;                  /* entries of newer builds, which are not carried */
    uint64_t removed, removed_bytes; /* undo */
};

/* False for internal errors only. All other results are in the report. */
bool jw_carry(struct jw_run *run, const struct jw_carry_options *o, struct jw_carry_report *out,
              struct jw_err *err);

/* ---- which entries (carry_choose.c, pure) ---- */

struct carry_choose_input {
    const struct jw_cache_listing *cache;
    const struct carry_compiler *compilers; /* of the files of `cache` */
    unsigned cuda;                          /* the driver's CUDA version times 10; 0: unknown */
    const char *stamp;                      /* of the current build */
    const uint16_t *sms;                    /* of the GPUs here */
    size_t n_sms;
};

/* Entries of older builds for these GPUs, the most useful first: newest build, then most PTX, which took longest to
 * compile. `*newer`: number of entries of newer builds. Branches compare by the compiler's CUDA version, builds of one
 * branch by date, because NVIDIA builds several branches at the same time. */
void carry_choose(const struct carry_choose_input *in, struct jw_arena *a, struct jw_carry_entry **list,
                  size_t *n, uint64_t *newer);

/* Keeps the first of several entries with the same new name, and none whose new name is already in the index. */
void carry_drop_doubles(struct jw_carry_entry *list, size_t n, const struct jw_cache_listing *cache);

/* Keeps what fits into `room`. Reverses the list: the most useful come last, because the driver evicts the oldest
 * first. */
void carry_fit(struct jw_carry_entry *list, size_t n, uint64_t room);

#endif
