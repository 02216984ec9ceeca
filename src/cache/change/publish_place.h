/* Moves one entry's file into a cache. */
#pragma once

#include "cache/change/publish.h"
#include "cache/format/jitcache.h"
#include "os/files/folder.h"

/* Why records are not in the index yet. */
struct publish_waits {
    bool damaged;      /* else it is locked by another program */
    struct jw_err why; /* empty when nothing waits */
};

struct publish_folder {
    const char *path;
    struct jw_folder open;
    /* for each folder h: a bit for each of its folders that changed since the last sync */
    unsigned touched[16];
    struct publish_waits waits;
};

/* False, with JW_E_FORMAT: another user owns the folder or may write to it. */
bool publish_check_owner(const struct jw_folder *folder, struct jw_err *err) JW_MUST;

/* Where the name of its file begins in that of an entry, "4/2/3e06b9e6ec62aa". */
enum { PUBLISH_FILE = 4 };

/* Is what is there at fault? Other errors are the system's. */
static inline bool publish_is_unsound(const struct jw_err *why)
{
    return why->code == JW_E_FORMAT || why->code == JW_E_LIMIT;
}

/* Looks at the file of an entry: kind JW_FILE_NONE where there is none. The caller closes its
 * folder, `home`, also after a failure. */
bool publish_stat(const struct publish_folder *folder, uint64_t hash, struct jw_folder *home,
                  struct jw_file_info *info, struct jw_err *err) JW_MUST;

/* Sets the results of the entry, also when it fails. False: the cache cannot be written. */
bool publish_place(struct publish_folder *folder, struct jw_publish_entry *e, struct jw_arena *a,
                   struct jw_err *err) JW_MUST;

/* Syncs changed folders to the disk. */
bool publish_sync(struct publish_folder *folder, struct jw_err *err) JW_MUST;

/* `*there`: this record has a file of its size. */
bool publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                   bool *there, struct jw_err *err) JW_MUST;
