/*
 * ar.c
 *
 *   "!<arch>\n", then members on even positions:
 *   16 name   12 time   6 uid   6 gid   8 mode   10 size (decimal)   "`\n"   data
 *
 *   GNU      "/" symbols   "/SYM64/" symbols   "//" long names   "/123" a long name, ends in "/\n"   "name/"
 *   Windows  the same with NUL instead of "/\n"; two "/" members come first
 */
#include "formats/ar.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"

#include <string.h>

enum { MAGIC = 8, HEADER = 60, NAME = 16, MAX_NAME = 4096 };

bool jw_ar_magic(struct jw_bytes head)
{
    return jw_starts(head, "!<arch>\n");
}

struct jw_ar jw_ar_open(const struct jw_source *src, struct jw_arena *a)
{
    return (struct jw_ar){ .src = src, .arena = a, .next = MAGIC };
}

/* A number field: digits, then blanks. */
static bool field_number(const uint8_t *p, size_t n, uint64_t *out)
{
    char text[24] = "";

    memcpy(text, p, n);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\0'))
        text[--n] = '\0';
    return jw_text_u64(text, out);
}

static bool too_many_names(struct jw_err *err)
{
    return jw_fail(err, JW_E_LIMIT, "ar: more than %zu bytes of names", JW_MAX_IMAGE_TEXT);
}

static bool read_long_names(struct jw_ar *ar, uint64_t at, uint64_t size, struct jw_err *err)
{
    if (size > JW_MAX_AR_NAMES)
        return jw_fail(err, JW_E_LIMIT, "ar: a name table of %llu bytes (at most %zu)",
                       (unsigned long long)size, JW_MAX_AR_NAMES);
    if (!jw_arena_has_room(ar->arena, (size_t)size))
        return too_many_names(err);
    uint8_t *p = jw_arena_alloc(ar->arena, (size_t)size);
    ar->names = (struct jw_bytes){ p, (size_t)size };
    return jw_source_read(ar->src, at, p, (size_t)size, err);
}

/* The name at 123 of the table, for "/123". */
static const char *long_name(struct jw_ar *ar, uint64_t at)
{
    size_t n = 0;

    if (at >= ar->names.n)
        return jw_arena_str(ar->arena, "?");
    const char *p = (const char *)ar->names.p + at;
    while (n < MAX_NAME && n < ar->names.n - at && p[n] != '\n' && p[n] != '\0')
        n++;
    if (n && p[n - 1] == '/')
        n--;
    return jw_arena_text(ar->arena, p, n);
}

static void name_short_member(struct jw_ar *ar, struct jw_ar_member *m, const uint8_t *raw)
{
    size_t n = NAME;

    while (n && raw[n - 1] == ' ')
        n--;
    if (n && raw[n - 1] == '/')
        n--;
    m->name = jw_arena_text(ar->arena, (const char *)raw, n);
}

/* Sets the member's name; `*table`: it holds symbols or names, not code. */
static bool name_member(struct jw_ar *ar, struct jw_ar_member *m, const uint8_t *raw, bool *table,
                        struct jw_err *err)
{
    uint64_t number;

    *table = memcmp(raw, "/ ", 2) == 0 || memcmp(raw, "/SYM64/", 7) == 0 || memcmp(raw, "// ", 3) == 0
             || memcmp(raw, "/<", 2) == 0;
    if (memcmp(raw, "// ", 3) == 0)
        return read_long_names(ar, m->at, m->size, err);
    if (*table)
        return true;
    if (!jw_arena_has_room(ar->arena, MAX_NAME + 1))
        return too_many_names(err);
    if (raw[0] == '/' && field_number(raw + 1, NAME - 1, &number)) {
        m->name = long_name(ar, number);
        return true;
    }
    name_short_member(ar, m, raw);
    return true;
}

bool jw_ar_next(struct jw_ar *ar, struct jw_ar_member *m, bool *more, struct jw_err *err)
{
    uint8_t raw[HEADER];
    bool table = true;

    *more = false;
    while (table) {
        unsigned long long where = ar->next;

        if (ar->next >= ar->src->size || ar->src->size - ar->next == 1)
            return true; /* there may be one byte of padding */
        if (ar->seen++ >= JW_MAX_AR_MEMBERS)
            return jw_fail(err, JW_E_LIMIT, "ar: more than %zu members", JW_MAX_AR_MEMBERS);
        if (!jw_within(ar->next, HEADER, ar->src->size))
            return jw_fail(err, JW_E_FORMAT, "ar: member at 0x%llx is cut off", where);
        if (!jw_source_read(ar->src, ar->next, raw, sizeof raw, err))
            return false;
        *m = (struct jw_ar_member){ .at = ar->next + HEADER };
        if (memcmp(raw + 58, "`\n", 2) != 0 || !field_number(raw + 48, 10, &m->size))
            return jw_fail(err, JW_E_FORMAT, "ar: no member header at 0x%llx", where);
        if (!jw_within(m->at, m->size, ar->src->size))
            return jw_fail(err, JW_E_FORMAT, "ar: member at 0x%llx (%llu bytes) runs past the end", where,
                           (unsigned long long)m->size);
        ar->next = jw_align(m->at + m->size, 2);
        if (!name_member(ar, m, raw, &table, err))
            return false;
    }
    *more = true;
    return true;
}
