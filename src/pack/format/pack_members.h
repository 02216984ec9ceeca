/* The tar of a pack, one frame at a time, held against what must be in it. */
#ifndef PACK_FORMAT_PACK_MEMBERS_H
#define PACK_FORMAT_PACK_MEMBERS_H

#include "pack/format/pack_frames.h"

/* Who is told of the entries: each is whole, and has the digest that the manifest says. */
struct jw_pack_visitor {
    /* m->entries[i]; from several threads at once. */
    bool (*entry)(void *ctx, size_t i, struct jw_bytes file, struct jw_err *err);
    void *ctx;
};

/* The manifest and the end of the tar, and nothing else. Everything in `out` lives in `a`. */
bool jw_pack_members_manifest(struct jw_bytes tar, struct jw_arena *a, struct jw_pack_manifest *out,
                              struct jw_err *err) JW_MUST;

/* Exactly the entries of this frame, in their order. `*declined`: it is the visitor that failed. */
bool jw_pack_members_entries(struct jw_bytes tar, const struct jw_pack_manifest *m,
                             const struct jw_pack_frame *frame, struct jw_pack_visitor to, bool *declined,
                             struct jw_err *err) JW_MUST;

#endif
