/* What export hands to the ways of telling it. */
#ifndef CLI_EXPORT_VIEW_H
#define CLI_EXPORT_VIEW_H

#include "cli/cli.h"
#include "engine/export.h"

struct export_view {
    const struct jw_export_report *report;
    bool dry_run, everything, stats;
    bool piped;      /* standard output is the pack: the story tells */
    const char *key; /* id that it is signed by; NULL: not signed */
};

bool export_write_json(struct cli *cli, const struct export_view *v, struct jw_err *err) JW_MUST;
bool export_write_text(struct cli *cli, const struct export_view *v, struct jw_err *err) JW_MUST;

/* What would leave, as it is told before somebody says yes to it; on stderr. */
bool export_tell_listing(struct cli *cli, const struct export_view *v, struct jw_err *err) JW_MUST;

int export_exit(enum jw_export_end end);

#endif
