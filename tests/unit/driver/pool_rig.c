#include "pool_rig.h"

#include "base/digest.h"
#include "cache/format/jitcache.h"
#include "gen/samples.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <stdlib.h>

#define STAMP "Jan  7 202662:51:46" /* of the simulated driver's default version */

static struct pool_play play;
static char jobs_path[5000], root_path[5000], shared_path[5000];

static void make_folder(const char *path) { CHECK(jw_make_private_dir(path, JW_IGNORED)); }

static void clean_environment(void)
{
    static const char *const variables[] = {
        "SIMCUDA_GPUS",    "SIMCUDA_DRIVER",        "SIMCUDA_STAMP",  "SIMCUDA_COST",
        "SIMCUDA_FAULTS",  "SIMCUDA_INIT",          "SIMCUDA_SHARED", "SIMCUDA_JIT",
        "CUDA_CACHE_PATH", "SIMCUDA_CONTEXT_BYTES", "JITWARM_DRIVER", "CUDA_VISIBLE_DEVICES"};

    for (size_t i = 0; i < JW_COUNT(variables); i++)
        set_variable(variables[i], NULL);
    scratch_empty(scratch("."));
    (void)snprintf(jobs_path, sizeof jobs_path, "%s", scratch("jobs.ptx"));
    (void)snprintf(root_path, sizeof root_path, "%s", scratch("root"));
    (void)snprintf(shared_path, sizeof shared_path, "%s", scratch("shared"));
    make_folder(root_path);
    make_folder(shared_path);
    set_variable("SIMCUDA_SHARED", shared_path);
    set_variable("SIMCUDA_GPUS", "sm_86:Large GPU:256G");
}

static uint64_t entry_name(struct jw_bytes ptx)
{
    FREED(jw_buf) key = GEN_BUF;

    jw_cache_key_make(&key, STAMP, "sm_86", ptx, 1, "");
    return jw_fnv1a(JW_FNV_START, key.p, key.n);
}

/* Its text, appended to the file. */
static void add_job(struct pool_play *p, size_t i, struct jw_buf *file)
{
    struct jw_job *job = &p->jobs[i];
    struct jw_place *place = &p->places[i];
    size_t at = file->n;

    jw_buf_printf(file,
                  "// module %zu\n.version 6.0\n.target sm_50\n.address_size 64\n"
                  ".visible .entry k%zu()\n{\n\tret;\n}\n",
                  i, i);
    for (size_t line = 0; line < i % 16 * 8; line++)
        jw_buf_text(file, "// as much as a module of some size has to say\n");
    *place = (struct jw_place){.disk = jobs_path, .at = at, .size = file->n - at, .text = true};
    jw_digest(place->digest, file->p + at, file->n - at);
    *job = (struct jw_job){
        .ptx_bytes = file->n - at, .place = place, .sm = 86, .seconds = (double)(file->n - at)};
    p->names[i] = entry_name((struct jw_bytes){file->p + at, file->n - at});
}

static void write_jobs(struct pool_play *p, size_t n)
{
    FREED(jw_buf) file = GEN_BUF;

    for (size_t i = 0; i < n; i++)
        add_job(p, i, &file);
    CHECK(jw_file_put(jobs_path, JW_OUT_REPLACE, jw_buf_bytes(&file), JW_IGNORED));
}

static void on_done(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *r)
{
    struct pool_play *p = ctx;
    struct pool_told *t = &p->told[job];

    *t = (struct pool_told){.times = t->times + 1,
                            .milliseconds = r->milliseconds,
                            .slot = slot,
                            .outcome = r->outcome,
                            .code = r->code};
    (void)snprintf(t->name, sizeof t->name, "%s", r->name);
    p->n_told++;
    if (p->on_done)
        p->on_done(p, r);
}

static void on_tick(void *ctx, const struct jw_pool_state *s)
{
    struct pool_play *p = ctx;

    p->ticks++;
    CHECK(s->left <= p->o.n_jobs && s->n_slots <= p->o.max_workers);
    if (p->on_tick)
        p->on_tick(p, s);
}

/* ---- the pool's workers, counted ---- */

static atomic_uint n_busy;

static void begin(void)
{
    unsigned now = ++n_busy, most = play.peak;

    while (now > most && !atomic_compare_exchange_weak(&play.peak, &most, now))
        continue;
}

bool __real_jw_worker_start(struct jw_worker **out, const struct jw_worker_options *o,
                            struct jw_err *err);
bool __wrap_jw_worker_start(struct jw_worker **out, const struct jw_worker_options *o,
                            struct jw_err *err);
bool __wrap_jw_worker_start(struct jw_worker **out, const struct jw_worker_options *o,
                            struct jw_err *err)
{
    begin();

    bool ok = __real_jw_worker_start(out, o, err);

    n_busy--;
    play.started += ok;
    return ok;
}

bool __real_jw_worker_load(struct jw_worker *w, const struct jw_place *module,
                           const struct jw_load *how, struct jw_worker_result *out,
                           struct jw_err *err);
bool __wrap_jw_worker_load(struct jw_worker *w, const struct jw_place *module,
                           const struct jw_load *how, struct jw_worker_result *out,
                           struct jw_err *err);
bool __wrap_jw_worker_load(struct jw_worker *w, const struct jw_place *module,
                           const struct jw_load *how, struct jw_worker_result *out,
                           struct jw_err *err)
{
    begin();

    bool ok = __real_jw_worker_load(w, module, how, out, err);

    n_busy--;
    return ok;
}

struct pool_play *pool_play(size_t n)
{
    struct pool_play *p = &play;

    clean_environment();
    memset(p, 0, sizeof *p);
    p->device = (struct jw_device){.sm = 86, .memory = (uint64_t)256 << 30};
    p->o = (struct jw_pool_options){
        .plan = {.jobs = p->jobs, .devices = &p->device, .n_devices = 1, .n_run = n},
        .n_jobs = n,
        .timeout_ms = 60000,
        .max_workers = 4,
        .cache = root_path,
        .worker = {.driver = built_path(SIMCUDA), .timeout_ms = 60000},
        .stop = &p->stop,
        .done = on_done,
        .tick = on_tick,
        .ctx = p};
    write_jobs(p, n);
    return p;
}

void pool_faults(const struct pool_play *p, const char *script)
{
    FREED(jw_buf) text = JW_BUF(4000);

    while (*script) {
        size_t n = strcspn(script, "%");
        char *end = NULL;

        jw_buf_add(&text, script, n);
        script += n;
        if (!*script)
            break;
        unsigned long job = strtoul(script + 1, &end, 10);

        jw_buf_printf(&text, "%016llx", (unsigned long long)p->names[job]);
        script = end;
    }
    set_variable("SIMCUDA_FAULTS", jw_buf_cstr(&text));
}

void pool_run(struct pool_play *p)
{
    uint64_t before = jw_time_monotonic_ns();
    struct jw_err err = {0};

    CHECK_OK(jw_pool_run(&p->o, &p->report, &err), err);
    p->milliseconds = (unsigned)((jw_time_monotonic_ns() - before) / 1000000);
    for (size_t i = 0; i < p->o.n_jobs; i++)
        if (p->told[i].times != 1)
            CHECK_NUM(p->told[i].times, 1);
}

size_t pool_count(const struct pool_play *p, enum jw_outcome what)
{
    size_t n = 0;

    for (size_t i = 0; i < p->o.n_jobs; i++)
        n += p->told[i].outcome == what;
    return n;
}

void pool_all(const struct pool_play *p, enum jw_outcome what)
{
    for (size_t i = 0; i < p->o.n_jobs; i++)
        if (p->told[i].outcome != what) {
            CHECK_NUM(p->told[i].outcome, what);
            CHECK_TEXT(p->told[i].name, "");
            return;
        }
}
