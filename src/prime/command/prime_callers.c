/* Who calls a prime, and what it expects. */
#include "base/limits.h"
#include "driver/worker/identity.h"
#include "os/machine/env.h"
#include "os/process/child.h"
#include "os/process/process.h"
#include "prime/command/prime_args.h"

#include <stdio.h>

enum { INTUNE_BUSY = 1618, INTUNE_FAILURE = 1603, PROLOG_S = 60 };

static int never(int code)
{
    (void)code;
    return EXIT_DONE;
}

/* Intune tries again later: another installation is in progress. */
static int intune(int code)
{
    return code == EXIT_DONE ? EXIT_DONE : code == EXIT_BUSY ? INTUNE_BUSY : INTUNE_FAILURE;
}

static const struct prime_caller callers[] = {
    { .yes = false },
    { .time_box_s = PROLOG_S, .yes = true, .silent = true, .same_login = true, .exit_code = never },
    { .time_box_s = PROLOG_S,
      .yes = true,
      .silent = true,
      .same_login = true,
      .exports = true,
      .exit_code = never },
    { .yes = true, .silent = true, .exit_code = intune },
    { .yes = true, .same_login = true },
    { .queue = true },
    { .own = true },
};

const struct prime_caller *prime_caller(unsigned index)
{
    return &callers[index];
}

/* Slurm reads the line as it is, without quoting. */
static void print_export(struct cli *cli, const char *name, const char *value)
{
    jw_output_printf(&cli->out, "export %s=", name);
    jw_output_text(&cli->out, value);
    jw_output_text(&cli->out, "\n");
}

void prime_print_exports(struct cli *cli, const struct jw_prime_report *r)
{
    char limit[32];

    cli->out.muted = false; /* these lines are for the scheduler */
    if (!r->cache.root)
        return;
    print_export(cli, "CUDA_CACHE_PATH", r->cache.root);
    if (!r->cache.limit_known)
        return;
    (void)snprintf(limit, sizeof limit, "%llu", (unsigned long long)r->cache.limit);
    print_export(cli, "CUDA_CACHE_MAXSIZE", limit);
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
    if (!as_root && !user && jw_is_root_of_machine(cli->arena)) {
        jw_messages_say(
            &cli->messages,
            "nothing was primed: no user is behind this root (SUDO_USER is not set); each user runs jitwarm "
            "prime, and jitwarm startup install --system keeps that warm");
        jw_buf_free(&self);
        return EXIT_DONE;
    }
    if (!user && root && !jw_env(cli->arena, "HOME")) /* an update by the system: there is no login */
        user = "root";
    ok = ok && jw_detach(jw_buf_cstr(&self), argv, user, &err);
    if (ok)
        jw_messages_say(&cli->messages,
                        "a prime was started in the background; jitwarm status shows how far it is");
    else
        jw_messages_warn(&cli->messages, "%s; run jitwarm prime yourself", err.msg);
    jw_buf_free(&self);
    return EXIT_DONE;
}
