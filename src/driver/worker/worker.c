#include "driver/worker/worker.h"

#include "base/mem.h"
#include "base/num.h"
#include "driver/worker/child.h"
#include "driver/worker/identity.h"
#include "driver/worker/proto.h"
#include "facts/driver_settings.h"
#include "facts/errors.h"
#include "machine/gpus.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <stdio.h>

/* ---- the environment of a worker ---- */

enum { MAX_EDITS = 20 };

struct edits {
    struct jw_child_edit list[MAX_EDITS];
    size_t n;
};

static void edit(struct edits *e, const char *name, const char *value)
{
    e->list[e->n++] = (struct jw_child_edit){name, value};
}

/* The user's environment, without the variables that stop a worker from compiling or storing, or
 * make it an MPS client. */
static void set_compiling(struct edits *e, const struct jw_worker_options *o)
{
    edit(e, "CUDA_MODULE_DATA_LOADING", NULL);
    edit(e, "CUDA_BINARY_LOADER_THREAD_COUNT", NULL); /* driver-fact: F107-own-threads */
    edit(e, "CUDA_CACHE_DISABLE", "0");
    /* Who has these set is stopped before a worker starts; a probe tests without them. driver-fact:
     * F81-force-disable */
    for (enum jw_driver_variable i = JW_VAR_FORCE_PTX_JIT; i < JW_DRIVER_VARIABLES; i++)
        edit(e, jw_driver_variables[i], NULL);
    if (o->cache_folder)
        edit(e, "CUDA_CACHE_MAXSIZE", JW_CACHE_MOST_TEXT);
    edit(e, "CUDA_INJECTION*", NULL);
    edit(e, "NVTX_INJECTION*", NULL);
    if (jw_os_is_windows())
        return;
    edit(e, "LD_PRELOAD", NULL);
    edit(e, "LD_AUDIT", NULL);
    /* This folder always exists and never has an MPS pipe. Unset, the variable would mean the
     * default folder. driver-fact: F67-mps-client */
    edit(e, "CUDA_MPS_PIPE_DIRECTORY", "/proc/self/task");
}

static struct edits edits_of(const struct jw_worker_options *o)
{
    struct edits e = {.n = 0};

    if (o->asks) {
        edit(&e, "CUDA_CACHE_DISABLE", "1");
        if (o->asks_preload)
            edit(&e, JW_PRELOAD_VARIABLE, NULL);
        return e;
    }
    edit(&e, JW_PRELOAD_VARIABLE, "0");       /* so that who loads the compiler compiles */
    edit(&e, "CUDA_MODULE_LOADING", "EAGER"); /* driver-fact: F21-eager-stores */
    if (o->cache_folder)
        edit(&e, "CUDA_CACHE_PATH", o->cache_folder);
    if (!o->inherit)
        set_compiling(&e, o);
    if (o->no_compile) /* driver-fact: F81-force-disable, F104-forbidden-at-use */
        edit(&e, jw_driver_variables[JW_VAR_DISABLE_PTX_JIT], "1");
    return e;
}

enum {
    JOB_MS = 30 * 60 * 1000,
    GRACE_MS = 2000,     /* to unload the driver and end */
    LOOK_MS = 100,       /* between checks for an interrupt */
    DEATH_GRACE_MS = 500 /* for the child to exit after it closed its pipe */
};

struct jw_worker {
    struct jw_process *child;       /* NULL after it ended */
    const atomic_bool *interrupted; /* NULL: never */
    struct jw_buf in;               /* the last message, without its length */
    struct jw_arena arena;
    struct jw_worker_driver driver;
    struct jw_device *devices;
    size_t n, cap;
    unsigned device; /* the number of the device that loads */
    struct jw_buf out;
    unsigned start_ms, job_ms;
    void (*started)(void *ctx, uint64_t gpu_free, uint64_t gpu_total);
    void *ctx;
    char name[160]; /* how its child ended */
};

/* ---- messages ---- */

enum jw_received {
    JW_RECEIVED,
    JW_RECEIVED_NOTHING, /* until the deadline */
    JW_RECEIVED_END,     /* its pipe was closed */
    JW_RECEIVE_FAILED    /* err: interrupted, or an invalid message */
};

/* Reads until `end`, a time of jw_time_monotonic_ns. */
static enum jw_received read_exactly(struct jw_worker *w, uint8_t *dst, size_t n, uint64_t end,
                                     struct jw_err *err)
{
    while (n) {
        uint64_t now = jw_time_monotonic_ns();
        uint64_t left = now < end ? (end - now) / 1000000 + 1 : 0;
        uint64_t wait = jw_min(left, w->interrupted ? LOOK_MS : UINT32_MAX);
        enum jw_process_read what;
        size_t got;

        if (!jw_not_interrupted(w->interrupted, err)
            || !jw_process_read(w->child, dst, n, (unsigned)wait, &what, &got, err))
            return JW_RECEIVE_FAILED;
        if (what == JW_PROCESS_CLOSED)
            return JW_RECEIVED_END;
        if (what == JW_PROCESS_SILENT && wait == left)
            return JW_RECEIVED_NOTHING;
        if (what == JW_PROCESS_DATA) {
            dst += got;
            n -= got;
        }
    }
    return JW_RECEIVED;
}

static enum jw_received receive_msg(struct jw_worker *w, struct jw_msg *m, uint64_t end,
                                    struct jw_err *err)
{
    uint8_t prefix[JW_MESSAGE_PREFIX];
    size_t n;
    enum jw_received what = read_exactly(w, prefix, sizeof prefix, end, err);

    if (what != JW_RECEIVED)
        return what;
    if (!jw_message_length(prefix, &n, err))
        return JW_RECEIVE_FAILED;
    jw_buf_clear(&w->in);
    jw_buf_fill(&w->in, 0, n);
    if (!jw_buf_ok(&w->in, err))
        return JW_RECEIVE_FAILED;
    what = read_exactly(w, w->in.p, n, end, err);
    if (what == JW_RECEIVED && !jw_proto_get(jw_buf_bytes(&w->in), m, err))
        return JW_RECEIVE_FAILED;
    return what;
}

/* Ends a child that missed its deadline or closed its pipe, and sets w->name to how it ended. True:
 * another process ended it. */
static bool end_child(struct jw_worker *w, bool silent)
{
    struct jw_process_end end;

    jw_process_finish(w->child, silent ? 0 : DEATH_GRACE_MS, &end);
    jw_process_free(w->child);
    w->child = NULL;
    const char *killed = silent ? "timeout" : "it stopped talking";

    (void)snprintf(w->name, sizeof w->name, "%s", end.killed ? killed : end.how);
    return end.by_others;
}

/* ---- its start ---- */

static const char *driver_path(const struct jw_worker_options *o, struct jw_arena *a)
{
    const char *path = o->driver;

    if (!path && !jw_os_is_windows())
        path = jw_env(a, "JITWARM_DRIVER");
    return path && *path ? path : JW_WORKER_NONE;
}

/* The UUID by which the child finds its device; NULL: it sees all. */
static const char *uuid_of(const struct jw_worker_options *o)
{
    return o->device && *o->device->uuid ? o->device->uuid : NULL;
}

static const char *priority_word(enum jw_priority priority)
{
    if (priority == JW_PRIORITY_BEHIND)
        return JW_WORKER_BEHIND;
    return priority == JW_PRIORITY_IDLE ? JW_WORKER_IDLE : NULL;
}

static bool start_process(struct jw_worker *w, const struct jw_worker_options *o,
                          struct jw_err *err)
{
    struct jw_buf self = JW_BUF_IN(&w->arena, JW_MAX_PATH);
    const struct edits edits = edits_of(o);
    const char *uuid = uuid_of(o);

    if (!o->exe && !jw_process_self(&self, err))
        return false;

    const char *exe = o->exe ? o->exe : jw_buf_cstr(&self);
    const char *argv[] = {exe,
                          JW_WORKER_VERB,
                          driver_path(o, &w->arena),
                          uuid ? uuid : JW_WORKER_NONE,
                          priority_word(o->priority),
                          NULL};
    const struct jw_command c = {.exe = exe, .argv = argv, .edits = edits.list, .n_edits = edits.n};

    return jw_process_start(&w->child, &c, err) || jw_wrap(err, "start %s", exe);
}

static void take_driver(struct jw_worker *w, const struct jw_msg *m)
{
    w->driver.init_result = m->as.driver.result;
    w->driver.cuda_version = m->as.driver.cuda_version;
    w->driver.preloads = m->as.driver.preloads;
    w->driver.init_name = jw_arena_str(&w->arena, m->as.driver.name);
    w->driver.library = *m->as.driver.path ? jw_arena_str(&w->arena, m->as.driver.path) : NULL;
}

static bool take_device(struct jw_worker *w, const struct jw_msg *m, struct jw_err *err)
{
    if (!jw_grow(&w->devices, sizeof *w->devices, w->n, &w->cap, JW_MAX_GPUS, err))
        return false;
    struct jw_device *d = &w->devices[w->n++];

    *d = m->as.device; /* the child may have sent texts without their end */
    d->uuid[sizeof d->uuid - 1] = d->name[sizeof d->name - 1] = '\0';
    return true;
}

static bool read_fact(struct jw_worker *w, const struct jw_msg *m, struct jw_err *err)
{
    switch (m->kind) {
    case JW_MSG_DRIVER: take_driver(w, m); return true;
    case JW_MSG_DEVICE: return take_device(w, m, err);
    default:
        return jw_fail(err, JW_E_FORMAT, "worker: a message of kind %u comes too early",
                       (unsigned)m->kind);
    }
}

static bool fail_start(struct jw_worker *w, bool silent, struct jw_err *err)
{
    const char *library = w->driver.library;
    const char *who = library ? jw_arena_printf(&w->arena, "the driver %s", library)
                              : "a worker that loads the driver";

    (void)end_child(w, silent);
    return silent ? jw_fail(err, JW_E_DRIVER, "%s did not respond within %g s and was ended", who,
                            w->start_ms / 1000.0)
                  : jw_fail(err, JW_E_DRIVER, "%s ended its process: %s", who, w->name);
}

static bool check_greeting(const struct jw_msg *m, struct jw_err *err)
{
    if (m->kind != JW_MSG_HELLO)
        return jw_fail(err, JW_E_FORMAT, "the worker is another program: it sent no greeting");
    return m->as.hello.protocol == JW_PROTO_VERSION
           || jw_fail(err, JW_E_FORMAT,
                      "the worker has protocol %u instead of %d: its program is another version of "
                      "jitwarm",
                      (unsigned)m->as.hello.protocol, JW_PROTO_VERSION);
}

static bool read_facts(struct jw_worker *w, struct jw_err *err)
{
    uint64_t end = jw_time_after_ms(w->start_ms);

    for (bool met = false;; met = true) {
        struct jw_msg m;
        enum jw_received what = receive_msg(w, &m, end, err);

        if (what == JW_RECEIVE_FAILED)
            return false;
        if (what != JW_RECEIVED)
            return fail_start(w, what == JW_RECEIVED_NOTHING, err);
        if (m.kind == JW_MSG_READY && met)
            return true;
        if (!(met ? read_fact(w, &m, err) : check_greeting(&m, err)))
            return false;
    }
}

static void identify_driver(struct jw_worker *w)
{
    struct jw_worker_driver *d = &w->driver;
    const char *root = jw_env(&w->arena, "JITWARM_SYSROOT");

    d->build = "";
    if (!d->library)
        return;
    const char *build = jw_library_look(d->library, &w->arena).build;

    d->build = build ? build : "";
    d->version = jw_identity_version_in_name(d->library, &w->arena);
    if (!d->version)
        d->version = jw_kernel_driver(root && *root ? root : "/", &w->arena);
}

bool jw_worker_start(struct jw_worker **out, const struct jw_worker_options *o, struct jw_err *err)
{
    *out = NULL;

    struct jw_worker *w = jw_alloc(sizeof *w);

    w->start_ms = o->timeout_ms ? o->timeout_ms : jw_time_limit_ms(JW_WORKER_START_MS);
    w->job_ms = o->timeout_ms ? o->timeout_ms : JOB_MS;
    w->interrupted = o->interrupted;
    w->started = o->started;
    w->ctx = o->ctx;
    w->in = JW_BUF(JW_MAX_RECORD);
    w->out = JW_BUF(JW_MESSAGE_PREFIX + JW_MAX_RECORD);
    w->driver.init_result = -1;
    w->driver.init_name = "";

    bool ok = start_process(w, o, err) && read_facts(w, err);

    const char *uuid = uuid_of(o);

    if (ok && uuid && !w->n && w->driver.init_result == 0)
        ok = jw_fail(err, JW_E_DRIVER, "the driver shows no GPU with the UUID %s", uuid);
    if (!ok) {
        jw_worker_stop(w);
        return false;
    }
    if (o->device)
        w->device = uuid && w->n ? w->devices->index : o->device->index;
    identify_driver(w);
    *out = w;
    return true;
}

const struct jw_worker_driver *jw_worker_driver(const struct jw_worker *w) { return &w->driver; }

const struct jw_device *jw_worker_devices(const struct jw_worker *w, size_t *n)
{
    *n = w->n;
    return w->devices;
}

/* ---- jobs ---- */

/* A running job. */
struct request {
    struct jw_worker *w;
    const struct jw_load *how;
    uint64_t since, end;
    bool started; /* the driver got the module */
    struct jw_worker_result *out;
};

static unsigned time_so_far(const struct request *t)
{
    return (unsigned)jw_min((jw_time_monotonic_ns() - t->since) / 1000000, UINT32_MAX);
}

/* The child died, or is killed after the deadline. Before STARTED the module is not the cause. */
static bool on_death(struct request *t, bool silent, struct jw_err *err)
{
    struct jw_worker *w = t->w;

    t->out->outcome = silent ? JW_JOB_TIMEOUT : JW_JOB_CRASHED;
    if (end_child(w, silent))
        t->out->outcome = JW_JOB_KILLED;
    t->out->name = w->name;
    t->out->milliseconds = time_so_far(t);
    return t->started
           || jw_fail(err, JW_E_DRIVER, "the worker ended before the driver got the module: %s",
                      w->name);
}

static void on_started(struct request *t, const struct jw_msg *m)
{
    t->since = jw_time_monotonic_ns();
    t->end = jw_time_after_ms(t->how->timeout_ms ? t->how->timeout_ms : t->w->job_ms);
    t->started = true;
    if (t->w->started)
        t->w->started(t->w->ctx, m->as.started.gpu_free, m->as.started.gpu_total);
}

static bool on_failure(struct request *t, const struct jw_msg *m, struct jw_err *err)
{
    if (!m->as.fail.result) {
        t->out->outcome = JW_JOB_CHANGED;
        return jw_fail(err, m->as.fail.code ? (enum jw_code)m->as.fail.code : JW_E_DRIVER, "%s",
                       m->as.fail.text);
    }
    t->out->code = (int)m->as.fail.result;
    t->out->outcome =
        t->started || t->out->code == JW_CUDA_OUT_OF_MEMORY ? JW_JOB_FAILED : JW_JOB_UNSTARTED;
    t->out->name = m->as.fail.text;
    t->out->log = m->as.fail.log;
    t->out->milliseconds = m->as.fail.milliseconds;
    return true;
}

static bool wait_for_end(struct request *t, struct jw_err *err)
{
    struct jw_worker *w = t->w;

    for (;;) {
        struct jw_msg m;
        enum jw_received what = receive_msg(w, &m, t->end, err);

        if (what == JW_RECEIVE_FAILED) {
            t->out->milliseconds = t->started ? time_so_far(t) : 0;
            return false;
        }
        if (what != JW_RECEIVED)
            return on_death(t, what == JW_RECEIVED_NOTHING, err);
        if (m.kind == JW_MSG_STARTED && !t->started)
            on_started(t, &m);
        else if (m.kind == JW_MSG_FAIL)
            return on_failure(t, &m, err);
        else if (m.kind == JW_MSG_DONE) {
            t->out->outcome = JW_JOB_LOADED;
            t->out->milliseconds = m.as.done.milliseconds;
            return true;
        } else
            return jw_fail(err, JW_E_FORMAT, "worker: a message of kind %u belongs to no job",
                           (unsigned)m.kind);
    }
}

static bool send_job(struct jw_worker *w, const struct jw_place *module, const struct jw_load *how,
                     struct jw_err *err)
{
    struct jw_msg m = {.kind = JW_MSG_JOB};

    if (!w->child)
        return jw_fail(err, JW_E_DRIVER, "the worker has ended");
    m.as.job.device = w->device;
    m.as.job.explain = how->explain;
    m.as.job.sm = how->sm;
    m.as.job.module = *module;
    jw_buf_clear(&w->out);
    jw_proto_put(&w->out, &m);
    if (!jw_buf_ok(&w->out, err))
        return false;
    /* This fails when the child died since its last job. */
    if (jw_process_send(w->child, w->out.p, w->out.n, w->start_ms, err))
        return true;
    (void)end_child(w, false);
    return jw_fail(err, JW_E_DRIVER, "the worker ended before it got a job: %s", w->name);
}

bool jw_worker_load(struct jw_worker *w, const struct jw_place *module, const struct jw_load *how,
                    struct jw_worker_result *out, struct jw_err *err)
{
    struct request t = {.w = w, .how = how, .since = jw_time_monotonic_ns(), .out = out};

    *out = (struct jw_worker_result){.outcome = JW_JOB_UNSTARTED, .name = "", .log = ""};
    if (!send_job(w, module, how, err))
        return false;
    t.end =
        jw_time_after_ms(w->start_ms); /* until the child has read the module and made a context */

    bool ok = wait_for_end(&t, err);

    out->memory = jw_worker_memory(w);
    if (ok || out->outcome == JW_JOB_CHANGED)
        return ok;
    out->outcome = JW_JOB_UNSTARTED;
    if (err->code == JW_E_INTERRUPTED)
        out->outcome = JW_JOB_TODO;
    else if (t.started && err->code == JW_E_FORMAT) /* an invalid message */
        out->outcome = JW_JOB_CRASHED;
    return false;
}

uint64_t jw_worker_memory(const struct jw_worker *w)
{
    return w->child ? jw_process_memory(w->child) : 0;
}

void jw_worker_stop(struct jw_worker *w)
{
    struct jw_process_end end;

    if (!w)
        return;
    if (w->child && !jw_interrupted(w->interrupted)) /* Ctrl-C: at once, as the driver may hang */
        jw_process_finish(w->child, GRACE_MS, &end);
    jw_process_free(w->child);
    jw_buf_free(&w->in);
    jw_buf_free(&w->out);
    jw_free(w->devices);
    jw_arena_free(&w->arena);
    jw_free(w);
}
