#include "software/scan/scan_code.h"

#include "base/arena.h"
#include "base/sort.h"
#include "software/scan/scan_work.h"

#include <string.h>

struct listing { /* one thread alone */
    struct scan_code *out;
    struct jw_arena *a;
    uint64_t max;
    atomic_bool stop;
};

static bool add_path(struct listing *l, const char ***list, size_t *n, const char *path, struct jw_err *err)
{
    const char **one = jw_list_add(l->a, list, n, sizeof *one, JW_MAX_LISTED, err);

    if (one)
        *one = jw_arena_str(l->a, path);
    return one != NULL;
}

static bool see_code(void *ctx, struct scan_worker *w, const struct scan_subject *subject,
                     struct jw_image *image, struct jw_err *err)
{
    struct listing *l = ctx;

    (void)w;
    (void)image;
    return add_path(l, &l->out->files, &l->out->n_files, subject->disk_path, err);
}

static bool visit(void *ctx, struct scan_worker *w, const char *path, const struct jw_file_info *info,
                  uint64_t names, struct jw_err *err)
{
    struct listing *l = ctx;

    (void)w;
    (void)names;
    return info->kind != JW_FILE_DIR || add_path(l, &l->out->folders, &l->out->n_folders, path, err);
}

static void count_walked(void *ctx, const struct jw_scan_progress *p)
{
    struct listing *l = ctx;

    if (l->max && p->files + p->folders > l->max)
        atomic_store(&l->stop, true);
}

/* A file with several members was seen several times. */
static void sort_files(struct scan_code *out)
{
    size_t kept = 0;

    jw_sort(out->files, out->n_files, sizeof *out->files, jw_by_text);
    for (size_t i = 0; i < out->n_files; i++)
        if (!kept || strcmp(out->files[kept - 1], out->files[i]) != 0)
            out->files[kept++] = out->files[i];
    out->n_files = kept;
}

bool scan_code_find(const struct jw_scan_root *roots, size_t n_roots, uint64_t max, struct jw_arena *a,
                    struct scan_code *out, struct jw_err *err)
{
    struct listing l = { .out = out, .a = a, .max = max };
    const struct scan_hook hook = { .see = see_code, .ctx = &l, .visit = visit };
    const struct jw_scan_options o = { .roots = roots,
                                       .n_roots = n_roots,
                                       .jobs = 1,
                                       .interrupted = &l.stop,
                                       .progress = count_walked,
                                       .progress_ctx = &l };
    struct jw_scan_report report;

    *out = (struct scan_code){ 0 };
    atomic_init(&l.stop, false);
    bool ok = scan_with(&o, &hook, &report, err);

    for (size_t i = 0; ok && i < report.n_skipped; i++)
        ok = add_path(&l, &out->files, &out->n_files, report.skipped[i].path, err);
    if (ok)
        jw_scan_free(&report);
    if (ok || atomic_load(&l.stop)) {
        bool too_many = atomic_load(&l.stop);

        if (too_many)
            *out = (struct scan_code){ .too_many = true };
        sort_files(out);
        return true;
    }
    return false;
}
