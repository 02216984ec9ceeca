/* A test that is its own worker: its main hands "worker ..." on to jw_worker_serve. */
#pragma once

#include "check.h"
#include "driver/worker/worker.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

/* -1: this is the test itself. Else it was a worker, and this is its exit code. */
int rig_worker(int argc, char **argv);
int rig_lowest_free(void); /* descriptor */

/* Starts a worker over the fake driver with this script; fails the test when it does not start. */
struct jw_worker *rig_start(const char *script);
struct jw_worker *rig_start_with(const char *script, const struct jw_worker_options *o);

/* The sentence with which it does not start; good until the next call. */
const char *rig_start_fails(const char *script, const struct jw_worker_options *o);

/* A file with one container or one PTX text in it, `before` bytes from its start, as a job. */
struct jw_place rig_fatbin(const char *name, const char *words, size_t before);
struct jw_place rig_bytes(const char *name, struct jw_bytes container);
struct jw_place rig_text(const char *name, const char *text);

/* Loads it on device 0; a sentence that there should not be fails the test. */
struct jw_worker_result rig_load(struct jw_worker *w, const struct jw_place *job);
