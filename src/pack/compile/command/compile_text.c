#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "pack/compile/command/compile_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

enum { LABEL = 10, MOST_LOST = 4 };

static void show_head(struct jw_page *p, const struct offline_view *v)
{
    const struct jw_offline_report *r = &v->r;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool good = r->end == JW_END_DONE;

    if (r->end == JW_END_INTERRUPTED)
        jw_buf_text(&text, "Interrupted: nothing is left of it");
    else if (r->why) {
        jw_buf_text(&text, "Not done: ");
        jw_text_clean(&text, r->why);
    } else {
        jw_buf_text(&text, v->dry_run ? "Would compile " : "Compiled ");
        prime_say_count(&text, v->dry_run ? r->modules : r->compiled, "module", "modules");
        if (!v->dry_run && r->n_lost)
            jw_buf_printf(&text, " of %llu", (unsigned long long)r->modules);
        if (v->dry_run) {
            jw_buf_text(&text, " (");
            jw_text_bytes(&text, r->ptx_bytes);
            jw_buf_text(&text, " of PTX)");
        }
        jw_buf_printf(&text, " for sm_%u with %s %s", r->sm, r->compiler.name, r->compiler.version);
        if (!v->dry_run)
            jw_buf_printf(&text, " in %.1f s", (double)r->milliseconds / 1000);
    }
    jw_page_sentence(p, good ? TINT_STRONG : TINT_BAD, &text);
}

static void show_for(struct jw_page *p, const struct jw_offline_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "sm_%u, with the driver whose libcuda was built %s", r->sm,
                  jw_stamp_text(r->stamp).text);
    jw_page_line(p, TINT_STRONG, "For", &text);
}

static void show_lost(struct jw_page *p, const struct jw_offline_report *r, bool verbose)
{
    size_t shown = 0, most = verbose ? SIZE_MAX : MOST_LOST;

    for (; shown < r->n_lost && shown < most; shown++) {
        const struct jw_offline_lost *l = &r->lost[shown];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, jw_path_base(l->path));
        jw_buf_text(&text, ", ");
        jw_text_clean(&text, *l->kernel ? l->kernel : "a module without a kernel");
        jw_buf_text(&text, ": ");
        jw_text_clean(&text, l->why);
        jw_page_line(p, TINT_BAD, shown ? "" : "Not", &text);
    }
    if (shown < r->n_lost) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_buf_printf(&text, "and %zu more (--verbose lists all)", r->n_lost - shown);
        jw_page_line(p, TINT_NONE, "", &text);
    }
}

static void show_pack(struct jw_page *p, const struct jw_offline_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE), note = JW_BUF(JW_MAX_LINE);

    if (!r->path)
        return;
    jw_page_whole(p, TINT_STRONG, "Pack", r->path);
    jw_text_bytes(&text, r->pack.sum.bytes);
    jw_buf_text(&text, " of cache, ");
    jw_text_bytes(&text, r->pack.packed);
    jw_buf_text(&text, r->stored ? " packed, kept in the store" : " packed");
    jw_page_line(p, TINT_NONE, "", &text);
    jw_buf_text(
        &note,
        "made by a compiler that is not the driver's: import takes it only where the driver was seen to "
        "run such code rightly");
    jw_page_line(p, TINT_WARN, "Note", &note);
    jw_page_whole(p, TINT_STRONG, "To do", "on the target: jitwarm import PACK");
}

bool offline_write_text(struct cli *cli, const struct offline_view *v, struct jw_err *err)
{
    const struct jw_offline_report *r = &v->r;
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    show_head(&page, v);
    show_for(&page, r);
    show_lost(&page, r, cli->common.verbose);
    show_pack(&page, r);
    for (size_t i = 0; i < r->n_notes; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, r->notes[i]);
        jw_page_line(&page, TINT_FAINT, "Note", &text);
    }
    if (r->simulated)
        jw_page_put(
            &page,
            "simulated: the driver or the compiler is jitwarm's own simulated one; nothing here is about "
            "hardware\n");
    return !page.bad;
}
