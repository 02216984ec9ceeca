/* Internal to discovery: candidates for folders to search. */
#pragma once

#include "os/files/file.h"
#include "software/find/discover.h"

struct jw_candidate {
    struct jw_search_folder folder;
    struct jw_file_id id;
    bool dropped;
};

struct jw_finder {
    const struct jw_discover_options *o;
    struct jw_arena *a;
    struct jw_discovery *out;
    const char *home, *sysroot; /* sysroot: "": none */
    bool working;               /* what is added now, the working folder leads to */
    struct jw_candidate *v;
    size_t n;
};

/* Adds a folder once, if it is one. `package` as in jw_search_folder. */
void jw_finder_add(struct jw_finder *f, const char *path, const char *package, unsigned depth);

/* Adds a folder that a person wrote down, in the file or variable `by`, unless it holds the whole
 * home. */
void jw_finder_search(struct jw_finder *f, const char *path, const char *by, unsigned depth);

/* Adds the package folders below the prefix of a Python (a virtual environment, /usr, C:\Python312)
 * or of a conda environment, with its own libraries. */
void jw_finder_prefix(struct jw_finder *f, const char *prefix);

/* Adds a Python by its prefix, and, for conda, all environments of its installation. */
void jw_finder_python(struct jw_finder *f, const char *prefix);

/* Gives `take` each line of a text file, without blanks around it. A file that is not there has
 * none. */
typedef void jw_finder_line(struct jw_finder *f, const char *file, const char *line);
void jw_finder_lines(struct jw_finder *f, const char *file, jw_finder_line *take);

bool jw_finder_excluded(const struct jw_finder *f, const char *path);

/* The value of a variable; NULL: unset or empty. */
const char *jw_finder_env(struct jw_finder *f, const char *name);

/* Begins a list of folders that the caller fills, without a walk. */
struct jw_finder jw_finder_begin(const struct jw_discover_options *o, struct jw_arena *a,
                                 struct jw_discovery *out);

/* Adds every folder below `folder` that matches one of the patterns, of which the last is NULL,
 * without its subfolders. A component may contain *. */
void jw_finder_folders(struct jw_finder *f, const char *folder, const char *const *patterns);

/* Adds the folders in which the loader looks: LD_LIBRARY_PATH, or on Windows PATH. Without `all` it
 * adds only folders of PATH that hold the CUDA runtime. */
void jw_finder_loader(struct jw_finder *f, bool all);

/* Adds the rows of the table (facts/places.h). `shell`: those that variables of a shell name, which
 * go before Python's folders; else the others. */
void jw_finder_places(struct jw_finder *f, bool shell);

/* Adds environments below the working folder. */
void jw_finder_working(struct jw_finder *f);

/* Adds environments found in a bounded walk of the home. A note says when it was cut short. */
void jw_finder_home(struct jw_finder *f);
