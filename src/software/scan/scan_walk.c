#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/paths.h"
#include "os/files/dir.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "software/find/vendor.h"
#include "software/scan/scan_work.h"

enum { MAX_TASKS = 1 << 22, LARGE_FILE = 8 << 20 };

static bool add_task(struct scan *s, struct scan_task **list, size_t *n, size_t *cap,
                     const char *path, struct scan_task how, struct jw_err *err)
{
    how.path = jw_strdup(path);
    jw_lock_take(s->lock);
    bool ok = jw_grow(list, sizeof **list, *n, cap, MAX_TASKS, err);

    if (ok) {
        (*list)[(*n)++] = how;
        jw_lock_wake_all(s->lock);
    }
    jw_lock_drop(s->lock);
    if (!ok)
        jw_free(how.path);
    return ok;
}

bool scan_push(struct scan *s, const char *path, struct scan_task how, struct jw_err *err)
{
    return add_task(s, &s->tasks, &s->n_tasks, &s->cap_tasks, path, how, err);
}

/* Parents were checked during the walk; those above the user's own path do not matter. */
bool scan_is_excluded(const struct scan *s, const char *path)
{
    return jw_path_excluded(path, s->o->exclude.v, s->o->exclude.n);
}

void scan_notify_progress(struct scan *s, const char *path)
{
    jw_lock_take(s->lock);
    if (s->o->progress)
        s->o->progress(s->o->progress_ctx, path);
    jw_lock_drop(s->lock);
}

static bool is_large(const struct jw_file *f)
{
    struct jw_file_info info;

    return jw_file_info(f, &info, JW_IGNORED) && info.size >= LARGE_FILE;
}

/* Most files are rejected by their first 64 bytes. `known`: what the folder says of this one, where
 * modules are found; else NULL. */
static bool look_into(struct scan_worker *w, struct jw_file *f, const char *name,
                      const struct scan_task *task, const struct jw_file_info *known,
                      struct jw_err *err)
{
    uint8_t head[JW_SNIFF];
    struct jw_bytes bytes = {head, 0};
    struct jw_err why;

    if (!jw_file_read(f, 0, head, sizeof head, &bytes.n, &why))
        return scan_skip(w, task->path, false, &why, err);
    enum jw_format format = jw_image_sniff(bytes, name);
    bool zip = format == JW_FORMAT_WHEEL;
    bool damaged = jw_may_hold_code(task->path) && scan_is_truncated(bytes, bytes.n);

    if (jw_text_ends(name, ".whl") || (!zip && format != JW_FORMAT_NONE) || damaged)
        return zip || is_large(f) ? scan_push(w->scan, task->path, *task, err)
                                  : scan_open_file(w, f, task, err);
    if (zip && jw_text_ends(name, ".zip"))
        scan_reserve(w->scan, &w->scan->zips, 1, UINT64_MAX); /* counts it */
    else if (known)
        finding_nothing(w->scan->finding, task->path, known);
    return true;
}

/* Scans a regular file of a walked folder. */
static bool walk_file(struct scan_worker *w, struct jw_dir *dir, const char *name,
                      struct scan_task task, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_err why;
    bool hit = false;
    bool known = w->scan->finding && jw_dir_stat(dir, name, &info, &why);

    if (known && !scan_recall(w, &task, task.path, &info, &hit, err))
        return false;
    if (hit)
        return true;
    if (!jw_dir_open_file(dir, name, &f, NULL, &why))
        return jw_is_absent(task.path) || scan_skip(w, task.path, false, &why, err);
    bool ok = look_into(w, &f, name, &task, known ? &info : NULL, err);

    jw_file_close(&f);
    return ok;
}

static bool walk_entry(struct scan_worker *w, struct jw_dir *dir, const struct jw_entry *e,
                       const struct scan_task *t, const char *path, struct jw_err *err)
{
    struct scan *s = w->scan;
    struct scan_task below = {.path = (char *)path, /* a task that is kept copies it */
                              .depth = t->depth ? t->depth - 1 : 0,
                              .vouched = t->vouched,
                              .volume = jw_dir_id(dir).volume};

    if (scan_is_excluded(s, path) || (!s->o->all && jw_is_test_folder(path)))
        return true;
    switch (e->kind) {
    case JW_FILE_REGULAR: return walk_file(w, dir, e->name, below, err);
    case JW_FILE_DIR: return t->depth == 0 || scan_push(s, path, below, err);
    case JW_FILE_LINK:
        return add_task(s, &s->links, &s->n_links, &s->cap_links, path,
                        (struct scan_task){.depth = t->depth}, err);
    default: return true;
    }
}

static bool walk_names(struct scan_worker *w, struct jw_dir *dir, const struct scan_task *t,
                       struct jw_buf *path, struct jw_err *err)
{
    struct jw_entry e;
    struct jw_err why;
    bool more = true;

    jw_buf_text(path, t->path);
    if (path->n && path->p[path->n - 1] != '/' && path->p[path->n - 1] != '\\')
        jw_buf_printf(path, "%c", jw_path_separator(t->path));
    size_t stem = path->n;

    for (;;) {
        if (!jw_dir_next(dir, &e, &more, &why))
            return scan_skip(w, t->path, t->named, &why, err);
        if (!more)
            return true;
        path->n = stem;
        jw_buf_text(path, e.name);
        const char *whole = jw_buf_cstr(path);

        if (!jw_buf_ok(path, err))
            return jw_wrap(err, "%s", t->path);
        if (!walk_entry(w, dir, &e, t, whole, err)
            || !jw_not_interrupted(w->scan->o->interrupted, err))
            return false;
    }
}

static bool is_new(struct scan *s, struct scan_ids *ids, struct jw_file_id id)
{
    unsigned seen;

    jw_lock_take(s->lock);
    bool fresh = scan_ids_add(ids, id, s->round, &seen);
    jw_lock_drop(s->lock);
    return fresh;
}

/* /proc, /sys: a file there is made when it is read, and there is no end of them. Asked where one
 * file system follows another. */
static bool is_kernels(const struct scan_task *t, const struct jw_dir *dir)
{
    struct jw_disk disk;

    return t->volume != jw_dir_id(dir).volume && jw_disk_look(t->path, &disk, JW_IGNORED)
           && disk.kind == JW_DISK_KERNEL;
}

static bool walk_folder(struct scan_worker *w, const struct scan_task *t, struct jw_err *err)
{
    struct jw_dir *dir = NULL;
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_err why;
    bool ok = true;

    scan_notify_progress(w->scan, t->path);
    if (!jw_dir_open(&dir, t->path, &why))
        return scan_skip(w, t->path, t->named, &why, err);
    if ((t->claimed || is_new(w->scan, &w->scan->seen_folders, jw_dir_id(dir)))
        && !is_kernels(t, dir))
        ok = walk_names(w, dir, t, &path, err);
    jw_buf_free(&path);
    jw_dir_close(dir);
    return ok;
}

static bool run_task(struct scan_worker *w, const struct scan_task *t, struct jw_err *err)
{
    struct jw_file_info info;
    struct jw_err why;

    if (!jw_not_interrupted(w->scan->o->interrupted, err))
        return false;
    if (!jw_file_stat(t->path, &info, &why))
        return scan_skip(w, t->path, t->named, &why, err);
    if (info.kind == JW_FILE_NONE) /* one that is not named was there when its folder was listed */
        return !t->named || jw_fail(err, JW_E_NAMED, "%s: %s", t->path, jw_why_absent(t->path));
    if (info.kind == JW_FILE_DIR)
        return scan_is_trusted(w, NULL, t, &why) ? walk_folder(w, t, err)
                                                 : scan_skip(w, t->path, t->named, &why, err);
    struct jw_file f = JW_FILE_CLOSED;
    bool hit = false, ok;

    if (info.kind == JW_FILE_REGULAR && !scan_recall(w, t, t->path, &info, &hit, err))
        return false;
    if (hit)
        return true;
    if (!jw_file_open(&f, t->path, &why))
        return scan_skip(w, t->path, t->named, &why, err);
    scan_notify_progress(w->scan, t->path);
    ok = scan_open_file(w, &f, t, err);
    jw_file_close(&f);
    return ok;
}

/* A link to a folder above itself, such as Wine's z:, leads to all of the machine. */
static bool leads_out(const char *link)
{
    struct jw_arena a = {0};
    const char *real = NULL;
    const char *folder = NULL;
    bool out = !jw_real_path(link, &a, &real, JW_IGNORED)
               || !jw_real_path(jw_path_dir(&a, link), &a, &folder, JW_IGNORED)
               || jw_path_below(folder, real);

    jw_arena_free(&a);
    return out;
}

/* Follows a link: walks a folder, scans a file, each only once. One thread follows all links in a
 * fixed order, so that the result does not depend on threads. */
static bool follow_link(struct scan_worker *w, const struct scan_task *link, struct jw_err *err)
{
    struct scan *s = w->scan;
    struct jw_file_info info;
    struct scan_task how = {.claimed = true};

    if (!jw_file_stat(link->path, &info, JW_IGNORED))
        return true; /* looping or unreadable links are ignored */
    if (info.kind == JW_FILE_DIR && link->depth > 0 && !leads_out(link->path))
        how.depth = link->depth - 1;
    else if (info.kind != JW_FILE_REGULAR)
        return true;
    return !is_new(s, info.kind == JW_FILE_DIR ? &s->seen_folders : &s->seen_files, info.id)
           || scan_push(s, link->path, how, err);
}

/* Follows the links after all real files, sorted, so that reported names do not depend on
 * threads. */
static bool follow_links(struct scan_worker *w, struct jw_err *err)
{
    struct scan *s = w->scan;
    struct scan_task *links;
    size_t n;
    bool ok = true;

    jw_lock_take(s->lock);
    links = s->links;
    n = s->n_links;
    s->links = NULL;
    s->n_links = s->cap_links = 0;
    s->round++;
    jw_lock_drop(s->lock);
    jw_sort(links, n, sizeof *links, jw_by_text);
    for (size_t i = 0; i < n; i++) {
        ok = ok && follow_link(w, &links[i], err);
        jw_free(links[i].path);
    }
    jw_free(links);
    return ok;
}

/* Takes the next task; false: none is left and no thread can add one. The last idle thread follows
 * the links. */
static bool next_task(struct scan *s, struct scan_task *t, bool *links)
{
    bool got = false;

    *links = false;
    jw_lock_take(s->lock);
    while (!s->failed && !got) {
        if (s->n_tasks) {
            *t = s->tasks[--s->n_tasks];
            got = true;
        } else if (s->busy == 0 && s->n_links) {
            *links = got = true;
        } else if (s->busy == 0) {
            break;
        } else {
            jw_lock_wait(s->lock, 0);
        }
    }
    if (got)
        s->busy++;
    else
        jw_lock_wake_all(s->lock);
    jw_lock_drop(s->lock);
    return got;
}

/* The first failure ends the scan. */
static void finish_task(struct scan *s, bool ok, const struct jw_err *err)
{
    jw_lock_take(s->lock);
    s->busy--;
    if (!ok && !s->failed)
        s->err = *err;
    s->failed |= !ok;
    jw_lock_wake_all(s->lock);
    jw_lock_drop(s->lock);
}

void scan_run_tasks(struct scan_worker *w)
{
    struct scan_task t = {0};
    struct jw_err err;
    bool links;

    while (next_task(w->scan, &t, &links)) {
        bool ok = links ? follow_links(w, &err) : run_task(w, &t, &err);

        if (!links)
            jw_free(t.path);
        finish_task(w->scan, ok, &err);
    }
}
