/* The options and the reports of export. */
#ifndef PACK_EXPORT_COMMAND_EXPORT_VIEW_H
#define PACK_EXPORT_COMMAND_EXPORT_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "cli/opt.h"
#include "pack/export/export.h"

struct export_args {
    struct texts paths, gpus, exclude, run;
    const char *cache, *output, *sign;
    bool everything, yes, dry_run;
    bool no_store; /* of prime --driver-files: no copy in the store */
};

/* `to_stderr`: print the text to stderr, because another verb uses standard output. */
int export_run(struct cli *cli, const struct export_args *args, bool to_stderr);

struct export_view {
    const struct jw_export_report *report;
    bool dry_run, everything, stats;
    bool to_stderr;
    bool pushes;                        /* called by push */
    const char *key;                    /* id of the signing key, or NULL */
    const char *public_key;             /* its text, for --trust */
    const struct jw_export_pack *empty; /* the skipped entries if there is no pack, or NULL */
};

extern const struct jw_row export_pack_rows[]; /* of a struct jw_export_pack */
extern const struct jw_form export_form;
bool export_write_text(struct cli *cli, const struct export_view *v, struct jw_err *err) JW_MUST;

/* Prints on stderr what would be packed, before the question. */
bool export_print_listing(struct cli *cli, const struct export_view *v, struct jw_err *err) JW_MUST;

int export_exit(enum jw_end end);

#endif
