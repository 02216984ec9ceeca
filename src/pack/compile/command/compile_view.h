/* The options and the reports of compile. */
#ifndef PACK_COMPILE_COMMAND_COMPILE_VIEW_H
#define PACK_COMPILE_COMMAND_COMPILE_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "cli/opt.h"
#include "pack/compile/compile_for.h"
#include "pack/compile/offline.h"

struct compile_args {
    struct texts paths, includes, only, exclude, run;
    const char *target, *output, *compiler, *sign, *driver_files;
    unsigned jobs, timeout_s;
    bool all, yes, dry_run;
};

int compile_source(struct cli *cli, const struct compile_args *a); /* a .cu file to PTX */
int compile_by_driver(struct cli *cli, const struct compile_args *a);

struct offline_view {
    struct jw_offline_report r;
    bool dry_run;
};

bool offline_write_text(struct cli *cli, const struct offline_view *v, struct jw_err *err);
extern const struct jw_form compile_form, ptx_form;

#endif
