#include "cache/prune/prune_plan.h"

#include "check.h"

#include <stdio.h>

#define HERE "Jan  7 202622:51:46"
#define OTHER "Jun 14 202515:40:11"
#define SIMULATED "Jan  7 202662:51:46" /* no clock has such an hour */
#define NOW 1800000000

enum { HOUR = 3600, DAY = 24 * HOUR };

static const char *const here[] = { HERE }, *const two[] = { HERE, OTHER },
                         *const simulated[] = { SIMULATED };
static const struct jw_cache_listing whole = { .index_found = true }, lost = { .index_found = false },
                                     damaged = { .index_found = true, .index_damage = "torn" };

static struct jw_cache_file file(const char *stamp, int64_t age)
{
    struct jw_cache_file f = { .kind = JW_CACHE_CUDA, .mtime = (NOW - age) * 1000000000, .indexed = true };

    (void)snprintf(f.stamp, sizeof f.stamp, "%s", stamp);
    return f;
}

static void is(const struct jw_cache_listing *l, const char *const *stamps, size_t n, struct jw_cache_file f,
               enum jw_prune_why why)
{
    const struct jw_prune_facts facts = { .list = l, .stamps = stamps, .n_stamps = n, .now = NOW };

    CHECK_TEXT(jw_prune_why_names[jw_prune_why_of(&facts, &f)], jw_prune_why_names[why]);
}

TEST(old_is_what_no_driver_here_made)
{
    struct jw_prune_facts facts = {
        .list = &whole, .stamps = here, .n_stamps = 1, .now = NOW, .shared = true
    };
    struct jw_cache_file f = file(OTHER, HOUR);

    is(&whole, here, 1, file(HERE, 9 * DAY), JW_PRUNE_KEEP);
    is(&whole, here, 1, file(OTHER, HOUR), JW_PRUNE_OLD);
    is(&whole, two, 2, file(OTHER, HOUR), JW_PRUNE_KEEP);
    is(&whole, NULL, 0, file(OTHER, HOUR), JW_PRUNE_KEEP);      /* no driver is known */
    is(&whole, simulated, 1, file(OTHER, HOUR), JW_PRUNE_KEEP); /* a rehearsal */
    is(&whole, here, 1, file("", HOUR), JW_PRUNE_KEEP);
    f.kind = JW_CACHE_NVVM;
    is(&whole, here, 1, f, JW_PRUNE_KEEP);
    f.kind = JW_CACHE_CUDA;
    CHECK_NUM(jw_prune_why_of(&facts, &f), JW_PRUNE_KEEP); /* of another machine */
}

TEST(damaged_is_what_nobody_is_writing)
{
    struct jw_cache_file f = file(HERE, 61);

    f.damage = "torn";
    is(&whole, here, 1, f, JW_PRUNE_DAMAGED);
    f.mtime += 2000000000;
    is(&whole, here, 1, f, JW_PRUNE_KEEP);
    f.mtime += (int64_t)DAY * 1000000000; /* the clock was set back */
    is(&whole, here, 1, f, JW_PRUNE_KEEP);
    f = file(HERE, DAY);
    f.damage = "cannot be read";
    f.unread = true;
    is(&whole, here, 1, f, JW_PRUNE_KEEP);
}

TEST(unindexed_for_a_day_is_found_by_nobody)
{
    struct jw_cache_file f = file(HERE, DAY + 1), young = file(HERE, DAY - 1);

    f.indexed = young.indexed = false;
    is(&whole, here, 1, f, JW_PRUNE_UNINDEXED);
    is(&whole, here, 1, young, JW_PRUNE_KEEP);
    is(&lost, here, 1, f, JW_PRUNE_KEEP);
    is(&damaged, here, 1, f, JW_PRUNE_KEEP);
}

TEST(all_but_what_cannot_be_read)
{
    struct jw_prune_facts facts = { .list = &whole, .stamps = here, .n_stamps = 1, .now = NOW, .all = true };
    struct jw_cache_file f = file(HERE, 0);

    CHECK_NUM(jw_prune_why_of(&facts, &f), JW_PRUNE_ALL);
    f.unread = true;
    CHECK_NUM(jw_prune_why_of(&facts, &f), JW_PRUNE_KEEP);
}
