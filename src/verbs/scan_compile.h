/* scan --check --driver-files: a driver compiles what the gate would let pass. */
#pragma once

#include "verbs/scan_scope.h"

/* What --driver-files needs, and what it says itself: a gate without a driver, GPUs, files. */
bool scan_compile_may(const struct cli *cli, bool gate, const char *driver, size_t n_paths,
                      struct jw_err *err) JW_MUST;

/* The paths that links lead to, as the modules to compile have them. */
bool scan_compile_paths(const struct jw_texts *paths, struct jw_arena *a, struct jw_texts *real,
                        struct jw_err *err) JW_MUST;

/* Compiles the modules of these files in the cache of a run with an emulated GPU. A file of which
 * the driver refuses one does not run there: its verdict changes, and has the driver's words. */
bool scan_compile(struct cli *cli, const struct jw_texts *paths, const struct scan_scope *scope,
                  struct jw_scan_report *report, struct jw_err *err) JW_MUST;
