#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "pack/compile/command/compile_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

enum { LABEL = 10, MOST_LOST = 4 };

static void show_compile_head(struct jw_page *p, const struct offline_view *v)
{
    const struct jw_offline_report *r = &v->r;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->run->end == JW_END_INTERRUPTED)
        jw_say(&text, "Interrupted: nothing was written");
    else if (r->run->why)
        jw_say(&text, "Not done: %s", r->run->why);
    else if (v->dry_run)
        jw_say(&text, "Would compile %s (%s of PTX)", JW_N(r->modules, "module", "modules"),
               JW_SIZE(r->ptx_bytes));
    else {
        jw_say(&text, "Compiled %s", JW_N(r->compiled, "module", "modules"));
        if (r->n_lost)
            jw_say(&text, " of %llu", (unsigned long long)r->modules);
    }
    if (r->run->end != JW_END_INTERRUPTED && !r->run->why) {
        jw_say(&text, " for sm_%u with %s %s", r->sm, r->compiler.name, r->compiler.version);
        if (!v->dry_run)
            jw_buf_printf(&text, " in %.1f s", (double)r->run->milliseconds / 1000);
    }
    jw_page_head(p, r->run->end == JW_END_DONE ? TINT_STRONG : TINT_BAD, &text);
}

static void show_lost(struct jw_page *p, const struct jw_offline_report *r, bool verbose)
{
    size_t shown = 0, most = verbose ? SIZE_MAX : MOST_LOST;

    for (; shown < r->n_lost && shown < most; shown++) {
        const struct jw_offline_lost *l = &r->lost[shown];

        jw_page_say(p, TINT_BAD, shown ? "" : "Not", "%s, %s: %s", jw_path_base(l->path),
                    *l->kernel ? l->kernel : "a module without kernels", l->why);
    }
    if (shown < r->n_lost)
        jw_page_say(p, TINT_NONE, "", "and %zu more (--verbose lists all)", r->n_lost - shown);
}

static void show_compiled_pack(struct jw_page *p, const struct jw_offline_report *r)
{
    if (!r->path)
        return;
    jw_page_whole(p, TINT_STRONG, "Pack", "%s", r->path);
    jw_page_say(p, TINT_NONE, "", "%s of cache, %s packed%s", JW_SIZE(r->pack.sum.bytes),
                JW_SIZE(r->pack.packed), r->stored ? ", kept in the store" : "");
    jw_page_say(
        p, TINT_WARN, "Note",
        "compiled by a toolkit, not by the driver: import first tests that the target's driver runs it "
        "correctly");
    jw_page_whole(p, TINT_STRONG, "To do", "on the target: jitwarm import PACK");
}

bool offline_write_text(struct cli *cli, const struct offline_view *v, struct jw_err *err)
{
    const struct jw_offline_report *r = &v->r;
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    show_compile_head(&page, v);
    jw_page_say(&page, TINT_STRONG, "For", "sm_%u and the driver build of %s", r->sm,
                jw_stamp_text(r->stamp).text);
    show_lost(&page, r, cli->common.verbose);
    show_compiled_pack(&page, r);
    for (size_t i = 0; i < r->run->notes.n; i++)
        jw_page_say(&page, TINT_FAINT, "Note", "%s", r->run->notes.v[i]);
    jw_page_end(&page, r->stamp);
    return !page.bad;
}
