#include "driver/worker/supervisor.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "facts/errors.h"

#define MIB ((uint64_t)1 << 20)
#define JOB_MEMORY (300 * MIB) /* a worker needs with a context */
#define MEMORY_PER_PTX 40      /* it needs in addition for each byte of its PTX */
#define ASSUMED_CONTEXT (512 * MIB)
#define LEAST_CONTEXT (64 * MIB) /* a smaller drop in free memory has another cause */
#define WORN_OUT (2048 * MIB)    /* a worker that has grown by more is replaced */

enum {
    DEATHS = 3, /* in a row, before the driver got a module: give the device up */
    TIMEOUT_MS = 30 * 60 * 1000,
    SLACK = 10,   /* a job that takes as many times as long as predicted hangs */
    GPU_SHARE = 4 /* use a quarter of a GPU's free memory */
};

enum task_state { WAITING, RUNNING, ENDED };

struct task {
    size_t job;
    unsigned group, rank; /* group: the architecture; tasks of a lower rank start first */
    uint64_t need;
    double seconds, limit; /* limit: seconds that must be left */
    double order;          /* of equal ranks the lowest first */
    enum task_state state;
    bool alone;   /* the GPU ran out of memory: try once more with no other worker on it */
    bool crashed; /* its worker crashed: try once more, because that may have been an accident */
};

/* The tasks of a group are consecutive, in their order of start. */
struct group {
    unsigned sm;
    size_t first, end, head; /* no task before `head` waits */
    size_t waiting, alone;   /* `waiting` does not include `alone` */
    double seconds;          /* of both kinds together */
    size_t workers;
};

struct device {
    struct group *group;
    bool exclusive;
    uint64_t memory;
    size_t workers, starting, contexts; /* processes; those before STARTED; those after it */
    bool known;                         /* a context was opened on it */
    uint64_t first_free, context; /* free bytes with one context on it; bytes of one context */
    size_t ceiling;               /* most workers, after it ran out of memory; 0: none */
    unsigned deaths;              /* in a row */
};

struct slot {
    struct device *device; /* the device that its worker uses; NULL: no worker */
    struct task *task;
    bool has_context, spent;
    uint64_t born_with;
};

struct jw_supervisor {
    struct task *tasks;
    struct group *groups;
    struct device *devices;
    struct slot *slots;
    size_t n_tasks, n_groups, n_devices;
    uint64_t memory, used, deadline_ns;
    double time_left; /* seconds; only with a deadline */
    struct jw_supervisor_sum sum;
};

uint64_t jw_job_memory(uint64_t ptx_bytes)
{
    return JOB_MEMORY + MEMORY_PER_PTX * jw_min(ptx_bytes, JW_MAX_PLAIN);
}

unsigned jw_job_timeout_ms(double seconds)
{
    double ms = seconds * 1000 * SLACK;

    if (ms < TIMEOUT_MS)
        return TIMEOUT_MS;
    return ms > UINT32_MAX ? UINT32_MAX : (unsigned)ms;
}

double jw_job_time_limit(double stopped) { return 2 * stopped; }

/* ---- making it ---- */

static int by_start(const void *a, const void *b)
{
    const struct task *x = a;
    const struct task *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Any device compiles for the architectures of other devices. */
static unsigned group_number(const struct jw_supervisor_plan *p, uint16_t sm)
{
    return p->absent_gpus ? 0 : sm;
}

static void add_tasks(struct jw_supervisor *sv, const struct jw_supervisor_plan *p)
{
    for (size_t i = 0; i < p->n_run; i++) {
        const size_t at = p->run ? p->run[i] : i;
        const struct jw_job *j = &p->jobs[at];
        struct task *t = &sv->tasks[i];

        *t = (struct task){
            .job = at, .group = group_number(p, j->sm), .need = jw_job_memory(j->ptx_bytes)};
        if (p->as_listed)
            continue;
        t->rank = !j->used;
        t->seconds = j->seconds;
        t->limit = jw_job_time_limit(j->stopped);
        t->order = p->deadline_ns ? j->seconds : -j->seconds;
    }
    sv->n_tasks = p->n_run;
    jw_sort(sv->tasks, sv->n_tasks, sizeof *sv->tasks, by_start);
}

static struct group *group_of(struct jw_supervisor *sv, unsigned sm)
{
    for (size_t i = 0; i < sv->n_groups; i++)
        if (sv->groups[i].sm == sm)
            return &sv->groups[i];
    sv->groups[sv->n_groups] = (struct group){.sm = sm};
    return &sv->groups[sv->n_groups++];
}

static void add_devices(struct jw_supervisor *sv, const struct jw_supervisor_plan *p)
{
    for (size_t i = 0; i < p->n_devices; i++) {
        const struct jw_device *d = &p->devices[i];

        sv->devices[i] = (struct device){.group = group_of(sv, group_number(p, d->sm)),
                                         .exclusive = d->compute_mode == JW_COMPUTE_EXCLUSIVE,
                                         .memory = d->memory,
                                         .context = ASSUMED_CONTEXT};
    }
    sv->n_devices = p->n_devices;
}

/* Tasks without a device belong to no group and never run. */
static void find_ranges(struct jw_supervisor *sv)
{
    for (size_t i = 0; i < sv->n_groups; i++) {
        struct group *g = &sv->groups[i];

        while (g->first < sv->n_tasks && sv->tasks[g->first].group != g->sm)
            g->first++;
        g->head = g->end = g->first;
        while (g->end < sv->n_tasks && sv->tasks[g->end].group == g->sm)
            g->seconds += sv->tasks[g->end++].seconds;
        g->waiting = g->end - g->first;
    }
}

struct jw_supervisor *jw_supervisor_new(const struct jw_supervisor_plan *p)
{
    struct jw_supervisor *sv = jw_alloc(sizeof *sv);

    sv->tasks = jw_alloc(p->n_run * sizeof *sv->tasks);
    sv->groups = jw_alloc(p->n_devices * sizeof *sv->groups);
    sv->devices = jw_alloc(p->n_devices * sizeof *sv->devices);
    sv->slots = jw_alloc(p->n_slots * sizeof *sv->slots);
    add_tasks(sv, p);
    add_devices(sv, p);
    find_ranges(sv);
    sv->memory = p->memory ? p->memory : UINT64_MAX;
    sv->deadline_ns = p->deadline_ns;
    sv->sum.left = p->n_run;
    return sv;
}

void jw_supervisor_free(struct jw_supervisor *sv)
{
    if (!sv)
        return;
    jw_free(sv->tasks);
    jw_free(sv->groups);
    jw_free(sv->devices);
    jw_free(sv->slots);
    jw_free(sv);
}

/* ---- how many workers a device can have ---- */

/* The number of workers that fit into a share of the memory that was free before the first
 * context. */
static size_t by_memory(const struct device *d)
{
    uint64_t unused = d->first_free ? d->first_free + d->context : d->memory;

    if (!unused)
        return SIZE_MAX;
    return (size_t)jw_max(unused / GPU_SHARE / d->context, 1);
}

static bool takes_worker(const struct device *d)
{
    if (d->deaths && (d->starting || d->deaths >= DEATHS))
        return false; /* one attempt at a time */
    if (!d->known || d->exclusive)
        return d->workers == 0;
    if (d->ceiling && d->workers >= d->ceiling)
        return false;
    return d->workers < by_memory(d);
}

/* Measures a context by the drop in free memory since the first one. */
static void learn_context(struct device *d, uint64_t gpu_free)
{
    if (d->contexts <= 1) {
        d->first_free = gpu_free;
        return;
    }

    uint64_t drop = d->first_free > gpu_free ? (d->first_free - gpu_free) / (d->contexts - 1) : 0;

    if (drop >= LEAST_CONTEXT)
        d->context = drop;
}

/* ---- the next task for a slot ---- */

struct offer {
    struct task *task;
    struct device *device;
};

static bool fits_memory(const struct jw_supervisor *sv, const struct task *t)
{
    return !sv->sum.running || (sv->used <= sv->memory && t->need <= sv->memory - sv->used);
}

static bool has_time(const struct jw_supervisor *sv, const struct task *t)
{
    return !sv->deadline_ns || t->limit <= sv->time_left;
}

static struct task *first_waiting(struct jw_supervisor *sv, struct group *g, bool alone)
{
    while (g->head < g->end && sv->tasks[g->head].state != WAITING)
        g->head++;
    for (size_t i = g->head; i < g->end; i++) {
        struct task *t = &sv->tasks[i];

        if (t->state == WAITING && t->alone == alone && fits_memory(sv, t) && has_time(sv, t))
            return t;
    }
    return NULL;
}

static bool has_time_for_one(const struct jw_supervisor *sv, const struct group *g)
{
    for (size_t i = g->head; i < g->end; i++)
        if (sv->tasks[i].state == WAITING && has_time(sv, &sv->tasks[i]))
            return true;
    return false;
}

static struct device *roomiest(struct jw_supervisor *sv, const struct group *g, bool alone)
{
    struct device *best = NULL;

    for (size_t i = 0; i < sv->n_devices; i++) {
        struct device *d = &sv->devices[i];

        if (d->group != g || !takes_worker(d) || (alone && d->workers))
            continue;
        if (!best || d->workers < best->workers)
            best = d;
    }
    return best;
}

/* The group's next task for this slot, with its worker or a new one. */
static struct offer offer_of(struct jw_supervisor *sv, const struct slot *s, struct group *g)
{
    bool same_group = s->device && s->device->group == g;
    bool alone = !g->waiting; /* tasks that need the GPU alone run last, on a new worker */
    struct offer o = {NULL, NULL};

    if (alone && (!g->alone || same_group))
        return o;
    o.device = same_group ? s->device : roomiest(sv, g, alone);
    o.task = o.device ? first_waiting(sv, g, alone) : NULL;
    return o;
}

/* Prefers a lower rank, then the slot's own worker, then the group with most work left for each
 * worker. */
static bool better(const struct slot *s, const struct offer *a, const struct offer *b)
{
    const struct group *x = a->device->group;
    const struct group *y = b->device->group;

    if (a->task->rank != b->task->rank)
        return a->task->rank < b->task->rank;
    if (s->device && (x == s->device->group) != (y == s->device->group))
        return x == s->device->group;
    return x->seconds / (double)(x->workers + 1) > y->seconds / (double)(y->workers + 1);
}

static struct offer best_offer(struct jw_supervisor *sv, const struct slot *s)
{
    struct offer best = {NULL, NULL};

    for (size_t i = 0; i < sv->n_groups; i++) {
        struct offer o = offer_of(sv, s, &sv->groups[i]);

        if (o.task && (!best.task || better(s, &o, &best)))
            best = o;
    }
    return best;
}

static bool has_usable_device(const struct jw_supervisor *sv, const struct group *g)
{
    for (const struct device *d = sv->devices; d < sv->devices + sv->n_devices; d++)
        if (d->group == g && (d->workers || d->deaths < DEATHS)) /* other devices are given up */
            return true;
    return false;
}

static bool work_is_left(struct jw_supervisor *sv)
{
    bool left = false;

    for (size_t i = 0; i < sv->n_groups; i++) {
        const struct group *g = &sv->groups[i];

        if ((!g->waiting && !g->alone) || !has_time_for_one(sv, g))
            continue;
        if (has_usable_device(sv, g))
            left = true;
        else
            sv->sum.gave_up = true;
    }
    return left;
}

/* ---- decisions ---- */

static void begin_task(struct jw_supervisor *sv, struct slot *s, const struct offer *o)
{
    struct task *t = o->task;
    struct device *d = o->device;

    t->state = RUNNING;
    *(t->alone ? &d->group->alone : &d->group->waiting) -= 1;
    d->group->seconds -= t->seconds;
    sv->used += t->need;
    sv->sum.running++;
    s->task = t;
    if (s->device)
        return;
    *s = (struct slot){.device = d, .task = t};
    d->workers++;
    d->starting++;
    d->group->workers++;
}

static bool must_recycle(const struct slot *s)
{
    const struct device *d = s->device;

    return s->spent || (d->ceiling && d->workers > d->ceiling);
}

struct jw_slot_action jw_slot_ask(struct jw_supervisor *sv, size_t slot,
                                  const struct jw_supervisor_now *now)
{
    struct slot *s = &sv->slots[slot];
    struct jw_slot_action wait = {.act = JW_SLOT_WAIT};
    struct jw_slot_action recycle = {.act = JW_SLOT_RECYCLE};

    sv->time_left = now->ns < sv->deadline_ns ? (double)(sv->deadline_ns - now->ns) / 1e9 : 0;
    if (now->stop || (sv->deadline_ns && now->ns >= sv->deadline_ns) || !work_is_left(sv))
        return (struct jw_slot_action){.act = JW_SLOT_QUIT};
    if (s->device && must_recycle(s))
        return recycle;
    if (now->pressed && sv->sum.running)
        return wait;

    struct offer o = best_offer(sv, s);

    /* An idle worker only uses memory. */
    if (s->device && (o.task ? o.device != s->device : !s->device->group->waiting))
        return recycle;
    if (!o.task)
        return wait;
    begin_task(sv, s, &o);
    return (struct jw_slot_action){JW_SLOT_RUN, o.task->job, (size_t)(o.device - sv->devices)};
}

/* ---- events ---- */

void jw_slot_worker_started(struct jw_supervisor *sv, size_t slot, uint64_t memory)
{
    sv->slots[slot].born_with = memory;
}

void jw_slot_job_started(struct jw_supervisor *sv, size_t slot, uint64_t gpu_free,
                         uint64_t gpu_total)
{
    struct slot *s = &sv->slots[slot];
    struct device *d = s->device;

    if (s->has_context)
        return;
    s->has_context = true;
    d->starting--;
    d->contexts++;
    d->known = true;
    if (gpu_total)
        learn_context(d, gpu_free);
}

void jw_slot_worker_ended(struct jw_supervisor *sv, size_t slot)
{
    struct slot *s = &sv->slots[slot];
    struct device *d = s->device;

    if (!d)
        return;
    d->workers--;
    d->group->workers--;
    if (s->has_context)
        d->contexts--;
    else
        d->starting--;
    *s = (struct slot){.device = NULL};
}

static void put_back(struct jw_supervisor *sv, struct group *g, struct task *t)
{
    size_t at = (size_t)(t - sv->tasks);

    t->state = WAITING;
    *(t->alone ? &g->alone : &g->waiting) += 1;
    g->seconds += t->seconds;
    if (at < g->head)
        g->head = at;
}

/* Reduces the number of workers. True: the task runs once more. */
static bool ran_out(struct device *d, struct task *t)
{
    bool again = !t->alone;

    d->ceiling = d->workers > 1 ? d->workers - 1 : 1;
    t->alone = true;
    return again;
}

static bool is_sticky(int code)
{
    return code == JW_CUDA_OUT_OF_MEMORY || code == JW_CUDA_UNKNOWN
           || (code >= JW_CUDA_FIRST_STICKY && code <= JW_CUDA_LAST_STICKY);
}

static bool is_worn_out(const struct slot *s, uint64_t memory)
{
    return s->born_with && memory > s->born_with && memory - s->born_with > WORN_OUT;
}

/* False: the task runs again. */
static bool is_final(struct device *d, struct task *t, enum jw_outcome outcome, int code)
{
    if (outcome == JW_JOB_UNSTARTED) {
        d->deaths++;
        return false;
    }
    if (outcome != JW_JOB_TODO)
        d->deaths = 0;

    bool short_of_memory =
        outcome == JW_JOB_KILLED || (outcome == JW_JOB_FAILED && code == JW_CUDA_OUT_OF_MEMORY);

    bool again = short_of_memory ? ran_out(d, t) : outcome == JW_JOB_CRASHED && !t->crashed;

    t->crashed |= outcome == JW_JOB_CRASHED;
    return !again;
}

bool jw_slot_report(struct jw_supervisor *sv, size_t slot, enum jw_outcome outcome, int code,
                    uint64_t memory)
{
    struct slot *s = &sv->slots[slot];
    struct task *t = s->task;
    struct device *d = s->device;

    s->task = NULL;
    sv->sum.running--;
    sv->used -= t->need;

    bool last = is_final(d, t, outcome, code);

    if (last) {
        t->state = ENDED;
        sv->sum.left--;
    } else
        put_back(sv, d->group, t);
    s->spent = (outcome == JW_JOB_FAILED && is_sticky(code)) || is_worn_out(s, memory);
    if (jw_outcome_ends_worker(outcome))
        jw_slot_worker_ended(sv, slot);
    return last;
}

struct jw_supervisor_sum jw_supervisor_sum(const struct jw_supervisor *sv) { return sv->sum; }
