/* Absent GPUs that --gpu names: this machine's driver compiles for them, into a separate cache. */
#ifndef PRIME_COMMAND_ABSENT_GPUS_H
#define PRIME_COMMAND_ABSENT_GPUS_H

#include "cli/cli.h"
#include "cli/opt.h"

/* Moves them from `gpus`. Without a driver all stay. */
bool absent_gpus_split(struct cli *cli, struct texts *gpus, struct texts *absent, struct jw_err *err) JW_MUST;

const char *absent_gpus_cache(struct jw_arena *a,
                              struct jw_err *err); /* NULL: the system names no folder for it */
const char *absent_gpus_kept(struct jw_arena *a);  /* the same; NULL: nothing is there */

/*
 * Runs this program's command line again with NVIDIA's driver, from the files of `folder`, on an emulated GPU that is
 * none of `gpus` where possible (prime_driver_files.c). An exit code. In that run prime_driver_files_cache is the folder
 * for what is compiled; in any other it is NULL.
 */
int prime_under_driver_files(struct cli *cli, const char *folder, const struct texts *gpus);
const char *prime_driver_files_cache(struct jw_arena *a);

#endif
