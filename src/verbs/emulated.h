/* --driver-files: a driver that is not installed, and GPUs that are not here. */
#pragma once

#include "cli/cli.h"

/* Runs this command again, with NVIDIA's driver from the files and an emulated GPU, and returns its
 * exit code. That run has jw_driver_files_cache. `paths`: some were named. */
int jw_run_emulated(struct cli *cli, bool paths);

bool jw_is_emulated(struct cli *cli); /* it is that run, */
/* which compiles for absent GPUs, in a cache of its own. Called before anybody asks for facts. */
void jw_emulated_begin(struct cli *cli);
