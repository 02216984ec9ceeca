/* How cmd_prune tells what jw_prune found and did. */
#ifndef CACHE_PRUNE_COMMAND_PRUNE_VIEW_H
#define CACHE_PRUNE_COMMAND_PRUNE_VIEW_H

#include "cache/prune/prune.h"
#include "cli/cli.h"

struct prune_view {
    const struct jw_prune_report *report;
    bool stats;
};

/* What could go; and, once it is known, what became of it. */
bool prune_write_plan(struct cli *cli, const struct jw_prune_report *r, struct jw_err *err) JW_MUST;
bool prune_write_end(struct cli *cli, const struct prune_view *v, struct jw_err *err) JW_MUST;
extern const struct jw_form prune_form;

#endif
