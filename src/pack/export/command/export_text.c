#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/page.h"
#include "os/machine/env.h"
#include "pack/export/command/export_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

enum { LABEL = 10, SCREEN_ORIGINS = 12 };

struct showing {
    struct jw_page page;
    const struct export_view *v;
    const struct jw_export_report *r;
    struct jw_arena *arena;
    bool verbose;
};

static void say_sum(struct jw_buf *out, const struct jw_export_sum *sum)
{
    prime_say_count(out, sum->entries, "entry", "entries");
    jw_buf_text(out, " (");
    jw_text_bytes(out, sum->bytes);
    jw_buf_text(out, ")");
}

/* ---- the first line ---- */

static enum jw_tint tint_of_end(enum jw_end end)
{
    switch (end) {
    case JW_END_DONE: return TINT_GOOD;
    case JW_END_NO_GPU:
    case JW_END_NOT_PROVEN:
    case JW_END_CANNOT_WRITE: return TINT_BAD;
    default: return TINT_WARN;
    }
}

static void show_end(struct showing *t)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (t->r->end == JW_END_DONE || t->r->end == JW_END_PARTLY)
        return;
    if (t->r->end == JW_END_INTERRUPTED)
        jw_buf_text(&text,
                    t->v->pushes ? "Interrupted: nothing was pushed" : "Interrupted: no pack was written");
    else
        jw_buf_text(&text, t->v->pushes ? "Nothing was pushed" : "No pack was written");
    for (size_t i = 0; i < t->r->n_packs; i++)
        if (t->r->packs[i].written) {
            jw_buf_clear(&text);
            jw_buf_text(&text, "Not all packs were written");
        }
    if (t->r->why) {
        jw_buf_text(&text, ": ");
        jw_text_clean(&text, t->r->why);
    }
    jw_page_sentence(&t->page, tint_of_end(t->r->end), &text);
}

/* "Packed 143 entries (312 MiB): 41 MiB" */
static void show_pack_head(struct showing *t, const struct jw_export_pack *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_text(&text, p->written ? "Packed " : "Would pack ");
    say_sum(&text, &p->sum);
    if (p->packed) {
        jw_buf_text(&text, ": ");
        jw_text_bytes(&text, p->packed);
    }
    jw_page_sentence(&t->page, p->written ? tint_of_end(t->r->end) : TINT_STRONG, &text);
    jw_page_whole(&t->page, TINT_STRONG, "Pack", p->path ? p->path : "standard output");
}

/* ---- one pack ---- */

static void show_for(struct showing *t, const struct jw_export_pack *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "sm_%u and ", p->sm);
    if (t->r->driver_version) {
        jw_buf_text(&text, "driver ");
        jw_text_clean(&text, t->r->driver_version);
    } else
        jw_buf_text(&text, "the driver");
    if (t->r->stamp) {
        jw_buf_printf(&text, ", the build of %.11s ", t->r->stamp);
        jw_text_clean(&text, t->r->stamp + strnlen(t->r->stamp, 11));
        jw_buf_text(&text, "; it serves no other");
    }
    jw_page_line(&t->page, TINT_STRONG, "For", &text);
}

static const char *origin_name(const struct jw_export_origin *o)
{
    return o->is.name ? o->is.name : "(not known)";
}

static void say_kernels(struct jw_buf *out, const struct jw_export_origin *o)
{
    for (size_t i = 0; i < o->n_kernels; i++) {
        jw_buf_text(out, i ? ", " : "");
        jw_buf_text(out, o->kernels[i]);
    }
}

static void put_origin(struct showing *t, struct jw_table *table, const struct jw_export_origin *o)
{
    struct jw_buf size = JW_BUF(64), kernels = JW_BUF(JW_MAX_LINE);

    jw_text_bytes(&size, o->sum.bytes);
    jw_table_cell(table, TINT_NONE, origin_name(o));
    jw_table_cell(table, TINT_NONE, o->is.version ? o->is.version : "");
    jw_table_cellf(table, TINT_NONE, "%llu", (unsigned long long)o->sum.entries);
    jw_table_cell(table, TINT_NONE, jw_buf_cstr(&size));
    if (t->v->everything) {
        say_kernels(&kernels, o);
        jw_table_cell(table, TINT_FAINT, jw_buf_cstr(&kernels));
    }
    jw_buf_free(&size);
    jw_buf_free(&kernels);
}

static void show_origins(struct showing *t, const struct jw_export_pack *p, size_t most)
{
    static const struct jw_column columns[] = { { "software", COLUMN_LEFT },
                                                { "version", COLUMN_LEFT },
                                                { "entries", COLUMN_RIGHT },
                                                { "size", COLUMN_RIGHT },
                                                { "kernels", COLUMN_TEXT } };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_table table;

    jw_table_begin(&table, t->arena, columns, t->v->everything ? 5 : 4);
    for (size_t i = 0; i < p->n_origins && i < most; i++)
        put_origin(t, &table, &p->origins[i]);
    jw_page_table(&t->page, &table);
    if (p->n_origins > most)
        jw_buf_printf(&text, "and of %zu more (--verbose lists all)", p->n_origins - most);
    jw_page_sentence(&t->page, TINT_NONE, &text);
}

static void show_left_out(struct showing *t, const struct jw_export_pack *p)
{
    static const struct {
        const char *one, *many;
    } words[JW_EXPORT_WHYS] = {
        [JW_EXPORT_MISSING] = { "is not in the cache: not primed, or evicted since",
                                "are not in the cache: not primed, or evicted since" },
        [JW_EXPORT_DAMAGED] = { "is damaged, or half-written (jitwarm status --check)",
                                "are damaged, or half-written (jitwarm status --check)" },
        [JW_EXPORT_UNREAD] = { "could not be read", "could not be read" },
        [JW_EXPORT_CHANGED] = { "was changed by another program meanwhile; export again",
                                "were changed by other programs meanwhile; export again" },
        [JW_EXPORT_CARRIED] = { "was carried over from an older driver (--include-carried)",
                                "were carried over from an older driver (--include-carried)" },
        [JW_EXPORT_FORGED] = { "was made by another compiler (--include-carried)",
                               "were made by another compiler (--include-carried)" },
    };
    bool first = true;

    for (size_t i = 0; i < JW_EXPORT_WHYS; i++) {
        const struct jw_export_sum *s = &p->left_out[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        if (!s->entries)
            continue;
        prime_say_count(&text, s->entries, "entry ", "entries ");
        jw_buf_text(&text, s->entries == 1 ? words[i].one : words[i].many);
        jw_page_line(&t->page, TINT_WARN, first ? "Left out" : "", &text);
        first = false;
    }
}

static void show_signature(struct showing *t, const struct jw_export_pack *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!p->written)
        return;
    if (t->v->key)
        jw_buf_printf(&text, "with key %s", t->v->key);
    if (p->signature) {
        jw_buf_text(&text, ": ");
        jw_text_clean(&text, jw_path_base(p->signature));
        jw_buf_text(&text, " beside the pack, and inside of it");
    }
    jw_page_line(&t->page, TINT_STRONG, "Signed", &text);
}

static void show_copy(struct showing *t, const struct jw_export_pack *p)
{
    if (p->kept)
        jw_page_whole(&t->page, TINT_FAINT, "Kept", p->kept);
}

static void show_digest(struct showing *t, const struct jw_export_pack *p)
{
    char hex[2 * JW_DIGEST + 1];

    if (!p->written)
        return;
    jw_digest_hex(hex, p->manifest_digest);
    jw_page_whole(&t->page, TINT_FAINT, "Contents", hex);
}

static void show_next(struct showing *t, const struct jw_export_pack *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!p->written || !p->path)
        return;
    jw_buf_text(&text, "jitwarm import ");
    jw_text_shell_word(&text, jw_path_base(p->path), jw_os_is_windows());
    jw_buf_text(&text, t->v->key ? " --trust KEY.pub" : " --allow-unsigned");
    jw_page_whole(&t->page, TINT_STRONG, "Use it", jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void show_pack(struct showing *t, const struct jw_export_pack *p)
{
    show_pack_head(t, p);
    show_for(t, p);
    show_origins(t, p, t->verbose ? SIZE_MAX : SCREEN_ORIGINS);
    show_left_out(t, p);
    show_signature(t, p);
    show_copy(t, p);
    show_digest(t, p);
    show_next(t, p);
}

/* ---- the page ---- */

static void show_notes(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_notes; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, t->r->notes[i]);
        jw_page_line(&t->page, TINT_FAINT, i ? "" : "Note", &text);
    }
    for (size_t i = 0; i < t->r->n_advice; i++)
        jw_page_whole(&t->page, TINT_STRONG, i ? "" : "To do", t->r->advice[i]);
}

static void show_stats(struct showing *t)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!t->v->stats)
        return;
    jw_text_bytes(&text, t->r->bytes_read);
    jw_buf_printf(&text, " of the cache read; %llu ms", (unsigned long long)t->r->milliseconds);
    jw_page_line(&t->page, TINT_FAINT, "Stats", &text);
}

static void show_page(struct showing *t)
{
    show_end(t);
    for (size_t i = 0; i < t->r->n_packs; i++)
        if (t->r->packs[i].written || t->v->dry_run)
            show_pack(t, &t->r->packs[i]);
    if (!t->r->n_packs && t->r->packs)
        show_left_out(t, t->r->packs);
    show_notes(t);
    show_stats(t);
    jw_page_simulated(&t->page, t->r->simulated);
}

/* Into `text`, for stderr. */
static void open_stderr(struct showing *t, struct cli *cli, struct jw_buf *text, struct jw_err *err)
{
    jw_page_open(&t->page, cli, LABEL, err);
    t->page.to = jw_sink_buf(text);
    t->page.paint = cli->messages.paint;
    t->page.columns = cli->messages.terminal ? cli->messages.columns : 0;
    if (t->page.columns)
        t->page.width = t->page.columns;
}

static bool close_stderr(struct showing *t, struct cli *cli, struct jw_buf *text)
{
    bool ok = !t->page.bad;

    jw_messages_progress_end(&cli->messages);
    if (ok && cli->messages.level != MESSAGES_QUIET)
        jw_messages_page(&cli->messages, jw_buf_cstr(text));
    jw_buf_free(text);
    return ok;
}

static struct showing showing_of(struct cli *cli, const struct export_view *v)
{
    return (struct showing){ .v = v, .r = v->report, .arena = cli->arena, .verbose = cli->common.verbose };
}

bool export_write_text(struct cli *cli, const struct export_view *v, struct jw_err *err)
{
    struct showing t = showing_of(cli, v);
    struct jw_buf to_stderr = JW_BUF(JW_MAX_PAGE);

    if (v->to_stderr)
        open_stderr(&t, cli, &to_stderr, err);
    else
        jw_page_open(&t.page, cli, LABEL, err);
    show_page(&t);
    return v->to_stderr ? close_stderr(&t, cli, &to_stderr) : !t.page.bad;
}

bool export_tell_listing(struct cli *cli, const struct export_view *v, struct jw_err *err)
{
    struct showing t = showing_of(cli, v);
    struct jw_buf to_stderr = JW_BUF(JW_MAX_PAGE);

    open_stderr(&t, cli, &to_stderr, err);
    for (size_t i = 0; i < t.r->n_packs; i++) {
        show_for(&t, &t.r->packs[i]);
        show_origins(&t, &t.r->packs[i], SIZE_MAX);
    }
    return close_stderr(&t, cli, &to_stderr);
}

/* 1 where nothing is to be packed: no pack was made. */
int export_exit(enum jw_end end)
{
    return end == JW_END_NOTHING ? EXIT_PARTLY : jw_cli_exit(end);
}
