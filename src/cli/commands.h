/* The verbs, and what all of them have in common. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/opt.h"

#define V(verb) extern const struct cmd jw_cmd_##verb;
#define G(title, verb) V(verb)
#include "cli/verbs.def"
#undef G
#undef V

/* In the order of the overview; NULL ends it. */
extern const struct cmd *const jw_cmds[];

/* The title of the group that begins with the verb of the same index; NULL: it goes on. */
extern const char *const jw_cmd_titles[];

/* Options that every verb takes, and those of verbs with a report; both fill struct common. */
extern const struct opt jw_common_opts[], jw_report_opts[];

enum { MAX_OPT_TABLES = 3 };

/* All option tables of a verb, its own first. */
size_t jw_cmd_tables(const struct cmd *cmd, const struct opt *tables[MAX_OPT_TABLES]);

const struct cmd *jw_cmd_find(const char *name);    /* NULL: there is none; hidden ones are found */
const struct cmd *jw_cmd_nearest(const char *name); /* what may have been meant, or NULL */

/* Own environment variables, files and exit codes, for help and man page; a NULL or empty name ends a
 * table. */
struct named {
    const char *name, *what;
};

extern const struct named jw_cli_variables[], jw_cli_files[], jw_cli_exits[];

#endif
