/*
 * The digests that a pack tells of what it holds. The manifest comes first and names that of every entry, so each entry is
 * read for it before anything is packed; that of the whole tar begins with the manifest, so they are read once more.
 */
#ifndef PACK_FILE_PACK_DIGEST_H
#define PACK_FILE_PACK_DIGEST_H

#include "pack/file/pack_write.h"

/* Fills in the digests of `entries`, by several threads. `sums`: the checksum that each has in its own header, by which
 * later reads know it again. */
bool jw_pack_digest_entries(struct jw_pack_entry *entries, uint64_t *sums, size_t n,
                            struct jw_pack_source from, const struct jw_pack_write_options *o,
                            struct jw_err *err) JW_MUST;

/* What the digest of the tar is taken of, and what comes of it. */
struct jw_pack_tar {
    struct jw_bytes manifest; /* its member of the tar */
    const struct jw_pack_entry *entries;
    const uint64_t *sums;
    size_t n;
    struct jw_pack_source from;
    const struct jw_pack_write_options *o;
    uint8_t digest[JW_DIGEST];
    uint64_t bytes;
};

bool jw_pack_digest_tar(struct jw_pack_tar *t, struct jw_err *err) JW_MUST;

/* JW_E_FORMAT: it was written to after its digest was taken. */
bool jw_pack_is_the_same(const struct jw_cache_entry *found, uint64_t sum, struct jw_err *err) JW_MUST;

bool jw_pack_interrupted(const struct jw_pack_write_options *o, struct jw_err *err);

#endif
