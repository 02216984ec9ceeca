/* The report of prune, for its JSON schema. */
#ifndef VERBS_PRUNE_H
#define VERBS_PRUNE_H

#include "cache/prune/prune.h"
#include "verbs/uninstall.h"

struct prune_view {
    const struct jw_prune_report *report;
    const struct jw_forget_report *forgotten; /* with --all; or NULL */
    bool stats;
};

extern const struct jw_form prune_form;

#endif
