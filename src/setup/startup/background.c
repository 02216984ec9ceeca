#include "setup/startup/background.h"

#include "base/buf.h"
#include "base/limits.h"
#include "cache/memory/trace.h"
#include "os/machine/env.h"
#include "os/process/child.h"
#include "os/process/process.h"

/* Nothing is loaded, and no GPU is woken: a package's script waits for it. */
static bool driver_is_here(struct jw_session *s)
{
    struct jw_trace machine;
    struct jw_err ignored;

    return jw_session_gpus(s)->driver || !jw_session_machine(s, s->a, &machine, &ignored)
           || jw_trace_has_driver(&machine);
}

bool jw_background_prime(struct jw_session *s, bool as_root, const char **says)
{
    struct jw_buf self = JW_BUF_IN(s->a, JW_MAX_PATH);
    bool root = jw_process_elevated() && !jw_os_is_windows();
    const char *user = root && !as_root ? jw_env(s->a, "SUDO_USER") : NULL;
    const char *const argv[] = { "jitwarm", "prime", "--background",
                                 "--quiet", "--yes", as_root ? "--as-root" : NULL,
                                 NULL };
    struct jw_err err = { 0 };

    user = user && *user ? user : NULL;
    if (!as_root && !user && jw_session_is_root(s)) {
        *says = "nothing was primed: no user is behind this root (SUDO_USER is not set); each user runs "
                "jitwarm prime, and "
                "jitwarm startup install --system keeps that warm";
        return true;
    }
    if (!driver_is_here(s)) {
        *says = "nothing was started: there is no NVIDIA driver here; when there is one, run jitwarm prime";
        return true;
    }
    if (!user && root && !jw_env(s->a, "HOME")) /* an update by the system: there is no login */
        user = "root";
    if (!jw_process_self(&self, &err) || !jw_detach(jw_buf_cstr(&self), argv, user, &err)) {
        *says = jw_arena_printf(s->a, "%s; run jitwarm prime yourself", err.msg);
        return false;
    }
    *says = "a prime was started in the background; jitwarm status shows how far it is, and how it ended";
    return true;
}
