#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "formats/inflate.h"
#include "formats/zip.h"
#include "software/find/vendor.h"
#include "software/scan/scan_work.h"

enum { AT_ONCE = 4 }; /* each has a member of up to JW_INFLATE_ROOM bytes in memory */

/* Nine of ten members have no CUDA code: only their first bytes are unpacked. */
static bool scan_member(struct scan_worker *w, const struct scan_subject *wheel,
                        const struct jw_zip_member *m, const char *path, struct jw_inflate *z,
                        struct jw_err *err)
{
    struct scan_subject member = {.path = path,
                                  .name = jw_path_base(m->name),
                                  .size = m->plain,
                                  .named = wheel->named,
                                  .disk_path = wheel->disk_path,
                                  .id = wheel->id};
    uint8_t raw[JW_SNIFF];
    const struct jw_bytes head = {raw, (size_t)jw_min(JW_SNIFF, m->plain)};
    struct jw_err why;
    bool ok = jw_zip_data(&wheel->src, m, &member.src, &why);

    if (ok && m->method != JW_ZIP_STORED)
        member.src = jw_inflate_source(z, &member.src, m);
    if (!ok || !jw_source_read(&member.src, 0, raw, head.n, &why))
        return scan_skip(w, path, wheel->named, &why, err);
    enum jw_format format = jw_image_sniff(head, m->name);

    if (format == JW_FORMAT_NONE && jw_may_hold_code(m->name)
        && !jw_source_check(&member.src, &why))
        return scan_skip(w, path, wheel->named, &why, err); /* code, but for its damage */
    return format == JW_FORMAT_NONE || format == JW_FORMAT_WHEEL
           || scan_subject(w, &member, head, err);
}

void scan_reserve(struct scan *s, uint64_t *now, uint64_t n, uint64_t most)
{
    jw_lock_take(s->lock);
    while (*now && *now + n > most)
        jw_lock_wait(s->lock, 0);
    *now += n;
    jw_lock_drop(s->lock);
}

void scan_release(struct scan *s, uint64_t *now, uint64_t n)
{
    jw_lock_take(s->lock);
    *now -= n;
    jw_lock_wake_all(s->lock);
    jw_lock_drop(s->lock);
}

bool scan_is_left_out(const struct scan *s, struct scan_known *k, const char *path, size_t disk)
{
    char *part = jw_strdup(path);
    char *end = part + disk;
    bool out = scan_is_excluded(s, path);
    bool tests = false;

    for (*end = *end ? '/' : *end; *end && (end = strchr(end + 1, '/')); *end = '/') {
        *end = '\0';
        out |= scan_is_excluded(s, part);
        tests |= !s->o->all && jw_is_test_folder(part);
    }
    out |= scan_is_excluded(s, part);
    jw_free(part);
    if (out && k)
        k->unread = true;
    return out || tests;
}

bool scan_wheel(struct scan_worker *w, const struct scan_subject *wheel, struct jw_err *err)
{
    struct jw_zip zip;
    struct jw_arena names = {0};
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_inflate *z = jw_inflate_new();
    struct jw_err why;
    size_t before = w->reported;
    bool ok = true;

    scan_reserve(w->scan, &w->scan->wheels, 1, AT_ONCE);
    if (!jw_zip_open(&zip, &wheel->src, &names, &why))
        ok = scan_skip(w, wheel->path, wheel->named, &why, err);
    for (size_t i = 0; ok && i < zip.n; i++) {
        jw_buf_clear(&path);
        jw_buf_printf(&path, "%s!%s", wheel->path, zip.list[i].name);
        ok = jw_buf_ok(&path, err) && jw_not_interrupted(w->scan->o->interrupted, err);
        if (!ok || scan_is_left_out(w->scan, w->known, jw_buf_cstr(&path), strlen(wheel->path)))
            continue;
        ok = scan_member(w, wheel, &zip.list[i], jw_buf_cstr(&path), z, err);
        scan_notify_progress(w->scan, jw_buf_cstr(&path));
    }
    if (ok && wheel->named && w->reported == before) /* it has no code */
        ok = scan_report_image(w, wheel, &(struct jw_image){.format = JW_FORMAT_WHEEL}, err);
    scan_release(w->scan, &w->scan->wheels, 1);
    jw_inflate_free(z);
    jw_buf_free(&path);
    jw_arena_free(&names);
    return ok;
}
