#include "cli/page.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "cache/memory/spell.h"
#include "cli/cli.h"
#include "cli/help.h"

#include <string.h>

void jw_page_open(struct jw_page *p, struct cli *cli, size_t label, struct jw_err *err)
{
    *p = (struct jw_page){ .to = jw_output_sink(&cli->out),
                           .paint = cli->out.paint,
                           .label = label,
                           .width = cli->out.width,
                           .columns = cli->out.columns,
                           .arena = cli->arena,
                           .verbose = cli->common.verbose,
                           .quiet = cli->messages.level == MESSAGES_QUIET ? &cli->messages : NULL,
                           .err = err };
}

void jw_page_open_stderr(struct jw_page *p, struct cli *cli, size_t label, struct jw_err *err)
{
    jw_page_open(p, cli, label, err);
    p->kept = JW_BUF(JW_MAX_PAGE);
    p->to = jw_sink_buf(&p->kept);
    p->paint = cli->messages.paint;
    p->columns = cli->messages.terminal ? cli->messages.columns : 0;
    if (p->columns)
        p->width = p->columns;
}

bool jw_page_close(struct jw_page *p, struct cli *cli)
{
    jw_messages_progress_end(&cli->messages);
    if (!p->bad && p->kept.n && cli->messages.level != MESSAGES_QUIET)
        jw_messages_page(&cli->messages, jw_buf_cstr(&p->kept));
    jw_buf_free(&p->kept);
    return !p->bad;
}

static void put_buf(struct jw_page *p, struct jw_buf *b)
{
    if (!p->bad)
        p->bad = !jw_buf_ok(b, p->err) || (b->n && !p->to.put(p->to.ctx, b->p, b->n, p->err));
    jw_buf_free(b);
}

void jw_page_put(struct jw_page *p, const char *fmt, ...)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE * 4);
    va_list args;

    va_start(args, fmt);
    jw_say_args(&text, fmt, args);
    va_end(args);
    put_buf(p, &text);
}

void jw_page_end(struct jw_page *p, const char *stamp)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!jw_stamp_simulated(stamp))
        return;
    jw_buf_text(&text, "simulated: this was jitwarm's own simulated driver; nothing here is about hardware");
    jw_page_one_line(p, &text);
}

void jw_page_show_end(struct jw_page *p, const void *stamp)
{
    jw_page_end(p, stamp);
}

void jw_page_one_line(struct jw_page *p, struct jw_buf *text)
{
    struct jw_page whole = *p;

    if (!p->columns)
        whole.width = text->n;
    jw_page_sentence(&whole, TINT_NONE, text);
    p->bad = whole.bad;
}

static void say_label(const struct jw_page *p, struct jw_buf *out, enum jw_tint tint, const char *label)
{
    jw_buf_text(out, jw_paint_on(p->paint, tint));
    jw_text_fit(out, label, p->label);
    jw_buf_text(out, jw_paint_off(p->paint, tint));
}

/* Text that was too long for `text` makes the page bad. */
static bool has_text(struct jw_page *p, const struct jw_buf *text)
{
    if (!p->bad)
        p->bad = !jw_buf_ok(text, p->err);
    return !p->bad && text->n > 0;
}

void jw_page_line(struct jw_page *p, enum jw_tint tint, const char *label, struct jw_buf *text)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE * 4);

    if (has_text(p, text)) {
        say_label(p, &line, tint, label);
        jw_help_wrap(&line, jw_buf_cstr(text), p->label, p->label, p->width);
        put_buf(p, &line);
    }
    jw_buf_free(text);
}

static void put_sentence(struct jw_page *p, enum jw_tint tint, size_t indent, struct jw_buf *text)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE * 4);

    if (has_text(p, text)) {
        jw_buf_text(&line, jw_paint_on(p->paint, tint));
        jw_help_wrap(&line, jw_buf_cstr(text), 0, indent, p->width);
        line.n -= line.n && line.p[line.n - 1] == '\n';
        jw_buf_printf(&line, "%s\n", jw_paint_off(p->paint, tint));
        put_buf(p, &line);
    }
    jw_buf_free(text);
}

void jw_page_sentence(struct jw_page *p, enum jw_tint tint, struct jw_buf *text)
{
    put_sentence(p, tint, 0, text);
}

void jw_page_hanging(struct jw_page *p, size_t indent, struct jw_buf *text)
{
    put_sentence(p, TINT_NONE, indent, text);
}

void jw_page_head(struct jw_page *p, enum jw_tint tint, struct jw_buf *text)
{
    if (p->quiet && text->n && (tint == TINT_BAD || tint == TINT_WARN))
        jw_messages_error(p->quiet, "%s", jw_buf_cstr(text));
    jw_page_sentence(p, tint, text);
}

void jw_page_say(struct jw_page *p, enum jw_tint tint, const char *label, const char *fmt, ...)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    va_list args;

    va_start(args, fmt);
    jw_say_args(&text, fmt, args);
    va_end(args);
    if (label)
        jw_page_line(p, tint, label, &text);
    else
        jw_page_sentence(p, tint, &text);
}

/* Each line is a comment of its own. */
static void put_remark(struct jw_buf *out, const struct jw_page *p, const char *remark)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE * 4);

    jw_help_wrap(&text, remark, 0, 0, p->width > p->label + 2 ? p->width - p->label - 2 : 1);
    for (const char *at = jw_buf_cstr(&text); *at;) {
        size_t n = strcspn(at, "\n");

        jw_buf_fill(out, ' ', p->label);
        jw_buf_text(out, "# ");
        jw_buf_add(out, at, n);
        jw_buf_text(out, "\n");
        at += n + (at[n] == '\n');
    }
    jw_buf_free(&text);
}

void jw_page_whole(struct jw_page *p, enum jw_tint tint, const char *label, const char *fmt, ...)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE * 4), text = JW_BUF(JW_MAX_LINE * 4);
    va_list args;

    va_start(args, fmt);
    jw_say_args(&text, fmt, args);
    va_end(args);

    const char *all = jw_buf_cstr(&text), *remark = jw_command_remark(all);
    bool apart = label && remark; /* zsh takes no comment behind a pasted command, and cmd none at all */

    if (label)
        say_label(p, &line, tint, label);
    else
        jw_buf_text(&line, jw_paint_on(p->paint, tint));
    jw_buf_add(&line, all, apart ? (size_t)(remark - all) : text.n);
    jw_buf_printf(&line, "%s\n", label ? "" : jw_paint_off(p->paint, tint));
    if (apart)
        put_remark(&line, p, remark + JW_REMARK);
    put_buf(p, &line);
    jw_buf_free(&text);
}

void jw_page_texts(struct jw_page *p, enum jw_tint tint, const char *label, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_page_say(p, tint, i ? "" : label, "%s", list[i]);
}

void jw_page_advice(struct jw_page *p, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_page_whole(p, TINT_STRONG, i ? "" : "To do", "%s", list[i]);
}

void jw_page_more(struct jw_page *p, const char *label, uint64_t shown, uint64_t all, const char *one,
                  const char *many)
{
    if (shown < all)
        jw_page_say(p, TINT_NONE, label, "and %s (--verbose lists all)", JW_N(all - shown, one, many));
}

/* The value of a row that is one, else NULL. */
static const char *row_text(const struct jw_row *r, const void *at, char out[80])
{
    switch ((enum jw_row_kind)r->kind) {
    case JW_ROW_TEXT: return jw_pointer_at(at);
    case JW_ROW_CHARS: return at;
    case JW_ROW_BOOL: return jw_number_at(at, r->size) ? "yes" : "no";
    case JW_ROW_NAME: return jw_row_word(r, at);
    case JW_ROW_SPELT: return r->spelling->spell(at, out);
    default: return NULL;
    }
}

static void show_row(struct jw_page *p, enum jw_tint tint, const struct jw_row *r, const char *label,
                     const char *text)
{
    if (text && *text)
        (r->wraps ? jw_page_say : jw_page_whole)(p, tint, label, "%s", text);
}

static void show_list(struct jw_page *p, enum jw_tint tint, const struct jw_row *r, const void *list,
                      const uint8_t *of)
{
    size_t n = (size_t)jw_number_at(of + r->n_at, sizeof n);
    const uint8_t *item = list;
    char out[80];

    for (size_t i = 0; i < n; i++, item += r->stride)
        show_row(p, tint, r, i ? "" : r->label,
                 r->spelling ? r->spelling->spell(item, out) : (const char *)jw_pointer_at(item));
}

/* "zstd 1.5.7, lz4 1.10" */
static void show_object(struct jw_page *p, enum jw_tint tint, const struct jw_row *r, const void *of)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    char out[80];

    for (const struct jw_row *in = r->rows; in->kind; in++)
        jw_say(&text, "%s%s %s", in == r->rows ? "" : ", ", in->key, row_text(in, jw_row_at(in, of), out));
    show_row(p, tint, r, r->label, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

void jw_page_says(struct jw_page *p, const void *of)
{
    const struct jw_run *run = of;

    jw_page_rows(p, TINT_FAINT, jw_run_notes, run);
    jw_page_advice(p, run->advice.v, run->advice.n);
}

void jw_page_rows(struct jw_page *p, enum jw_tint tint, const struct jw_row *rows, const void *of)
{
    char out[80];

    for (; rows->kind; rows++) {
        const void *at = jw_row_at(rows, of);

        if (!at)
            continue;
        if (rows->show)
            rows->show(p, rows->kind == JW_ROW_PART || rows->kind == JW_ROW_OBJECT ? at : of);
        else if (rows->kind == JW_ROW_PART || (rows->kind == JW_ROW_OBJECT && !rows->label))
            jw_page_rows(p, tint, rows->rows, at);
        else if (rows->label && rows->kind == JW_ROW_LIST)
            show_list(p, tint, rows, at, of);
        else if (rows->label && rows->kind == JW_ROW_OBJECT)
            show_object(p, tint, rows, at);
        else if (rows->label)
            show_row(p, tint, rows, rows->label, row_text(rows, at, out));
    }
}

void jw_page_lines(struct jw_page *p, size_t indent, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        struct jw_buf raw = JW_BUF(JW_MAX_LINE), line = JW_BUF(JW_MAX_LINE * 4);

        jw_buf_add(&raw, text, n);
        jw_buf_fill(&line, ' ', indent);
        jw_say(&line, "%s\n", jw_buf_cstr(&raw));
        put_buf(p, &line);
        jw_buf_free(&raw);
        text += n + (text[n] == '\n');
    }
}

void jw_page_table(struct jw_page *p, const struct jw_table *t)
{
    if (!p->bad)
        p->bad = !jw_table_print(t, p->paint, p->columns, p->to, p->err);
}

/* ---- counting ---- */

static bool count_rows(void *ctx, const void *bytes, size_t n, struct jw_err *err)
{
    struct jw_row_counter *r = ctx;
    const char *at = bytes;

    for (size_t i = 0; i < n; i++) {
        if (at[i] != '\n') {
            jw_buf_add(&r->line, at + i, 1);
            continue;
        }

        size_t wide = jw_text_width(jw_buf_cstr(&r->line));

        r->n += wide > r->width ? (wide + r->width - 1) / r->width : 1;
        jw_buf_clear(&r->line);
    }
    (void)err;
    return true;
}

struct jw_sink jw_row_counter_sink(struct jw_row_counter *r)
{
    return (struct jw_sink){ count_rows, r };
}
