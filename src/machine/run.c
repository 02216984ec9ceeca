#include "machine/run.h"

#include "base/limits.h"
#include "os/machine/time.h"

#include <stdarg.h>

void jw_note(struct jw_texts *notes, struct jw_arena *a, const char *fmt, ...)
{
    va_list args;
    struct jw_err never;
    const char **slot =
        jw_list_add(a, &notes->v, &notes->n, sizeof *notes->v, JW_MAX_NOTES, &never);

    if (!slot)
        return;
    va_start(args, fmt);
    *slot = notes->n == JW_MAX_NOTES ? "there are more such notes, which are not kept"
                                     : jw_arena_vprintf(a, fmt, args);
    va_end(args);
}

void jw_texts_add(struct jw_texts *list, struct jw_arena *a, const char *text)
{
    const char *const both[] = {text, NULL};

    for (size_t i = 0; i < 2; i++) {
        const char **slot = jw_list_add(a, &list->v, &list->n, sizeof *slot, SIZE_MAX, JW_IGNORED);

        *slot = both[i];
    }
    list->n--;
}

void jw_run_show(const struct jw_run *run, const char *what, uint64_t done, uint64_t total)
{
    if (run && run->progress)
        run->progress(run->ctx, &(struct jw_progress){.at = what, .done = done, .total = total});
}

bool jw_run_goes_on(const struct jw_run *run, struct jw_err *err)
{
    return jw_not_interrupted(run ? run->interrupted : NULL, err);
}

bool jw_run_ask(const struct jw_run *run, const char *question, bool usual)
{
    return run->yes || (run->ask && run->ask(run->ctx, question, usual));
}

void jw_run_begin(struct jw_run *run)
{
    run->began = jw_time_monotonic_ns();
    run->deadline = run->milliseconds = 0;
    run->ended = false;
    run->end = JW_END_DONE;
    run->why = NULL;
    run->notes = (struct jw_texts){NULL, 0};
}

struct jw_run jw_run_part(const struct jw_run *run)
{
    struct jw_run part = *run;

    jw_run_begin(&part);
    part.deadline = run->deadline;
    return part;
}

void jw_run_join(struct jw_run *run, const struct jw_run *part)
{
    for (size_t i = 0; i < part->notes.n; i++)
        JW_NOTE(run, "%s", part->notes.v[i]);
}

void jw_run_end_as(struct jw_run *run, const struct jw_run *part)
{
    run->ended = part->ended;
    run->end = part->end;
    run->why = part->why;
}

bool jw_run_done(struct jw_run *run, enum jw_end how)
{
    run->ended = true;
    run->end = how;
    run->why = NULL;
    return true;
}

bool jw_run_end(struct jw_run *run, enum jw_end how, const char *why, ...)
{
    va_list args;

    va_start(args, why);
    const char *text = jw_arena_vprintf(run->a, why, args);
    va_end(args);
    (void)jw_run_done(run, how);
    run->why = *text ? text : NULL;
    return true;
}

enum jw_end jw_end_of(enum jw_code failure)
{
    static const enum jw_end ends[] = {
        [JW_OK] = JW_END_BUG,
        [JW_E_USAGE] = JW_END_UNREAD,
        [JW_E_NAMED] = JW_END_UNREAD,
        [JW_E_IO] = JW_END_CANNOT_WRITE,
        [JW_E_FORMAT] = JW_END_REFUSED,
        [JW_E_LIMIT] = JW_END_CANNOT_WRITE,
        [JW_E_DRIVER] = JW_END_NO_GPU,
        [JW_E_NET] = JW_END_REMOTE,
        [JW_E_INTERRUPTED] = JW_END_INTERRUPTED,
        [JW_E_UNFIT] = JW_END_UNFIT,
        [JW_E_TRUST] = JW_END_REFUSED,
        [JW_E_BUSY] = JW_END_BUSY,
    };
    JW_ROW_FOR_EACH(ends, JW_CODES, 12);

    return ends[failure];
}

bool jw_run_end_by(struct jw_run *run, const struct jw_err *why, struct jw_err *err)
{
    if (why->code != JW_E_INTERRUPTED && why->code != JW_E_DRIVER && why->code != JW_E_IO
        && why->code != JW_E_LIMIT)
        return jw_pass(err, *why);
    return jw_run_end(run, jw_end_of(why->code), "%s",
                      why->code == JW_E_INTERRUPTED ? "" : why->msg);
}

bool jw_run_steps(struct jw_run *run, size_t n,
                  bool (*make)(void *of, size_t at, struct jw_err *err), void *of,
                  struct jw_err *err)
{
    for (size_t i = 0; i < n && !run->ended; i++) {
        struct jw_err why = {0};

        if (jw_interrupted(run->interrupted))
            return jw_run_done(run, JW_END_INTERRUPTED);
        if (!make(of, i, &why) && !jw_run_end_by(run, &why, err))
            return false;
    }
    return true;
}
