/* What else a recorded command may load. Modules of one program may hold kernels of one name (weak ones, of templates in
 * headers): the runtime takes such a kernel from any of them, in the order of addresses, so that each start may load another
 * one. So the files that the command had loaded are read once, and modules that share a kernel with recorded ones count,
 * too. Files are also where recorded modules are found again after the cache was lost. */
#include "prime/prime_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "cache/format/sorted.h"
#include "os/files/file.h"

#include <stdlib.h>
#include <string.h>

struct closure {
    struct prime *p;
    uint8_t (*ids)[JW_DIGEST]; /* of recorded modules, and of those that share a kernel with them; sorted */
    size_t n_ids;
    uint16_t sms[MODULE_MAX_ARCHS]; /* that recorded modules of these files are for */
    size_t n_sms;
    uint8_t (*texts)[JW_DIGEST]; /* of recorded modules, then of all; sorted */
    size_t n_texts;
    uint64_t *kernels; /* of recorded modules; sorted */
    size_t n_kernels;
};

static bool add_digest(const struct closure *c, uint8_t (**list)[JW_DIGEST], size_t *n,
                       const uint8_t digest[JW_DIGEST], struct jw_err *err)
{
    uint8_t(*slot)[JW_DIGEST] = jw_list_add(c->p->run->a, list, n, JW_DIGEST, JW_MAX_CACHE_FILES, err);

    if (slot)
        memcpy(*slot, digest, JW_DIGEST);
    return slot != NULL;
}

static bool is_among(const uint8_t digest[JW_DIGEST], uint8_t (*list)[JW_DIGEST], size_t n)
{
    return n && bsearch(digest, list, n, JW_DIGEST, plan_by_digest);
}

/* Sorts them, and keeps each once. */
static void sort_digests(uint8_t (*list)[JW_DIGEST], size_t *n)
{
    size_t kept = 0;

    if (*n)
        qsort(list, *n, JW_DIGEST, plan_by_digest);
    for (size_t i = 0; i < *n; i++)
        if (!kept || memcmp(list[kept - 1], list[i], JW_DIGEST) != 0)
            memmove(list[kept++], list[i], JW_DIGEST);
    *n = kept;
}

/* ---- what is known from another machine ---- */

static bool is_hinted(const struct jw_warm_hint *hint, const uint8_t text[JW_DIGEST])
{
    return hint->n && bsearch(text, hint->texts, hint->n, JW_DIGEST, plan_by_digest);
}

/* Of GPUs and drivers that are not here nothing serves but the PTX: what is found of it is compiled, and recorded by the
 * command's first start here. */
bool prime_take_hint(struct prime *p, struct jw_err *err)
{
    const struct scan_jobs *found = &p->ctx.software.found;
    struct closure c = { .p = p };

    for (size_t i = 0; i < found->n; i++)
        if (is_hinted(p->reuse.hint, found->list[i].module.text)
            && !add_digest(&c, &c.ids, &c.n_ids, found->list[i].id, err))
            return false;
    if (!c.n_ids)
        return prime_end(p, JW_END_NOTHING, "%s", "");
    sort_digests(c.ids, &c.n_ids);
    p->reuse.profile = c.ids;
    p->reuse.n_profile = c.n_ids;
    p->out->profile_known = true;
    p->out->profile_modules = c.n_ids;
    return true;
}

/* ---- the files ---- */

static bool add_files(struct prime *p, const struct jw_warm_profile *of, struct jw_err *err)
{
    for (size_t i = 0; of && i < of->n_files; i++) {
        const char **slot;

        if (!jw_is_file(of->files[i]))
            continue;
        slot = jw_list_add(p->run->a, &p->reuse.files, &p->reuse.n_files, sizeof *slot, JW_MAX_ROOTS, err);
        if (!slot)
            return false;
        *slot = of->files[i];
    }
    return true;
}

/* Of the command that this run is about; of all commands where it is about what was primed before. */
static bool find_files(struct prime *p, struct jw_err *err)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    bool ok = true;

    if (p->reuse.n_files || p->o->n_paths)
        return true;
    if (p->o->profile)
        return add_files(p, jw_warm_profile(memory, p->o->profile), err);
    for (size_t i = 0; ok && !p->o->run && i < memory->n_profiles; i++)
        ok = add_files(p, &memory->profiles[i], err);
    return ok;
}

static bool scan_files(struct prime *p, const atomic_bool *interrupted, struct jw_err *err)
{
    struct jw_scan_root *roots = jw_arena_alloc(p->run->a, p->reuse.n_files * sizeof *roots);
    struct scan_jobs_options o = prime_scan_options(p->run, &p->ctx);

    for (size_t i = 0; i < p->reuse.n_files; i++)
        roots[i] = (struct jw_scan_root){ .path = p->reuse.files[i] };
    o.scan.roots = roots;
    o.scan.n_roots = p->reuse.n_files;
    o.scan.interrupted = interrupted;
    o.shared = true;
    return scan_jobs_find(&o, &p->of_command, err);
}

/* ---- what is recorded ---- */

static bool take_ids(struct closure *c, struct jw_err *err)
{
    const struct jw_warm_state *memory = c->p->ctx.cache.memory;
    const struct prime_reuse *u = &c->p->reuse;
    bool ok = true;

    for (size_t i = 0; ok && i < u->n_profile; i++)
        ok = add_digest(c, &c->ids, &c->n_ids, u->profile[i], err);
    for (size_t i = 0; ok && !u->profile && i < memory->n_profiles; i++)
        for (size_t k = 0; ok && k < memory->profiles[i].n; k++)
            ok = add_digest(c, &c->ids, &c->n_ids, memory->profiles[i].ids[k], err);
    sort_digests(c->ids, &c->n_ids);
    return ok;
}

static void take_sm(struct closure *c, uint16_t sm)
{
    for (size_t i = 0; i < c->n_sms; i++)
        if (c->sms[i] == sm)
            return;
    if (c->n_sms < MODULE_MAX_ARCHS)
        c->sms[c->n_sms++] = sm;
}

static bool take_texts(struct closure *c, struct jw_err *err)
{
    const struct scan_jobs *found = &c->p->of_command;

    for (size_t i = 0; i < found->n; i++) {
        if (!is_among(found->list[i].id, c->ids, c->n_ids))
            continue;
        take_sm(c, found->list[i].sm);
        if (!add_digest(c, &c->texts, &c->n_texts, found->list[i].module.text, err))
            return false;
    }
    sort_digests(c->texts, &c->n_texts);
    return true;
}

/* ---- what shares a kernel with it ---- */

static bool take_kernels(struct closure *c, struct jw_err *err)
{
    const struct scan_jobs *found = &c->p->of_command;

    for (size_t i = 0; i < found->n_shared; i++) {
        const struct scan_shared *s = &found->shared[i];

        for (size_t k = 0; is_among(s->text, c->texts, c->n_texts) && k < s->n; k++) {
            uint64_t *slot =
                jw_list_add(c->p->run->a, &c->kernels, &c->n_kernels, sizeof *slot, JW_MAX_OWNED, err);

            if (!slot)
                return false;
            *slot = s->kernels[k];
        }
    }
    jw_sort_u64(c->kernels, c->n_kernels, sizeof *c->kernels);
    return true;
}

static bool has_one(const struct closure *c, const struct scan_shared *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (jw_find_u64(c->kernels, c->n_kernels, sizeof *c->kernels, s->kernels[i]))
            return true;
    return false;
}

static bool share_texts(struct closure *c, struct jw_err *err)
{
    const struct scan_jobs *found = &c->p->of_command;
    bool ok = true;

    for (size_t i = 0; ok && i < found->n_shared; i++)
        if (has_one(c, &found->shared[i]))
            ok = add_digest(c, &c->texts, &c->n_texts, found->shared[i].text, err);
    sort_digests(c->texts, &c->n_texts);
    return ok;
}

static bool has_sm(const struct closure *c, uint16_t sm)
{
    for (size_t i = 0; i < c->n_sms; i++)
        if (c->sms[i] == sm)
            return true;
    return false;
}

/* Returns how many modules are new. */
static bool share_ids(struct closure *c, uint64_t *more, struct jw_err *err)
{
    const struct scan_jobs *found = &c->p->of_command;
    size_t known = c->n_ids;

    for (size_t i = 0; i < found->n; i++) {
        const struct jw_job *j = &found->list[i];

        if (has_sm(c, j->sm) && is_among(j->module.text, c->texts, c->n_texts)
            && !is_among(j->id, c->ids, known) && !add_digest(c, &c->ids, &c->n_ids, j->id, err))
            return false;
    }
    sort_digests(c->ids, &c->n_ids);
    *more = c->n_ids - known;
    return true;
}

/* ---- what becomes of it ---- */

static int by_module_and_file(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a, *y = *(const struct jw_job *const *)b;
    int d = memcmp(x->id, y->id, JW_DIGEST);

    return d ? d : strcmp(x->module.places->path, y->module.places->path);
}

static void add_modules(const struct closure *c)
{
    struct scan_jobs *to = &c->p->ctx.software.found;
    const struct scan_jobs *from = &c->p->of_command;
    const struct jw_job **known = jw_arena_alloc(c->p->run->a, (to->n + 1) * sizeof *known);
    size_t n_known = to->n;

    to->list = jw_realloc(to->list, (to->n + from->n + 1) * sizeof *to->list);
    for (size_t i = 0; i < n_known; i++)
        known[i] = &to->list[i];
    qsort(known, n_known, sizeof *known, by_module_and_file);
    for (size_t i = 0; i < from->n; i++) {
        const struct jw_job *j = &from->list[i];

        if (is_among(j->id, c->ids, c->n_ids)
            && !bsearch(&j, known, n_known, sizeof *known, by_module_and_file))
            to->list[to->n++] = *j;
    }
}

/* They come first where all that was found is compiled, too. */
static bool note_used(const struct closure *c, struct jw_err *err)
{
    struct prime_reuse *u = &c->p->reuse;
    bool ok = true;

    for (size_t i = 0; ok && i < c->n_texts; i++)
        ok = add_digest(c, &u->used, &u->n_used, c->texts[i], err);
    return ok;
}

/* Only the files that hold something of it are read the next time. What shares a kernel is not recorded: it would count as
 * loaded the next time, and bring what shares a kernel with it. */
static bool record_files(const struct closure *c, struct jw_err *err)
{
    struct prime *p = c->p;
    char *words = p->o->run ? jw_prime_command(p->o->run) : NULL;
    const struct jw_warm_profile *known = jw_warm_profile(
        jw_session_memory_now(p->run->session, p->ctx.cache.root), words ? words : p->o->profile);
    const char *last = "";
    const char **list = jw_arena_alloc(p->run->a, (p->of_command.n + 1) * sizeof *list);
    size_t n = 0;
    bool ok = true;

    for (size_t i = 0; i < p->of_command.n; i++) { /* sorted by path */
        const struct jw_job *j = &p->of_command.list[i];

        if (strcmp(j->module.places->path, last) != 0 && is_among(j->id, c->ids, c->n_ids))
            list[n++] = last = j->module.places->path;
    }
    if (known && n != p->reuse.n_files) {
        struct jw_warm_profile now = *known;

        now.files = list;
        now.n_files = n;
        ok = jw_warm_add(p->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_PROFILE, .as.profile = now }, err)
             && jw_warm_sync(p->ctx.cache.log, err);
    }
    jw_free(words);
    return ok;
}

/* Not that of several commands, nor where nothing is changed. */
static bool is_recorded(const struct prime *p)
{
    return p->ctx.cache.log && (p->o->run || p->o->profile);
}

static bool find_shared(struct closure *c, const atomic_bool *interrupted, uint64_t *more, struct jw_err *err)
{
    return scan_files(c->p, interrupted, err) && take_texts(c, err) && take_kernels(c, err)
           && share_texts(c, err) && share_ids(c, more, err);
}

static bool close_over(struct closure *c, struct jw_err *err)
{
    struct prime *p = c->p;
    uint64_t more;

    if (!find_shared(c, p->run->interrupted, &more, err))
        return false;
    add_modules(c);
    if (!note_used(c, err))
        return false;
    if (!p->reuse.profile)
        return true;
    p->out->profile_shared = more;
    p->reuse.profile = c->ids;
    p->reuse.n_profile = c->n_ids;
    return !is_recorded(p) || record_files(c, err);
}

bool prime_close_profile(struct prime *p, struct jw_err *err)
{
    struct closure c = { .p = p };

    if (!find_files(p, err))
        return false;
    if (!p->reuse.n_files)
        return true;
    return take_ids(&c, err) && (!c.n_ids || close_over(&c, err));
}

static void add_loads(const struct closure *c, struct jw_warm_loads *loads)
{
    const struct scan_jobs *found = &c->p->of_command;
    struct jw_arena *a = c->p->run->a;
    uint64_t *names = jw_arena_alloc(a, (found->n + 1) * sizeof *names);
    struct jw_warm_load *list = jw_arena_alloc(a, (loads->n + found->n + 1) * sizeof *list);
    size_t n_names = 0, n = loads->n;

    for (size_t i = 0; i < found->n; i++)
        if (found->list[i].name && is_among(found->list[i].id, c->ids, c->n_ids))
            names[n_names++] = found->list[i].name;
    if (n_names)
        jw_sort_u64(names, n_names, sizeof *names);
    for (size_t i = 0; i < n; i++)
        list[i] = loads->list[i];
    jw_sort_u64(list, n, sizeof *list);
    for (size_t i = 0; i < n_names; i++)
        if ((!i || names[i] != names[i - 1]) && !jw_find_u64(list, loads->n, sizeof *list, names[i]))
            list[n++].name = names[i];
    loads->list = list;
    loads->n = n;
}

bool prime_share_loads(struct prime *p, const uint8_t (*ids)[JW_DIGEST], size_t n_ids,
                       struct jw_warm_loads *loads, struct jw_err *err)
{
    struct closure c = { .p = p };
    uint64_t more;
    bool ok = true;

    if ((!p->o->record && !prime_interrupted(p->run)) || !n_ids || !p->reuse.n_files)
        return true;
    for (size_t i = 0; ok && i < n_ids; i++)
        ok = add_digest(&c, &c.ids, &c.n_ids, ids[i], err);
    sort_digests(c.ids, &c.n_ids);
    ok = ok && find_shared(&c, NULL, &more, err);
    if (ok)
        add_loads(&c, loads);
    scan_jobs_free(&p->of_command);
    p->of_command = (struct scan_jobs){ 0 };
    return ok;
}

/* export --run packs these, too. Called when they are compiled. */
bool prime_keep_shared(struct prime *p, struct jw_err *err)
{
    char *key = p->o->run ? jw_prime_command(p->o->run) : p->o->profile ? jw_strdup(p->o->profile) : NULL;
    const char *build = prime_build(&p->ctx.driver);
    bool ok = true;

    if (!key || !p->out->profile_shared) {
        jw_free(key);
        return true;
    }
    const struct jw_warm_state *now = jw_session_memory_now(p->run->session, p->ctx.cache.root);
    const struct jw_warm_loads *known = jw_warm_loads(now, key, build);
    size_t before = known ? known->n : 0;
    struct jw_warm_load *list = jw_arena_alloc(p->run->a, (before + p->plan.n_jobs + 1) * sizeof *list);
    struct jw_warm_loads loads = { .key = key, .build = build, .list = list, .n = before };

    for (size_t i = 0; i < before; i++)
        list[i] = known->list[i];
    if (before)
        jw_sort_u64(list, before, sizeof *list);
    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];

        if ((j->state == JW_JOB_WARM || j->state == JW_JOB_WARMED) && j->name
            && !jw_find_u64(list, before, sizeof *list, j->name))
            list[loads.n++] = (struct jw_warm_load){ .name = j->name };
    }
    if (loads.n > before)
        ok = prime_remember_loads(p->run, &p->ctx, loads, false, err) && jw_warm_sync(p->ctx.cache.log, err);
    jw_free(key);
    return ok;
}
