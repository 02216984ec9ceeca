/* The verbs and their common options. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/rows.h"
#include "cli/opt.h"

#define V(verb) extern const struct cmd jw_cmd_##verb;
#define G(title, verb) V(verb)
#include "cli/verbs.def"
#undef G
#undef V

/* In the order of the help; NULL ends the list. */
extern const struct cmd *const jw_cmds[];

/* By the index of the verb: the title of the group that starts there, or NULL. */
extern const char *const jw_cmd_titles[];

/* Options of every verb, of verbs with a report, and of verbs that fill or check a cache; all fill struct common. */
extern const struct opt jw_common_opts[], jw_report_opts[], jw_cache_opts[];

/* jitwarm without a verb: this machine, how much is warm, the next command, the verbs. Reads only stored state: it
 * searches nothing and does not load the driver. */
int jw_home_print(struct cli *cli);

const struct cmd *jw_cmd_find(const char *name); /* also a hidden one; NULL: none */

/* Environment variables, files and exit codes, for the man page; a NULL name ends a table. */
struct named {
    const char *name, *what;
};

extern const struct named jw_cli_variables[], jw_cli_files[], jw_cli_exits[];

/* The reports that no other header declares. */
extern const struct jw_form contents_form, doctor_form, env_form, export_form, import_form, import_set_form,
    list_form, matrix_form, new_key_form, prune_form, pull_form, push_form, scan_form, startup_form,
    version_form;

#endif
