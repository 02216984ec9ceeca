#include "base/rows.h"

#include "base/command.h"
#include "base/limits.h"

#include <stdio.h>
#include <string.h>

const struct jw_row jw_no_rows[] = { { 0 } };

static bool row_applies(const struct jw_row *r, const uint8_t *of)
{
    for (size_t i = 0; i < r->if_size; i++)
        if (of[r->if_at + i])
            return true;
    return !r->if_size;
}

const void *jw_row_at(const struct jw_row *r, const void *of)
{
    const void *at = (const uint8_t *)of + r->at;

    return !row_applies(r, of) ? NULL : r->at_pointer ? jw_pointer_at(at) : at;
}

void jw_rows_object(struct jw_json *j, const char *key, const struct jw_row *rows, const void *of)
{
    jw_json_object(j, key);
    jw_rows_write(j, rows, of);
    jw_json_close(j);
}

static void write_list(struct jw_json *j, const struct jw_row *r, const uint8_t *of)
{
    const uint8_t *item = jw_row_at(r, of);
    size_t n = (size_t)jw_number_at(of + r->n_at, sizeof n);
    char out[80];

    jw_json_array(j, r->key);
    for (size_t i = 0; i < n; i++, item += r->stride)
        if (r->rows)
            jw_rows_object(j, NULL, r->rows, item);
        else
            jw_json_text(j, NULL, r->spelling ? r->spelling->spell(item, out) : jw_pointer_at(item));
    jw_json_close(j);
}

void jw_write_commands(struct jw_json *j, const struct jw_row *r, const void *of)
{
    const uint8_t *item = jw_row_at(r, of);
    size_t n = (size_t)jw_number_at((const uint8_t *)of + r->n_at, sizeof n);

    struct jw_buf command = JW_BUF(JW_MAX_LINE * 4);

    jw_json_array(j, r->key);
    for (size_t i = 0; i < n; i++, item += r->stride) {
        const char *line = jw_pointer_at(item), *remark = jw_command_remark(line);

        jw_buf_clear(&command);
        jw_buf_add(&command, line, remark ? (size_t)(remark - line) : strlen(line));
        jw_json_text(j, NULL, jw_buf_cstr(&command));
    }
    jw_json_close(j);
    jw_buf_free(&command);
}

static bool all_zero(const uint8_t *p, size_t n)
{
    while (n && !*p)
        p++, n--;
    return n == 0;
}

/* Writes all numbers, but no object whose members are all zero. */
static void write_map(struct jw_json *j, const struct jw_row *r, const uint8_t *of)
{
    jw_json_object(j, r->key);
    for (unsigned i = r->first; i < r->n_names; i++) {
        const uint8_t *item = of + r->at + (size_t)i * r->stride;

        if (r->rows && all_zero(item, r->stride))
            continue;
        if (r->rows)
            jw_rows_object(j, r->names[i], r->rows, item);
        else
            jw_json_number(j, r->names[i], jw_number_at(item, r->stride));
    }
    jw_json_close(j);
}

static void write_text_row(struct jw_json *j, const struct jw_row *r, const char *text)
{
    const char *known = text ? text : "";

    jw_json_text(j, r->key, *known || !r->may ? known : NULL);
}

static void write_number(struct jw_json *j, const struct jw_row *r, const void *at)
{
    uint64_t n = jw_number_at(at, r->size);
    bool is_signed = r->kind == JW_ROW_SIGNED, negative = is_signed && n >> (8 * r->size - 1);

    jw_json_maybe(j, r->key, !r->may || (is_signed ? !negative : n != 0), negative ? 0 : n);
}

static void write_real(struct jw_json *j, const struct jw_row *r, const void *at)
{
    double real;

    memcpy(&real, at, sizeof real);
    if (r->may && !(real >= 0))
        jw_json_null(j, r->key);
    else
        jw_json_real(j, r->key, real > 0 && real < JW_ROWS_MAX ? real : 0);
}

const char *jw_row_word(const struct jw_row *r, const void *at)
{
    uint64_t value = jw_number_at(at, r->size);

    return value < r->n_names ? r->names[value] : NULL;
}

static void write_row(struct jw_json *j, const struct jw_row *r, const void *of)
{
    const void *at = (const uint8_t *)of + r->at, *to = jw_row_at(r, of);
    char out[80];

    switch ((enum jw_row_kind)r->kind) {
    case JW_ROW_TEXT: write_text_row(j, r, jw_pointer_at(at)); break;
    case JW_ROW_CHARS: write_text_row(j, r, at); break;
    case JW_ROW_NUMBER:
    case JW_ROW_SIGNED: write_number(j, r, at); break;
    case JW_ROW_REAL: write_real(j, r, at); break;
    case JW_ROW_BOOL: jw_json_bool(j, r->key, jw_number_at(at, r->size)); break;
    case JW_ROW_FLAG: jw_json_flag(j, r->key, jw_number_at(at, r->size)); break;
    case JW_ROW_NAME: jw_json_text(j, r->key, jw_row_word(r, at)); break;
    case JW_ROW_SPELT: jw_json_text(j, r->key, to ? r->spelling->spell(to, out) : NULL); break;
    case JW_ROW_LIST: write_list(j, r, of); break;
    case JW_ROW_MAP: write_map(j, r, of); break;
    case JW_ROW_PART: jw_rows_write(j, r->rows, to); break;
    case JW_ROW_OBJECT:
        if (to)
            jw_rows_object(j, r->key, r->rows, to);
        else
            jw_json_null(j, r->key);
        break;
    case JW_ROW_END: break;
    }
}

void jw_rows_write(struct jw_json *j, const struct jw_row *rows, const void *of)
{
    for (; rows->kind; rows++)
        if (of && row_applies(rows, of))
            (rows->write ? rows->write : write_row)(j, rows, of);
        else if (rows->may)
            jw_json_null(j, rows->key);
}

bool jw_rows_report(struct jw_sink sink, const struct jw_form *form, const void *of, struct jw_err *err)
{
    struct jw_json j;
    char schema[40];

    (void)snprintf(schema, sizeof schema, "jitwarm.%s/1", form->verb);
    jw_json_begin(&j, sink, true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", schema);
    jw_rows_write(&j, form->rows, of);
    jw_json_close(&j);
    return jw_json_end(&j);
}

/* ---- back into a struct ---- */

static void read_text(const struct jw_row *r, const struct jw_jval *v, struct jw_arena *a, uint8_t *to)
{
    const char *text = jw_jtext(v);

    if (text && r->read) {
        r->read(text, to);
    } else if (text && r->kind == JW_ROW_TEXT) {
        text = jw_arena_str(a, text);
        memcpy(to, &text, sizeof text);
    }
}

static void read_number(const struct jw_row *r, const struct jw_jval *v, uint8_t *to)
{
    uint64_t n, max = (UINT64_MAX >> (64 - 8 * r->size)) - 1;
    double real;

    if (r->kind == JW_ROW_SIGNED && r->may && jw_jnull(v))
        memset(to, 0xff, r->size);
    if (!jw_jnumber(v, &real) || !(real >= 0))
        return;
    n = real <= JW_ROWS_MAX ? (uint64_t)real : max;
    jw_number_set(to, r->size, n < max ? n : max);
}

static void read_list(const struct jw_row *r, const struct jw_jval *v, struct jw_arena *a, uint8_t *of)
{
    size_t n = 0;
    uint8_t *list;

    if (!jw_jarray(v))
        return;
    for (const struct jw_jval *item = jw_jfirst(v); item; item = jw_jnext(item))
        n++;
    list = jw_arena_alloc(a, (n + 1) * r->stride);
    memcpy(of + r->at, &list, sizeof list);
    memcpy(of + r->n_at, &n, sizeof n);
    for (const struct jw_jval *item = jw_jfirst(v); item; item = jw_jnext(item), list += r->stride)
        if (r->rows)
            jw_rows_read(item, r->rows, a, list);
        else if (r->read && jw_jtext(item))
            r->read(jw_jtext(item), list);
}

void jw_rows_read(const struct jw_jval *object, const struct jw_row *rows, struct jw_arena *a, void *of)
{
    uint8_t *to = of;

    for (; rows->kind; rows++) {
        const struct jw_jval *v = jw_jget(object, rows->key);

        switch ((enum jw_row_kind)rows->kind) {
        case JW_ROW_TEXT:
        case JW_ROW_SPELT: read_text(rows, v, a, to + rows->at); break;
        case JW_ROW_NUMBER:
        case JW_ROW_SIGNED: read_number(rows, v, to + rows->at); break;
        case JW_ROW_LIST: read_list(rows, v, a, to); break;
        default: break; /* is only written */
        }
    }
}
