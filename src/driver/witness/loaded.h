/* Which libraries of a driver a process has loaded, by the text of /proc/PID/maps. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that is watched: its path, links resolved, and its number in its file system. */
struct jw_loaded_of_driver {
    const char *path;
    uint64_t node;
};

enum { JW_LOADED_COMPILERS = 8 };

/* The driver, and its compilers: of PTX, and those beside it. */
struct jw_loaded_ask {
    struct jw_loaded_of_driver driver, compilers[JW_LOADED_COMPILERS];
    size_t n_compilers;
};

struct jw_loaded {
    bool driver, compiler;
    bool other; /* another file that has the name of the driver or the compiler of PTX */
};

struct jw_loaded jw_loaded_of(const char *maps, const struct jw_loaded_ask *ask);

struct jw_loaded_file {
    char path[4096]; /* the system's limit */
    uint64_t node;
};
/* The next file after `*at` (start with `maps`) that is a library by its name, or of which code is
 * loaded; false: no more. One file may come several times. */
bool jw_loaded_next(const char **at, struct jw_loaded_file *out);
