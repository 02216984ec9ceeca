/* prime --post-install, as a package's script calls it. */
#include "base/limits.h"
#include "cache/memory/trace.h"
#include "os/machine/env.h"
#include "os/process/child.h"
#include "os/process/process.h"
#include "verbs/prime.h"

/* Nothing is loaded, and no GPU is woken: a package's script waits for it. */
static bool driver_is_here(struct cli *cli)
{
    struct jw_trace machine;
    struct jw_err ignored;

    return jw_session_gpus(&cli->session)->driver
           || !jw_session_machine(&cli->session, cli->arena, &machine, &ignored)
           || jw_trace_has_driver(&machine);
}

/* Reports a failure, but never fails: it must not fail the package's installation. */
int prime_in_background(struct cli *cli, bool as_root)
{
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    bool root = jw_process_elevated() && !jw_os_is_windows();
    const char *user = root && !as_root ? jw_env(cli->arena, "SUDO_USER") : NULL;
    struct jw_err err = { 0 };
    bool ok = jw_process_self(&self, &err);
    const char *const argv[] = { "jitwarm", "prime", "--background",
                                 "--quiet", "--yes", as_root ? "--as-root" : NULL,
                                 NULL };

    user = user && *user ? user : NULL;
    if (!as_root && !user && jw_session_is_root(&cli->session)) {
        jw_messages_say(
            &cli->messages,
            "nothing was primed: no user is behind this root (SUDO_USER is not set); each user runs jitwarm "
            "prime, and jitwarm startup install --system keeps that warm");
        jw_buf_free(&self);
        return EXIT_DONE;
    }
    if (!driver_is_here(cli)) {
        jw_messages_say(
            &cli->messages,
            "nothing was started: there is no NVIDIA driver here; when there is one, run jitwarm prime");
        jw_buf_free(&self);
        return EXIT_DONE;
    }
    if (!user && root && !jw_env(cli->arena, "HOME")) /* an update by the system: there is no login */
        user = "root";
    ok = ok && jw_detach(jw_buf_cstr(&self), argv, user, &err);
    if (ok)
        jw_messages_say(
            &cli->messages,
            "a prime was started in the background; jitwarm status shows how far it is, and how it ended");
    else
        jw_messages_warn(&cli->messages, "%s; run jitwarm prime yourself", err.msg);
    jw_buf_free(&self);
    return EXIT_DONE;
}
