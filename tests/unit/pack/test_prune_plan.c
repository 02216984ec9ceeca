#include "pack/prune/prune.h"

#include "check.h"

#define HERE "Jan  7 202622:51:46"
#define OTHER "Jun 14 202515:40:11"
#define SIMULATED "Jan  7 202662:51:46" /* no clock has such an hour */
#define NOW 1800000000

enum { HOUR = 3600, DAY = 24 * HOUR };

static const struct jw_driver_state a = {.stamp = HERE}, b = {.stamp = OTHER},
                                    c = {.stamp = SIMULATED};
static const struct jw_driver_state *here[] = {&a}, *two[] = {&a, &b}, *simulated[] = {&c};

static struct jw_cache_file file(const char *stamp, int64_t age)
{
    struct jw_cache_file f = {.kind = JW_CACHE_CUDA, .mtime = (NOW - age) * 1000000000};

    (void)snprintf(f.stamp, sizeof f.stamp, "%s", stamp);
    return f;
}

static void is(const struct jw_driver_state **builds, size_t n, struct jw_cache_file f,
               enum jw_prune_why why)
{
    const struct jw_prune_facts facts = {.here = builds, .n_here = n, .now = NOW};

    CHECK_TEXT(jw_prune_why_names[jw_prune_why_of(&facts, &f)], jw_prune_why_names[why]);
}

TEST(old_is_what_no_driver_here_made)
{
    struct jw_prune_facts facts = {.here = here, .n_here = 1, .now = NOW, .shared = true};
    struct jw_cache_file f = file(OTHER, HOUR);

    is(here, 1, file(HERE, 9 * DAY), JW_PRUNE_KEEP);
    is(here, 1, file(OTHER, HOUR), JW_PRUNE_OLD);
    is(two, 2, file(OTHER, HOUR), JW_PRUNE_KEEP);
    is(NULL, 0, file(OTHER, HOUR), JW_PRUNE_KEEP);      /* no driver is known */
    is(simulated, 1, file(OTHER, HOUR), JW_PRUNE_KEEP); /* a rehearsal */
    is(here, 1, file("", HOUR), JW_PRUNE_KEEP);
    f.kind = JW_CACHE_NVVM;
    is(here, 1, f, JW_PRUNE_KEEP);
    f.kind = JW_CACHE_CUDA;
    CHECK_NUM(jw_prune_why_of(&facts, &f), JW_PRUNE_KEEP); /* of another machine */
}

TEST(damaged_is_what_nobody_is_writing)
{
    struct jw_cache_file f = file(HERE, 61);

    f.damage = "torn";
    is(here, 1, f, JW_PRUNE_DAMAGED);
    f.mtime += 2000000000;
    is(here, 1, f, JW_PRUNE_KEEP);
    f.mtime += (int64_t)DAY * 1000000000; /* the clock was set back */
    is(here, 1, f, JW_PRUNE_KEEP);
    f = file(HERE, DAY);
    f.damage = "cannot be read";
    f.unread = true;
    is(here, 1, f, JW_PRUNE_KEEP);
}

TEST(all_but_what_cannot_be_read)
{
    struct jw_prune_facts facts = {.here = here, .n_here = 1, .now = NOW, .all = true};
    struct jw_cache_file f = file(HERE, 0);

    CHECK_NUM(jw_prune_why_of(&facts, &f), JW_PRUNE_ALL);
    f.unread = true;
    CHECK_NUM(jw_prune_why_of(&facts, &f), JW_PRUNE_KEEP);
}
