/* The list of verbs, and their help, made from the tables of options. */
#pragma once

#include "cli/opt.h"

#define G(title)
#define V(verb) extern const struct cmd jw_cmd_##verb;
#include "cli/verbs.def"
#undef V
#undef G

struct listed_verb {
    const char *title; /* title of the group that begins here; NULL: this row is `cmd` */
    const struct cmd *cmd;
};

/* The order is that of the help; a row with both NULL ends the list. */
extern const struct listed_verb jw_verbs[];

const struct cmd *jw_verb_find(const char *name); /* finds hidden verbs, too; NULL: no such verb */

/* Prints the first screen (`words` NULL; `whole`: all verbs), or the help of the verb that they
 * begin with. An unknown verb is an error, which names the line that was meant. */
int jw_help_print(struct cli *cli, const char *const *words, bool whole);
/* Is it a text file, which is no software, but perhaps what a program printed? */
bool jw_help_is_log(const char *path);
/* What was meant by an unknown verb, or by "VERB--OPTION" of an unknown option, with the rest of
 * the line behind it: "; did you mean jitwarm scan libx.so?", or "". `rest` ends with NULL; `but`:
 * the word of it that is left out, or NULL. */
const char *jw_help_meant(const char *word, const char *const *rest, const char *but,
                          struct jw_arena *a);
