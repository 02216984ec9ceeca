/*
 * PTX that a recorded command made while it ran: no file has it, so it would be lost with the cache. The head and the key of its entry are
 * kept without the code, beside the roots (jw_kept_path): about the size of the PTX. The root's module has no file then, and the job's id
 * (struct jw_job.id, jw_entry_job) in place of the digest of its PTX, for one PTX with other options is another module.
 */
#ifndef PRIME_KEPT_H
#define PRIME_KEPT_H

#include "memory/roots.h"

/* The file. */
const char *jw_kept_path(const struct jw_cache_folder *f, const uint8_t id[JW_DIGEST], struct jw_arena *a);

#define JW_MAX_KEPT ((uint64_t)256 << 20) /* bytes for one cache */

/* Keeps head and key of this entry. JW_E_LIMIT: they are more than `*room`, which becomes less by them. */
bool jw_kept_put(const struct jw_cache_folder *f, const char *entry, uint64_t key_size,
                 const uint8_t id[JW_DIGEST], uint64_t *room, struct jw_err *err) JW_MUST;

/* Removes what no root needs: called when a root was forgotten or recorded again. Roots that could not be read may
 * need all of it. Returns the bytes that stay. */
uint64_t jw_kept_sweep(const struct jw_cache_folder *f, const struct jw_roots *roots);

#endif
