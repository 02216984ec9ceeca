/*
 * schemas FOLDER [--write]
 *
 * The JSON Schema of every report that is made of rows (base/rows.h): held against FOLDER/jitwarm.VERB.json, or written
 * there. Exit 1: a file is not what the rows say. Within a file each list of rows is written once; where it stands again
 * is a "$ref" to that place. No file refers to another one, so that each can be used alone, wherever it is.
 */
#include "base/buf.h"
#include "base/compiler.h"
#include "cli/commands.h"
#include "pack/format/pack_manifest.h"
#include "verbs/prime.h"
#include "verbs/status.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 140 }; /* of the written files */

static const struct schema {
    const struct jw_form *form;
    const struct jw_form *of; /* it has all rows of this one; what is of the same form shares its text */
    const char *title;        /* NULL: "jitwarm VERB --json" */
    bool fixed;               /* its readers refuse fields that they do not know */
} forms[] = {
    { .form = &prime_form, .of = &prime_form },
    { .form = &verify_form, .of = &prime_form },
    { .form = &progress_form, .title = "a line of prime --progress json" },
    { .form = &status_form },
    { .form = &doctor_form },
    { .form = &list_form },
    { .form = &export_form },
    { .form = &import_form },
    { .form = &import_set_form, .title = "jitwarm import --json of several packs" },
    { .form = &contents_form, .title = "jitwarm list FILE --json" },
    { .form = &scan_form },
    { .form = &push_form },
    { .form = &pull_form },
    { .form = &matrix_form },
    { .form = &prune_form },
    { .form = &jw_pack_form, .title = "jitwarm/manifest.json of a pack", .fixed = true },
    { .form = &env_form },
    { .form = &new_key_form, .title = "jitwarm key --new FILE --json" },
    { .form = &startup_form },
    { .form = &version_form },
    { .form = &error_form, .title = "--json of a verb that has no report" },
};

/* ---- where each list of rows was written ---- */

static char place[1000]; /* of what is being written: "#/properties/verify" */

static struct written {
    const struct jw_row *rows;
    char place[1000];
} written[400];
static size_t n_written;

/* To be taken back with leave(). */
static size_t enter(const char *part, const char *key)
{
    size_t n = strlen(place);

    (void)snprintf(place + n, sizeof place - n, "/%s%s%s", part, key ? "/" : "", key ? key : "");
    return n;
}

static void leave(size_t n)
{
    place[n] = '\0';
}

static const struct written *find_written(const struct jw_row *rows)
{
    for (size_t i = 0; i < n_written; i++)
        if (written[i].rows == rows)
            return &written[i];
    return NULL;
}

static void keep_written(const struct jw_row *rows)
{
    struct written *w = &written[n_written];

    if (n_written == JW_COUNT(written))
        return;
    n_written++;
    w->rows = rows;
    (void)snprintf(w->place, sizeof w->place, "%s", place);
}

static void write_ref(struct jw_json *j, const char *key, const char *to)
{
    jw_json_object(j, key);
    jw_json_text(j, "$ref", to);
    jw_json_close(j);
}

static void write_object_of(struct jw_json *j, const struct jw_row *rows);

static void write_type(struct jw_json *j, const char *type, bool may)
{
    if (!may) {
        jw_json_text(j, "type", type);
        return;
    }
    jw_json_array(j, "type");
    jw_json_text(j, NULL, type);
    jw_json_text(j, NULL, "null");
    jw_json_close(j);
}

static void write_names(struct jw_json *j, const struct jw_row *r)
{
    for (unsigned i = r->first; i < r->n_names; i++)
        if (!r->only || r->only >> i & 1)
            jw_json_text(j, NULL, r->names[i]);
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

static void write_null(struct jw_json *j)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "type", "null");
    jw_json_close(j);
}

/* What is an object of rows, or null if it `may` be. */
static void write_rows(struct jw_json *j, const char *key, const struct jw_row *rows, const char *about,
                       bool may)
{
    const struct written *there = find_written(rows);

    if (there && !about && !may) {
        write_ref(j, key, there->place);
        return;
    }
    jw_json_object(j, key);
    if (!there)
        write_type(j, "object", may);
    if (about)
        jw_json_text(j, "description", about);
    if (there) {
        jw_json_array(j, may ? "anyOf" : "allOf");
        write_ref(j, NULL, there->place);
        if (may)
            write_null(j);
        jw_json_close(j);
    } else {
        if (!may)
            keep_written(rows);
        write_object_of(j, rows);
    }
    jw_json_close(j);
}

static void write_items(struct jw_json *j, const struct jw_row *r)
{
    const char *pattern = r->spelling ? r->spelling->pattern : r->pattern;
    size_t before = enter("items", NULL);

    if (r->rows) {
        write_rows(j, "items", r->rows, NULL, false);
    } else {
        jw_json_object(j, "items");
        jw_json_text(j, "type", "string");
        if (pattern)
            jw_json_text(j, "pattern", pattern);
        jw_json_close(j);
    }
    leave(before);
}

static void write_map(struct jw_json *j, const struct jw_row *r)
{
    jw_json_object(j, "properties");
    for (unsigned i = r->first; i < r->n_names; i++) {
        size_t before = enter("properties", r->names[i]);

        if (r->rows) {
            write_rows(j, r->names[i], r->rows, NULL, false);
        } else {
            jw_json_object(j, r->names[i]);
            jw_json_text(j, "type", "integer");
            jw_json_number(j, "minimum", 0);
            jw_json_close(j);
        }
        leave(before);
    }
    jw_json_close(j);
    jw_json_array(j, "required");
    for (unsigned i = r->first; !r->rows && i < r->n_names; i++)
        jw_json_text(j, NULL, r->names[i]);
    jw_json_close(j);
    jw_json_bool(j, "additionalProperties", false);
}

/* `same`: another part's row of this key, or NULL. */
static void write_value(struct jw_json *j, const struct jw_row *r, const struct jw_row *same)
{
    static const char *const types[] = {
        [JW_ROW_TEXT] = "string",    [JW_ROW_CHARS] = "string", [JW_ROW_NUMBER] = "integer",
        [JW_ROW_SIGNED] = "integer", [JW_ROW_REAL] = "number",  [JW_ROW_BOOL] = "boolean",
        [JW_ROW_SPELT] = "string",   [JW_ROW_LIST] = "array",   [JW_ROW_MAP] = "object",
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
    if (r->max)
        jw_json_number(j, r->kind == JW_ROW_LIST ? "maxItems" : "maximum", r->max);
    if (r->kind == JW_ROW_SPELT && r->spelling->pattern)
        jw_json_text(j, "pattern", r->spelling->pattern);
    if (r->pattern && r->kind != JW_ROW_LIST)
        jw_json_text(j, "pattern", r->pattern);
    if (r->kind == JW_ROW_LIST)
        write_items(j, r);
    if (r->kind == JW_ROW_MAP)
        write_map(j, r);
    jw_json_close(j);
}

static void write_row(struct jw_json *j, const struct jw_row *r, const struct jw_row *same)
{
    size_t before = enter("properties", r->key);

    if (r->kind == JW_ROW_OBJECT)
        write_rows(j, r->key, r->rows, r->about, r->may);
    else
        write_value(j, r, same);
    leave(before);
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

/* Has every report that is of this form this row? Of none (NULL) all have it. */
static bool all_have(const struct jw_form *of, const char *key)
{
    for (size_t i = 0; of && i < JW_COUNT(forms); i++)
        if (forms[i].of == of && !find(forms[i].form->rows, NULL, key))
            return false;
    return true;
}

static void write_required(struct jw_json *j, const struct jw_row *rows, const struct jw_form *of)
{
    for (; rows->kind; rows++)
        if (rows->kind == JW_ROW_PART && !rows->if_size)
            write_required(j, rows->rows, of);
        else if (rows->kind != JW_ROW_PART && rows->kind != JW_ROW_FLAG && (!rows->if_size || rows->may)
                 && all_have(of, rows->key))
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
        write_required(j, rows->rows, NULL);
        jw_json_close(j);
        jw_json_close(j);
    }
    if (open)
        jw_json_close(j);
}

static void write_object_of(struct jw_json *j, const struct jw_row *rows)
{
    jw_json_object(j, "properties");
    write_properties(j, rows, rows, NULL);
    jw_json_close(j);
    jw_json_array(j, "required");
    write_required(j, rows, NULL);
    jw_json_close(j);
    write_either(j, rows);
    jw_json_bool(j, "additionalProperties", false);
}

/* ---- a file ---- */

/* The property "schema"; `f` NULL: of one of several. */
static void write_name(struct jw_json *j, const struct jw_form *f)
{
    char name[80];

    jw_json_object(j, "schema");
    (void)snprintf(name, sizeof name, "jitwarm.%s/1", f ? f->verb : "");
    jw_json_text(j, f ? "const" : "type", f == &jw_pack_form ? JW_PACK_SCHEMA : f ? name : "string");
    jw_json_close(j);
}

/* `of`: all reports that are of this form; NULL: this form alone. */
static void write_report(struct jw_json *j, const struct jw_form *f, const struct jw_form *of)
{
    jw_json_text(j, "type", "object");
    jw_json_object(j, "properties");
    write_name(j, of ? NULL : f);
    write_properties(j, f->rows, f->rows, NULL);
    jw_json_close(j);
    jw_json_array(j, "required");
    jw_json_text(j, NULL, "schema");
    write_required(j, f->rows, of);
    jw_json_close(j);
    write_either(j, f->rows);
    jw_json_bool(j, "additionalProperties", false);
}

/* The rows of `of` that not all reports of it have: this one has them, or it does not. */
static void write_own(struct jw_json *j, const struct schema *s, const struct jw_row *rows, bool has)
{
    for (; rows->kind; rows++) {
        bool own = rows->kind != JW_ROW_PART && !all_have(s->of, rows->key);

        if (rows->kind == JW_ROW_PART)
            write_own(j, s, rows->rows, has);
        else if (own && has && find(s->form->rows, NULL, rows->key))
            jw_json_text(j, NULL, rows->key);
        else if (own && !has && !find(s->form->rows, NULL, rows->key))
            jw_json_bool(j, rows->key, false);
    }
}

static void write_report_of(struct jw_json *j, const struct schema *s)
{
    jw_json_array(j, "allOf");
    write_ref(j, NULL, "#/definitions/report");
    jw_json_close(j);
    jw_json_object(j, "properties");
    write_name(j, s->form);
    write_own(j, s, s->of->rows, false);
    jw_json_close(j);
    jw_json_array(j, "required");
    write_own(j, s, s->of->rows, true);
    jw_json_close(j);
    (void)enter("definitions", "report");
    jw_json_object(j, "definitions");
    jw_json_object(j, "report");
    write_report(j, s->of, s->of);
    jw_json_close(j);
    jw_json_close(j);
}

static bool write_schema(struct jw_json *j, const struct schema *s)
{
    const struct jw_form *f = s->form;
    char text[400];

    (void)snprintf(place, sizeof place, "#");
    n_written = 0;
    jw_json_object(j, NULL);
    jw_json_text(j, "$schema", "http://json-schema.org/draft-07/schema#");
    (void)snprintf(text, sizeof text, "jitwarm.%s.json", f->verb);
    jw_json_text(j, "$id", text);
    (void)snprintf(text, sizeof text, "jitwarm %s --json", f->verb);
    jw_json_text(j, "title", s->title ? s->title : text);
    (void)snprintf(text, sizeof text, "%s%s", f->about, s->fixed ? "" : " Fields are only ever added.");
    jw_json_text(j, "description", text);
    if (s->of)
        write_report_of(j, s);
    else
        write_report(j, f, NULL);
    jw_json_close(j);
    return jw_json_end(j);
}

/* ---- lines ---- */

/* The bracket that closes the one at `open`. */
static const char *closing(const char *open)
{
    size_t depth = 0;
    bool text = false;

    for (const char *p = open; *p; p++) {
        if (*p == '"' && p[-1] != '\\')
            text = !text;
        else if (!text && (*p == '{' || *p == '['))
            depth++;
        else if (!text && (*p == '}' || *p == ']') && --depth == 0)
            return p;
    }
    return open;
}

/* The line breaks and indents from `from` to `to` become single spaces. */
static void on_one_line(struct jw_buf *out, const char *from, const char *to)
{
    for (const char *p = from; p <= to; p++) {
        if (*p != '\n') {
            jw_buf_printf(out, "%c", *p);
            continue;
        }
        while (p[1] == ' ')
            p++;
        jw_buf_printf(out, " ");
    }
}

/* A value that fits a line gets one. */
static void fold(struct jw_buf *out, const char *text)
{
    size_t column = 0;
    bool in_text = false;

    for (const char *p = text; *p; p++) {
        struct jw_buf line = JW_BUF(1 << 20);

        if (*p == '"' && (p == text || p[-1] != '\\'))
            in_text = !in_text;
        if (!in_text && p != text && (*p == '{' || *p == '['))
            on_one_line(&line, p, closing(p));
        if (line.n && column + line.n < LINE) {
            jw_buf_printf(out, "%s", jw_buf_cstr(&line));
            p = closing(p);
            column += line.n;
        } else {
            jw_buf_printf(out, "%c", *p);
            column = *p == '\n' ? 0 : column + 1;
        }
        jw_buf_free(&line);
    }
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
        struct jw_buf plain = JW_BUF(1 << 20), text = JW_BUF(1 << 20);
        struct jw_err err = { 0 };
        struct jw_json j;
        char path[4096];

        jw_json_begin(&j, jw_sink_buf(&plain), true, &err);
        (void)snprintf(path, sizeof path, "%s/jitwarm.%s.json", argv[1], forms[i].form->verb);
        bool ok = write_schema(&j, &forms[i]);

        fold(&text, jw_buf_cstr(&plain));
        if (!ok) {
            printf("%s: %s\n", path, err.msg);
            bad = 1;
        } else if (write ? !put(path, &text) : !same(path, &text)) {
            printf(write ? "%s cannot be written\n" : "%s is not what its rows say: scripts/dev schemas\n",
                   path);
            bad = 1;
        }
        jw_buf_free(&text);
        jw_buf_free(&plain);
    }
    return bad;
}
