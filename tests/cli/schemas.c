/*
 * schemas FOLDER [--write]
 *
 * The JSON Schema of every report that is made of rows (base/rows.h): held against FOLDER/jitwarm.VERB.json, or written
 * there. Exit 1: a file is not what the rows say.
 */
#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "cache/clear/command/clear_view.h"
#include "cache/prune/command/prune_view.h"
#include "cache/status/command/status_view.h"
#include "fleet/command/fleet_view.h"
#include "pack/carry/command/carry_view.h"
#include "pack/compile/command/compile_view.h"
#include "pack/export/command/export_view.h"
#include "pack/import/command/import_view.h"
#include "pack/store/command/inspect_view.h"
#include "pack/store/command/list_view.h"
#include "prime/command/prime_view.h"
#include "report/command/report_view.h"
#include "software/scan/command/scan_view.h"

#include <stdio.h>
#include <string.h>

static const struct jw_form *const forms[] = {
    &carry_form,
    &list_form,
    &compile_form,
    &export_form,
    &import_form,
    &inspect_form,
    &report_form,
    &scan_form,
    &push_form,
    &pull_form,
    &clear_form,
    &prune_form,
    &status_form,
    &prime_forms[PRIME_PLAN],
    &prime_forms[PRIME_PRIME],
    &prime_forms[PRIME_VERIFY],
};

static void write_object_of(struct jw_json *j, const struct jw_row *rows, const char *schema);

static void write_type(struct jw_json *j, const char *type, bool may)
{
    const char *const types[] = { type, "null" };

    if (may)
        jw_json_texts(j, "type", types, 2);
    else
        jw_json_text(j, "type", type);
}

static void write_enum(struct jw_json *j, const struct jw_row *r)
{
    jw_json_array(j, "enum");
    for (unsigned i = r->first; i < r->names; i++)
        if (!r->only || r->only >> i & 1)
            jw_json_text(j, NULL, r->name(i));
    if (r->may)
        jw_json_null(j, NULL);
    jw_json_close(j);
}

static void write_items(struct jw_json *j, const struct jw_row *r)
{
    jw_json_object(j, "items");
    write_type(j, r->rows ? "object" : "string", false);
    if (r->rows)
        write_object_of(j, r->rows, NULL);
    if (r->spelling || r->pattern)
        jw_json_text(j, "pattern", r->spelling ? r->spelling->pattern : r->pattern);
    jw_json_close(j);
}

static void write_map(struct jw_json *j, const struct jw_row *r)
{
    jw_json_object(j, "properties");
    for (unsigned i = r->first; i < r->names; i++) {
        jw_json_object(j, r->name(i));
        write_type(j, r->rows ? "object" : "integer", false);
        if (r->rows)
            write_object_of(j, r->rows, NULL);
        else
            jw_json_number(j, "minimum", 0);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_array(j, "required");
    for (unsigned i = r->first; i < r->names; i++)
        jw_json_text(j, NULL, r->name(i));
    jw_json_close(j);
    jw_json_bool(j, "additionalProperties", false);
}

static void write_row(struct jw_json *j, const struct jw_row *r)
{
    static const char *const types[] = {
        [JW_ROW_TEXT] = "string",    [JW_ROW_CHARS] = "string",  [JW_ROW_NUMBER] = "integer",
        [JW_ROW_SIGNED] = "integer", [JW_ROW_REAL] = "number",   [JW_ROW_BOOL] = "boolean",
        [JW_ROW_SPELT] = "string",   [JW_ROW_OBJECT] = "object", [JW_ROW_LIST] = "array",
        [JW_ROW_MAP] = "object",
    };

    jw_json_object(j, r->key);
    if (r->kind == JW_ROW_NAME)
        write_enum(j, r);
    else if (r->kind == JW_ROW_FLAG)
        jw_json_bool(j, "const", true);
    else
        write_type(j, types[r->kind], r->may);
    if (r->about)
        jw_json_text(j, "description", r->about);
    if (r->kind == JW_ROW_NUMBER || r->kind == JW_ROW_SIGNED || r->kind == JW_ROW_REAL)
        jw_json_number(j, "minimum", 0);
    if (r->kind == JW_ROW_SPELT && r->spelling->pattern)
        jw_json_text(j, "pattern", r->spelling->pattern);
    if (r->pattern && r->kind != JW_ROW_LIST)
        jw_json_text(j, "pattern", r->pattern);
    if (r->kind == JW_ROW_OBJECT)
        write_object_of(j, r->rows, NULL);
    if (r->kind == JW_ROW_LIST)
        write_items(j, r);
    if (r->kind == JW_ROW_MAP)
        write_map(j, r);
    jw_json_close(j);
}

static void write_properties(struct jw_json *j, const struct jw_row *rows)
{
    for (; rows->kind; rows++)
        if (rows->kind == JW_ROW_PART)
            write_properties(j, rows->rows);
        else
            write_row(j, rows);
}

static void write_required(struct jw_json *j, const struct jw_row *rows)
{
    for (; rows->kind; rows++)
        if (rows->kind == JW_ROW_PART && !rows->if_size)
            write_required(j, rows->rows);
        else if (rows->kind != JW_ROW_PART && rows->kind != JW_ROW_FLAG && (!rows->if_size || rows->may))
            jw_json_text(j, NULL, rows->key);
}

static void write_object_of(struct jw_json *j, const struct jw_row *rows, const char *schema)
{
    jw_json_object(j, "properties");
    if (schema) {
        jw_json_object(j, "schema");
        jw_json_text(j, "const", schema);
        jw_json_close(j);
    }
    write_properties(j, rows);
    jw_json_close(j);
    jw_json_array(j, "required");
    if (schema)
        jw_json_text(j, NULL, "schema");
    write_required(j, rows);
    jw_json_close(j);
    jw_json_bool(j, "additionalProperties", false);
}

static bool write_schema(struct jw_json *j, const struct jw_form *f)
{
    char text[400];

    jw_json_object(j, NULL);
    jw_json_text(j, "$schema", "http://json-schema.org/draft-07/schema#");
    (void)snprintf(text, sizeof text, "jitwarm.%s.json", f->verb);
    jw_json_text(j, "$id", text);
    (void)snprintf(text, sizeof text, "jitwarm %s --json", f->verb);
    jw_json_text(j, "title", text);
    (void)snprintf(text, sizeof text, "%s Fields are only ever added.", f->about);
    jw_json_text(j, "description", text);
    jw_json_text(j, "type", "object");
    (void)snprintf(text, sizeof text, "jitwarm.%s/1", f->verb);
    write_object_of(j, f->rows, text);
    jw_json_close(j);
    return jw_json_end(j);
}

static bool same(const char *path, const struct jw_buf *want)
{
    static uint8_t there[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(there, 1, sizeof there, file) : 0;

    if (file)
        (void)fclose(file);
    return n == want->n && memcmp(there, want->p, n) == 0;
}

static bool put(const char *path, const struct jw_buf *text)
{
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(text->p, 1, text->n, file) == text->n;

    return (!file || fclose(file) == 0) && ok;
}

int main(int argc, char **argv)
{
    bool write = argc == 3 && strcmp(argv[2], "--write") == 0;
    int bad = 0;

    if (argc != 2 && !write)
        return 2;
    for (size_t i = 0; i < JW_COUNT(forms); i++) {
        struct jw_buf text = JW_BUF(1 << 20);
        struct jw_err err = { 0 };
        struct jw_json j;
        char path[4096];

        jw_json_begin(&j, jw_sink_buf(&text), true, &err);
        (void)snprintf(path, sizeof path, "%s/jitwarm.%s.json", argv[1], forms[i]->verb);
        if (!write_schema(&j, forms[i])) {
            printf("%s: %s\n", path, err.msg);
            bad = 1;
        } else if (write ? !put(path, &text) : !same(path, &text)) {
            printf(write ? "%s cannot be written\n" : "%s is not what its rows say: scripts/dev schemas\n",
                   path);
            bad = 1;
        }
        jw_buf_free(&text);
    }
    return bad;
}
