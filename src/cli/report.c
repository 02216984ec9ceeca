#include "cli/report.h"

#include "base/num.h"
#include "cli/cli.h"

#include <stdarg.h>

enum { NARROWEST_LABEL = 8, GAP = 2 };
enum { TITLES = REP_PLACES, CELLS }; /* of the open table */

static const size_t max_report = (size_t)256 << 20;

struct rep_item {
    struct rep_item *next;
    enum rep_kind kind;
    enum rep_tone tone;
    bool table, remedy;         /* a whole table; a remedy, or a note's */
    enum jw_remedy_where where; /* of a remedy */
    const char *label;          /* NULL: a sentence of its own; of a note its id */
    const char *text;
};

const enum rep_tone rep_tones[] = {
#define END(name, word, code, tone) REP_##tone,
#include "jitwarm/ends.def"
#undef END
};

/* ---- lines ---- */

static const char *cleaned(struct rep *r, const char *text)
{
    struct jw_buf b = JW_LINE(r->a);

    jw_text_clean(&b, text);
    return jw_buf_cstr(&b);
}

static const char *worded(struct rep *r, const char *format, va_list args)
{
    return cleaned(r, jw_arena_vprintf(r->a, format, args));
}

/* `text` is kept, and clean. */
static struct rep_item *add_item(struct rep *r, unsigned list, enum rep_kind kind,
                                 enum rep_tone tone, const char *label, const char *text)
{
    struct rep_item *l = jw_arena_alloc(r->a, sizeof *l);

    *l = (struct rep_item){.kind = kind, .tone = tone, .label = label, .text = text};
    *r->lists[list].end = l;
    r->lists[list].end = &l->next;
    return l;
}

void rep_line(struct rep *r, enum rep_place place, enum rep_kind kind, enum rep_tone tone,
              const char *label, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_item(r, place, kind, tone, label, worded(r, format, args))->remedy = place == REP_TODOS;
    va_end(args);
}

void rep_head_in(struct rep *r, enum rep_tone tone, enum jw_end end, const char *word,
                 const char *format, ...)
{
    va_list args;

    va_start(args, format);
    r->end = end;
    r->tone = tone;
    r->word = word ? word : jw_end_names[end];
    r->head = worded(r, format, args);
    va_end(args);
}

/* A sentence of what a person does is wrapped; a line to paste is not. */
void rep_remedy(struct rep *r, enum rep_place place, const struct jw_remedy *remedy)
{
    const char *here = remedy->instead && r->lists[place].first ? "Or" : "To do";
    const char *const where[] = {[JW_REMEDY_HERE] = place == REP_TODOS ? here : "",
                                 [JW_REMEDY_HOST] = "On host",
                                 [JW_REMEDY_ADMIN] = "As admin"};
    const char *line =
        jw_remedy_line(remedy, jw_shell_here(r->a), r->json || r->cli->shared.verbose, r->a);
    bool says = remedy->kind == JW_REMEDY_SAY;
    struct rep_item *l;

    JW_ROW_FOR_EACH(where, JW_REMEDY_PLACES, 3);
    if (!line)
        return;
    l = add_item(r, place, says ? REP_TEXT : REP_PATH, REP_PLAIN, where[remedy->where],
                 cleaned(r, line));
    l->where = remedy->where;
    l->remedy = true;
}

/* ---- facts ---- */

struct rep_value rep_toned(enum rep_tone tone, struct rep_value value)
{
    value.tone = tone;
    return value;
}

struct rep_value rep_known(bool known, struct rep_value value)
{
    return known ? value : rep_text(NULL);
}

static void put_value(struct jw_json *json, const char *key, struct rep_value value)
{
    switch (value.kind) {
    case REP_COUNT:
    case REP_BYTES: jw_json_number(json, key, value.n); break;
    case REP_SECONDS: jw_json_real(json, key, value.seconds); break;
    case REP_YES: jw_json_bool(json, key, value.n); break;
    default: jw_json_text(json, key, value.text);
    }
}

/* The value for people; "": there is nothing to show. */
static const char *spelled(struct rep *r, struct rep_value value)
{
    switch (value.kind) {
    case REP_COUNT: return jw_arena_str(r->a, JW_NUM(value.n));
    case REP_BYTES: return value.n ? jw_arena_str(r->a, JW_SIZE(value.n)) : "";
    case REP_SECONDS: return "";
    case REP_YES: return value.n ? "yes" : "no";
    default: return value.text ? cleaned(r, value.text) : "";
    }
}

void rep_fact(struct rep *r, const char *key, const char *label, struct rep_value value)
{
    bool unseen = r->in_table && r->rows > r->shown;

    if (r->json && key)
        put_value(r->json, key, value);
    if (r->json || !label || unseen)
        return;
    const char *text = spelled(r, value);

    if (r->in_table && r->rows == 1)
        add_item(r, TITLES, value.kind, REP_FAINT, NULL, label);
    if (r->in_table)
        add_item(r, CELLS, value.kind, value.tone, NULL, text);
    else if (*text && (value.kind != REP_COUNT || value.n))
        add_item(r, REP_LINES, value.kind, value.tone, label, text);
}

void rep_detail(struct rep *r, const char *key, const char *label, struct rep_value value)
{
    rep_fact(r, key, r->cli->shared.verbose ? label : NULL, value);
}

void rep_given(struct rep *r, const char *key, const char *label, struct rep_value value)
{
    rep_fact(r, value.text ? key : NULL, label, value);
}

void rep_texts(struct rep *r, const char *key, const char *label, const char *const *list, size_t n)
{
    size_t shown = r->cli->shared.verbose ? n : jw_min(n, 1);

    if (r->json && key) {
        jw_json_array(r->json, key);
        for (size_t i = 0; i < n; i++)
            jw_json_text(r->json, NULL, list[i]);
        jw_json_close(r->json);
    }
    for (size_t i = 0; label && i < shown; i++)
        rep_say(r, REP_PLAIN, label, shown < n ? "%s (and %s more: -v)" : "%s", list[i],
                JW_NUM(n - shown));
}

/* ---- objects and tables ---- */

void rep_begin(struct rep *r, const char *key)
{
    if (r->json)
        jw_json_object(r->json, key);
}

void rep_table(struct rep *r, const char *key, size_t shown)
{
    if (r->json)
        jw_json_array(r->json, key);
    r->in_table = true;
    r->rows = 0;
    r->shown = r->cli->shared.verbose || !shown ? SIZE_MAX : shown;
    for (size_t i = TITLES; i <= CELLS; i++)
        r->lists[i] = (struct rep_list){NULL, &r->lists[i].first};
}

void rep_row(struct rep *r)
{
    if (r->json && r->rows)
        jw_json_close(r->json);
    rep_begin(r, NULL);
    r->rows++;
}

/* Numbers stand at the right. Padding is not coloured. */
static void put_cell(const struct rep *r, struct jw_buf *out, const struct rep_item *cell,
                     size_t width)
{
    size_t blanks = width - jw_text_width(cell->text);
    bool right = cell->kind == REP_COUNT || cell->kind == REP_BYTES;

    jw_buf_fill(out, ' ', right ? blanks : 0);
    if (*cell->text)
        jw_buf_printf(out, "%s%s%s", jw_paint_on(r->to->colours, cell->tone), cell->text,
                      jw_paint_off(r->to->colours, cell->tone));
    jw_buf_fill(out, ' ', GAP + (right ? 0 : blanks));
}

static size_t *widths_of(const struct rep *r, const struct rep_item *cells, size_t columns)
{
    size_t *widths = jw_arena_alloc(r->a, columns * sizeof *widths);
    size_t i = 0;

    for (const struct rep_item *c = cells; c; c = c->next, i = (i + 1) % columns)
        widths[i] = jw_max(widths[i], jw_text_width(c->text));
    return widths;
}

/* How many columns fit before the last one, of which half a terminal is enough. */
static size_t columns_shown(const struct rep *r, const size_t *widths, size_t columns)
{
    size_t shown = columns - 1;
    size_t wide = jw_min(widths[shown], r->to->columns / 2) + GAP;

    if (!r->to->columns || r->cli->shared.verbose)
        return shown;
    for (size_t i = 0; i < shown; i++)
        wide += widths[i] + GAP;
    while (shown > 1 && wide > r->to->columns + GAP)
        wide -= widths[--shown] + GAP;
    return shown;
}

/* Columns are as wide as their texts. Where a terminal is narrower, those before the last one are
 * left out (-v: none), the first alone stays with it. No cell is cut: names may differ in any part,
 * so they belong at the end, where a long one runs over. No blanks end a row. */
static void put_table(const struct rep *r, struct jw_buf *out, const struct rep_item *cells,
                      size_t columns)
{
    const size_t *widths = widths_of(r, cells, columns);
    size_t shown = columns_shown(r, widths, columns);
    size_t i = 0;

    for (const struct rep_item *c = cells; c; c = c->next) {
        if (i < shown || i == columns - 1)
            put_cell(r, out, c, widths[i]);
        i = (i + 1) % columns;
        if (i)
            continue;
        while (out->n && !out->bad && out->p[out->n - 1] == ' ')
            out->n--;
        jw_buf_text(out, "\n");
    }
    if (shown < columns - 1)
        jw_buf_printf(out, "%s not shown (-v)\n", JW_N(columns - 1 - shown, "column", "columns"));
}

static void end_table(struct rep *r)
{
    struct jw_buf out = JW_BUF_IN(r->a, max_report);
    size_t columns = 0;

    for (const struct rep_item *c = r->lists[TITLES].first; c; c = c->next)
        columns++;
    *r->lists[TITLES].end = r->lists[CELLS].first;
    if (!columns)
        return;
    put_table(r, &out, r->lists[TITLES].first, columns);
    if (r->rows > r->shown)
        jw_buf_printf(&out, "and %s more (-v)\n", JW_NUM(r->rows - r->shown));
    add_item(r, REP_LINES, REP_TEXT, REP_PLAIN, NULL, jw_buf_cstr(&out))->table = true;
}

void rep_end(struct rep *r)
{
    if (r->json && r->in_table && r->rows)
        jw_json_close(r->json); /* the last row */
    if (r->json)
        jw_json_close(r->json);
    if (r->in_table && !r->json)
        end_table(r);
    r->in_table = false;
}

/* ---- begin and end ---- */

struct rep *rep_open(struct cli *cli, const char *verb)
{
    struct rep *r = jw_arena_alloc(cli->arena, sizeof *r);

    *r = (struct rep){.cli = cli,
                      .a = cli->arena,
                      .to = verb && (cli->shared.json || !cli->messages.quiet) ? &cli->out
                                                                               : &cli->messages,
                      .word = jw_end_names[JW_END_DONE]};
    for (size_t i = 0; i < JW_COUNT(r->lists); i++)
        r->lists[i].end = &r->lists[i].first;
    if (cli->shared.misplaced)
        rep_note(r, "%s went to the command; options stand before --run", cli->shared.misplaced);
    if (!verb || !cli->shared.json)
        return r;
    r->json = &cli->json;
    jw_json_free(r->json); /* of a report that a failure ended */
    *r->json = (struct jw_json){.pretty = true};
    rep_begin(r, NULL);
    jw_json_text(r->json, "schema", jw_arena_printf(r->a, "jitwarm.%s/1", verb));
    jw_json_text(r->json, "version", JITWARM_VERSION);
    jw_json_text(r->json, "result", NULL); /* known at the end */
    jw_json_text(r->json, "message", NULL);
    jw_json_text(r->json, "why", NULL);
    return r;
}

/* `label` NULL: none; "": that of the line before. */
static void put_line(const struct rep *r, struct jw_buf *out, const struct rep_item *l,
                     const char *label, size_t column)
{
    bool colours = r->to->colours;
    size_t at = label ? column : 0;

    if (label) {
        jw_buf_text(out, jw_paint_on(colours, REP_FAINT));
        jw_text_fit(out, label, column);
        jw_buf_text(out, jw_paint_off(colours, REP_FAINT));
    }
    jw_buf_text(out, jw_paint_on(colours, l->tone));
    if (l->kind == REP_PATH)
        jw_buf_text(out, l->text);
    else
        jw_wrap_text(out, l->text, at, at, r->to->width);
    jw_buf_printf(out, "%s\n", jw_paint_off(colours, l->tone));
}

static size_t label_column(const struct rep *r)
{
    size_t column = NARROWEST_LABEL;

    for (unsigned place = 0; place < REP_PLACES; place++)
        for (const struct rep_item *l = r->lists[place].first; l; l = l->next)
            if (l->label && place != REP_NOTES)
                column = jw_max(column, jw_text_width(l->label));
    return column + GAP;
}

/* A label stands once before all lines of it in one place; that of a note is an id for the JSON. */
static const char *label_of(enum rep_place place, const struct rep_item *l,
                            const struct rep_item *before)
{
    if (place == REP_NOTES && !l->remedy)
        return "Note";
    bool again = l->label && before && before->next == l && jw_text_same(l->label, before->label);

    return again ? "" : l->label;
}

/* A blank line before each table, and behind the last one. */
static void put_text(struct rep *r, struct jw_buf *out)
{
    const struct rep_item *before = NULL;
    size_t column = label_column(r);

    if (r->head)
        put_line(r, out, &(struct rep_item){.text = r->head, .tone = r->tone}, NULL, 0);
    for (enum rep_place place = 0; place < REP_PLACES; place++)
        for (const struct rep_item *l = r->lists[place].first; l; l = l->next) {
            if (l->table || (before && before->table))
                jw_buf_text(out, "\n");
            if (l->table)
                jw_buf_text(out, l->text);
            else
                put_line(r, out, l, label_of(place, l, before), column);
            before = l;
        }
}

static void put_remedy(struct jw_json *j, const char *key, const struct rep_item *l)
{
    static const char *const where[] = {
        [JW_REMEDY_HERE] = "here", [JW_REMEDY_HOST] = "host", [JW_REMEDY_ADMIN] = "admin"};
    JW_ROW_FOR_EACH(where, JW_REMEDY_PLACES, 3);

    jw_json_object(j, key);
    jw_json_text(j, "where", where[l->where]);
    jw_json_text(j, l->kind == REP_TEXT ? "text" : "command", l->text);
    jw_json_close(j);
}

static void put_list(struct jw_json *j, const char *key, const struct rep_item *l)
{
    jw_json_array(j, key);
    for (; l; l = l->next) {
        if (l->remedy) {
            put_remedy(j, NULL, l);
            continue;
        }
        jw_json_object(j, NULL);
        if (l->label)
            jw_json_text(j, "id", l->label);
        jw_json_text(j, "text", l->text);
        if (l->next && l->next->remedy)
            put_remedy(j, "remedy", l = l->next);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void put_json_whole(struct rep *r, struct jw_buf *out)
{
    put_list(r->json, "notes", r->lists[REP_NOTES].first);
    put_list(r->json, "todo", r->lists[REP_TODOS].first);
    jw_json_replace(r->json, "result", r->word);
    jw_json_replace(r->json, "message", r->head);
    jw_json_replace(r->json, "why", r->why);
    r->json->out = out;
    rep_end(r);
}

int rep_close(struct rep *r)
{
    int code = jw_cli_exit(r->end);
    struct jw_buf out = JW_BUF(max_report);
    const struct jw_stream *messages = &r->cli->messages;
    struct jw_err err = {0};

    jw_messages_progress_end(&r->cli->messages);
    (r->json ? put_json_whole : put_text)(r, &out);
    bool ok = jw_buf_ok(&out, &err);

    if (!ok)
        code = jw_cli_fail(r->cli, &err);
    else if (r->json || !messages->quiet || code || r->tone >= REP_WARN)
        jw_stream_text(r->to, jw_buf_cstr(&out));
    jw_buf_free(&out);
    return code;
}

int rep_close_with(struct rep *r, enum jw_end end)
{
    bool worse = end > r->end && !jw_end_is_good(end);
    bool says_more = end == r->end && end > JW_END_PARTLY;

    if (worse || says_more) {
        r->end = end;
        r->word = jw_end_names[end];
    }
    return rep_close(r);
}
