/* Help texts, man pages and completion scripts, made from the tables of commands.c and config.c. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buf.h"

#include <stdbool.h>

enum { JW_MAX_OPTIONS = 96, JW_MAX_PARTS = 8 };

struct cli;
struct cmd;
struct opt;

/* The options of a verb by group, as in `help VERB`; those without a group come last. */
struct opt_parts {
    struct opt_part {
        const char *title; /* NULL: there are no groups */
        const struct opt *rows[JW_MAX_OPTIONS];
        size_t n;
    } v[JW_MAX_PARTS];
    size_t n;
};

void jw_opt_parts(const struct cmd *cmd, struct opt_parts *out);

/* All options of a verb, its own first. */
void jw_opt_all(const struct cmd *cmd, struct opt_part *out);

/* Prints the overview (`cmd` NULL), or the whole or short help of a verb. */
int jw_help_print(struct cli *cli, const struct cmd *cmd, bool whole);

/* Reports an unknown verb; returns EXIT_USAGE. */
int jw_help_unknown(struct cli *cli, const char *verb);

/* As jw_help_print, into a buffer. */
void jw_help_overview(struct jw_buf *out, size_t width);
void jw_help_verb(struct jw_buf *out, const struct cmd *cmd, size_t width);
void jw_help_short(struct jw_buf *out, const struct cmd *cmd, size_t width);

/* ---- man pages ---- */

void jw_man_page(struct jw_buf *out);                        /* jitwarm(1) */
void jw_man_verb(struct jw_buf *out, const struct cmd *cmd); /* jitwarm-VERB(1) */

/* ---- completions ---- */

void jw_complete_bash(struct jw_buf *out);
void jw_complete_zsh(struct jw_buf *out);
void jw_complete_fish(struct jw_buf *out);

/* ---- text ---- */

/* Appends `text`, wrapped between words at `width`. The first line continues at column `at`, the others start at
 * `indent`. An empty line in the text stays. Ends with a line break. */
void jw_help_wrap(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width);

#endif
