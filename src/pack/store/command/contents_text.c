#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "pack/store/command/store_view.h"

#include <string.h>

enum { LABEL = 9, /* columns of "Unpacked " */ SCREEN_ORIGINS = 20 };

static void show_for(struct jw_page *p, const struct jw_pack_manifest *m)
{
    jw_page_say(p, TINT_STRONG, "For", "sm_%u on %s %s, driver %s, build of %s", m->sm, m->os, m->arch,
                m->driver ? m->driver : "unknown", jw_stamp_text(m->stamp).text);
}

static void show_made(struct jw_page *p, const struct jw_pack_manifest *m)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_say(&text, "by jitwarm %s", m->tool);
    jw_page_line(p, TINT_STRONG, "Made", &text);
}

static void show_size(struct jw_page *p, const struct contents_view *v)
{
    size_t n = v->seen.manifest.n_entries;

    jw_page_say(p, TINT_STRONG, "Holds", "%s, %s unpacked, %s packed%s%s", JW_N(n, "entry", "entries"),
                JW_SIZE(v->seen.tar_bytes), JW_SIZE(v->seen.bytes), n > 1 ? "; the largest entry has " : "",
                n > 1 ? JW_SIZE(v->largest) : "");
}

static void show_signed(struct jw_page *p, const struct contents_view *v)
{
    const struct jw_pack_peeked *s = &v->seen;

    if (s->signature == JW_PACK_SEEN_NONE)
        jw_page_say(p, TINT_STRONG, "Signed", "no");
    else
        jw_page_say(p, TINT_STRONG, "Signed", "%s%s%s %s", s->key[0] ? "with key " : "", s->key,
                    s->key[0] ? ", not verified" : "there is a signature, which cannot be read",
                    s->signature == JW_PACK_SEEN_INSIDE ? "(signature in the pack)" : "(.minisig beside it)");
}

static void show_origins(struct jw_page *p, struct cli *cli, const struct contents_view *v)
{
    static const struct jw_column columns[] = { { "ENTRIES", COLUMN_RIGHT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "VERSION", COLUMN_LEFT },
                                                { "FROM", COLUMN_TEXT } };
    const struct jw_pack_manifest *m = &v->seen.manifest;
    size_t max = cli->out.columns && !v->entries ? SCREEN_ORIGINS : SIZE_MAX, shown = 0;
    struct jw_table t;

    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i <= m->n_origins; i++) {
        const struct contents_origin *o = i < m->n_origins ? &v->origins[i] : NULL;
        const struct contents_sum *sum = o ? &o->sum : &v->unnamed;

        if (!sum->entries || shown++ >= max)
            continue;
        jw_table_cell_count(&t, sum->entries);
        jw_table_cell_bytes(&t, sum->bytes);
        jw_table_cell(&t, TINT_FAINT, o && o->is.version ? o->is.version : "-");
        jw_table_cell(&t, o ? TINT_NONE : TINT_FAINT, o ? o->is.name : "unknown software");
    }
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
    if (shown > max)
        jw_page_say(p, TINT_FAINT, NULL, "and %zu more; --verbose lists all", shown - max);
}

static void show_entries(struct jw_page *p, struct cli *cli, const struct contents_view *v)
{
    static const struct jw_column columns[] = {
        { "ENTRY", COLUMN_LEFT }, { "KEY", COLUMN_RIGHT }, { "CODE", COLUMN_RIGHT }, { "FROM", COLUMN_TEXT }
    };
    const struct jw_pack_manifest *m = &v->seen.manifest;
    struct jw_table t;

    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < m->n_entries; i++) {
        const struct jw_pack_entry *e = &m->entries[i];

        jw_table_cell(&t, TINT_NONE, jw_cache_name(e->name).text);
        jw_table_cellf(&t, TINT_NONE, "%llu", (unsigned long long)e->key_bytes);
        jw_table_cellf(&t, TINT_NONE, "%llu", (unsigned long long)e->payload_bytes);
        jw_table_cell(&t, TINT_NONE, e->origin == JW_PACK_NO_ORIGIN ? "-" : m->origins[e->origin].name);
    }
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

static void show_not_verified(struct jw_page *p, const struct contents_view *v)
{
    jw_page_put(p, "\n");
    jw_page_say(p, TINT_FAINT, NULL,
                "Not verified; jitwarm import --dry-run verifies a pack without changing anything.");
    jw_page_end(p, v->seen.manifest.stamp);
}

bool contents_write_text(struct cli *cli, const struct contents_view *v, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &v->seen.manifest;
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    jw_page_whole(&p, TINT_STRONG, "Pack", "%s", strcmp(v->file, "-") == 0 ? "standard input" : v->file);
    show_for(&p, m);
    show_made(&p, m);
    show_size(&p, v);
    show_signed(&p, v);
    show_origins(&p, cli, v);
    if (v->entries)
        show_entries(&p, cli, v);
    show_not_verified(&p, v);
    return !p.bad;
}
