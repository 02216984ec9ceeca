/*
 * Packages that a requirements file or a lock file names: requirements.txt of pip, and uv.lock, pylock.toml,
 * poetry.lock and pdm.lock, which programs write. Pure.
 */
#ifndef SOFTWARE_FETCH_WANTED_H
#define SOFTWARE_FETCH_WANTED_H

#include "base/bytes.h"
#include "software/fetch/wheel.h"

struct jw_wanted {
    const char *where; /* "requirements.txt:3", or the argument */
    struct jw_requirement r;
    const struct jw_wheel *wheels; /* that a lock file lists for it; n_wheels 0: ask the index */
    size_t n_wheels;
    const char *not_asked; /* why it is on no index: "a source tree"; NULL: it is */
};

struct jw_wanted_list {
    struct jw_wanted *v;
    size_t n;
    const char **index; /* options of a requirements file that say where packages are, for pip */
    size_t n_index;
    const char **also; /* other requirements files that it names, to be read next */
    size_t n_also;
    bool pre; /* --pre: pre-releases are wanted, too */
    /* the first line that no requirements file has: the file is something else; 0: none is */
    unsigned unknown_line;
};

enum { JW_MAX_WANTED = 4096, JW_MAX_INDEXES = 32 };

enum jw_wanted_form { JW_WANTED_NONE, JW_WANTED_REQUIREMENTS, JW_WANTED_LOCK };

/* By the file's name, which any text may have: *.txt, *.in; uv.lock, poetry.lock, pdm.lock, pylock.toml and
 * pylock.NAME.toml. */
enum jw_wanted_form jw_wanted_form(const char *path);

/* The advice for a file that names packages in a form that is not read: "it is not read; pipenv requirements > ...".
 * NULL: it is no such file. */
const char *jw_wanted_instead(const char *path);

/* Adds what the file names. False: a line is no requirement, with file and line; if it was not meant as one, it is
 * `stray`. */
bool jw_wanted_read(const char *path, enum jw_wanted_form form, struct jw_bytes text, struct jw_arena *a,
                    struct jw_wanted_list *list, struct jw_err *err) JW_MUST;

#endif
