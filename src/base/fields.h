/* Fields of binary records on disk and between processes: written here, read here or with
 * base/bytes.h. Little-endian. A text is a u32 length, its bytes, and a NUL that does not count. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

void jw_field_number(struct jw_buf *out, uint64_t v, size_t bytes); /* the lowest ones of `v` */

/* ---- a whole record: fields in their order, each with its place in a struct; { 0 } ends ---- */

enum jw_field_kind {
    JW_FIELD_END,
    JW_FIELD_PLAIN, /* as it is in memory: a number, an enum, a double, an array of bytes */
    JW_FIELD_TEXT,  /* const char *, at most JW_MAX_PATH; NULL is ""; borrowed when read */
    JW_FIELD_LIST,  /* u32 number of elements, then these */
    JW_FIELD_REST   /* struct jw_bytes: all that is left; borrowed when read */
};

struct jw_field {
    uint8_t kind;
    uint16_t at, size; /* of the member */
    uint16_t n_at;     /* of a list's number, a size_t */
    uint32_t stride;
    uint64_t max; /* a larger number makes the reader bad; 0: none is too large */
    const struct jw_field *of;
};

void jw_fields_put(struct jw_buf *out, const struct jw_field *fields, const void *of);

/* `of` was zeroed. Lists live in `a`, which may be NULL where none does. */
void jw_fields_get(struct jw_reader *r, const struct jw_field *fields, struct jw_arena *a,
                   void *of);

/* ---- a record on disk: u32 n   u16 kind   n bytes of fields   u64 FNV-1a-64 of all before it */

enum { JW_RECORD_FRAME = 4 + 2 + 8 };

struct jw_record {
    struct jw_bytes body; /* borrowed */
    uint16_t kind;
};

/* Appends one. `out` is bad if its fields are longer than JW_MAX_STATE_RECORD. */
void jw_record_put(struct jw_buf *out, uint16_t kind, const struct jw_field *fields,
                   const void *of);

/* The next record. False, and nothing is taken: the rest is torn or damaged, or there is none. */
bool jw_record_take(struct jw_reader *r, struct jw_record *out);

/* False: the body is not these fields alone. `of` was zeroed; texts are borrowed. */
bool jw_record_get(const struct jw_record *record, const struct jw_field *fields,
                   struct jw_arena *a, void *of);

#define JW_FIELD_AT(T, m) .at = offsetof(T, m), .size = sizeof(((T *)0)->m)
#define JW_FIELD_KIND(value)                                                                       \
    _Generic((value), const char * : JW_FIELD_TEXT, struct jw_bytes : JW_FIELD_REST, default : JW_FIELD_PLAIN)
#define JW_FIELD_UP_TO(T, m, limit)                                                                \
    {                                                                                              \
        .kind = JW_FIELD_KIND(((T *)0)->m), JW_FIELD_AT(T, m), .max = (limit)                      \
    }
#define JW_FIELD(T, m) JW_FIELD_UP_TO(T, m, _Generic(((T *)0)->m, bool : 1, default : 0))
#define JW_FIELD_OR_NULL(T, m) JW_FIELD_UP_TO(T, m, 1) /* a text; NULL where it is empty */
/* A field without a struct: a text. */
#define JW_FIELD_TEXT_ALONE                                                                        \
    {                                                                                              \
        .kind = JW_FIELD_TEXT, .size = sizeof(char *)                                              \
    }
#define JW_FIELD_LIST_UP_TO(T, m, n, fields, limit)                                                \
    {                                                                                              \
        .kind = JW_FIELD_LIST, JW_FIELD_AT(T, m), .n_at = offsetof(T, n),                          \
        .stride = sizeof *((T *)0)->m, .of = (fields), .max = (limit)                              \
    }
#define JW_FIELD_LIST_OF(T, m, n, fields) JW_FIELD_LIST_UP_TO(T, m, n, fields, UINT32_MAX)
