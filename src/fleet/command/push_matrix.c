/*
 * push --driver-files: packs for each GPU and driver build, without a GPU. This command line runs again for each driver,
 * on an emulated GPU (prime --driver-files). That run predicts what each architecture needs, asks the remote what of it is
 * there, compiles the rest and pushes it. What was compiled before it was cut short is not compiled again.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "fleet/command/push_args.h"
#include "fleet/matrix.h"
#include "machine/config.h"
#include "os/machine/env.h"
#include "prime/command/absent_gpus.h"
#include "prime/command/prime_args.h"

#include <string.h>

struct matrix {
    struct cli *cli;
    const struct push_args *a;
    const struct jw_ref *ref;
    struct texts gpus;
    const char *cache; /* of what is compiled here */
    const char *key;   /* id of the signing key, or "" */
    struct jw_fleet_machine machine;
    struct jw_matrix_input *inputs;
    size_t n;
};

/* "sm_86,sm_89" are two. */
static struct texts split(struct jw_arena *a, const struct texts *lists)
{
    struct texts out = { NULL, 0 };
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

/* ---- in the run with a driver ---- */

static void digest_of(struct matrix *m, struct jw_matrix_input *in, const struct jw_prime_report *r)
{
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

static struct texts archs(const struct matrix *m, bool missing)
{
    struct texts out = { jw_arena_alloc(m->cli->arena, (m->n + 1) * sizeof *out.items), 0 };

    for (size_t i = 0; i < m->n; i++)
        if (!missing || (!m->inputs[i].there && m->inputs[i].modules))
            out.items[out.n++] = jw_arena_printf(m->cli->arena, "sm_%u", (unsigned)m->inputs[i].sm);
    return out;
}

/* What would be compiled, as a dry run says it. */
static bool predict(struct matrix *m, struct jw_err *err)
{
    const struct texts all = archs(m, false);
    const struct jw_prime_options o = { .paths = m->a->words.items + 1,
                                        .n_paths = m->a->words.n - 1,
                                        .gpus = all.items,
                                        .n_gpus = all.n,
                                        .absent_gpus = true,
                                        .all = m->a->all,
                                        .retry = true,
                                        .dry_run = true,
                                        .yes = true,
                                        .same_login = true,
                                        .as_root = true };
    struct jw_run run = { .session = &m->cli->session, .interrupted = m->cli->interrupted };
    struct jw_prime_report report;
    struct jw_prime_memory *memory = NULL;

    jw_session_use_cache(run.session, m->cache);
    run.session->exclude = m->a->exclude.items;
    run.session->n_exclude = m->a->exclude.n;
    bool ok = jw_prime(&run, &o, &report, &memory, err);

    for (size_t i = 0; ok && i < m->n; i++)
        digest_of(m, &m->inputs[i], &report);
    if (ok && !report.n_jobs && run.end != JW_END_NOTHING && run.end != JW_END_DONE)
        ok = jw_fail(err, run.end == JW_END_INTERRUPTED ? JW_E_INTERRUPTED : JW_E_DRIVER, "%.400s",
                     run.why ? run.why : "the driver cannot be asked what it would compile");
    jw_prime_free(memory);
    return ok;
}

static void say_plan(struct matrix *m)
{
    struct jw_buf there = JW_BUF(JW_MAX_LINE), todo = JW_BUF(JW_MAX_LINE), none = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < m->n; i++) {
        const struct jw_matrix_input *in = &m->inputs[i];
        struct jw_buf *to = !in->modules ? &none : in->there ? &there : &todo;

        jw_say(to, "%ssm_%u", to->n ? ", " : "", (unsigned)in->sm);
    }
    if (none.n)
        jw_messages_say(&m->cli->messages, "driver %s: it compiles nothing of these files for %s",
                        m->machine.driver, jw_buf_cstr(&none));
    if (there.n)
        jw_messages_say(&m->cli->messages, "driver %s: %s is there already", m->machine.driver,
                        jw_buf_cstr(&there));
    if (todo.n)
        jw_messages_say(&m->cli->messages, "driver %s: to compile and push: %s", m->machine.driver,
                        jw_buf_cstr(&todo));
    jw_buf_free(&there);
    jw_buf_free(&todo);
    jw_buf_free(&none);
}

static bool look_at_remote(struct matrix *m, const struct jw_remote_options *net, struct jw_err *err)
{
    struct jw_arena *a = m->cli->arena;
    struct jw_remote_options o = *net;

    if (!jw_fleet_machine(&m->cli->session, m->gpus.items, m->gpus.n, &m->machine, err))
        return false;
    if (m->machine.unasked)
        return jw_fail(err, JW_E_DRIVER, "%.300s", m->machine.unasked);
    m->n = m->machine.n_sms;
    m->inputs = jw_arena_alloc(a, (m->n + 1) * sizeof *m->inputs);
    for (size_t i = 0; i < m->n; i++)
        m->inputs[i] = (struct jw_matrix_input){ .sm = m->machine.sms[i] };
    o.login = o.login ? jw_arena_str(a, o.login) : NULL; /* each connection wipes its own */
    return predict(m, err) && jw_matrix_look(&o, m->ref, &m->machine, m->inputs, m->n, a, err);
}

/* What could not be compiled whole is pushed without its digest, so that the next run tries it again. */
static int compile(struct matrix *m, const struct texts *missing)
{
    struct prime_args p = { .paths = { m->a->words.items + 1, m->a->words.n - 1 },
                            .gpus = *missing,
                            .exclude = m->a->exclude,
                            .cache = m->cache,
                            .jobs = m->a->jobs ? m->a->jobs : jw_cpu_count(),
                            .all = m->a->all,
                            .yes = PRIME_YES,
                            .as_root = true,
                            .retry = true,
                            .for_packs = true };
    bool muted = m->cli->out.muted, json = m->cli->common.json;

    m->cli->out.muted = true;
    m->cli->common.json = false;
    int code = prime_run(m->cli, &p, PRIME_PRIME);

    m->cli->out.muted = muted;
    m->cli->common.json = json;
    for (size_t i = 0; code != EXIT_DONE && i < m->n; i++)
        m->inputs[i].digest[0] = '\0';
    return code;
}

int push_matrix_inside(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                       const char *key_id, struct push_matrix_made *out)
{
    struct matrix m = { .cli = cli,
                        .a = a,
                        .ref = ref,
                        .key = key_id ? key_id : "",
                        .gpus = split(cli->arena, &a->gpus),
                        .cache = prime_driver_files_cache(cli->arena) };
    struct jw_err err = { 0 };
    int code;

    out->net = fleet_net(cli, &a->net, ref); /* takes the login before a worker starts */
    if (!look_at_remote(&m, &out->net, &err))
        return jw_cli_fail(cli, &err);
    say_plan(&m);
    out->gpus = archs(&m, true);
    out->inputs = m.inputs;
    out->n_inputs = m.n;
    out->cache = m.cache;
    if (!out->gpus.n)
        return EXIT_DONE;
    code = compile(&m, &out->gpus);
    if (code != EXIT_DONE && code != EXIT_PARTLY)
        out->gpus.n = 0;
    return code;
}

/* ---- one run for each driver ---- */

int push_matrix(struct cli *cli, const struct push_args *a)
{
    const struct texts drivers = split(cli->arena, &a->driver_files), gpus = split(cli->arena, &a->gpus);
    int worst = EXIT_DONE;

    for (size_t i = 0; i < drivers.n && worst != EXIT_INTERRUPTED; i++) {
        int code;

        if (drivers.n > 1)
            jw_messages_say(&cli->messages, "driver %zu of %zu: %s", i + 1, drivers.n, drivers.items[i]);
        code = prime_under_driver_files(cli, drivers.items[i], &gpus);
        worst = code > worst ? code : worst;
    }
    return worst;
}
