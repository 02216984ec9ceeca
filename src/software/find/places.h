/* The inner side of discovery: candidates for roots, and the table of places where CUDA software lives. */
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
    struct jw_discovery *out; /* for its notes and whose rules hold */
    const char *home, *sysroot;
    bool others; /* `home` is not this user's */
    bool made;   /* the system is a made one: nothing of the real one is asked */
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

/* The environment that a Python program lies in: the folder above its bin or Scripts. */
bool jw_finder_program(struct jw_finder *f, const char *exe, const char *how) JW_MUST;

/* Does a pattern of the options leave this path out? Then it is told in `passed`, once. */
bool jw_finder_excluded(struct jw_finder *f, const char *path);
bool jw_finder_pass(struct jw_finder *f, const char *path, const char *why) JW_MUST;

bool jw_finder_within(const char *path, const char *folder); /* is it that folder, or below it? */

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

/* Environments below the working folder; .venv, venv, env and node_modules of it and of each folder above it. */
bool jw_finder_working(struct jw_finder *f) JW_MUST;

/* Environments in a bounded walk of the home; a note tells when it was cut short. */
bool jw_finder_home(struct jw_finder *f) JW_MUST;

/* The packages of one node_modules that hold native code. */
bool jw_finder_node(struct jw_finder *f, const char *folder) JW_MUST;

/*
 * The folders of libraries that running programs of this user have loaded together with the driver. With nobody to be asked they
 * are looked at once in ten minutes: between two looks what `before` remembers holds. `now` is to be remembered.
 */
bool jw_finder_running(struct jw_finder *f, const struct walk_memory *before, struct walk_memory *now,
                       bool *changed) JW_MUST;

#endif
