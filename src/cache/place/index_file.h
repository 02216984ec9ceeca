/* The index of a cache, as a file. */
#pragma once

#include "cache/format/jitcache.h"
#include "os/files/file.h"

struct jw_index_file {
    struct jw_buf bytes;           /* of the file, as many as the largest index has */
    struct jw_cache_index records; /* what could be read of them */
    enum jw_index_trouble trouble;
    struct jw_err why; /* it is damaged or unread; "": it is neither */
};

/* Reads an open index; an empty one is whole and has no records. False: damaged (JW_E_FORMAT,
 * JW_E_LIMIT), or the system's error. The caller frees `out`, which may hold an index that was read
 * before. */
bool jw_index_file_read(struct jw_file *f, struct jw_index_file *out, struct jw_err *err) JW_MUST;

/* Reads the index of the cache in this folder while a driver may be writing it: without a lock, so
 * a torn one is read up to three times. `out->trouble` and `out->why` say what was found. */
bool jw_index_file_load(const char *folder, struct jw_index_file *out, struct jw_err *err) JW_MUST;
void jw_index_file_free(struct jw_index_file *file); /* accepts a zeroed one */
