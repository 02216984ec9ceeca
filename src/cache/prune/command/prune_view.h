/* The report of prune, for its JSON schema, and what prune --all and uninstall print alike. */
#ifndef CACHE_PRUNE_COMMAND_PRUNE_VIEW_H
#define CACHE_PRUNE_COMMAND_PRUNE_VIEW_H

#include "cache/prune/forget.h"
#include "cache/prune/prune.h"
#include "cli/cli.h"
#include "cli/page.h"

struct prune_view {
    const struct jw_prune_report *report;
    const struct jw_forget_report *forgotten; /* with --all; or NULL */
    bool stats;
};

extern const struct jw_form prune_form;

extern const struct jw_row forget_rows[]; /* of struct jw_forget_report */

/* What is removed, and what could not be. */
void forget_show_places(struct jw_page *p, const struct jw_forget_report *r);
void forget_show_notes(struct jw_page *p, const struct jw_forget_report *r);

#endif
