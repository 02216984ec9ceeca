#include "cache/format/sorted.h"

#include <stdlib.h>

int jw_by_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void jw_sort_u64(void *list, size_t n, size_t each)
{
    if (n) /* the list may be NULL */
        qsort(list, n, each, jw_by_u64);
}

void *jw_find_u64(const void *list, size_t n, size_t each, uint64_t name)
{
    return n ? bsearch(&name, list, n, each, jw_by_u64) : NULL;
}
