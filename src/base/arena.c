#include "base/arena.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 16 * 1024, FIRST = 8 /* capacity of a list: FIRST elements, then powers of two */ };

struct jw_arena_block {
    struct jw_arena_block *next;
    size_t size, used;
    _Alignas(16) uint8_t data[];
};

static size_t rounded(size_t n) { return (n + 15) & ~(size_t)15; }

bool jw_arena_has_room(const struct jw_arena *a, size_t n)
{
    size_t max = a->max ? a->max : JW_MAX_ARENA;

    return n <= max && rounded(n) <= max && a->used <= max - rounded(n);
}

void *jw_arena_alloc(struct jw_arena *a, size_t n)
{
    struct jw_arena_block *b = a->blocks;

    if (!jw_arena_has_room(a, n))
        jw_out_of_memory(n);
    n = rounded(n);
    if (!b || b->size - b->used < n) {
        size_t size = n > BLOCK ? n : BLOCK;

        b = jw_alloc(sizeof *b + size);
        b->size = size;
        /* A block made for one large thing goes behind the current one, which still has room. */
        if (n > BLOCK && a->blocks) {
            b->next = a->blocks->next;
            a->blocks->next = b;
        } else {
            b->next = a->blocks;
            a->blocks = b;
        }
    }
    void *p = b->data + b->used;
    b->used += n;
    a->used += n;
    return p;
}

char *jw_arena_text(struct jw_arena *a, const char *p, size_t n)
{
    char *copy = jw_arena_alloc(a, n + 1);

    if (n)
        memcpy(copy, p, n);
    return copy;
}

char *jw_arena_str(struct jw_arena *a, const char *text)
{
    return jw_arena_text(a, text, strlen(text));
}

char *jw_arena_vprintf(struct jw_arena *a, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    size_t room = n > 0 ? (size_t)n + 1 : 1;
    char *text = jw_arena_alloc(a, room);

    (void)vsnprintf(text, room, fmt, again);
    va_end(again);
    return text;
}

char *jw_arena_printf(struct jw_arena *a, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = jw_arena_vprintf(a, fmt, args);
    va_end(args);
    return text;
}

void *jw_arena_copy(struct jw_arena *a, const void *p, size_t n)
{
    void *copy = jw_arena_alloc(a, n);

    if (n)
        memcpy(copy, p, n);
    return copy;
}

void jw_arena_free(struct jw_arena *a)
{
    struct jw_arena_block *b = a->blocks;

    while (b) {
        struct jw_arena_block *next = b->next;

        jw_free(b);
        b = next;
    }
    *a = (struct jw_arena){.max = a->max};
}

void *jw_list_add(struct jw_arena *a, void *items, size_t *n, size_t each, size_t max,
                  struct jw_err *err)
{
    uint8_t *list;
    uint64_t bytes;

    if (*n >= max) {
        (void)jw_fail(err, JW_E_LIMIT, "more than %zu items", max);

        return NULL;
    }
    memcpy(&list, items, sizeof list);
    if (*n == 0 || (*n >= FIRST && (*n & (*n - 1)) == 0)) {
        uint8_t *old = list;

        if (!jw_mul(*n ? *n * 2 : FIRST, each, &bytes) || bytes > SIZE_MAX)
            jw_out_of_memory(SIZE_MAX);
        list = jw_arena_alloc(a, (size_t)bytes);
        if (*n)
            memcpy(list, old, *n * each);
        memcpy(items, &list, sizeof list);
    }
    return list + (*n)++ * each;
}
