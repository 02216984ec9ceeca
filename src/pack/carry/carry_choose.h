/* Chooses the entries to carry. Pure functions. */
#ifndef PACK_CARRY_CARRY_CHOOSE_H
#define PACK_CARRY_CARRY_CHOOSE_H

#include "base/arena.h"
#include "cache/format/carry_entry.h"
#include "cache/place/cachedir.h"
#include "pack/carry/carry.h"

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
