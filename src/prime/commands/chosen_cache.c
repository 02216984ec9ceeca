/* Remembers of a command which cache it chose itself, and how long it took cold and warm. The record stands with the
 * cache that programs use here, whichever cache the command uses. */
#include "prime/commands/watching.h"

#include "base/mem.h"
#include "base/path.h"
#include "facts/cache_choosers.h"
#include "machine/trust.h"
#include "os/machine/time.h"

#include <string.h>

enum { DAY_S = 24 * 60 * 60 };

/* Returns the cache whose records have the command; NULL: there is none. */
static const char *home_of(const struct prime *p)
{
    return jw_session_cache(p->run->session)->folder;
}

static const char *name_of(const struct prime *p)
{
    char *words = p->o->run ? jw_prime_command(p->o->run) : NULL;
    const char *name = p->o->profile ? p->o->profile : words ? jw_arena_str(p->run->a, words) : NULL;

    jw_free(words);
    return name;
}

/* Returns NULL where no start of the command was watched. */
static const struct jw_warm_command *recall(struct prime *p, const struct jw_warm_state **known)
{
    const char *home = p->run->session->cache ? NULL : home_of(p), *name = name_of(p);
    const struct jw_warm_command *c;

    if (!home || !name)
        return NULL;
    *known = jw_session_memory(p->run->session, home);
    c = jw_warm_command(*known, name);
    return c && c->when ? c : NULL;
}

/* Only entries of the driver that programs load now count: entries that NVRTC or the linker made for another
 * one cannot be made again. */
static bool has_loads(const struct prime *p, const struct jw_warm_state *known)
{
    const struct jw_driver_state *driver;

    return known->n_recorded && (driver = jw_session_driver_file(p->run->session)->known)
           && jw_warm_loads(known, name_of(p), driver->build);
}

/* Is there nothing to record in its next start? A start that used no driver says little of one on another day. */
static bool is_known(const struct prime *p, const struct jw_warm_command *c,
                     const struct jw_warm_state *known)
{
    if (*c->cache || jw_warm_profile(known, name_of(p)))
        return true;
    if (has_loads(p, known))
        return true;
    return !c->cold && !c->warm && jw_time_unix() - c->when <= DAY_S;
}

/* Was the command recorded with this driver, but with other GPUs or settings, or in another folder? Then what it loads
 * here is recorded again. */
static bool find_elsewhere(struct prime *p, const struct jw_warm_state *known, struct jw_err *err)
{
    const struct jw_driver_state *driver;
    const struct jw_warm_loads *then;
    struct jw_trace now;
    const char *what;

    if (!known->n_recorded || !(driver = jw_session_driver_file(p->run->session)->known)
        || !(then = jw_warm_machine(known, name_of(p), driver->build)))
        return true;
    if (!jw_session_machine(p->run->session, p->run->a, &now, err))
        return false;
    p->recorded_differs =
        prime_same_machine(then, &now, &what) == JW_TRACE_CHANGED || !prime_is_in_its_folder(then, p->run->a);
    return true;
}

/* A user who can rename a folder on the way to the cache chooses which cache is filled. If the cache is missing, the
 * first folder above it that exists is checked. */
bool prime_check_own_cache(struct prime *p, const char *cache, struct jw_err *err)
{
    const char *at = NULL, *folder = cache;
    struct jw_err why = { 0 };
    struct jw_tree held;
    struct jw_trust t;

    for (;; folder = jw_path_dir(p->run->a, folder)) {
        if (!jw_trust_check_path(folder, p->run->a, &held, &at, &t, err))
            return jw_wrap(err, "%s", folder);
        if (t.exists || strcmp(jw_path_dir(p->run->a, folder), folder) == 0)
            break;
    }
    jw_tree_close(&held);
    if (!at || jw_trust_own(&t, &why))
        return true;
    if (strcmp(at, cache) == 0)
        return prime_end(p, JW_END_PARTLY, "it uses a cache of its own, %s, which %s", cache, why.msg);
    return prime_end(p, JW_END_PARTLY, "it uses a cache of its own, %s, and the folder above it, %s, %s",
                     cache, at, why.msg);
}

bool prime_recall_command(struct prime *p, struct jw_err *err)
{
    const struct jw_warm_state *known = NULL;
    const struct jw_warm_command *c = recall(p, &known);

    if (c && !find_elsewhere(p, known, err))
        return false;
    p->out->start_known = c && !p->recorded_differs && is_known(p, c, known);
    p->out->start_again = c && !p->out->start_known;
    if (c && *c->cache) {
        p->ctx.cache.asked = c->cache;
        p->out->own_cache = true;
        prime_note(p, "the command uses a cache of its own: %s%s", c->cache,
                   jw_cache_chooser_words(c->cache, p->run->a));
    }
    return true;
}

bool prime_check_recalled(struct prime *p, struct jw_err *err)
{
    return !p->out->own_cache || prime_check_own_cache(p, p->ctx.cache.folder, err);
}

const char *prime_known_cache(struct prime *p)
{
    const struct jw_warm_state *known;
    const struct jw_warm_command *c = recall(p, &known);

    return c && *c->cache ? c->cache : NULL;
}

void prime_remember_command(struct prime *p, const char *cache)
{
    const struct jw_command_seen *s = &p->out->seen;
    const char *home = home_of(p), *name = name_of(p);
    struct jw_warm_log *opened = NULL, *log;
    const struct jw_warm_command *before;
    struct jw_warm_command c;
    struct jw_warm_holder holder;
    enum jw_warm_kind kind;
    struct jw_err why = { 0 };

    if (!home || !name || (!p->out->start_whole && !(cache && *cache)))
        return;
    if (!p->out->start_milliseconds && !(cache && *cache) && s->witness.may_have
        && s->answer != JW_WITNESS_NOTHING)
        return; /* a record without a time counts as a start that used no driver, or that loads no module */
    jw_session_changed(p->run->session);
    log = strcmp(home, p->ctx.cache.folder) == 0 ? p->ctx.cache.log : NULL;
    if (!log && jw_session_lock(p->run->session, home, &opened, &holder, &why))
        log = opened; /* none: another jitwarm is at work, and the next start is remembered instead */
    before = log ? NULL : jw_warm_command(jw_session_memory_now(p->run->session, home), name);
    c = log      ? jw_warm_recall_command(log, name)
        : before ? *before
                 : (struct jw_warm_command){ .key = name, .cache = "" };
    /* A profile may be long. It is written again once a day: of too many, those that were written last are kept. */
    kind = c.when / DAY_S == jw_time_unix() / DAY_S ? JW_WARM_STARTED : JW_WARM_COMMAND;
    c.cache = cache ? cache : c.cache;
    c.when = jw_time_unix();
    if (p->out->start_whole && p->out->start_first)
        c.cold = p->out->start_milliseconds;
    if (p->out->start_whole && p->out->start_milliseconds && s->answer == JW_WITNESS_NOTHING)
        c.warm = p->out->start_milliseconds;
    p->out->cold_milliseconds = c.cold;
    p->out->warm_milliseconds = c.warm;
    if (why.code || (log && !jw_warm_add(log, &(struct jw_warm_fact){ kind, .as.command = c }, &why)))
        prime_note(p, "the command could not be remembered: %s", why.msg);
    jw_warm_close(opened);
}
