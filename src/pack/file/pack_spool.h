/*
 * The entries of a pack, read, checked and compressed by several threads, and kept in a folder until all of them have proved
 * to be what the manifest says. One of the threads begins with the digest of the tar.
 */
#ifndef PACK_FILE_PACK_SPOOL_H
#define PACK_FILE_PACK_SPOOL_H

#include "os/files/tree.h"
#include "pack/file/pack_digest.h"
#include "pack/format/pack_frames.h"

struct jw_spooled {
    uint64_t bytes; /* of the frame */
    uint64_t at;    /* where it begins among all frames */
    uint64_t where; /* in its file */
    unsigned file;
};

struct jw_spool {
    uint64_t *sizes;              /* of all members; that of the manifest is 0 */
    struct jw_pack_frame *frames; /* without the manifest's */
    struct jw_spooled *spooled;
    size_t n;
    uint64_t tar_bytes; /* without the manifest's */
    struct jw_tree folder;
    struct jw_file files[JW_PACK_THREADS];
    unsigned n_files;
};

/* `s` may be closed after a failure. */
bool jw_spool_fill(struct jw_spool *s, struct jw_pack_tar *tar, const struct jw_pack_write_options *o,
                   struct jw_err *err) JW_MUST;

/* All frames, one after the other; one thread at a time may read it. `s` is borrowed. */
struct jw_source jw_spool_source(struct jw_spool *s);

void jw_spool_close(struct jw_spool *s); /* its files are removed; accepts a zeroed one */

#endif
