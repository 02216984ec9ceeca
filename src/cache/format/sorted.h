/* Lists of entry names, or of structs that begin with one: a uint64_t, by which they are sorted and found. */
#ifndef CACHE_FORMAT_SORTED_H
#define CACHE_FORMAT_SORTED_H

#include <stddef.h>
#include <stdint.h>

int jw_by_u64(const void *a, const void *b); /* for qsort */
void jw_sort_u64(void *list, size_t n, size_t each);

/* An element with this name, or NULL. */
void *jw_find_u64(const void *list, size_t n, size_t each, uint64_t name);

#endif
