#include "cache/prune/repair.h"

#include "cache/change/prune_remove.h"
#include "cache/place/cachedir.h"
#include "os/files/file.h"

#include <string.h>

static bool cannot(struct jw_repair *out, const struct jw_err *why, struct jw_arena *a, struct jw_err *err)
{
    if (why->code == JW_E_INTERRUPTED) {
        *err = *why;
        return false;
    }
    out->end = JW_REPAIR_CANNOT;
    out->why = jw_arena_str(a, why->msg);
    return true;
}

/* The lock of one jitwarm on a cache; then the driver's own, for a moment. */
static bool repair(const char *root, const atomic_bool *interrupted, struct jw_repair *out,
                   struct jw_err *err)
{
    struct jw_warm_log *log = NULL;
    struct jw_warm_holder holder = { 0 };
    bool ok = jw_warm_open(root, &log, &holder, err);

    if (ok && !log) {
        out->end = JW_REPAIR_BUSY;
        out->why = "another jitwarm is at work on this cache; try again when it is done";
    } else if (ok) {
        ok = prune_heal(root, log, interrupted, &out->healed, err)
             && (out->healed.needed || !out->healed.damage[0]
                 || jw_fail(err, JW_E_IO, "%s/index: %.250s", root, out->healed.damage));
        out->end = out->healed.done ? JW_REPAIR_DONE : JW_REPAIR_SOUND;
    }
    jw_warm_close(log);
    return ok;
}

bool jw_cache_repair(const char *cache, const atomic_bool *interrupted, struct jw_arena *a,
                     struct jw_repair *out, struct jw_err *err)
{
    struct jw_cachedir dir = { 0 };
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_err why = { 0 };

    *out = (struct jw_repair){ .end = JW_REPAIR_SOUND };
    jw_cachedir_find(cache, a, &dir);
    out->root = dir.root;
    if (!dir.root || (jw_file_stat(dir.root, &info, &why) && info.kind == JW_FILE_NONE))
        return true; /* no cache, no index */
    return (why.code == JW_OK && repair(dir.root, interrupted, out, &why)) || cannot(out, &why, a, err);
}
