#include "fleet/matrix_plan.h"

#include "base/mem.h"
#include "base/text.h"
#include "machine/run.h"

struct planning {
    const struct jw_run *run;
    const struct jw_matrix_ask *o;
    struct jw_fleet_machine machine;
    struct jw_prime_report report;
    struct jw_prime_memory *memory; /* of the prediction */
    struct jw_matrix_plan *out;
};

static void digest_of(const struct planning *p, struct jw_matrix_input *in)
{
    const struct jw_prime_report *r = &p->report;
    uint64_t *names = jw_alloc((r->n_jobs + 1) * sizeof *names);
    bool all_known = true;
    size_t n = 0;

    for (size_t i = 0; i < r->n_jobs; i++)
        if (r->jobs[i].sm == in->sm) {
            names[n++] = r->jobs[i].name;
            all_known = all_known && r->jobs[i].name;
        }
    jw_matrix_digest(in, names, n, p->o->key);
    if (!all_known)
        in->digest[0] = '\0';
    jw_free(names);
}

static struct jw_texts archs(const struct planning *p)
{
    struct jw_arena *a = p->run->a;
    struct jw_texts all = { jw_arena_alloc(a, (p->out->n + 1) * sizeof *all.items), 0 };

    for (size_t i = 0; i < p->out->n; i++)
        all.items[all.n++] = jw_arena_printf(a, "sm_%u", (unsigned)p->out->v[i].sm);
    return all;
}

/* Finds what would be compiled, as a dry run does. */
static bool predict(struct planning *p, struct jw_err *err)
{
    const struct jw_prime_options o = { .paths = p->o->paths,
                                        .gpus = archs(p),
                                        .absent_gpus = true,
                                        .jobs = p->o->jobs,
                                        .all = p->o->all,
                                        .retry = true,
                                        .dry_run = true,
                                        .yes = true,
                                        .same_login = true,
                                        .as_root = true };
    struct jw_run run = *p->run;

    run.session->cache = p->o->cache;
    run.session->exclude = p->o->exclude.items;
    run.session->n_exclude = p->o->exclude.n;
    if (!jw_prime(&run, &o, &p->report, &p->memory, err))
        return false;
    for (size_t i = 0; i < p->out->n; i++)
        digest_of(p, &p->out->v[i]);
    return p->report.n_jobs || run.end == JW_END_NOTHING || run.end == JW_END_DONE
           || jw_fail(err, run.end == JW_END_INTERRUPTED ? JW_E_INTERRUPTED : JW_E_DRIVER, "%.400s",
                      run.why ? run.why : "the driver cannot be asked what it would compile");
}

static bool is_missing(const struct jw_matrix_plan *out, uint16_t sm)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].sm == sm)
            return !out->v[i].there;
    return false;
}

static void sum_missing(const struct jw_prime_report *r, struct jw_matrix_plan *out)
{
    double all = 0, longest = 0;

    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct jw_job *j = &r->jobs[i];

        if (j->state != JW_JOB_TODO || !is_missing(out, j->sm))
            continue;
        out->modules++;
        out->ptx_bytes += j->module.ptx_bytes;
        all += j->seconds;
        longest = j->seconds > longest ? j->seconds : longest;
    }
    all /= r->workers ? r->workers : 1;
    out->seconds = all > longest ? all : longest;
}

static void note_plan(struct planning *p)
{
    struct jw_arena *a = p->run->a;
    struct jw_matrix_plan *out = p->out;
    struct jw_buf there = JW_LINE(a), todo = JW_LINE(a), none = JW_LINE(a);
    size_t n_there = 0;

    for (size_t i = 0; i < out->n; i++) {
        const struct jw_matrix_input *in = &out->v[i];
        struct jw_buf *to = !in->modules ? &none : in->there ? &there : &todo;

        n_there += to == &there;
        jw_say(to, "%ssm_%u", to->n ? ", " : "", (unsigned)in->sm);
    }
    if (none.n)
        jw_note(&out->notes, a, "driver %s: it compiles nothing of these files for %s", p->machine.driver,
                jw_buf_cstr(&none));
    if (there.n)
        jw_note(&out->notes, a, "driver %s: %s %s there already", p->machine.driver, jw_buf_cstr(&there),
                n_there == 1 ? "is" : "are");
    if (todo.n)
        jw_note(&out->notes, a, "driver %s: to compile and push: %s", p->machine.driver, jw_buf_cstr(&todo));
}

/* A matrix of old drivers and new GPUs has kinds that no machine is of. */
static bool choose_archs(struct planning *p, struct jw_err *err)
{
    const struct jw_fleet_machine *has = &p->machine;
    struct jw_arena *a = p->run->a;
    struct jw_buf without = JW_LINE(a);
    struct jw_matrix_plan *out = p->out;

    out->v = jw_arena_alloc(a, (has->n_sms + 1) * sizeof *out->v);
    for (size_t i = 0; i < has->n_sms; i++)
        if (jw_fleet_drives(has->driver, has->sms[i]))
            out->v[out->n++] = (struct jw_matrix_input){ .sm = has->sms[i] };
        else
            jw_say(&without, "%ssm_%u", without.n ? ", " : "", (unsigned)has->sms[i]);
    if (!out->n)
        return jw_fail(err, JW_E_DRIVER, "driver %s does not support %s", out->driver, jw_buf_cstr(&without));
    if (without.n)
        jw_note(&out->notes, a, "driver %s: it does not support %s, so there are no such machines",
                out->driver, jw_buf_cstr(&without));
    return true;
}

bool jw_matrix_plan(const struct jw_run *run, const struct jw_matrix_ask *ask, struct jw_matrix_plan *out,
                    struct jw_err *err)
{
    struct planning p = { .run = run, .o = ask, .out = out };
    struct jw_remote_options net = *ask->net;

    *out = (struct jw_matrix_plan){ .driver = "" };
    if (!jw_fleet_machine(run->session, ask->gpus.items, ask->gpus.n, &p.machine, err))
        return false;
    if (p.machine.unasked)
        return jw_fail(err, JW_E_DRIVER, "%.300s", p.machine.unasked);
    if (p.machine.driver)
        out->driver = p.machine.driver;
    if (!choose_archs(&p, err))
        return false;
    net.login = net.login ? jw_arena_str(run->a, net.login) : NULL; /* each connection wipes its own */
    bool ok = predict(&p, err) && jw_matrix_look(&net, ask->ref, &p.machine, out->v, out->n, run->a, err);

    if (ok) {
        sum_missing(&p.report, out);
        note_plan(&p);
    }
    jw_prime_free(p.memory);
    return ok;
}
