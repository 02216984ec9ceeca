/* The kit of a command: recorded by prime --run, and packed as it is now. */
#include "base/text.h"
#include "facts/compilers.h"
#include "pack/export/export_work.h"

static void note_caches(struct export *x)
{
    for (size_t c = 0; c < x->kit.n_caches; c++) {
        const struct jw_kit_cache *of = &x->kit.caches[c];
        const struct jw_kit_count n = jw_kit_count(&x->kit, c, x->run->a);
        const char *owner = jw_compiler_cache_owner(of->name);

        if (n.files)
            export_note(x, "%s: %s (%s) of its cache in the pack", owner, JW_N(n.files, "file", "files"),
                        JW_SIZE(n.bytes));
        if (of->databases)
            export_note(
                x,
                "%s keeps a database, which is not in the pack, for no file shows what of it is used: "
                "another machine makes it again",
                owner);
    }
}

/* The folders of its files must be this user's own, as for import, so that no file of another user is
 * signed. */
bool export_find_kit(struct export *x, struct jw_err *err)
{
    struct jw_kit_record r;

    if (!x->o->command || x->o->by_origin || x->run->session->cache)
        return true;
    if (!jw_kit_recall(x->o->command, x->run->a, &r, err) || !jw_kit_refresh(&r.kit, x->run->a, err))
        return false;
    x->kit = r.kit;
    if (!x->kit.n_files) {
        note_caches(x);
        x->kit = (struct jw_kit){ 0 };
        return true;
    }
    if (!x->o->key && !x->o->dry_run) {
        export_note(x,
                    "skipped %s of other caches: they are programs, which import takes of signed packs only; "
                    "--sign KEY packs them",
                    JW_N(x->kit.n_files, "file", "files"));
        x->kit = (struct jw_kit){ 0 };
        return true;
    }
    note_caches(x);
    return true;
}

bool export_read_kit(void *ctx, size_t file, uint8_t *dst, size_t n, struct jw_err *err)
{
    struct export *x = ctx;

    return jw_kit_read(&x->kit, file, dst, n, x->run->a, err);
}
