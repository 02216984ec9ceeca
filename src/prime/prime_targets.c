/*
 * Chooses the files and folders to prime: the given paths, or those that earlier runs recorded and the software found
 * now.
 */
#include "prime/prime_steps.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/place/cacheplace.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "software/find/discover.h"
#include "software/find/editable.h"
#include "software/find/pyinfo.h"
#include "software/find/vendor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_root(struct jw_run *run, struct prime_software *s, const struct search_root *one,
                     struct jw_err *err)
{
    for (size_t i = 0; i < s->n_targets; i++) {
        struct search_root *t = &s->targets[i];

        if (strcmp(t->path, one->path) != 0 || (t->link && one->link && strcmp(t->link, one->link) != 0))
            continue;
        t->named |= one->named;
        t->itself |= one->itself;
        t->link = t->link ? t->link : one->link;
        if (one->depth > t->depth)
            t->depth = one->depth;
        return true;
    }
    struct search_root *t = jw_list_add(run->a, &s->targets, &s->n_targets, sizeof *t, JW_MAX_ROOTS, err);

    if (t)
        *t = *one;
    return t != NULL;
}

static bool add_found(struct jw_run *run, struct prime_software *s, const char *path, unsigned depth,
                      struct jw_err *err)
{
    return add_root(run, s, &(struct search_root){ path, NULL, depth, false, true }, err);
}

/* Returns the working folder as the shell names it, by the links that led here; NULL: it is not known. */
static const char *this_folder(struct jw_run *run)
{
    const char *pwd = jw_env(run->a, "PWD"), *real;
    struct jw_file_info here, there;
    struct jw_err ignored;

    if (pwd && jw_path_absolute(pwd) && jw_file_stat(".", &here, &ignored)
        && jw_file_stat(pwd, &there, &ignored) && there.kind == JW_FILE_DIR
        && here.id.volume == there.id.volume && here.id.node == there.id.node)
        return pwd;
    return jw_real_path(".", run->a, &real, &ignored) ? real : NULL;
}

/* Returns the path absolute and without superfluous parts; NULL where only the system knows what it means (".."). */
static const char *as_written(struct jw_run *run, const char *path)
{
    const char *folder = jw_path_absolute(path) ? "/" : this_folder(run);
    struct jw_buf b = JW_BUF_IN(run->a, JW_MAX_PATH);
    bool known = folder && !jw_os_is_windows();

    for (path = known ? jw_path_join(run->a, folder, path) : ""; known && *path;) {
        size_t n = strcspn(path, "/");

        known = n != 2 || strncmp(path, "..", n) != 0;
        if (n && !(n == 1 && *path == '.'))
            jw_buf_printf(&b, "/%.*s", (int)n, path);
        path += n + (path[n] == '/');
    }

    return known && !b.bad ? jw_arena_str(run->a, b.n ? jw_buf_cstr(&b) : "/") : NULL;
}

static bool add_named(struct jw_run *run, struct prime_software *s, const char *path, struct jw_err *err)
{
    const char *real, *written = as_written(run, path);

    if (!jw_real_path(path, run->a, &real, err))
        return jw_wrap(err, "%s", path);
    bool link = written && strcmp(written, real) != 0;

    return add_root(run, s, &(struct search_root){ real, link ? written : NULL, JW_MAX_DEPTH, true, !link },
                    err);
}

/* Makes the given paths absolute, so that a run in another folder means the same. */
static bool add_given(struct jw_run *run, struct prime_software *s, struct jw_err *err)
{
    for (size_t i = 0; i < s->paths.n; i++) {
        const char *path = s->paths.items[i];
        struct jw_file_info info;

        if (!jw_file_stat(path, &info, err)) {
            err->code = jw_is_circle(path) ? JW_E_USAGE : err->code; /* there is no such file */
            return jw_wrap(err, "%s", path);
        }
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", path);
        if (info.kind == JW_FILE_REGULAR && jw_text_ends(path, ".cu"))
            return jw_fail(err, JW_E_USAGE,
                           "%s is a source: jitwarm prime SOURCE -o FILE.ptx makes PTX of it", path);
        if (!add_named(run, s, path, err))
            return false;
    }
    s->from = "given";
    return true;
}

/* A receipt has "=PATH" for named paths, and "DEPTH PATH" for found ones. */
static bool add_recorded_one(struct jw_run *run, struct prime_software *s, const char *text,
                             struct jw_err *err)
{
    char *path;
    unsigned long depth;

    if (*text == '=')
        return add_named(run, s, text + 1, err);
    depth = strtoul(text, &path, 10);
    if (*path != ' ' || depth > JW_MAX_DEPTH)
        return true;
    return add_found(run, s, path + 1, (unsigned)depth, err);
}

/* Is this path, or a folder above it, excluded now? */
static bool is_excluded(struct jw_run *run, const char *path)
{
    size_t n;
    const char *const *exclude = jw_session_excludes(run->session, &n);

    for (const char *below = NULL; path && (!below || strcmp(path, below) != 0);
         below = path, path = jw_path_dir(run->a, path))
        for (size_t i = 0; i < n; i++)
            if (jw_path_match(exclude[i], path))
                return true;
    return false;
}

/* Forgets targets that are gone, such as a removed environment. */
static bool add_recorded(struct jw_run *run, const struct jw_warm_state *memory, struct prime_software *s,
                         struct jw_err *err)
{
    size_t kept = 0, n;
    const char *const *targets = jw_warm_targets(memory, run->a, &n);

    for (size_t i = 0; i < n; i++)
        if (!add_recorded_one(run, s, targets[i], err))
            return false;
    for (size_t i = 0; i < s->n_targets; i++) {
        struct jw_file_info info;
        struct jw_err ignored;

        if (jw_file_stat(s->targets[i].path, &info, &ignored) && info.kind != JW_FILE_NONE
            && (s->targets[i].named || !is_excluded(run, s->targets[i].path)))
            s->targets[kept++] = s->targets[i];
    }
    s->n_targets = kept;
    s->from = "recorded";
    return true;
}

static void sort(struct prime_software *s)
{
    jw_sort(s->targets, s->n_targets, sizeof *s->targets, jw_by_text);
}

/* A background run takes these roots even if other users may write there: this user or root named them in jitwarm.conf. */
bool prime_take_roots(struct run_ctx *h, struct jw_err *err)
{
    const struct jw_conf_list *roots = &jw_session_config(h->run->session)->roots;

    for (size_t i = 0; i < roots->n; i++) {
        const char *path = roots->v[i].value, **slot;

        if (roots->v[i].doubt || !jw_is_folder(path))
            continue;
        slot = jw_list_add(h->run->a, &h->software.vouched, &h->software.n_vouched, sizeof *slot,
                           JW_MAX_ROOTS, err);
        if (!slot || !add_found(h->run, &h->software, path, JW_MAX_DEPTH, err))
            return false;
        *slot = path;
    }
    sort(&h->software);
    return true;
}

/* Is a root of this search below the folder? Then the folder is searched in part, though another search leaves it out. */
static bool is_searched(const struct jw_discovery *d, const char *folder)
{
    for (size_t i = 0; i < d->n_roots; i++)
        if (jw_path_below(d->roots[i].path, folder))
            return true;
    return false;
}

static bool keep_read(struct jw_run *run, struct prime_software *s, const struct jw_read_file *file,
                      int64_t before, struct jw_err *err)
{
    struct prime_read *one = jw_list_add(run->a, &s->read, &s->n_read, sizeof *one, JW_MAX_LISTED, err);

    if (one)
        *one = (struct prime_read){ *file, before };
    return one != NULL;
}

/* Notes the .pth files of recorded folders, where no search is made: if they change, the next search finds something
 * else. */
bool prime_read_names(struct run_ctx *h, struct jw_err *err)
{
    int64_t before = jw_time_unix_ns();

    for (size_t i = 0; i < h->software.n_targets; i++) {
        struct jw_editables found = { 0 };

        if (!h->software.targets[i].named && jw_pyinfo_is_site(jw_path_base(h->software.targets[i].path)))
            jw_editables_read(h->software.targets[i].path, h->run->a, &found);
        for (size_t k = 0; k < found.n_read; k++)
            if (!keep_read(h->run, &h->software, &found.read[k], before, err))
                return false;
    }
    return true;
}

static bool take_discovery(struct jw_run *run, struct prime_software *s, const struct jw_discovery *d,
                           struct jw_err *err)
{
    for (size_t i = 0; i < d->n_roots; i++)
        if (!add_found(run, s, d->roots[i].path, d->roots[i].depth, err))
            return false;
    for (size_t i = 0; i < d->n_read; i++)
        if (!keep_read(run, s, &d->read[i], d->began, err))
            return false;
    for (size_t i = 0; i < d->n_skipped; i++)
        if (d->skipped[i].important && !is_searched(d, d->skipped[i].path)) {
            JW_NOTE(run, "%s was not searched: %s", d->skipped[i].path, d->skipped[i].why);
            s->n_left++;
        }
    sort(s);
    return true;
}

bool prime_find_software(struct run_ctx *h, struct jw_err *err)
{
    const struct jw_conf_list *roots = &jw_session_config(h->run->session)->roots;
    const struct jw_discovery *d;
    size_t before = h->software.n_targets;

    h->software.here = d = jw_session_software(h->run->session, before > 0);
    h->software.n_left = 0;
    if (!take_discovery(h->run, &h->software, d, err))
        return false;
    for (size_t i = 0; d->cut_short && i < d->notes.n; i++)
        JW_NOTE(h->run, "%s", d->notes.v[i]);
    h->software.n_left += d->cut_short;
    for (size_t i = 0; i < roots->n; i++)
        if (!jw_is_folder(roots->v[i].value)) {
            JW_NOTE(h->run, "%s was not searched: it is not a folder here (%s)", roots->v[i].value,
                    roots->v[i].origin);
            h->software.n_left++;
        }
    if (!before)
        h->software.from = "found";
    return true;
}

bool prime_find_of_login(struct run_ctx *h, struct jw_err *err)
{
    return take_discovery(h->run, &h->software,
                          h->software.of_login = jw_session_login_folders(h->run->session), err);
}

const struct jw_warm_state prime_no_memory = { 0 };

void prime_load_memory(struct run_ctx *h)
{
    struct prime_cache *c = &h->cache;

    c->memory = jw_session_memory_now(h->run->session, c->folder);
    for (size_t i = 0; i < c->memory->notes.n; i++)
        JW_NOTE(h->run, "%s", c->memory->notes.v[i]);
}

/* Takes the software that was named for another cache, which was primed where this one was not: software that a search
 * finds says nothing of it. */
static bool add_elsewhere(struct jw_run *run, const struct jw_texts *named, struct prime_software *s,
                          struct jw_err *err)
{
    for (size_t i = 0; i < named->n; i++)
        if (!add_named(run, s, named->items[i], err))
            return false;
    return true;
}

bool prime_choose_targets(struct run_ctx *h, struct jw_err *err)
{
    struct prime_software *s = &h->software;
    struct prime_cache *c = &h->cache;

    if (c->folder && !h->driver.absent_gpus
        && (!s->paths.n || h->reads_only)) /* a run that only looks names that cache */
        (void)prime_find_primed_cache(h->run->session, c->folder, c->memory, h->run->a, &c->primed_cache);
    if (s->paths.n ? !add_given(h->run, s, err)
                   : !add_elsewhere(h->run, &h->cache.primed_cache.named, s, err)
                         || !add_recorded(h->run, h->cache.memory, s, err))
        return false;
    sort(s);
    return true;
}

/* ---- their files ---- */

static void on_scanned(void *ctx, const struct jw_scan_progress *s)
{
    prime_notify(ctx, JW_PHASE_LOOK, s->path);
}

static const char *driver_text(struct jw_run *run, const struct prime_driver *d)
{
    char text[32];
    unsigned v = d->probe->driver.cuda_version;

    if (d->probe->driver.version)
        return d->probe->driver.version;
    (void)snprintf(text, sizeof text, "%u.%u", v / 1000, v % 1000 / 10);
    return v ? jw_arena_str(run->a, text) : NULL;
}

/* Skips jitwarm's own folder, too, which holds unpacked modules of wheels. */
static void exclude_work(struct jw_run *run, struct jw_scan_options *scan)
{
    const char **list = jw_arena_alloc(run->a, (scan->n_exclude + 1) * sizeof *list);

    for (size_t i = 0; i < scan->n_exclude; i++)
        list[i] = scan->exclude[i];
    list[scan->n_exclude++] = PRIME_WORK "-*";
    scan->exclude = list;
}

struct scan_jobs_options prime_scan_options(const struct run_ctx *h)
{
    const struct prime_driver *d = &h->driver;
    const struct prime_software *s = &h->software;
    struct jw_scan_options scan = jw_session_scan(h->run->session);

    exclude_work(h->run, &scan);
    scan.driver = driver_text(h->run, d);
    scan.force_jit = s->force_jit;
    scan.trusted_only = s->trusted_only;
    scan.vouched = s->vouched;
    scan.n_vouched = s->n_vouched;
    scan.progress = on_scanned;
    scan.progress_ctx = h->run;
    return (struct scan_jobs_options){
        .scan = scan, .sms = d->sms, .n_sms = d->n_sms, .rules = prime_rules(d), .all = s->all
    };
}

static bool read_files(struct run_ctx *h, struct jw_err *err)
{
    struct prime_software *s = &h->software;
    struct jw_scan_root *roots = jw_arena_alloc(h->run->a, (s->n_targets + 1) * sizeof *roots);
    struct scan_jobs_options t = prime_scan_options(h);

    for (size_t i = 0; i < s->n_targets; i++)
        roots[i] = (struct jw_scan_root){ s->targets[i].path, s->targets[i].depth, s->targets[i].named };
    t.scan.roots = roots;
    t.scan.n_roots = s->n_targets;
    t.spool = h->cache.work;
    return scan_jobs_find(&t, &s->found, err);
}

/* Reads all files below a folder that the user named, elsewhere only those that may hold CUDA code by their name. */
static bool matters(const struct prime_software *s, const char *path)
{
    for (size_t i = 0; i < s->n_targets; i++)
        if (s->targets[i].named
            && (strcmp(path, s->targets[i].path) == 0 || jw_path_below(path, s->targets[i].path)))
            return true;
    return jw_library_file(path);
}

/* Is this path in a cache of jitwarm.conf? */
static bool is_vouched(const struct prime_software *s, const char *path)
{
    for (size_t i = 0; i < s->n_vouched; i++)
        if (strcmp(path, s->vouched[i]) == 0 || jw_path_below(path, s->vouched[i]))
            return true;
    return false;
}

/* Folders in jitwarm.conf were named by this user or root. */
static void report_others(struct jw_run *run, const struct jw_scan_skipped *first, size_t n)
{
    char more[48] = "";

    if (n > 1)
        (void)snprintf(more, sizeof more, " (and %zu other place%s)", n - 1, n == 2 ? "" : "s");
    if (!n)
        return;
    JW_NOTE(run,
            "skipped: %s %s%s; jitwarm prime by hand compiles files that other users can change, or a line "
            "roots = FOLDER in jitwarm.conf",
            first->path, first->reason, more);
}

/* A closed folder may hold anything. */
static bool is_closed_folder(const struct jw_scan_skipped *k)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return k->why == JW_SKIP_UNREADABLE && jw_file_stat(k->path, &info, &ignored) && info.kind == JW_FILE_DIR;
}

static void report_closed(struct jw_run *run, const struct jw_scan_skipped *first, size_t n)
{
    if (!first)
        return;
    if (n == 1)
        JW_NOTE(run, "not searched: %s: %s", first->path, first->reason);
    else
        JW_NOTE(run, "not searched: %zu folders, the first is %s: %s", n, first->path, first->reason);
}

/* Returns a named file that can hold no code, for example a script, which does not show the modules of its
 * program. NULL: there is none, or a file that can hold code was named, too (`prime *` names all files). */
static const char *named_script(const struct prime_software *s)
{
    const struct jw_scan_report *scan = &s->found.scan;
    const char *script = NULL;

    for (size_t i = 0; i < scan->n_files; i++) {
        if (strcmp(scan->files[i].format, "none") != 0)
            return NULL;
        for (size_t k = 0; k < s->n_targets && !script && scan->files[i].size; k++)
            if (s->targets[k].named && strcmp(s->targets[k].path, scan->files[i].path) == 0)
                script = scan->files[i].path;
    }
    return script;
}

static bool refuse_script(struct jw_run *run, const struct prime_software *s, struct jw_err *err)
{
    const char *script = s->paths.n ? named_script(s) : NULL;
    const char *python = jw_os_is_windows() ? "python" : "python3";

    if (!script)
        return true;
    if (!jw_text_ends(script, ".py"))
        return jw_fail(
            err, JW_E_USAGE,
            "%.300s: no format that can hold CUDA code: name the libraries, or record what a program "
            "loads (jitwarm prime --run COMMAND)",
            script);
    return jw_fail(err, JW_E_USAGE,
                   "%.300s: what a script loads is not known from it: record its start with %.300s", script,
                   JW_COMMAND(run->a, jw_os_is_windows(), "jitwarm", "prime", "--run", python, script));
}

/* An unreadable file that the user named is a failure if there is nothing else to do. */
static bool report_skipped(struct jw_run *run, struct prime_software *s, struct jw_err *err)
{
    const struct jw_scan_report *scan = &s->found.scan;
    const struct jw_scan_skipped *others = NULL, *closed = NULL;
    size_t n_others = 0;

    for (size_t i = 0; i < scan->n_skipped; i++) {
        const struct jw_scan_skipped *k = &scan->skipped[i];

        if (k->why == JW_SKIP_OTHERS) {
            if (!is_vouched(s, k->path))
                others = n_others++ ? others : k;
            continue;
        }
        bool folder = is_closed_folder(k);

        /* A folder that its owner's mode closes counts as a file does, because the user can open it. */
        if (!k->named && !matters(s, k->path) && !(folder && jw_cache_is_closed(k->path, run->a))) {
            if (folder)
                closed = s->n_closed++ ? closed : k;
            continue;
        }
        if (k->named && !s->found.n && s->paths.n) /* a remembered target is one of many */
            return jw_fail(err, k->why == JW_SKIP_UNREADABLE ? JW_E_USAGE : JW_E_FORMAT, "%s: %s%s", k->path,
                           k->reason, jw_scan_remedy(k));
        if (!s->unread.n) {
            s->unread_path = jw_arena_str(run->a, k->path);
            s->unread_why = jw_arena_str(run->a, k->reason);
        }
        jw_note(&s->unread, run->a, "%s: %s", k->path, k->reason);
    }
    if (s->unread.n && !s->paths.n)
        JW_NOTE(run, "a line exclude = PATH in jitwarm.conf skips files that cannot be read");
    report_others(run, others, n_others);
    report_closed(run, closed, s->n_closed);
    return true;
}

/* A package without metadata is named after its file. */
static const char *package_of(const struct jw_job *t, const struct jw_package *owner)
{
    return strcmp(owner->name, jw_path_base(t->module.places->path)) == 0 ? NULL : owner->name;
}

/* Returns the path that a person named, now or before, which is this file or holds it; NULL: a search found it. */
static const char *named_above(const struct prime_software *s, const char *path)
{
    const char *nearest = NULL;

    for (size_t i = 0; i < s->n_targets; i++)
        if (s->targets[i].named)
            nearest = jw_nearer(path, nearest, s->targets[i].path);
    return nearest;
}

static bool is_left_out(const struct prime_software *s, const struct jw_job *t,
                        const struct jw_package *owner, enum jw_left_out *why)
{
    const char *path = t->module.places->path;
    enum jw_code_of of = jw_code_of(owner, path, named_above(s, path));

    *why = of == JW_CODE_OF_TESTS ? JW_OUT_IS_TEST : JW_OUT_IS_VENDOR;
    return !s->all && of != JW_CODE_OF_USERS;
}

/* Skips modules of software that is not the users' own. */
static void find_owners(struct jw_run *run, struct prime_software *s)
{
    struct jw_discovery d;
    size_t kept = 0;

    jw_discovery_init(&d, run->a);
    for (size_t i = 0; i < s->found.n; i++) {
        struct jw_job *t = &s->found.list[i];
        struct jw_package owner = { 0 };
        enum jw_left_out why;
        bool again = kept && strcmp(s->found.list[kept - 1].module.places->path, t->module.places->path) == 0;

        if (!again)
            owner = jw_discovery_owner(&d, t->module.places->path);
        t->module.places->package =
            again ? s->found.list[kept - 1].module.places->package : package_of(t, &owner);
        if (is_left_out(s, t, &owner, &why)) {
            s->found.left_out[why].modules++;
            s->found.left_out[why].ptx_bytes += t->module.ptx_bytes;
            s->found.on_use += why == JW_OUT_IS_VENDOR;
            continue;
        }
        s->found.list[kept++] = *t;
    }
    s->found.n = kept;
}

/* ---- software that was not built for the GPU ---- */

/* Files of one package, or one file that belongs to none. */
struct lacking {
    const char *name, *version; /* "" unknown */
    uint64_t *lacks, *usable;   /* modules, for each architecture */
};

struct lackings {
    const struct prime_software *s;
    struct jw_discovery *d; /* the session's packages, which doctor uses, too */
    struct jw_arena *a;
    struct lacking *v;
    size_t n;
};

static bool lacks_something(const struct jw_scan_file *f)
{
    for (size_t i = 0; i < f->n_verdicts; i++)
        if (jw_scan_lacks(&f->verdicts[i]))
            return true;
    return false;
}

static bool counts_here(const struct lackings *x, const struct jw_scan_file *f, struct jw_package *owner)
{
    *owner = jw_discovery_owner_of(x->d, f);

    enum jw_code_of of = jw_code_of(owner, f->path, named_above(x->s, f->path));

    return of == JW_CODE_OF_USERS || (x->s->all && !jw_vendor_file(jw_path_base(f->path)));
}

static struct lacking *find_lacking(const struct lackings *x, const struct jw_package *owner)
{
    const char *version = owner->version ? owner->version : "";

    for (size_t i = 0; i < x->n; i++)
        if (strcmp(x->v[i].name, owner->name) == 0 && strcmp(x->v[i].version, version) == 0)
            return &x->v[i];
    return NULL;
}

static bool begin_lacking(struct lackings *x, const struct jw_scan_file *f, struct jw_err *err)
{
    struct jw_package owner;

    if (!lacks_something(f) || !counts_here(x, f, &owner) || find_lacking(x, &owner))
        return true;

    struct lacking *slot = jw_list_add(x->a, &x->v, &x->n, sizeof *slot, JW_MAX_ROOTS, err);

    if (!slot)
        return false;
    *slot = (struct lacking){ .name = owner.name,
                              .version = owner.version ? owner.version : "",
                              .lacks = jw_arena_alloc(x->a, f->n_verdicts * sizeof *slot->lacks),
                              .usable = jw_arena_alloc(x->a, f->n_verdicts * sizeof *slot->usable) };
    return true;
}

static void add_to_lacking(struct lackings *x, const struct jw_scan_file *f)
{
    struct jw_package owner;
    struct lacking *one = counts_here(x, f, &owner) ? find_lacking(x, &owner) : NULL;

    for (size_t i = 0; one && i < f->n_verdicts; i++) {
        const struct jw_scan_verdict *v = &f->verdicts[i];

        one->lacks[i] += jw_scan_lacks(v);
        one->usable[i] += v->native + v->jit + v->warm;
    }
}

/* Sums up the packages of the first architecture for which one lacks code. */
static struct jw_warm_lacking sum_lacking(const struct lackings *x, const struct prime_driver *d)
{
    const struct lacking *first = NULL;
    size_t n = 0, arch = 0;
    bool most = false;

    for (; !n && arch < d->n_sms; arch += !n)
        for (size_t i = 0; i < x->n; i++) {
            const struct lacking *one = &x->v[i];

            if (!jw_scan_is_foreign(one->lacks[arch], one->usable[arch]))
                continue;
            first = n++ ? first : one;
            most |= one->usable[arch] > 0;
        }
    return n ? (struct jw_warm_lacking){ first->name, first->version, n - 1, most, d->sms[arch] }
             : (struct jw_warm_lacking){ 0 };
}

/* A module without code for the GPU is usual in a package that has others for it; a package of which most is such does
 * not run. doctor names it by the same rule (framework-no-kernel). Most software lacks nothing: then no package is
 * asked for. */
static bool find_lacking_software(struct run_ctx *h, struct jw_err *err)
{
    const struct jw_scan_report *scan = &h->software.found.scan;
    struct lackings x = { .s = &h->software, .a = h->run->a };
    bool any = false;

    for (size_t i = 0; i < scan->n_files; i++)
        any |= lacks_something(&scan->files[i]);
    if (!any)
        return true;
    x.d = jw_session_software(h->run->session, false);
    for (size_t i = 0; i < scan->n_files; i++)
        if (!begin_lacking(&x, &scan->files[i], err))
            return false;
    for (size_t i = 0; x.n && i < scan->n_files; i++)
        add_to_lacking(&x, &scan->files[i]);
    h->software.lacking = sum_lacking(&x, &h->driver);
    return true;
}

bool prime_read_software(struct run_ctx *h, struct jw_err *err)
{
    struct prime_software *s = &h->software;

    if (!read_files(h, err))
        return false;
    find_owners(h->run, s);
    return find_lacking_software(h, err) && report_skipped(h->run, s, err) && refuse_script(h->run, s, err);
}
