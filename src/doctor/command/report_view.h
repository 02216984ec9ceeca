/* The data of a report about this machine, written as HTML and Markdown. */
#ifndef DOCTOR_COMMAND_REPORT_VIEW_H
#define DOCTOR_COMMAND_REPORT_VIEW_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPORT_SLOWEST = 5 };

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
void report_write_md(struct jw_buf *out, const struct report_machine *m);

/* ---- words that both forms share ---- */

enum { REPORT_TEXT = 1 << 16, REPORT_FACTS = 5 };

struct jw_words report_size(uint64_t bytes);      /* "12.3 MiB"; nothing for 0 */
struct jw_words report_ms(uint64_t milliseconds); /* "1 min 5 s", "0.3 s" */
const char *report_severity(const char *word);    /* "Problem", "Warning", "Note" */

/* Returns the label of the i-th fact about a machine; `value` empty: unknown. */
const char *report_fact(const struct report_machine *m, size_t i, struct jw_buf *value);

/* The plain name of its first kernel. */
const char *report_module_name(const struct report_module *m);

#endif
