/* export, as prime --pack and push use it. */
#ifndef VERBS_EXPORT_H
#define VERBS_EXPORT_H

#include "cli/cli.h"
#include "cli/opt.h"
#include "pack/export/export.h"

struct export_args {
    struct jw_export_options o; /* as far as the command line says it */
    struct jw_texts exclude, run;
    const char *cache, *sign;
    bool no_store; /* of prime --driver-files: no copy in the store */
};

/* `to_stderr`: print the text to stderr, because another verb uses standard output. */
int export_run(struct cli *cli, const struct export_args *args, bool to_stderr);

/* Says on stderr why push has nothing to push; returns the exit code. */
int export_pushes_none(struct cli *cli, const struct jw_export_report *made, struct jw_err *err);

#endif
