#include "base/fields.h"

#include "base/digest.h"
#include "base/limits.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers in memory are as in records");

void jw_field_number(struct jw_buf *out, uint64_t v, size_t bytes)
{
    uint8_t b[8];

    jw_put64(b, v);
    jw_buf_add(out, b, bytes);
}

static void put_text(struct jw_buf *out, const char *text)
{
    size_t n = strlen(text ? text : "");

    if (n > JW_MAX_PATH) {
        out->bad = true;
        return;
    }
    jw_field_number(out, (uint32_t)n, 4);
    jw_buf_add(out, text ? text : "", n + 1);
}

static const char *take_text(struct jw_reader *r)
{
    uint32_t n = jw_u32(r);
    struct jw_bytes b = n <= JW_MAX_PATH ? jw_take(r, (uint64_t)n + 1) : (struct jw_bytes){NULL, 0};

    if (!b.n || memchr(b.p, 0, b.n) != b.p + n) {
        r->bad = true;
        return "";
    }
    return (const char *)b.p;
}

static void put_list(struct jw_buf *out, const struct jw_field *f, const uint8_t *of)
{
    const uint8_t *items;
    size_t n;

    memcpy(&items, of + f->at, sizeof items);
    memcpy(&n, of + f->n_at, sizeof n);
    out->bad |= n > UINT32_MAX;
    jw_field_number(out, n, 4);
    for (size_t i = 0; i < n; i++) {
        if (out->bad)
            return;
        jw_fields_put(out, f->of, items + i * f->stride);
    }
}

void jw_fields_put(struct jw_buf *out, const struct jw_field *fields, const void *of)
{
    for (const struct jw_field *f = fields; f->kind != JW_FIELD_END; f++) {
        if (out->bad)
            return;
        const uint8_t *at = (const uint8_t *)of + f->at;
        const char *text;
        struct jw_bytes rest;

        switch ((enum jw_field_kind)f->kind) {
        case JW_FIELD_PLAIN: jw_buf_add(out, at, f->size); break;
        case JW_FIELD_TEXT:
            memcpy(&text, at, sizeof text);
            put_text(out, text);
            break;
        case JW_FIELD_LIST: put_list(out, f, of); break;
        case JW_FIELD_REST:
            memcpy(&rest, at, sizeof rest);
            jw_buf_add(out, rest.p, rest.n);
            break;
        case JW_FIELD_END: break;
        }
    }
}

static void get_plain(struct jw_reader *r, const struct jw_field *f, uint8_t *to)
{
    struct jw_bytes in = jw_take(r, f->size);
    uint64_t number = 0;

    if (in.n && f->max)
        memcpy(&number, in.p, f->size);
    r->bad |= number > f->max;
    if (in.n && !r->bad)
        memcpy(to, in.p, f->size);
}

/* The fewest bytes of this field in a record: of a text its length and a NUL, of a list its
 * number. */
static uint64_t least_of(const struct jw_field *f)
{
    if (f->kind == JW_FIELD_PLAIN)
        return f->size;
    return f->kind == JW_FIELD_TEXT ? 4 + 1 : 4;
}

static uint64_t least(const struct jw_field *f)
{
    uint64_t n = 0;

    for (; f->kind != JW_FIELD_END; f++)
        n += least_of(f);
    return n;
}

/* A number that promises more elements than there is room for makes the reader bad. */
static void get_list(struct jw_reader *r, const struct jw_field *f, struct jw_arena *a, uint8_t *of)
{
    size_t n = jw_u32(r);
    uint8_t *items;

    if (n > f->max || n * least(f->of) > r->in.n - r->at) {
        r->bad = true;
        n = 0;
    }
    memcpy(of + f->n_at, &n, sizeof n);
    items = n ? jw_arena_alloc(a, n * f->stride) : NULL;
    memcpy(of + f->at, &items, sizeof items);
    for (size_t i = 0; i < n; i++)
        jw_fields_get(r, f->of, a, items + i * f->stride);
}

void jw_fields_get(struct jw_reader *r, const struct jw_field *fields, struct jw_arena *a, void *of)
{
    for (const struct jw_field *f = fields; f->kind != JW_FIELD_END; f++) {
        uint8_t *at = (uint8_t *)of + f->at;
        const char *text;
        struct jw_bytes bytes;

        switch ((enum jw_field_kind)f->kind) {
        case JW_FIELD_PLAIN: get_plain(r, f, at); break;
        case JW_FIELD_TEXT:
            text = take_text(r);
            text = f->max && !*text ? NULL : text;
            memcpy(at, &text, sizeof text);
            break;
        case JW_FIELD_LIST: get_list(r, f, a, of); break;
        case JW_FIELD_REST:
            bytes = jw_take(r, r->in.n - r->at);
            memcpy(at, &bytes, sizeof bytes);
            break;
        case JW_FIELD_END: break;
        }
    }
}

void jw_record_put(struct jw_buf *out, uint16_t kind, const struct jw_field *fields, const void *of)
{
    size_t start = out->n;

    jw_field_number(out, 0, 4);
    jw_field_number(out, kind, 2);
    size_t body = out->n;
    jw_fields_put(out, fields, of);
    if (!out->bad && out->n - body > JW_MAX_STATE_RECORD)
        out->bad = true;
    if (out->bad)
        return;
    jw_put32(out->p + start, (uint32_t)(out->n - body));
    jw_field_number(out, jw_fnv1a(JW_FNV_START, out->p + start, out->n - start), 8);
}

bool jw_record_take(struct jw_reader *r, struct jw_record *out)
{
    struct jw_reader at = *r;
    uint32_t n = jw_u32(&at);

    out->kind = jw_u16(&at);
    if (n > JW_MAX_STATE_RECORD)
        return false;
    out->body = jw_take(&at, n);
    size_t hashed = at.at - r->at;
    uint64_t hash = jw_u64(&at);

    if (at.bad || jw_fnv1a(JW_FNV_START, r->in.p + r->at, hashed) != hash)
        return false;
    *r = at;
    return true;
}

bool jw_record_get(const struct jw_record *record, const struct jw_field *fields,
                   struct jw_arena *a, void *of)
{
    struct jw_reader r = jw_reader(record->body);

    jw_fields_get(&r, fields, a, of);
    return !r.bad && r.at == r.in.n;
}
