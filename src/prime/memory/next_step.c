#include "prime/memory/next_step.h"

#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "machine/shell.h"
#include "prime/memory/next_start.h"

#include <string.h>

#define NONE ((struct jw_next_step){ .words = NULL })
#define STEP(what, remark_on_it) ((struct jw_next_step){ .words = (what), .remark = (remark_on_it) })
#define WHOLE(command) ((struct jw_next_step){ .words = (command), .whole = true })

/* ---- which ---- */

/* After a prime that has proven it. */
static struct jw_next_step make_it_last(const struct jw_step_facts *f)
{
    if (f->lasting)
        return STEP("status", "what the cache holds");
    if (f->container)
        return STEP("env --shell docker", "prints the entrypoint that does this at each start");
    return STEP(f->root ? "startup install --as-root" : "startup install",
                "does this again after each driver update");
}

static struct jw_next_step after_warm(const struct jw_step_facts *f)
{
    switch (f->after) {
    case JW_AFTER_STATUS: return STEP("prime --check", NULL); /* which looks for other software, too */
    case JW_AFTER_PLAN: return STEP("verify", "proves that the next start compiles nothing");
    case JW_AFTER_PRIME:
        return f->proven ? make_it_last(f)
                         : STEP("verify", "proves again that the next start compiles nothing");
    case JW_AFTER_VERIFY: break;
    }
    return NONE;
}

enum { ANY_OTHER = 0 };

/* The next step for each reason. A row's step is done before those of the rows below it. */
static const struct {
    uint32_t by, unless; /* `unless`: one of these is there, too */
    const char *words, *remark;
} steps[] = {
    { JW_BUT(JW_BY_RECORDS), 0, "prime", "looks at all software here, and remembers it again" },
    { JW_BUT(JW_BY_NO_CHECK), 0, "verify", "checks whether that is all that the software here loads" },
    { JW_BUT(JW_BY_STOP), 0, "prime", "continues with the modules that are left" },
    { ANY_OTHER, 0, "prime", NULL },
    { JW_BUT(JW_BY_GONE) | JW_BUT(JW_BY_IMPORT), 0, "prune --gone",
      "lists what is gone, and asks whether to forget it" },
    { JW_BUT(JW_BY_NO_SOFTWARE), JW_BUT(JW_BY_UNREAD), "scan -v",
      "lists where it was looked for; software elsewhere: jitwarm prime PATH" },
    { JW_BUT(JW_BY_LINK), 0, "scan", "which code it has, and for which GPUs" },
    { JW_BUT(JW_BY_DOUBT), JW_BUT(JW_BY_MODULES) | JW_BUT(JW_BY_REFUSAL), "scan",
      "says what is damaged, and where" },
    { JW_BUT(JW_BY_REFUSAL), JW_BUT(JW_BY_MODULES), "doctor",
      "says what helps where this driver cannot compile it" },
    { JW_BUT(JW_BY_BLOCKED), 0, "doctor", "says how this system gets a newer driver" },
    { JW_BUT(JW_BY_LACK), 0, "doctor", "says what it needs to run on this GPU" },
    { JW_BUT(JW_BY_UNREAD) | JW_BUT(JW_BY_FAILURE), 0, "doctor", "says what could not be read" },
    { JW_BUT(JW_BY_GPUS), 0, "verify",
      "checks it for the GPUs that are here, each time: status never asks the driver" },
};

/* The first from `*i` on that is for one of the reasons; false: none is, before the row of the others. */
static bool find_step(const struct jw_step_facts *f, size_t *i)
{
    for (; *i < JW_COUNT(steps) && steps[*i].by; ++*i)
        if (f->reasons & steps[*i].by && !(f->reasons & steps[*i].unless))
            return true;
    return false;
}

/* Another prime compiles something: each reason without a row is mended by that. */
static bool is_cold(const struct jw_step_facts *f)
{
    uint32_t rest = f->reasons & ~f->later;

    for (size_t i = 0; i < JW_COUNT(steps); i++)
        rest &= ~steps[i].by;
    return f->after == JW_AFTER_STATUS ? rest : f->cold;
}

static struct jw_next_step step_of(const struct jw_step_facts *f, size_t i, struct jw_arena *a)
{
    struct jw_next_step step = STEP(steps[i].words, steps[i].remark);

    if (steps[i].by == JW_BUT(JW_BY_STOP) && f->longer_limit)
        step = STEP(jw_arena_printf(a, "prime --time-limit %us", f->longer_limit),
                    "a shorter time limit gets no further");
    if (steps[i].by == JW_BUT(JW_BY_LACK) && f->named) /* doctor looks at what is installed, or was primed */
        step = STEP("scan", "which code it has, and for which GPUs");
    if (steps[i].by == JW_BUT(JW_BY_LINK))
        step.file = f->failing_link;
    return step;
}

/* Software with machine code may still need a newer driver: only doctor finds its CUDA version, by its
 * libraries. */
static const char slow_or_fails[] =
    "if something starts slowly, or fails: its CUDA may be too new for this driver";

struct jw_next_step jw_next_step_of(const struct jw_step_facts *f, struct jw_arena *a)
{
    size_t i = 0;

    if (f->prime_runs)
        return f->again                      ? WHOLE(f->again)
               : f->after == JW_AFTER_STATUS ? NONE
                                             : STEP("status", "how far the prime is");
    if (f->mends)
        return WHOLE(f->mends);
    if (f->index_damaged)
        return STEP("status --repair", NULL);
    if (f->unusable)
        return f->said ? NONE : STEP("doctor", NULL);
    if (f->no_compiler)
        return STEP("doctor", "says how this system gets the driver's compiler");
    if (f->keeps)
        return WHOLE(f->keeps);
    if (f->import)
        return (struct jw_next_step){ f->import, "brings again what is gone from the cache", .line = true };
    if (f->hidden)
        return WHOLE(f->hidden);
    if (find_step(f, &i))
        return step_of(f, i, a);
    if (f->start)
        return WHOLE(f->start);
    if (is_cold(f))
        return step_of(f, i, a);
    if (f->reasons & JW_BUT(JW_BY_LOGIN))
        return f->login ? WHOLE(f->login) : STEP("doctor", "says what keeps its shell from its end");
    if (f->login)
        return WHOLE(jw_arena_printf(a, "%s   # this shell then uses the cache of a fresh login", f->login));
    if (f->said)
        return NONE;
    i++;
    if (find_step(f, &i))
        return step_of(f, i, a);
    if (f->partly)
        return STEP("doctor", f->after == JW_AFTER_PRIME ? "looks for the cause" : NULL);
    if (f->nothing_compiles)
        return f->after == JW_AFTER_PRIME || f->after == JW_AFTER_STATUS ? STEP("doctor", slow_or_fails)
                                                                         : NONE;
    return after_warm(f);
}

/* ---- how it is typed ---- */

static void add_option(struct jw_buf *line, const char *option, const struct jw_texts *values, bool windows)
{
    for (size_t i = 0; i < values->n; i++) {
        jw_buf_printf(line, " %s ", option);
        jw_command_word(line, values->items[i], windows);
    }
}

/* The options that made the question: the next verb is asked the same one. */
static void add_question(struct jw_buf *line, const char *words, const struct jw_step_scope *scope)
{
    bool scan = jw_text_starts(words, "scan"), prime = jw_text_starts(words, "prime");

    if (!scan && !prime && strcmp(words, "verify") != 0)
        return;
    if (scope->all && !scan)
        jw_buf_text(line, " --all");
    add_option(line, "--gpu", scan ? &scope->archs : &scope->gpus, scope->windows);
    add_option(line, "--exclude", &scope->exclude, scope->windows);
    if (scope->packs && prime)
        jw_buf_text(line, " --pack jitwarm-packs");
}

static bool has_no_cache(const char *words)
{
    return jw_text_starts(words, "scan") || jw_text_starts(words, "env");
}

static bool is_of_paths(const char *words)
{
    return jw_text_starts(words, "prime") || strcmp(words, "verify") == 0 || strcmp(words, "scan") == 0;
}

const char *jw_next_step_line(const struct jw_next_step *step, const struct jw_step_scope *scope,
                              struct jw_arena *a)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    bool prime;

    if (!step->words || step->whole)
        return step->words;
    prime = jw_text_starts(step->words, "prime");
    if (prime)
        jw_buf_printf(&line, "%s%s", scope->prime, step->words + strlen("prime"));
    else
        jw_buf_printf(&line, "%s%s", step->line ? "" : "jitwarm ", step->words);
    add_question(&line, step->words, scope);
    if (step->line || !has_no_cache(step->words))
        jw_buf_text(&line, scope->cache);
    if (step->file) {
        jw_buf_text(&line, " ");
        jw_command_word(&line, step->file, scope->windows);
    }
    for (size_t i = 0; !step->file && is_of_paths(step->words) && i < scope->paths.n; i++) {
        jw_buf_text(&line, " ");
        jw_command_word(&line, scope->paths.items[i], scope->windows);
    }
    if (prime && scope->command)
        jw_buf_printf(&line, " --run %s", scope->command);
    if (step->remark)
        jw_buf_printf(&line, "   # %s", step->remark);

    const char *copy = jw_arena_str(a, jw_buf_cstr(&line));

    jw_buf_free(&line);
    return copy;
}

const char *jw_step_shown(const char *shown, const struct jw_step_scope *scope, struct jw_arena *a)
{
    static const struct jw_next_step prime = { .words = "prime",
                                               .remark = "compiles for the GPU that is hidden here" };
    struct jw_step_scope there = *scope;

    there.prime = scope->windows ? jw_shell_then(a, true, shown, scope->prime)
                                 : jw_arena_printf(a, "%s %s", shown, scope->prime);
    return jw_next_step_line(&prime, &there, a);
}
