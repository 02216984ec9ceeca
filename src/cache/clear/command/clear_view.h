/* What clear and uninstall print alike. */
#ifndef CACHE_CLEAR_COMMAND_CLEAR_VIEW_H
#define CACHE_CLEAR_COMMAND_CLEAR_VIEW_H

#include "cache/clear/clear.h"
#include "cli/cli.h"
#include "cli/page.h"

/* What is removed, and what could not be. */
void clear_show_places(struct jw_page *p, const struct jw_clear_report *r);
void clear_show_notes(struct jw_page *p, const struct jw_clear_report *r);

/* Prints why it failed, if it did. */
int clear_exit(struct cli *cli, const struct jw_clear_report *r);
/* Asks the user. Without a terminal: false, with a message. */
bool clear_agreed(struct cli *cli);

extern const struct jw_form clear_form;

#endif
