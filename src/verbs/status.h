/* The answer of status about a cache, which other verbs give in the same words. */
#ifndef VERBS_STATUS_H
#define VERBS_STATUS_H

#include "cache/memory/background_memory.h"
#include "cache/memory/source_memory.h"
#include "cache/status/status.h"
#include "cli/cli.h"
#include "cli/page.h"
#include "doctor/finding.h"
#include "machine/gpus.h"
#include "prime/memory/primed.h"

struct status_view {
    const struct jw_status_report *report;
    struct jw_host_gpus host;
    struct jw_primed primed;         /* of the cache of `report` */
    struct jw_findings findings;     /* of doctor, about the files and the limit of this cache */
    const char *driver;              /* its version; NULL: unknown */
    struct jw_pack_sources sources;  /* of jitwarm.conf, with their last answers */
    struct jw_background background; /* that a package's script or an enrolment started */
    bool check, brief;
    const char *const *todo; /* of `primed`, for JSON */
    size_t n_todo;
};

/* Fills report and view. The caller frees the report, also after a failure. */
bool status_view_gather(struct cli *cli, const struct jw_status_options *o, struct jw_status_report *r,
                        struct status_view *v, struct jw_err *err) JW_MUST;

enum { STATUS_LABEL = 10 }; /* columns of "Commands  " */

/* The lines that `jitwarm` and `jitwarm status` share; of a struct status_view. */
extern const struct jw_row status_screen_rows[];
void status_show_next(struct jw_page *p, const void *view);

/* "143 of 144 modules, primed 2 h 5 min ago" */
void status_say_warm(struct jw_buf *text, const struct jw_prime_last *l);

/* "first start 12.4 s, now 1.1 s"; nothing for a command that was not timed. */
void status_say_command(struct jw_buf *text, const struct jw_status_command *c);

extern const struct jw_form status_form;
extern const struct jw_row status_sum_rows[]; /* of struct jw_status_sum */

extern const char *const status_kind_words[JW_CACHE_OTHER + 1]; /* "CUDA", "other" */

/* For sentences: "NVRTC", "an unknown program" */
const char *status_program_words(enum jw_cache_kind kind);

#endif
