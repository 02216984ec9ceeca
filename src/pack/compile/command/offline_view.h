/* What prime --offline tells. */
#ifndef PACK_COMPILE_COMMAND_OFFLINE_VIEW_H
#define PACK_COMPILE_COMMAND_OFFLINE_VIEW_H

#include "cli/cli.h"
#include "pack/compile/offline.h"

struct offline_view {
    const struct jw_offline_report *report;
    bool dry_run;
};

bool offline_write_text(struct cli *cli, const struct offline_view *v, struct jw_err *err);
bool offline_write_json(struct cli *cli, const struct offline_view *v, struct jw_err *err);

#endif
