#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "cli/page.h"
#include "pack/store/command/inspect_view.h"

#include <string.h>

enum { LABEL = 9, /* columns of "Unpacked " */ SCREEN_ORIGINS = 20 };

static void say_entries(struct jw_buf *out, uint64_t n)
{
    jw_text_count(out, n);
    jw_buf_text(out, n == 1 ? " entry" : " entries");
}

static void show_for(struct jw_page *p, const struct jw_pack_manifest *m)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "sm_%u on %s %s, driver %s", m->sm, m->os, m->arch,
                  m->driver ? m->driver : "unknown");
    jw_buf_printf(&text, ", libcuda of %.11s %s", m->stamp, m->stamp + 11);
    jw_page_line(p, TINT_STRONG, "For", &text);
}

static void show_made(struct jw_page *p, const struct jw_pack_manifest *m)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (m->date) {
        jw_buf_text(&text, "at ");
        jw_text_time(&text, (int64_t)m->date);
        jw_buf_printf(&text, ", number %llu, ", (unsigned long long)m->counter);
    }
    if (m->compiler && !m->driver)
        jw_buf_printf(&text, "by jitwarm %s, on a machine without that driver", m->tool);
    else
        jw_buf_printf(&text, "by jitwarm %s, which knew this driver's cache to level %u (%s)", m->tool,
                      m->level, jw_level_name((enum jw_level)m->level));
    jw_page_line(p, TINT_STRONG, "Made", &text);
}

static void show_size(struct jw_page *p, const struct inspect_view *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_entries(&text, v->seen.manifest.n_entries);
    jw_buf_text(&text, ", ");
    jw_text_bytes(&text, v->seen.tar_bytes);
    jw_buf_text(&text, " unpacked");
    jw_buf_text(&text, ", ");
    jw_text_bytes(&text, v->seen.bytes);
    jw_buf_text(&text, " packed");
    if (v->seen.manifest.n_entries > 1) {
        jw_buf_text(&text, "; the largest entry has ");
        jw_text_bytes(&text, v->largest);
    }
    jw_page_line(p, TINT_STRONG, "Holds", &text);
}

static void show_signed(struct jw_page *p, const struct inspect_view *v)
{
    const struct jw_pack_peeked *s = &v->seen;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    switch (s->signature) {
    case JW_PACK_SEEN_NONE: jw_buf_text(&text, "no"); break;
    case JW_PACK_SEEN_INSIDE:
    case JW_PACK_SEEN_BESIDE:
        if (s->key[0])
            jw_buf_printf(&text, "with key %s, by its own account", s->key);
        else
            jw_buf_text(&text, "there is a signature, which cannot be read");
        jw_buf_text(&text, s->signature == JW_PACK_SEEN_INSIDE ? " (signature in the pack)"
                                                               : " (.minisig beside it)");
        break;
    }
    jw_page_line(p, TINT_STRONG, "Signed", &text);
}

/* Entries that this driver did not compile itself are told, because its own check does not cover them. */
static void show_foreign(struct jw_page *p, const struct inspect_view *v)
{
    static const char *const how[INSPECT_MADE] = {
        [JW_PACK_CARRIED] = "carried over from an older driver", [JW_PACK_FORGED] = "made by another compiler"
    };

    const struct jw_pack_manifest *m = &v->seen.manifest;

    for (unsigned made = JW_PACK_CARRIED; made < INSPECT_MADE; made++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        if (!v->made[made].entries)
            continue;
        say_entries(&text, v->made[made].entries);
        jw_buf_text(&text, v->made[made].entries == 1 ? " was " : " were ");
        jw_buf_text(&text, how[made]);
        if (made == JW_PACK_FORGED && m->compiler)
            jw_buf_printf(&text, ", %s %s", m->compiler, m->compiler_version);
        jw_buf_text(&text, ", not compiled by the driver that the pack is for");
        jw_page_line(p, TINT_WARN, "Note", &text);
    }
}

static void show_origins(struct jw_page *p, struct cli *cli, const struct inspect_view *v)
{
    static const struct jw_column columns[] = { { "ENTRIES", COLUMN_RIGHT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "VERSION", COLUMN_LEFT },
                                                { "FROM", COLUMN_TEXT } };
    const struct jw_pack_manifest *m = &v->seen.manifest;
    size_t most = cli->answer.columns && !v->entries ? SCREEN_ORIGINS : SIZE_MAX, shown = 0;
    struct jw_table t;

    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i <= m->n_origins; i++) {
        const struct inspect_origin *o = i < m->n_origins ? &v->origins[i] : NULL;
        const struct inspect_sum *sum = o ? &o->sum : &v->unnamed;
        struct jw_buf size = JW_BUF(64), n = JW_BUF(64);

        if (!sum->entries || shown++ >= most)
            continue;
        jw_text_count(&n, sum->entries);
        jw_text_bytes(&size, sum->bytes);
        jw_table_cell(&t, TINT_NONE, jw_buf_cstr(&n));
        jw_table_cell(&t, TINT_NONE, jw_buf_cstr(&size));
        jw_table_cell(&t, TINT_FAINT, o && o->is.version ? o->is.version : "-");
        jw_table_cell(&t, o ? TINT_NONE : TINT_FAINT, o ? o->is.name : "software that is not named");
        jw_buf_free(&size);
        jw_buf_free(&n);
    }
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
    if (shown > most) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_buf_printf(&text, "and %zu more; --entries lists all", shown - most);
        jw_page_sentence(p, TINT_FAINT, &text);
    }
}

static void show_entries(struct jw_page *p, struct cli *cli, const struct inspect_view *v)
{
    static const struct jw_column columns[] = { { "ENTRY", COLUMN_LEFT },
                                                { "KEY", COLUMN_RIGHT },
                                                { "CODE", COLUMN_RIGHT },
                                                { "MADE", COLUMN_LEFT },
                                                { "FROM", COLUMN_TEXT } };
    const struct jw_pack_manifest *m = &v->seen.manifest;
    struct jw_table t;

    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < m->n_entries; i++) {
        const struct jw_pack_entry *e = &m->entries[i];

        jw_table_cell(&t, TINT_NONE, jw_cache_name(e->name).text);
        jw_table_cellf(&t, TINT_NONE, "%llu", (unsigned long long)e->key_bytes);
        jw_table_cellf(&t, TINT_NONE, "%llu", (unsigned long long)e->payload_bytes);
        jw_table_cell(&t, e->made ? TINT_WARN : TINT_FAINT, jw_pack_made_name(e->made));
        jw_table_cell(&t, TINT_NONE, e->origin == JW_PACK_NO_ORIGIN ? "-" : m->origins[e->origin].name);
    }
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

static void show_end(struct jw_page *p, const struct inspect_view *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_page_put(p, "\n");
    jw_buf_text(&text, "This is what the pack says of itself; nothing was verified. import verifies it, and "
                       "import --dry-run changes nothing.");
    jw_page_sentence(p, TINT_FAINT, &text);
    if (v->seen.manifest.simulated)
        jw_page_put(p, "simulated: the driver that made this was jitwarm's own simulated one; nothing here "
                       "is about hardware\n");
}

bool inspect_write_text(struct cli *cli, const struct inspect_view *v, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &v->seen.manifest;
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    jw_page_whole(&p, TINT_STRONG, "Pack", strcmp(v->file, "-") == 0 ? "standard input" : v->file);
    show_for(&p, m);
    show_made(&p, m);
    show_size(&p, v);
    show_signed(&p, v);
    show_foreign(&p, v);
    show_origins(&p, cli, v);
    if (v->entries)
        show_entries(&p, cli, v);
    show_end(&p, v);
    return !p.bad;
}
