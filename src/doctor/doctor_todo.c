#include "doctor/doctor_todo.h"

#include "base/command.h"
#include "base/text.h"
#include "os/machine/env.h"
#include "prime/memory/imported.h"

#include <string.h>

typedef bool is_wanted(const struct jw_doctor_machine *m, const struct jw_finding *f);

static bool any(const struct jw_doctor_machine *m, const struct jw_finding *f)
{
    (void)m;
    (void)f;
    return true;
}

/* A prime that would stop, or a prime or an import for which the driver compiles nothing, mends nothing. */
static bool would_stop(const struct jw_doctor_machine *m, const struct jw_finding *f)
{
    if (m && m->probe.cannot_compile && strstr(f->command, "jitwarm import "))
        return prime_import_compiles(f->command);
    return m && ((m->prime_stops && !m->prime_runs) || m->no_room || m->probe.cannot_compile)
           && (jw_text_starts(f->command, "jitwarm prime")
               || (m->shows && jw_text_starts(f->command, m->shows)));
}

static bool runs(const struct jw_doctor_machine *m, const struct jw_finding *f)
{
    return jw_finding_runs(f) && !(m && m->no_room && would_stop(m, f));
}

static bool mends(const struct jw_doctor_machine *m, const struct jw_finding *f)
{
    return jw_finding_runs(f) && !jw_finding_only_shows(f) && !would_stop(m, f);
}

/* The purpose of a command that mends nothing itself. */
static const char *purpose(const struct jw_finding *f)
{
    return jw_text_starts(f->command, "jitwarm env --shell ")
               ? "this prints the lines for the image of the container, and they mend it"
           : strstr(f->command, " prune --gone")
               ? "this lists it, and asks in a terminal whether to forget it"
               : "this only looks; its finding says what to do then";
}

/* In a container: the command is for the kernel, or for the engine that runs it. */
static bool is_for_host(const struct jw_doctor_machine *m, const struct jw_finding *f)
{
    return m && m->probe.driver.container && jw_finding_is_for_the_host(f);
}

static bool mends_here(const struct jw_doctor_machine *m, const struct jw_finding *f)
{
    return mends(m, f) && !is_for_host(m, f);
}

/* The worst that is no note, and is so; NULL: none. */
static const struct jw_finding *worst(const struct jw_doctor_machine *m, const struct jw_findings *f,
                                      is_wanted *is_so)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].severity >= JW_WARNING && is_so(m, &f->v[i]))
            return &f->v[i];
    return NULL;
}

/* ---- a log ---- */

#define WHERE "where the program ran"
#define LOOK_AT_MACHINE "to look at the machine " WHERE

/* Its program, "/home/ada/venv/bin/python3.11", is not here. */
static bool is_of_another_machine(const char *command)
{
    char program[1024];
    size_t n = strcspn(command, " ");

    if (n >= sizeof program)
        return false;
    memcpy(program, command, n);
    program[n] = 0;
    return !jw_is_file(program);
}

/* For a command that mends, or that asks doctor, which names one. A log says nothing of this machine. */
static const char *where_of_log(const char *command)
{
    if ((*command == '/' && is_of_another_machine(command)) || jw_text_starts(command, "sudo "))
        return WHERE;
    if (jw_text_starts(command, "pip "))
        return WHERE ", in the program's Python environment";
    return jw_text_starts(command, "jitwarm ") && !strstr(command, "==") ? WHERE
               ", in its container if it has one"
                                                                         : NULL;
}

/* The log has no error: its finding asks for more of it, and there is nothing to mend. */
static bool is_too_little(const struct jw_finding *f)
{
    return strcmp(f->id, "log-not-understood") == 0 && f->command && !jw_finding_runs(f);
}

/* The worst comes first: what helps against a pause is no help where the program died. */
static struct jw_doctor_todo of_log(const struct jw_findings *f)
{
    const struct jw_finding *first = worst(NULL, f, any), *mending = worst(NULL, f, mends);

    const struct jw_finding *pause = jw_finding_of(f, "log-gap"); /* of which the log says nothing: a note */

    if (!first)
        return pause && pause->command
                   ? (struct jw_doctor_todo){ where_of_log(pause->command), pause->command }
                   : (struct jw_doctor_todo){ LOOK_AT_MACHINE, "jitwarm doctor" };
    if (mending && mending->severity == first->severity)
        return (struct jw_doctor_todo){ where_of_log(mending->command), mending->command };
    if (is_too_little(first))
        return (struct jw_doctor_todo){ LOOK_AT_MACHINE, "jitwarm doctor" };
    if (!jw_finding_runs(first))
        return (struct jw_doctor_todo){ "no command mends this: see Do; " LOOK_AT_MACHINE, "jitwarm doctor" };
    const char *where = where_of_log(first->command);

    return (struct jw_doctor_todo){ where ? where : purpose(first), first->command };
}

/* ---- a machine ---- */

/* Nothing shows that the host did something, until the next container starts, so steps that can be done here
 * come first. */
static const struct jw_finding *mending_here(const struct jw_doctor_machine *m, const struct jw_findings *f)
{
    const struct jw_finding *mending = worst(m, f, mends), *here = worst(m, f, mends_here);

    return here && here->severity == mending->severity ? here : mending;
}

/* A container that runs gets neither a GPU nor a volume: only the next one shows that the host did it. */
static const char *where_to_do(const struct jw_doctor_machine *m, const struct jw_finding *f)
{
    bool kubectl = jw_text_starts(f->command, "kubectl ");

    if (!is_for_host(m, f))
        return NULL;
    return kubectl ? "once, where kubectl works; in the pod that it starts, ask again"
           : strstr(f->command, " run ")
               ? "once, on the host of this container; in the one that it starts, ask again"
               : "on the host of this container";
}

/* No command helps against the worst finding, so the line to paste is for another one. */
static const char *for_another(const struct jw_finding *first, const struct jw_finding *f)
{
    return first == f || jw_finding_runs(first) ? NULL
           : !jw_finding_only_shows(f) ? "no command mends the first finding: see its Do; this mends another"
           : jw_text_starts(f->command, "jitwarm env --shell ")
               ? "no command mends the first finding: see its Do; for another, this prints the lines for the "
                 "image of the container"
               : "no command mends the first finding: see its Do; of another, this only looks";
}

/* The finding of modules that prime would warm and that are too few for a warning; NULL: there is none. */
static const struct jw_finding *little_that_is_cold(const struct jw_doctor_machine *m,
                                                    const struct jw_findings *f)
{
    const struct jw_finding *cold = jw_finding_of(f, "framework-jit-little");

    return cold && cold->command && (!m->prime_stops || m->prime_runs) && !m->no_room ? cold : NULL;
}

/* A remark on the next container comes after a prime in this one. */
static bool is_about_the_next(const struct jw_finding *f)
{
    static const char *const ids[] = { "cache-container", "other-caches-lost" };

    return jw_text_among(f->id, ids, JW_COUNT(ids));
}

/* The line of status, without what explains it: that is said. NULL: there is none, it is to ask doctor, or to prime
 * where no program can use a GPU. */
static const char *next_of_status(const struct jw_doctor_machine *m, struct jw_arena *a)
{
    const char *next = m->primed && m->primed->next_start.is != JW_NEXT_START_WARM ? m->primed->next : NULL,
               *remark = next ? jw_command_remark(next) : NULL;

    if (!next || jw_text_starts(next, "jitwarm doctor")
        || (!jw_doctor_sees_gpus(m) && jw_text_starts(next, "jitwarm prime")))
        return NULL;
    return remark ? jw_arena_text(a, next, (size_t)(remark - next)) : next;
}

const char *jw_doctor_primed_words(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return jw_fmt(f,
                  m->primed->next_start.is == JW_NEXT_START_COMPILES
                      ? "what was primed compiles at its next start: %s"
                      : "whether what was primed is warm is not known: %s",
                  m->primed->not_warm);
}

void jw_doctor_primed(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *next = next_of_status(m, f->a);

    if (!m->primed || !m->primed->not_warm)
        return;
    for (size_t i = 0; i < f->n; i++) /* it says why, or has the command for it */
        if (f->v[i].severity >= JW_WARNING && !is_about_the_next(&f->v[i])
            && (!next || f->v[i].of_status || jw_text_same(f->v[i].command, next)))
            return;
    JW_FINDING(f, .id = "primed-not-warm", .severity = JW_WARNING, .subject = "software", .of_status = true,
               .text = jw_doctor_primed_words(m, f), .command = next);
    jw_findings_sort(f);
}

/* The finding's own does what the line of status does, and the same for a login. */
static bool does_more(const struct jw_finding *f, const char *status)
{
    return jw_finding_runs(f) && jw_text_ends(f->command, status);
}

/* The line of status, as if it were that finding's; false: it is about something else, or does not help. */
static bool take_status(const struct jw_doctor_machine *m, const struct jw_finding *first, struct jw_arena *a,
                        struct jw_finding *out)
{
    const char *next = next_of_status(m, a);

    if (!first || !next)
        return false;
    *out = *first;
    out->command = next;
    return first->of_status && !does_more(first, next) && !would_stop(m, out)
           && (!mends(m, first) || !jw_finding_only_shows(out));
}

static struct jw_doctor_todo of_machine(const struct jw_doctor_machine *m, const struct jw_findings *f)
{
    const struct jw_finding *first = worst(m, f, any), *next = mending_here(m, f), *shows = worst(m, f, runs),
                            *cold = little_that_is_cold(m, f);

    const char *other = shows ? for_another(first, shows) : NULL;

    if (cold && (!next || is_about_the_next(next)) && (!first || first->severity < JW_PROBLEM))
        next = cold;
    struct jw_finding status;

    if (take_status(m, first, f->a, &status))
        return (struct jw_doctor_todo){ jw_finding_only_shows(&status) ? purpose(&status) : NULL,
                                        status.command };
    const char *where = next ? where_to_do(m, next) : NULL;

    if (next && m->prime_runs && strstr(next->command, "jitwarm prime"))
        return (struct jw_doctor_todo){ "a prime works on this cache now; how far it is", "jitwarm status" };
    if (next)
        return (struct jw_doctor_todo){ where || !first ? where : for_another(first, next), next->command };
    if (shows && shows->severity == first->severity && (shows == first || m->probe.n_devices))
        return (struct jw_doctor_todo){ other ? other : purpose(shows), shows->command };
    if (first)
        return (struct jw_doctor_todo){
            "no command mends this here: see Do; for the person who can, this makes a page",
            "jitwarm report --yes -o jitwarm-report.html"
        };
    const struct jw_finding *container = m->volume ? jw_finding_of(f, "cache-container") : NULL;

    if (container && mends_here(m, container))
        return (struct jw_doctor_todo){ "if another container will replace this one", container->command };
    if (jw_os_is_windows())
        return (struct jw_doctor_todo){ "if something is slow", "jitwarm doctor -v" };
    return (struct jw_doctor_todo){ "if something is slow: start it, and run this beside it",
                                    "jitwarm doctor --watch=60s" };
}

struct jw_doctor_todo jw_doctor_todo(const struct jw_doctor_machine *machine,
                                     const struct jw_findings *findings)
{
    return machine ? of_machine(machine, findings) : of_log(findings);
}
