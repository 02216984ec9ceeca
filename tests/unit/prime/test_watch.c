/* What a start did, by the entries that it opened and made. The driver's part is asked of real
 * drivers (tests/real/commands.py). */
#include "prime/watch.h"

#include "check.h"
#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"
#include "session/session.h"

static void count_endings(void *ctx, const struct jw_progress *p)
{
    *(unsigned *)ctx += p->phase == JW_PHASE_OTHER && !p->at;
}

static bool uses(const struct jw_watched *w, uint64_t name)
{
    const struct jw_cache_file *f = jw_cache_file_find(&w->after, name);

    return f && jw_watched_uses(w, f);
}

/* Of three entries the command opens two, and writes the third again, and one without a key.
 * Another command opens none. */
TEST_ARENA(entries_that_are_opened_or_made_are_seen)
{
    if (jw_os_is_windows())
        SKIP("Windows does not show which files programs open");
    set_variable("JITWARM_STATE", scratch("state"));

    struct cache c = cache_make(a, "cache");
    uint64_t name[3];
    FREED(jw_watched) w = {0};

    for (unsigned i = 0; i < 3; i++)
        name[i] = cache_add(&c, CACHE_NOW, "sm_86", i, 500);
    cache_done(&c);

    struct jw_session s = {.a = a, .cache = c.folder};
    unsigned endings = 0; /* of the progress line, so that the command's output does not meet it */
    struct jw_run run = {.session = &s, .a = s.a, .progress = count_endings, .ctx = &endings};
    const char *line = jw_arena_printf(a,
                                       "cd '%s' && mkdir c c/b && echo >c/b/f29ce484222325 && : < "
                                       "%s && cat %s > new && mv new %s && exit 3",
                                       c.folder, jw_cache_name(name[0]).text,
                                       jw_cache_name(name[1]).text, jw_cache_name(name[2]).text);
    struct jw_watch_how how = {.words = (const char *const[]){"sh", "-c", line, NULL}};

    CHECK_OK(jw_watch_run(&run, &how, &w, &err), err);
    CHECK(w.uses == JW_USES_SEEN);
    CHECK(uses(&w, name[0]) && uses(&w, name[1]) && uses(&w, name[2]));
    CHECK_NUM(w.seen.loaded[JW_CACHE_CUDA], 3);
    CHECK_NUM(w.seen.made[JW_CACHE_CUDA], 2);
    CHECK(w.seen.start.state == JW_START_COMPILED && !w.seen.start.own_compilers
          && w.seen.code == 3);
    CHECK_NUM(endings, 1);
    jw_watched_free(&w);
    how.words = (const char *const[]){"true", NULL};
    CHECK_OK(jw_watch_run(&run, &how, &w, &err), err);
    CHECK(!uses(&w, name[0]) && w.seen.start.state == JW_START_UNKNOWN && w.seen.why);
}
