#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/status/status.h"
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

static void show_export_end(struct showing *t)
{
    const char *what = t->v->pushes ? "Nothing was pushed" : "No pack was written";
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (t->r->run->end == JW_END_DONE || t->r->run->end == JW_END_PARTLY)
        return;
    if (t->r->run->end == JW_END_INTERRUPTED)
        what = t->v->pushes ? "Interrupted: nothing was pushed" : "Interrupted: no pack was written";
    for (size_t i = 0; i < t->r->n_packs; i++)
        if (t->r->packs[i].written)
            what = "Not all packs were written";
    jw_say(&text, "%s%s%s", what, t->r->run->why ? ": " : "", t->r->run->why ? t->r->run->why : "");
    jw_page_head(&t->page, tint_of_end(t->r->run->end), &text);
}

/* "Packed 143 entries (312 MiB) into 41 MiB" */
static void show_pack_head(struct showing *t, const struct jw_export_pack *p)
{
    jw_page_say(&t->page, p->written ? tint_of_end(t->r->run->end) : TINT_STRONG, NULL, "%s %s (%s)%s%s",
                p->written ? "Packed" : "Would pack", JW_N(p->sum.entries, "entry", "entries"),
                JW_SIZE(p->sum.bytes), p->packed ? " into " : "", p->packed ? JW_SIZE(p->packed) : "");
    if (p->manifest->kit.n_files)
        jw_page_say(&t->page, TINT_STRONG, "Others",
                    "%s of other caches than the driver's, which are programs",
                    JW_N(p->manifest->kit.n_files, "file", "files"));
    jw_page_whole(&t->page, TINT_STRONG, "Pack", "%s", p->path ? p->path : "standard output");
}

/* ---- one pack ---- */

static void show_for(struct showing *t, const struct jw_export_pack *p)
{
    const struct jw_export_report *r = t->r;

    jw_page_say(&t->page, TINT_STRONG, "For", "sm_%u and %s%s%s%s%s", p->sm,
                r->driver_version ? "driver " : "the driver", r->driver_version ? r->driver_version : "",
                r->stamp ? ", build of " : "", r->stamp ? jw_stamp_text(r->stamp).text : "",
                r->stamp ? " only" : "");
}

static void put_origin(struct showing *t, struct jw_table *table, const struct jw_export_origin *o)
{
    struct jw_buf kernels = JW_BUF(JW_MAX_LINE);

    jw_table_cell(table, TINT_NONE,
                  o->is.name      ? o->is.name
                  : t->r->command ? "(made while it runs)"
                                  : "(unknown)");
    jw_table_cell(table, TINT_NONE, o->is.version ? o->is.version : "");
    jw_table_cellf(table, TINT_NONE, "%llu", (unsigned long long)o->sum.entries);
    jw_table_cell_bytes(table, o->sum.bytes);
    for (size_t i = 0; i < o->n_kernels; i++)
        jw_say(&kernels, "%s%s", i ? ", " : "", o->kernels[i]);
    if (t->v->everything)
        jw_table_cell(table, TINT_FAINT, jw_buf_cstr(&kernels));
    jw_buf_free(&kernels);
}

static void show_origins(struct showing *t, const struct jw_export_pack *p, size_t max)
{
    static const struct jw_column columns[] = { { "SOFTWARE", COLUMN_LEFT },
                                                { "VERSION", COLUMN_LEFT },
                                                { "ENTRIES", COLUMN_RIGHT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "KERNELS", COLUMN_TEXT } };
    struct jw_table table;

    jw_table_begin(&table, t->arena, columns, t->v->everything ? 5 : 4);
    for (size_t i = 0; i < p->n_origins && i < max; i++)
        put_origin(t, &table, &p->origins[i]);
    jw_page_table(&t->page, &table);
    if (p->n_origins > max)
        jw_page_say(&t->page, TINT_NONE, NULL, "and of %zu more (--verbose lists all)", p->n_origins - max);
}

static void show_once(struct showing *t, const struct jw_export_pack *p)
{
    if (p->once)
        jw_page_say(&t->page, TINT_WARN, "Once",
                    "%s cannot be compiled again from here: import takes %s with a trusted signature only",
                    JW_N(p->once, "entry", "entries"), p->once == 1 ? "it" : "them");
}

static void show_left_out(struct showing *t, const struct jw_export_pack *p)
{
    static const struct {
        const char *one, *many;
    } words[JW_EXPORT_WHYS] = {
        [JW_EXPORT_MISSING] = { "is not in the cache: not primed, or evicted since",
                                "are not in the cache: not primed, or evicted since" },
        [JW_EXPORT_DAMAGED] = { "is damaged or half-written (jitwarm status --check)",
                                "are damaged or half-written (jitwarm status --check)" },
        [JW_EXPORT_UNREAD] = { "could not be read", "could not be read" },
        [JW_EXPORT_CHANGED] = { "was changed during the export; export again",
                                "were changed during the export; export again" },
        [JW_EXPORT_OTHERS] = { "is of another driver, or shows no GPU",
                               "are of another driver, or show no GPU" },
    };
    bool first = true;

    for (size_t i = 0; i < JW_EXPORT_WHYS; i++) {
        const struct jw_export_sum *s = &p->left_out[i];

        if (!s->entries)
            continue;
        jw_page_say(&t->page, TINT_WARN, first ? "Skipped" : "", "%s %s",
                    JW_N(s->entries, "entry", "entries"), s->entries == 1 ? words[i].one : words[i].many);
        first = false;
    }
}

static void show_signature(struct showing *t, const struct jw_export_pack *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!p->written)
        return;
    if (t->v->key)
        jw_say(&text, "with key %s", t->v->key);
    if (p->signature)
        jw_say(&text, ": %s beside the pack, and in it", jw_path_base(p->signature));
    jw_page_line(&t->page, TINT_STRONG, "Signed", &text);
}

/* It works on any machine of this kind, also where jitwarm does not find the software by itself. */
static void show_import_command(struct showing *t, const struct jw_export_pack *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!p->written || !p->path)
        return;
    jw_command_line(&text, (const char *const[]){ "jitwarm", "import", jw_path_base(p->path), NULL },
                    jw_os_is_windows());
    if (t->v->key)
        jw_say(&text, " --trust %s", t->v->public_key);
    else
        jw_buf_text(&text, " --allow-unsigned");
    jw_buf_text(&text, " --everything");
    jw_page_whole(&t->page, TINT_STRONG, "Use it", "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void show_export_pack(struct showing *t, const struct jw_export_pack *p)
{
    show_pack_head(t, p);
    show_for(t, p);
    show_origins(t, p, t->verbose ? SIZE_MAX : SCREEN_ORIGINS);
    show_once(t, p);
    show_left_out(t, p);
    show_signature(t, p);
    if (p->written)
        jw_page_rows(&t->page, TINT_FAINT, export_pack_rows, p);
    show_import_command(t, p);
}

/* ---- the page ---- */

static void show_page(struct showing *t)
{
    const struct jw_run *run = t->r->run;

    show_export_end(t);
    for (size_t i = 0; i < t->r->n_packs; i++)
        if (t->r->packs[i].written || t->v->dry_run)
            show_export_pack(t, &t->r->packs[i]);
    if (!t->r->n_packs && t->r->packs)
        show_left_out(t, t->r->packs);
    jw_page_rows(&t->page, TINT_FAINT, jw_run_notes, run);
    jw_page_advice(&t->page, run->advice.v, run->advice.n);
    if (t->v->stats)
        jw_page_say(&t->page, TINT_FAINT, "Stats", "%s of the cache read; %llu ms", JW_SIZE(t->r->bytes_read),
                    (unsigned long long)run->milliseconds);
    jw_page_end(&t->page, t->r->stamp);
}

static struct showing showing_of(struct cli *cli, const struct export_view *v)
{
    return (struct showing){ .v = v, .r = v->report, .arena = cli->arena, .verbose = cli->common.verbose };
}

bool export_write_text(struct cli *cli, const struct export_view *v, struct jw_err *err)
{
    struct showing t = showing_of(cli, v);

    (v->to_stderr ? jw_page_open_stderr : jw_page_open)(&t.page, cli, LABEL, err);
    show_page(&t);
    return jw_page_close(&t.page, cli);
}

bool export_print_listing(struct cli *cli, const struct export_view *v, struct jw_err *err)
{
    struct showing t = showing_of(cli, v);

    jw_page_open_stderr(&t.page, cli, LABEL, err);
    for (size_t i = 0; i < t.r->n_packs; i++) {
        show_for(&t, &t.r->packs[i]);
        show_origins(&t, &t.r->packs[i], SIZE_MAX);
    }
    return jw_page_close(&t.page, cli);
}

int export_exit(enum jw_end end)
{
    return end == JW_END_NOTHING ? EXIT_PARTLY : jw_cli_exit(end);
}
