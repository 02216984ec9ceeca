/*
 * The receipt of a verified prime: its files, driver, settings and entries. While none of them changes, the next prime
 * has nothing to do, and finds that out without the driver. A run with refused modules leaves a receipt under another
 * key, which only background runs read: they need not wake a GPU at every login.
 */
#include "prime/prime_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/lookup.h"
#include "machine/gpus.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <string.h>

/* ---- what was asked for, and under which settings ---- */

static void add_list(struct jw_buf *b, const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_buf_printf(b, "%s=%s\n", name, list[i]);
}

static const char *finish_text(struct prime *p, struct jw_buf *b, struct jw_err *err)
{
    const char *text = jw_buf_ok(b, err) ? jw_arena_text(p->run->a, (const char *)b->p, b->n) : NULL;

    jw_buf_free(b);
    return text;
}

/* Writes depth and path of a target; add_recorded_one of prime_targets.c reads them. */
static void say_target(struct jw_buf *b, const struct search_root *t)
{
    if (t->named)
        jw_buf_printf(b, "=%s", t->path);
    else
        jw_buf_printf(b, "%u %s", t->depth, t->path);
}

/* `own`: of a run that leaves out what other users can change. */
static const char *make_key(struct prime *p, bool own, struct jw_err *err)
{
    const struct jw_prime_options *o = p->o;
    struct jw_buf b = JW_BUF(JW_MAX_STATE);

    char *command = o->run ? jw_prime_command(o->run) : NULL;

    jw_buf_printf(&b, "%sall=%d profile=%s\n", own ? "own " : "", o->all,
                  command      ? command
                  : o->profile ? o->profile
                               : "");
    jw_free(command);
    add_list(&b, o->absent_gpus ? "absent" : "gpu", o->gpus, o->n_gpus);
    add_list(&b, "exclude", o->exclude, o->n_exclude);
    if (own)
        add_list(&b, "vouched", p->ctx.software.vouched, p->ctx.software.n_vouched);
    for (size_t i = 0; i < p->reuse.n_commands; i++)
        jw_buf_printf(&b, "command=%s %lld\n", p->ctx.cache.memory.profiles[i].key,
                      (long long)p->ctx.cache.memory.profiles[i].when);
    for (size_t i = 0; i < p->ctx.software.n_targets; i++) {
        say_target(&b, &p->ctx.software.targets[i]);
        jw_buf_text(&b, "\n");
    }
    return finish_text(p, &b, err);
}

/* All settings that change modules, GPUs or the cache. */
static bool make_settings(struct prime *p, struct jw_err *err)
{
    static const char *const names[] = {
        "CUDA_CACHE_PATH",    "CUDA_CACHE_MAXSIZE", "CUDA_CACHE_DISABLE",
        "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT",     "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",  "LD_LIBRARY_PATH",    "JITWARM_DRIVER",
    };
    struct jw_buf b = JW_BUF(JW_MAX_STATE);
    struct jw_host_gpus here;

    jw_host_gpus("", p->run->a, &here);
    jw_buf_printf(&b, "jitwarm=%s\nkernel driver=%s\n", JITWARM_VERSION, here.driver ? here.driver : "");
    for (size_t i = 0; i < here.n; i++)
        jw_buf_printf(&b, "gpu=%u %04x\n", here.gpus[i].sm, here.gpus[i].device_id);
    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *value = jw_env(p->run->a, names[i]);

        if (value)
            jw_buf_printf(&b, "%s=%s\n", names[i], value);
    }
    p->settings = finish_text(p, &b, err);
    return p->settings != NULL;
}

/* ---- does it hold? ---- */

/* What was absent, such as a start file of a shell, has only a path. */
static bool is_same_file(const struct jw_warm_file *f)
{
    bool absent = !f->volume && !f->node && !f->mtime && !f->size;
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(f->path, &info, &ignored) && absent == (info.kind == JW_FILE_NONE)
           && (absent
               || (info.mtime == f->mtime && info.id.volume == f->volume && info.id.node == f->node
                   && (info.kind == JW_FILE_DIR || (info.size == f->size && info.ctime == f->ctime))));
}

bool prime_same_files(const struct jw_warm_receipt *r)
{
    for (size_t i = 0; i < r->n_files; i++)
        if (!is_same_file(&r->files[i]))
            return false;
    return true;
}

/* The path of a receipt's target: "=PATH" or "DEPTH PATH". */
static const char *target_path(const char *text)
{
    const char *blank = strchr(text, ' ');

    return *text == '=' ? text + 1 : blank ? blank + 1 : text;
}

static bool has_target(const struct jw_warm_receipt *r, const char *path)
{
    for (size_t i = 0; i < r->n_targets; i++)
        if (strcmp(target_path(r->targets[i]), path) == 0)
            return true;
    return false;
}

/* A run that found nothing to compile where an earlier one had compiled. */
static bool is_empty(const struct jw_warm_receipt *r)
{
    return !r->jobs && !r->n_entries && !prime_is_partly(r);
}

/* Is what this receipt was about removed: its path is gone, or a later run found nothing there? */
static bool is_removed(const struct jw_warm_state *memory, size_t receipt, const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    for (size_t i = 0; i <= receipt; i++)
        if (is_empty(&memory->receipts[i]) && has_target(&memory->receipts[i], path))
            return true;
    return jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_NONE;
}

const struct jw_warm_receipt *prime_newest_receipt(const struct jw_warm_state *memory)
{
    for (size_t i = 0; i < memory->n_receipts; i++) {
        const struct jw_warm_receipt *r = &memory->receipts[i];
        size_t removed = 0;

        for (size_t k = 0; k < r->n_targets; k++)
            removed += is_removed(memory, i, target_path(r->targets[k]));
        if (!is_empty(r) && (!r->n_targets || removed < r->n_targets))
            return r;
    }
    return NULL;
}

/* A driver update points the loader's link at another file. */
static bool same_driver(const struct prime *p, const struct jw_warm_receipt *r)
{
    const char *dir = jw_path_dir(p->run->a, r->library), *real;
    const char *link = !jw_os_is_windows() ? jw_path_join(p->run->a, dir, "libcuda.so.1") : NULL;
    struct jw_file_info info;
    struct jw_err ignored;

    if (!link || !jw_file_stat(link, &info, &ignored) || info.kind == JW_FILE_NONE)
        return true;
    return jw_real_path(link, p->run->a, &real, &ignored) && strcmp(real, r->library) == 0;
}

static bool same_entries(const struct prime *p, const struct jw_warm_receipt *r, bool *same,
                         struct jw_err *err)
{
    struct jw_cache_lookup lookup;

    if (!jw_cache_lookup_open(p->ctx.cache.dir.root, p->run->a, &lookup, err))
        return false;
    *same = true; /* without entries there may be no index */
    for (size_t i = 0; *same && i < r->n_entries; i++)
        *same = jw_cache_finds(&lookup, r->entries[i].name, r->entries[i].bytes);
    jw_cache_lookup_close(&lookup);
    return true;
}

/* What a receipt compares says nothing of the bytes in the entries: from time to time a run that nobody waits for proves
 * all of it again. */
static bool is_old(const struct prime *p, const struct jw_warm_receipt *r)
{
    enum { MONTH_S = 30 * 24 * 60 * 60 };

    return prime_by_itself(p) && jw_time_unix() - r->when > MONTH_S;
}

#define PARTLY "partly\n"

bool prime_is_partly(const struct jw_warm_receipt *r)
{
    return jw_text_starts(r->key, PARTLY);
}

static const struct jw_warm_receipt *find_receipt(const struct prime *p, const char *before, const char *key)
{
    size_t n = strlen(before);

    for (size_t i = 0; i < p->ctx.cache.memory.n_receipts; i++)
        if (strncmp(p->ctx.cache.memory.receipts[i].key, before, n) == 0
            && strcmp(p->ctx.cache.memory.receipts[i].key + n, key) == 0)
            return &p->ctx.cache.memory.receipts[i];
    return NULL;
}

/* Ends the run if there is one, and all is as it says. */
static bool check_one(struct prime *p, const struct jw_warm_receipt *r, const char *why, struct jw_err *err)
{
    bool same;

    if (!r || p->run->ended || is_old(p, r) || strcmp(r->settings, p->settings) != 0 || !same_driver(p, r)
        || !prime_same_files(r))
        return true;
    if (!same_entries(p, r, &same, err))
        return false;
    if (!same)
        return true;
    p->out->receipt = true;
    p->out->driver.stamp = r->stamp && *r->stamp ? r->stamp : NULL;
    p->out->driver.version = r->driver_version && *r->driver_version ? r->driver_version : NULL;
    p->out->driver.build = r->build;
    p->out->counts[JW_JOB_WARM] = r->jobs;
    p->ctx.driver.probe.driver.version = p->out->driver.version;
    prime_find_limit(&p->ctx);
    prime_note_overfull(p);
    return prime_end(p, JW_END_NOTHING, "%s", why);
}

/* A run by itself leaves out what other users can change: where a run by hand warmed all of it, that is warm, too. */
bool prime_check_receipt(struct prime *p, struct jw_err *err)
{
    static const char partly[] = "not all could be warmed or read the last time (jitwarm prime shows what)";
    const char *by_hand;

    p->key = make_key(p, p->o->own, err);
    by_hand = p->key ? make_key(p, false, err) : NULL;
    if (!by_hand || !make_settings(p, err))
        return false;
    if (p->o->run)
        return true;
    if (!check_one(p, find_receipt(p, "", p->key), "", err)
        || !check_one(p, find_receipt(p, "", by_hand), "", err))
        return false;
    if (p->o->retry || !prime_by_itself(p))
        return true;
    return check_one(p, find_receipt(p, PARTLY, p->key), partly, err)
           && check_one(p, find_receipt(p, PARTLY, by_hand), partly, err);
}

/* ---- writing one ---- */

enum { MAX_FOLDERS = 1 << 14 };

struct file_list {
    struct prime *p;
    struct jw_warm_file *files;
    size_t n;
};

static bool add_receipt_file(struct file_list *r, const char *path, const struct jw_file_info *info,
                             struct jw_err *err)
{
    struct jw_warm_file *f = jw_list_add(r->p->run->a, &r->files, &r->n, sizeof *f, JW_MAX_OWNED, err);

    if (!f)
        return false;
    *f = (struct jw_warm_file){ .path = path };
    if (info->kind != JW_FILE_NONE)
        *f = (struct jw_warm_file){
            path, info->size, info->id.volume, info->id.node, info->mtime, info->ctime
        };
    return true;
}

/* Takes the file's state from the scan, so that a later change invalidates the receipt. A file that was not scanned
 * (the driver) is taken as it is now. */
static bool add_path(struct file_list *r, const char *path, struct jw_err *err)
{
    const struct scan_visited *met = scan_jobs_visited(&r->p->ctx.software.found, path);
    struct jw_file_info info;

    for (size_t i = r->n; i-- > 0 && r->n - i < 4;) /* files are sorted, so equal folders follow each other */
        if (strcmp(r->files[i].path, path) == 0)
            return true;
    if (!met && !jw_file_stat(path, &info, err))
        return jw_wrap(err, "%s", path);
    return add_receipt_file(r, path, met ? &met->info : &info, err);
}

/* A wheel's members go with the wheel. */
static const char *on_disk(struct prime *p, const char *path)
{
    const char *member = strstr(path, ".whl!");

    return member ? jw_arena_text(p->run->a, path, (size_t)(member - path) + 4) : path;
}

static bool add_with_folder(struct file_list *r, const char *found_path, struct jw_err *err)
{
    const char *path = on_disk(r->p, found_path), *folder = jw_path_dir(r->p->run->a, path);

    return add_path(r, folder, err) && add_path(r, path, err);
}

bool prime_is_inside(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0
           && (path[n] == '/' || path[n] == '\\' || (n && folder[n - 1] == '/'));
}

/* Folders that jitwarm itself changes: the cache, the folder above it, and its state. */
static bool is_ours(const struct prime *p, const char *path)
{
    const char *above = jw_path_dir(p->run->a, p->ctx.cache.dir.root), *state = p->ctx.cache.memory.dir;

    return strcmp(path, above) == 0 || strcmp(path, p->ctx.cache.dir.root) == 0
           || prime_is_inside(path, p->ctx.cache.dir.root)
           || (state && (prime_is_inside(path, state) || prime_is_inside(state, path)));
}

static bool below_named(const struct prime *p, const char *path)
{
    for (size_t i = 0; i < p->ctx.software.n_targets; i++)
        if (p->ctx.software.targets[i].named && prime_is_inside(path, p->ctx.software.targets[i].path))
            return true;
    return false;
}

/* A library may appear in each folder below a named one. __pycache__ changes at every import and holds none. Other
 * software is noticed by the folders that package managers change. */
static bool list_folders(struct file_list *r, struct jw_err *err)
{
    const struct scan_jobs *t = &r->p->ctx.software.found;

    for (size_t i = 0, n = 0; i < t->n_visited && n < MAX_FOLDERS; i++) {
        const struct scan_visited *m = &t->visited[i];

        if (m->info.kind != JW_FILE_DIR || strcmp(jw_path_base(m->path), "__pycache__") == 0
            || !below_named(r->p, m->path) || is_ours(r->p, m->path))
            continue;
        n++;
        if (!add_receipt_file(r, m->path, &m->info, err))
            return false;
    }
    return true;
}

/* A start file that appears later may move the cache, so an absent one is noted, too. */
static bool add_start_files(struct file_list *r, struct jw_err *err)
{
    const struct jw_notes *files = &r->p->ctx.login.files;
    struct jw_file_info info;
    struct jw_err ignored;

    for (size_t i = 0; i < files->n; i++)
        if (jw_file_stat(files->v[i], &info, &ignored) && !add_receipt_file(r, files->v[i], &info, err))
            return false;
    return true;
}

/* What commands load of them is known by what they hold. */
static bool add_command_files(struct file_list *r, struct jw_err *err)
{
    const struct scan_jobs *of = &r->p->of_command;
    const char *last = "";
    struct jw_file_info info;

    for (size_t i = 0; i < of->n; i++) { /* sorted by path */
        const char *path = on_disk(r->p, of->list[i].module.places->path);
        const struct scan_visited *met = scan_jobs_visited(of, path);

        if (strcmp(path, last) == 0)
            continue;
        last = path;
        if (!met && !jw_file_stat(path, &info, err))
            return jw_wrap(err, "%s", path);
        if (!add_receipt_file(r, path, met ? &met->info : &info, err))
            return false;
    }
    return true;
}

static bool list_receipt_files(struct file_list *r, struct jw_err *err)
{
    const struct jw_scan_report *scan = &r->p->ctx.software.found.scan;

    for (size_t i = 0; i < r->p->ctx.software.n_targets; i++)
        if (!add_path(r, r->p->ctx.software.targets[i].path, err))
            return false;
    for (size_t i = 0; i < scan->n_files; i++)
        if (!add_with_folder(r, scan->files[i].path, err))
            return false;
    for (size_t i = 0; i < scan->n_skipped; i++)
        if (scan_jobs_visited(&r->p->ctx.software.found, scan->skipped[i].path)
            && !add_with_folder(r, scan->skipped[i].path, err))
            return false;
    return add_start_files(r, err) && list_folders(r, err) && add_command_files(r, err)
           && add_path(r, r->p->ctx.driver.probe.driver.library, err);
}

static bool is_cached(const struct jw_job *j)
{
    return j->name && j->entry_bytes && (j->state == JW_JOB_WARM || j->state == JW_JOB_WARMED);
}

static void list_entries(const struct prime *p, struct jw_warm_receipt *r)
{
    struct jw_warm_entry *list = jw_arena_alloc(p->run->a, (p->plan.n_jobs + 1) * sizeof *list);

    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (is_cached(&p->plan.jobs[i]))
            list[r->n_entries++] =
                (struct jw_warm_entry){ p->plan.jobs[i].name, p->plan.jobs[i].entry_bytes };
    r->entries = list;
}

static bool list_targets(struct prime *p, struct jw_warm_receipt *r, struct jw_err *err)
{
    const char **list = jw_arena_alloc(p->run->a, (p->ctx.software.n_targets + 1) * sizeof *list);

    for (size_t i = 0; i < p->ctx.software.n_targets; i++) {
        struct jw_buf b = JW_BUF(JW_MAX_PATH);

        say_target(&b, &p->ctx.software.targets[i]);
        if (!(list[i] = finish_text(p, &b, err)))
            return false;
    }
    r->targets = list;
    r->n_targets = p->ctx.software.n_targets;
    return true;
}

/* A command, or a run for some GPUs or modules: that it found nothing says nothing about the rest. */
static bool is_narrow(const struct jw_prime_options *o)
{
    return o->run || o->profile || o->n_gpus || o->n_excluded_now;
}

/* Nothing is left to warm where something was: the earlier receipts of it are superseded. */
static bool is_now_empty(const struct prime *p)
{
    const struct jw_warm_state *memory = &p->ctx.cache.memory;
    bool known = false;

    if (is_narrow(p->o))
        return false;
    for (size_t i = 0; i < p->ctx.software.n_targets; i++)
        for (size_t k = 0; k < memory->n_receipts; k++)
            known |= has_target(&memory->receipts[k], p->ctx.software.targets[i].path);
    return known && !p->plan.n_jobs;
}

/* Only for modules that are warm and verified: without predicted names nothing can be compared. */
static bool possible(const struct prime *p)
{
    return p->ctx.cache.log && p->ctx.driver.probe.driver.library;
}

static bool deserved(const struct prime *p)
{
    bool proven = p->out->verify.done || is_now_empty(p);

    if (!possible(p) || (p->run->end != JW_END_DONE && p->run->end != JW_END_NOTHING) || !proven)
        return false;
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (!p->plan.jobs[i].name || !p->plan.jobs[i].entry_bytes)
            return false;
    return true;
}

/* All is warm except modules that cannot be read, or that this driver refuses: another try would end the same. */
static bool deserved_partly(const struct prime *p)
{
    const struct jw_verify_report *v = &p->out->verify;

    if (!possible(p) || p->run->end != JW_END_PARTLY || p->sourceless || v->n_misses)
        return false;
    for (size_t i = 0; i < v->n_passes; i++)
        if (!jw_verify_pass_held(&v->passes[i]))
            return false;
    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        enum jw_outcome s = p->plan.jobs[i].state;

        if (!is_cached(&p->plan.jobs[i]) && s != JW_JOB_FAILED && s != JW_JOB_BANNED)
            return false;
    }
    return true;
}

static bool write_receipt(struct prime *p, const char *before, struct jw_err *err)
{
    struct file_list file_list = { .p = p };
    struct jw_buf key = JW_BUF(JW_MAX_STATE);

    jw_buf_printf(&key, "%s%s", before, p->key);
    struct jw_warm_receipt r = {
        .key = finish_text(p, &key, err),
        .settings = p->settings,
        .build = p->ctx.driver.probe.driver.build,
        .driver_version = p->ctx.driver.probe.driver.version ? p->ctx.driver.probe.driver.version : "",
        .library = p->ctx.driver.probe.driver.library,
        .when = jw_time_unix(),
        .jobs = p->plan.n_jobs,
        .stamp = p->ctx.driver.probe.state.stamp ? p->ctx.driver.probe.state.stamp : ""
    };

    if (!r.key || !list_receipt_files(&file_list, err))
        return false;
    list_entries(p, &r);
    if (!list_targets(p, &r, err))
        return false;
    r.files = file_list.files;
    r.n_files = file_list.n;
    if (*before)
        r.jobs = r.n_entries;
    return jw_warm_add(p->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r }, err)
           && jw_warm_sync(p->ctx.cache.log, err);
}

/* A run succeeds even if its receipt cannot be written. */
bool prime_keep_receipt(struct prime *p, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (p->reuse.hint) /* what was searched for it was not primed */
        return true;
    /* What lies in a closed folder is unknown, and the next run that somebody starts has to say so. */
    if (deserved(p) ? write_receipt(p, p->ctx.software.n_closed ? PARTLY : "", &why)
                    : !deserved_partly(p) || write_receipt(p, PARTLY, &why))
        return true;
    if (why.code != JW_E_INTERRUPTED) {
        prime_note(p, "the next run looks at everything again, because this one could not be recorded: %s",
                   why.msg);
        return true;
    }
    *err = why;
    return false;
}

/* ---- in the report ---- */

const struct jw_row prime_receipt_rows[] = {
    { JW_ROW("receipt", struct jw_prime_report, receipt),
      JW_ABOUT("nothing was looked at but the receipt of an earlier run") },
    { 0 },
};
