/* Finds what an answer is about: the cache, the driver's build, the GPUs, and the settings of this
 * environment. */
#include "prime/look.h"

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
    const struct jw_texts *named = want->command.n ? &want->command : &want->paths;
    size_t n_gpus = s->absent_gpus ? 0 : want->gpus.n;
    struct jw_texts words = {0};

    if (want->all)
        jw_texts_add(&words, a, "--all");
    if (s->as_root && jw_process_elevated())
        jw_texts_add(&words, a, "--as-root");
    for (size_t i = 0; i < n_gpus; i++) {
        jw_texts_add(&words, a, "--gpu");
        jw_texts_add(&words, a, want->gpus.v[i]);
    }
    if (want->command.n)
        jw_texts_add(&words, a, "--run");
    for (size_t i = 0; i < named->n; i++)
        jw_texts_add(&words, a, named->v[i]);
    return words.v;
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

static bool find_cache(struct jw_run *run, struct jw_look *look)
{
    if (jw_env(run->a, "CUDA_CACHE_MAX_SIZE")) /* driver-fact: F121-other-name */
        JW_NOTE(run, "CUDA_CACHE_MAX_SIZE has no effect: the driver reads CUDA_CACHE_MAXSIZE");
    if (look->machine->cache.place
        && look->machine->cache.place <= JW_PLACE_RELATIVE) /* there is nothing to look into */
        return jw_end_by_cause(run, look, JW_STRICT);
    if (!look->memory->cache)
        return jw_run_end(run, JW_END_CANNOT_WRITE, "%s", look->memory->unusable);
    if (look->scope.limit == JW_CACHE_UNKNOWN)
        look->scope.limit = JW_CACHE_DEFAULT_BEFORE;
    /* the work folders of killed runs go, unless another user could have replaced them */
    if (look->purpose.changes
        && jw_trust_check_own(look->scope.cache, "folder", run->a, JW_IGNORED))
        jw_scratch_sweep(look->scope.cache, JW_WORK_FOLDER);
    return true;
}

/* ---- the GPUs ---- */

/* Are all GPUs of one kind, so that it does not matter which of them this process sees? */
static bool are_listed(struct jw_look *look)
{
    const struct jw_host_gpus *host = &look->machine->host;
    const char *visible = look->machine->visible;
    bool by_number = visible && jw_is_digit(*visible) && !jw_gpus_are_hidden(visible, host->n);

    for (size_t i = 0; i < host->n; i++)
        if (!host->gpus[i].sm || host->gpus[i].sm != host->gpus[0].sm)
            return false;
    if (!host->n || !host->driver || (visible && !by_number))
        return false;
    jw_sms_add(&look->scope.sms, host->gpus[0].sm);
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

static void take_open(struct jw_run *run, const struct jw_device *g, struct jw_look *look)
{
    if (!g->sm)
        JW_NOTE(run, "GPU %u, %s, is skipped: the driver gives no information about it", g->index,
                g->name);
    else if (!jw_device_is_open(g))
        JW_NOTE(run,
                "GPU %u, %s, is skipped: its compute mode is prohibited (nvidia-smi -c 0 opens it)",
                g->index, g->name);
    else
        jw_sms_add(&look->scope.sms, g->sm);
}

static bool take_shown(struct jw_run *run, const struct jw_probe_report *p, struct jw_look *look,
                       struct jw_err *err)
{
    const struct jw_texts *asked = &look->want.gpus;
    bool *chosen = jw_arena_alloc(run->a, (p->n_devices + 1) * sizeof *chosen);
    bool met = !asked->n;

    for (size_t k = 0; k < asked->n; k++)
        if (!choose(p, asked->v[k], chosen, &met, err))
            return false;
    for (size_t i = 0; i < p->n_devices; i++)
        if (chosen[i] || !asked->n)
            take_open(run, &p->devices[i], look);
    if (!met) {
        look->asked.absent_gpu = asked->v[0];
        return jw_end_by_cause(run, look, look->purpose.strictness);
    }
    return look->scope.sms.n || jw_run_end(run, JW_END_NO_GPU, "no GPU here is open for computing");
}

static bool name_absent(struct jw_look *look, struct jw_err *err)
{
    for (size_t i = 0; i < look->want.gpus.n; i++) {
        struct jw_gpu gpu;

        if (!jw_gpu_parse(look->want.gpus.v[i], &gpu, err))
            return jw_wrap(err, "--gpu");
        if (!jw_arch_find(gpu.sm))
            return unknown_gpu(gpu.sm, err);
        jw_sms_add(&look->scope.sms, gpu.sm);
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
static bool check_absent(struct jw_run *run, const struct jw_probe_report *p, struct jw_look *look)
{
    const char *why = p->why_no_absent;

    for (size_t i = 0; i < look->scope.sms.n; i++) {
        unsigned sm = look->scope.sms.v[i];

        if (p->n_devices && is_jetson(p->devices->sm) != is_jetson(sm))
            return jw_run_end(
                run, JW_END_NO_GPU,
                "sm_%u is%s in a Jetson, whose driver is another build: make its packs there", sm,
                is_jetson(sm) ? "" : " not");
        if (!check_fit(run, &look->scope, sm) || run->ended)
            return run->ended;
    }
    return p->state.compiles_absent
           || jw_run_end(run, JW_END_NO_GPU,
                         "this driver is not proven to compile for GPUs that are not here: %s",
                         why ? why : "its cache is not understood well enough");
}

/* ---- the driver ---- */

static void still_asking(void *ctx) { jw_run_show(ctx, "asking the driver", 0, 0); }

/* Takes the machine as it is known now; a cause may end the run, after mistakes of the user. */
static bool take_machine(struct jw_run *run, struct jw_look *look, struct jw_err *err)
{
    bool held;

    look->machine = jw_session_facts(run->session);
    look->asked = asked_of(run->session, &look->want, run->a);
    look->seen.free_bytes = look->machine->cache.free;
    look->scope = look->machine->scope;
    look->scope.cache =
        look->memory->cache ? look->memory->cache : jw_session_cache(run->session)->folder;
    if (!look->purpose.changes
        && jw_cache_lock_ask(look->memory, &held, &look->running, JW_IGNORED))
        look->working = held && look->running.pid != jw_process_id();
    return (!look->scope.absent || name_absent(look, err))
           && jw_end_by_cause(run, look, look->purpose.strictness);
}

static bool ask_driver(struct jw_run *run, struct jw_look *look, struct jw_err *err)
{
    const struct jw_probe_report *p;

    still_asking(run);
    if (!jw_session_probe_for(run->session, look->scope.absent ? look->scope.sms.v[0] : 0,
                              still_asking, run, &p, err)
        || !take_machine(run, look, err))
        return false;
    if (run->ended || (look->purpose.strictness == JW_STRICT && look->machine->driver.probe_failed))
        return run->ended || jw_end_give_up(run, look); /* as for want of room */
    if (look->scope.absent)
        return check_absent(run, p, look);
    if (!take_shown(run, p, look, err))
        return false;
    const struct jw_host_gpus *host = &look->machine->host; /* also those that are hidden */

    for (size_t i = 0; i < host->n && !run->ended && !look->want.gpus.n; i++)
        if (host->gpus[i].sm && !jw_sms_have(&look->scope.sms, host->gpus[i].sm))
            JW_NOTE(run, "%.80s (sm_%u) is hidden from this environment and not looked at",
                    host->gpus[i].name, (unsigned)host->gpus[i].sm);
    return true;
}

bool jw_scope_ask_driver(struct jw_run *run, struct jw_look *look, enum jw_strictness strictness,
                         const struct jw_probe_report **out, struct jw_err *err)
{
    if (!jw_session_probe(run->session, out, err))
        return false;
    look->machine = jw_session_facts(run->session);
    (void)jw_end_by_cause(run, look, strictness);
    if (run->ended || jw_text_same(look->machine->scope.build, look->scope.build))
        return true;
    look->looked = false; /* the names and bans that were found are of the other build */
    return jw_run_end(run, JW_END_STOPPED, "%s was replaced meanwhile: run it again",
                      look->machine->scope.library);
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
    return jw_process_path(path, a) ? "; of a program: doctor --run CMD, prime --run CMD" : "";
}

bool jw_scope_find(struct jw_run *run, const struct jw_want *want, const struct jw_purpose *purpose,
                   struct jw_look *look, struct jw_err *err)
{
    look->purpose = *purpose;
    look->want = *want;
    look->memory = jw_session_memory(run->session);
    for (size_t i = 0; i < want->paths.n; i++)
        if (jw_is_absent(want->paths.v[i]))
            return jw_fail(err, JW_E_NAMED, "%s: %s%s", want->paths.v[i],
                           jw_why_absent(want->paths.v[i]),
                           meant_instead(want->paths.v[i], run->a));
    if (!take_machine(run, look, err) || run->ended)
        return run->ended;
    const struct jw_driver_state *known = jw_session_driver_file(run->session)->known;
    bool told = known && look->scope.level > JW_LEVEL_NONE && look->scope.stamp && !want->gpus.n;

    if ((!told || !are_listed(look)) && !ask_driver(run, look, err))
        return false;
    known = jw_session_driver_file(run->session)->known;
    look->slowness = known ? known->slowness : 0;
    return run->ended || find_cache(run, look);
}
