/*
 * The kit of a command: files of other caches than the driver's that it read or wrote, and what their keys may hold of the machine that
 * made them. It stands in a manifest, and in jitwarm's record of the command:
 *
 *   "kit_packages": "...", "kit_folder": "...",
 *   "kit_caches": [ { "name": "cupy", "version": "cupy_cuda12x-13.4.0" or null, "environment": "...", "folder": "..." } ],
 *   "kit_files": [ { "cache": 0, "path": "47a0.cubin", "bytes": 9, "mode": 420, "mtime_us": 9, "digest": "..." } ]
 *
 * Of absolute paths it has only digests, but for caches that only their path names. Files are sorted by cache and path, and the member of file 7 is kit/000007.
 */
#ifndef PACK_FORMAT_KIT_H
#define PACK_FORMAT_KIT_H

#include "base/arena.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "base/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    JW_KIT_MODES = 0755
}; /* the bits of a file's mode that are kept: nobody else may write it, and no id is set */

struct jw_kit_cache {
    const char *name;    /* a word: "cupy", "taichi" */
    const char *version; /* of the engine's package: "cupy_cuda12x-13.4.0"; NULL: not known */
    const char *folder;  /* digest of its folder's absolute path */
    /* "~/.cache/taichi", "$NUMBA_CACHE_DIR/x", "/tmp/x"; NULL: where a compiler of this name has it */
    const char *place;
    uint32_t others; /* files that each start writes there all the same: logs, results */
    /* and those of its files that each start writes again with the same bytes: an index */
    uint32_t rewritten;
    uint32_t databases; /* that were opened there, and that are no files of it */
};

struct jw_kit_file {
    uint32_t cache;
    const char *path; /* below the cache's folder, with / */
    uint64_t bytes, mtime_us;
    uint32_t mode;
    uint8_t asked; /* 1: programs only ask whether it is there */
    uint8_t digest[JW_DIGEST];
};

struct jw_kit {
    /* digest of the names and versions of the environment's packages; NULL: none is known */
    const char *packages;
    const char *environment;   /* digest of its absolute path; NULL: none is known */
    const char *folder;        /* digest of the folder's in which the command was started */
    const char *driver, *gpus; /* "550.163.01", "sm_86 sm_90"; NULL: not known */
    const char *variables;     /* "CC=5f CUDA_HOME=08": with a byte of a digest; by name; NULL: none */
    struct jw_kit_cache *caches;
    size_t n_caches;
    struct jw_kit_file *files; /* none: there is no kit */
    size_t n_files;
};

/* "a/b/c": below a folder on any system. */
bool jw_kit_path_plain(const char *path);

/* A folder as a person would name it on another machine: below home, below what a variable names, or by its path. None
 * that logins and shells run programs of. */
bool jw_kit_place_plain(const char *place);

bool jw_kit_variables_plain(const char *text); /* "CC=5f CUDA_HOME=08" */

/* Checks all rules; the error is the first that does not hold. */
bool jw_kit_check(const struct jw_kit *k, struct jw_err *err) JW_MUST;

/* By cache and path, as jw_sort wants it. */
int jw_kit_file_order(const void *a, const void *b);

struct jw_kit_member {
    char text[16]; /* "kit/000007" */
};
struct jw_kit_member jw_kit_member(size_t file);

/* Nothing is written of one that is not there. */
extern const struct jw_row jw_kit_rows[];

#endif
