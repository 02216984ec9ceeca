/* One entry's file into its place below a root that is held open. */
#ifndef CACHE_CHANGE_PUBLISH_PLACE_H
#define CACHE_CHANGE_PUBLISH_PLACE_H

#include "cache/change/publish.h"
#include "cache/format/jitcache.h"
#include "os/files/tree.h"

struct publish_root {
    const char *path;
    struct jw_tree tree;
    struct jw_arena *a; /* lives as long as this */
    char *scratch; /* a folder of ours in the root for what comes from another file system; NULL: not yet */
    uint64_t touched[4]; /* a bit for each h/h that was given a name since the last sync */
};

/* False, with JW_E_FORMAT: the folder is somebody else's, or others may write to it. */
bool publish_ours(const struct jw_tree *folder, struct jw_err *err) JW_MUST;

/* The folder that an entry is in. Links, and folders of others, are refused with JW_E_FORMAT; `*found` false: there is none. */
bool publish_enter(const struct publish_root *root, uint64_t hash, bool make, struct jw_tree *home,
                   bool *found, struct jw_err *err) JW_MUST;

/* Sets the entry's answers. False: the root's own trouble; the answers hold all the same. */
bool publish_place(struct publish_root *root, struct jw_pub_entry *e, struct jw_arena *a,
                   struct jw_err *err) JW_MUST;

/* The names that were given outlive a power cut. */
bool publish_sync(struct publish_root *root, struct jw_err *err) JW_MUST;

/* Is there a file for this record, of its size? */
bool publish_there(const struct publish_root *root, const struct jw_cache_record *record, bool *there,
                   struct jw_err *err) JW_MUST;

#endif
