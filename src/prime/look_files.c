/* The files that a look reads, and the modules in them. */
#include "prime/look_work.h"

#include "base/path.h"
#include "base/sort.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "software/scan/scan_needed.h"

#include <string.h>

/* ---- which files and folders ---- */

static bool add_target(struct jw_run *run, struct looking *x, struct jw_scan_folder target,
                       struct jw_err *err)
{
    for (struct jw_scan_folder *t = x->targets; t < x->targets + x->n_targets; t++)
        if (strcmp(t->path, target.path) == 0) {
            t->depth = target.depth > t->depth ? target.depth : t->depth;
            t->named |= target.named;
            t->as = t->as ? t->as : target.as;
            return true;
        }
    struct jw_scan_folder *one =
        jw_list_add(run->a, &x->targets, &x->n_targets, sizeof *one, JW_MAX_ROOTS, err);

    if (one)
        *one = target;
    return one != NULL;
}

/* Adds a path, or, for a .cu file, the PTX that NVRTC makes of it now. */
static bool add_resolved(struct jw_run *run, struct looking *x, const char *path,
                         struct jw_err *err)
{
    struct jw_look *look = x->look;
    struct jw_err why = {0};
    const char *real = NULL;
    bool there = !jw_is_absent(path);
    bool cu = jw_text_ends(path, ".cu") && jw_is_file(path);

    (void)!jw_real_path(path, run->a, &real, &why);
    const char *as = look->want.paths.n ? real : path;

    real = cu ? cu_files_ptx(run, look, path, &why) : real;
    if (real && there)
        return add_target(run, x, (struct jw_scan_folder){real, JW_MAX_DEPTH, true, as}, err);
    if (!look->want.paths.n && !there)
        look_lost_path(look, path);
    look_unread(run, look, path, there ? why.msg : jw_why_absent(path), true, there && !cu);
    return jw_not_interrupted(run->interrupted, err);
}

static bool add_found(struct jw_run *run, struct looking *x, struct jw_err *err)
{
    const struct jw_discovery *d = jw_session_software(run->session);

    x->look->met.searched = true;
    for (size_t i = 0; i < d->n_folders; i++) {
        const struct jw_scan_folder found = {.path = d->folders[i].path,
                                             .depth = d->folders[i].depth};

        if (!add_target(run, x, found, err))
            return false;
    }
    for (size_t i = 0; d->cut_short && i < d->notes.n; i++)
        JW_NOTE(run, "%s", d->notes.v[i]);
    return true;
}

static bool choose_targets(struct jw_run *run, struct looking *x, struct jw_err *err)
{
    const struct jw_want *want = &x->look->want;
    const struct jw_roots *roots = &x->look->roots;

    if (want->paths.n > JW_MAX_ROOTS)
        return jw_fail(err, JW_E_USAGE,
                       "%s paths are named, and at most %s can be: name a folder that has them",
                       JW_NUM(want->paths.n), JW_NUM(JW_MAX_ROOTS));
    for (size_t i = 0; i < want->paths.n; i++)
        if (!add_resolved(run, x, want->paths.v[i], err))
            return false;
    if (want->paths.n || want->command.n)
        return true;
    for (size_t i = 0; i < roots->n; i++)
        if (roots->v[i].kind == JW_ROOT_NAMED && !add_resolved(run, x, roots->v[i].path, err))
            return false;
    x->look->met.unnamed = !roots->n;
    return !roots->none || add_found(run, x, err);
}

/* ---- reading them ---- */

static void on_scanned(void *ctx, const char *path)
{
    const struct jw_run *run = ctx;
    const struct jw_progress now = {
        .phase = JW_PHASE_LOOK, .at = path, .eta = -1, .seconds = jw_time_since(run->began)};

    if (run->progress)
        run->progress(run->ctx, &now);
}

struct scan_jobs_options look_files_scan(struct jw_session *session, const struct jw_scope *scope,
                                         const struct jw_scan_folder *folders, size_t n)
{
    struct scan_jobs_options o = {
        .scan = jw_session_scan(session),
        .rules = {scope->level >= JW_LEVEL_PREDICTABLE ? scope->stamp : NULL,
                  jw_driver_is_before(scope->version, JW_NULS_FIRST_BRANCH)},
        .lazy = jw_loads_lazily(scope->version, jw_env(session->a, "CUDA_MODULE_LOADING"))};

    o.scan.folders = folders;
    o.scan.n_folders = n;
    o.scan.sms = scope->sms;
    o.scan.driver = scope->version;
    return o;
}

static struct scan_jobs_options options(struct jw_run *run, const struct looking *x)
{
    const struct jw_conf_list *conf = &jw_session_config(run->session)->search;
    struct scan_jobs_options o =
        look_files_scan(run->session, &x->look->scope, x->targets, x->n_targets);
    struct jw_scan_options *scan = &o.scan;
    struct jw_texts exclude = {0};

    for (size_t i = 0; i < scan->exclude.n; i++)
        jw_texts_add(&exclude, run->a, scan->exclude.v[i]);
    jw_texts_add(&exclude, run->a, JW_WORK_FOLDER "-*");
    jw_texts_add(&exclude, run->a, "lost+found"); /* each disk has one, and only root can read it */
    for (size_t i = 0; i < conf->n; i++)
        if (!conf->v[i].doubt)
            jw_texts_add(&scan->vouched, run->a, conf->v[i].value);
    scan->exclude = exclude;
    scan->trusted_only = x->look->want.trusted_only;
    scan->progress = on_scanned;
    scan->progress_ctx = run;
    scan->all = x->look->want.all;
    return o;
}

/* Scans with what the ledger knows of these files. It has a view for each set of options. */
static bool scan(struct looking *x, struct scan_jobs_options *o, struct scan_jobs *out,
                 struct jw_err *err)
{
    struct jw_ledger *own = NULL;
    struct jw_ledger **ledger = x->ledgers ? &x->ledgers[o->scan.all] : &own;
    uint8_t view[JW_DIGEST];

    scan_memo_view(o, view);
    o->ledger = *ledger = *ledger ? *ledger : jw_ledger_open(view);
    bool ok = scan_jobs_find(o, out, err);

    jw_ledger_close(own);
    return ok;
}

/* ---- whose modules they are ---- */

static const char *named_above(const struct looking *x, const char *path)
{
    return jw_named_above(x->targets, x->n_targets, path);
}

/* Adds the modules (sorted by path) without those of NVIDIA's packages that load on demand. */
static void take_users(struct jw_run *run, struct looking *x)
{
    struct scan_jobs *found = &x->look->files;
    struct jw_discovery d = {.arena = run->a};
    const char *last = NULL;
    bool own = false;

    for (size_t i = 0; i < found->n; i++) {
        struct jw_job *j = &found->list[i];
        const char *path = j->place->path;

        if (!x->look->want.all && (!last || strcmp(last, path) != 0))
            own = jw_discovery_owner(&d, path, named_above(x, path)).own;
        last = path;
        if (own && j->place->lazy)
            found->out[JW_OUT_IS_SKIPPED].n++;
        else
            look_add(x, j);
    }
}

/* ---- what could not be read ---- */

/* Below a folder that a person named every file matters; elsewhere only files whose name is that of
 * a library or program. */
static bool matters(const struct looking *x, const struct jw_scan_skipped *k)
{
    return k->named || named_above(x, k->path) || jw_may_hold_code(k->path);
}

/* The target that is this path, if a person named it and not only a folder above; or NULL. */
static const struct jw_scan_folder *named_itself(const struct looking *x, const char *path)
{
    const struct jw_scan_folder *f =
        jw_search(&path, x->targets, x->n_targets, sizeof *f, jw_by_text);

    return f && f->named ? f : NULL;
}

/* A named file that nobody can look into, so that nothing is said of the others either. */
static bool is_refused(const struct looking *x, const struct jw_scan_skipped *k)
{
    if (!k->named || !x->look->want.paths.n)
        return false;
    return k->packed || (k->why == JW_SKIP_UNREADABLE && !x->n);
}

static void report_one(struct jw_run *run, struct looking *x, const struct jw_scan_skipped *k)
{
    const struct jw_scan_folder *f = named_itself(x, k->path);
    bool closed = k->why == JW_SKIP_UNREADABLE && !k->packed;

    look_unread(run, x->look, k->path, k->reason, f, closed);
    if (f && !closed && !x->look->want.paths.n)
        look_lost_path(x->look, f->as);
}

static bool report_skipped(struct jw_run *run, struct looking *x, struct jw_err *err)
{
    const struct jw_scan_report *scan = &x->look->files.scan;
    const struct jw_scan_skipped *others = NULL;
    size_t n_others = 0;

    for (size_t i = 0; i < scan->n_skipped; i++) {
        const struct jw_scan_skipped *k = &scan->skipped[i];

        if (k->why == JW_SKIP_OTHERS)
            others = n_others++ ? others : k;
        else if (is_refused(x, k))
            return jw_fail(err, JW_E_NAMED, "%s: %s", k->path, k->reason);
        else if (matters(x, k))
            report_one(run, x, k);
    }
    if (others)
        look_unread(
            run, x->look, others->path,
            jw_arena_printf(run->a,
                            "%s (%zu in all); a line search = FOLDER in jitwarm.conf takes them",
                            others->reason, n_others),
            false, false);
    return true;
}

static void note_unread(struct jw_run *run, struct looking *x, const char *path, const char *why)
{
    look_unread(run, x->look, path, why, named_itself(x, path), false);
}

static void note_doubtful(struct jw_run *run, struct looking *x)
{
    const struct jw_left_out *doubtful = &x->look->files.out[JW_OUT_IS_DOUBTFUL];
    const char *large = x->look->files.out[JW_OUT_IS_BEHIND].first;

    if (large)
        note_unread(run, x, large, "the search for code stopped after 4 GiB");
    if (doubtful->first)
        note_unread(run, x, doubtful->first,
                    jw_arena_printf(run->a, "%s damaged or of an unknown form",
                                    JW_N(doubtful->n, "module", "modules")));
}

/* By name, each of them: of the rest of the files nothing is in doubt. */
static void note_unbounded(struct jw_run *run, struct looking *x)
{
    const struct jw_scan_report *scan = &x->look->files.scan;

    for (const struct jw_scan_file *f = scan->files; f < scan->files + scan->n_files; f++)
        if (f->ptx_unbounded)
            note_unread(run, x, f->path,
                        jw_arena_printf(run->a,
                                        "%s whose end is not known (prime --run CMD finds what a "
                                        "program loads)",
                                        JW_N(f->ptx_unbounded, "PTX text", "PTX texts")));
}

static bool holds_code(const struct jw_scan_report *scan, const char *path)
{
    for (size_t i = 0; i < scan->n_files; i++)
        if (jw_is_in(scan->files[i].path, path) && scan->files[i].containers)
            return true;
    return false;
}

/* A file that two targets have, through links or nested folders, is reported for one of them only:
 * the other is then scanned by itself. */
static bool find_code(struct looking *x, struct scan_jobs_options o, struct jw_err *err)
{
    struct jw_look *look = x->look;

    for (const struct jw_scan_folder *t = x->targets; t < x->targets + x->n_targets; t++) {
        const char *path = t->path;
        struct scan_jobs alone = {0};
        bool has = holds_code(&look->files.scan, path);

        if (!t->named)
            continue;
        o.scan.folders = t;
        o.scan.n_folders = 1;
        if (!has
            && !jw_search(&path, look->files.scan.files, look->files.scan.n_files,
                          sizeof *look->files.scan.files, jw_by_text)
            && !scan(x, &o, &alone, err))
            return false;
        has |= holds_code(&alone.scan, path);
        struct jw_texts *list = has ? &look->with_code : &look->without_code;

        if (has || !alone.scan.n_skipped)
            list->v[list->n++] = t->as;
        scan_jobs_free(&alone);
    }
    return true;
}

/* ---- what a named program loads besides ---- */

/* How many modules of this library the driver would compile; on demand, too. */
static bool count_library(struct looking *x, const char *path, struct scan_jobs_options o,
                          uint64_t *n, struct jw_err *err)
{
    const struct jw_scan_folder library = {path, 0, false, NULL};
    struct scan_jobs alone = {0};

    o.scan.folders = &library;
    o.scan.n_folders = 1;
    if (!scan(x, &o, &alone, err))
        return false;
    *n = alone.n + alone.out[JW_OUT_IS_SKIPPED].n;
    scan_jobs_free(&alone);
    return true;
}

/* The answer is about the files that were named. A program that loads one of NVIDIA's libraries
 * compiles of that one, too. */
static bool note_libraries_of(struct jw_run *run, struct looking *x,
                              const struct jw_scan_file *program, struct scan_jobs_options o,
                              struct jw_err *err)
{
    for (size_t i = 0; i < program->n_needed; i++) {
        const char *library = scan_needed_path(program->needed[i], run->a);
        uint64_t n = 0;

        if (!library || named_itself(x, library))
            continue;
        if (!count_library(x, library, o, &n, err))
            return false;
        if (n)
            JW_NOTE(run, "%s loads %s, which was not looked at: name it, too (%s)",
                    jw_path_base(program->path), library, JW_N(n, "module", "modules"));
    }
    return true;
}

static bool note_libraries(struct jw_run *run, struct looking *x, struct scan_jobs_options o,
                           struct jw_err *err)
{
    const struct jw_scan_report *report = &x->look->files.scan;

    for (size_t i = 0; i < report->n_files; i++)
        if (!note_libraries_of(run, x, &report->files[i], o, err))
            return false;
    return true;
}

bool look_files(struct jw_run *run, struct looking *x, struct jw_err *err)
{
    struct jw_look *look = x->look;
    size_t room = (look->want.paths.n + look->roots.n + 1) * sizeof *look->with_code.v;

    look->with_code.v = jw_arena_alloc(run->a, room);
    look->without_code.v = jw_arena_alloc(run->a, room);
    if (!choose_targets(run, x, err))
        return false;
    jw_sort(x->targets, x->n_targets, sizeof *x->targets, jw_by_text);
    struct scan_jobs_options o = options(run, x);

    if (x->n_targets && !scan(x, &o, &look->files, err))
        return false;
    take_users(run, x);
    note_doubtful(run, x);
    note_unbounded(run, x);
    return report_skipped(run, x, err) && find_code(x, o, err) && note_libraries(run, x, o, err);
}

/* ---- files of recorded commands ---- */

bool look_files_want(const struct looking *x, const struct jw_root *r)
{
    return !x->look->want.paths.n
           && (!x->look->want.command.n
               || jw_root_is_command(&x->look->roots, r, x->look->want.command.v));
}

static bool add_command_files(struct jw_run *run, struct looking *x, const struct jw_root *r,
                              struct jw_err *err)
{
    for (size_t i = 0; i < r->n_modules; i++) {
        const struct jw_root_module *m = &r->modules[i];

        if (!m->file)
            continue;
        jw_digest_set_add(&x->used, run->a, m->digest);
        if (!jw_is_absent(m->file)
            && !add_target(run, x, (struct jw_scan_folder){m->file, 0, true, NULL}, err))
            return false;
    }
    return true;
}

/* Is there a job of this file, and of this PTX, if that is not NULL? */
static bool has_job(const struct scan_jobs *found, const char *file, const uint8_t *text)
{
    for (const struct jw_job *j = found->list; j < found->list + found->n; j++)
        if ((!text || memcmp(j->text, text, JW_DIGEST) == 0) && strcmp(j->place->path, file) == 0)
            return true;
    return false;
}

/* Does this GPU run all code of the file as it is? Then nothing of it is lost, whatever another GPU
 * compiled when the command was recorded. */
static bool is_native(const struct scan_jobs *found, const char *file)
{
    return found->out[JW_OUT_IS_NATIVE].n && !found->out[JW_OUT_IS_NOTHING].n
           && !found->out[JW_OUT_IS_OTHERS].n && holds_code(&found->scan, file)
           && !has_job(found, file, NULL);
}

/* Judges modules of a command that their files do not have any more for these GPUs. They count as
 * sourceless, as nobody knows what the command loads instead; but not if the GPU runs the file as
 * it is, or the code is too new for this driver and so blocked. */
static void judge_missing(struct jw_run *run, struct jw_look *look, const struct jw_root *command,
                          struct jw_digest_set *gone)
{
    const struct scan_jobs *found = &look->of_commands;

    for (size_t i = 0; i < command->n_modules; i++) {
        const struct jw_root_module *m = &command->modules[i];

        if (!m->file)
            continue;
        if (is_native(found, m->file)) {
            look->files.out[JW_OUT_IS_NATIVE].n++;
            continue;
        }
        if (has_job(found, m->file, m->digest))
            continue;
        if (found->out[JW_OUT_IS_BLOCKED].n && !jw_is_absent(m->file)) {
            look_block(look, m->file, found->needs);
            continue;
        }
        jw_digest_set_add(gone, run->a, m->digest);
        look_lost(run, look, command);
        if (!look->first_gone)
            look->first_gone = m->file;
    }
}

bool look_files_of_commands(struct jw_run *run, struct looking *x, struct jw_err *err)
{
    struct jw_look *look = x->look;
    struct jw_digest_set gone = {0};

    x->targets = NULL;
    x->n_targets = 0;
    for (size_t i = 0; i < look->roots.n; i++)
        if (look->roots.v[i].kind == JW_ROOT_COMMAND && look_files_want(x, &look->roots.v[i])
            && !add_command_files(run, x, &look->roots.v[i], err))
            return false;
    jw_digest_set_sort(&x->used);
    if (x->n_targets) {
        struct scan_jobs_options o = options(run, x);

        o.scan.all = true;
        if (!scan(x, &o, &look->of_commands, err))
            return false;
    }
    for (size_t i = 0; i < look->of_commands.n; i++)
        if (jw_digest_set_has(&x->used, look->of_commands.list[i].text))
            look_add(x, &look->of_commands.list[i]);
    for (size_t i = 0; i < look->roots.n; i++)
        if (look_files_want(x, &look->roots.v[i]))
            judge_missing(run, look, &look->roots.v[i], &gone);
    jw_digest_set_sort(&gone); /* each counts once */
    look->sourceless += gone.n;
    return true;
}
