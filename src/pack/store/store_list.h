/* Lists the store's packs by their names and manifests. Verifies and changes nothing. */
#ifndef PACK_STORE_STORE_LIST_H
#define PACK_STORE_STORE_LIST_H

#include "pack/file/pack_read.h"
#include "pack/store/store.h"
#include "session/session.h"

struct jw_store_shown {
    const struct jw_store_pack *pack;
    const char *damage; /* why the manifest cannot be used, or NULL */
    /* of the manifest: */
    uint64_t entries;
    uint64_t raw; /* bytes of its tar */
    const struct jw_pack_origin *origins;
    size_t n_origins;
    bool unnamed;         /* some entries have no origin */
    bool is_signed;       /* has a signature, not verified */
    char key[17];         /* id of the signing key, or "" */
    const char *key_file; /* where that key is trusted, or NULL */
    bool current;         /* for the last driver seen here */
};

struct jw_store_report {
    struct jw_store store;
    uint64_t cap;
    const char *cap_origin;       /* "default", "/etc/jitwarm/jitwarm.conf:3" */
    struct jw_store_shown *shown; /* this machine's driver first, then the latest */
    size_t n_shown;
    const struct jw_store_pack **others; /* files with other names */
    size_t n_others;
    struct jw_notes notes;
};

bool jw_store_list(struct jw_session *s, struct jw_store_report *out, struct jw_err *err) JW_MUST;

#endif
