/*
 * push --driver-files: packs for each GPU and driver build, without a GPU. This command line runs again for each driver,
 * on an emulated GPU (prime --driver-files): first to plan, for all drivers, then to compile and push. A plan predicts what
 * each architecture needs, and asks the remote what of it is there. What was compiled before it was cut short is not compiled
 * again.
 */
#include "verbs/push.h"

#include "base/fields.h"
#include "base/mem.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "machine/trust.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "verbs/prime.h"

#include <string.h>

/* ---- the part of a run for one driver, in a file of a folder of the push ---- */

/*
 *   48 PART   seconds and sums, then the inputs (base/fields.h)
 */
enum { PART = 48 };

#define I struct jw_matrix_input
#define P struct push_part

static const struct jw_field input_fields[] = {
    JW_FIELD(I, sm), JW_FIELD(I, digest), JW_FIELD(I, modules), JW_FIELD(I, there), { 0 },
};

static const struct jw_field fields[] = {
    JW_FIELD(P, began),
    JW_FIELD(P, whole.seconds_here),
    JW_FIELD(P, whole.seconds_after),
    JW_FIELD(P, whole.done),
    JW_FIELD(P, whole.here),
    JW_FIELD(P, whole.total),
    JW_FIELD(P, whole.done_ptx),
    JW_FIELD(P, whole.here_ptx),
    JW_FIELD(P, whole.total_ptx),
    JW_FIELD(P, whole.part),
    JW_FIELD(P, driver),
    JW_FIELD_LIST_UP_TO(P, v, n, input_fields, JW_FLEET_SMS),
    { 0 },
};

static bool load_part(const char *path, struct jw_arena *a, struct push_part *out, bool *found,
                      struct jw_err *err)
{
    *out = (struct push_part){ .driver = "" };
    return jw_trust_load(path, PART, fields, a, out, found, err) || jw_wrap(err, "%.300s", path);
}

static bool keep_part(const char *path, const struct push_part *part, struct jw_err *err)
{
    return jw_trust_save(path, PART, fields, part, err);
}

/* ---- in the run with a driver ---- */

struct matrix {
    struct cli *cli;
    const struct push_args *a;
    const struct jw_ref *ref;
    struct jw_texts gpus;
    const char *cache; /* of what is compiled here */
    const char *key;   /* id of the signing key, or "" */
    struct prime_progress *progress;
    struct jw_fleet_machine machine;
    struct jw_prime_memory *memory; /* of the prediction */
    struct jw_prime_report report;
    struct push_part *part;
};

/* "DIR,DIR" are two. */
static struct jw_texts split(struct jw_arena *a, const struct jw_texts *lists)
{
    struct jw_texts out = { NULL, 0 };
    size_t most = 0;

    for (size_t i = 0; i < lists->n; i++)
        most += strlen(lists->items[i]) + 1;
    out.items = jw_arena_alloc(a, (most + 1) * sizeof *out.items);
    for (size_t i = 0; i < lists->n; i++)
        for (const char *at = lists->items[i]; *at; at += *at == ',') {
            size_t n = strcspn(at, ",");

            if (n)
                out.items[out.n++] = jw_arena_text(a, at, n);
            at += n;
        }
    return out;
}

static void digest_of(struct matrix *m, struct jw_matrix_input *in)
{
    const struct jw_prime_report *r = &m->report;
    uint64_t *names = jw_alloc((r->n_jobs + 1) * sizeof *names);
    bool all_known = true;
    size_t n = 0;

    for (size_t i = 0; i < r->n_jobs; i++)
        if (r->jobs[i].sm == in->sm) {
            names[n++] = r->jobs[i].name;
            all_known = all_known && r->jobs[i].name;
        }
    jw_matrix_digest(in, names, n, m->key);
    if (!all_known)
        in->digest[0] = '\0';
    jw_free(names);
}

static struct jw_texts archs(const struct matrix *m, bool missing)
{
    const struct push_part *p = m->part;
    struct jw_texts out = { jw_arena_alloc(m->cli->arena, (p->n + 1) * sizeof *out.items), 0 };

    for (size_t i = 0; i < p->n; i++)
        if (!missing || (!p->v[i].there && p->v[i].modules))
            out.items[out.n++] = jw_arena_printf(m->cli->arena, "sm_%u", (unsigned)p->v[i].sm);
    return out;
}

static unsigned workers(const struct matrix *m)
{
    return m->a->jobs ? m->a->jobs : jw_cpu_count();
}

/* Finds what would be compiled, as a dry run does. */
static bool predict(struct matrix *m, struct jw_err *err)
{
    const struct jw_texts all = archs(m, false);
    const struct jw_prime_options o = { .paths = { m->a->words.items + 1, m->a->words.n - 1 },
                                        .gpus = all,
                                        .absent_gpus = true,
                                        .jobs = workers(m),
                                        .all = m->a->all,
                                        .retry = true,
                                        .dry_run = true,
                                        .yes = true,
                                        .same_login = true,
                                        .as_root = true };
    struct jw_run run = jw_session_run(&m->cli->session);

    run.progress = prime_progress_show;
    run.ctx = m->progress;
    run.session->cache = m->cache;
    run.session->exclude = m->a->exclude.items;
    run.session->n_exclude = m->a->exclude.n;
    bool ok = jw_prime(&run, &o, &m->report, &m->memory, err);

    jw_messages_progress_end(&m->cli->messages);
    for (size_t i = 0; ok && i < m->part->n; i++)
        digest_of(m, &m->part->v[i]);
    if (ok && !m->report.n_jobs && run.end != JW_END_NOTHING && run.end != JW_END_DONE)
        ok = jw_fail(err, run.end == JW_END_INTERRUPTED ? JW_E_INTERRUPTED : JW_E_DRIVER, "%.400s",
                     run.why ? run.why : "the driver cannot be asked what it would compile");
    return ok;
}

static bool is_missing(const struct matrix *m, uint16_t sm)
{
    for (size_t i = 0; i < m->part->n; i++)
        if (m->part->v[i].sm == sm)
            return !m->part->v[i].there;
    return false;
}

/* Sums up what is not there and can be compiled. */
static void sum_missing(struct matrix *m)
{
    struct prime_whole *w = &m->part->whole;
    double all = 0, longest = 0;

    for (size_t i = 0; i < m->report.n_jobs; i++) {
        const struct jw_job *j = &m->report.jobs[i];

        if (j->state != JW_JOB_TODO || !is_missing(m, j->sm))
            continue;
        w->here++;
        w->here_ptx += j->module.ptx_bytes;
        all += j->seconds;
        longest = j->seconds > longest ? j->seconds : longest;
    }
    all /= m->report.workers ? m->report.workers : 1;
    w->seconds_here = all > longest ? all : longest;
}

static void say_plan(struct matrix *m)
{
    struct jw_buf there = JW_LINE(m->cli->arena), todo = JW_LINE(m->cli->arena),
                  none = JW_LINE(m->cli->arena);
    size_t n_there = 0;

    for (size_t i = 0; i < m->part->n; i++) {
        const struct jw_matrix_input *in = &m->part->v[i];
        struct jw_buf *to = !in->modules ? &none : in->there ? &there : &todo;

        n_there += to == &there;
        jw_say(to, "%ssm_%u", to->n ? ", " : "", (unsigned)in->sm);
    }
    if (none.n)
        jw_messages_say(&m->cli->messages, "driver %s: it compiles nothing of these files for %s",
                        m->machine.driver, jw_buf_cstr(&none));
    if (there.n)
        jw_messages_say(&m->cli->messages, "driver %s: %s %s there already", m->machine.driver,
                        jw_buf_cstr(&there), n_there == 1 ? "is" : "are");
    if (todo.n)
        jw_messages_say(&m->cli->messages, "driver %s: to compile and push: %s", m->machine.driver,
                        jw_buf_cstr(&todo));
}

/* A matrix of old drivers and new GPUs has kinds that no machine is of. */
static bool choose_archs(struct matrix *m, struct jw_err *err)
{
    const struct jw_fleet_machine *has = &m->machine;
    struct jw_buf without = JW_LINE(m->cli->arena);
    struct push_part *p = m->part;

    p->v = jw_arena_alloc(m->cli->arena, (has->n_sms + 1) * sizeof *p->v);
    for (size_t i = 0; i < has->n_sms; i++)
        if (jw_fleet_drives(has->driver, has->sms[i]))
            p->v[p->n++] = (struct jw_matrix_input){ .sm = has->sms[i] };
        else
            jw_say(&without, "%ssm_%u", without.n ? ", " : "", (unsigned)has->sms[i]);
    bool ok =
        p->n || jw_fail(err, JW_E_DRIVER, "driver %s does not support %s", p->driver, jw_buf_cstr(&without));

    if (ok && without.n)
        jw_messages_say(&m->cli->messages, "driver %s: it does not support %s, so there are no such machines",
                        p->driver, jw_buf_cstr(&without));
    return ok;
}

static bool plan(struct matrix *m, const struct jw_remote_options *net, struct jw_err *err)
{
    struct jw_arena *a = m->cli->arena;
    struct push_part *p = m->part;
    struct jw_remote_options o = *net;

    if (!jw_fleet_machine(&m->cli->session, m->gpus.items, m->gpus.n, &m->machine, err))
        return false;
    if (m->machine.unasked)
        return jw_fail(err, JW_E_DRIVER, "%.300s", m->machine.unasked);
    p->driver = m->machine.driver ? m->machine.driver : "";
    if (!choose_archs(m, err))
        return false;
    o.login = o.login ? jw_arena_str(a, o.login) : NULL; /* each connection wipes its own */
    if (!predict(m, err) || !jw_matrix_look(&o, m->ref, &m->machine, p->v, p->n, a, err))
        return false;
    sum_missing(m);
    say_plan(m);
    return true;
}

/* A pack that could not be compiled whole is pushed without its digest, so that the next run tries it again. */
static int compile(struct matrix *m, const struct jw_texts *missing)
{
    struct prime_args p = { .o = { .paths = { m->a->words.items + 1, m->a->words.n - 1 },
                                   .gpus = *missing,
                                   .jobs = workers(m),
                                   .all = m->a->all,
                                   .retry = true,
                                   .as_root = true },
                            .exclude = m->a->exclude,
                            .cache = m->cache,
                            .yes = PRIME_YES,
                            .for_packs = true,
                            .progress = m->progress };
    bool muted = m->cli->out.muted, json = m->cli->common.json;

    m->cli->out.muted = true;
    m->cli->common.json = false;
    int code = prime_run(m->cli, &p, PRIME_PRIME);

    m->cli->out.muted = muted;
    m->cli->common.json = json;
    for (size_t i = 0; code != EXIT_DONE && i < m->part->n; i++)
        m->part->v[i].digest[0] = '\0';
    return code;
}

int push_drivers_inside(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                        const char *key_id, struct prime_progress *progress, struct push_made *out)
{
    struct matrix m = { .cli = cli,
                        .a = a,
                        .ref = ref,
                        .key = key_id ? key_id : "",
                        .gpus = a->gpus,
                        .cache = prime_driver_files_cache(cli->arena),
                        .progress = progress,
                        .part = &out->part };
    struct jw_err err = { 0 };
    bool planned;
    int code;

    out->cache = m.cache;
    out->path = prime_driver_files_part(cli->arena);
    out->net = net_options(cli, &a->net, ref); /* takes the login before a worker starts */
    if (!load_part(out->path, cli->arena, &out->part, &planned, &err))
        return jw_cli_fail(cli, &err);
    if (planned)
        progress->began = out->part.began;
    if (!planned) {
        bool ok = plan(&m, &out->net, &err) && keep_part(out->path, &out->part, &err);

        jw_prime_free(m.memory);
        return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
    }
    progress->whole = &out->part.whole;
    out->gpus = archs(&m, true);
    code = compile(&m, &out->gpus);
    if (code != EXIT_DONE && code != EXIT_PARTLY)
        out->gpus.n = 0;
    return code;
}

int push_drivers_pushed(struct cli *cli, struct push_made *made, const struct prime_progress *progress,
                        int code)
{
    struct push_part *p = &made->part;
    struct jw_err err = { 0 };

    p->whole.part = progress->meter.part;
    for (size_t i = 0; code == EXIT_DONE && i < p->n; i++)
        p->v[i].there = true;
    return keep_part(made->path, p, &err) ? code : jw_cli_fail(cli, &err);
}

/* ---- the runs for each driver ---- */

struct build {
    const char *folder, *path; /* of the driver; of the part */
    struct push_part part;
    int code;
    bool worked; /* it printed what it pushed */
};

struct all {
    struct cli *cli;
    struct jw_texts gpus;
    struct jw_bytes key;
    struct build *v;
    size_t n;
};

static bool begin_all(struct all *x, const struct push_args *a, const char *folder,
                      const struct jw_minisign_secret *key)
{
    struct jw_arena *arena = x->cli->arena;
    const struct jw_texts drivers = split(arena, &a->driver_files);

    x->gpus = a->gpus;
    x->key = key ? (struct jw_bytes){ (const uint8_t *)key, sizeof *key } : (struct jw_bytes){ NULL, 0 };
    x->v = jw_arena_alloc(arena, (drivers.n + 1) * sizeof *x->v);
    for (; x->n < drivers.n; x->n++)
        x->v[x->n] = (struct build){ .folder = drivers.items[x->n],
                                     .path = jw_arena_printf(arena, "%s/%zu", folder, x->n) };
    return x->n > 0;
}

/* One of the two runs, and what it left. */
static int run_build(struct all *x, struct build *b, bool again)
{
    const struct driver_files_run run = {
        .folder = b->folder, .gpus = &x->gpus, .part = b->path, .input = x->key, .again = again
    };
    struct jw_err err = { 0 };
    bool found = false;
    int code = prime_under_driver_files(x->cli, &run);

    b->code = code > b->code ? code : b->code;
    if (!load_part(b->path, x->cli->arena, &b->part, &found, &err))
        b->code = jw_cli_fail(x->cli, &err);
    return b->code;
}

static bool has_work(const struct build *b)
{
    for (size_t i = 0; i < b->part.n; i++)
        if (!b->part.v[i].there && b->part.v[i].modules)
            return true;
    return false;
}

/* Says the work of all drivers before it begins. */
static void say_all(struct all *x, const struct prime_whole *sum)
{
    struct jw_buf text = JW_LINE(x->cli->arena);

    jw_say(&text, "%s to compile", JW_N(sum->total, "module", "modules"));
    if (sum->seconds_after >= 1)
        jw_say(&text, ", about %s", JW_DURATION(sum->seconds_after));
    if (x->n > 1 && sum->total)
        jw_messages_say(&x->cli->messages, "%s", jw_buf_cstr(&text));
}

/* `sum`: of all; what is done is added to it. */
static int work_on(struct all *x, size_t i, struct prime_whole *sum, uint64_t began)
{
    struct build *b = &x->v[i];
    struct prime_whole *w = &b->part.whole;
    struct jw_err err = { 0 };

    sum->seconds_after -= w->seconds_here;
    *w = (struct prime_whole){ .seconds_here = w->seconds_here,
                               .seconds_after = sum->seconds_after > 0 ? sum->seconds_after : 0,
                               .done = sum->done,
                               .here = w->here,
                               .total = sum->total,
                               .done_ptx = sum->done_ptx,
                               .here_ptx = w->here_ptx,
                               .total_ptx = sum->total_ptx,
                               .part = sum->part };
    b->part.began = began;
    sum->done += w->here;
    sum->done_ptx += w->here_ptx;
    if (x->n > 1)
        jw_messages_say(&x->cli->messages, "driver %zu of %zu: %s", i + 1, x->n, b->part.driver);
    if (!keep_part(b->path, &b->part, &err))
        return b->code = jw_cli_fail(x->cli, &err);
    b->worked = true;
    (void)run_build(x, b, true);
    sum->part = b->part.whole.part > sum->part ? b->part.whole.part : sum->part;
    return b->code;
}

static int push_all(struct all *x, struct prime_progress *progress)
{
    struct prime_whole sum = { 0 };
    uint64_t began = jw_time_monotonic_ns(), there = 0, modules = 0;
    int worst = EXIT_DONE;

    for (size_t i = 0; i < x->n && worst != EXIT_INTERRUPTED; i++) {
        int code = run_build(x, &x->v[i], false);

        worst = code > worst ? code : worst;
        sum.total += x->v[i].part.whole.here;
        sum.total_ptx += x->v[i].part.whole.here_ptx;
        sum.seconds_after += x->v[i].part.whole.seconds_here;
    }
    if (worst != EXIT_INTERRUPTED)
        say_all(x, &sum);
    for (size_t i = 0; i < x->n && worst != EXIT_INTERRUPTED; i++) {
        int code = has_work(&x->v[i]) ? work_on(x, i, &sum, began) : x->v[i].code;

        worst = code > worst ? code : worst;
    }
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->v[i].part.n; k++) {
            modules += x->v[i].part.v[k].modules;
            there += x->v[i].part.v[k].there ? x->v[i].part.v[k].modules : 0;
        }
    prime_progress_end(progress, NULL, there, modules, worst);
    return worst;
}

int push_drivers(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                 const struct jw_minisign_secret *key, struct prime_progress *progress)
{
    struct all x = { .cli = cli };
    struct jw_err err = { 0 };
    char *folder = NULL, text[JW_MINISIGN_LINE + 1];
    bool worked = false;
    int code;

    if (!jw_state_scratch(JW_STATE_PUSH, cli->arena, &folder, &err))
        return jw_cli_fail(cli, &err);
    code = begin_all(&x, a, folder, key) ? push_all(&x, progress) : EXIT_DONE;
    for (size_t i = 0; i < x.n; i++)
        worked = worked || x.v[i].worked;
    if (key) {
        const struct jw_minisign_public public = jw_minisign_public_of(key);

        jw_minisign_show_public(text, &public);
    }
    if (code <= EXIT_PARTLY
        && !push_print_all(cli, ref, key ? text : NULL, !worked && code == EXIT_DONE, &err))
        code = jw_cli_fail(cli, &err);
    jw_scratch_remove(folder);
    return code;
}
