#include "prime/memory/sources.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/zip.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/file_trace.h"

#include <string.h>

#define SOURCES "source files in " /* the folder */
#define BETWEEN "//"
#define NOT_READ "-"
#define MODULE ".py"

enum {
    DIGITS = 10,
    STATE_DIGITS = 16,
    MAX_SOURCES = 8192,
    MAX_IN_GROUP = 128 /* with the longest names (255 characters) it is shorter than a text may be */
};

#define CLOCK_AHEAD ((int64_t)300 * 1000000000) /* the clock of a file server; another one was set back */

static const char no_state[] = "0000000000000000"; /* of files of which one was written meanwhile */

bool prime_is_of_sources(const struct jw_warm_answer *answer)
{
    return jw_text_starts(answer->question, SOURCES);
}

/* ---- which ---- */

static const char *base_of(const char *path) /* on Linux "\" is a letter of names */
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* True if the folder of the file has this name. */
static bool lies_in(const char *path, const char *folder)
{
    size_t n = strlen(folder), before = (size_t)(base_of(path) - path);

    return before > n + 1 && path[before - n - 2] == '/' && strncmp(path + before - n - 1, folder, n) == 0;
}

/* Returns the path without "//" and "/./". */
static const char *plain(const char *path, struct jw_arena *a)
{
    char *out = jw_arena_str(a, path);
    size_t n = 0;

    for (const char *at = path; *at; at++) {
        while (*at == '/' && (at[1] == '/' || (at[1] == '.' && at[2] == '/')))
            at += at[1] == '/' ? 1 : 2;
        out[n++] = *at;
    }
    out[n] = 0;
    return out;
}

/* Returns the module of which this is the cached code: Python reads its time and size, and the file itself only where
 * they are others. NULL: it is not there. */
static const char *source_of_cached(const char *path, struct jw_arena *a)
{
    const char *name = base_of(path);
    int stem = (int)strcspn(name, ".");

    if (lies_in(path, "__pycache__")) {
        int folder = (int)(name - path) - (int)sizeof "__pycache__";
        const char *source = jw_arena_printf(a, "%.*s/%.*s.py", folder - 1, path, stem, name);

        return jw_is_file(source) ? source : NULL;
    }
    /* PYTHONPYCACHEPREFIX: the whole path of the module's folder follows the one that it names */
    for (const char *at = strchr(path + 1, '/'); name[stem] && strstr(name, ".cpython-") && at && at < name;
         at = strchr(at + 1, '/')) {
        const char *source = jw_arena_printf(a, "%.*s%.*s.py", (int)(name - at), at, stem, name);

        if (jw_is_file(source))
            return source;
    }
    return NULL;
}

static bool is_archive(const char *path)
{
    static const char *const ends[] = { ".zip", ".egg", ".whl", ".pyz", ".pex" };

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(path, ends[i]))
            return true;
    return false;
}

/* Data comes in such files, too. */
static bool holds_modules(const char *path)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_arena own = { 0 };
    struct jw_file_info info;
    struct jw_zip zip = { 0 };
    struct jw_err ignored = { 0 };
    bool found = false;

    if (jw_file_open(&f, path, &ignored) && jw_file_info(&f, &info, &ignored)) {
        const struct jw_source bytes = jw_file_source(&f, info.size);
        const size_t n = jw_zip_open(&zip, &bytes, &own, &ignored) ? zip.n : 0;

        for (size_t i = 0; i < n && !found; i++)
            found = jw_text_ends(zip.list[i].name, ".py") || jw_text_ends(zip.list[i].name, ".pyc");
    }
    jw_zip_close(&zip);
    jw_file_close(&f);
    jw_arena_free(&own);
    return found;
}

/* A compiled module; one that holds CUDA code is recorded as loaded, too. */
static bool is_compiled_module(const char *path)
{
    return jw_text_ends(path, ".abi3.so")
           || (jw_text_ends(path, ".so") && strstr(base_of(path), ".cpython-"));
}

/* Returns the file to compare for one that was opened; NULL: none. */
static const char *source_of(const char *opened, struct jw_arena *a)
{
    static const char *const ends[] = { ".py", ".sh", ".cu", ".cuh" };

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(opened, ends[i]))
            return plain(opened, a);
    if (jw_text_ends(opened, ".pyc")) {
        const char *path = plain(opened, a), *source = source_of_cached(path, a);

        return source ? source : path;
    }
    /* a line of it may be code, or a folder of modules; elsewhere such a file is data */
    if (jw_text_ends(opened, ".pth"))
        return lies_in(opened, "site-packages") || lies_in(opened, "dist-packages") ? plain(opened, a) : NULL;
    return is_compiled_module(opened) || (is_archive(opened) && holds_modules(opened)) ? plain(opened, a)
                                                                                       : NULL;
}

/* The last folder that was found to be one of Python's library, or none. */
struct library {
    const char *path;
    size_t n;
    bool is;
};

/* Is it in lib/python3.11 itself? Packages are below folders of their own there. */
static bool is_of_library(const char *path, struct library *last, struct jw_arena *a)
{
    const char *at = strstr(path, "/lib/python3."), *in = at ? at : strstr(path, "/lib64/python3.");

    if (!in || strstr(in, "/site-packages/") || strstr(in, "/dist-packages/"))
        return false;
    in = strstr(in, "/python3.") + 1;

    size_t n = (size_t)(in - path) + strcspn(in, "/");

    if (!last->path || last->n != n || strncmp(last->path, path, n) != 0)
        *last = (struct library){ path, n, jw_is_file(jw_arena_printf(a, "%.*s/os.py", (int)n, path)) };
    return last->is;
}

/* ---- in their order ---- */

struct source {
    const char *path;
    size_t folder; /* so many bytes of it */
};

/* A folder comes directly before all that is below it. */
static int by_folder(const void *x, const void *y)
{
    const struct source *p = x, *q = y;

    for (size_t i = 0;; i++) {
        bool p_ends = i == p->folder, q_ends = i == q->folder;
        unsigned char c = (unsigned char)p->path[i], d = (unsigned char)q->path[i];

        if (p_ends && q_ends)
            return strcmp(p->path + i, q->path + i);
        if (p_ends || q_ends)
            return p_ends ? -1 : 1;
        if (c != d)
            return c == '/' ? -1 : d == '/' ? 1 : c < d ? -1 : 1;
    }
}

struct list {
    struct source *v;
    size_t n, room;
    bool more;
};

static void add_source(struct list *l, const char *path)
{
    if (path && l->n < l->room)
        l->v[l->n++] = (struct source){ path, (size_t)(base_of(path) - path) };
}

static void sort_sources(struct list *l)
{
    size_t kept = 0;

    jw_sort(l->v, l->n, sizeof *l->v, by_folder);
    for (size_t i = 0; i < l->n; i++)
        if (!kept || strcmp(l->v[kept - 1].path, l->v[i].path) != 0)
            l->v[kept++] = l->v[i];
    l->more = kept > MAX_SOURCES;
    l->n = l->more ? MAX_SOURCES : kept;
}

/* ---- an answer, read ---- */

struct span {
    const char *p;
    size_t n;
};

/* Takes what is before the next so many slashes, or all that is left. */
static struct span take(const char **at, const char *end, size_t slashes)
{
    const char *p = *at, *slash = p;

    while ((slash = memchr(slash, '/', (size_t)(end - slash)))
           && (end - slash < (ptrdiff_t)slashes || slash[slashes - 1] != '/'))
        slash++;
    *at = slash ? slash + slashes : end;
    return (struct span){ p, (size_t)((slash ? slash : end) - p) };
}

struct group {
    struct span below, state, files;
    const char *end; /* of the answer */
    const char *at;  /* the next group */
};

static struct group groups_of(const struct jw_warm_answer *answer)
{
    return (struct group){ .at = answer->answer, .end = answer->answer + strlen(answer->answer) };
}

static bool next_group(struct group *g)
{
    if (g->at == g->end)
        return false;
    g->below = take(&g->at, g->end, sizeof BETWEEN - 1);
    g->state = take(&g->at, g->end, sizeof BETWEEN - 1);
    g->files = take(&g->at, g->end, sizeof BETWEEN - 1);
    return true;
}

/* The files of a group: the path of each is in `path`, until the next one is taken. */
struct files {
    struct jw_buf path;
    size_t folder; /* so many bytes of it are the folder */
    const char *at, *end;
    struct span digest;
};

/* Adds it with the "/" behind it, which that of the first folder has. */
static void add_to_path(struct jw_buf *path, const char *p, size_t n)
{
    jw_buf_add(path, p, n);
    if (n && p[n - 1] != '/')
        jw_buf_text(path, "/");
}

static struct files files_of(const struct jw_warm_answer *answer, const struct group *g)
{
    struct files f = { .path = JW_BUF(JW_MAX_PATH), .at = g->files.p, .end = g->files.p + g->files.n };

    add_to_path(&f.path, answer->question + sizeof SOURCES - 1,
                strlen(answer->question) - (sizeof SOURCES - 1));
    add_to_path(&f.path, g->below.p, g->below.n);
    f.folder = f.path.n;
    return f;
}

/* Returns the path of the next file; NULL: there is none. */
static const char *next_file(struct files *f)
{
    if (f->at == f->end)
        return NULL;
    struct span name = take(&f->at, f->end, 1);

    f->digest = take(&f->at, f->end, 1);
    f->path.n = f->folder;
    jw_buf_add(&f->path, name.p, name.n);
    if (!memchr(name.p, '.', name.n))
        jw_buf_text(&f->path, MODULE);
    return jw_buf_cstr(&f->path);
}

/* ---- their state ---- */

/* Adds what is new where the file is another one, as jw_file_unchanged has it. */
static uint64_t add_state(uint64_t state, const struct jw_file_info *info)
{
    const uint64_t facts[] = { info->size, (uint64_t)info->mtime, (uint64_t)info->ctime, info->id.node,
                               info->ctime % 1000000000 ? 0 : info->id.volume };

    return jw_fnv1a(state, facts, sizeof facts);
}

static struct jw_file_info see_source(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR ? info
                                                                               : (struct jw_file_info){ 0 };
}

static uint64_t group_state(const struct jw_warm_answer *answer, const struct group *g)
{
    struct files f = files_of(answer, g);
    uint64_t state = JW_FNV_START;

    for (const char *path; (path = next_file(&f));) {
        struct jw_file_info info = see_source(path);

        state = add_state(state, &info);
    }
    jw_buf_free(&f.path);
    return state;
}

/* Commands read the same files of a package: their state is looked at once. */
static const char *state_now(const struct jw_warm_answer *answer, const struct group *g,
                             const struct jw_trace *now)
{
    uint64_t key = jw_fnv1a(JW_FNV_START, answer->question, strlen(answer->question) + 1);

    key = jw_fnv1a(jw_fnv1a(key, g->below.p, g->below.n), g->files.p, g->files.n);

    struct jw_trace_look *one = &now->looks[key % JW_TRACE_LOOKS];

    if (one->key != key)
        *one = (struct jw_trace_look){ key, group_state(answer, g) };
    return jw_arena_printf(now->a, "%016llx", (unsigned long long)one->state);
}

static bool is_span(struct span s, const char *text, size_t n)
{
    return s.n == n && memcmp(s.p, text, n) == 0;
}

static bool is_digest(struct span recorded, const char *path, struct jw_digests *d)
{
    struct jw_file_info info = see_source(path);
    const char *hex =
        recorded.n == DIGITS && info.kind == JW_FILE_REGULAR ? jw_digests_of(d, path, &info) : NULL;

    return hex && is_span(recorded, hex, DIGITS);
}

/* Returns the first file of the group that has other bytes than were recorded. */
static const char *change_in(const struct jw_warm_answer *answer, const struct group *g, struct jw_digests *d,
                             struct jw_arena *a)
{
    struct files f = files_of(answer, g);
    const char *path, *changed = NULL;

    while (!changed && (path = next_file(&f)))
        if (!is_digest(f.digest, path, d))
            changed = jw_arena_str(a, path);
    jw_buf_free(&f.path);
    return changed;
}

const char *prime_sources_change(const struct jw_warm_answer *answer, const struct jw_trace *now)
{
    struct jw_digests once = { .a = now->a };
    const char *changed = NULL;

    for (struct group g = groups_of(answer); !changed && next_group(&g);)
        if (!is_span(g.state, state_now(answer, &g, now), STATE_DIGITS))
            changed = change_in(answer, &g, now->digests ? now->digests : &once, now->a);
    return changed;
}

const char *prime_sources_renewed(const struct jw_warm_answer *answer, const struct jw_trace *now)
{
    char *out = jw_arena_text(now->a, answer->answer, strlen(answer->answer));
    bool renewed = false;

    for (struct group g = groups_of(answer); next_group(&g);) {
        const char *state = state_now(answer, &g, now);

        if (g.state.n != STATE_DIGITS || is_span(g.state, state, STATE_DIGITS))
            continue;
        memcpy(out + (g.state.p - answer->answer), state, STATE_DIGITS);
        renewed = true;
    }
    return renewed ? out : NULL;
}

/* ---- all files of a record ---- */

static size_t count_recorded(const struct jw_warm_loads *then)
{
    size_t n = 0;

    for (size_t i = 0; then && i < then->n_answers; i++)
        for (const char *at = then->answers[i].answer; prime_is_of_sources(&then->answers[i]) && *at; at++)
            n += *at == '/';
    return n; /* each file has one, and more have groups */
}

static void add_recorded(struct list *l, const struct jw_warm_loads *then, struct jw_arena *a)
{
    for (size_t i = 0; then && i < then->n_answers; i++) {
        const struct jw_warm_answer *answer = &then->answers[i];

        if (!prime_is_of_sources(answer))
            continue;
        for (struct group g = groups_of(answer); next_group(&g);) {
            struct files f = files_of(answer, &g);

            for (const char *path; (path = next_file(&f));)
                add_source(l, jw_arena_str(a, path));
            jw_buf_free(&f.path);
        }
    }
}

static struct list list_for(size_t n, struct jw_arena *a)
{
    return (struct list){ .v = jw_arena_alloc(a, (n + 1) * sizeof(struct source)), .room = n };
}

bool prime_was_read(const struct jw_warm_loads *then, const char *path, struct jw_arena *a)
{
    struct list l = list_for(count_recorded(then), a);

    add_recorded(&l, then, a);
    for (size_t i = 0; i < l.n; i++)
        if (strcmp(l.v[i].path, path) == 0)
            return true;
    return false;
}

/* ---- to a record ---- */

struct record {
    const struct prime_sources *of;
    struct prime_digesting *d;
    struct jw_warm_answer *out;
    size_t n;
    const char *folder; /* of the answer that is being made; NULL: none is */
    struct jw_buf answer;
    int64_t now;
};

/* Was it written after the command started, as far as the clock of its file system tells? */
static bool is_new(const struct record *r, const struct jw_file_info *info)
{
    const struct jw_file_info written = { .mtime = info->ctime, .ctime = info->ctime };

    return !jw_file_change_shows(&written, r->of->started) && info->ctime <= r->now + CLOCK_AHEAD;
}

/* "x.py", with no other dot: it is recorded as "x". */
static bool is_plain_module(const char *name)
{
    const char *dot = strchr(name, '.');

    return dot && dot > name && strcmp(dot, MODULE) == 0;
}

static const char *source_digest(struct prime_digesting *d, const char *path, const struct jw_file_info *info)
{
    const char *hex = jw_digests_known(d->known, path, info);

    if (!hex && info->size <= d->room) {
        d->room -= info->size;
        hex = jw_digests_of(d->known, path, info);
    }
    return hex ? jw_arena_text(d->a, hex, DIGITS) : NOT_READ;
}

static void end_answer(struct record *r)
{
    if (r->folder)
        r->out[r->n++] = (struct jw_warm_answer){ jw_arena_printf(r->d->a, SOURCES "%s", r->folder),
                                                  jw_arena_str(r->d->a, jw_buf_cstr(&r->answer)) };
    jw_buf_clear(&r->answer);
    r->folder = NULL;
}

static const char *below_answer(const struct record *r, const char *folder)
{
    if (!r->folder)
        return NULL;
    return strcmp(folder, r->folder) == 0 ? "" : jw_path_below(folder, r->folder);
}

/* Adds a group: to a new answer where the folder is not below that of the last one, or where that would be longer than
 * a text of a record may be. */
static void add_group(struct record *r, const char *folder, const char *state, const char *files)
{
    const char *below = below_answer(r, folder), *of = below ? r->folder : folder;

    if (!below
        || r->answer.n + strlen(below) + strlen(files) + STATE_DIGITS + 3 * strlen(BETWEEN) > JW_MAX_PATH)
        end_answer(r);
    jw_buf_printf(&r->answer, "%s%s" BETWEEN "%s" BETWEEN "%s", r->folder ? BETWEEN : "", below ? below : "",
                  state, files);
    r->folder = of;
}

/* Some files of one folder. */
static void put_group(struct record *r, const struct source *v, size_t n)
{
    struct jw_buf files = JW_BUF(JW_MAX_STATE_RECORD);
    uint64_t state = JW_FNV_START;
    bool written = false;

    for (size_t i = 0; i < n; i++) {
        struct jw_file_info info = see_source(v[i].path);

        if (info.kind != JW_FILE_REGULAR)
            continue;
        bool new = is_new(r, &info);

        written |= new;
        state = add_state(state, &info);
        const char *name = v[i].path + v[i].folder;
        size_t stem = strlen(name) - (is_plain_module(name) ? sizeof MODULE - 1 : 0);

        jw_buf_printf(&files, "%s%.*s/%s", files.n ? "/" : "", (int)stem, name,
                      new ? NOT_READ : source_digest(r->d, v[i].path, &info));
    }
    if (files.n)
        add_group(r, jw_arena_text(r->d->a, v->path, v->folder > 1 ? v->folder - 1 : 1),
                  written ? no_state : jw_arena_printf(r->d->a, "%016llx", (unsigned long long)state),
                  jw_buf_cstr(&files));
    jw_buf_free(&files);
}

static bool makes_it(const struct prime_sources *sources, const char *path)
{
    return jw_traced_has(sources->made, sources->n_made, path);
}

static struct list find_sources(const struct prime_sources *sources, struct jw_arena *a)
{
    struct list l = list_for(sources->n + count_recorded(sources->before), a);
    struct library last = { 0 };
    size_t kept = 0;

    for (size_t i = 0; i < sources->n; i++) {
        const char *opened = sources->opened[i],
                   *path = makes_it(sources, opened) ? NULL : source_of(opened, a);

        if (path && !is_of_library(path, &last, a))
            add_source(&l, path);
    }
    add_recorded(&l, sources->before, a);
    for (size_t i = 0; i < l.n; i++)
        if (!makes_it(sources, l.v[i].path))
            l.v[kept++] = l.v[i];
    l.n = kept;
    sort_sources(&l);
    return l;
}

void prime_sources_record(const struct prime_sources *sources, struct prime_digesting *d,
                          struct jw_warm_answer **out, size_t *n_out)
{
    struct list l = find_sources(sources, d->a);
    struct record r = { .of = sources,
                        .d = d,
                        .out = jw_arena_alloc(d->a, (l.n + 2) * sizeof *r.out),
                        .answer = JW_BUF(JW_MAX_STATE_RECORD),
                        .now = jw_time_unix_ns() };

    for (size_t i = 0, end = 0; i < l.n; i = end) {
        for (end = i + 1; end < l.n && end - i < MAX_IN_GROUP && l.v[end].folder == l.v[i].folder
                          && strncmp(l.v[end].path, l.v[i].path, l.v[i].folder) == 0;)
            end++;
        put_group(&r, l.v + i, end - i);
    }
    end_answer(&r);
    jw_buf_free(&r.answer);
    if (l.more)
        r.out[r.n++] =
            prime_not_watched("the rest of the source files that it reads", "they are more than 8,192", d->a);
    if (sources->untraced)
        r.out[r.n++] = prime_not_watched("what it imports", sources->untraced, d->a);
    *out = r.out;
    *n_out = r.n;
}
