/* How cmd_prune tells what jw_prune found and did. */
#ifndef CACHE_PRUNE_COMMAND_PRUNE_VIEW_H
#define CACHE_PRUNE_COMMAND_PRUNE_VIEW_H

#include "cache/prune/prune.h"
#include "cli/cli.h"

struct prune_view {
    const struct jw_prune_report *report;
    bool stats;
};

extern const struct jw_form prune_form;

#endif
