/* A prune's report, in numbers. */
#ifndef CACHE_PRUNE_PRUNE_GROUPS_H
#define CACHE_PRUNE_PRUNE_GROUPS_H

#include "cache/place/cachedir.h"
#include "cache/prune/prune.h"
#include "cache/prune/prune_plan.h"

/* `out->groups`: what goes, and what stays although this driver does not use it. */
void prune_group(const struct jw_cache_listing *l, const struct jw_prune_plan *plan, struct jw_arena *a,
                 struct jw_prune_report *out);

/* Sums by why, and of all that goes. */
void prune_sum_up(const struct jw_cache_listing *l, const struct jw_prune_plan *plan,
                  struct jw_prune_report *out);

#endif
