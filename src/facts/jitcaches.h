/* Caches of other compilers than the driver's: CuPy, Triton, Warp and others keep their own folders. */
#ifndef FACTS_JITCACHES_H
#define FACTS_JITCACHES_H

#include <stdbool.h>
#include <stddef.h>

/* Whose absolute path decides whether what was copied is used. */
enum jw_jitcache_path { JW_JITCACHE_ANY, JW_JITCACHE_ENVIRONMENT, JW_JITCACHE_FOLDER, JW_JITCACHE_ROOT };

struct jw_jitcache {
    const char *name, *title;
    const char *variables; /* "A B/x": the folder that A names, else x below the one that B names */
    const char *folder;    /* where none is set: "~/.triton/cache", "%LOCALAPPDATA%/numba/Cache" */
    const char *packages;  /* patterns of its package's name, with blanks between them */
    enum jw_jitcache_path path;
};

size_t jw_jitcaches(void); /* how many are known */
struct jw_jitcache jw_jitcache_at(size_t i, bool windows);

#endif
