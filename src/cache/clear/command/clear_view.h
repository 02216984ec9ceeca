/* How cmd_clear tells what jw_clear would remove, or has removed. */
#ifndef CACHE_CLEAR_COMMAND_CLEAR_VIEW_H
#define CACHE_CLEAR_COMMAND_CLEAR_VIEW_H

#include "cache/clear/clear.h"
#include "cli/cli.h"
#include "cli/page.h"

/* The parts of that page: what goes, and what could not; labels are 9 columns. */
void clear_tell_places(struct jw_page *p, const struct jw_clear_report *r);
void clear_tell_notes(struct jw_page *p, const struct jw_clear_report *r);

/* Says why it could not be done, if so. */
int clear_exit(struct cli *cli, const struct jw_clear_report *r);
/* Asks a person; false, and said so, without a terminal. */
bool clear_agreed(struct cli *cli);

extern const struct jw_form clear_form;

#endif
