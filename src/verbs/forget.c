#include "verbs/forget.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cli/page.h"

#define R struct jw_forget_report

static const struct jw_row memory[] = {
    { JW_ROW("folder", R, state_dir), JW_NULLABLE, JW_LABEL("State") },
    { JW_ROW("caches", R, roots) },
    { JW_ROW("drivers", R, drivers) },
    { JW_ROW("others", R, others) },
    { JW_ROW("bytes", R, state_bytes) },
    { 0 },
};

static const struct jw_row store[] = {
    { JW_ROW("folder", R, store_dir), JW_NULLABLE, JW_LABEL("Store") },
    { JW_ROW("packs", R, store.packs) },
    { JW_ROW("bytes", R, store.bytes) },
    { 0 },
};

const struct jw_row forget_rows[] = {
    { JW_SUB_OF("records", memory) },
    { JW_SUB_OF("store", store) },
    { JW_PART_AT(R, run, jw_run_notes) },
    { 0 },
};

static void say_count(struct jw_buf *out, uint64_t n, const char *one, const char *many)
{
    if (!n)
        return;
    if (out->n)
        jw_buf_text(out, ", ");
    jw_say(out, "%s", JW_N(n, one, many));
}

static void show_place(struct jw_page *p, const struct jw_row *rows, const R *r, struct jw_buf *what)
{
    if (*(const char *const *)((const char *)r + rows->at))
        jw_page_rows(p, TINT_STRONG, rows, r);
    else
        jw_page_say(p, TINT_STRONG, rows->label, "no folder");
    if (!what->n)
        jw_buf_text(what, "nothing");
    jw_page_line(p, TINT_NONE, "", what);
}

static void show_state(struct jw_page *p, const struct jw_forget_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->roots, "cache record", "cache records");
    say_count(&text, r->drivers, "driver record", "driver records");
    say_count(&text, r->others, "other file or folder", "other files and folders");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->state_bytes));
    show_place(p, memory, r, &text);
}

static void show_store_place(struct jw_page *p, const struct jw_forget_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->store.packs, "pack", "packs");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->store.bytes));
    show_place(p, store, r, &text);
}

void forget_show_places(struct jw_page *p, const struct jw_forget_report *r)
{
    show_state(p, r);
    show_store_place(p, r);
}

void forget_show_notes(struct jw_page *p, const struct jw_forget_report *r)
{
    for (size_t i = 0; i < r->run->notes.n; i++)
        jw_page_say(p, TINT_WARN, NULL, "* %s", r->run->notes.v[i]);
}
