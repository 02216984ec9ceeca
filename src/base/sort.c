#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void jw_sort(void *list, size_t n, size_t each, int (*order)(const void *, const void *))
{
    if (n)
        qsort(list, n, each, order);
}

void *jw_search(const void *key, const void *list, size_t n, size_t each,
                int (*order)(const void *, const void *))
{
    return n ? bsearch(key, list, n, each, order) : NULL;
}

int jw_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int jw_by_u16(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

int jw_by_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void jw_sort_u64(void *list, size_t n, size_t each)
{
    jw_sort(list, n, each, jw_by_u64);
}

void *jw_find_u64(const void *list, size_t n, size_t each, uint64_t name)
{
    return jw_search(&name, list, n, each, jw_by_u64);
}
