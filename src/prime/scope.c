/* Finds what an answer is about: the cache, the driver's build, the GPUs, and the settings of this
 * environment. */
#include "prime/look.h"

#include "base/path.h"
#include "facts/archs.h"
#include "facts/gpus.h"
#include "machine/gpu_text.h"
#include "machine/trust.h"
#include "os/files/scratch.h"

#include <string.h>

/* ---- what was asked, and what stops it ---- */

/* The arguments that make another verb ask the same. Remedies name absent GPUs themselves. */
static const char *const *asked_words(const struct jw_session *s, const struct jw_want *want,
                                      struct jw_arena *a)
{
    enum { OPTIONS = 3 };
    const struct jw_texts *named = want->command.n ? &want->command : &want->paths;
    size_t n_gpus = s->absent_gpus ? 0 : want->gpus.n;
    const char **words = jw_arena_alloc(a, (named->n + 2 * n_gpus + OPTIONS + 1) * sizeof *words);
    size_t n = 0;

    if (want->all)
        words[n++] = "--all";
    if (s->as_root && jw_process_elevated())
        words[n++] = "--as-root";
    for (size_t i = 0; i < n_gpus; i++) {
        words[n++] = "--gpu";
        words[n++] = want->gpus.v[i];
    }
    if (want->command.n)
        words[n++] = "--run";
    for (size_t i = 0; i < named->n; i++)
        words[n++] = named->v[i];
    return words;
}

static struct jw_facts_asked asked_of(const struct jw_session *s, const struct jw_want *want,
                                      struct jw_arena *a)
{
    return (struct jw_facts_asked){.words = asked_words(s, want, a),
                                   .n_paths = want->paths.n,
                                   .verb = want->verb,
                                   .typed = want->typed,
                                   .cache = s->absent_gpus ? NULL : s->cache,
                                   .absent_gpu =
                                       s->absent_gpus && want->gpus.n ? want->gpus.v[0] : NULL};
}

struct jw_facts jw_scope_facts(struct jw_session *s, const struct jw_want *want, struct jw_arena *a)
{
    struct jw_facts f = *jw_session_facts(s);

    f.asked = asked_of(s, want, a);
    return f;
}

/* ---- the cache ---- */

static bool find_cache(struct jw_run *run, struct jw_look *l)
{
    if (jw_env(run->a, "CUDA_CACHE_MAX_SIZE")) /* driver-fact: F121-other-name */
        JW_NOTE(run, "CUDA_CACHE_MAX_SIZE has no effect: the driver reads CUDA_CACHE_MAXSIZE");
    if (l->machine->cache.place
        && l->machine->cache.place <= JW_PLACE_RELATIVE) /* there is nothing to look into */
        return jw_end_by_cause(run, l, JW_STRICT);
    if (!l->memory->cache)
        return jw_run_end(run, JW_END_CANNOT_WRITE, "%s", l->memory->unusable);
    if (l->scope.limit == JW_CACHE_UNKNOWN)
        l->scope.limit = JW_CACHE_DEFAULT_BEFORE;
    /* the work folders of killed runs go, unless another user could have replaced them */
    if (l->purpose.changes && jw_trust_check_own(l->scope.cache, "folder", run->a, JW_IGNORED))
        jw_scratch_sweep(l->scope.cache, JW_WORK_FOLDER);
    return true;
}

/* ---- the GPUs ---- */

/* Are all GPUs of one kind? Then it does not matter which of them a container or a variable shows
 * to this process. */
static bool are_listed(struct jw_look *l)
{
    const struct jw_host_gpus *host = &l->machine->host;
    const char *visible = l->machine->visible;
    bool one =
        !visible
        || (jw_is_digit(*visible) && !jw_gpus_are_hidden(visible, host->n)); /* by a number */

    for (size_t i = 0; i < host->n; i++)
        if (!host->gpus[i].sm || host->gpus[i].sm != host->gpus[0].sm)
            return false;
    if (!host->n || !host->driver || !one)
        return false;
    jw_sms_add(&l->scope.sms, host->gpus[0].sm);
    return true;
}

static bool unknown_gpu(unsigned sm, struct jw_err *err)
{
    return jw_fail(err, JW_E_USAGE, "--gpu: this jitwarm knows no GPU of sm_%u", sm);
}

/* Marks the GPUs here that a word of --gpu means. False: no machine has what it means. */
static bool choose(const struct jw_probe_report *p, const char *asked, bool *chosen, bool *met,
                   struct jw_err *err)
{
    bool all = jw_text_equal_nocase(asked, "all");
    bool here = false;
    struct jw_err why;
    struct jw_gpu gpu;
    bool is_kind = jw_gpu_parse(asked, &gpu, &why);

    for (size_t i = 0; i < p->n_devices; i++) {
        bool same = is_kind && gpu.sm == p->devices[i].sm;

        if (all || same || jw_gpu_means(asked, &p->devices[i]))
            chosen[i] = here = true;
    }
    *met |= here;
    if (here)
        return true;
    if (is_kind)
        return jw_arch_find(gpu.sm) || unknown_gpu(gpu.sm, err);
    return jw_gpu_is_of_machine(asked) || jw_fail(err, JW_E_USAGE, "--gpu: %s", why.msg);
}

static void take_open(struct jw_run *run, const struct jw_device *g, struct jw_look *l)
{
    if (!g->sm)
        JW_NOTE(run, "GPU %u, %s, is skipped: the driver gives no information about it", g->index,
                g->name);
    else if (!jw_device_is_open(g))
        JW_NOTE(run,
                "GPU %u, %s, is skipped: its compute mode is prohibited (nvidia-smi -c 0 opens it)",
                g->index, g->name);
    else
        jw_sms_add(&l->scope.sms, g->sm);
}

static bool take_shown(struct jw_run *run, const struct jw_probe_report *p, struct jw_look *l,
                       struct jw_err *err)
{
    const struct jw_texts *asked = &l->want.gpus;
    bool *chosen = jw_arena_alloc(run->a, (p->n_devices + 1) * sizeof *chosen);
    bool met = !asked->n;

    for (size_t k = 0; k < asked->n; k++)
        if (!choose(p, asked->v[k], chosen, &met, err))
            return false;
    for (size_t i = 0; i < p->n_devices; i++)
        if (chosen[i] || !asked->n)
            take_open(run, &p->devices[i], l);
    if (!met) {
        l->asked.absent_gpu = asked->v[0];
        return jw_end_by_cause(run, l, l->purpose.strictness);
    }
    return l->scope.sms.n || jw_run_end(run, JW_END_NO_GPU, "no GPU here is open for computing");
}

static bool name_absent(struct jw_look *l, struct jw_err *err)
{
    for (size_t i = 0; i < l->want.gpus.n; i++) {
        struct jw_gpu gpu;

        if (!jw_gpu_parse(l->want.gpus.v[i], &gpu, err))
            return jw_wrap(err, "--gpu");
        if (!jw_arch_find(gpu.sm))
            return unknown_gpu(gpu.sm, err);
        jw_sms_add(&l->scope.sms, gpu.sm);
    }
    return true;
}

/* Jetson has drivers of its own, so a pack is for Jetson's chips or for all others. */
static bool is_jetson(unsigned sm)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);

    return arch && !arch->first_branch;
}

/* Ends the run where this driver is not for such a GPU, which is not here. */
static bool check_fit(struct jw_run *run, const struct jw_scope *s, unsigned sm)
{
    enum jw_driver_fit fit = jw_driver_support(jw_branch_of(s->version), sm);

    if (fit == JW_DRIVER_FITS)
        return true;
    if (fit == JW_DRIVER_TOO_OLD)
        return jw_run_end(run, JW_END_NO_GPU,
                          "driver %s is too old for sm_%u, which needs %u or newer", s->version, sm,
                          jw_arch_find(sm)->first_branch);
    return jw_run_end(run, JW_END_NO_GPU, "driver %s is too new for sm_%u, whose last one is %u",
                      s->version, sm, jw_arch_find(sm)->last_branch);
}

/* A driver compiles for GPUs that it supports; for absent ones if the probe has proven that. */
static bool check_absent(struct jw_run *run, const struct jw_probe_report *p, struct jw_look *l)
{
    const char *why = p->why_no_absent;

    for (size_t i = 0; i < l->scope.sms.n; i++) {
        unsigned sm = l->scope.sms.v[i];

        if (p->n_devices && is_jetson(p->devices->sm) != is_jetson(sm))
            return jw_run_end(
                run, JW_END_NO_GPU,
                "sm_%u is%s in a Jetson, whose driver is another build: make its packs there", sm,
                is_jetson(sm) ? "" : " not");
        if (!check_fit(run, &l->scope, sm) || run->ended)
            return run->ended;
    }
    return p->state.compiles_absent
           || jw_run_end(run, JW_END_NO_GPU,
                         "this driver is not proven to compile for GPUs that are not here: %s",
                         why ? why : "its cache is not understood well enough");
}

/* ---- the driver ---- */

static void still_asking(void *ctx) { jw_run_show(ctx, "asking the driver", 0, 0); }

/* Takes the machine as it is known now, and ends the run if a cause stops it; a mistake of the user
 * comes first. */
static bool take_machine(struct jw_run *run, struct jw_look *l, struct jw_err *err)
{
    bool held;

    l->machine = jw_session_facts(run->session);
    l->asked = asked_of(run->session, &l->want, run->a);
    l->seen.free_bytes = l->machine->cache.free;
    l->scope = l->machine->scope;
    l->scope.cache = l->memory->cache ? l->memory->cache : jw_session_cache(run->session)->folder;
    if (!l->purpose.changes && jw_cache_lock_ask(l->memory, &held, &l->running, JW_IGNORED))
        l->working = held && l->running.pid != jw_process_id();
    return (!l->scope.absent || name_absent(l, err))
           && jw_end_by_cause(run, l, l->purpose.strictness);
}

static bool ask_driver(struct jw_run *run, struct jw_look *l, struct jw_err *err)
{
    const struct jw_probe_report *p;

    still_asking(run);
    if (!jw_session_probe_for(run->session, l->scope.absent ? l->scope.sms.v[0] : 0, still_asking,
                              run, &p, err)
        || !take_machine(run, l, err))
        return false;
    if (run->ended || (l->purpose.strictness == JW_STRICT && l->machine->driver.probe_failed))
        return run->ended || jw_end_give_up(run, l); /* as for want of room */
    if (l->scope.absent)
        return check_absent(run, p, l);
    if (!take_shown(run, p, l, err))
        return false;
    const struct jw_host_gpus *host = &l->machine->host; /* also what CUDA_VISIBLE_DEVICES hides */

    for (size_t i = 0; i < host->n && !run->ended && !l->want.gpus.n; i++)
        if (host->gpus[i].sm && !jw_sms_have(&l->scope.sms, host->gpus[i].sm))
            JW_NOTE(run, "%.80s (sm_%u) is hidden from this environment and not looked at",
                    host->gpus[i].name, (unsigned)host->gpus[i].sm);
    return true;
}

bool jw_scope_ask_driver(struct jw_run *run, struct jw_look *l, enum jw_strictness strictness,
                         const struct jw_probe_report **out, struct jw_err *err)
{
    if (!jw_session_probe(run->session, out, err))
        return false;
    l->machine = jw_session_facts(run->session);
    (void)jw_end_by_cause(run, l, strictness);
    if (run->ended || jw_text_same(l->machine->scope.build, l->scope.build))
        return true;
    l->looked = false; /* the names and bans that were found are of the other build */
    return jw_run_end(run, JW_END_STOPPED, "%s was replaced meanwhile: run it again",
                      l->machine->scope.library);
}

/* What a path that is not there may mean, with the line to type. */
static const char *meant_instead(const char *path, struct jw_arena *a)
{
    if (strstr(path, "://"))
        return jw_arena_printf(a, "; a registry: jitwarm import %s", path);
    if (!path[strspn(path, "0123456789")])
        return "; a process: jitwarm doctor --watch";
    if (*path == '~')
        return "; a shell replaces ~ only without quotes";
    return jw_process_path(path, a) ? "; for what starts a program: jitwarm prime --run CMD" : "";
}

bool jw_scope_find(struct jw_run *run, const struct jw_want *want, const struct jw_purpose *purpose,
                   struct jw_look *l, struct jw_err *err)
{
    l->purpose = *purpose;
    l->want = *want;
    l->memory = jw_session_memory(run->session);
    for (size_t i = 0; i < want->paths.n; i++)
        if (jw_is_absent(want->paths.v[i]))
            return jw_fail(err, JW_E_NAMED, "%s: %s%s", want->paths.v[i],
                           jw_why_absent(want->paths.v[i]),
                           meant_instead(want->paths.v[i], run->a));
    if (!take_machine(run, l, err) || run->ended)
        return run->ended;
    const struct jw_driver_state *known = jw_session_driver_file(run->session)->known;
    bool told = known && l->scope.level > JW_LEVEL_NONE && l->scope.stamp && !want->gpus.n;

    if ((!told || !are_listed(l)) && !ask_driver(run, l, err))
        return false;
    known = jw_session_driver_file(run->session)->known;
    l->slowness = known ? known->slowness : 0;
    return run->ended || find_cache(run, l);
}
