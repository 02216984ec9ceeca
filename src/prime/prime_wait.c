/* Makes a background prime (--if-stale --background) wait until the machine is not busy. It reads small files only, so
 * no driver is loaded and no sleeping GPU wakes. */
#include "prime/prime_work.h"

#include "os/machine/memory.h"
#include "os/machine/time.h"

enum { LOOK_MS = 500, LOOKS_EACH = 10, PATIENCE_S = 600, NS_PER_S = 1000000000 };

bool prime_by_itself(const struct prime *p)
{
    return p->o->if_stale && p->o->background && !p->o->dry_run && !p->o->verify_only;
}

struct quiet_facts prime_quiet_look(const struct prime *p)
{
    struct quiet_facts f = { .power = JW_POWER_UNKNOWN };
    struct jw_memory m = { 0 };
    struct jw_err ignored;
    const char *sysroot = p->o->sysroot ? p->o->sysroot : "";

    if (!jw_power_look(sysroot, &f.power, &ignored))
        f.power = JW_POWER_UNKNOWN;
    if (!jw_pressure_look(sysroot, &f.pressure, &ignored))
        f.pressure = (struct jw_pressure){ 0 };
    f.short_of_memory = jw_memory_look(sysroot, &m, &ignored) && jw_memory_pressed(&m);
    return f;
}

/* Other runs may use the cache meanwhile. */
static bool let_go(struct prime *p, const char **why, struct jw_err *err)
{
    uint64_t began = jw_time_monotonic_ns(), waited = 0;

    jw_warm_close(p->here.cache.log);
    p->here.cache.log = NULL;
    while (*why && waited < (uint64_t)PATIENCE_S * NS_PER_S) {
        for (unsigned i = 0; i < LOOKS_EACH; i++) {
            if (prime_interrupted(p->run, &p->here))
                return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
            jw_time_sleep_ms(LOOK_MS);
        }
        struct quiet_facts f = prime_quiet_look(p);

        waited = jw_time_monotonic_ns() - began;
        *why = quiet_to_begin(&f, waited);
    }
    return true;
}

bool prime_wait_quiet(struct prime *p, struct jw_err *err)
{
    struct quiet_facts f;
    const char *why;

    if (!prime_by_itself(p))
        return true;
    f = prime_quiet_look(p);
    why = quiet_to_begin(&f, 0);
    if (!why)
        return true;
    if (f.power == JW_POWER_BATTERY)
        return prime_end(p, JW_END_WAITING, "%s", why);
    prime_notify(p->run, JW_PHASE_ASK_DRIVER, why);
    if (!let_go(p, &why, err))
        return false;
    if (why)
        return prime_end(p, JW_END_WAITING, "%s; the next run tries again", why);
    if (!prime_take_lock(p->run, &p->here, err))
        return false;
    if (p->run->ended)
        return true;
    jw_warm_load(p->here.cache.dir.root, p->run->a,
                 &p->here.cache.memory); /* what another prime recorded meanwhile */
    return prime_check_receipt(p, err);
}
