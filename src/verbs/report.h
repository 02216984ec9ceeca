/* The data of a report about this machine, written as HTML. */
#ifndef VERBS_REPORT_H
#define VERBS_REPORT_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_gpu {
    const char *name, *arch;
};

struct report_software { /* on one GPU */
    const char *name, *gpu, *verdict, *what;
    uint64_t ptx_bytes;
};

struct report_module {
    const char *kernel, *name, *arch; /* kernel: its first, by its plain name */
    uint64_t milliseconds, ptx_bytes;
};

struct report_command {               /* that was recorded: what it loads is known */
    const char *words, *when, *times; /* of its starts */
    uint64_t modules;
};

struct report_build { /* entries of the cache, of one driver build and architecture */
    const char *build, *arch, *state;
    uint64_t entries, bytes;
};

struct report_finding {
    const char *severity, *text, *consequence, *fix, *command;
};

/* Texts are never NULL; "" is unknown. */
struct report_machine {
    const char *name, *made, *version, *driver, *cache, *warm;
    bool primed;
    uint64_t compiled;                 /* this driver's modules in the cache */
    uint64_t cache_bytes, cache_limit; /* limit 0: unknown */
    struct report_gpu *gpus;
    size_t n_gpus;
    struct report_software *software;
    size_t n_software;
    struct report_module *slowest;
    size_t n_slowest;
    struct report_build *builds;
    size_t n_builds;
    struct report_finding *findings;
    size_t n_findings;
    struct report_command *commands;
    size_t n_commands;
    const char **next; /* commands */
    size_t n_next;
};

void report_write_html(struct jw_buf *out, const struct report_machine *m);

#endif
