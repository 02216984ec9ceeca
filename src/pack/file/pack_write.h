/*
 * A pack, written: the frames of its entries, the manifest's frame and where that begins (pack/format/pack_frames.h), the
 * trailer. Several threads read, check, hash and compress, each one frame at a time, and hand them on in their order.
 * Neither the number of threads nor anything else but the entries, the level and the build of libzstd decides about a byte.
 */
#ifndef PACK_FILE_PACK_WRITE_H
#define PACK_FILE_PACK_WRITE_H

#include "base/source.h"
#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"

#include <stdatomic.h>

enum { JW_PACK_LEVEL = 3, JW_PACK_LEVEL_MOST = 19, JW_PACK_THREADS = 16 };

/* Where the entries' files come from. */
struct jw_pack_source {
    /* The whole file of entries[entry], whose `n` bytes are jw_pack_entry_bytes of it. Called once for each, from several
     * threads at once. */
    bool (*read)(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err);
    void *ctx;
};

struct jw_pack_write_options {
    int level;                            /* 1 to 19; 0: JW_PACK_LEVEL */
    unsigned threads;                     /* 0: one for each processor, 16 at most */
    const struct jw_minisign_secret *key; /* NULL: not signed */
    const char *comment;                  /* the signature's trusted comment; NULL: what the pack is for */
    const atomic_bool *interrupted;       /* NULL: never */
    /* Bytes of tar, of all of them. From one thread at a time, not always the caller's. NULL: not told. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
};

struct jw_pack_written {
    uint64_t bytes, tar_bytes;
    uint8_t manifest[JW_DIGEST];     /* of the manifest, which tells those of all entries */
    uint8_t digest[JW_DIGEST];       /* of the whole file */
    uint8_t body[JW_DIGEST];         /* of what is before the trailer, which tells it */
    uint8_t digest512[JW_DIGEST512]; /* the same, as minisign signs it; zeros when not signed */
};

/*
 * `entries` are m->entries, sorted by name, with everything but their digests, which are filled in here. Each file must
 * be a sound entry of that name and these sizes; one that is not (it was written to meanwhile) ends it with JW_E_FORMAT,
 * its name and why. What the sink got when this fails is no pack.
 */
bool jw_pack_write(struct jw_sink out, struct jw_pack_manifest *m, struct jw_pack_entry *entries,
                   struct jw_pack_source from, const struct jw_pack_write_options *o,
                   struct jw_pack_written *w, struct jw_err *err) JW_MUST;

/* Appends the text of X.tar.zst.minisig: a signature over the whole file, from the digest of `w`. `comment` as in the
 * options. */
bool jw_pack_minisig(struct jw_buf *out, const struct jw_pack_written *w, const struct jw_pack_manifest *m,
                     const struct jw_minisign_secret *key, const char *comment, struct jw_err *err) JW_MUST;

#endif
