/* The cache's index, read while a driver may be writing it. For cachedir_list.c. */
#ifndef CACHE_PLACE_CACHEDIR_INDEX_H
#define CACHE_PLACE_CACHEDIR_INDEX_H

#include "cache/place/cachedir.h"

struct jw_index_file {
    struct jw_cache_index records;
    bool found;    /* false also for an empty one, which a driver has made and not yet written to */
    bool believed; /* by the driver: jw_cache_index_believed */
    bool unread;   /* `damage` says why the system refused it */
    char damage[sizeof((struct jw_err *)0)->msg]; /* "": sound */
};

/* What is torn now may be whole in a moment, so it is read up to `tries` times. */
bool jw_index_load(const char *root, unsigned tries, struct jw_index_file *out, struct jw_err *err) JW_MUST;

/* Says of the files in `out` whether its index, or the one that was read `before` them, has a record of each; and counts the
 * records of both that have no file. */
void jw_index_match(struct jw_cache_listing *out, const struct jw_cache_index *before);

#endif
