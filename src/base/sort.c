#include "base/sort.h"

#include "base/mem.h"

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

static uint64_t name_at(const void *list, size_t each, size_t i)
{
    uint64_t name;

    memcpy(&name, (const uint8_t *)list + i * each, sizeof name);
    return name;
}

static int by_rank(const void *a, const void *b)
{
    const struct jw_ranked *x = a;
    const struct jw_ranked *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return 0;
}

struct jw_ranked *jw_rank_u64(const void *list, size_t n, size_t each)
{
    struct jw_ranked *r = jw_realloc(NULL, n * sizeof *r);

    for (size_t i = 0; i < n; i++)
        r[i] = (struct jw_ranked){name_at(list, each, i), i};
    jw_sort(r, n, sizeof *r, by_rank);
    return r;
}

void jw_sort_u64(void *list, size_t n, size_t each)
{
    struct jw_ranked *r = jw_rank_u64(list, n, each);
    uint8_t *sorted = jw_realloc(NULL, n * each);

    for (size_t i = 0; i < n; i++)
        memcpy(sorted + i * each, (const uint8_t *)list + r[i].at * each, each);
    if (n)
        memcpy(list, sorted, n * each);
    jw_free(sorted);
    jw_free(r);
}

size_t jw_count_below(const void *list, size_t n, size_t each, uint64_t value)
{
    size_t from = 0;

    while (from < n) {
        size_t middle = from + (n - from) / 2;

        if (name_at(list, each, middle) < value)
            from = middle + 1;
        else
            n = middle;
    }
    return from;
}

const void *jw_find_u64(const void *list, size_t n, size_t each, uint64_t name)
{
    size_t at = jw_count_below(list, n, each, name);

    return at < n && name_at(list, each, at) == name ? (const uint8_t *)list + at * each : NULL;
}
