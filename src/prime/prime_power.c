/* A background run (--if-stale --background) leaves a battery alone. It reads small files only, so no sleeping GPU wakes. */
#include "prime/prime_work.h"

#include "os/machine/power.h"

bool prime_is_background(const struct prime *p)
{
    return p->o->if_stale && p->o->background && !p->o->dry_run && !p->o->verify_only;
}

bool prime_on_battery(const struct prime *p)
{
    enum jw_power power = JW_POWER_UNKNOWN;
    struct jw_err ignored;

    return jw_power_look(jw_session_sysroot(p->run->session), &power, &ignored) && power == JW_POWER_BATTERY;
}

bool prime_wait_power(struct prime *p, struct jw_err *err)
{
    (void)err;
    return !prime_is_background(p) || !prime_on_battery(p)
           || prime_end(p, JW_END_WAITING, "%s", PRIME_ON_BATTERY);
}
