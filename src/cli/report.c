#include "cli/report.h"

#include "base/json.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "cli/cli.h"
#include "jitwarm/run.h"
#include "machine/shell.h"
#include "memory/drivers.h"

#include <stdarg.h>
#include <string.h>

enum { NARROWEST_LABEL = 8, NARROWEST_COLUMN = 20, GAP = 2 };

static const size_t max_report = (size_t)256 << 20;

struct line {
    struct line *next;
    enum { LINES, NOTES, TODOS, PLACES } place;
    enum { WRAPPED, WHOLE, TABLE } form;
    enum rep_tone tone;
    const char *label; /* NULL: a sentence of its own */
    const char *text;
};

struct rep {
    struct cli *cli;
    struct jw_arena *a;
    bool json;
    struct jw_stream *to;
    enum rep_tone tone;
    const char *verb, *word, *head; /* NULL: not said yet */
    struct line *first, **end;
    struct jw_buf body; /* of JSON: what follows its head */
    struct jw_json j;
};

/* ---- text ---- */

static const char *cleaned(struct rep *r, const char *text)
{
    struct jw_buf b = JW_LINE(r->a);

    jw_text_clean(&b, text);
    return jw_buf_cstr(&b);
}

static const char *worded(struct rep *r, const char *format, va_list args)
{
    return cleaned(r, jw_arena_say(r->a, format, args));
}

/* `l.text` is kept, and clean. */
static void add_line(struct rep *r, struct line l)
{
    *r->end = jw_arena_alloc(r->a, sizeof l);
    **r->end = l;
    r->end = &(*r->end)->next;
}

static void put_words(const struct rep *r, struct jw_buf *out, const struct line *l, size_t label)
{
    jw_buf_text(out, jw_paint_on(r->to->colours, l->tone));
    if (l->form == WHOLE)
        jw_buf_text(out, l->text);
    else
        jw_wrap_text(out, l->text, label, label, r->to->width);
    jw_buf_printf(out, "%s\n", jw_paint_off(r->to->colours, l->tone));
}

/* A blank line before each table, and behind the last one. */
static void put_line(const struct rep *r, struct jw_buf *out, const struct line *l, size_t label, bool *table)
{
    if (*table || l->form == TABLE)
        jw_buf_text(out, "\n");
    *table = l->form == TABLE;
    if (*table) {
        jw_buf_text(out, l->text);
    } else if (!l->label) {
        put_words(r, out, l, 0);
    } else {
        jw_buf_text(out, jw_paint_on(r->to->colours, REP_FAINT));
        jw_text_fit(out, l->label, label, false);
        jw_buf_text(out, jw_paint_off(r->to->colours, REP_FAINT));
        put_words(r, out, l, label);
    }
}

static void put_text(const struct rep *r, struct jw_buf *out)
{
    const char *before = NULL;
    size_t label = NARROWEST_LABEL;
    bool table = false;

    for (const struct line *l = r->first; l; l = l->next)
        label = jw_max(label, l->label ? jw_text_width(l->label) : 0);
    if (r->head)
        put_words(r, out, &(struct line){ .text = r->head, .tone = r->tone }, 0);
    for (int place = 0; place < PLACES; place++)
        for (const struct line *l = r->first; l; l = l->next) {
            struct line shown = *l;

            if ((int)l->place != place)
                continue;
            if (l->label && l->place != NOTES && jw_text_same(l->label, before))
                shown.label = ""; /* a label stands once before all that it is for */
            before = l->label;
            put_line(r, out, &shown, label + GAP, &table);
        }
}

/* ---- values ---- */

static bool shows(const struct rep *r, int kind)
{
    return !r->json && (r->cli->shared.verbose || !(kind & REP_DETAIL));
}

static bool is_nothing(int kind, const struct rep_cell *v)
{
    switch (kind & REP_KIND) {
    case REP_TEXT:
    case REP_PATH: return !v->text || (kind & REP_UNLESS0 && !*v->text);
    case REP_WHEN: return !v->when;
    case REP_SECONDS: return kind & REP_UNLESS0 && !(v->seconds > 0);
    default: return kind & REP_UNLESS0 && !v->n;
    }
}

static const char *spelled(struct rep *r, int kind, const struct rep_cell *v)
{
    struct jw_buf b = JW_LINE(r->a);

    if (is_nothing(kind, v))
        return "";
    switch (kind & REP_KIND) {
    case REP_TEXT:
    case REP_PATH: jw_text_clean(&b, v->text); break;
    case REP_COUNT: jw_buf_text(&b, JW_NUM(v->n)); break;
    case REP_BYTES: jw_buf_text(&b, JW_SIZE(v->n)); break;
    case REP_SECONDS: jw_buf_text(&b, JW_TENTHS(v->seconds)); break;
    case REP_WHEN: jw_text_time(&b, v->when); break;
    default: jw_buf_text(&b, v->n ? "yes" : "no"); break;
    }
    return jw_buf_cstr(&b);
}

static void put_json(struct rep *r, const char *key, int kind, const struct rep_cell *v)
{
    switch (kind & REP_KIND) {
    case REP_TEXT:
    case REP_PATH: jw_json_text(&r->j, key, v->text); break;
    case REP_SECONDS: jw_json_real(&r->j, key, v->seconds); break;
    case REP_WHEN: jw_json_text(&r->j, key, v->when ? spelled(r, REP_WHEN, v) : NULL); break;
    case REP_YES: jw_json_bool(&r->j, key, v->n != 0); break;
    default: jw_json_number(&r->j, key, v->n); break;
    }
}

void rep_fact(struct rep *r, const char *key, const char *label, int kind, ...)
{
    struct rep_cell v = { 0 };
    va_list args;

    va_start(args, kind);
    switch (kind & REP_KIND) {
    case REP_TEXT:
    case REP_PATH: v.text = va_arg(args, const char *); break;
    case REP_SECONDS: v.seconds = va_arg(args, double); break;
    case REP_WHEN: v.when = va_arg(args, int64_t); break;
    case REP_YES: v.n = va_arg(args, int) != 0; break;
    default: v.n = va_arg(args, uint64_t); break;
    }
    va_end(args);
    if (r->json && key)
        put_json(r, key, kind, &v);
    if (label && shows(r, kind) && !is_nothing(kind, &v))
        add_line(r, (struct line){ .form = (kind & REP_KIND) == REP_PATH ? WHOLE : WRAPPED,
                                   .label = label,
                                   .text = spelled(r, kind, &v) });
}

void rep_say(struct rep *r, enum rep_tone tone, const char *label, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!r->json)
        add_line(r, (struct line){ .tone = tone, .label = label, .text = worded(r, format, args) });
    va_end(args);
}

void rep_begin(struct rep *r, const char *key)
{
    if (r->json)
        jw_json_object(&r->j, key);
}

void rep_end(struct rep *r)
{
    if (r->json)
        jw_json_close(&r->j);
}

void rep_texts(struct rep *r, const char *key, const char *label, const char *const *list, size_t n)
{
    size_t shown = r->cli->shared.verbose ? n : jw_min(n, 1);

    if (r->json && key) {
        jw_json_array(&r->j, key);
        for (size_t i = 0; i < n; i++)
            jw_json_text(&r->j, NULL, list[i]);
        jw_json_close(&r->j);
    }
    for (size_t i = 0; !r->json && label && i < shown; i++)
        add_line(r, (struct line){ .label = label, .text = cleaned(r, list[i]) });
    if (label && shown < n)
        rep_say(r, REP_PLAIN, label, "and %s more (-v)", JW_NUM(n - shown));
}

/* ---- tables ---- */

/* Two blanks between columns, a faint header, wide characters aligned. To fit a terminal it cuts its flexible column, but not below
 * twenty columns; what is wider still, the terminal wraps. No column is left out. */
struct table {
    struct rep *r;
    const struct rep_column *columns;
    size_t n_columns, n_rows;
    struct rep_cell *cells; /* row by row; the first has the titles */
    size_t *widths;         /* 0: not shown */
};

static bool is_number(int kind)
{
    kind &= REP_KIND;
    return kind == REP_COUNT || kind == REP_BYTES || kind == REP_SECONDS;
}

static void measure(struct table *t)
{
    size_t total = 0, *flexible = NULL, width = t->r->to->columns;

    for (size_t c = 0; c < t->n_columns; c++) {
        if (!t->columns[c].title || !shows(t->r, t->columns[c].kind))
            continue;
        t->widths[c] = 1;
        for (size_t row = 0; row < t->n_rows; row++)
            t->widths[c] = jw_max(t->widths[c], jw_text_width(t->cells[row * t->n_columns + c].text));
        total += t->widths[c] + (total ? GAP : 0);
        flexible = t->columns[c].flexible ? &t->widths[c] : flexible;
    }
    if (width && total > width && flexible && *flexible > NARROWEST_COLUMN)
        *flexible -= jw_min(total - width, *flexible - NARROWEST_COLUMN);
}

/* Padding is not coloured, and none ends a line. */
static void put_row(const struct table *t, const struct rep_cell *cells, struct jw_buf *out)
{
    size_t begin = out->n;

    for (size_t c = 0; c < t->n_columns; c++) {
        size_t width = t->widths[c], shown = width ? jw_min(jw_text_width(cells[c].text), width) : 0;
        bool right = is_number(t->columns[c].kind), path = (t->columns[c].kind & REP_KIND) == REP_PATH;

        if (!width)
            continue;
        jw_buf_fill(out, ' ', (out->n > begin ? GAP : 0) + (right ? width - shown : 0));
        if (shown) {
            jw_buf_text(out, jw_paint_on(t->r->to->colours, cells[c].tone));
            jw_text_fit(out, cells[c].text, shown, path);
            jw_buf_text(out, jw_paint_off(t->r->to->colours, cells[c].tone));
        }
        jw_buf_fill(out, ' ', right ? 0 : width - shown);
    }
    while (out->n && !out->bad && out->p[out->n - 1] == ' ')
        out->n--;
    jw_buf_text(out, "\n");
}

static void rows_as_text(struct table *t, size_t n, rep_cell_of *cell, const void *ctx)
{
    struct jw_buf out = JW_BUF_IN(t->r->a, max_report);

    t->widths = jw_arena_alloc(t->r->a, t->n_columns * sizeof *t->widths);
    t->cells = jw_arena_alloc(t->r->a, t->n_rows * t->n_columns * sizeof *t->cells);
    for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
        size_t c = i % t->n_columns, row = i / t->n_columns;
        struct rep_cell *v = &t->cells[i];

        if (row) {
            cell(ctx, row - 1, c, v);
            v->text = spelled(t->r, t->columns[c].kind, v);
        } else {
            *v = (struct rep_cell){ .text = t->columns[c].title, .tone = REP_FAINT };
        }
    }
    measure(t);
    for (size_t row = 0; row < t->n_rows; row++)
        put_row(t, t->cells + row * t->n_columns, &out);
    if (t->n_rows - 1 < n)
        jw_buf_printf(&out, "and %s more (-v)\n", JW_NUM(n - (t->n_rows - 1)));
    add_line(t->r, (struct line){ .form = TABLE, .text = jw_buf_cstr(&out) });
}

static void rows_as_json(struct rep *r, const char *key, const struct rep_column *columns, size_t n_columns,
                         size_t n, rep_cell_of *cell, const void *ctx)
{
    jw_json_array(&r->j, key);
    for (size_t row = 0; row < n; row++) {
        jw_json_object(&r->j, NULL);
        for (size_t c = 0; c < n_columns; c++) {
            struct rep_cell v = { 0 };

            if (!columns[c].key)
                continue;
            cell(ctx, row, c, &v);
            put_json(r, columns[c].key, columns[c].kind, &v);
        }
        jw_json_close(&r->j);
    }
    jw_json_close(&r->j);
}

void rep_table(struct rep *r, const char *key, const struct rep_column *columns, size_t n_columns, size_t n,
               rep_cell_of *cell, const void *ctx, size_t shown)
{
    bool titled = false;

    for (size_t c = 0; c < n_columns; c++)
        titled |= columns[c].title && shows(r, columns[c].kind);
    if (r->json && key)
        rows_as_json(r, key, columns, n_columns, n, cell, ctx);
    else if (titled && n)
        rows_as_text(
            &(struct table){ .r = r,
                             .columns = columns,
                             .n_columns = n_columns,
                             .n_rows = 1 + (r->cli->shared.verbose || !shown ? n : jw_min(shown, n)) },
            n, cell, ctx);
}

/* ---- head, notes, to do ---- */

void rep_head(struct rep *r, enum rep_tone tone, const char *word, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    r->tone = tone;
    r->word = word;
    r->head = worded(r, format, args);
    va_end(args);
}

void rep_note(struct rep *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(r, (struct line){ .place = NOTES, .label = "Note", .text = worded(r, format, args) });
    va_end(args);
}

void rep_todo_line(struct rep *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(
        r, (struct line){ .place = TODOS, .form = WHOLE, .label = "To do", .text = worded(r, format, args) });
    va_end(args);
}

/* A sentence of what a person does is wrapped; a line to paste is not. */
static void add_remedy(struct rep *r, const struct jw_remedy *remedy, bool of_note)
{
    static const char *const where[] = { "To do", "On host", "As admin" };
    const char *line = jw_remedy_line(remedy, jw_shell_here(r->a), r->a);

    if (line)
        add_line(r, (struct line){ .place = of_note ? NOTES : TODOS,
                                   .form = remedy->kind == JW_REMEDY_SAY ? WRAPPED : WHOLE,
                                   .label = where[remedy->where],
                                   .text = cleaned(r, line) });
}

void rep_todo(struct rep *r, const struct jw_remedy *remedy)
{
    add_remedy(r, remedy, false);
}

/* ---- what rooms answer ---- */

void rep_scope(struct rep *r, const struct jw_scope *s)
{
    rep_begin(r, "scope");
    rep_fact(r, "cache", "Cache", REP_PATH, s->cache);
    rep_fact(r, "driver", NULL, REP_TEXT, s->version);
    rep_fact(r, "library", "Driver", REP_PATH | REP_DETAIL, s->library);
    rep_fact(r, "build", NULL, REP_TEXT, s->build);
    rep_fact(r, "stamp", NULL, REP_TEXT, s->stamp);
    rep_fact(r, "level", "Probe level", REP_TEXT | REP_DETAIL, jw_level_name(s->level));
    if (r->json) {
        jw_json_array(&r->j, "architectures");
        for (size_t i = 0; i < s->n_sms; i++)
            jw_json_text(&r->j, NULL, JW_PHRASE("sm_%u", s->sms[i]));
        jw_json_close(&r->j);
    }
    rep_fact(r, "limit_bytes", NULL, REP_BYTES, s->limit);
    rep_fact(r, "used_bytes", NULL, REP_BYTES, s->used);
    rep_end(r);
}

static void answer_as_json(struct rep *r, const struct jw_answer *a)
{
    rep_begin(r, "answer");
    rep_fact(r, "is", NULL, REP_TEXT, jw_is_names[a->is]);
    rep_fact(r, "modules", NULL, REP_COUNT, a->modules);
    rep_fact(r, "warm", NULL, REP_COUNT, a->warm);
    rep_fact(r, "refused", NULL, REP_COUNT, a->refused);
    rep_fact(r, "unknown", NULL, REP_COUNT, a->unknown);
    rep_fact(r, "unread", NULL, REP_COUNT, a->unread);
    rep_fact(r, "sourceless", NULL, REP_COUNT, a->sourceless);
    rep_fact(r, "blocked", NULL, REP_COUNT, a->blocked);
    rep_fact(r, "needs_driver", NULL, REP_TEXT, a->needs);
    rep_fact(r, "empty", NULL, REP_COUNT, a->empty);
    rep_fact(r, "first", NULL, REP_TEXT, a->first);
    rep_fact(r, "proven", NULL, REP_YES, a->proven != JW_NOT_PROVEN);
    rep_end(r);
}

/* "sm_80 and sm_86, driver 550.163.01" */
static const char *target_of(struct rep *r, const struct jw_scope *s)
{
    struct jw_buf b = JW_LINE(r->a);

    for (size_t i = 0; i < s->n_sms; i++)
        jw_buf_printf(&b, "%ssm_%u", jw_text_between(i, s->n_sms), s->sms[i]);
    jw_say(&b, "%s, driver %s", s->n_sms ? "" : "no GPU", s->version ? s->version : "unknown");
    return jw_buf_cstr(&b);
}

/* What keeps an answer from being warm: "3 modules not looked up, the first: F". Files that were not read are listed by the verb. */
static const char *open_of(struct rep *r, const struct jw_answer *a)
{
    uint64_t n = a->unread ? a->unread : a->unknown ? a->unknown : a->sourceless;
    const char *one = a->unread ? "file" : "module", *many = a->unread ? "files" : "modules",
               *how = a->unread    ? "not read"
                      : a->unknown ? "not looked up"
                                   : "of recorded commands without code";

    const char *first = a->unread ? NULL : a->first;

    return jw_arena_printf(r->a, "%s %s%s%s", JW_N(n, one, many), how, first ? ", the first: " : ".",
                           first ? first : "");
}

static const char *answer_sentence(struct rep *r, const struct jw_answer *a)
{
    static const char *const proofs[] = { "", " A fresh process loaded them and stored nothing.",
                                          " A fresh process loaded them and compiled nothing." };
    const char *target = target_of(r, &a->scope);

    if (a->is == JW_COLD)
        return jw_arena_printf(r->a, "Cold: %s of %s missing from this cache for %s%s, the first: %s",
                               JW_NUM(jw_answer_cold(a)), JW_N(a->modules, "module", "modules"), target,
                               a->refused ? JW_PHRASE(" (refused by it: %s)", JW_NUM(a->refused)) : "",
                               a->first);
    if (a->blocked)
        return jw_arena_printf(r->a, "Blocked: %s %s for %s%s, the first: %s",
                               JW_N(a->blocked, "module", "modules"),
                               a->needs ? "too new" : "with neither machine code nor PTX", target,
                               a->needs ? JW_PHRASE(" (driver %s is needed)", a->needs) : "", a->first);
    if (!a->modules && (a->is == JW_WARM || a->empty))
        return jw_arena_printf(r->a,
                               a->empty > 1  ? "No CUDA code was found in %s, nor in the other paths."
                               : a->empty    ? "No CUDA code was found in %s."
                               : a->left_out ? "No module was looked up for %s."
                               : a->found
                                   ? "Nothing here has to be compiled for %s."
                                   : "No CUDA code was found here, so nothing has to be compiled for %s.",
                               a->empty ? a->first : target);
    if (a->is == JW_INCOMPLETE && !a->modules)
        return jw_arena_printf(r->a, "Incomplete for %s: %s", target, open_of(r, a));
    if (a->is == JW_INCOMPLETE)
        return jw_arena_printf(r->a, "Incomplete: %s of %s in this cache for %s, and %s", JW_NUM(a->warm),
                               JW_N(a->modules, "module", "modules"), target, open_of(r, a));
    return jw_arena_printf(r->a, "%s %s of these files %s in this cache for %s.%s",
                           a->modules == 1 ? "The" : "All", JW_N(a->modules, "module", "modules"),
                           a->modules == 1 ? "is" : "are", target, proofs[a->proven]);
}

int rep_answer(struct rep *r, const struct jw_answer *a)
{
    static const enum rep_tone tones[] = { REP_GOOD, REP_WARN, REP_WARN };
    const char *sentence = answer_sentence(r, a);

    if (r->head)
        rep_say(r, tones[a->is], "Answer", "%s", sentence);
    else
        rep_head(r, tones[a->is], jw_is_names[a->is], "%s", sentence);
    rep_scope(r, &a->scope);
    answer_as_json(r, a);
    if (a->is == JW_INCOMPLETE && a->blocked && a->modules)
        rep_say(r, REP_PLAIN, "Others", "%s of %s in this cache", JW_NUM(a->warm),
                JW_N(a->modules, "module", "modules"));
    if (a->left_out)
        rep_say(r, REP_PLAIN, "Left out", "%s, NVIDIA's, tests or on demand (--all)", JW_NUM(a->left_out));
    if (a->scope.stamp && jw_stamp_simulated(a->scope.stamp))
        rep_note(r, "A simulated driver: nothing here is about hardware.");
    return a->is == JW_WARM ? EXIT_DONE : EXIT_PARTLY;
}

void rep_cause(struct rep *r, const struct jw_cause *c, const struct jw_facts *f)
{
    struct jw_remedy remedy = { 0 };
    const char *seen = c->seen(f, r->a);

    rep_begin(r, "cause");
    rep_fact(r, "id", NULL, REP_TEXT, c->id);
    rep_fact(r, "seen", NULL, REP_TEXT, seen);
    rep_fact(r, "text", NULL, REP_TEXT, c->text);
    rep_end(r);
    if (!r->head) {
        rep_head(r, REP_BAD, "stopped", "%s.", c->text);
        rep_fact(r, NULL, "Seen", REP_TEXT, seen);
    } else if (seen) {
        rep_say(r, REP_WARN, "Cause", "%s (%s)", c->text, seen);
    }
    c->remedy(f, r->a, &remedy);
    rep_todo(r, &remedy);
}

void rep_concern(struct rep *r, const struct jw_cause *c, const struct jw_facts *f)
{
    struct jw_remedy remedy = { 0 };
    const char *seen = c->seen(f, r->a);

    rep_note(r, "%s%s%s%s.", c->text, seen ? " (" : "", seen ? seen : "", seen ? ")" : "");
    c->remedy(f, r->a, &remedy);
    if (r->cli->shared.verbose || r->json)
        add_remedy(r, &remedy, !r->json);
}

void rep_run(struct rep *r, const struct jw_run *run)
{
    rep_fact(r, "end", NULL, REP_TEXT, jw_end_names[run->end]);
    rep_fact(r, "why", "Why", REP_TEXT, run->why);
    for (size_t i = 0; i < run->notes.n; i++)
        rep_note(r, "%s", run->notes.v[i]);
}

/* ---- begin and end ---- */

static struct rep *begin_report(struct cli *cli, struct jw_stream *to)
{
    struct rep *r = jw_arena_alloc(cli->arena, sizeof *r);

    *r = (struct rep){ .cli = cli, .a = cli->arena, .to = to };
    r->end = &r->first;
    r->json = cli->shared.json && to == &cli->out;
    r->body = JW_BUF_IN(r->a, max_report);
    r->j = (struct jw_json){ .out = &r->body, .pretty = true };
    return r;
}

struct rep *rep_open(struct cli *cli, const char *verb)
{
    struct rep *r = begin_report(cli, &cli->out);

    r->verb = verb;
    rep_begin(r, NULL);
    return r;
}

struct rep *rep_open_stderr(struct cli *cli)
{
    return begin_report(cli, &cli->messages);
}

static void lines_as_json(struct rep *r, const char *key, int place)
{
    jw_json_array(&r->j, key);
    for (const struct line *l = r->first; l; l = l->next)
        if ((int)l->place == place)
            jw_json_text(&r->j, NULL, l->text);
    jw_json_close(&r->j);
}

static bool put_whole(struct rep *r, struct jw_buf *out, struct jw_err *err)
{
    struct jw_json head = { .out = out, .pretty = true };

    if (!r->json) {
        put_text(r, out);
        return jw_buf_ok(out, err);
    }
    lines_as_json(r, "notes", NOTES);
    lines_as_json(r, "todo", TODOS);
    rep_end(r);
    jw_json_object(&head, NULL);
    jw_json_text(&head, "schema", jw_arena_printf(r->a, "jitwarm.%s/1", r->verb));
    jw_json_text(&head, "version", JITWARM_VERSION);
    jw_json_text(&head, "result", r->word);
    jw_json_text(&head, "message", r->head);
    jw_buf_text(out, ",");
    jw_buf_add(out, r->body.p + 1, r->body.n - 1); /* behind its brace */
    out->bad |= r->body.bad;
    return jw_buf_ok(out, err);
}

int rep_close(struct rep *r, int code)
{
    struct jw_buf out = JW_BUF(max_report);
    struct jw_stream *messages = &r->cli->messages;
    struct jw_err err = { 0 };
    bool ok = put_whole(r, &out, &err), stream = r->cli->shared.progress && r->to != messages;

    jw_messages_progress_end(messages);
    if (!ok)
        code = jw_cli_fail(r->cli, &err);
    else if (r->json || (!messages->quiet && !stream))
        jw_stream_text(r->to, jw_buf_cstr(&out));
    else if (messages->quiet && r->tone >= REP_WARN && r->head)
        jw_messages_error(messages, "%s", r->head); /* an error is said even so */
    if (ok && !r->json && r->cli->shared.progress)
        jw_progress_end(r->cli, r->word, r->head, code);
    jw_buf_free(&out);
    return code;
}
