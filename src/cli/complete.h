/* Completion scripts, made from the tables of commands.c. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "base/buf.h"

void jw_complete_bash(struct jw_buf *out);
void jw_complete_zsh(struct jw_buf *out);
void jw_complete_fish(struct jw_buf *out);

#endif
