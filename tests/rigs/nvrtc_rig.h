/* A test whose own program is the worker that holds an NVRTC. */
#ifndef TESTS_RIGS_NVRTC_RIG_H
#define TESTS_RIGS_NVRTC_RIG_H

/* -1: this is the test itself. Else it was a worker, and this is its exit code. */
int nvrtc_rig_worker(int argc, char **argv);

/* Sets or (NULL) unsets a variable of this process. */
void nvrtc_rig_env(const char *name, const char *value);

const char *nvrtc_rig_path(const char *built); /* of a library that CMake names, as this system spells it */

#endif
