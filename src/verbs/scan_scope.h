/* What scan is about: the GPUs and the driver that were named, or those that are here. */
#pragma once

#include "cli/cli.h"

struct scan_scope {
    struct jw_sms sms;  /* sorted, so that equal verdicts stand side by side */
    const char **names; /* "sm_86" */
    const char *gpu;    /* its name, as the user or the driver has it, if there is one; else NULL */
    bool here;          /* these GPUs are; else they were named, or are common ones */
    const char *driver; /* its version; NULL: any */
};

/* `driver`: the one that was named, or NULL. A gate is not about common GPUs. */
bool scan_scope_choose(struct cli *cli, const char *driver, bool gate, struct scan_scope *out,
                       struct jw_err *err) JW_MUST;
