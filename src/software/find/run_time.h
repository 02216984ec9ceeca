/* Python packages that compile GPU code while a program runs: no file of theirs shows which. */
#ifndef SOFTWARE_FIND_RUN_TIME_H
#define SOFTWARE_FIND_RUN_TIME_H

#include "facts/compilers.h"
#include "software/find/discover.h"

/* Finds it by its name in any spelling of pip; NULL: it is none of these. */
const struct jw_run_time *jw_run_time_find(const char *package);

/* The packages that are installed in the folders of this search: "numba-cuda 0.30.4", each once. */
void jw_run_time_here(const struct jw_discovery *d, struct jw_arena *a, struct jw_notes *out);
#endif
