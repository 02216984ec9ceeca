/* Adds entries of another driver build to their cache once more, with the stamp of this build in
 * their key. Every byte is checked before they are published, as of all that jitwarm adds. An old
 * entry that `goes` is removed after the new one has its file and its record, so nothing is lost
 * wherever the process dies. */
#pragma once

#include "cache/place/listing.h"

struct restamp_entry {
    const struct jw_cache_file *old; /* as it was listed; it may be damaged */
    uint64_t name;                   /* with the new stamp */
    bool goes;                       /* the old one is removed */
    bool added;                      /* out; false: the old one changed, or is damaged */
};

/* The key of an entry, as it is with another stamp: what it is of, and the name that follows. */
struct restamp_key {
    uint64_t name;
    uint16_t sm;
    uint8_t text[JW_DIGEST]; /* of its PTX */
};

uint64_t restamp_name(struct jw_bytes key, const char *stamp);
/* False: it cannot be read, or is no entry of the driver's own compiler. */
bool restamp_read_key(const char *cache, const struct jw_cache_file *old, const char *stamp,
                      struct restamp_key *out);

/* Reads the old entry with this stamp into an empty `out`. False: it is no whole entry of the new
 * name, because the old one changed, is damaged or gone. */
bool restamp_read(const char *cache, const struct restamp_entry *e, const char *stamp,
                  struct jw_buf *out);

struct restamp_cache {
    const char *folder, *stamp;
    const char *work; /* an empty folder on the same disk */
    /* Of entries whose old ones go, so many bytes are there twice at most. */
    uint64_t spare;
    const struct jw_run *run; /* shows progress */
};

/* False: the cache cannot be written, or it was interrupted; `added` is valid all the same. */
bool restamp_add(const struct restamp_cache *to, struct restamp_entry *list, size_t n,
                 struct jw_err *err) JW_MUST;
