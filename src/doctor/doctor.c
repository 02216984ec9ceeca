#include "doctor/doctor.h"

#include "base/num.h"
#include "base/path.h"
#include "cache/place/cache_disk.h"
#include "facts/driver_settings.h"
#include "machine/login.h"
#include "machine/run.h"
#include "setup/setup.h"

/* Do programs with this value compile at every start? */
static bool harms(enum jw_driver_variable which, const char *there, const struct jw_compared *c)
{
    if (which == JW_VAR_CACHE_MAXSIZE)
        return jw_cache_limit_read(there, c->driver) < JW_CACHE_SMALLEST;
    if (which == JW_VAR_CACHE_PATH)
        return c->no_place;
    return which < JW_VAR_DISABLE_PTX_JIT && jw_switch_is_on(there);
}

/* Does a login have the same value, or a limit that is large enough, too? */
static bool is_same(enum jw_driver_variable which, const struct jw_compared *c)
{
    const char *here = c->here[which];
    const char *there = c->there[which];

    if (jw_setting_same(which, here, there, c->driver))
        return true;
    if (which != JW_VAR_CACHE_MAXSIZE || harms(which, there, c))
        return false;
    uint64_t enough = jw_min(c->needed, jw_cache_limit_read(here, c->driver));

    return jw_cache_limit_read(there, c->driver) >= enough;
}

struct jw_facts_login jw_doctor_compare(const struct jw_compared *c)
{
    struct jw_facts_login first = {0};

    for (enum jw_driver_variable i = 0; i < JW_DRIVER_VARIABLES && !first.harms; i++) {
        bool has_one = first.there || first.here;

        if (is_same(i, c) || (has_one && !harms(i, c->there[i], c)))
            continue;
        first.which = i;
        first.there = c->there[i];
        first.here = c->here[i];
        first.harms = harms(i, c->there[i], c);
    }
    return first;
}

/* In a container nobody logs in, and with --cache another cache was asked for. */
static bool ask_login(struct jw_run *run, struct jw_look *l, struct jw_err *err)
{
    const char *here[JW_DRIVER_VARIABLES];
    struct jw_cache_disk p = {.may_write = true};
    struct jw_login login;
    const char *start;

    if (l->machine->container.inside || run->session->cache)
        return true;
    if (!jw_login_variables(jw_driver_variables, JW_DRIVER_VARIABLES, run->interrupted, run->a,
                            &login, err))
        return false;
    for (size_t i = 0; i < JW_DRIVER_VARIABLES; i++)
        here[i] = jw_env(run->a, jw_driver_variables[i]);
    if (!login.known)
        return true;
    const char *path = login.values[JW_VAR_CACHE_PATH];

    if (path)
        jw_cache_disk(path, run->a, &p);
    const struct jw_compared c = {.here = here,
                                  .there = login.values,
                                  .no_place = path && (!jw_path_absolute(path) || !p.may_write),
                                  .driver = l->scope.version,
                                  .needed = jw_look_facts(l).found.needed};
    struct jw_facts_login *out = &l->seen.login;

    *out = jw_doctor_compare(&c);
    if (jw_text_same(jw_env_written(jw_driver_variables[out->which], run->a), out->here))
        out->line = jw_env_line(run->a, &start);
    return true;
}

bool jw_doctor(struct jw_run *run, const struct jw_want *want, struct jw_prime *out,
               struct jw_err *err)
{
    const struct jw_prime_options o = {.form = JW_PRIME_LOAD, .want = *want};
    const struct jw_probe_report *of_driver; /* which starts, where it can */

    if (!jw_session_probe(run->session, &of_driver, err) || !jw_prime_begin(run, &o, out, err))
        return false;
    if (!run->ended && !ask_login(run, out->look, err))
        return false;
    return jw_prime_finish(out, err);
}

bool jw_doctor_start(struct jw_run *run, const struct jw_texts *command, bool output_to_errors,
                     struct jw_doctor_start *out, struct jw_err *err)
{
    const struct jw_want want = {.command = *command};
    const struct jw_watch_how how = {.words = command->v, .output_to_errors = output_to_errors};
    struct jw_watched w = {0};
    bool ok = jw_watch_run(run, &how, &w, err);

    out->seen = w.seen;
    out->cache = w.seen.start.cache ? w.seen.start.cache : w.cache;
    jw_watched_free(&w);
    if (!ok)
        return false;
    out->facts = jw_scope_facts(run->session, &want, run->a);
    out->facts.start = out->seen.start;
    return true;
}
