/* A test whose own program is the worker that holds an NVRTC. */
#pragma once

#include "variables.h"

/* -1: this is the test itself. Else it was a worker, and this is its exit code. */
int nvrtc_rig_worker(int argc, char **argv);
