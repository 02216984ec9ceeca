/* Which compiler made an entry whose key begins like a module's: OpenCL and nvJitLink compile PTX, too. */
#ifndef CACHE_PLACE_ENTRY_KIND_H
#define CACHE_PLACE_ENTRY_KIND_H

#include "cache/place/listing.h"

/* Reads more of the keys where that is needed, and corrects kind, version and architecture of files of the cache at `folder`. When
 * `*interrupted` (or NULL) it stops early. */
void jw_cache_tell_kinds(const char *folder, const atomic_bool *interrupted, struct jw_cache_file *files,
                         size_t n);

#endif
