/* A pack taken apart, so that one thing in it can be made wrong and everything else right again. */
#pragma once

#include "pack_rig.h"

enum { PARTS_MAX = 64 };

struct pack_parts {
    struct jw_buf text;    /* of the manifest */
    struct jw_buf members; /* the tar before the manifest's member */
    size_t at[PARTS_MAX];  /* where each entry's member begins in it, and its end */
    size_t n;              /* entries */
};

void pack_parts_take(struct pack_parts *p, const struct pack_rig *r);
void pack_parts_free(struct pack_parts *p);

/* The tar of the manifest, end blocks included. */
void pack_parts_last(const struct pack_parts *p, struct jw_buf *tar);

/* The manifest's frame, where it begins, and the trailer, behind what is in `pack`. */
void pack_parts_end(const struct pack_parts *p, struct jw_buf *pack);

/* The whole pack. */
void pack_parts_join(const struct pack_parts *p, struct jw_buf *pack);

/* The reader refuses these bytes with JW_E_FORMAT and a sentence that has `sentence` in it. */
void pack_refused(struct jw_bytes pack, const char *sentence);
void pack_parts_refused(const struct pack_parts *p, const char *sentence);
