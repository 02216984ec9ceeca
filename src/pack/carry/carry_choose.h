/* Which entries are worth carrying: pure. */
#ifndef PACK_CARRY_CARRY_CHOOSE_H
#define PACK_CARRY_CARRY_CHOOSE_H

#include "base/arena.h"
#include "cache/format/carry_entry.h"
#include "cache/place/cachedir.h"
#include "pack/carry/carry.h"

struct carry_choose_input {
    const struct jw_cache_listing *cache;
    const struct carry_compiler *compilers; /* of the files of `cache` */
    unsigned cuda;       /* version that the driver reports, ten times it; 0: it is not known */
    const char *stamp;   /* of the current build */
    const uint16_t *sms; /* for which there are GPUs */
    size_t n_sms;
};

/* Entries that older builds made for these GPUs, what is worth most first: of the newest build, and with most PTX, for that
 * took longest. `*newer`: entries of later builds, which are not in the list. A branch of the driver is told by the CUDA version
 * of its compiler, two builds of one branch by their dates: 470 is still built while 550 is. */
void carry_choose(const struct carry_choose_input *in, struct jw_arena *a, struct jw_carry_entry **list,
                  size_t *n, uint64_t *newer);

/* Of two that would get the same name the first is kept; one whose name a sound entry of the index has is not needed. */
void carry_drop_doubles(struct jw_carry_entry *list, size_t n, const struct jw_cache_listing *cache);

/* Then: what fits into `room`, as the driver counts. And the other way round: what is worth most comes last, for the driver
 * seems to evict the oldest first. */
void carry_fit(struct jw_carry_entry *list, size_t n, uint64_t room);

#endif
