/* The report of prune, for its JSON schema. */
#ifndef CACHE_PRUNE_COMMAND_PRUNE_VIEW_H
#define CACHE_PRUNE_COMMAND_PRUNE_VIEW_H

#include "cache/prune/prune.h"
#include "setup/uninstall/command/forget_view.h"

struct prune_view {
    const struct jw_prune_report *report;
    const struct jw_forget_report *forgotten; /* with --all; or NULL */
    bool stats;
};

extern const struct jw_form prune_form;

#endif
