/*
 * What the processes of one run have in common: how many modules were compiled, who holds how much
 * of a GPU. It is kept in the folder SIMCUDA_SHARED, under record locks; without it each process
 * counts for itself.
 *
 *   count    u64
 *   gpu-N    slots of u32 pid, u32 contexts, u64 bytes; a slot whose process is gone is free
 */
#include "sim.h"

#include <string.h>

enum { SLOT = 16 };
#define MAX_SLOTS ((size_t)1 << 20)

static bool open_shared(struct sim *s, struct sys_file *f, const char *name, struct jw_buf *text)
{
    struct jw_buf path = JW_BUF(1 << 16);

    jw_buf_printf(&path, "%s/%s", s->c.shared, name);
    bool ok = sys_open(f, jw_buf_cstr(&path), SYS_CREATE) == SYS_OPENED && sys_lock(f, true, true)
              && sys_read(f, text);

    jw_buf_free(&path);
    if (!ok)
        sys_close(f);
    return ok;
}

unsigned long sim_shared_count(struct sim *s)
{
    struct jw_buf text = JW_BUF(64);
    struct sys_file f = SYS_CLOSED;
    uint8_t word[8];
    uint64_t n = 0;

    (void)pthread_mutex_lock(&s->lock);
    n = ++s->compiled;
    if (s->c.shared && open_shared(s, &f, "count", &text)) {
        n = (text.n == sizeof word ? jw_le64(text.p) : 0) + 1;
        jw_put64(word, n);
        (void)sys_rewrite(&f, word, sizeof word);
        sys_close(&f);
    }
    (void)pthread_mutex_unlock(&s->lock);
    jw_buf_free(&text);
    return (unsigned long)n;
}

/* Sums what others hold, drops the slots of processes that ended, and skips this one's: it is in
 * `mine`. */
static void sum_slots(struct jw_buf *slots, uint64_t *bytes, unsigned *contexts)
{
    size_t kept = 0;

    *bytes = 0;
    *contexts = 0;
    for (size_t at = 0; at + SLOT <= slots->n; at += SLOT) {
        unsigned pid = jw_le32(slots->p + at);

        if (pid == sys_pid() || !sys_alive(pid))
            continue;
        *contexts += jw_le32(slots->p + at + 4);
        *bytes += jw_le64(slots->p + at + 8);
        memmove(slots->p + kept, slots->p + at, SLOT);
        kept += SLOT;
    }
    slots->n = kept;
}

static bool open_slots(struct sim *s, const struct sim_gpu *g, struct sys_file *f,
                       struct jw_buf *slots)
{
    char name[32];

    (void)snprintf(name, sizeof name, "gpu-%u", g->id);
    return s->c.shared && open_shared(s, f, name, slots);
}

static void write_slots(struct sim *s, const struct sim_gpu *g, struct sys_file *f,
                        struct jw_buf *slots)
{
    uint8_t mine[SLOT];

    jw_put32(mine, sys_pid());
    jw_put32(mine + 4, s->contexts[g->id]);
    jw_put64(mine + 8, s->used[g->id]);
    jw_buf_add(slots, mine, sizeof mine);
    if (!slots->bad)
        (void)sys_rewrite(f, slots->p, slots->n);
}

static int check_use(struct sim *s, const struct sim_gpu *g, int64_t bytes, int contexts,
                     uint64_t others, unsigned other_contexts)
{
    if (contexts > 0 && g->mode == CU_COMPUTE_PROHIBITED)
        return CU_DEVICE_UNAVAILABLE;
    if (contexts > 0 && g->mode == CU_COMPUTE_EXCLUSIVE && other_contexts)
        return CU_DEVICE_UNAVAILABLE;
    if (bytes > 0
        && (uint64_t)bytes
               > g->memory
                     - (s->used[g->id] + others < g->memory ? s->used[g->id] + others : g->memory))
        return CU_OUT_OF_MEMORY;
    s->used[g->id] = (uint64_t)((int64_t)s->used[g->id] + bytes);
    s->contexts[g->id] = (unsigned)((int)s->contexts[g->id] + contexts);
    return CU_OK;
}

int sim_shared_use(struct sim *s, const struct sim_gpu *g, int64_t bytes, int contexts)
{
    struct jw_buf slots = JW_BUF(MAX_SLOTS);
    struct sys_file f = SYS_CLOSED;
    uint64_t others = 0;
    unsigned other_contexts = 0;

    (void)pthread_mutex_lock(&s->lock);
    bool together = open_slots(s, g, &f, &slots);

    sum_slots(&slots, &others, &other_contexts);
    int r = check_use(s, g, bytes, contexts, others, other_contexts);

    if (together && r == CU_OK)
        write_slots(s, g, &f, &slots);
    sys_close(&f);
    (void)pthread_mutex_unlock(&s->lock);
    jw_buf_free(&slots);
    return r;
}

uint64_t sim_shared_used(struct sim *s, const struct sim_gpu *g)
{
    struct jw_buf slots = JW_BUF(MAX_SLOTS);
    struct sys_file f = SYS_CLOSED;
    uint64_t others = 0;
    unsigned contexts = 0;

    (void)pthread_mutex_lock(&s->lock);
    (void)open_slots(s, g, &f, &slots);
    sum_slots(&slots, &others, &contexts);
    uint64_t used = s->used[g->id] + others;

    sys_close(&f);
    (void)pthread_mutex_unlock(&s->lock);
    jw_buf_free(&slots);
    return used < g->memory ? used : g->memory;
}
