/* Trees of generated files on disk, and a scan over them. */
#pragma once

#include "check.h"
#include "gen/samples.h"
#include "jitwarm/scan.h"
#include "rigs/scratch.h"

/* Writes a file below the scratch folder, with its folders; gives its path, good for the next
 * fifteen calls. */
const char *tree_write(const char *name, struct jw_bytes bytes);
const char *tree_buf(const char *name, struct jw_buf *bytes); /* frees it */
/* An ELF library whose .nv_fatbin holds one container in gen_fat's words. */
const char *tree_library(const char *name, const char *words);
const char *tree_fatbin(const char *name, const char *words);

/* The scan of `path` for sm_86 and sm_90, good for the next seven calls; `o` NULL: nothing special.
 * Fails the test when it fails. */
struct jw_scan_report tree_scan(const char *path, const struct jw_scan_options *o);

/* The modules of a verdict, OF(v, JIT). */
#define OF(v, kind) (v)->modules[JW_SELECTED_##kind]

/* The file of the report whose path ends in `tail`; NULL: none. */
const struct jw_scan_file *tree_found(const struct jw_scan_report *r, const char *tail);
/* The same, with a CUDA runtime that can load lazily. */
void tree_lazy_bytes(struct jw_buf *out, const char *words);
const char *tree_lazy_library(const char *name, const char *words);
const struct jw_scan_skipped *tree_skipped(const struct jw_scan_report *r, const char *tail);
