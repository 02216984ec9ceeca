/*
 * Digests of whole files. A file is read once, and the digests of large ones are remembered for later runs, whichever
 * verb read them: a copy of a recorded file is compared by its bytes once, and by its times after that. The file
 * digests in the state folder has one checked record (base/fields.h), the newest first, up to 1024 of them:
 *
 *   53 DIGESTS   u32 n, then of each: text path   text digest   u64 size   i64 mtime   i64 ctime   u64 volume   u64 node
 */
#ifndef CACHE_MEMORY_DIGESTS_H
#define CACHE_MEMORY_DIGESTS_H

#include "base/arena.h"
#include "base/digest.h"
#include "os/files/file.h"

struct jw_digests {
    struct jw_arena *a;
    struct jw_digested *list;
    size_t n;
    uint32_t *places; /* a hash table of them by their inodes: 1 + the number of each */
    size_t n_places;  /* a power of two */
    bool remembers;   /* set it to use those of earlier runs */
    bool loaded;
};

/* The digest in hex, in the arena. NULL: it could not be read. `info`: the file's state now; the file is read again if
 * it differs from that of the digest. */
const char *jw_digests_of(struct jw_digests *d, const char *path, const struct jw_file_info *info);

/* The same of a file that was read before; NULL: it was not. */
const char *jw_digests_known(struct jw_digests *d, const char *path, const struct jw_file_info *info);

/* Remembers what this run read. A file that was changed a moment before is left out: the next change might not be seen. */
void jw_digests_keep(struct jw_digests *d);

#endif
