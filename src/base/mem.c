#include "base/mem.h"

#include "base/fault.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

void *jw_alloc(size_t n)
{
    return jw_fault_here() ? NULL : calloc(1, n ? n : 1);
}

void *jw_realloc(void *p, size_t n)
{
    return jw_fault_here() ? NULL : realloc(p, n ? n : 1);
}

char *jw_strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = jw_alloc(n);

    if (copy)
        memcpy(copy, text, n);
    return copy;
}

void jw_free(void *p)
{
    free(p);
}

bool jw_room(uint8_t **p, size_t *room, size_t n, struct jw_err *err)
{
    if (n <= *room)
        return true;
    jw_free(*p);
    *p = jw_alloc(n);
    *room = *p ? n : 0;
    return *p || jw_nomem(err, n);
}

bool jw_grow(void *items, size_t each, size_t n, size_t *cap, size_t max, struct jw_err *err)
{
    void *old;
    uint64_t bytes;

    if (n < *cap)
        return true;
    if (n >= max)
        return jw_fail(err, JW_E_LIMIT, "more than %zu items", max);

    size_t want = *cap ? *cap * 2 : 16;

    if (want > max)
        want = max;
    if (!jw_mul(want, each, &bytes) || bytes > SIZE_MAX)
        return jw_nomem(err, SIZE_MAX);
    memcpy(&old, items, sizeof old);
    void *grown = jw_realloc(old, (size_t)bytes);
    if (!grown)
        return jw_nomem(err, (size_t)bytes);
    memcpy(items, &grown, sizeof grown);
    *cap = want;
    return true;
}
