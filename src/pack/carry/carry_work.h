/* The inside of carry. It walks like a prime, and shares its steps where they are the same. */
#ifndef PACK_CARRY_CARRY_WORK_H
#define PACK_CARRY_CARRY_WORK_H

#include "pack/carry/carry.h"
#include "prime/prime_work.h"

struct carrying {
    const struct jw_carry_options *o;
    struct jw_carry_report *out;
    struct prime p;
    struct jw_publisher *publisher;
    uint64_t done, total; /* bytes */
};

/* What was carried, and is there as it was put there, goes; the ledger forgets it. */
bool carry_undo(struct carrying *c, struct jw_err *err);

#endif
