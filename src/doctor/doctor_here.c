#include "doctor/doctor_here.h"

#include "base/text.h"
#include "jitwarm/prime.h"
#include "prime/facts.h"
#include "prime/memory/primed.h"

#include <string.h>

/* Removes software findings that repeat one about the machine. */
static void drop_twice(struct jw_findings *f, size_t before)
{
    size_t n = before;

    for (size_t i = before; i < f->n; i++) {
        bool repeated = false;

        for (size_t k = 0; k < before && !repeated; k++)
            repeated = strcmp(f->v[k].id, f->v[i].id) == 0;
        if (!repeated)
            f->v[n++] = f->v[i];
    }
    f->n = n;
}

/* The state that the last prime left. */
static bool find_last(struct jw_session *s, struct jw_doctor_machine *m, struct jw_status_report *cache,
                      struct jw_err *err)
{
    struct jw_primed *primed = jw_arena_alloc(s->a, sizeof *primed);

    m->primed = primed;
    return jw_primed_look(s, cache, (struct jw_texts){ 0 }, primed, err);
}

/* Finds why a start would not use what is in the cache, as status and scan --check say it. */
static bool find_next_start(struct jw_session *s, struct jw_doctor_machine *m, struct jw_err *err)
{
    struct jw_next_start_facts facts;

    if (!m->cache || !m->cache->dir.folder)
        return true;
    if (!jw_next_start_of_cache(s, &m->cache->list, true, &facts, err))
        return false;
    if (facts.elsewhere_at_login) /* a start of this shell finds what is here */
        facts.obstacle = NULL;
    if (jw_next_start_of(&facts) == JW_NEXT_START_COMPILES)
        m->start_compiles = jw_next_start_answer(&facts, s->a).why;
    m->index = facts.index;
    m->over_limit = jw_next_start_is_over(&facts);
    return true;
}

/* Whether prime would begin: its own first steps say so. */
static bool find_obstacle(struct jw_session *s, struct jw_doctor_machine *m, struct jw_err *err)
{
    const struct jw_prime_options o = { .begin_only = true, .as_root = true, .yes = true };
    struct jw_run run = jw_session_run(s);
    struct jw_prime_report report = { .run = &run };
    struct jw_prime_memory *memory = NULL;
    const struct jw_blocker blocker = jw_session_blocker(s, s->cache, s->a);
    bool ok = jw_prime(&run, &o, &report, &memory, err);

    const struct jw_login_start *login = &m->login_start;

    if (ok && !run.ended && !blocker.is && jw_login_spoils(login) && !s->cache) {
        m->prime_stops = login->what;
        m->prime_command = login->command;
    } else if (ok && !run.ended && blocker.is) {
        m->prime_stops = blocker.what;
        m->prime_command = blocker.command;
        m->prime_blocked = !jw_blocker_is_of_path(&blocker); /* which has a finding of its own */
    } else if (ok && run.ended && run.end != JW_END_INTERRUPTED) {
        m->prime_stops = jw_arena_str(s->a, run.why);
        m->prime_runs = run.end == JW_END_BUSY;
        m->prime_blocked = blocker.is && !jw_blocker_is_of_path(&blocker);
        m->prime_command = blocker.command; /* without the rest of this command line */
        for (size_t i = 0;
             !blocker.is && i < run.advice.n && !jw_text_starts(run.advice.v[i], "jitwarm doctor"); i++)
            m->prime_command = m->prime_command
                                   ? jw_shell_then(s->a, m->windows, m->prime_command, run.advice.v[i])
                                   : jw_arena_str(s->a, run.advice.v[i]);
    }
    jw_prime_free(memory);
    return ok;
}

bool jw_doctor_here(struct jw_session *s, const struct jw_doctor_progress *progress,
                    struct jw_doctor_machine *machine, struct jw_status_report *cache,
                    struct jw_doctor_answer *answer, struct jw_findings *findings, struct jw_err *err)
{
    size_t before;
    bool ok;

    if (!jw_doctor_gather(s, machine, cache, err) || !find_last(s, machine, cache, err)
        || !find_next_start(s, machine, err) || !find_obstacle(s, machine, err))
        return false;
    jw_doctor_check(machine, findings);
    before = findings->n;
    ok = jw_doctor_answer_machine(s, machine, progress, answer, findings, err);
    machine->no_room = jw_finding_of(findings, "cache-disk-full") != NULL;
    drop_twice(findings, before);
    jw_findings_sort(findings);
    jw_doctor_primed(machine, findings);
    jw_findings_keep_runnable(findings, machine->probe.driver.container, jw_doctor_has_program);
    return ok;
}
