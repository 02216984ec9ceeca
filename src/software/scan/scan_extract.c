/* Writes decoded payloads to DIR/FILE/m00012.e03.compute_80.ptx, with the numbers of module and entry. Leaves out NVVM
 * code, which is obfuscated. */
#include "base/limits.h"
#include "base/path.h"
#include "formats/fatbin_unpack.h"
#include "os/files/dir.h"
#include "software/scan/scan_work.h"

#include <stdio.h>
#include <string.h>

/* DIR must be new or empty, so that nothing is overwritten. */
bool scan_extract_begin(const struct scan *s, struct jw_err *err)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    bool more = false;

    if (!s->o->extract)
        return true;
    if (!jw_make_dirs(s->o->extract, err) || !jw_dir_open(&dir, s->o->extract, err))
        return jw_wrap(err, "%s", s->o->extract);
    bool ok = jw_dir_next(dir, &e, &more, err);

    jw_dir_close(dir);
    if (ok && more)
        return jw_fail(err, JW_E_IO, "%s is not empty; --extract overwrites nothing: name a new folder",
                       s->o->extract);
    return ok;
}

/* PTX ends with NUL bytes that are not text: zeros are held back until other bytes follow. */
struct text_sink {
    struct jw_out *out;
    uint64_t zeros;
    bool text, failed; /* `failed`: writing failed */
};

static bool write_out(struct text_sink *t, const void *p, size_t n, struct jw_err *err)
{
    t->failed |= !jw_out_write(t->out, p, n, err);
    return !t->failed;
}

static bool put_zeros(struct text_sink *t, struct jw_err *err)
{
    static const char zeros[64];

    while (t->zeros) {
        size_t n = t->zeros < sizeof zeros ? (size_t)t->zeros : sizeof zeros;

        if (!write_out(t, zeros, n, err))
            return false;
        t->zeros -= n;
    }
    return true;
}

static bool put_payload(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct text_sink *t = ctx;
    const char *bytes = p;
    size_t end = n;

    if (!t->text)
        return write_out(t, p, n, err);
    while (end && bytes[end - 1] == '\0')
        end--;
    if (end && !(put_zeros(t, err) && write_out(t, bytes, end, err)))
        return false;
    t->zeros += n - end;
    return true;
}

static const char *extension(unsigned kind)
{
    return kind == JW_KIND_PTX || kind == JW_KIND_RELOC_PTX ? "ptx" : kind == JW_KIND_ELF ? "cubin" : "bin";
}

/* Writes one payload. A payload that cannot be decoded is a problem of the image; a full disk is an error. */
static bool write_payload(const struct scan_subject *subject, struct jw_image *image,
                          const struct jw_fat_entry *e, const char *path, uint64_t *written,
                          struct jw_err *err)
{
    struct jw_out out = { 0 };
    struct text_sink text = { .out = &out, .text = e->kind == JW_KIND_PTX || e->kind == JW_KIND_RELOC_PTX };
    struct jw_err why;
    bool whole;

    if (!jw_out_open(&out, path, JW_OUT_NEW, err))
        return jw_wrap(err, "%s", path);
    whole = jw_fat_unpack(&subject->src, e, (struct jw_sink){ put_payload, &text }, &why);
    if (jw_out_close(&out, whole, err))
        (*written)++;
    else if (whole)
        return jw_wrap(err, "%s", path);
    else if (text.failed)
        return *err = why, jw_wrap(err, "%s", path);
    else
        jw_problem(&image->problems, "%s", why.msg);
    return true;
}

/* DIR/NAME, or DIR/NAME-2 and so on if two files have the same name. */
static char *folder_for(const struct scan_subject *subject, const char *dir, struct jw_arena *a,
                        struct jw_err *err)
{
    struct jw_file_info info;
    char name[300];

    for (unsigned i = 1; i < 100000; i++) {
        (void)snprintf(name, sizeof name, i > 1 ? "%.250s-%u" : "%.250s", subject->name, i);
        char *path = jw_path_join(a, dir, name);

        if (!jw_file_stat(path, &info, err))
            return NULL;
        if (info.kind == JW_FILE_NONE)
            return jw_make_dirs(path, err) ? path : NULL;
    }
    (void)jw_fail(err, JW_E_IO, "%s: too many files of this name", subject->name);
    return NULL;
}

bool scan_extract(struct scan_worker *w, const struct scan_subject *subject, struct jw_image *image,
                  uint64_t *written, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    const struct jw_fats *fats = &image->fats;
    bool ok = true;
    char *folder = fats->n ? folder_for(subject, w->scan->o->extract, &a, err) : NULL;

    if (fats->n && !folder)
        ok = jw_wrap(err, "%s", w->scan->o->extract);
    for (size_t i = 0; ok && i < fats->n; i++) {
        const struct jw_fat *fat = &fats->list[i];

        ok = scan_interrupted(w->scan, err);
        for (size_t k = 0; ok && k < fat->n; k++) {
            const struct jw_fat_entry *e = &fats->entries[fat->first + k];

            if (e->flags & JW_FAT_OBFUSCATED)
                continue;
            jw_buf_clear(&path);
            jw_buf_printf(&path, "%s/m%05zu.e%02zu.%s.%s", folder, i, k, jw_fat_arch_name(e).text,
                          extension(e->kind));
            const char *whole = jw_buf_cstr(&path);

            ok = jw_buf_ok(&path, err) && write_payload(subject, image, e, whole, written, err);
        }
    }
    jw_buf_free(&path);
    jw_arena_free(&a);
    return ok;
}
