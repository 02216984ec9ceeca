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
#include "cli/commands.h"
#include "fleet/command/fleet_view.h"
#include "pack/carry/command/carry_view.h"
#include "pack/compile/command/compile_view.h"
#include "pack/export/command/export_view.h"
#include "pack/import/command/import_view.h"
#include "pack/store/command/inspect_view.h"
#include "pack/store/command/list_view.h"
#include "prime/command/prime_progress.h"
#include "prime/command/prime_view.h"
#include "report/command/report_view.h"
#include "software/scan/command/scan_view.h"

#include <stdio.h>
#include <string.h>

static const struct schema {
    const struct jw_form *form;
    const char *title; /* NULL: "jitwarm VERB --json" */
} forms[] = {
    { &carry_form, NULL },
    { &list_form, NULL },
    { &compile_form, NULL },
    { &export_form, NULL },
    { &import_form, NULL },
    { &inspect_form, NULL },
    { &report_form, NULL },
    { &scan_form, NULL },
    { &push_form, NULL },
    { &pull_form, NULL },
    { &clear_form, NULL },
    { &prune_form, NULL },
    { &status_form, NULL },
    { &prime_forms[PRIME_PLAN], NULL },
    { &prime_forms[PRIME_PRIME], NULL },
    { &prime_forms[PRIME_VERIFY], NULL },
    { &progress_form, "status.json of a running prime, and a line of prime --progress json" },
    { &ptx_form, "jitwarm compile --json of a .cu file" },
    { &config_form, NULL },
    { &env_form, NULL },
    { &keygen_form, NULL },
    { &startup_form, NULL },
    { &version_form, NULL },
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

static void write_names(struct jw_json *j, const struct jw_row *r)
{
    for (unsigned i = r->first; i < r->names; i++)
        if (!r->only || r->only >> i & 1)
            jw_json_text(j, NULL, r->name(i));
}

static void write_enum(struct jw_json *j, const struct jw_row *r, const struct jw_row *same)
{
    jw_json_array(j, "enum");
    write_names(j, r);
    if (same)
        write_names(j, same);
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

/* `same`: another part's row of this key, or NULL. */
static void write_row(struct jw_json *j, const struct jw_row *r, const struct jw_row *same)
{
    static const char *const types[] = {
        [JW_ROW_TEXT] = "string",    [JW_ROW_CHARS] = "string",  [JW_ROW_NUMBER] = "integer",
        [JW_ROW_SIGNED] = "integer", [JW_ROW_REAL] = "number",   [JW_ROW_BOOL] = "boolean",
        [JW_ROW_SPELT] = "string",   [JW_ROW_OBJECT] = "object", [JW_ROW_LIST] = "array",
        [JW_ROW_MAP] = "object",
    };

    jw_json_object(j, r->key);
    if (r->kind == JW_ROW_NAME)
        write_enum(j, r, same);
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

/* The row of `rows`, before `end`, that has this key, too; or NULL. */
static const struct jw_row *find(const struct jw_row *rows, const struct jw_row *end, const char *key)
{
    for (; rows != end && rows->kind; rows++) {
        const struct jw_row *part = rows->kind == JW_ROW_PART ? find(rows->rows, NULL, key) : NULL;

        if (part || (rows->kind != JW_ROW_PART && strcmp(rows->key, key) == 0))
            return part ? part : rows;
    }
    return NULL;
}

/* What several parts of `all` have is one property, written where it comes first. */
static void write_properties(struct jw_json *j, const struct jw_row *rows, const struct jw_row *all,
                             const struct jw_row *part)
{
    for (const struct jw_row *r = rows; r->kind; r++)
        if (r->kind == JW_ROW_PART)
            write_properties(j, r->rows, all, rows == all ? r : part);
        else if (!part || !find(all, part, r->key))
            write_row(j, r, part ? find(part + 1, NULL, r->key) : NULL);
}

static void write_required(struct jw_json *j, const struct jw_row *rows)
{
    for (; rows->kind; rows++)
        if (rows->kind == JW_ROW_PART && !rows->if_size)
            write_required(j, rows->rows);
        else if (rows->kind != JW_ROW_PART && rows->kind != JW_ROW_FLAG && (!rows->if_size || rows->may))
            jw_json_text(j, NULL, rows->key);
}

/* Of parts of which exactly one is there. */
static void write_either(struct jw_json *j, const struct jw_row *rows)
{
    bool open = false;

    for (; rows->kind; rows++) {
        if (!rows->either)
            continue;
        if (!open)
            jw_json_array(j, "oneOf");
        open = true;
        jw_json_object(j, NULL);
        jw_json_array(j, "required");
        write_required(j, rows->rows);
        jw_json_close(j);
        jw_json_close(j);
    }
    if (open)
        jw_json_close(j);
}

static void write_object_of(struct jw_json *j, const struct jw_row *rows, const char *schema)
{
    jw_json_object(j, "properties");
    if (schema) {
        jw_json_object(j, "schema");
        jw_json_text(j, "const", schema);
        jw_json_close(j);
    }
    write_properties(j, rows, rows, NULL);
    jw_json_close(j);
    jw_json_array(j, "required");
    if (schema)
        jw_json_text(j, NULL, "schema");
    write_required(j, rows);
    jw_json_close(j);
    write_either(j, rows);
    jw_json_bool(j, "additionalProperties", false);
}

static bool write_schema(struct jw_json *j, const struct schema *s)
{
    const struct jw_form *f = s->form;
    char text[400];

    jw_json_object(j, NULL);
    jw_json_text(j, "$schema", "http://json-schema.org/draft-07/schema#");
    (void)snprintf(text, sizeof text, "jitwarm.%s.json", f->verb);
    jw_json_text(j, "$id", text);
    (void)snprintf(text, sizeof text, "jitwarm %s --json", f->verb);
    jw_json_text(j, "title", s->title ? s->title : text);
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
        (void)snprintf(path, sizeof path, "%s/jitwarm.%s.json", argv[1], forms[i].form->verb);
        if (!write_schema(&j, &forms[i])) {
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
