/* Adds entries of another driver build to their cache once more, with the stamp of this build in
 * their key. Every byte is checked before they are published, as of all that jitwarm adds. An old
 * entry that `goes` is removed after the new one has its file and its record, so nothing is lost
 * wherever the process dies. */
#pragma once

#include "cache/place/listing.h"

struct restamp_entry {
    const struct jw_cache_file *old; /* as it was listed; one that changed is left out */
    uint64_t name;                   /* with the new stamp */
    bool goes;                       /* the old one is removed */
    bool added;                      /* out */
};

/* Appends the bytes of the old entry with this stamp. False: it changed, or is gone. */
bool restamp_read(const char *cache, const struct jw_cache_file *old, const char *stamp,
                  struct jw_buf *out);

/* `work`: an empty folder on the same disk. The bytes of each batch whose old entries go stay below
 * `spare`. False: the cache cannot be written, or it was interrupted; `added` is valid all the
 * same. */
struct restamp_cache {
    const char *folder, *work, *stamp;
    uint64_t spare;
    const struct jw_run *run; /* shows progress */
};
bool restamp_add(const struct restamp_cache *to, struct restamp_entry *list, size_t n,
                 struct jw_err *err) JW_MUST;
