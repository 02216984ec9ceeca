/* Finds the driver build that programs load here from its file, without loading it. */
#ifndef DRIVER_PROBE_DRIVER_KNOWN_H
#define DRIVER_PROBE_DRIVER_KNOWN_H

#include "driver/probe/compiler_file.h"
#include "memory/drivers.h"

struct jw_driver_file {
    /* a library is where the loader would take one (Windows: where one was met last); also one that was never probed */
    bool found;
    const char *library;
    /* why no program can load it, as far as its headers show: a clause that names it; NULL: nothing is seen */
    const char *truncated;
    const char *build;                   /* of that library; NULL: it has none that is seen */
    const struct jw_driver_state *known; /* the record of its build; NULL: none */
};

/* The library that a program started here would load, or the one that is `named`; NULL: none is. `met`:
 * jw_state_list_drivers. */
void jw_driver_file_here(const char *named, const struct jw_driver_states *met, struct jw_arena *a,
                         struct jw_driver_file *out);

/* Why that driver cannot compile with this compiler, as far as files show: a clause. NULL: nothing is seen, or it was
 * proven to compile all the same. */
const char *jw_driver_lacks_compiler(const struct jw_driver_file *file,
                                     const struct jw_compiler_file *compiler, struct jw_arena *a);

#endif
