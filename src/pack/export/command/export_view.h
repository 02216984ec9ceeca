/* The options of export, and what it hands to the ways of showing it. */
#ifndef PACK_EXPORT_COMMAND_EXPORT_VIEW_H
#define PACK_EXPORT_COMMAND_EXPORT_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "cli/opt.h"
#include "pack/export/export.h"

struct export_args {
    struct texts paths, gpus, exclude;
    const char *cache, *output, *sign, *level;
    unsigned jobs;
    bool everything, include_carried, from_store, vouch, no_store, yes, dry_run;
};

/* `to_stderr`: standard output belongs to another verb, so this text goes to stderr. */
int export_run(struct cli *cli, const struct export_args *args, bool to_stderr);

struct export_view {
    const struct jw_export_report *report;
    bool dry_run, everything, stats;
    bool to_stderr;                     /* standard output is something else */
    bool pushes;                        /* packs are made to be pushed */
    const char *key;                    /* id that it is signed by; NULL: not signed */
    const struct jw_export_pack *empty; /* what is not in it, where there is no pack at all; NULL */
};

extern const struct jw_form export_form;
bool export_write_text(struct cli *cli, const struct export_view *v, struct jw_err *err) JW_MUST;

/* What would leave, as it is told before somebody says yes to it; on stderr. */
bool export_tell_listing(struct cli *cli, const struct export_view *v, struct jw_err *err) JW_MUST;

int export_exit(enum jw_end end);

#endif
