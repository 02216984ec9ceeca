/*
 * Finds processes with other settings than a new login: shells, services, programs that use the driver. Does not see
 * what a shell has set since it started. Linux only.
 */
#ifndef ENV_ENV_RUNNING_H
#define ENV_ENV_RUNNING_H

#include "base/bytes.h"
#include "env/env_quote.h"
#include "machine/list.h"

enum jw_env_run_kind { JW_ENV_RUN_SERVICE, JW_ENV_RUN_CUDA, JW_ENV_RUN_SHELL };

struct jw_env_running {
    enum jw_env_run_kind kind;
    unsigned long pid;
    const char *name;     /* of the program, or of the service: "ollama.service" */
    const char *variable; /* the first that differs */
    const char *value;    /* its value, or NULL */
};

struct jw_env_runnings {
    struct jw_env_running *v; /* services once each, then programs, then shells */
    size_t n;
};

/* `proc`: "/proc" but in tests. NULL in `wanted`: unset. `everybody`: other users' processes, too. */
void jw_env_running(const char *proc, const struct jw_env_setting *wanted, size_t n, bool everybody,
                    struct jw_arena *a, struct jw_env_runnings *out);

/* ---- pure parts ---- */

/* Of "A=1\0B=2\0": the value of `name`, borrowed, `n` bytes; NULL: unset. */
const char *jw_env_block_value(struct jw_bytes block, const char *name, size_t *n);

#endif
