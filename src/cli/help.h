/* The list of verbs, and their help, made from the tables of options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/opt.h"

#include <stdbool.h>

#define G(title)
#define V(verb) extern const struct cmd jw_cmd_##verb;
#include "cli/verbs.def"
#undef V
#undef G

extern const struct cmd jw_cmd_home; /* of jitwarm alone (verbs/status.c) */

struct listed_verb {
    const char *title; /* of the group that begins here; NULL: `cmd` */
    const struct cmd *cmd;
};

/* In the order of the help; both NULL end the list. */
extern const struct listed_verb jw_verbs[];

const struct cmd *jw_verb_find(const char *name); /* also a hidden one; NULL: none */

/* Prints the overview (`verb` NULL), or the help of a verb: `whole` in two screens of 24 lines, else in one. Of an unknown verb it says so. */
int jw_help_print(struct cli *cli, const char *verb, bool whole);

#endif
