/* Which libraries of a driver a process has loaded, by the text of /proc/PID/maps. Pure. */
#ifndef DRIVER_WITNESS_LOADED_H
#define DRIVER_WITNESS_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The two files that are watched: their paths, links resolved, and their numbers in their file system. */
struct jw_loaded_ask {
    const char *driver, *compiler;
    uint64_t driver_node, compiler_node;
};

struct jw_loaded {
    bool driver, compiler;
    bool other_driver, other_compiler; /* other files with the names of such libraries */
};

struct jw_loaded jw_loaded_of(const char *maps, const struct jw_loaded_ask *ask);

/* The next file after `*at` (start with `maps`) that is a library by its name, or of which code is loaded: its path,
 * borrowed and not ended; n 0: no more. One file may come several times. */
struct jw_loaded_file {
    const char *path;
    size_t n;
    uint64_t node;
};
struct jw_loaded_file jw_loaded_next(const char **at);

#endif
