/* The lines that uninstall and prune --all print alike. */
#ifndef VERBS_UNINSTALL_H
#define VERBS_UNINSTALL_H

#include "cli/cli.h"
#include "cli/page.h"
#include "setup/uninstall/forget.h"

extern const struct jw_row forget_rows[]; /* of struct jw_forget_report */

/* Prints the places that are removed, and those that could not be. */
void forget_show_places(struct jw_page *p, const struct jw_forget_report *r);
void forget_show_notes(struct jw_page *p, const struct jw_forget_report *r);

#endif
