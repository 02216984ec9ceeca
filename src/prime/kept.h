/* PTX that a recorded command made while it ran. No file has it, so it would be lost with the
 * cache. Head and key of its entry are kept beside the roots, without the code: about as large as
 * the PTX. Such a module of a root has no file, and it is known by the job's id (struct jw_job.id)
 * instead of the digest of its PTX, since the same PTX with other options is another module. */
#pragma once

#include "memory/roots.h"

/* The path of the kept file for this job. */
const char *jw_kept_path(const struct jw_cache_memory *f, const uint8_t id[JW_DIGEST],
                         struct jw_arena *a);

#define JW_MAX_KEPT ((uint64_t)256 << 20) /* bytes for one cache */

/* Keeps head and key of this entry, and takes their size from `*room`. JW_E_LIMIT: `*room` is too
 * small. */
bool jw_kept_put(const struct jw_cache_memory *f, const char *entry, uint64_t key_size,
                 const uint8_t id[JW_DIGEST], uint64_t *room, struct jw_err *err) JW_MUST;

/* Saves the roots, and removes kept files that they do not need. */
bool jw_kept_save(const struct jw_cache_memory *f, const struct jw_roots *roots,
                  struct jw_err *err) JW_MUST;

/* Removes kept files that no root needs. If the roots could not be read, all files stay.
 * Returns the bytes that stay. */
uint64_t jw_kept_sweep(const struct jw_cache_memory *f, const struct jw_roots *roots);
