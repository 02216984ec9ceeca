/* The files of a command, before its starts and after each of them, by its own calls (os/process/file_trace.h). */
#include "base/arena.h"
#include "base/sort.h"
#include "base/text.h"
#include "os/files/real.h"
#include "pack/kit/kit_starts.h"

#include <string.h>

enum { MAX_COMPARED = 64 << 20, MAX_USED = 1 << 19 };

const char *jw_kit_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* ---- one file ---- */

/* Python's bytecode is no code for a GPU, and a lock only says that somebody is at work. */
static bool is_beside(const char *path)
{
    return jw_text_ends(path, ".pyc") || jw_text_ends(path, ".lock") || jw_text_ends(path, ".lck");
}

/* No file shows what was looked up in it, or added to it; and a copy without its log is another one. */
static bool is_database(const char *path)
{
    static const char *const parts[] = { "-wal", "-shm", "-journal" };
    static const char magic[] = "SQLite format 3";
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored = { 0 };
    char start[sizeof magic] = "";
    size_t n = 0;

    for (size_t i = 0; i < JW_COUNT(parts); i++)
        if (jw_text_ends(path, parts[i]))
            return true;
    bool ok = jw_file_open(&f, path, &ignored) && jw_file_read(&f, 0, start, sizeof start, &n, &ignored);

    jw_file_close(&f);
    return ok && n == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

bool jw_kit_digest(const char *path, uint64_t size, uint8_t digest[JW_DIGEST])
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored = { 0 };
    bool ok = size <= MAX_COMPARED && jw_file_open(&f, path, &ignored);

    if (ok) {
        struct jw_source bytes = jw_file_source(&f, size);

        ok = jw_digest_source(digest, &bytes, &ignored);
    }
    jw_file_close(&f);
    return ok;
}

static void see(struct kit_used *u, const struct jw_file_info *info)
{
    u->info = *info;
    u->compared = info->kind == JW_FILE_REGULAR && jw_kit_digest(u->path, info->size, u->digest);
}

/* Some engines (KeOps) read an index at their start and write the same again at their end; a result that is only
 * written, the same each time, is no entry. */
static bool is_as_it_was(const struct kit_used *u, const struct jw_file_info *now, bool opened)
{
    const struct jw_file_info *was = &u->info;
    uint8_t digest[JW_DIGEST];

    if (was->kind != JW_FILE_REGULAR || was->size != now->size)
        return false;
    return (was->mtime == now->mtime && jw_file_same(was->id, now->id))
           || (opened && u->compared && jw_kit_digest(u->path, now->size, digest)
               && memcmp(digest, u->digest, JW_DIGEST) == 0);
}

static bool is_made(const char *path, int64_t since, const struct jw_file_info *now, struct jw_arena *a)
{
    const char *real;
    struct jw_err ignored;

    return now->ctime >= since && jw_real_path(path, a, &real, &ignored) && strcmp(real, path) == 0;
}

/* ---- all of them ---- */

static struct kit_used *find_in(struct kit_used *files, size_t n, const char *path)
{
    const struct kit_used key = { .path = path };

    return jw_search(&key, files, n, sizeof key, jw_by_text);
}

const struct kit_used *kit_used_find(const struct jw_kit_starts *s, const char *path)
{
    return find_in(s->files, s->n, path);
}

static struct kit_used *add_file(struct jw_kit_starts *s, const char *path)
{
    struct kit_used *u = jw_list_add(s->a, &s->files, &s->n, sizeof *u, MAX_USED, &s->why);

    if (u)
        *u = (struct kit_used){ .path = path };
    return u;
}

static void sort_files(struct jw_kit_starts *s)
{
    jw_sort(s->files, s->n, sizeof *s->files, jw_by_text);
}

/* A file that is not as that start left it may be another program's. */
static void add_unproven(struct jw_kit_starts *s)
{
    const struct jw_kit *then = &s->then.unproven;

    for (size_t i = 0; i < then->n_files; i++) {
        const struct jw_kit_file *f = &then->files[i];
        const char *folder = jw_kit_folder_here(&then->caches[f->cache], s->a);
        const char *path = folder ? jw_arena_printf(s->a, "%s/%s", folder, f->path) : NULL;
        struct jw_file_info info;
        struct jw_err ignored;
        struct kit_used *u;

        if (!path || !jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_REGULAR
            || info.size != f->bytes || jw_kit_microseconds(&info) != f->mtime_us || !(u = add_file(s, path)))
            continue;
        u->earlier = u->waits = true;
        see(u, &info);
    }
}

struct jw_kit_starts *jw_kit_starts_begin(const struct jw_kit_command *of, struct jw_arena *a)
{
    struct jw_kit_starts *s = jw_arena_alloc(a, sizeof *s);
    const struct jw_kit *then = &s->then.kit;
    size_t n;

    s->a = a;
    s->of = of;
    s->packages = jw_arena_alloc(a, sizeof *s->packages);
    *s->packages = (struct jw_listings){ .a = a };
    (void)!jw_kit_recall(of->key, a, &s->then, &s->why);
    s->tops = jw_kit_tops_new(then, a);
    struct jw_kit_top *tops = jw_kit_tops_all(s->tops, &n);

    for (size_t i = 0; i < then->n_files; i++) {
        struct jw_kit_top *top = &tops[then->files[i].cache];
        struct kit_used *u;
        struct jw_file_info info;
        struct jw_err ignored;

        top->recorded++;
        if (!top->cache.path
            || !(u = add_file(s, jw_arena_printf(a, "%s/%s", top->cache.path, then->files[i].path))))
            continue;
        u->recorded = true;
        u->mark = then->files[i].asked;
        if (jw_file_stat(u->path, &info, &ignored))
            see(u, &info);
    }
    add_unproven(s);
    sort_files(s);
    return s;
}

bool kit_is_of_interest(const struct jw_kit_starts *s, const char *path)
{
    static const char *const systems[] = { "/dev", "/proc", "/sys", "/run" };
    static const char memory[] = "/dev/shm/";
    bool in_folder = jw_text_starts(path, memory) && strchr(path + strlen(memory), '/');

    /* Semaphores and shared memory lie in /dev/shm itself; a folder there may be anybody's TMPDIR. */
    for (size_t i = 0; i < JW_COUNT(systems) && !in_folder; i++)
        if (jw_kit_below(path, systems[i]))
            return false;
    for (size_t i = 0; i < s->skip.n; i++)
        if (s->skip.v[i] && jw_kit_below(path, s->skip.v[i]))
            return false;
    return !is_beside(path);
}

/* A file that is only opened counts in caches that are known by name, and a database where the record has one. */
static bool may_be_entry(struct jw_kit_starts *s, const char *path)
{
    const struct jw_kit_top *top = jw_kit_top_find(s->tops, path);

    return top && (top->known || (top->was && top->was->databases && is_database(path)));
}

/* A name that the start made, or else only opened; the first `sorted` files stood here before. */
static void note_name(struct jw_kit_starts *s, size_t sorted, const char *path, bool makes)
{
    struct kit_used *u = find_in(s->files, sorted, path);
    bool opened = !makes || jw_traced_has(s->by->opened, s->by->n_opened, path);
    struct jw_file_info now;
    struct jw_err ignored;

    if ((!makes && !u && !may_be_entry(s, path)) || !kit_is_of_interest(s, path)
        || !jw_file_stat(path, &now, &ignored))
        return;
    if (now.kind != JW_FILE_REGULAR) {
        struct jw_kit_top *top = jw_kit_top_find(s->tops, path);

        if (top)
            top->lost += makes && now.kind == JW_FILE_NONE;
        return;
    }
    bool made = makes && is_made(path, s->by->since, &now, s->a), database = is_database(path);
    bool held = !database && (u ? is_as_it_was(u, &now, opened) : !made), is_new = !u;

    if (is_new && (made || database || may_be_entry(s, path)))
        u = add_file(s, path);
    if (!u)
        return;
    u->made = made;
    u->held = held;
    u->database = database;
    if (is_new || (made && !held))
        see(u, &now);
    else if (held)
        u->info = now;
}

/* A file that is recorded as asked for needs only to be there, on a system where questions are not seen. */
static void note_question(const struct jw_kit_starts *s, struct kit_used *u)
{
    struct jw_file_info now;
    struct jw_err ignored;

    u->asked = !u->made && !u->held && (u->mark || jw_traced_has(s->by->asked, s->by->n_asked, u->path))
               && jw_file_stat(u->path, &now, &ignored) && now.kind == JW_FILE_REGULAR
               && is_as_it_was(u, &now, false) && !is_database(u->path);
}

void jw_kit_starts_add(struct jw_kit_starts *s, const struct jw_traced *by, struct jw_kit_skip skip)
{
    size_t sorted = s->n, n_tops;
    struct jw_kit_top *tops = jw_kit_tops_all(s->tops, &n_tops);

    s->by = by;
    s->skip = skip;
    s->n_starts++;
    for (size_t i = 0; i < n_tops; i++)
        tops[i].lost = 0;
    for (size_t i = 0; i < sorted; i++) {
        struct kit_used *u = &s->files[i];

        u->was = true;
        u->earlier |= u->made;
        u->made = u->held = u->asked = u->database = false;
    }
    for (size_t i = 0; i < by->n_made; i++)
        note_name(s, sorted, by->made[i], true);
    for (size_t i = 0; i < by->n_opened; i++)
        if (!jw_traced_has(by->made, by->n_made, by->opened[i]))
            note_name(s, sorted, by->opened[i], false);
    for (size_t i = 0; i < sorted; i++)
        note_question(s, &s->files[i]);
    sort_files(s);
}

size_t jw_kit_starts_made(const struct jw_kit_starts *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->files[i].made || (s->files[i].waits && s->files[i].held);
    return n;
}
