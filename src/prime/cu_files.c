#include "prime/cu_files.h"

#include "base/limits.h"
#include "base/text.h"
#include "facts/gpus.h"
#include "machine/listing.h"
#include "memory/state_folder.h"

#include <string.h>

static bool is_source(const char *path)
{
    return jw_text_ends(path, ".cu");
}

static bool choose_arch(struct jw_session *s, const struct jw_texts *gpus, unsigned *sm, unsigned *cuda,
                        struct jw_err *err)
{
    const struct jw_probe_report *here;
    struct jw_gpu gpu;
    struct jw_err ignored;

    *sm = *cuda = 0;
    for (size_t i = 0; i < gpus->n; i++)
        if (!jw_gpu_is_index(gpus->items[i]) && jw_gpu_parse(gpus->items[i], &gpu, &ignored)
            && (!*sm || gpu.sm < *sm))
            *sm = gpu.sm;
    if (*sm)
        return true;
    if (!jw_session_driver(s, &here, err))
        return false;
    for (size_t i = 0; i < here->n_devices; i++)
        if (!*sm || here->devices[i].sm < *sm)
            *sm = here->devices[i].sm;
    *cuda = here->driver.cuda_version;
    return *sm || jw_fail(err, JW_E_DRIVER, "no usable GPU here; name one with --gpu sm_86");
}

static bool compile_file(const struct jw_nvrtc_options *o, struct jw_arena *a, struct jw_nvrtc_report *report,
                         struct jw_err *err)
{
    struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN);
    bool ok = jw_nvrtc_compile(o, a, &ptx, report, err);

    jw_buf_free(&ptx);
    return ok;
}

bool jw_cu_compile(struct jw_session *s, struct jw_texts *paths, const struct jw_texts *gpus,
                   struct jw_arena *a, struct jw_cu_report *out, struct jw_err *err)
{
    unsigned sm, cuda;
    size_t n = 0;

    *out = (struct jw_cu_report){ NULL, 0 };
    for (size_t i = 0; i < paths->n; i++)
        n += is_source(paths->items[i]);
    if (!n)
        return true;

    const char *keep = jw_state_path(JW_STATE_SOURCES, a, err);
    const char **items = jw_arena_copy(a, paths->items, paths->n * sizeof *items);

    if (!keep || !choose_arch(s, gpus, &sm, &cuda, err))
        return false;
    out->v = jw_arena_alloc(a, n * sizeof *out->v);
    for (size_t i = 0; i < paths->n; i++) {
        const struct jw_nvrtc_options o = { .source = items[i],
                                            .target.sm = (uint16_t)sm,
                                            .driver_cuda = cuda,
                                            .keep = keep,
                                            .interrupted = s->interrupted };

        if (!is_source(items[i]))
            continue;
        if (jw_is_absent(items[i]))
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", items[i]);
        out->v[out->n++].path = items[i];
        if (!compile_file(&o, a, &out->v[out->n - 1].report, err))
            return false;
        items[i] = out->v[out->n - 1].report.kept;
    }
    paths->items = items;
    return true;
}
