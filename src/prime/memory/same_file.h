/*
 * The state of a file or folder when a command was recorded, as a text of its record. It is the same as long
 * as nothing wrote to it. If that is not known (a copy, a hard link, the image of a container on another
 * machine), a file is the same as long as its bytes are.
 */
#ifndef PRIME_MEMORY_SAME_FILE_H
#define PRIME_MEMORY_SAME_FILE_H

#include "base/arena.h"
#include "cache/memory/digests.h"

#include <stdbool.h>
#include <stdint.h>

/* More bytes are not read for one record: files beyond that have no digest, and a copy of one counts as
 * another file. */
#define PRIME_MAX_DIGESTED ((uint64_t)4 << 30)
#define PRIME_MAX_DIGESTED_AT_THE_END ((uint64_t)64 << 20) /* where somebody waits for this process to end */

/* Size, times and identity, as they are now; NULL: there is neither a file nor a folder. */
const char *prime_file_facts(const char *path, struct jw_arena *a);

/* The facts, and a digest of the bytes: of a file that was read before, or is no larger than `*room`, which then has
 * less. Returns the facts alone where they are no longer so. */
const char *prime_file_record(const char *path, const char *facts, struct jw_digests *d, uint64_t *room,
                              struct jw_arena *a);

/* Is it what was recorded? `d` may be NULL. */
bool prime_file_is(const char *path, const char *recorded, struct jw_digests *d, struct jw_arena *a);

/* For a file that is the same: its record as it would be now. NULL: it needs no other. */
const char *prime_file_renewed(const char *path, const char *recorded, struct jw_arena *a);

#endif
