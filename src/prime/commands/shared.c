/* Finds modules that a recorded command may load at another start. Modules of one program may hold kernels of one name
 * (weak ones, of templates in headers): the runtime takes such a kernel from any of them, in the order of addresses, so
 * each start may load another module. So the files that the command had loaded are read once, and modules that share a
 * kernel with recorded ones count, too. The same files give recorded modules back after the cache was lost. */
#include "prime/commands/watching.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "facts/gpus.h"

#include <string.h>

struct sharing {
    struct prime *p;
    struct jw_digest_set ids; /* of recorded modules, and of those that share a kernel with them */
    uint16_t sms[JW_MAX_SMS]; /* architectures of recorded modules in these files */
    size_t n_sms;
    struct jw_digest_set texts; /* of recorded modules, then of all */
    uint64_t *kernels;          /* of recorded modules; sorted */
    size_t n_kernels;
};

/* ---- what is known from another machine ---- */

/* A pack from another GPU or driver gives only the PTX that the command loads there. The run compiles the PTX
 * that it finds here, and the command's first start here records the rest. */
bool prime_take_hint(struct prime *p, struct jw_err *err)
{
    const struct scan_jobs *found = &p->ctx.software.found;
    const struct jw_warm_command *hint = p->reuse.hint;
    struct jw_digest_set ids = { 0 };

    (void)err;
    for (size_t i = 0; i < found->n; i++)
        if (jw_digest_among(hint->ids, hint->n, found->list[i].module.text))
            jw_digest_set_add(&ids, p->run->a, found->list[i].id);
    if (!ids.n)
        return prime_end(p, JW_END_NOTHING, "%s", "");
    p->reuse.profile = prime_digests(p, jw_digest_set_list(&ids), ids.n);
    p->out->profile_known = true;
    p->out->profile_modules = p->reuse.profile->n;
    return true;
}

/* ---- the files ---- */

static bool add_files(struct prime *p, const struct jw_warm_command *of, struct jw_err *err)
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

/* Lists the files of the command that this run is about, or of all commands where the run is about what was primed
 * before. */
static bool find_files(struct prime *p, struct jw_err *err)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    bool ok = true;

    if (p->reuse.n_files || p->o->paths.n)
        return true;
    if (p->o->profile)
        return add_files(p, jw_warm_profile(memory, p->o->profile), err);
    for (size_t i = 0; ok && !p->o->run && i < memory->n_commands; i++)
        ok = add_files(p, &memory->commands[i], err);
    return ok;
}

static bool scan_files(struct prime *p, const atomic_bool *interrupted, struct jw_err *err)
{
    struct jw_scan_root *roots = jw_arena_alloc(p->run->a, p->reuse.n_files * sizeof *roots);
    struct scan_jobs_options o = prime_scan_options(&p->ctx);

    for (size_t i = 0; i < p->reuse.n_files; i++)
        roots[i] = (struct jw_scan_root){ .path = p->reuse.files[i] };
    o.scan.roots = roots;
    o.scan.n_roots = p->reuse.n_files;
    o.scan.interrupted = interrupted;
    o.shared = true;
    return scan_jobs_find(&o, &p->of_command, err);
}

/* ---- what is recorded ---- */

static void take_ids(struct sharing *c)
{
    const struct jw_digest_set *profile = c->p->reuse.profile;
    struct jw_arena *a = c->p->run->a;

    if (profile)
        jw_digest_set_add_all(&c->ids, a, jw_digest_set_list(profile), profile->n);
    else
        c->ids = plan_recorded(c->p->ctx.cache.memory, a);
}

static void take_texts(struct sharing *c)
{
    const struct scan_jobs *found = &c->p->of_command;

    for (size_t i = 0; i < found->n; i++) {
        if (!jw_digest_set_has(&c->ids, found->list[i].id))
            continue;
        jw_sms_add(c->sms, &c->n_sms, found->list[i].sm);
        jw_digest_set_add(&c->texts, c->p->run->a, found->list[i].module.text);
    }
    jw_digest_set_sort(&c->texts);
}

/* ---- what shares a kernel with it ---- */

static bool take_kernels(struct sharing *c, struct jw_err *err)
{
    const struct scan_jobs *found = &c->p->of_command;

    for (size_t i = 0; i < found->n_shared; i++) {
        const struct scan_shared *s = &found->shared[i];

        for (size_t k = 0; jw_digest_set_has(&c->texts, s->text) && k < s->n; k++) {
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

static bool has_one(const struct sharing *c, const struct scan_shared *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (jw_find_u64(c->kernels, c->n_kernels, sizeof *c->kernels, s->kernels[i]))
            return true;
    return false;
}

static void share_texts(struct sharing *c)
{
    const struct scan_jobs *found = &c->p->of_command;

    for (size_t i = 0; i < found->n_shared; i++)
        if (has_one(c, &found->shared[i]))
            jw_digest_set_add(&c->texts, c->p->run->a, found->shared[i].text);
    jw_digest_set_sort(&c->texts);
}

/* Returns how many modules are new. */
static uint64_t share_ids(struct sharing *c)
{
    const struct scan_jobs *found = &c->p->of_command;
    size_t known = c->ids.n;

    for (size_t i = 0; i < found->n; i++) {
        const struct jw_job *j = &found->list[i];

        if (jw_sms_have(c->sms, c->n_sms, j->sm) && jw_digest_set_has(&c->texts, j->module.text)
            && !jw_digest_among(jw_digest_set_list(&c->ids), known, j->id))
            jw_digest_set_add(&c->ids, c->p->run->a, j->id);
    }
    jw_digest_set_sort(&c->ids);
    return c->ids.n - known;
}

/* ---- what becomes of it ---- */

static int by_module_and_file(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a, *y = *(const struct jw_job *const *)b;
    int d = memcmp(x->id, y->id, JW_DIGEST);

    return d ? d : strcmp(x->module.places->path, y->module.places->path);
}

static void add_modules(const struct sharing *c)
{
    struct scan_jobs *to = &c->p->ctx.software.found;
    const struct scan_jobs *from = &c->p->of_command;
    const struct jw_job **known = jw_arena_alloc(c->p->run->a, (to->n + 1) * sizeof *known);
    size_t n_known = to->n;

    to->list = jw_realloc(to->list, (to->n + from->n + 1) * sizeof *to->list);
    for (size_t i = 0; i < n_known; i++)
        known[i] = &to->list[i];
    jw_sort(known, n_known, sizeof *known, by_module_and_file);
    for (size_t i = 0; i < from->n; i++) {
        const struct jw_job *j = &from->list[i];

        if (jw_digest_set_has(&c->ids, j->id)
            && !jw_search(&j, known, n_known, sizeof *known, by_module_and_file))
            to->list[to->n++] = *j;
    }
}

/* Marks the modules as used, so that they come first where everything that was found is compiled. */
static void note_used(const struct sharing *c)
{
    struct jw_digest_set *used = &c->p->reuse.used;

    jw_digest_set_add_all(used, c->p->run->a, jw_digest_set_list(&c->texts), c->texts.n);
    jw_digest_set_sort(used);
}

/* Records only the files that hold recorded modules, so that the next run reads fewer. Modules that share a kernel are
 * not recorded: they would count as loaded the next time, and bring the modules that share a kernel with them. */
static bool record_files(const struct sharing *c, struct jw_err *err)
{
    struct prime *p = c->p;
    char *words = p->o->run ? jw_prime_command(p->o->run) : NULL;
    const struct jw_warm_command *known = jw_warm_profile(
        jw_session_memory_now(p->run->session, p->ctx.cache.folder), words ? words : p->o->profile);
    const char *last = "";
    const char **list = jw_arena_alloc(p->run->a, (p->of_command.n + 1) * sizeof *list);
    size_t n = 0;
    bool ok = true;

    for (size_t i = 0; i < p->of_command.n; i++) { /* sorted by path */
        const struct jw_job *j = &p->of_command.list[i];

        if (strcmp(j->module.places->path, last) != 0 && jw_digest_set_has(&c->ids, j->id))
            list[n++] = last = j->module.places->path;
    }
    if (known && n != p->reuse.n_files) {
        struct jw_warm_command now = *known;

        now.files = list;
        now.n_files = n;
        ok = jw_warm_add(p->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = now }, err)
             && jw_warm_sync(p->ctx.cache.log, err);
    }
    jw_free(words);
    return ok;
}

/* True for a run of one command that changes the cache. */
static bool is_recorded(const struct prime *p)
{
    return p->ctx.cache.log && (p->o->run || p->o->profile);
}

static bool find_shared(struct sharing *c, const atomic_bool *interrupted, uint64_t *more, struct jw_err *err)
{
    if (!scan_files(c->p, interrupted, err))
        return false;
    take_texts(c);
    if (!take_kernels(c, err))
        return false;
    share_texts(c);
    *more = share_ids(c);
    return true;
}

static bool add_shared(struct sharing *c, struct jw_err *err)
{
    struct prime *p = c->p;
    uint64_t more;

    if (!find_shared(c, p->run->interrupted, &more, err))
        return false;
    add_modules(c);
    note_used(c);
    if (!p->reuse.profile)
        return true;
    p->out->profile_shared = more;
    p->reuse.profile = prime_digests(p, jw_digest_set_list(&c->ids), c->ids.n);
    return !is_recorded(p) || record_files(c, err);
}

bool prime_add_shared(struct prime *p, struct jw_err *err)
{
    struct sharing c = { .p = p };

    if (!find_files(p, err))
        return false;
    if (!p->reuse.n_files)
        return true;
    take_ids(&c);
    return !c.ids.n || add_shared(&c, err);
}

static void add_loads(const struct sharing *c, struct jw_warm_loads *loads)
{
    const struct scan_jobs *found = &c->p->of_command;
    struct jw_arena *a = c->p->run->a;
    uint64_t *names = jw_arena_alloc(a, (found->n + 1) * sizeof *names);
    struct jw_warm_load *list = jw_arena_alloc(a, (loads->n + found->n + 1) * sizeof *list);
    size_t n_names = 0, n = loads->n;

    for (size_t i = 0; i < found->n; i++)
        if (found->list[i].name && jw_digest_set_has(&c->ids, found->list[i].id))
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

bool prime_share_loads(struct prime *p, const struct jw_digest_set *ids, struct jw_warm_loads *loads,
                       struct jw_err *err)
{
    struct sharing c = { .p = p };
    uint64_t more;

    if ((!p->o->record && !jw_interrupted(p->run->interrupted)) || !ids->n || !p->reuse.n_files)
        return true;
    jw_digest_set_add_all(&c.ids, p->run->a, jw_digest_set_list(ids), ids->n);
    jw_digest_set_sort(&c.ids);
    bool ok = find_shared(&c, NULL, &more, err);
    if (ok)
        add_loads(&c, loads);
    scan_jobs_free(&p->of_command);
    p->of_command = (struct scan_jobs){ 0 };
    return ok;
}

/* Keeps the modules that the command may load, which export --run packs. Called when they are compiled. */
bool prime_keep_shared(struct prime *p, struct jw_err *err)
{
    char *key = p->o->run ? jw_prime_command(p->o->run) : p->o->profile ? jw_strdup(p->o->profile) : NULL;
    const char *build = prime_build(&p->ctx.driver);
    bool ok = true;

    if (!key || !p->out->profile_shared) {
        jw_free(key);
        return true;
    }
    const struct jw_warm_state *now = jw_session_memory_now(p->run->session, p->ctx.cache.folder);
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

        if (jw_job_is_warm(j) && j->name && !jw_find_u64(list, before, sizeof *list, j->name))
            list[loads.n++] = (struct jw_warm_load){ .name = j->name };
    }
    if (loads.n > before)
        ok = prime_remember_loads(&p->ctx, NULL, loads, false, err) && jw_warm_sync(p->ctx.cache.log, err);
    jw_free(key);
    return ok;
}
