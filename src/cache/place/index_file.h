/* The index of a cache, read while a driver may be writing it: without a lock, so a torn one is read again. */
#ifndef CACHE_PLACE_INDEX_FILE_H
#define CACHE_PLACE_INDEX_FILE_H

#include "cache/format/jitcache.h"

struct jw_index_file {
    struct jw_cache_index records; /* what could be read of them */
    enum jw_index_trouble trouble;
    char damage[sizeof((struct jw_err *)0)->msg]; /* why it is damaged or unread; "": it is neither */
};

/* Reads a torn index up to three times. The caller frees the records. */
bool jw_index_load(const char *folder, struct jw_index_file *out, struct jw_err *err) JW_MUST;

#endif
