/*
 * Framework discovery: the CUDA software that is installed on this machine, as folders to search and the
 * package that a found file belongs to. Nothing is changed, and nothing of what is found is trusted: a
 * package's damaged papers become a note.
 */
#ifndef SOFTWARE_FIND_DISCOVER_H
#define SOFTWARE_FIND_DISCOVER_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "machine/config.h"
#include "machine/list.h"
#include "machine/listing.h"
#include "software/find/vendor.h"

#include <stdbool.h>
#include <stddef.h>

/* Whose rules and folders hold: those of the system that we run on, or (in tests) another's. */
enum jw_discover_system { JW_SYSTEM_HERE, JW_SYSTEM_LINUX, JW_SYSTEM_WINDOWS };
enum jw_discover_elevated { JW_ELEVATED_ASK, JW_ELEVATED_NO, JW_ELEVATED_YES };

/* All zero: this machine. */
struct jw_discover_options {
    const struct jw_conf_item *roots; /* `roots` of jitwarm.conf */
    size_t n_roots;

    enum jw_discover_system system;
    enum jw_discover_elevated elevated;
    const char *(*env)(void *ctx, struct jw_arena *a, const char *name); /* NULL: jw_env */
    void *env_ctx;
    const char *home;           /* NULL: jw_env_home */
    const char *sysroot;        /* before every absolute folder that we know by name; NULL: $JITWARM_SYSROOT,
                                    * else "". With that variable only Pythons below it are asked. */
    const char *const *pythons; /* absolute paths, NULL at the end; NULL: python3 and python on PATH */
    const char *const *registered; /* prefixes, NULL at the end; NULL: as installers have registered them */
    unsigned python_timeout_ms;    /* 0: 5 seconds */
    const char *working;           /* absolute; NULL: the working folder */
    bool ask_nobody;               /* no Python is started: the place of its program tells */
    const char *memory;            /* folder in which walks are remembered; NULL: each begins again */
    unsigned walk_us;              /* longest that a walk may take; 0: 2 seconds */
    const char *const *exclude;    /* patterns, as jw_path_match takes them */
    size_t n_exclude;
    bool everyone; /* the homes of all users: of use to root alone */
};

struct jw_root {
    const char *path;
    const char *how;     /* "active virtual environment", "LD_LIBRARY_PATH", "/etc/jitwarm/jitwarm.conf:3" */
    const char *package; /* what files here belong to when nothing says more; NULL: unknown */
    unsigned depth;      /* levels of folders to enter: 0 none, JW_MAX_DEPTH all */
};

/* What was not searched, although it could hold such software. */
struct jw_passed {
    const char *path, *why;
    bool excluded; /* by a pattern of the user */
};

struct jw_package {
    const char *name;
    const char *version; /* NULL: unknown */
    bool vendor;         /* NVIDIA's own; of a single file jw_vendor_file tells */
};

struct jw_owner_index;

/* Lives in the arena that it was made with. To be used by one thread at a time. */
struct jw_discovery {
    struct jw_root *roots;
    size_t n_roots;
    struct jw_passed *passed;
    size_t n_passed;
    struct jw_notes notes;    /* jw_discovery_owner adds to them */
    struct jw_listing loaded; /* libraries that running programs of this user have loaded beside the driver */
    struct jw_arena *arena;
    bool windows;
    bool cut_short; /* the home is larger than is walked in one run: a note says where it ended */
    struct jw_owner_index **indexes;
    size_t n_indexes;
};

/*
 * The folders of this machine in which to search. Each exists, is there once, and does not lie in the
 * searched part of another; only where a root with a limited depth ends, another may begin below. Python is
 * asked for its folders, but not by root or an administrator. `o` may be NULL. False: a limit was met, or it was interrupted.
 */
bool jw_discover(const struct jw_discover_options *o, struct jw_arena *a, struct jw_discovery *out,
                 struct jw_err *err) JW_MUST;

/* No roots, for questions about files that the user named himself. */
void jw_discovery_init(struct jw_discovery *d, struct jw_arena *a);

/*
 * The package of a file: what dist-info, egg-info or conda-meta in a folder above it says; the name of a
 * wheel; else the first folder below site-packages or below its root; else its own name. Always an answer;
 * the papers of a folder are read at the first question about it. False: a limit was met.
 */
bool jw_discovery_owner(struct jw_discovery *d, const char *path, struct jw_package *out,
                        struct jw_err *err) JW_MUST;

#endif
