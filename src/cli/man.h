/* The man page jitwarm(1), made from the tables of commands.c. */
#ifndef CLI_MAN_H
#define CLI_MAN_H

#include "base/buf.h"

void jw_man_page(struct jw_buf *out);

#endif
