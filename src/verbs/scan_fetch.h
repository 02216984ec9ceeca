/* Packages that are not here, for scan: their wheels are fetched into a folder of this run. */
#ifndef VERBS_SCAN_FETCH_H
#define VERBS_SCAN_FETCH_H

#include "verbs/scan.h"

struct scan_fetch_options {
    const struct texts *paths;
    bool windows; /* wheels for Windows; else for Linux */
    bool yes;     /* do not ask */
};

/*
 * Of the arguments NAME==VERSION, and of what requirements files and lock files name, wheels are fetched after they were agreed
 * to. `paths`: what is to be scanned, the wheels and the arguments that are paths. `work`: the caller removes it
 * (jw_scratch_remove); NULL: nothing was fetched. A package that cannot be fetched is in the view, with the reason.
 */
bool scan_fetch(struct cli *cli, const struct scan_fetch_options *o, struct scan_view *v, struct texts *paths,
                char **work, struct jw_err *err) JW_MUST;

/* Makes the files of the report that were fetched known by their names: their folder will be gone. */
void scan_fetch_rename(const char *work, struct scan_view *v, struct jw_arena *a);

#endif
