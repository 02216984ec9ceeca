#include "prime/absent_gpus.h"

#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "facts/gpus.h"
#include "os/files/file.h"

/* Is a GPU here that has this number, UUID, name or architecture? prime refuses invalid names. */
static bool is_here(const char *text, const struct jw_probe_report *here)
{
    struct jw_gpu one;
    struct jw_err ignored;

    if (jw_gpu_is_of_machine(text) || jw_text_equal_nocase(text, "all"))
        return true;
    for (size_t i = 0; i < here->n_devices; i++)
        if (jw_gpu_means(text, &here->devices[i]))
            return true;
    if (!jw_gpu_parse(text, &one, &ignored))
        return true;
    for (size_t i = 0; i < here->n_devices; i++)
        if (here->devices[i].sm == one.sm)
            return true;
    return false;
}

bool jw_absent_gpus_split(struct jw_session *s, struct jw_texts *gpus, struct jw_texts *absent,
                          struct jw_arena *a, struct jw_err *err)
{
    const struct jw_probe_report *here;
    struct jw_texts all = *gpus, present;

    *absent = (struct jw_texts){ NULL, 0 };
    if (!gpus->n)
        return true;
    if (!jw_session_driver(s, &here, err))
        return false;
    if (here->broken || !here->n_devices)
        return true;
    present.items = jw_arena_alloc(a, (all.n + 1) * sizeof *present.items);
    absent->items = jw_arena_alloc(a, (all.n + 1) * sizeof *present.items);
    present.n = 0;
    for (size_t i = 0; i < all.n; i++) {
        struct jw_texts *to = is_here(all.items[i], here) ? &present : absent;

        to->items[to->n++] = all.items[i];
    }
    *gpus = present;
    return true;
}

const char *jw_absent_gpus_cache(struct jw_arena *a, struct jw_err *err)
{
    return jw_state_path(JW_STATE_ABSENT_GPUS, a, err);
}

const char *jw_absent_gpus_kept(struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;
    const char *path = jw_absent_gpus_cache(a, &ignored);

    return path && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_DIR ? path : NULL;
}
