#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "formats/inflate.h"
#include "formats/zip.h"
#include "software/scan/scan_work.h"

/* Nine of ten members have no CUDA code: only their first bytes are unpacked. */
static bool open_member(const struct scan_subject *wheel, const struct jw_zip_member *m, struct jw_inflate *z,
                        struct jw_source *plain, struct jw_bytes *head, uint8_t raw[JW_SNIFF],
                        struct jw_err *err)
{
    *head = (struct jw_bytes){ raw, (size_t)jw_min(JW_SNIFF, m->plain) };
    if (!jw_zip_data(&wheel->src, m, plain, err))
        return false;
    if (m->method != JW_ZIP_STORED)
        *plain = jw_inflate_source(z, plain, m);
    return jw_source_read(plain, 0, raw, head->n, err);
}

enum { LARGE_MEMBER = 4 << 20 };

struct scan_wheel {
    unsigned users; /* number of its tasks, under the scan's lock */
    bool reported;  /* a member of it */
    bool named;
    char *path;
    uint64_t size;
    struct jw_file_id id;
    struct scan_known *known;
    struct jw_zip zip;
    struct jw_arena names;
};

bool scan_wheel_same(const struct scan_wheel *wheel, const struct jw_file_info *info, struct jw_err *err)
{
    return (info->size == wheel->size && jw_file_same(info->id, wheel->id))
           || jw_fail(err, JW_E_IO, "the file was replaced while it was read");
}

uint64_t scan_wheel_member_size(const struct scan_wheel *wheel, size_t member)
{
    return jw_min(wheel->zip.list[member].plain, JW_INFLATE_ROOM);
}

static bool scan_plain(struct scan_worker *w, const struct scan_subject *on_disk,
                       const struct scan_wheel *wheel, const struct jw_zip_member *m, const char *path,
                       struct jw_source plain, struct jw_bytes head, struct jw_err *err)
{
    struct scan_subject member = { .path = path,
                                   .name = jw_path_base(m->name),
                                   .src = plain,
                                   .size = m->plain,
                                   .named = wheel->named,
                                   .disk_path = on_disk->disk_path,
                                   .id = wheel->id };

    return scan_subject(w, &member, head, err);
}

static bool push_member(struct scan *s, struct scan_wheel *wheel, size_t number, struct jw_err *err)
{
    struct jw_err ignored;

    jw_lock_take(s->lock);
    wheel->users++;
    jw_lock_drop(s->lock);
    if (scan_push(s, wheel->path, (struct scan_task){ .wheel = wheel, .member = number }, err))
        return true;
    (void)scan_wheel_leave(NULL, s, wheel, 0, &ignored);
    return false;
}

static bool scan_or_push(struct scan_worker *w, const struct scan_subject *on_disk, struct scan_wheel *wheel,
                         size_t number, struct jw_inflate *z, const char *path, struct jw_err *err)
{
    const struct jw_zip_member *m = &wheel->zip.list[number];
    struct jw_source plain;
    uint8_t raw[JW_SNIFF];
    struct jw_bytes head;
    struct jw_err why;

    if (!open_member(on_disk, m, z, &plain, &head, raw, &why))
        return scan_skip(w, path, wheel->named, &why, err);
    enum jw_format format = jw_image_sniff(head, m->name);

    if (format == JW_FORMAT_NONE || format == JW_FORMAT_WHEEL)
        return true;
    if (w->scan->jobs > 1 && m->method != JW_ZIP_STORED && m->plain >= LARGE_MEMBER)
        return push_member(w->scan, wheel, number, err);
    return scan_plain(w, on_disk, wheel, m, path, plain, head, err);
}

/* Reports a wheel without code that the user named. */
static bool report_empty(struct scan_worker *w, const struct scan_wheel *wheel, struct jw_err *err)
{
    struct jw_image none = { .format = JW_FORMAT_WHEEL };
    struct scan_subject on_disk = { .disk_path = wheel->path, .id = wheel->id };
    struct jw_scan_file file = { .size = wheel->size,
                                 .named = true,
                                 .format = jw_format_name(JW_FORMAT_WHEEL) };

    file.path = jw_arena_str(w->results, wheel->path);
    scan_check(w->scan, &none, w->results, &file);
    return scan_keep(w, &on_disk, &file, err);
}

bool scan_wheel_leave(struct scan_worker *w, struct scan *s, struct scan_wheel *wheel, size_t reported,
                      struct jw_err *err)
{
    bool ok = true;

    jw_lock_take(s->lock);
    unsigned left = --wheel->users;
    wheel->reported |= w && w->reported != reported;
    jw_lock_drop(s->lock);
    if (left)
        return true;
    if (w && wheel->named && !wheel->reported)
        ok = report_empty(w, wheel, err);
    jw_zip_close(&wheel->zip);
    jw_arena_free(&wheel->names);
    jw_free(wheel->path);
    jw_free(wheel);
    return ok;
}

static const char *member_path(struct jw_buf *path, const struct scan_wheel *wheel, size_t number)
{
    jw_buf_clear(path);
    jw_buf_printf(path, "%s!%s", wheel->path, wheel->zip.list[number].name);
    return jw_buf_cstr(path);
}

bool scan_wheel_member(struct scan_worker *w, const struct scan_subject *on_disk,
                       const struct scan_task *task, struct jw_err *err)
{
    struct scan_wheel *wheel = task->wheel;

    w->known = wheel->known;
    const struct jw_zip_member *m = &wheel->zip.list[task->member];
    struct jw_buf buf = JW_BUF(JW_MAX_PATH);
    const char *path = member_path(&buf, wheel, task->member);
    struct jw_inflate *z = jw_inflate_new();
    struct jw_source plain;
    uint8_t raw[JW_SNIFF];
    struct jw_bytes head;
    struct jw_err why;
    bool ok = open_member(on_disk, m, z, &plain, &head, raw, &why)
                  ? scan_plain(w, on_disk, wheel, m, path, plain, head, err)
                  : scan_skip(w, path, wheel->named, &why, err);

    scan_notify_progress(w->scan, path);
    jw_inflate_free(z);
    jw_buf_free(&buf);
    return ok;
}

bool scan_wheel(struct scan_worker *w, const struct scan_subject *on_disk, struct jw_err *err)
{
    struct scan_wheel *wheel = jw_alloc(sizeof *wheel);
    struct jw_buf buf = JW_BUF(JW_MAX_PATH);
    struct jw_inflate *z = jw_inflate_new();
    struct jw_err why;
    size_t before = w->reported;
    bool ok = true;

    *wheel = (struct scan_wheel){ .users = 1,
                                  .named = on_disk->named,
                                  .path = jw_strdup(on_disk->path),
                                  .size = on_disk->size,
                                  .id = on_disk->id,
                                  .known = w->known };
    if (!jw_zip_open(&wheel->zip, &on_disk->src, &wheel->names, &why))
        ok = scan_skip(w, wheel->path, wheel->named, &why, err);
    for (size_t i = 0; ok && i < wheel->zip.n; i++) {
        const char *path = member_path(&buf, wheel, i);

        if (scan_is_excluded(w->scan, path)) {
            jw_lock_take(w->scan->lock);
            if (w->known)
                w->known->unread = true;
            jw_lock_drop(w->scan->lock);
            continue;
        }
        ok = jw_buf_ok(&buf, err) && jw_not_interrupted(w->scan->o->interrupted, err)
             && scan_or_push(w, on_disk, wheel, i, z, path, err);
        scan_notify_progress(w->scan, path);
    }
    jw_inflate_free(z);
    jw_buf_free(&buf);
    return scan_wheel_leave(ok ? w : NULL, w->scan, wheel, before, err) && ok;
}
