#include "cli/table.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 2, NARROWEST = 10, FOLDED = 30 };

struct cell {
    const char *text;
    enum jw_tint tint;
};

struct jw_table_row {
    struct jw_table_row *next;
    struct cell cells[];
};

void jw_table_begin(struct jw_table *t, struct jw_arena *a, const struct jw_column *columns, size_t n)
{
    *t = (struct jw_table){ .arena = a, .columns = columns, .n = n, .filled = n };
}

static void start_row(struct jw_table *t)
{
    struct jw_table_row *row = jw_arena_alloc(t->arena, sizeof *row + t->n * sizeof row->cells[0]);

    for (size_t i = 0; i < t->n; i++)
        row->cells[i].text = "";
    if (t->last)
        t->last->next = row;
    else
        t->first = row;
    t->last = row;
    t->filled = 0;
}

void jw_table_cell(struct jw_table *t, enum jw_tint tint, const char *text)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);

    if (!t->n)
        return;
    jw_text_clean(&clean, text);
    if (t->filled == t->n)
        start_row(t);
    t->last->cells[t->filled++] = (struct cell){ jw_arena_str(t->arena, jw_buf_cstr(&clean)), tint };
    jw_buf_free(&clean);
}

void jw_table_cellf(struct jw_table *t, enum jw_tint tint, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    jw_table_cell(t, tint, n < 0 ? "" : text);
}

void jw_table_cell_bytes(struct jw_table *t, uint64_t bytes)
{
    struct jw_buf text = JW_BUF(64);

    jw_text_bytes(&text, bytes);
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

void jw_table_cell_count(struct jw_table *t, uint64_t n)
{
    struct jw_buf text = JW_BUF(64);

    jw_text_count(&text, n);
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static bool flexible(const struct jw_column *c)
{
    return c->kind == COLUMN_TEXT || c->kind == COLUMN_GPU || c->kind == COLUMN_PATH;
}

/* The width of each column, and whether it starts a new line. */
struct layout {
    size_t width;
    bool starts;  /* a new line, indented by GAP */
    size_t wraps; /* alone in its line, and wider than this, the width of all; 0: it fits */
};

static size_t widest(const struct jw_table *t, size_t i)
{
    size_t max = jw_text_width(t->columns[i].title);

    for (const struct jw_table_row *row = t->first; row; row = row->next) {
        size_t w = jw_text_width(row->cells[i].text);

        max = w > max ? w : max;
    }
    return max;
}

/* Several lines for each row: as many columns in each line as fit. The flexible one takes the rest of its line. */
static void fold(const struct jw_table *t, size_t width, struct layout *v)
{
    size_t max = width > FOLDED + GAP ? FOLDED : width > NARROWEST + GAP ? width - GAP : NARROWEST;

    for (size_t i = 0, n; i < t->n; i += n) {
        size_t used = i ? GAP : 0, wish = 0, *narrowed = NULL;

        v[i].starts = i > 0;
        for (n = 0; i + n < t->n; n++) {
            size_t *wide = &v[i + n].width;
            bool gives = flexible(&t->columns[i + n]) && *wide > max;
            size_t least = gives ? max : *wide;

            if (n && used + GAP + least > width)
                break;
            used += (n ? GAP : 0) + least;
            if (gives) {
                wish = *wide - max;
                narrowed = wide;
                *wide = max;
            }
        }
        if (narrowed && used < width)
            *narrowed += wish < width - used ? wish : width - used;
        if (n == 1 && t->columns[i].kind == COLUMN_LEFT && used > width)
            v[i].wraps = width;
    }
}

/* Each column is as wide as its widest cell; then the flexible one shrinks, but not below NARROWEST. */
static void measure(const struct jw_table *t, unsigned width, struct layout *v)
{
    size_t total = GAP * (t->n - 1), narrowed = t->n;

    for (size_t i = 0; i < t->n; i++) {
        v[i] = (struct layout){ .width = widest(t, i) };
        total += v[i].width;
        if (flexible(&t->columns[i]))
            narrowed = i;
    }
    if (!width || total <= width)
        return;

    size_t over = total - width;

    if (narrowed < t->n && v[narrowed].width >= over + NARROWEST)
        v[narrowed].width -= over;
    else
        fold(t, width, v);
}

static void fit_gpu(struct jw_buf *line, const char *text, size_t width)
{
    const char *last = strrchr(text, ' ');
    size_t kept = last ? jw_text_width(last) : width;
    struct jw_buf name = JW_BUF(JW_MAX_LINE);

    if (last && kept < width) {
        jw_buf_add(&name, text, (size_t)(last - text));
        jw_text_fit(line, jw_buf_cstr(&name), width - kept);
        jw_buf_text(line, last);
    } else {
        jw_text_fit(line, text, width);
    }
    jw_buf_free(&name);
}

/* Padding is not coloured, so that trim_line can trim it. */
static void put_cell(const struct jw_table *t, size_t i, const struct cell *c, const struct layout *v,
                     struct jw_paint paint, struct jw_buf *line)
{
    enum jw_column_kind kind = t->columns[i].kind;
    size_t natural = jw_text_width(c->text), width = v->width, shown = natural < width ? natural : width;

    if (kind == COLUMN_RIGHT)
        jw_buf_fill(line, ' ', width - shown);
    if (shown) {
        jw_buf_text(line, jw_paint_on(paint, c->tint));
        if (v->wraps) {
            jw_help_wrap(line, c->text, v->starts ? GAP : 0, GAP, v->wraps);
            line->n -= line->n && !line->bad; /* its end */
        } else if (kind == COLUMN_PATH)
            jw_text_fit_path(line, c->text, shown);
        else if (kind == COLUMN_GPU)
            fit_gpu(line, c->text, shown);
        else
            jw_text_fit(line, c->text, shown);
        jw_buf_text(line, jw_paint_off(paint, c->tint));
    }
    if (kind != COLUMN_RIGHT && !v->wraps)
        jw_buf_fill(line, ' ', width - shown);
}

static void trim_line(struct jw_buf *line)
{
    while (line->n && line->p[line->n - 1] == ' ')
        line->n--;
    jw_buf_text(line, "\n");
}

static bool put_row(const struct jw_table *t, const struct jw_table_row *row, const struct layout *v,
                    struct jw_paint paint, struct jw_sink to, struct jw_err *err)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE * 4);
    bool ok;

    for (size_t i = 0; i < t->n; i++) {
        struct cell title = { t->columns[i].title, TINT_FAINT };

        if (v[i].starts)
            trim_line(&line);
        if (i)
            jw_buf_fill(&line, ' ', GAP);
        put_cell(t, i, row ? &row->cells[i] : &title, &v[i], paint, &line);
    }
    trim_line(&line);
    ok = jw_buf_ok(&line, err) && to.put(to.ctx, line.p, line.n, err);
    jw_buf_free(&line);
    return ok;
}

bool jw_table_print(const struct jw_table *t, struct jw_paint paint, unsigned width, struct jw_sink to,
                    struct jw_err *err)
{
    struct layout *v;
    bool ok = true;

    if (!t->first)
        return true;
    v = jw_arena_alloc(t->arena, t->n * sizeof *v);
    measure(t, width, v);
    ok = put_row(t, NULL, v, paint, to, err);
    for (const struct jw_table_row *row = t->first; ok && row; row = row->next)
        ok = put_row(t, row, v, paint, to, err);
    return ok;
}
