/* A status report and how to print it. */
#ifndef CACHE_STATUS_COMMAND_STATUS_VIEW_H
#define CACHE_STATUS_COMMAND_STATUS_VIEW_H

#include "cache/status/status.h"
#include "cli/cli.h"

struct status_view {
    const struct jw_status_report *report;
    bool check, stats;
};

bool status_write_text(struct cli *cli, const struct status_view *v, struct jw_err *err) JW_MUST;
extern const struct jw_form status_form;
extern const struct jw_row status_sum_rows[]; /* of struct jw_status_sum */

const char *status_kind_words(enum jw_cache_kind kind); /* "CUDA", "other" */

/* "1 GiB", "256 MiB", else as jw_text_bytes. */
void status_say_limit(struct jw_buf *out, uint64_t bytes);

#endif
