/* prime --run CMD: starts the command once and makes it a root. The root has the modules that the
 * command loaded, each with the file that holds it or with its PTX, and the modules of these files
 * that share a kernel with one of them. */
#include "base/command.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/change/publish.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "prime/kept.h"
#include "prime/look_work.h"
#include "prime/steps.h"
#include "prime/watch.h"

#include <string.h>

struct recording {
    struct jw_prime *p;
    struct jw_arena *a;
    struct jw_watched w;
    struct scan_jobs found; /* in the programs and libraries that the command had mapped */
    struct jw_job *loaded;  /* modules that the command loaded, each from its entry */
    size_t n_loaded;
    struct jw_digest_set texts;     /* the loaded modules that a file holds */
    struct jw_root_module *modules; /* modules of the root */
    size_t n_modules;
};

/* ---- which modules it loaded ---- */

/* Notes and counts entries that cannot be made again: those of NVRTC, nvJitLink and OpenCL have no
 * PTX that the driver takes, and a few of the driver's have a key that no known call makes. */
static uint64_t note_sourceless(const struct recording *r)
{
    const struct jw_start_seen *s = &r->w.seen;
    const char *said = "";
    uint64_t sum = 0;

    for (unsigned kind = 0; kind <= JW_CACHE_OTHER; kind++) {
        uint64_t n = s->loaded[kind] - (kind == JW_CACHE_CUDA ? r->n_loaded : 0);

        if (n)
            said = jw_arena_printf(r->a, "%s%s%s of %s", said, sum ? ", " : "", JW_NUM(n),
                                   jw_cache_makers[kind]);
        sum += n;
    }
    if (sum)
        JW_NOTE(r->p->run,
                "entries that only the program makes again, and jitwarm export copies: %s", said);
    return sum;
}

/* Does this entry count? Another program may have opened entries of another driver. */
static bool counts(const struct recording *r, const struct jw_cache_file *f)
{
    const struct jw_scope *s = &r->p->look->scope;

    return !f->damage && f->kind == JW_CACHE_CUDA && f->sm && jw_watched_uses(&r->w, f) && s->stamp
           && strcmp(f->stamp, s->stamp) == 0;
}

static void take_loaded(struct recording *r)
{
    const struct jw_cache_listing *l = &r->w.after;

    r->loaded = jw_arena_alloc(r->a, (l->n + 1) * sizeof *r->loaded);
    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];
        struct jw_job *j = &r->loaded[r->n_loaded];

        if (!counts(r, f))
            continue;
        const char *path = jw_cache_entry_path(r->w.cache, f->name, r->a);

        *j = (struct jw_job){.name = f->name, .key_size = f->entry.key_size, .sm = f->sm};
        r->n_loaded += jw_entry_job(r->a, &r->p->look->scope, path, NULL, j);
    }
}

/* ---- which files hold them ---- */

static bool scan_files(struct recording *r, struct jw_err *err)
{
    struct jw_scan_folder *files = jw_arena_alloc(r->a, (r->w.n_files + 1) * sizeof *files);
    struct scan_jobs_options o =
        look_files_scan(r->p->run->session, &r->p->look->scope, files, r->w.n_files);

    for (size_t i = 0; i < r->w.n_files; i++)
        files[i] = (struct jw_scan_folder){.path = r->w.files[i]};
    o.scan.all = o.shared = true;
    return !r->n_loaded || !r->w.n_files || scan_jobs_find(&o, &r->found, err);
}

/* Finds a loaded module in the files: by the name of its entry, if names are known, as a program
 * may load PTX with options of its own. */
static const struct jw_job *in_file(const struct recording *r, const struct jw_job *loaded)
{
    for (const struct jw_job *j = r->found.list; j < r->found.list + r->found.n; j++)
        if (j->name ? j->name == loaded->name : memcmp(j->text, loaded->text, JW_DIGEST) == 0)
            return j;
    return NULL;
}

/* Adds a module to the root: by the digest of its PTX, or by its id if no file has it. */
static void add_module(struct recording *r, const uint8_t of[JW_DIGEST], const char *file)
{
    struct jw_root_module *m = &r->modules[r->n_modules++];

    memcpy(file ? m->digest : m->id, of, JW_DIGEST);
    m->file = file ? jw_arena_str(r->a, file) : NULL;
}

/* ---- modules that share a kernel with them ---- */

/* Is it the first of its form, and no other form of the same PTX was added from its file? */
static bool is_new(const struct recording *r, const struct jw_job *j)
{
    for (const struct jw_job *o = r->found.list; o < j; o++)
        if (memcmp(o->id, j->id, JW_DIGEST) == 0)
            return false;
    for (const struct jw_root_module *m = r->modules; m < r->modules + r->n_modules; m++)
        if (memcmp(m->digest, j->text, JW_DIGEST) == 0 && jw_text_same(m->file, j->place->path))
            return false;
    return true;
}

static bool take_kernels(const struct recording *r, uint64_t **kernels, size_t *n,
                         struct jw_err *err)
{
    for (const struct jw_job *j = r->found.list; j < r->found.list + r->found.n; j++) {
        if (!jw_digest_set_has(&r->texts, j->text))
            continue;
        for (size_t k = 0; k < j->n_shared; k++) {
            uint64_t *slot = jw_list_add(r->a, kernels, n, sizeof *slot, JW_MAX_OWNED, err);

            if (!slot)
                return false;
            *slot = j->shared[k];
        }
    }
    jw_sort_u64(*kernels, *n, sizeof **kernels);
    return true;
}

static bool shares_one(const struct jw_job *j, const uint64_t *kernels, size_t n)
{
    for (size_t k = 0; k < j->n_shared; k++)
        if (jw_find_u64(kernels, n, sizeof *kernels, j->shared[k]))
            return true;
    return false;
}

/* Several modules of a program may hold a kernel of the same name (weak ones, from templates in
 * headers). The runtime takes the first by address, so each start may load another module: all of
 * them are added, and of the same PTX each form, as each has an entry. */
static bool add_found(struct recording *r, uint64_t *added, struct jw_err *err)
{
    uint64_t *kernels = NULL;
    size_t n = 0;

    if (!take_kernels(r, &kernels, &n, err))
        return false;
    for (const struct jw_job *j = r->found.list; j < r->found.list + r->found.n; j++) {
        bool loaded = jw_digest_set_has(&r->texts, j->text);

        if ((!loaded && !shares_one(j, kernels, n)) || !is_new(r, j))
            continue;
        add_module(r, j->text, j->place->path);
        *added += !loaded;
    }
    return true;
}

/* ---- the root ---- */

/* Keeps PTX that no file has. A module that cannot be kept is not recorded. */
static void keep(struct recording *r, const struct jw_job *j, uint64_t *room, uint64_t *unkept,
                 const char **why)
{
    struct jw_err err = {0};

    if (jw_kept_put(r->p->look->memory, j->place->entry, j->place->entry_key, j->id, room, &err))
        add_module(r, j->id, NULL);
    else if (++*unkept == 1)
        *why = jw_arena_str(r->a, err.msg);
}

static void take_modules(struct recording *r, uint64_t room)
{
    const char *why = NULL;
    uint64_t unkept = 0;

    r->modules = jw_arena_alloc(r->a, (r->n_loaded + r->found.n + 1) * sizeof *r->modules);
    for (size_t i = 0; i < r->n_loaded; i++) {
        const struct jw_job *found = in_file(r, &r->loaded[i]);

        if (found)
            jw_digest_set_add(&r->texts, r->a, found->text);
        else
            keep(r, &r->loaded[i], &room, &unkept, &why);
    }
    jw_digest_set_sort(&r->texts);
    if (unkept)
        JW_NOTE(r->p->run, "the PTX of %s is in no file and was not kept: %s",
                JW_N(unkept, "module", "modules"), why);
}

/* Notes what the files hold beside the root's modules, if the start was stopped. Programs load few
 * modules of NVIDIA's libraries. */
static void note_more(struct recording *r)
{
    const char *cache = r->p->look->asked.cache;
    const char *last = "";
    bool windows = jw_os_is_windows();
    const char *line =
        JW_COMMAND(r->a, windows, "jitwarm", "prime", cache ? "--cache" : NULL, cache);
    struct jw_digest_set cold = {0};

    for (size_t i = 0; i < r->n_modules; i++)
        jw_digest_set_add(&r->texts, r->a, r->modules[i].digest);
    jw_digest_set_sort(&r->texts);
    for (const struct jw_job *j = r->found.list; j < r->found.list + r->found.n; j++) {
        const char *path = j->place->path;

        if (!j->name || jw_cache_file_find(&r->w.after, j->name)
            || jw_digest_set_has(&r->texts, j->text) || jw_is_vendor_file(jw_path_base(path)))
            continue;
        jw_digest_set_add(&cold, r->a, j->text);
        if (strcmp(last, path) != 0)
            line = jw_arena_printf(r->a, "%s %s", line, JW_COMMAND(r->a, windows, path));
        last = path;
    }
    jw_digest_set_sort(&cold);
    if (cold.n)
        JW_NOTE(r->p->run, "its files hold cold modules, which another start may load (%s): %s",
                JW_NUM(cold.n), line);
}

static bool save_root(struct recording *r, struct jw_err *err)
{
    struct jw_prime *p = r->p;
    struct jw_look *l = p->look;
    uint64_t shared = 0;
    uint64_t kept = jw_kept_sweep(l->memory, &l->roots);

    take_modules(r, JW_MAX_KEPT - jw_min(JW_MAX_KEPT, kept));
    bool ok = add_found(r, &shared, err);

    if (ok) {
        const struct jw_root root = {.kind = JW_ROOT_COMMAND,
                                     .words = p->o.want.command.v,
                                     .n_words = p->o.want.command.n,
                                     .modules = r->modules,
                                     .n_modules = r->n_modules,
                                     .when = jw_time_unix()};

        jw_roots_record(&l->roots, &root, p->run->a);
        ok = jw_kept_save(l->memory, &l->roots, err);
    }
    if (ok && shared)
        JW_NOTE(
            p->run,
            "modules of its files that share a kernel with these, which another start may load: %s",
            JW_NUM(shared));
    if (ok && r->w.seen.start.stopped)
        note_more(r);
    return ok;
}

/* ---- entries that it made in an empty cache ---- */

/* Moves the entries into the user's cache. That ends their files, so their PTX was kept before. */
static bool publish(struct recording *r, struct jw_err *err)
{
    const struct jw_scope *s = &r->p->look->scope;
    const struct jw_cache_listing *l = &r->w.after;
    struct jw_publish_entry *list = jw_arena_alloc(r->a, (l->n + 1) * sizeof *list);
    struct jw_publisher *publisher = NULL;
    struct jw_cache_lookup there = {0};
    size_t n = 0;

    if (r->w.uses != JW_USES_ALL)
        return true;
    if (!jw_cache_lookup_open(s->cache, r->a, &there, err))
        return false;
    uint64_t room = jw_cache_room(s->limit, there.index.total);

    jw_cache_lookup_close(&there);
    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];
        uint64_t size = jw_cache_weight(&f->entry);

        if (f->damage || jw_cache_file_find(&r->w.before, f->name) || size > room)
            continue;
        room -= size;
        list[n++] = (struct jw_publish_entry){
            .name = f->name, .size = size, .from = jw_cache_entry_path(r->w.cache, f->name, r->a)};
    }
    bool ok = !n
              || (jw_publisher_open(&publisher, s->cache, err)
                  && jw_publisher_add(publisher, list, n, r->a, err)
                  && jw_publisher_flush(publisher, JW_PUBLISH_PATIENCE_MS, NULL, err));

    jw_publisher_close(publisher);
    return ok;
}

/* ---- from beginning to end ---- */

/* Where opens cannot be seen, the command gets an empty cache, if entries can be moved later. */
static bool make_empty(struct jw_prime *p, const char **empty, struct jw_err *err)
{
    *empty = NULL;
    if (!jw_os_is_windows())
        return true;
    if (p->look->scope.level < JW_LEVEL_PLACEABLE) {
        JW_NOTE(p->run, "entries cannot be moved here: only what the command compiles now is seen");
        return true;
    }
    if (!jw_hold_make_work(&p->hold, err))
        return false;
    *empty = jw_path_join(p->run->a, p->hold.work, "command");
    return jw_make_private_dir(*empty, err) || jw_wrap(err, "%s", *empty);
}

/* What is said of a command that loaded no module. `others`: it compiled by other compilers.
 * `idle`: it compiled nothing. */
static const char *why_without(bool others, bool idle, bool is_root)
{
    if (others)
        return "if its next start compiles, too, each does, and no cache helps (docs/run.md)";
    if (!idle)
        return "the command loaded no module that jitwarm can compile";
    return is_root ? "the driver compiled nothing for the command"
                   : "nothing was recorded: the driver compiled nothing for the command";
}

/* Ends the run, as no module of the command was seen in this cache. The command is a root even so:
 * export copies its entries of NVRTC. */
static bool end_without(struct recording *r, struct jw_err *err)
{
    const struct jw_start_seen *s = &r->w.seen;
    bool root = note_sourceless(r);
    bool others = jw_start_made(s) > s->made[JW_CACHE_CUDA] && !s->code;
    bool still = jw_start_compiled(s) == JW_WITNESS_NOTHING || (s->start.unseen && !s->code);
    bool idle = still && !s->start.failed;
    enum jw_end end = others ? JW_END_DONE : JW_END_PARTLY;
    const char *why = why_without(others, idle, root);

    if (root && !(save_root(r, err) && publish(r, err)))
        return false;
    if (s->start.cache) /* a cause, too */
        return jw_run_done(r->p->run, JW_END_PARTLY);
    if (idle)
        end = JW_END_NOTHING;
    if (!s->why)
        return jw_run_end(r->p->run, end, "%s", why);
    JW_NOTE(r->p->run, "%s", why); /* why the start is in doubt is said first */
    return jw_run_done(r->p->run, end);
}

static void note_doubts(const struct recording *r)
{
    const struct jw_start_seen *s = &r->w.seen;

    if (s->start.failed) /* it is a root even so, and records more once it works */
        JW_NOTE(r->p->run, "recorded is what the command loaded before it failed");
    if (r->w.uses == JW_USES_SHARED)
        JW_NOTE(r->p->run,
                "another program used a CUDA cache meanwhile: its modules may be recorded, too");
    else if (r->w.uses == JW_USES_MADE)
        JW_NOTE(r->p->run, "opened files could not be watched: modules that were in the cache "
                           "before may be missing");
    (void)note_sourceless(r);
}

static bool make_root(struct recording *r, struct jw_err *err)
{
    take_loaded(r);
    if (!r->n_loaded)
        return end_without(r, err);
    note_doubts(r);
    return scan_files(r, err) && save_root(r, err) && publish(r, err);
}

bool prime_record(struct jw_prime *p, struct jw_err *err)
{
    struct recording r = {.p = p, .a = p->run->a};
    struct jw_watch_how how = {.words = p->o.want.command.v,
                               .output_to_errors = p->o.output_to_errors};

    if (p->look->scope.level < JW_LEVEL_READABLE)
        return jw_run_end(
            p->run, JW_END_EMPTY,
            "the entries of this driver cannot be read, so a command cannot be recorded");
    jw_look_load_roots(p->run, p->look, true);
    if (!make_empty(p, &how.empty, err))
        return false;
    jw_run_show(p->run, "watching the command", 0, 0);
    bool ok = jw_watch_run(p->run, &how, &r.w, err);

    p->seen = jw_arena_copy(r.a, &r.w.seen, sizeof r.w.seen);
    p->look->seen.start = r.w.seen.start;
    ok = ok && make_root(&r, err);
    scan_jobs_free(&r.found);
    jw_watched_free(&r.w);
    return ok;
}
