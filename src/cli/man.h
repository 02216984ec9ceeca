/* Man pages, made from the tables of commands.c and config.c. */
#ifndef CLI_MAN_H
#define CLI_MAN_H

#include "base/buf.h"

struct cmd;

void jw_man_page(struct jw_buf *out);                        /* jitwarm(1) */
void jw_man_verb(struct jw_buf *out, const struct cmd *cmd); /* jitwarm-VERB(1) */

#endif
