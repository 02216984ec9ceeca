#include "sim.h"

/*
 * The one piece of state with file scope: the driver's functions have no parameter to pass it in.
 * Nothing runs when the library is loaded; the first call reads the environment.
 */
static struct {
    pthread_mutex_t lock;
    bool read, usable;
    _Atomic unsigned ready_pid; /* 0: cuInit has not succeeded */
    struct sim sim;
} the = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct sim_context *context;

/* With the lock held. */
static void read_once(void)
{
    struct sim *s = &the.sim;
    struct jw_err err = {0};

    if (the.read)
        return;
    the.read = true;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_mutex_init(&s->cache_lock, NULL);
    (void)pthread_mutex_init(&s->primary_lock, NULL);
    the.usable = sim_config_read(&s->c, &s->arena, &err);
    if (!the.usable)
        (void)fprintf(stderr, "simcuda: %s\n", err.msg);
}

const struct sim_config *sim_settings(int *result)
{
    (void)pthread_mutex_lock(&the.lock);
    read_once();
    *result = !the.usable                                ? CU_UNKNOWN
              : the.sim.c.init_result == CU_STUB_LIBRARY ? CU_STUB_LIBRARY
                                                         : CU_OK;
    (void)pthread_mutex_unlock(&the.lock);
    return &the.sim.c;
}

int sim_init(void)
{
    int r;
    const struct sim_config *c = sim_settings(&r);

    if (r != CU_OK)
        return r;
    sim_faults_init(c);
    if (c->init_result != CU_OK)
        return c->init_result;
    if (c->n_gpus == 0)
        return CU_NO_DEVICE;
    (void)pthread_mutex_lock(&the.lock);
    if (!atomic_load(&the.ready_pid)) {
        atomic_store(&the.ready_pid, sys_pid());
    }
    (void)pthread_mutex_unlock(&the.lock);
    return atomic_load(&the.ready_pid) == sys_pid() ? CU_OK : CU_NOT_INITIALIZED;
}

int sim_ready(struct sim **out)
{
    unsigned pid = atomic_load(&the.ready_pid);
    int r;

    *out = &the.sim;
    if (pid == sys_pid()) /* a child of fork does not inherit a driver */
        return CU_OK;
    (void)sim_settings(&r);
    return r == CU_STUB_LIBRARY ? r : CU_NOT_INITIALIZED;
}

void sim_object_add(struct sim *s, struct sim_object *o, enum sim_kind kind)
{
    (void)pthread_mutex_lock(&s->lock);
    o->kind = kind;
    o->next = s->objects;
    s->objects = o;
    (void)pthread_mutex_unlock(&s->lock);
}

bool sim_object_is(struct sim *s, const void *p, enum sim_kind kind)
{
    const struct sim_object *o;

    (void)pthread_mutex_lock(&s->lock);
    for (o = s->objects; o && o != p; o = o->next)
        continue;
    bool is = o && o->kind == kind;

    (void)pthread_mutex_unlock(&s->lock);
    return is;
}

bool sim_object_remove(struct sim *s, void *p, enum sim_kind kind)
{
    struct sim_object **at;
    bool found;

    (void)pthread_mutex_lock(&s->lock);
    for (at = &s->objects; *at && *at != p; at = &(*at)->next)
        continue;
    found = *at && (*at)->kind == kind;
    if (found)
        *at = (*at)->next;
    (void)pthread_mutex_unlock(&s->lock);
    return found;
}

struct sim_context *sim_current(struct sim *s)
{
    return context && sim_object_is(s, context, SIM_CONTEXT) ? context : NULL;
}

void sim_context_set(struct sim_context *c) { context = c; }
