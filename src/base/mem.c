#include "base/mem.h"

#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

enum { EXIT_OUT_OF_MEMORY = 4, LARGE_PAGE = 2 << 20 };

void jw_out_of_memory(size_t wanted)
{
    (void)fprintf(stderr, "jitwarm: out of memory (wanted %zu bytes)\n", wanted);
    _Exit(EXIT_OUT_OF_MEMORY);
}

static void *or_end(void *p, size_t wanted)
{
    if (!p)
        jw_out_of_memory(wanted);
    return p;
}

void *jw_alloc(size_t n) { return or_end(calloc(1, n ? n : 1), n); }

void *jw_realloc(void *p, size_t n) { return or_end(realloc(p, n ? n : 1), n); }

void *jw_realloc_filled(void *p, size_t n)
{
    p = jw_realloc(p, n);
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)p + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;

    if (n >= 2 * LARGE_PAGE)
        (void)madvise((void *)first, n - LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return p;
}

char *jw_strdup(const char *text)
{
    size_t n = strlen(text) + 1;

    return memcpy(jw_alloc(n), text, n);
}

void jw_free(void *p) { free(p); }

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
        jw_out_of_memory(SIZE_MAX);
    memcpy(&old, items, sizeof old);
    void *grown = jw_realloc(old, (size_t)bytes);
    memcpy(items, &grown, sizeof grown);
    *cap = want;
    return true;
}
