#include "cli/commands.h"

#include <string.h>

size_t jw_cmd_tables(const struct cmd *cmd, const struct opt *tables[MAX_OPT_TABLES])
{
    size_t n = 0;

    if (cmd->opts)
        tables[n++] = cmd->opts;
    if (cmd->report)
        tables[n++] = jw_report_opts;
    tables[n++] = jw_common_opts;
    return n;
}

const struct cmd *jw_cmd_find(const char *name)
{
    for (size_t i = 0; jw_cmds[i]; i++)
        if (strcmp(jw_cmds[i]->name, name) == 0)
            return jw_cmds[i];
    return NULL;
}

const struct cmd *jw_cmd_nearest(const char *name)
{
    const struct cmd *best = NULL;
    unsigned nearest = 99;

    for (size_t i = 0; jw_cmds[i]; i++) {
        unsigned apart = jw_cmds[i]->hidden ? 99 : jw_opt_nearness(name, jw_cmds[i]->name);

        if (apart < nearest) {
            nearest = apart;
            best = jw_cmds[i];
        }
    }
    return best;
}
