/* Absent GPUs that --gpu names: this machine's driver compiles for them, into a separate cache. */
#ifndef VERBS_ABSENT_GPUS_H
#define VERBS_ABSENT_GPUS_H

#include "base/bytes.h"
#include "cli/cli.h"
#include "cli/opt.h"

/* Moves them from `gpus`. Without a driver all stay. */
bool absent_gpus_split(struct cli *cli, struct texts *gpus, struct texts *absent, struct jw_err *err) JW_MUST;

const char *absent_gpus_cache(struct jw_arena *a,
                              struct jw_err *err); /* NULL: the system names no folder for it */
const char *absent_gpus_kept(struct jw_arena *a);  /* the same; NULL: nothing is there */

/* This program's command line once more, with NVIDIA's driver out of files (prime_driver_files.c). */
struct driver_files_run {
    const char *folder;
    const struct texts *gpus; /* an emulated GPU is none of them where possible */
    const char *part;         /* a path for what the two runs tell each other */
    struct jw_bytes input;    /* for its standard input */
    bool again;               /* the user was told whose driver it is */
};

/* An exit code. In that run prime_driver_files_cache is the folder for what is compiled, and prime_driver_files_part is
 * `part`; in any other both are NULL. */
int prime_under_driver_files(struct cli *cli, const struct driver_files_run *run);
const char *prime_driver_files_cache(struct jw_arena *a);
const char *prime_driver_files_part(struct jw_arena *a);

#endif
