/* A look into a cache as a driver takes it: it opens the index for reading and writing, also for a
 * hit, and then the entry for reading. If the user may not open it so, every start compiles,
 * whatever is in the cache. driver-fact: F40-record-locks, F64-read-only-hits */
#pragma once

#include "base/arena.h"
#include "cache/format/jitcache.h"
#include "os/files/file.h"

/* Why a driver that this user's programs load finds nothing at `cache`: a sentence in `a`. NULL: it
 * can look; also if there is no such folder yet. */
const char *jw_cache_why_unreadable(const char *folder, struct jw_arena *a);

/* Can a driver open or make the index of this cache, which exists; and, if `lock` is set, lock it?
 * A driver that may write the index finds entries, also where it may not write the folder.
 * driver-fact: F64-read-only-hits */
bool jw_cache_index_opens(const char *cache, bool lock, struct jw_err *why) JW_MUST;

/* A cache in which entries are looked up by name. */
struct jw_cache_lookup {
    const char *folder;
    /* why no driver finds anything in it, a sentence; NULL: drivers can look */
    const char *refusal;
    struct jw_cache_index index; /* sorted by name; empty if `trouble` says that it is not whole */
    enum jw_index_trouble trouble;
};

bool jw_cache_lookup_open(const char *folder, struct jw_arena *a, struct jw_cache_lookup *out,
                          struct jw_err *err) JW_MUST;

/* Checks an open file of a cache: its head, and if `name` is not 0 every byte, as the entry of this
 * name. False: damaged (JW_E_FORMAT, JW_E_LIMIT), or the system's error. */
bool jw_cache_check_open(struct jw_file *f, uint64_t name, struct jw_file_info *info,
                         struct jw_cache_entry *out, struct jw_err *err) JW_MUST;

/* Does the driver find this entry, whether or not the index names it? It does if a readable file
 * has the size that its header says; no more of it is read. Fills `info` (NULL: not wanted).
 * driver-fact: F28-index-needed */
bool jw_cache_lookup_finds(const struct jw_cache_lookup *l, uint64_t name,
                           struct jw_file_info *info);

/* Did the driver's linker make this entry? Its key says so, if it can be read. */
bool jw_cache_is_linked(const char *path, uint64_t key_size);

void jw_cache_lookup_close(struct jw_cache_lookup *l); /* accepts a zeroed one */
