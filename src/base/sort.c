#include "base/sort.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool in_order(const uint8_t *list, size_t n, size_t each, int (*order)(const void *, const void *))
{
    for (size_t i = 1; i < n; i++)
        if (order(list + (i - 1) * each, list + i * each) > 0)
            return false;
    return true;
}

/* Most lists are in order already. */
void jw_sort(void *list, size_t n, size_t each, int (*order)(const void *, const void *))
{
    if (!in_order(list, n, each, order))
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

/* ---- by numbers ---- */

enum {
    DIGITS = sizeof(uint64_t), /* of a name: bytes */
    FIRST = 3,                 /* so many put nearly all of a list in order */
    VALUES = 256,              /* of a digit */
    FEW = 48,                  /* so many are sorted one by one */
    STEPS = 8                  /* so many for each, and no more */
};

static uint64_t name_at(const void *list, size_t each, size_t i)
{
    uint64_t name;

    memcpy(&name, (const uint8_t *)list + i * each, sizeof name);
    return name;
}

/* One by one. False: that would take more than `steps`. */
static bool sort_near(struct jw_ranked *r, size_t n, size_t steps)
{
    for (size_t i = 1; i < n; i++) {
        struct jw_ranked one = r[i];
        size_t to = i;

        for (; to && r[to - 1].name > one.name && steps; to--, steps--)
            r[to] = r[to - 1];
        r[to] = one;
        if (!steps)
            return false;
    }
    return true;
}

static unsigned digit_of(uint64_t name, unsigned digit)
{
    return name >> (8 * digit) & (VALUES - 1);
}

/* By these digits, the last first. `*r` and `*room` change places with each. */
static void sort_by_digits(struct jw_ranked **r, struct jw_ranked **room, size_t n, unsigned from,
                           unsigned to)
{
    for (unsigned d = from; d < to; d++) {
        struct jw_ranked *was = *r, *now = *room;
        size_t next[VALUES] = { 0 }, sum = 0;

        for (size_t i = 0; i < n; i++)
            next[digit_of(was[i].name, d)]++;
        for (unsigned v = 0; v < VALUES; v++) {
            size_t here = next[v];

            next[v] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++)
            now[next[digit_of(was[i].name, d)]++] = was[i];
        *r = now;
        *room = was;
    }
}

/* Names are digests: their first digits tell nearly all of them apart. */
struct jw_ranked *jw_rank_u64(const void *list, size_t n, size_t each)
{
    struct jw_ranked *r = jw_realloc(NULL, n * sizeof *r), *room;
    bool sorted = true;

    for (size_t i = 0; i < n; i++) {
        r[i] = (struct jw_ranked){ name_at(list, each, i), i };
        sorted &= !i || r[i - 1].name <= r[i].name;
    }
    if (sorted || (n <= FEW && sort_near(r, n, SIZE_MAX)))
        return r;
    room = jw_realloc(NULL, n * sizeof *room);
    sort_by_digits(&r, &room, n, DIGITS - FIRST, DIGITS);
    if (!sort_near(r, n, n * STEPS))
        sort_by_digits(&r, &room, n, 0, DIGITS);
    jw_free(room);
    return r;
}

/* Each element goes to its place, along the circles in which they follow each other. */
static void put_in_order(uint8_t *list, struct jw_ranked *r, size_t n, size_t each)
{
    uint8_t *held = jw_alloc(each);

    for (size_t i = 0; i < n; i++) {
        size_t to = i, from = r[i].at;

        if (from == i)
            continue;
        memcpy(held, list + i * each, each);
        for (; from != i; from = r[to].at) {
            memcpy(list + to * each, list + from * each, each);
            r[to].at = to;
            to = from;
        }
        memcpy(list + to * each, held, each);
        r[to].at = to;
    }
    jw_free(held);
}

void jw_sort_u64(void *list, size_t n, size_t each)
{
    struct jw_ranked *r = jw_rank_u64(list, n, each);

    put_in_order(list, r, n, each);
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
