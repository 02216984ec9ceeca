#include "doctor/command/doctor_view.h"

#include "base/limits.h"
#include "base/text.h"
#include "cache/place/cachedir.h"
#include "cache/place/cacheplace.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

struct asking {
    struct cli *cli;
    const struct doctor_ask *ask;
    const struct jw_doctor_machine *machine;
    struct doctor_answer *out;
    struct jw_gpu *gpus;
    struct jw_framework_spec *specs;
    size_t n_specs;
};

bool doctor_ask_elsewhere(const struct doctor_ask *ask)
{
    return ask->gpus.n || ask->driver || ask->system != DOCTOR_HERE || ask->log;
}

static bool anything(const struct doctor_ask *ask)
{
    return doctor_ask_elsewhere(ask) || ask->frameworks.n || ask->python || ask->cuda || ask->cudnn
           || ask->env.n || ask->container;
}

/* ---- the circumstances ---- */

static bool read_library(const char *option, const char *text, struct jw_library *out, struct jw_err *err)
{
    if (!text)
        return true;
    if (jw_text_equal_nocase(text, "none")) {
        out->presence = JW_PRESENCE_NONE;
        return true;
    }
    out->version = jw_cuda_number(text);
    out->presence = JW_PRESENCE_VERSION;
    return out->version
           || jw_fail(err, JW_E_USAGE, "--%s: \"%.40s\" is not a version; it looks like 11.2, or none",
                      option, JW_PHRASE("%s", text));
}

static bool check_toolkit(const struct jw_library *cuda, struct jw_err *err)
{
    struct jw_cuda_release t;

    return cuda->presence != JW_PRESENCE_VERSION || jw_cuda_release_find(cuda->version, &t)
           || jw_fail(err, JW_E_USAGE, "--cuda: CUDA %u.%u is not in the table of toolkits",
                      cuda->version / 100, cuda->version % 100);
}

static bool check_python(const char *text, struct jw_err *err)
{
    unsigned dots = 0, digits = 0;

    if (!text)
        return true;
    for (const char *p = text; *p; p++) {
        dots += *p == '.';
        digits += *p >= '0' && *p <= '9';
    }
    return (dots >= 1 && dots <= 2 && digits >= 2 && dots + digits == strlen(text) && *text != '.'
            && strlen(text) < 12)
           || jw_fail(err, JW_E_USAGE, "--python: \"%.40s\" is not a version; it looks like 3.11",
                      JW_PHRASE("%s", text));
}

static bool read_env(struct jw_arena *a, const struct texts *all, struct jw_case *c, struct jw_err *err)
{
    struct jw_setting *out = jw_arena_alloc(a, (all->n + 1) * sizeof *out);

    for (size_t i = 0; i < all->n; i++) {
        const char *text = all->items[i], *equals = strchr(text, '=');

        if (!equals || equals == text)
            return jw_fail(err, JW_E_USAGE, "--env: \"%.60s\" is not NAME=VALUE", JW_PHRASE("%s", text));
        out[i].name = jw_arena_text(a, text, (size_t)(equals - text));
        out[i].value = equals + 1;
    }
    c->env = out;
    c->n_env = all->n;
    return true;
}

/* Adds the variables of this environment that matter. */
static void own_env(struct jw_arena *a, struct jw_case *c)
{
    static const char *const names[] = { "CUDA_CACHE_DISABLE",   "CUDA_CACHE_MAXSIZE",  "CUDA_CACHE_PATH",
                                         "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT",    "CUDA_FORCE_PTX_JIT",
                                         "CUDA_FORCE_JIT",       "CUDA_VISIBLE_DEVICES" };
    struct jw_setting *out = jw_arena_alloc(a, (JW_COUNT(names) + c->n_env) * sizeof *out);
    size_t n = 0;

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *value = jw_env(a, names[i]);

        if (value)
            out[n++] = (struct jw_setting){ names[i], value };
    }
    for (size_t i = 0; i < c->n_env; i++)
        out[n++] = c->env[i]; /* options come last and win */
    c->env = out;
    c->n_env = n;
}

static enum jw_case_system system_of(const struct doctor_ask *ask, const struct jw_doctor_machine *m,
                                     const struct jw_log *log)
{
    static const enum jw_case_system systems[] = { JW_CASE_LINUX, JW_CASE_LINUX, JW_CASE_LINUX,
                                                   JW_CASE_WINDOWS, JW_CASE_WSL };

    if (ask->system != DOCTOR_HERE)
        return systems[ask->system];
    if (log && (log->dll || log->so))
        return log->dll ? JW_CASE_WINDOWS : JW_CASE_LINUX;
    if (m && m->probe.driver.wsl)
        return JW_CASE_WSL;
    return jw_os_is_windows() ? JW_CASE_WINDOWS : JW_CASE_LINUX;
}

/* Needs the GPUs of `c`. A Tegra GPU implies aarch64; otherwise this machine's processor decides. */
static bool is_aarch64(const struct doctor_ask *ask, const struct jw_case *c)
{
    bool tegra = c->n_gpus != 0;

    for (size_t i = 0; i < c->n_gpus; i++) {
        const struct jw_arch_fact *arch = jw_arch_find(c->gpus[i].sm);

        tegra = tegra && arch && arch->isolated;
    }
    if (ask->system != DOCTOR_HERE && ask->system != DOCTOR_AARCH64)
        return tegra && c->system == JW_CASE_LINUX;
    return c->system != JW_CASE_WINDOWS
           && (tegra || ask->system == DOCTOR_AARCH64 || strcmp(jw_os_arch(), "aarch64") == 0);
}

/* What was given of the system, the driver, Python, the libraries and the settings; else, with `m`, what this machine
 * has. `log` may be NULL. */
static bool read_circumstances(struct jw_arena *a, const struct doctor_ask *ask,
                               const struct jw_doctor_machine *m, const struct jw_log *log, struct jw_case *c,
                               struct jw_err *err)
{
    struct jw_driver_version v;

    if (ask->driver && !jw_driver_parse(ask->driver, &v, err))
        return jw_wrap(err, "--driver");
    if (!read_library("cuda", ask->cuda, &c->cuda, err) || !check_toolkit(&c->cuda, err)
        || !read_library("cudnn", ask->cudnn, &c->cudnn, err) || !check_python(ask->python, err)
        || !read_env(a, &ask->env, c, err))
        return false;
    c->system = system_of(ask, m, log);
    c->container = c->container || ask->container;
    c->python = ask->python;
    c->rates = m ? m->probe.state.rates : NULL;
    c->n_rates = m ? m->probe.state.n_rates : 0;
    c->cache_used = m && m->cache ? m->cache->used : 0;
    c->cache = m && m->cache ? m->cache->dir.root : NULL;
    c->driver = ask->driver             ? ask->driver
                : log && log->driver[0] ? log->driver
                : m                     ? jw_doctor_version(m)
                                        : NULL;
    if (m)
        own_env(a, c);
    return true;
}

/* ---- GPUs ---- */

static bool add_asked_gpu(struct asking *q, const struct jw_gpu *gpu, struct jw_err *err)
{
    if (q->out->c.n_gpus == JW_MAX_GPUS)
        return jw_fail(err, JW_E_LIMIT, "more than %zu GPUs", JW_MAX_GPUS);
    q->gpus[q->out->c.n_gpus++] = *gpu;
    return true;
}

static bool add_gpu_here(struct asking *q, const char *text, struct jw_err *err)
{
    struct jw_host_gpus here;
    uint64_t index = 0;

    (void)jw_text_u64(text, &index);
    jw_host_gpus("", q->cli->arena, &here);
    if (index >= here.n)
        return jw_fail(
            err, JW_E_USAGE,
            "--gpu %s: this machine has %zu NVIDIA GPU%s; name an architecture (sm_86) or a product", text,
            here.n, here.n == 1 ? "" : "s");
    if (here.gpus[index].sm == 0)
        return jw_fail(err, JW_E_USAGE,
                       "--gpu %s: %s is not in jitwarm's table; name its architecture (sm_86)", text,
                       here.gpus[index].name);
    return add_asked_gpu(q, &here.gpus[index], err);
}

static bool add_gpu_named(struct asking *q, const char *text, struct jw_err *err)
{
    struct jw_gpu list[JW_GPU_LIST_MAX], one;
    size_t n = jw_gpu_list(text, list);

    for (size_t i = 0; i < n; i++) {
        list[i].source = JW_GPU_DEFAULT;
        if (!add_asked_gpu(q, &list[i], err))
            return false;
    }
    if (n)
        return true;
    if (jw_gpu_is_index(text))
        return add_gpu_here(q, text, err);
    return (jw_gpu_parse(text, &one, err) || jw_wrap(err, "--gpu")) && add_asked_gpu(q, &one, err);
}

/* The driver's GPUs, or else those on the bus. */
static bool add_machine(struct asking *q, struct jw_err *err)
{
    const struct jw_doctor_machine *m = q->machine;

    for (size_t i = 0; jw_doctor_sees_gpus(m) && i < m->probe.n_devices; i++) {
        struct jw_gpu g = { .sm = (uint16_t)m->probe.devices[i].sm, .source = JW_GPU_HERE };

        (void)snprintf(g.name, sizeof g.name, "%.87s", m->probe.devices[i].name);
        if (!add_asked_gpu(q, &g, err))
            return false;
    }
    for (size_t i = 0; !jw_doctor_sees_gpus(m) && i < m->here.n; i++)
        if (m->here.gpus[i].sm && !add_asked_gpu(q, &m->here.gpus[i], err))
            return false;
    return true;
}

static bool plugged_in(struct asking *q, struct jw_err *err)
{
    struct jw_host_gpus here;

    jw_host_gpus("", q->cli->arena, &here);
    for (size_t i = 0; i < here.n; i++)
        if (here.gpus[i].sm && !add_asked_gpu(q, &here.gpus[i], err))
            return false;
    return true;
}

static bool choose_asked_gpus(struct asking *q, struct jw_err *err)
{
    struct jw_log *log = q->out->log;

    q->gpus = jw_arena_alloc(q->cli->arena, JW_MAX_GPUS * sizeof *q->gpus);
    q->out->c.gpus = q->gpus;
    for (size_t i = 0; i < q->ask->gpus.n; i++)
        if (!add_gpu_named(q, q->ask->gpus.items[i], err))
            return false;
    for (size_t i = 0; q->ask->gpus.n == 0 && log && i < log->n_gpus; i++)
        if (!add_asked_gpu(q, &log->gpus[i], err))
            return false;
    if (q->out->c.n_gpus)
        return true;
    return q->machine ? add_machine(q, err) : plugged_in(q, err);
}

/* ---- the software ---- */

static bool read_frameworks(struct asking *q, struct jw_err *err)
{
    const struct texts *all = &q->ask->frameworks;
    struct jw_log *log = q->out->log;

    q->specs = jw_arena_alloc(q->cli->arena, (all->n + 1) * sizeof *q->specs);
    for (; q->n_specs < all->n; q->n_specs++)
        if (!jw_framework_parse(all->items[q->n_specs], &q->specs[q->n_specs], err))
            return jw_wrap(err, "--framework");
    if (all->n == 0 && log && jw_log_framework(log, jw_case_os(&q->out->c), &q->specs[0]))
        q->n_specs = 1;
    return true;
}

static void show_search(void *ctx, const struct jw_scan_progress *p)
{
    struct jw_messages *messages = ctx;

    jw_messages_progress(messages,
                         "looking for CUDA software: %llu files in %llu folders, %llu with CUDA code: %s",
                         (unsigned long long)p->files, (unsigned long long)p->folders,
                         (unsigned long long)p->cuda_files, p->path);
}

/* Names of cached entries are predictable for this machine's driver only; else `out` stays empty. */
static void find_warm_names(const struct asking *q, struct jw_scan_cache *out)
{
    const struct jw_doctor_machine *m = q->machine;

    if (!m || !m->cache || m->probe.state.level < JW_LEVEL_PREDICTABLE
        || !jw_cache_is_asked(&m->cache->dir, q->cli->arena))
        return;
    jw_cached_names(&m->cache->list, m->probe.state.stamp, q->cli->arena, out);
}

static bool search_here(struct asking *q, struct jw_software **found, size_t *n, struct jw_err *err)
{
    struct jw_config config = { 0 };
    struct jw_scan_cache cache = { 0 };
    struct jw_software_search o = { .config = &config,
                                    .c = &q->out->c,
                                    .cache = &cache,
                                    .interrupted = q->cli->interrupted,
                                    .progress = show_search,
                                    .progress_ctx = &q->cli->messages };

    jw_config_load(q->cli->arena, &config);
    find_warm_names(q, &cache);
    bool ok = jw_software_here(&o, q->cli->arena, found, n, &q->out->seen, err);

    jw_messages_progress_end(&q->cli->messages);
    q->out->searched = ok;
    return ok;
}

/* The installed package that the option names; NULL: none. */
static const struct jw_software *installed(const struct jw_framework_spec *s, const struct jw_software *found,
                                           size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (found[i].framework == s->framework && !s->variant[0]
            && (s->parts == 0 || strcmp(s->version, found[i].version) == 0))
            return &found[i];
    return NULL;
}

static void judge_named(struct asking *q, const struct jw_software *found, size_t n)
{
    struct jw_software *out = jw_arena_alloc(q->cli->arena, (q->n_specs + 1) * sizeof *out);
    const struct jw_log *log = q->out->log;

    for (size_t i = 0; i < q->n_specs; i++) {
        const struct jw_software *here = installed(&q->specs[i], found, n);

        if (here)
            out[i] = *here;
        else
            jw_software_of_table(&q->out->c, &q->specs[i], q->cli->arena, &out[i]);
    }
    if (q->n_specs == 0)
        jw_software_of_table(&q->out->c, NULL, q->cli->arena, &out[0]);
    if (log && log->sass[0] && q->ask->frameworks.n == 0)
        jw_software_of_message(&q->out->c, log->sass, log->ptx, &out[0]);
    q->out->software = out;
    q->out->n = q->n_specs ? q->n_specs : 1;
}

static void judge_all(struct asking *q)
{
    struct doctor_answer *out = q->out;
    size_t each = out->c.n_gpus;

    out->judgements = jw_arena_alloc(q->cli->arena, (out->n * each + 1) * sizeof *out->judgements);
    for (size_t i = 0; i < out->n; i++)
        for (size_t k = 0; k < each; k++)
            out->judgements[i * each + k] = jw_judge(&out->c, &out->software[i], k);
}

static void no_gpu(const struct asking *q, struct jw_findings *f)
{
    if (!q->out->asked || (q->machine && q->ask->frameworks.n == 0))
        return;
    JW_FINDING(f, .id = "no-gpu", .severity = q->machine ? JW_NOTE : JW_WARNING,
               .text = "there is no device to check: no NVIDIA GPU was found here, and none was named",
               .fix = "name one, by its product name, PCI id (10de:2484) or architecture (sm_86)",
               .command = "jitwarm doctor --gpu \"RTX 3070\"");
}

static void unread_files(const struct jw_software_seen *seen, struct jw_findings *f)
{
    size_t n = seen->unread.n;

    if (!n)
        return;
    JW_FINDING(f, .id = "files-unread", .severity = JW_WARNING, .subject = "software",
               .evidence = seen->unread.v[0],
               .text = n == 1 ? "1 file that may hold CUDA code could not be read"
                              : jw_fmt(f, "%zu files that may hold CUDA code could not be read", n),
               .consequence = "doctor cannot check them, and jitwarm prime skips them",
               .fix = "repair or remove them; exclude = PATH in jitwarm.conf skips a file permanently",
               .command = n == 1 ? NULL : "jitwarm scan");
}

static void other_caches(struct asking *q, struct jw_findings *f)
{
    struct jw_other_cache found[JW_OTHER_CACHES];
    const char *list = "";
    size_t n;

    jw_other_caches(q->cli->arena, found, &n);
    for (size_t i = 0; i < n; i++)
        list = jw_fmt(f, "%s%s%s (%s)", list, i ? ", " : "", found[i].owner, found[i].path);
    if (n)
        JW_FINDING(f, .id = "other-caches", .severity = JW_NOTE, .evidence = list,
                   .text = jw_fmt(f, "%s besides the driver's holds compiled GPU code",
                                  n == 1 ? "a cache" : "more than one cache"),
                   .consequence =
                       "it does not count against the driver's limit; jitwarm neither fills nor clears it",
                   .local = true);
}

/* True if the question is about the installed software, also for another GPU or driver. */
static bool means_installed(const struct asking *q)
{
    return q->n_specs == 0 && !q->ask->cuda && !q->ask->log && q->ask->system == DOCTOR_HERE;
}

static bool find_software(struct asking *q, struct jw_err *err)
{
    struct doctor_answer *out = q->out;
    struct jw_software *found = NULL;
    size_t n = 0;

    if ((means_installed(q) || (q->machine && q->n_specs)) && !search_here(q, &found, &n, err))
        return false;
    if (means_installed(q) && (n || !out->elsewhere)) {
        if (out->c.cuda.presence == JW_PRESENCE_UNKNOWN)
            out->c.cuda = out->seen.cuda;
        if (out->c.cudnn.presence == JW_PRESENCE_UNKNOWN)
            out->c.cudnn = out->seen.cudnn;
        out->software = found;
        out->n = n;
        return true;
    }
    judge_named(q, found, n);
    return true;
}

/* Takes over findings that keep the driver from caching. */
static void see_cache(struct jw_case *c, const struct jw_findings *f)
{
    static const char *const ids[] = { "cache-no-home",       "cache-path-file",       "cache-path-missing",
                                       "cache-path-readonly", "cache-path-unwritable", "cache-disk-full" };

    for (size_t i = 0; i < JW_COUNT(ids) && !c->not_kept; i++) {
        const struct jw_finding *one = jw_finding_of(f, ids[i]);

        if (one && one->severity >= JW_WARNING)
            c->not_kept = one->text;
    }
    c->container = c->container || jw_finding_of(f, "cache-container");
}

/* ---- what was checked ---- */

static void note_options(const struct doctor_answer *q, struct jw_arena *a, struct jw_doctor_checked *out)
{
    const struct jw_case *c = &q->c;
    const struct {
        const char *what, *option;
        bool given;
    } options[] = { { "the driver", "--driver", c->driver != NULL },
                    { "Python", "--python", c->python != NULL },
                    { "CUDA libraries", "--cuda", c->cuda.presence != JW_PRESENCE_UNKNOWN },
                    { "cuDNN", "--cudnn", c->cudnn.presence != JW_PRESENCE_UNKNOWN },
                    { "settings", "--env", c->n_env > 0 } };

    for (size_t i = 0; i < JW_COUNT(options); i++)
        if (options[i].given)
            jw_note(&out->checked, a, "%s, from %s", options[i].what, options[i].option);
        else
            jw_note(&out->unchecked, a, "%s (give it with %s)", options[i].what, options[i].option);
}

void doctor_ask_checked(const struct doctor_answer *q, struct jw_arena *a, struct jw_doctor_checked *out)
{
    struct jw_findings scratch = JW_FINDINGS(a);

    if (q->log)
        jw_note(&out->checked, a, "the log: %llu lines, for pauses and known errors",
                (unsigned long long)q->log->lines);
    if (q->searched && (!q->asked || (q->n && q->software[0].from_files))) {
        jw_note(&out->checked, a, "the CUDA software that is installed: %zu package%s", q->n,
                q->n == 1 ? "" : "s");
        return;
    }
    for (size_t i = 0; i < q->n && q->c.n_gpus; i++)
        if (!q->software[i].toolkit_only)
            jw_note(&out->checked, a, "%s on %zu GPU%s", jw_software_name(&q->software[i], &scratch),
                    q->c.n_gpus, q->c.n_gpus == 1 ? "" : "s");
    if (q->elsewhere && q->n != 0)
        note_options(q, a, out);
}

bool doctor_ask_answer(struct cli *cli, const struct doctor_ask *ask, const struct jw_doctor_machine *machine,
                       struct doctor_answer *out, struct jw_findings *findings, struct jw_err *err)
{
    struct asking q = { .cli = cli, .ask = ask, .machine = machine, .out = out };

    *out = (struct doctor_answer){ .asked = anything(ask),
                                   .elsewhere = doctor_ask_elsewhere(ask),
                                   .log_path = ask->log };
    if (ask->log) {
        out->log = jw_arena_alloc(cli->arena, sizeof *out->log);
        if (!jw_log_read(ask->log, cli->interrupted, out->log, err)) {
            if (err->code == JW_E_IO)
                err->code = JW_E_USAGE;
            return jw_wrap(err, "--log");
        }
        jw_doctor_log(out->log, ask->log, findings);
    }
    if (machine)
        see_cache(&out->c, findings);
    if (!read_circumstances(cli->arena, ask, machine, out->log, &out->c, err) || !read_frameworks(&q, err)
        || !choose_asked_gpus(&q, err))
        return false;
    out->c.aarch64 = is_aarch64(ask, &out->c);
    if (out->c.n_gpus == 0) {
        if (!ask->log)
            no_gpu(&q, findings);
        return true;
    }
    if (ask->log && q.n_specs == 0 && ask->gpus.n == 0)
        return true;
    if (!find_software(&q, err))
        return false;
    judge_all(&q);
    jw_doctor_frameworks(&out->c, out->software, out->n, out->judgements, findings);
    if (!out->asked) {
        unread_files(&out->seen, findings);
        other_caches(&q, findings);
    }
    return true;
}
