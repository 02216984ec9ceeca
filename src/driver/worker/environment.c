#include "driver/worker/environment.h"

#include "os/machine/env.h"

/* driver-fact: F52-most. The most that the driver heeds: what is kept of it is ours to decide. */
#define CACHE_MOST "4294967296"

enum { MOST_OWN = 16 };

struct edits {
    struct jw_child_edit *list;
    size_t n;
};

static void edit(struct edits *e, const char *name, const char *value)
{
    e->list[e->n++] = (struct jw_child_edit){ name, value };
}

/* The user's own, but for what a worker cannot do without. */
static void inherit(struct edits *e, const struct jw_worker_options *o)
{
    if (o->eager)
        edit(e, "CUDA_MODULE_LOADING", "EAGER");
}

/*
 * What the user's programs will have, but for what keeps a worker from compiling, or makes it somebody else's
 * client. The FORCE and DISABLE_JIT variables stay: the user's programs will have them, too.
 */
static void compile(struct edits *e, const struct jw_worker_options *o)
{
    edit(e, "CUDA_MODULE_LOADING", o->eager ? "EAGER" : NULL); /* driver-fact: F21-eager-stores */
    edit(e, "CUDA_MODULE_DATA_LOADING", NULL);
    edit(e, "CUDA_CACHE_DISABLE", "0");
    if (o->cache_root) {
        edit(e, "CUDA_CACHE_PATH", o->cache_root);
        edit(e, "CUDA_CACHE_MAXSIZE", CACHE_MOST);
    }
    edit(e, "CUDA_INJECTION*", NULL);
    edit(e, "NVTX_INJECTION*", NULL);
    if (jw_os_is_windows())
        return;
    edit(e, "LD_PRELOAD", NULL);
    edit(e, "LD_AUDIT", NULL);
    /* Unset would mean the default folder. This one is there, nobody can put a daemon's pipe into it, and
     * it need not be removed. driver-fact: F67-mps-client */
    edit(e, "CUDA_MPS_PIPE_DIRECTORY", "/proc/self/task");
}

void jw_worker_edits(const struct jw_worker_options *o, struct jw_arena *a, struct jw_child_edit **list,
                     size_t *n)
{
    size_t bytes = (MOST_OWN + o->n_edits) * sizeof **list;
    struct edits e = { .list = jw_arena_alloc(a, bytes) };

    if (o->inherit)
        inherit(&e, o);
    else
        compile(&e, o);
    for (size_t i = 0; i < o->n_edits; i++)
        edit(&e, o->edits[i].name, o->edits[i].value);
    *list = e.list;
    *n = e.n;
}
