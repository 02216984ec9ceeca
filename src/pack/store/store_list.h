/*
 * What is in the store: each pack by what its name and its manifest say. Nothing of a pack is verified, and nothing is
 * changed.
 */
#ifndef PACK_STORE_STORE_LIST_H
#define PACK_STORE_STORE_LIST_H

#include "pack/file/pack_read.h"
#include "pack/store/store.h"

struct jw_store_shown {
    const struct jw_store_pack *pack;
    const char
        *damage; /* NULL; or why nothing more can be said of it: no pack, another one than its name says... */
    /* of its manifest, when there is no damage: */
    uint64_t entries;
    uint64_t raw;                         /* bytes of its tar */
    const struct jw_pack_origin *origins; /* whose code it is */
    size_t n_origins;
    bool unnamed;             /* some entries are of no origin that is told */
    uint64_t carried, forged; /* entries */
    bool is_signed;           /* by its own account */
    char key[17];             /* id of the key that signed it; "" when it is not signed or cannot be read */
    const char *key_file;     /* where that key is trusted from; NULL: it is not */
    bool current;             /* for the driver that was met here last */
};

struct jw_store_report {
    struct jw_store store;
    uint64_t cap;
    const char *cap_origin;       /* who said so: "default", "/etc/jitwarm/jitwarm.conf:3" */
    struct jw_store_shown *shown; /* ours; this machine's driver first, then the one that was used last */
    size_t n_shown;
    const struct jw_store_pack **others; /* of names that the store does not give: left alone */
    size_t n_others;
    struct jw_notes notes;
};

bool jw_store_list(const atomic_bool *interrupted, struct jw_arena *a, struct jw_store_report *out,
                   struct jw_err *err) JW_MUST;

#endif
