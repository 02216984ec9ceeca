/* Finds the CUDA software that is installed on this machine: the folders to search, and the package
 * that a file belongs to. It changes nothing. Damaged package metadata becomes a note. */
#pragma once

#include "base/arena.h"
#include "jitwarm/scan.h"
#include "machine/config.h"
#include "machine/paths.h"
#include "machine/run.h"
#include "software/find/vendor.h"

struct jw_discover_options {
    struct jw_conf_list search; /* of jitwarm.conf */
    struct jw_texts exclude;    /* patterns, as jw_path_match takes them */
};

struct jw_search_folder {
    const char *path;
    const char *package; /* the package of its files; NULL: the name of the folder below it */
    unsigned depth;      /* levels of folders to enter: 0 none, JW_MAX_DEPTH all */
    bool working;        /* only the working folder leads there: nothing of it may be loaded */
};

struct jw_package {
    const char *name;
    /* The file is NVIDIA's: the driver, a compiler, or a library. prime leaves out what it loads on
     * demand unless --all is given, scan lists it apart. */
    bool own;
};

/* What was found. It lives in `arena`, which is always set. It has no folders if the user named
 * files. Not thread-safe. */
struct jw_discovery {
    struct jw_search_folder *folders;
    size_t n_folders;
    struct jw_texts notes;
    struct jw_arena *arena;
    bool cut_short; /* the home is too large for one run: a note says where the walk stopped */
};

/*
 * Finds the folders to search. Each exists, is listed once, and is not inside the searched part of
 * another. No program is started. There is a note for each place that could not be looked at.
 * JITWARM_SYSROOT stands before every absolute folder, and with it only Pythons below it are asked.
 */
void jw_discover(const struct jw_discover_options *o, struct jw_arena *a, struct jw_discovery *out);

/* The package of a file, by its path alone: the folder below site-packages, the name of a wheel,
 * the package of the folder that was searched or the folder below that, or its own name. `named`:
 * the path that a person named, this file or a folder above it; NULL: it was found. A file that is
 * named counts. */
struct jw_package jw_discovery_owner(const struct jw_discovery *d, const char *path,
                                     const char *named);

bool jw_is_site(const char *base); /* "site-packages", "dist-packages" */

/* Is `path` this place, a file below it, or a member of it, if the place is a wheel? */
bool jw_is_in(const char *path, const char *place);

/* Returns the nearest of these places that a person named and that holds this file, or NULL. Of
 * many that are sorted one that is this file itself is found soon. */
const char *jw_named_above(const struct jw_scan_folder *places, size_t n, const char *path);
