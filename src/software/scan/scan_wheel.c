#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "formats/inflate.h"
#include "formats/zip.h"
#include "software/scan/scan_work.h"

#include <string.h>

/* Of nine members of ten only the first bytes are read: they are not CUDA's business. */
static bool open_member(const struct scan_subject *wheel, const struct jw_zip_member *m, struct jw_inflate *z,
                        struct jw_source *plain, struct jw_bytes *head, uint8_t raw[JW_SNIFF],
                        struct jw_err *err)
{
    *head = (struct jw_bytes){ raw, (size_t)jw_min(JW_SNIFF, m->plain) };
    if (!jw_zip_data(&wheel->src, m, plain, err))
        return false;
    if (m->method != JW_ZIP_STORED)
        *plain = jw_inflate_source(z, plain, m->plain);
    return jw_source_read(plain, 0, raw, head->n, err);
}

/* What all members of a wheel together may unpack to. Many that each are no bomb make one. */
static bool within_budget(const struct scan_subject *wheel, const struct jw_zip_member *m, uint64_t *unpacked,
                          struct jw_err *err)
{
    uint64_t most = JW_MAX_WHEEL_PLAIN;

    if (wheel->size > most / JW_MAX_WHEEL_RATIO)
        most = wheel->size > UINT64_MAX / JW_MAX_WHEEL_RATIO ? UINT64_MAX : wheel->size * JW_MAX_WHEEL_RATIO;
    if (m->method != JW_ZIP_STORED && m->plain > most - *unpacked)
        return jw_fail(err, JW_E_LIMIT,
                       "zip: %llu bytes claim to unpack to more than %llu; looks like a decompression bomb",
                       (unsigned long long)wheel->size, (unsigned long long)most);
    if (m->method != JW_ZIP_STORED)
        *unpacked += m->plain;
    return true;
}

/* `*spent`: no further member of this wheel is looked into. */
static bool scan_zip_member(struct scan_worker *w, const struct scan_subject *wheel,
                            const struct jw_zip_member *m, struct jw_inflate *z, const char *path,
                            uint64_t *unpacked, bool *spent, struct jw_err *err)
{
    struct jw_source plain;
    uint8_t raw[JW_SNIFF];
    struct jw_bytes head;
    struct jw_err why;

    if (!open_member(wheel, m, z, &plain, &head, raw, &why))
        return scan_skip(w, path, wheel->named, &why, err);
    enum jw_format format = jw_image_sniff(head, m->plain, m->name);

    if (format == JW_FORMAT_NONE || format == JW_FORMAT_WHEEL)
        return true;
    if (!within_budget(wheel, m, unpacked, &why)) {
        *spent = true;
        return scan_skip(w, wheel->path, wheel->named, &why, err);
    }
    if (m->method != JW_ZIP_STORED && !jw_inflate_plausible(m->packed, m->plain, &why))
        return scan_skip(w, path, wheel->named, &why, err);
    struct scan_subject member = { .path = path,
                                   .name = jw_path_base(m->name),
                                   .src = plain,
                                   .size = m->plain,
                                   .named = wheel->named,
                                   .disk_path = wheel->path,
                                   .id = wheel->id };

    return scan_subject(w, &member, head, err);
}

/* A wheel without any code is told all the same when it was asked for by name. */
static bool report_empty(struct scan_worker *w, const struct scan_subject *wheel, struct jw_err *err)
{
    struct jw_image none = { .format = JW_FORMAT_WHEEL };
    struct jw_scan_file file = { .size = wheel->size,
                                 .named = true,
                                 .format = jw_format_name(JW_FORMAT_WHEEL) };

    file.path = jw_arena_str(w->results, wheel->path);
    return scan_judge(w->scan, &none, w->results, &file, err) && scan_keep(w, wheel, &file, err);
}

static size_t told(struct scan *s)
{
    jw_lock_take(s->lock);
    size_t n = s->n_files + s->n_skipped;
    jw_lock_drop(s->lock);
    return n;
}

bool scan_wheel(struct scan_worker *w, const struct scan_subject *wheel, struct jw_err *err)
{
    struct jw_arena names = { 0 };
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_inflate *z;
    struct jw_zip zip;
    struct jw_err why;
    size_t before = told(w->scan);
    uint64_t unpacked = 0;
    bool ok = true, spent = false;

    if (!jw_zip_open(&zip, &wheel->src, &names, &why)) {
        jw_arena_free(&names);
        return scan_skip(w, wheel->path, wheel->named, &why, err);
    }
    z = jw_inflate_new();
    for (size_t i = 0; ok && !spent && i < zip.n; i++) {
        jw_buf_clear(&path);
        jw_buf_printf(&path, "%s!%s", wheel->path, zip.list[i].name);
        const char *whole = jw_buf_cstr(&path);

        ok = jw_buf_ok(&path, err) && scan_interrupted(w->scan, err)
             && scan_zip_member(w, wheel, &zip.list[i], z, whole, &unpacked, &spent, err);
        scan_notify_progress(w->scan, whole, 0, 0);
    }
    if (ok && wheel->named && told(w->scan) == before)
        ok = report_empty(w, wheel, err);
    jw_inflate_free(z);
    jw_buf_free(&path);
    jw_zip_close(&zip);
    jw_arena_free(&names);
    return ok;
}
