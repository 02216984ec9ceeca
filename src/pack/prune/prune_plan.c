#include "pack/prune/prune.h"

#include <string.h>

enum { WRITING_S = 60 /* a driver writes an entry in milliseconds; a slower writer has died */ };

#define NS ((int64_t)1000000000)

const char *const jw_prune_why_names[] = {[JW_PRUNE_KEEP] = "keep",
                                          [JW_PRUNE_DAMAGED] = "damaged",
                                          [JW_PRUNE_OLD] = "old",
                                          [JW_PRUNE_ALL] = "all"};
JW_ROW_FOR_EACH(jw_prune_why_names, JW_PRUNE_WHYS, 4);

/* The tests' simulated driver never makes entries of a real one old. */
static bool is_old(const struct jw_prune_facts *facts, const struct jw_cache_file *f)
{
    if (f->kind != JW_CACHE_CUDA || !*f->stamp || !facts->n_here || facts->shared)
        return false;
    if (jw_stamp_simulated(facts->here[0]->stamp) && !jw_stamp_simulated(f->stamp))
        return false;
    for (size_t i = 0; i < facts->n_here; i++)
        if (strcmp(facts->here[i]->stamp, f->stamp) == 0)
            return false;
    return true;
}

enum jw_prune_why jw_prune_why_of(const struct jw_prune_facts *facts, const struct jw_cache_file *f)
{
    if (f->unread)
        return JW_PRUNE_KEEP;
    if (facts->all)
        return JW_PRUNE_ALL;
    if (f->damage) /* a clock that was set back makes it younger, never older */
        return facts->now - f->mtime / NS > WRITING_S ? JW_PRUNE_DAMAGED : JW_PRUNE_KEEP;
    return is_old(facts, f) ? JW_PRUNE_OLD : JW_PRUNE_KEEP;
}
