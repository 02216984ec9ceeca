/* The inner side of discovery: candidates for roots, and the table of places where CUDA software lives. */
#ifndef SOFTWARE_FIND_PLACES_H
#define SOFTWARE_FIND_PLACES_H

#include "os/files/file.h"
#include "software/find/discover.h"

struct jw_candidate {
    struct jw_root root;
    struct jw_file_id id;
    bool dropped;
};

struct jw_finder {
    const struct jw_discover_options *o;
    struct jw_arena *a;
    struct jw_discovery *out; /* for its notes and whose rules hold */
    const char *home, *sysroot;
    struct jw_candidate *v;
    size_t n;
    struct jw_err *err;
};

/*
 * One folder; nothing happens when it is none. `how` and `package` as in jw_root. False only without
 * memory.
 */
bool jw_finder_add(struct jw_finder *f, const char *path, const char *how, const char *package,
                   unsigned depth) JW_MUST;

/*
 * The folders of packages below the prefix of a Python: a virtual environment, /usr, C:\Python312; or of a
 * conda
 * environment, with its own libraries.
 */
bool jw_finder_prefix(struct jw_finder *f, const char *prefix, const char *how) JW_MUST;

/* The same; of a conda installation all its environments. */
bool jw_finder_python(struct jw_finder *f, const char *prefix, const char *how) JW_MUST;

/* A variable of the environment; NULL: unset or empty. */
const char *jw_finder_env(struct jw_finder *f, const char *name);

/*
 * The own files of every folder that `pattern` names: one that begins with $VARIABLE, ~ or / (below the
 * sysroot), or one below `folder`. A component may hold *.
 */
bool jw_finder_folders(struct jw_finder *f, const char *pattern, const char *how) JW_MUST;
bool jw_finder_folders_below(struct jw_finder *f, const char *folder, const char *pattern,
                             const char *how) JW_MUST;

/* Rows of the table. "Active" are those that the environment names; they go before what Python says. */
bool jw_finder_active(struct jw_finder *f) JW_MUST;
bool jw_finder_usual(struct jw_finder *f) JW_MUST;

/* .venv, venv and env of the working folder and of each folder above it. */
bool jw_finder_working(struct jw_finder *f) JW_MUST;

/* Environments in a bounded walk of the home; a note tells when it was cut short. */
bool jw_finder_home(struct jw_finder *f) JW_MUST;

#endif
