/* Internal to discovery: candidates for roots, and the table of places where CUDA software is installed. */
#ifndef SOFTWARE_FIND_PLACES_H
#define SOFTWARE_FIND_PLACES_H

#include "os/files/file.h"
#include "software/find/discover.h"
#include "software/find/walk_memory.h"

struct jw_candidate {
    struct jw_root root;
    struct jw_file_id id;
    bool dropped;
};

struct jw_finder {
    const struct jw_discover_options *o;
    struct jw_arena *a;
    struct jw_discovery *out; /* for its notes and the rules of the system */
    const char *home, *sysroot;
    bool others; /* `home` is not this user's */
    bool made;   /* the system is a test's: the real one is not asked */
    struct jw_candidate *v;
    size_t n;
    struct jw_err *err;
};

/* Adds a folder, if it is one. `how` and `package` as in jw_root. False only without memory. */
bool jw_finder_add(struct jw_finder *f, const char *path, const char *how, const char *package,
                   unsigned depth) JW_MUST;

/* Adds the package folders below the prefix of a Python (a virtual environment, /usr, C:\Python312) or of a conda
 * environment, with its own libraries. */
bool jw_finder_prefix(struct jw_finder *f, const char *prefix, const char *how) JW_MUST;

/* The same; for a conda installation all its environments. */
bool jw_finder_python(struct jw_finder *f, const char *prefix, const char *how) JW_MUST;

/* Adds the environment of a Python program: the folder above its bin or Scripts. */
bool jw_finder_program(struct jw_finder *f, const char *exe, const char *how) JW_MUST;

/* Does a pattern of the options exclude this path? If so, adds it to `passed` once. */
bool jw_finder_excluded(struct jw_finder *f, const char *path);
bool jw_finder_pass(struct jw_finder *f, const char *path, const char *why, bool important) JW_MUST;

bool jw_finder_within(const char *path, const char *folder); /* is it that folder, or below it? */

/* WSL: is it in the profile of a user of Windows? WSL shows all files of Windows as writable by everybody; in a
 * profile, Windows gives that right to its user alone. */
bool jw_finder_in_profile(struct jw_finder *f, const char *path);

/* A variable of the environment; NULL: unset or empty. */
const char *jw_finder_env(struct jw_finder *f, const char *name);

/* Adds every folder that matches `pattern`, without its subfolders. It begins with $VARIABLE, ~ or / (below the
 * sysroot), or is below `folder`. A component may contain *. */
bool jw_finder_folders(struct jw_finder *f, const char *pattern, const char *how) JW_MUST;
bool jw_finder_folders_below(struct jw_finder *f, const char *folder, const char *pattern,
                             const char *how) JW_MUST;

/* Rows of the table. "Active" rows come from environment variables, and go before Python's folders. */
bool jw_finder_active(struct jw_finder *f) JW_MUST;
bool jw_finder_usual(struct jw_finder *f) JW_MUST;

/* Adds environments below the working folder, and .venv, venv, env and node_modules in it and in each folder above
 * it. */
bool jw_finder_working(struct jw_finder *f) JW_MUST;

/* Adds environments found in a bounded walk of the home. A note says when it was cut short. */
bool jw_finder_home(struct jw_finder *f) JW_MUST;

/* Adds the packages with native code of one node_modules. */
bool jw_finder_node(struct jw_finder *f, const char *folder) JW_MUST;

/* Adds the folders of libraries that running programs of this user have loaded together with the driver. With
 * `ask_nobody` the programs are looked at every ten minutes; in between the result in `before` counts. */
bool jw_finder_running(struct jw_finder *f, const struct walk_memory *before, struct walk_memory *now,
                       bool *changed) JW_MUST;

#endif
