/* Sorting and searching. A list of no elements may be NULL. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* `each`: the size of an element. `order`: as qsort wants it. */
void jw_sort(void *list, size_t n, size_t each, int (*order)(const void *, const void *));

/* An element that equals `key`, or NULL. */
void *jw_search(const void *key, const void *list, size_t n, size_t each,
                int (*order)(const void *, const void *));

/* The order of elements that are, or begin with, a const char *, not NULL: by bytes. */
int jw_by_text(const void *a, const void *b);

/* Sorts elements that are, or begin with, a uint64_t. Equal ones keep their order. */
void jw_sort_u64(void *list, size_t n, size_t each);
const void *jw_find_u64(const void *list, size_t n, size_t each, uint64_t name);

/* The number of elements below `value`: the place of the first one that is not. */
size_t jw_count_below(const void *list, size_t n, size_t each, uint64_t value);

/* The order that sorting them would make; jw_find_u64 finds in it, too. The caller frees it. */
struct jw_ranked {
    uint64_t name;
    size_t at; /* in the list */
};
struct jw_ranked *jw_rank_u64(const void *list, size_t n, size_t each);
