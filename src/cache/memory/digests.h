/* Digests of whole files that were read in this run, each once. */
#ifndef CACHE_MEMORY_DIGESTS_H
#define CACHE_MEMORY_DIGESTS_H

#include "base/arena.h"
#include "base/digest.h"
#include "os/files/file.h"

struct jw_digests {
    struct jw_arena *a;
    struct jw_digested *list;
    size_t n;
};

/* The digest in hex, in the arena. NULL: it could not be read. `info`: the file's state now; the file is read again if
 * it differs from that of the digest. */
const char *jw_digests_of(struct jw_digests *d, const char *path, const struct jw_file_info *info);

/* The same of a file that was read before; NULL: it was not. */
const char *jw_digests_known(const struct jw_digests *d, const char *path, const struct jw_file_info *info);

#endif
