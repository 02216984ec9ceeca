#include "prime/memory/next_step.h"

#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "machine/shell.h"
#include "os/machine/env.h"

#include <string.h>

#define NONE ((struct jw_next_step){ .words = NULL })
#define STEP(what, remark_on_it) ((struct jw_next_step){ .words = (what), .remark = (remark_on_it) })
#define WHOLE(command) ((struct jw_next_step){ .words = (command), .whole = true })

static const char where[] = "lists where it was looked for; software elsewhere: jitwarm prime PATH";

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

static struct jw_next_step continue_prime(const struct jw_step_facts *f, struct jw_arena *a)
{
    if (f->longer_box)
        return STEP(jw_arena_printf(a, "prime --time-box %us", f->longer_box),
                    "a shorter time box gets no further");
    return STEP("prime", "continues with the modules that are left");
}

struct jw_next_step jw_next_step_of(const struct jw_step_facts *f, struct jw_arena *a)
{
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
    if (f->records_lost)
        return STEP("prime", "looks at all software here, and remembers it again");
    if (f->import)
        return STEP(f->import, "brings again what is gone from the cache");
    if (f->hidden)
        return WHOLE(f->hidden);
    if (f->unchecked)
        return STEP("verify", "checks whether that is all that the software here loads");
    if (f->stopped)
        return continue_prime(f, a);
    if (f->start)
        return WHOLE(f->start);
    if (f->cold)
        return STEP("prime", NULL);
    if (f->login_unknown)
        return f->login ? WHOLE(f->login) : STEP("doctor", "says what keeps its shell from its end");
    if (f->login)
        return WHOLE(jw_arena_printf(a, "%s   # this shell then uses the cache of a fresh login", f->login));
    if (f->said)
        return NONE;
    if (f->gone)
        return STEP("prune --gone", "lists what is gone; with --yes it is forgotten");
    if (f->nothing_known)
        return STEP("scan -v", where);
    if (f->failing_link)
        return STEP(JW_COMMAND(a, jw_os_is_windows(), "scan", f->failing_link),
                    "which code it has, and for which GPUs");
    if (f->damaged)
        return STEP("scan", "says what is damaged, and where");
    if (f->too_new)
        return STEP("doctor", "says how this system gets a newer driver");
    if (f->refused)
        return STEP("doctor", "says what helps where this driver cannot compile it");
    if (f->lacking) /* doctor looks at what is installed, or was primed */
        return f->named ? STEP("scan", "which code it has, and for which GPUs")
                        : STEP("doctor", "says what it needs to run on this GPU");
    if (f->gpus_unknown)
        return STEP("verify",
                    "checks it for the GPUs that are here, each time: status never asks the driver");
    if (f->unexplained)
        return STEP("doctor", f->unread                    ? "says what could not be read"
                              : f->after == JW_AFTER_PRIME ? "looks for the cause"
                                                           : NULL);
    if (f->nothing_compiles)
        return f->after == JW_AFTER_PRIME || f->after == JW_AFTER_STATUS
                   ? STEP("doctor", "if something still starts slowly")
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
        jw_buf_printf(&line, "jitwarm %s", step->words);
    add_question(&line, step->words, scope);
    if (!has_no_cache(step->words))
        jw_buf_text(&line, scope->cache);
    for (size_t i = 0; is_of_paths(step->words) && i < scope->paths.n; i++) {
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
