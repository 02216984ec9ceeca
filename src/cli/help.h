/* Help, made from the tables of commands.c, wrapped to the terminal. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buf.h"

struct cli;
struct cmd;
struct opt;

/* To stdout: the overview (`cmd` NULL) or one verb. */
int jw_help_print(struct cli *cli, const struct cmd *cmd);

/* To stderr, EXIT_USAGE: a verb that does not exist. */
int jw_help_unknown(struct cli *cli, const char *verb);

/* As jw_help_print, into a buffer. */
void jw_help_overview(struct jw_buf *out, size_t width);
void jw_help_verb(struct jw_buf *out, const struct cmd *cmd, size_t width);

/* Appends `text` with line breaks between words so that no line is wider than `width`. The first line
 * goes on at column `at`, the others start at `indent`; an empty line in the text stays one. Ends with a
 * line break. */
void jw_help_wrap(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width);

#endif
