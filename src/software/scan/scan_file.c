#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "formats/fatbin_unpack.h"
#include "machine/trust.h"
#include "software/find/vendor.h"
#include "software/scan/scan_needed.h"
#include "software/scan/scan_work.h"

#include <string.h>

enum { MAX_RESULTS = 1 << 22, MAX_PLAIN = 256 << 20 };

static enum jw_scan_why kind_of(enum jw_code code)
{
    switch (code) {
    case JW_E_IO:
    case JW_E_NAMED: return JW_SKIP_UNREADABLE;
    case JW_E_TRUST: return JW_SKIP_OTHERS;
    default: return JW_SKIP_DAMAGED;
    }
}

bool scan_skip(struct scan_worker *w, const char *path, bool named, const struct jw_err *why,
               struct jw_err *err)
{
    struct scan *s = w->scan;
    enum jw_scan_why kind = kind_of(why->code);

    if (why->code == JW_E_INTERRUPTED) /* not a problem of the file */
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    const char *p = jw_arena_str(w->results, path);
    const char *reason = jw_arena_str(w->results, why->msg);
    w->reported++;

    jw_lock_take(s->lock);
    bool ok =
        jw_grow(&s->skipped, sizeof *s->skipped, s->n_skipped, &s->cap_skipped, MAX_RESULTS, err);
    if (ok)
        s->skipped[s->n_skipped++] =
            (struct jw_scan_skipped){p, reason, kind, named, why->code == JW_E_NAMED};
    if (w->known)
        w->known->unread = true;
    jw_lock_drop(s->lock);
    return ok;
}

static bool keep(struct scan_worker *w, const struct scan_subject *subject,
                 const struct jw_scan_file *file, struct jw_err *err)
{
    struct scan *s = w->scan;
    const char *path = jw_arena_str(w->results, subject->disk_path);
    w->reported++;

    jw_lock_take(s->lock);
    bool ok = jw_grow(&s->files, sizeof *s->files, s->n_files, &s->cap_files, MAX_RESULTS, err);
    if (ok)
        s->files[s->n_files++] = (struct scan_found){*file, subject->id, path, 0};
    jw_lock_drop(s->lock);
    return ok;
}

static void copy_problems(const struct jw_image *image, struct jw_arena *a,
                          struct jw_scan_file *file)
{
    const char **list = jw_arena_alloc(a, image->problems.n * sizeof *list);

    for (size_t i = 0; i < image->problems.n; i++)
        list[i] = jw_arena_str(a, image->problems.text[i]);
    file->problems = list;
    file->n_problems = image->problems.n;
}

/* Headers say what a driver takes, not that it can be read. False only for an interruption. */
static bool check_payload(struct scan *s, const struct scan_subject *subject,
                          struct jw_fat_entry *e, struct jw_problems *problems, struct jw_err *err)
{
    const uint64_t n = jw_min(jw_fat_plain(e), JW_MAX_PLAIN);
    struct jw_err why = {0};

    scan_reserve(s, &s->unpacked, n, JW_MAX_PLAIN);
    bool ok = jw_fat_check(&subject->src, e, &why);
    scan_release(s, &s->unpacked, n);
    if (!ok && why.code != JW_E_INTERRUPTED)
        jw_problem_add(problems, "%s; copy or install the file again", why.msg);
    return why.code != JW_E_INTERRUPTED || jw_pass(err, why);
}

/* What the headers do not say: the toolkit of machine code, where it matters to the driver; and
 * where nobody else decodes them, payloads of what a GPU takes: for a gate all, else .ptx files,
 * and PTX of inputs of a link, of which equal texts are one. */
static bool learn_module(struct scan *s, const struct scan_subject *subject, struct jw_image *image,
                         const struct jw_fat *fat, unsigned sm, struct jw_err *err)
{
    bool toolkits = s->driver.newest_code != 0;
    bool whole = jw_is_link_input(fat) || image->format == JW_FORMAT_PTX || !s->o->quick;
    bool check = whole && !s->finding;

    if (!toolkits && !check)
        return true;
    const struct jw_choice c = jw_select(fat, image->fats.entries, sm, &s->driver, true);

    if (!c.entry)
        return true;
    struct jw_fat_entry *e = &image->fats.entries[c.entry - image->fats.entries];
    bool compiled = c.outcome == JW_SELECTED_JIT || c.outcome == JW_SELECTED_BLOCKED;

    if (toolkits && e->kind == JW_KIND_ELF && !e->toolkit && !jw_fat_toolkit(&subject->src, e, err))
        return false;
    if (!check || e->checked)
        return true;
    if (s->o->quick && (!compiled || e->kind != JW_KIND_PTX))
        return true;
    return check_payload(s, subject, e, &image->problems, err);
}

static bool learn(struct scan *s, const struct scan_subject *subject, struct jw_image *image,
                  unsigned sm, struct jw_err *err)
{
    for (size_t i = 0; i < image->fats.n; i++)
        if (!learn_module(s, subject, image, &image->fats.list[i], sm, err))
            return false;
    return true;
}

bool scan_report_image(struct scan_worker *w, const struct scan_subject *subject,
                       struct jw_image *image, struct jw_err *err)
{
    struct jw_scan_file file = {.named = subject->named};

    if (!subject->listed && !image->fats.n && !image->fats.unbounded && !image->problems.n)
        return true; /* compilers have pieces of PTX alone */
    file.path = jw_arena_str(w->results, subject->path);
    file.format = jw_format_name(image->format);
    for (size_t i = 0; i < w->scan->o->sms.n; i++)
        if (!learn(w->scan, subject, image, w->scan->o->sms.v[i], err))
            return false;
    if (w->scan->finding) {
        if (subject->named && strcmp(subject->path, subject->disk_path) == 0)
            scan_needed_names(&subject->src, w->results, &file);
        if (!finding_see(w->scan->finding, w, subject, &file, image, err))
            return false;
    } else {
        file.ptx_pieces = image->fats.pieces;
        file.ptx_unbounded = image->fats.unbounded;
        scan_check(w->scan, image, w->results, &file);
        copy_problems(image, w->results, &file);
    }
    return keep(w, subject, &file, err);
}

/* kernel.cubin.zst is reported as kernel.cubin.zst!kernel.cubin, like a member of a wheel. */
static bool scan_zstd(struct scan_worker *w, const struct scan_subject *packed,
                      struct jw_bytes head, struct jw_err *err)
{
    struct jw_fat_entry whole = {
        .stored = packed->size, .packed = (uint32_t)packed->size, .flags = JW_FAT_ZSTD};
    struct jw_buf plain = JW_BUF(MAX_PLAIN);
    struct scan_subject inside = *packed;
    struct jw_err why;
    bool sized = jw_zstd_plain(head, &whole.unpacked), ok;
    uint64_t n = sized ? jw_min(whole.unpacked, MAX_PLAIN) : 0;

    inside.name = jw_arena_text(w->results, packed->name, strlen(packed->name) - strlen(".zst"));
    inside.path = jw_arena_printf(w->results, "%s!%s", packed->path, inside.name);
    scan_reserve(w->scan, &w->scan->unzipped, n, MAX_PLAIN);
    if (!sized)
        ok = jw_fail(&why, JW_E_FORMAT, "zstd: it does not say how much it unpacks to");
    else if (whole.unpacked > MAX_PLAIN || packed->size > MAX_PLAIN)
        ok = jw_fail(&why, JW_E_LIMIT, "zstd: it claims to unpack to %llu bytes (at most 256 MiB)",
                     (unsigned long long)whole.unpacked);
    else
        ok = jw_fat_unpack(&packed->src, &whole, jw_sink_buf(&plain), &why)
             && jw_source_check(&packed->src, &why);
    const struct jw_bytes bytes = jw_buf_bytes(&plain);

    inside.src = jw_source_memory(&bytes);
    inside.size = bytes.n;
    ok = ok ? scan_subject(w, &inside,
                           (struct jw_bytes){bytes.p, (size_t)jw_min(JW_SNIFF, bytes.n)}, err)
            : scan_skip(w, packed->path, packed->named, &why, err);
    jw_buf_free(&plain);
    scan_release(w->scan, &w->scan->unzipped, n);
    return ok;
}

/* A wrong checksum says more than results from wrong bytes. */
static bool scan_image(const struct scan_subject *subject, struct jw_image *image,
                       struct jw_err *why)
{
    struct jw_err damaged;
    bool ok =
        jw_image_scan(&subject->src, subject->name, !jw_is_vendor_file(subject->name), image, why);

    if ((ok || why->code == JW_E_FORMAT || why->code == JW_E_LIMIT)
        && !jw_source_check(&subject->src, &damaged)) {
        *why = damaged;
        return false;
    }
    return ok;
}

bool scan_is_truncated(struct jw_bytes head, uint64_t size)
{
    enum { HEADER = 64 };

    return size < HEADER && (jw_starts(head, "\177ELF") || jw_starts(head, "PK\3\4"));
}

/* False, with a reason: it is damaged. Not every .so of a folder is a library, but every .whl is a
 * wheel. */
static bool seems_sound(const struct scan_subject *subject, struct jw_bytes head,
                        struct jw_err *why)
{
    bool wheel = jw_text_ends(subject->name, ".whl");
    bool code = wheel || (subject->listed && jw_is_code_file(subject->name));

    if (!subject->size && (wheel || (subject->listed && jw_may_hold_code(subject->name))))
        return jw_fail(why, JW_E_FORMAT, "the file is empty");
    if (scan_is_truncated(head, subject->size))
        return jw_fail(why, JW_E_FORMAT, "the file is cut off after %s bytes",
                       JW_NUM(subject->size));
    return !code || jw_fail(why, JW_E_FORMAT, "its content is not what its name says");
}

/* Content that this program does not read; NULL: it is none. */
static const struct packed_files {
    const char *begins, *ends, *tool, *rest;
} * packed_files(const char *name, struct jw_bytes head)
{
    static const struct packed_files rows[] = {
        {"!<arch>\ndebian-binary", "", "dpkg-deb -x", " FOLDER"},
        {"!<arch>\n", "", "ar x", "; a program that it was linked into needs nothing of the kind"},
        {"\xed\xab\xee\xdb", "", "bsdtar -xf", " -C FOLDER"},
        {"", ".tar", "tar -xf", " -C FOLDER"},
        {"", ".tgz", "tar -xf", " -C FOLDER"},
        {"", ".tar.gz", "tar -xf", " -C FOLDER"},
        {"", ".tar.xz", "tar -xf", " -C FOLDER"},
        {"", ".tar.bz2", "tar -xf", " -C FOLDER"},
        {"", ".tar.zst", "jitwarm import", ", if it is a pack; else tar -xf it"},
        {"PK", ".conda", "unzip", ", then tar -xf its pkg-*.tar.zst"},
        {"\x1f\x8b", "", "gunzip -k", ""},
        {"\3757zXZ", "", "unxz -k", ""},
        {"BZh", "", "bunzip2 -k", ""},
        {"\x28\xb5\x2f\xfd", "", "unzstd", ""},
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++)
        if (jw_starts(head, rows[i].begins) && jw_text_ends(name, rows[i].ends))
            return &rows[i];
    return NULL;
}

bool scan_subject(struct scan_worker *w, const struct scan_subject *subject, struct jw_bytes head,
                  struct jw_err *err)
{
    struct jw_image image;
    struct jw_err why;
    enum jw_format format = jw_image_sniff(head, subject->name);
    const struct packed_files *packed =
        subject->listed && format != JW_FORMAT_ZSTD ? packed_files(subject->name, head) : NULL;
    bool ok;

    if (packed) {
        (void)jw_fail(&why, JW_E_NAMED, "has to be unpacked first (%s %s%s)", packed->tool,
                      subject->path, packed->rest);
        return scan_skip(w, subject->path, subject->named, &why, err);
    }
    if (format == JW_FORMAT_WHEEL && strcmp(subject->path, subject->disk_path) == 0)
        return scan_wheel(w, subject, err);
    if (format == JW_FORMAT_ZSTD)
        return scan_zstd(w, subject, head, err);
    if (format == JW_FORMAT_NONE && !seems_sound(subject, head, &why))
        return scan_skip(w, subject->path, subject->named, &why, err);
    if ((format == JW_FORMAT_NONE || format == JW_FORMAT_OBJECT) && !subject->listed)
        return true; /* as a static library: a linker alone takes it */
    if (scan_image(subject, &image, &why))
        ok = scan_report_image(w, subject, &image, err);
    else
        ok = scan_skip(w, subject->path, subject->named, &why, err);
    jw_image_free(&image);
    return ok;
}

/* Whether to scan the file under this name: not if an earlier round has done so. Names of one file
 * in the same round are all scanned, and the smallest is kept at the end, because their order
 * depends on threads. A file that the user named is always reported under that name. */
static bool to_be_scanned(struct scan *s, struct jw_file_id id, const struct scan_task *task)
{
    unsigned seen;

    jw_lock_take(s->lock);
    bool fresh = scan_ids_add(&s->seen_files, id, s->round, &seen);
    bool yes = fresh || task->named || task->claimed || seen == s->round;
    jw_lock_drop(s->lock);
    return yes;
}

/* `f` NULL: a folder. False, with a reason: skipped unless the user names it. */
bool scan_is_trusted(const struct scan_worker *w, const struct jw_file *f,
                     const struct scan_task *t, struct jw_err *why)
{
    struct jw_arena a = {0};
    struct jw_trust trust = {0};
    bool ok = !w->scan->o->trusted_only || t->vouched
              || ((f ? jw_trust_file(f, &a, &trust, why) : jw_trust_read(t->path, &a, &trust, why))
                  && jw_trust_own(&trust, why));

    jw_arena_free(&a);
    return ok;
}

static bool begin_file(struct scan_worker *w, const char *path, const struct jw_file_info *info,
                       bool named, struct jw_err *err)
{
    if (!w->scan->finding)
        return true;
    w->known = jw_arena_alloc(w->results, sizeof *w->known);
    w->known->path = jw_arena_str(w->results, path);
    w->known->info = *info;
    w->known->named = named;
    return finding_add(w->scan, w->known, err);
}

bool scan_recall(struct scan_worker *w, const struct scan_task *task, const char *path,
                 const struct jw_file_info *info, bool *hit, struct jw_err *err)
{
    const struct finding *f = w->scan->finding;
    struct scan_known *known = f ? finding_recall(f, w, path, info, task->named) : NULL;
    const struct scan_subject on_disk = {.disk_path = path, .id = info->id};
    struct jw_err why;
    bool ok = true;

    *hit = known && (known->n_files || !task->named); /* one that is named is listed */
    if (!*hit || !known->n_files)
        return true;
    const struct scan_task here = {.path = (char *)path, .vouched = task->vouched};

    if (!scan_is_trusted(w, NULL, &here, &why))
        return scan_skip(w, path, task->named, &why, err);
    if (!to_be_scanned(w->scan, info->id, task))
        return true;
    for (size_t i = 0; ok && i < known->n_files; i++)
        ok = keep(w, &on_disk, &known->files[i].file, err);
    return ok && finding_add(w->scan, known, err);
}

bool scan_open_file(struct scan_worker *w, struct jw_file *f, const struct scan_task *task,
                    struct jw_err *err)
{
    const char *path = task->path;
    struct jw_file_info info;
    struct jw_err why;
    uint8_t raw[JW_SNIFF];

    if (!jw_file_info(f, &info, &why) || !scan_is_trusted(w, f, task, &why))
        return scan_skip(w, path, task->named, &why, err);
    if (!to_be_scanned(w->scan, info.id, task))
        return true;
    if (!begin_file(w, path, &info, task->named, err))
        return false;
    struct scan_subject subject = {.path = path,
                                   .name = jw_path_base(path),
                                   .src = jw_file_source(f, info.size),
                                   .size = info.size,
                                   .named = task->named,
                                   .listed = task->named,
                                   .disk_path = path,
                                   .id = info.id};
    size_t n = (size_t)jw_min(sizeof raw, info.size);
    bool ok;

    subject.src.interrupted = w->scan->o->interrupted; /* one file may be terabytes of holes */
    if (jw_source_read(&subject.src, 0, raw, n, &why))
        ok = scan_subject(w, &subject, (struct jw_bytes){raw, n}, err);
    else
        ok = scan_skip(w, path, task->named, &why, err);
    w->known = NULL;
    return ok;
}
