#include "software/find/run_time.h"

#include "base/path.h"
#include "base/text.h"
#include "software/find/pyinfo.h"

const struct jw_run_time *jw_run_time_find(const char *package)
{
    size_t n;
    const struct jw_run_time *packages = jw_run_time_packages(&n);

    for (size_t i = 0; i < n; i++)
        if (jw_pyname_equal(packages[i].name, package))
            return &packages[i];
    return NULL;
}

static void note(const char *folder, struct jw_arena *a, struct jw_notes *out)
{
    const struct jw_run_time *is;
    struct jw_pyname py;
    const char *text;

    if (!jw_pyinfo_folder(folder, &py)
        || !(is = jw_run_time_find(jw_arena_text(a, (const char *)py.name.p, py.name.n))))
        return;
    text = jw_arena_printf(a, "%s %.*s", is->name, (int)py.version.n, (const char *)py.version.p);
    if (!jw_text_among(text, out->v, out->n))
        jw_note(out, a, "%s", text);
}

void jw_run_time_here(const struct jw_discovery *d, struct jw_arena *a, struct jw_notes *out)
{
    for (size_t i = 0; i < d->n_roots; i++) {
        struct jw_notes ignored = { 0 };

        if (!jw_pyinfo_is_site(jw_path_base(d->roots[i].path)))
            continue;
        const struct jw_listing found = jw_listing_read(d->roots[i].path, "*.dist-info", a, &ignored);

        for (size_t k = 0; k < found.n; k++)
            note(found.names[k], a, out);
    }
}
