/* Learns how fast this driver compiles, estimates the time left, and reports progress. */
#include "prime/compile.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compile_time.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>

enum { WORTH_KEEPING = 5, LONG_S = 60 };

/* Returns the index among the chosen architectures; unknown: the last. */
static unsigned sm_index(const struct prime *p, uint16_t sm)
{
    unsigned i = 0;

    while (i + 1 < p->look->scope.n_sms && p->look->scope.sms[i] != sm)
        i++;
    return i;
}

/* ---- what is remembered ---- */

static struct plan_rate rate_line(const struct jw_rate *r, uint16_t sm)
{
    const uint64_t far = 1 << 20;
    double base = jw_rate_seconds(r, 0);

    return (struct plan_rate){ sm, base, (jw_rate_seconds(r, far) - base) / (double)far };
}

/* What an earlier run has measured with this driver; NULL: nothing. */
static const struct jw_compile_rate *known_rate(const struct prime *p, uint16_t sm)
{
    const struct jw_driver_state *s = p->look->driver;

    return s ? jw_compile_rate_of(s->rates, s->n_rates, sm) : NULL;
}

void compile_recall_rates(struct prime *p)
{
    p->n_rates = p->look->scope.n_sms;
    for (size_t i = 0; i < p->n_rates; i++) {
        uint16_t sm = p->look->scope.sms[i];
        const struct jw_compile_rate *known = known_rate(p, sm);

        p->rates[i] = known ? (struct plan_rate){ sm, known->base_s, known->per_byte_s }
                            : (struct plan_rate){ sm, JW_COMPILE_MODULE_S, JW_COMPILE_BYTE_S };
    }
}

/* Earlier measurements count as much as three modules, the usual rate as much as one. */
void compile_begin_rates(struct compiling *r)
{
    static const uint64_t sizes[] = { 300000, 10000, 3000000 };

    for (size_t i = 0; i < r->p->n_rates; i++) {
        const struct plan_rate *known = &r->p->rates[i];
        bool measured = known_rate(r->p, known->sm) != NULL;
        size_t n = measured ? JW_COUNT(sizes) : 1;

        r->recalled += measured;
        for (size_t s = 0; s < n; s++)
            jw_rate_learn(&r->rates[i], sizes[s], known->base_s + known->per_byte_s * (double)sizes[s]);
    }
}

/* "libggml-cuda.so: _Z9mul_mat_qILi4E" */
static void write_name(char out[COMPILE_NAME], const struct jw_job *j)
{
    struct jw_buf plain = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&plain, j->module.kernel);
    (void)snprintf(out, COMPILE_NAME, plain.n ? "%.*s: %.*s" : "%.*s%.*s", COMPILE_NAME / 2 - 4,
                   jw_path_base(j->module.places->path), COMPILE_NAME / 2 - 4, jw_buf_cstr(&plain));
    jw_buf_free(&plain);
}

static void watch_slot(struct compiling *r, struct compile_share *share,
                       const struct jw_pool_slot_state *slot)
{
    uint64_t now = jw_time_monotonic_ns();
    double cpu;

    if (!slot->busy || !slot->pid || !jw_process_cpu(slot->pid, &cpu)) {
        *share = (struct compile_share){ 0 };
        return;
    }
    if (share->pid == slot->pid && share->job == slot->job) {
        double passed = (double)(now - share->at) / 1e9, used = cpu - share->cpu_at;

        share->wall += passed;
        share->cpu += used;
        jw_rate_load_add(&r->load, passed, used);
    } else {
        *share = (struct compile_share){ .pid = slot->pid, .job = slot->job };
    }
    share->at = now;
    share->cpu_at = cpu;
}

void compile_watch_load(struct compiling *r, const struct jw_pool_state *s)
{
    for (size_t i = 0; i < s->n_slots && i < r->workers; i++)
        watch_slot(r, &r->shares[i], &s->slots[i]);
}

/* Converts the clock time of a slot's module to processor time. */
static double processor_seconds(const struct compiling *r, size_t slot, size_t job, double seconds)
{
    const struct compile_share *share = &r->shares[slot];
    struct jw_rate_load of_job = { share->wall, share->cpu };
    bool known = share->pid && share->job == job && share->wall > 1;

    return seconds / jw_rate_load_factor(known ? &of_job : &r->load);
}

void compile_note_time(struct compiling *r, size_t slot, size_t job)
{
    const struct jw_job *j = &r->jobs[job];
    size_t at = sm_index(r->p, j->sm);
    double seconds = processor_seconds(r, slot, job, j->milliseconds / 1000.0);

    jw_rate_learn(&r->rates[at], j->module.ptx_bytes, seconds);
    r->timed[at]++;
}

/* Keeps the rates of other GPUs, too. */
void compile_keep_rates(struct compiling *r)
{
    struct jw_driver_state s = r->p->driver->state;
    struct jw_compile_rate *list = jw_arena_alloc(r->p->run->a, JW_MAX_RATES * sizeof *list);
    struct jw_err ignored;
    size_t n = 0;
    bool any = false;

    for (size_t i = 0; i < r->p->n_rates && n < JW_MAX_RATES; i++) {
        struct plan_rate line = rate_line(&r->rates[i], r->p->rates[i].sm);

        if (r->timed[i] >= WORTH_KEEPING && line.per_byte_s > 0 && line.base_s >= 0) {
            list[n++] = (struct jw_compile_rate){ line.sm, line.base_s, line.per_byte_s, r->timed[i] };
            any = true;
        }
    }
    for (size_t i = 0; i < s.n_rates && n < JW_MAX_RATES; i++)
        if (!jw_compile_rate_of(list, n, s.rates[i].sm))
            list[n++] = s.rates[i];
    s.rates = list;
    s.n_rates = n;
    if (any && s.build && *s.build)
        (void)jw_state_save_driver(&s, &ignored); /* a failure only makes the next estimate worse */
}

/* ---- how long ---- */

static double predicted(const struct compiling *r, const struct jw_job *j)
{
    return plan_seconds(jw_rate_seconds(&r->rates[sm_index(r->p, j->sm)], j->module.ptx_bytes), j->stopped);
}

/* Until all is done, by the usual rate where nothing was measured. */
static double estimate(const struct compiling *r, const struct jw_pool_state *s)
{
    struct jw_rate_running now[JW_MAX_GPUS];
    struct jw_rate_left left = { .running = now, .workers = (unsigned)s->n_slots };

    for (size_t i = 0; i < s->n_slots && left.n_running < JW_COUNT(now); i++)
        if (s->slots[i].busy) {
            const struct jw_job *j = &r->jobs[s->slots[i].job];

            double elapsed = (double)(jw_time_monotonic_ns() - s->slots[i].since_ns) / 1e9;

            now[left.n_running++] =
                (struct jw_rate_running){ predicted(r, j),
                                          processor_seconds(r, i, s->slots[i].job, elapsed) };
        }
    for (size_t i = 0; i < r->n_run; i++) {
        size_t job = r->run[i];
        bool running = false;

        for (size_t k = 0; k < s->n_slots; k++)
            running |= s->slots[k].busy && s->slots[k].job == job;
        if (running || r->ended[job])
            continue;
        double seconds = predicted(r, &r->jobs[job]);

        left.seconds += seconds;
        if (seconds > left.longest)
            left.longest = seconds;
    }
    return jw_rate_eta(&left) * jw_rate_load_factor(&r->load);
}

static uint64_t count_measured(const struct compiling *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->p->look->scope.n_sms; i++)
        n += r->timed[i];
    return n;
}

/* Negative: no module was measured yet, so it would be a guess. */
static double time_to_tell(const struct compiling *r, const struct jw_pool_state *s)
{
    return r->recalled || count_measured(r) ? estimate(r, s) : -1;
}

/* One module may take many times as long as others of its size: it counts alone where it took long by itself. */
double compile_expect(const struct compiling *r)
{
    uint64_t measured = count_measured(r);
    double seconds = 0;

    if (!measured || (measured < WORTH_KEEPING && r->progress.seconds < LONG_S))
        return 0;
    for (size_t i = 0; i < r->n_run; i++)
        seconds += predicted(r, &r->jobs[r->run[i]]);
    return seconds;
}

/* ---- progress calls ---- */

static void fill_slots(struct compiling *r, const struct jw_pool_state *s)
{
    r->progress.n_slots = 0;
    for (size_t i = 0; r->slots && i < s->n_slots && i < r->workers; i++) {
        const struct jw_job *j;

        if (!s->slots[i].busy)
            continue;
        j = &r->jobs[s->slots[i].job];
        write_name(r->names[i], j);
        r->slots[r->progress.n_slots++] = (struct jw_prime_slot){
            .what = r->names[i], .seconds = (double)(jw_time_monotonic_ns() - s->slots[i].since_ns) / 1e9
        };
    }
    r->progress.slots = r->slots;
}

void compile_show(struct compiling *r, const struct jw_pool_state *s)
{
    double before = r->progress.seconds;

    r->progress.phase = JW_PHASE_COMPILE;
    r->progress.seconds = (double)(jw_time_monotonic_ns() - r->p->run->began) / 1e9;
    if (s) {
        double left = time_to_tell(r, s);

        fill_slots(r, s);
        r->progress.late = left < r->progress.eta || r->progress.eta < 0
                               ? 0
                               : r->progress.late + (r->progress.seconds - before);
        r->progress.eta = left;
    }
    prime_show_progress(r->p, &r->progress);
}
