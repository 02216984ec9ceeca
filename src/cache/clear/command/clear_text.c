#include "base/limits.h"
#include "base/text.h"
#include "cache/clear/command/clear_view.h"
#include "cli/page.h"

enum { LABEL = 9 };

static void say_count(struct jw_buf *out, uint64_t n, const char *one, const char *many)
{
    if (!n)
        return;
    if (out->n)
        jw_buf_text(out, ", ");
    jw_say(out, "%s", JW_N(n, one, many));
}

static void show_place(struct jw_page *p, const char *label, const char *path, struct jw_buf *what)
{
    if (path)
        jw_page_whole(p, TINT_STRONG, label, path);
    if (!what->n)
        jw_buf_text(what, "nothing");
    jw_page_line(p, TINT_NONE, "", what);
}

static void show_state(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->roots, "cache that is remembered", "caches that are remembered");
    say_count(&text, r->drivers, "driver", "drivers");
    say_count(&text, r->others, "log or folder of work", "logs and folders of work");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->state_bytes));
    show_place(p, "Memory", r->state_dir, &text);
}

static void show_store(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->store.packs, "pack", "packs");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->store.bytes));
    show_place(p, "Store", r->store_dir, &text);
}

static void show_cache(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->root)
        return;
    say_count(&text, r->cache.entries, "entry", "entries");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->cache.bytes));
    show_place(p, "Cache", r->root, &text);
}

void clear_tell_places(struct jw_page *p, const struct jw_clear_report *r)
{
    show_cache(p, r);
    show_state(p, r);
    show_store(p, r);
}

void clear_tell_notes(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < r->notes.n; i++) {
        jw_say(&text, "* %s", r->notes.v[i]);
        jw_page_sentence(p, TINT_WARN, &text);
        jw_buf_clear(&text);
    }
}

static const char *last_word(const struct jw_clear_report *r)
{
    switch (r->end) {
    case JW_END_NOTHING: return "There is nothing to remove.";
    case JW_END_TOLD: return "All of this would go.";
    case JW_END_DONE: return "All of this is gone.";
    case JW_END_PARTLY: return "This is gone, and some is left.";
    default: return "";
    }
}

bool clear_write_text(struct cli *cli, const struct jw_clear_report *r, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    if (r->end == JW_END_BUSY || r->end == JW_END_CANNOT_WRITE || r->end == JW_END_INTERRUPTED)
        return true;
    clear_tell_places(&p, r);
    jw_page_put(&p, "\n");
    clear_tell_notes(&p, r);
    jw_buf_text(&text, last_word(r));
    jw_page_sentence(&p, TINT_NONE, &text);
    return !p.bad;
}
