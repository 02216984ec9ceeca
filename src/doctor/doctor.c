#include "doctor/doctor.h"

#include "base/num.h"
#include "base/path.h"
#include "cache/place/cache_disk.h"
#include "facts/driver_settings.h"
#include "machine/login.h"
#include "machine/run.h"
#include "prime/prove.h"
#include "setup/setup.h"

/* The first, but one that harms programs whatever is in the cache goes before. */
void jw_doctor_compare(const char *const *here, const char *const *there, bool no_place,
                       struct jw_facts *f)
{
    const char *driver = f->scope.version;

    for (enum jw_driver_variable i = 0; i < JW_DRIVER_VARIABLES && !f->login.harms; i++) {
        uint64_t limit = jw_cache_limit_read(there[i], driver);
        bool is_limit = i == JW_VAR_CACHE_MAXSIZE;
        bool small = limit < JW_CACHE_SMALLEST;
        bool harms = is_limit ? small
                     : i == JW_VAR_CACHE_PATH
                         ? no_place
                         : i < JW_VAR_DISABLE_PTX_JIT && jw_switch_is_on(there[i]);
        bool enough =
            is_limit && limit >= jw_min(f->found.needed, jw_cache_limit_read(here[i], driver));

        if ((enough && !small) || jw_setting_same(i, here[i], there[i], driver)
            || ((f->login.there || f->login.here) && !harms))
            continue;
        f->login.which = i;
        f->login.there = there[i];
        f->login.here = here[i];
        f->login.harms = harms;
    }
}

/* In a container nobody logs in, and with --cache another cache was asked for. */
static bool ask_login(struct jw_run *run, struct jw_facts *f, struct jw_err *err)
{
    const char *here[JW_DRIVER_VARIABLES];
    struct jw_cache_disk p = { .may_write = true };
    struct jw_login login;
    const char *start;

    if (f->container.inside || run->session->cache)
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
    jw_doctor_compare(here, login.values, path && (!jw_path_absolute(path) || !p.may_write), f);
    if (jw_text_same(jw_env_written(jw_driver_variables[f->login.which], run->a), f->login.here))
        f->login.line = jw_env_line(run->a, &start);
    return true;
}

bool jw_doctor(struct jw_run *run, const struct jw_texts *paths, struct jw_look *l,
               struct jw_err *err)
{
    const struct jw_want want = { .paths = *paths };
    struct jw_hold hold = { .run = run };
    struct jw_err why = { 0 };
    const struct jw_probe_report *of_driver; /* which starts, where it can */

    if (!jw_session_probe(run->session, &of_driver, err)
        || !jw_scope_find(run, &want, JW_ASKS_DOCTOR, l, err) || !jw_look(run, l, err))
        return false;
    if (!run->ended && !ask_login(run, &l->facts, err))
        return false;
    if (run->ended || jw_cause_of(&l->facts, l->asker) || !l->facts.answer.warm)
        return true;

    bool ok = jw_prove(run, l, &hold, &why) || jw_run_end_by(run, &why, err);

    jw_hold_end(&hold);
    return ok;
}
