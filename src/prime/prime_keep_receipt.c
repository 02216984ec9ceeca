/* Writes the receipt of a verified prime (prime_receipt.c checks it), or of a verification: the files and
 * facts that it read, the entries in the cache, and its conclusions. */
#include "prime/commands/command.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/lookup.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

/* Returns the file on the disk: for a member of a wheel, the wheel. */
static const char *on_disk(struct prime *p, const char *path)
{
    const char *member = strstr(path, ".whl!");

    return member ? jw_arena_text(p->run->a, path, (size_t)(member - path) + 4) : path;
}

/* Folders that jitwarm itself changes: the cache, the folder above it, and its state. */
static bool is_ours(const struct prime *p, const char *path)
{
    const char *above = jw_path_dir(p->run->a, p->ctx.cache.folder), *state = p->ctx.cache.memory->dir;

    return strcmp(path, above) == 0 || strcmp(path, p->ctx.cache.folder) == 0
           || jw_path_below(path, p->ctx.cache.folder)
           || (state && (jw_path_below(path, state) || jw_path_below(state, path)));
}

/* Adds a file as it is now. A file that could not be read may be readable later, and a start file that
 * appears may move the cache. */
static bool trace_now(struct prime *p, const char *path, struct jw_err *err)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return !jw_file_stat(path, &info, &ignored) || jw_trace_path(&p->trace, path, err);
}

/* Adds files that named folders to search, as they were when they were read. */
static bool trace_read(struct prime *p, struct jw_err *err)
{
    const struct prime_software *s = &p->ctx.software;
    int64_t scanned = p->trace.looked;
    bool ok = true;

    for (size_t i = 0; ok && i < s->n_read; i++) {
        p->trace.looked = s->read[i].before;
        ok = jw_trace_seen(&p->trace, s->read[i].file.path, &s->read[i].file.info, 0, err);
    }
    p->trace.looked = scanned;
    return ok;
}

/* Files that a scan saw count as they were then, so that a later change is one. */
static bool trace_visited(struct prime *p, const struct scan_jobs *of, struct jw_err *err)
{
    for (size_t i = 0; i < of->n_visited; i++) {
        const struct scan_visited *m = &of->visited[i];

        if (strcmp(jw_path_base(m->path), "__pycache__") != 0 && !is_ours(p, m->path)
            && !jw_trace_seen(&p->trace, m->path, &m->info, m->names, err))
            return false;
    }
    return true;
}

static bool trace_files(struct prime *p, struct jw_err *err)
{
    const struct jw_scan_report *scan = &p->ctx.software.found.scan;
    bool ok = trace_visited(p, &p->ctx.software.found, err) && trace_visited(p, &p->of_command, err)
              && trace_read(p, err);

    for (size_t i = 0; ok && i < p->ctx.software.n_targets; i++) {
        const struct search_root *t = &p->ctx.software.targets[i];

        if (!scan_jobs_visited(&p->ctx.software.found, t->path))
            ok = trace_now(p, t->path, err);
        if (t->link)
            ok = ok && trace_now(p, t->link, err);
    }
    for (size_t i = 0; ok && i < scan->n_skipped; i++)
        ok = trace_now(p, on_disk(p, scan->skipped[i].path), err);
    for (size_t i = 0; ok && i < p->reuse.n_files; i++)
        if (!scan_jobs_visited(&p->of_command, p->reuse.files[i]))
            ok = trace_now(p, p->reuse.files[i], err);
    for (size_t i = 0; ok && p->ctx.login.here && i < p->ctx.login.here->files.n; i++)
        ok = trace_now(p, p->ctx.login.here->files.names[i], err);
    ok = ok && (!p->ctx.login.here || jw_login_trace_driver(p->ctx.login.here, &p->trace, err));
    for (size_t i = 0; ok && p->ctx.software.of_login && i < p->ctx.software.of_login->absent.n; i++)
        ok = trace_now(p, p->ctx.software.of_login->absent.names[i], err);
    return ok && jw_trace_path(&p->trace, p->ctx.driver.probe->driver.library, err);
}

static bool is_cached(const struct jw_job *j)
{
    return j->name && j->entry_bytes && jw_job_is_warm(j);
}

static bool list_entries(const struct prime *p, struct jw_warm_receipt *r, struct jw_err *err)
{
    struct jw_warm_entry *list = jw_arena_alloc(p->run->a, (p->plan.n_jobs + 1) * sizeof *list);
    struct jw_cache_lookup lookup;

    if (!jw_cache_lookup_open(p->ctx.cache.folder, p->run->a, &lookup, err))
        return false;
    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];

        if (is_cached(j))
            list[r->n_entries++] =
                (struct jw_warm_entry){ j->name, j->entry_bytes,
                                        jw_cache_identity_of(&lookup, j->name, j->entry_bytes) };
    }
    jw_cache_lookup_close(&lookup);
    r->entries = list;
    return true;
}

static const struct jw_warm_entry *verified_before(const struct jw_warm_state *memory, uint64_t name)
{
    for (size_t i = 0; i < memory->n_receipts; i++)
        for (size_t k = 0; k < memory->receipts[i].n_entries; k++)
            if (memory->receipts[i].entries[k].name == name)
                return &memory->receipts[i].entries[k];
    return NULL;
}

/* Adds entries of modules that earlier starts of a command made and this one did not load: a prime compiles them, too,
 * and this run has not looked at them. The newest verified run that had an entry says which file it was; an entry that
 * none had is a job without an entry. */
static void list_beside(const struct prime *p, struct jw_warm_receipt *r)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    const struct prime_reuse *u = &p->reuse;
    struct jw_warm_entry *list =
        jw_arena_alloc(p->run->a, (r->n_entries + u->n_unprofiled + 1) * sizeof *list);

    memcpy(list, r->entries, r->n_entries * sizeof *list);
    r->entries = list;
    r->jobs += u->n_unprofiled;
    for (size_t i = 0; i < u->n_unprofiled; i++) {
        const struct jw_warm_entry *known = verified_before(memory, u->unprofiled[i]);

        if (known)
            list[r->n_entries++] = *known;
    }
}

/* Is there nothing to warm, so that earlier receipts of the same are superseded and another prime would find the same?
 * Named software that never had code is not worth a receipt. */
static bool is_empty(const struct prime *p)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    const struct jw_texts here = prime_target_texts(p->run->a, &p->ctx.software);
    bool known = !p->ctx.software.paths.n || prime_left_out(p->out);

    if (prime_is_of_a_part(p))
        return false;
    for (size_t i = 0; i < here.n; i++)
        for (size_t k = 0; k < memory->n_receipts; k++)
            known |= prime_has_target(&memory->receipts[k], prime_target_path(here.items[i]));
    return known && !p->plan.n_jobs && !p->emptied.n;
}

/* Can there be a receipt at all? A run that found no modules here must not hide that another cache was primed. */
static bool possible(const struct prime *p)
{
    return p->ctx.cache.log && p->ctx.driver.probe->driver.library
           && !(p->ctx.cache.primed_cache.path && p->out->recorded_unsure && p->plan.n_jobs == 0);
}

static bool deserved(const struct prime *p)
{
    bool proven = p->out->verify.done || p->all_hidden || is_empty(p);

    if (!possible(p) || (p->run->end != JW_END_DONE && p->run->end != JW_END_NOTHING && !p->proven)
        || !proven)
        return false;
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (!p->plan.jobs[i].name || !p->plan.jobs[i].entry_bytes)
            return false;
    return true;
}

/* True if another try would end the same: all is warm but files that cannot be read and modules that this driver
 * refuses, or all primed files are gone. A command with unknown modules has no receipt before a start of it was
 * recorded. */
static bool deserved_partly(const struct prime *p)
{
    const struct jw_verify_report *v = &p->out->verify;

    if (!possible(p) || (p->o->profile && p->out->recorded_unsure)
        || (p->run->end != JW_END_PARTLY && !(p->run->end == JW_END_NOTHING && p->emptied.n))
        || (p->out->sourceless && !p->out->recorded_unsure) || v->n_misses || jw_failing_link(v))
        return false;
    for (size_t i = 0; i < v->n_passes; i++)
        if (!jw_verify_pass_succeeded(&v->passes[i]))
            return false;
    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];

        if (!is_cached(j) && !(j->state == JW_JOB_FAILED && !prime_lacked_compiler(j))
            && !(j->state == JW_JOB_CRASHED && j->hopeless) && j->state != JW_JOB_SKIPPED)
            return false;
    }
    return true;
}

/* Returns the target in which this file was found, or the file where it is in none; NULL: it is no file. */
static const char *found_in(struct prime *p, const struct jw_place *at)
{
    const struct prime_software *s = &p->ctx.software;
    const char *path = on_disk(p, at->path), *in = NULL;

    if (prime_place_is_entry(at))
        return NULL;
    for (size_t i = 0; i < s->n_targets; i++) { /* one may be in another */
        const char *target = s->targets[i].path;

        if ((strcmp(target, path) == 0 || jw_path_below(path, target))
            && (!in || strlen(target) > strlen(in)))
            in = target;
    }
    return in ? in : path;
}

/* Lists all targets that hold a module, so that it is known when none of them is there any more. */
static bool list_sources(struct prime *p, struct jw_warm_conclusions *out, struct jw_err *err)
{
    const char **list = NULL;
    size_t n = 0;

    for (size_t i = 0; i < p->plan.n_jobs; i++)
        for (size_t k = 0; k < p->plan.jobs[i].module.n_places; k++) {
            const char *in = found_in(p, &p->plan.jobs[i].module.places[k]), **slot;

            if (!in)
                return true; /* a module that a command made has no file */
            if (jw_text_among(in, list, n))
                continue;
            slot = jw_list_add(p->run->a, &list, &n, sizeof *slot, JW_MAX_LISTED, err);
            if (!slot)
                return false;
            *slot = in;
        }
    out->found_in = list;
    out->n_found_in = n;
    return true;
}

static void list_refused(const struct prime *p, struct jw_warm_conclusions *out)
{
    struct jw_warm_refused *list = jw_arena_alloc(p->run->a, (p->plan.n_jobs + 1) * sizeof *list);

    out->refused = list;
    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];

        if (!prime_is_refused(j))
            continue;
        list[out->n_refused] = (struct jw_warm_refused){ .sm = j->sm, .path = j->module.places->path };
        memcpy(list[out->n_refused++].id, j->id, sizeof j->id);
    }
}

/* The next run takes these from the receipt as they are. */
static bool conclude(struct prime *p, struct jw_warm_conclusions *out, struct jw_err *err)
{
    const struct prime_software *s = &p->ctx.software;
    const struct jw_cache_limit *l = &p->out->cache.limit;
    const struct jw_login_gpus *gpus = NULL;

    if (p->ctx.login.here && !jw_session_login_gpus(p->run->session, &gpus, err))
        return false;
    *out = (struct jw_warm_conclusions){
        .same_login = gpus && !gpus->apart && p->ctx.login.start.is == JW_LOGIN_AS_HERE,
        .login_lower = l->login_lower,
        .terminal = l->login_lower && l->terminal,
        .login_limit = l->login_lower ? l->login : 0,
        .native = p->plan.n_jobs ? 0 : prime_left_out(p->out),
        .on_use = p->o->run || p->o->profile ? 0 : s->found.on_use,
        .loss = prime_loss(p),
        .too_new = p->too_new,
        .lacking = p->out->lacking ? s->lacking : (struct jw_warm_lacking){ 0 },
        .unread = s->unread_path,
        .unread_why = s->unread_why,
        .emptied = p->emptied.v,
        .n_emptied = p->emptied.n,
    };
    list_refused(p, out);
    return list_sources(p, out, err)
           && (prime_recorded_suffices(p)
               || prime_recorded_facts(p, p->ctx.driver.probe->driver.build, &out->unsure, err));
}

static bool write_receipt(struct prime *p, bool partly, struct jw_err *err)
{
    struct jw_warm_receipt r = {
        .partly = partly,
        .asked = p->request,
        .build = p->ctx.driver.probe->driver.build,
        .driver_version = p->ctx.driver.probe->driver.version ? p->ctx.driver.probe->driver.version : "",
        .when = jw_time_unix(),
        .jobs = p->plan.n_jobs,
        .stamp = p->ctx.driver.probe->state.stamp ? p->ctx.driver.probe->state.stamp : ""
    };

    if (!conclude(p, &r.concluded, err) || !list_entries(p, &r, err))
        return false;
    list_beside(p, &r);
    r.answers = p->trace.answers;
    r.n_answers = p->trace.n_answers;
    r.files = p->trace.files;
    r.n_files = p->trace.n_files;
    if (partly)
        r.jobs = r.n_entries;
    return jw_warm_add(p->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r }, err)
           && jw_warm_sync(p->ctx.cache.log, err);
}

/* A run succeeds even if its receipt cannot be written. */
bool prime_keep_receipt(struct prime *p, struct jw_err *err)
{
    struct jw_err why = { 0 };
    bool whole = deserved(p), partly = !whole && deserved_partly(p);

    if ((whole || partly || p->run->end == JW_END_DONE || p->run->end == JW_END_NOTHING)
        && !prime_finish_targets(p, err))
        return false;

    /* Paths that were searched for a hint were not primed. */
    if (p->reuse.hint || (!whole && !partly))
        return true;
    /* The content of a closed folder is unknown, and the next run that somebody starts has to say so. */
    if (trace_files(p, &why)) {
        if (p->trace.n_folders > JW_TRACE_FOLDERS) {
            prime_note(
                p,
                "the next run looks at everything again: %s were searched, and jitwarm compares at most %s",
                JW_N(p->trace.n_folders, "folder", "folders"), JW_NUM(JW_TRACE_FOLDERS));
            return true;
        }
        jw_trace_finish(&p->trace);
        if (write_receipt(p, !whole || p->ctx.software.n_closed, &why))
            return true;
    }
    if (why.code != JW_E_INTERRUPTED) {
        prime_note(p, "the next run looks at everything again, because this one could not be recorded: %s",
                   why.msg);
        return true;
    }
    *err = why;
    return false;
}

/* ---- of a verification ---- */

static bool is_of_all_that_was_primed(const struct prime *p)
{
    return !p->o->paths.n && !prime_is_of_a_part(p);
}

bool prime_begin_proof(struct prime *p, struct jw_err *err)
{
    return !is_of_all_that_was_primed(p) || jw_session_machine(p->run->session, p->run->a, &p->trace, err);
}

static bool is_known(struct prime *p, bool *known, struct jw_err *err)
{
    struct jw_session *s = p->run->session;
    struct jw_prime_last last;

    if (!jw_prime_last(s, jw_session_cache(s), p->ctx.cache.memory, &last, err))
        return false;

    const struct jw_next_start_facts f = jw_prime_last_facts(&last);

    *known = jw_next_start_of(&f) == JW_NEXT_START_WARM;
    return true;
}

/* Were packs imported, and is the software of none here? Another verification would find the same. */
static bool is_of_packs_alone(const struct prime *p)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;

    return p->run->end == JW_END_PARTLY && memory->modules.n && !memory->n_receipts && !p->out->files
           && !p->out->n_recorded && !p->out->n_unread && is_empty(p);
}

bool prime_keep_proof(struct prime *p, struct jw_err *err)
{
    struct prime_cache *c = &p->ctx.cache;
    struct jw_warm_holder holder;
    struct jw_err ignored;
    bool known;

    p->proven |= is_of_packs_alone(p);
    if (!p->proven || !is_of_all_that_was_primed(p))
        return true;
    if (!jw_session_lock(p->run->session, c->folder, &c->log, &holder, &ignored) || !c->log)
        return true;
    c->memory = jw_session_memory_now(p->run->session, c->folder);
    if (!is_known(p, &known, err))
        return false;
    if (known)
        return true;
    p->request = prime_request_of(p, false);
    return prime_keep_receipt(p, err);
}
