#include "machine/list.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { FIRST = 8 }; /* a list has room for FIRST elements, then for the next power of two */

void *jw_list_add(struct jw_arena *a, void *items, size_t *n, size_t each, size_t max, struct jw_err *err)
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

        if (!jw_mul(*n ? *n * 2 : FIRST, each, &bytes) || bytes > SIZE_MAX) {
            (void)jw_nomem(err, SIZE_MAX);

            return NULL;
        }
        list = jw_arena_alloc(a, (size_t)bytes);
        if (!list) {
            (void)jw_nomem(err, (size_t)bytes);
            return NULL;
        }
        if (*n)
            memcpy(list, old, *n * each);
        memcpy(items, &list, sizeof list);
    }
    return list + (*n)++ * each;
}

bool jw_note_say(struct jw_notes *notes, struct jw_arena *a, struct jw_err *err, const char *fmt,
                 va_list args)
{
    if (notes->n >= JW_MAX_NOTES)
        return true;

    bool last = notes->n == JW_MAX_NOTES - 1;
    const char *kept = last ? "there are more such notes, which are not kept" : jw_arena_say(a, fmt, args);
    if (!kept)
        return jw_nomem(err, JW_MAX_SENTENCE);
    const char **slot = jw_list_add(a, &notes->v, &notes->n, sizeof *notes->v, JW_MAX_NOTES, err);
    if (!slot)
        return false;
    *slot = kept;
    return true;
}

bool jw_note(struct jw_notes *notes, struct jw_arena *a, struct jw_err *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bool ok = jw_note_say(notes, a, err, fmt, args);
    va_end(args);
    return ok;
}

bool jw_note_failure(struct jw_notes *notes, struct jw_arena *a, struct jw_err *err, const char *path)
{
    struct jw_err cause = *err;

    if (cause.code == JW_E_NOMEM)
        return jw_wrap(err, "%s", path);
    return jw_note(notes, a, err, "%s: %s", path, cause.msg);
}
