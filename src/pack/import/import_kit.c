/* Files of other caches than the driver's. They are programs: only a trusted signature brings them in. */
#include "base/text.h"
#include "pack/import/import_work.h"

/* prime imports packs of the store without being asked, and another cache (--cache) is no place for them. */
static bool is_for_entries(const struct import *im)
{
    return im->o->entries_only || im->o->from_own_store || im->run->session->cache
           || !im->manifest->kit.n_files;
}

static void note_skipped(const struct import *im)
{
    size_t n = im->out->kit_skipped = im->manifest->kit.n_files;

    if (n)
        JW_NOTE(im->run,
                "skipped %s of other caches: only jitwarm import PACK, of one pack and without --cache, "
                "places them",
                JW_N(n, "file", "files"));
}

bool import_look_kit(struct import *im, struct jw_err *err)
{
    const struct jw_kit *kit = &im->manifest->kit;

    if (is_for_entries(im)) {
        note_skipped(im);
        return true;
    }
    if (im->verdict.kind != JW_PACK_SIGNED)
        return import_end(
            im, JW_END_REFUSED,
            "it holds %s for other caches than the driver's, which are programs: only the signature of "
            "a key that you trust lets them in, and --allow-unsigned does not",
            JW_N(kit->n_files, "file", "files"));
    bool ok = jw_kit_place_begin(&im->kit, kit, !im->o->dry_run, im->o->yes, im->run->a, err);

    im->out->kit = jw_kit_place_sums(im->kit, &im->out->n_kit);
    return ok;
}

bool import_stage_kit(void *ctx, size_t file, struct jw_bytes bytes, struct jw_err *err)
{
    struct import *im = ctx;

    return !im->kit || jw_kit_place_file(im->kit, file, bytes, err);
}

bool import_place_kit(struct import *im, struct jw_err *err)
{
    if (!im->kit)
        return true;
    return jw_kit_place_all(im->kit, err)
           && (!im->manifest->command
               || jw_kit_remember(im->manifest->command, &(struct jw_kit_record){ .kit = im->manifest->kit },
                                  im->run->a, err));
}
