#include "base/text.h"
#include "cache/place/other_caches.h"
#include "doctor/log/log_lines.h"
#include "doctor/log/log_say.h"

#include <string.h>

/* The seconds of work in this pause, as the log says: in the line behind it, or in one that counts all of it. 0: it
 * does not say. */
static double stated_seconds(const struct jw_log *log, const struct jw_log_gap *gap)
{
    double seconds = jw_log_stated_seconds(gap->after);

    if (log->stated.compiler && strcmp(log->stated.compiler->name, gap->compiler->name) == 0)
        seconds = log->stated.seconds;
    return seconds >= 1 ? seconds : 0;
}

/* A pause in which another compiler than the driver's is at work: which, and what to keep. */
static void show_other_gap(const struct jw_log *log, const struct jw_log_gap *gap, const char *path,
                           struct jw_findings *f)
{
    const struct jw_log_compiler *c = gap->compiler;
    const char *variable = c->variable, *does = c->does ? c->does : "compiles",
               *folder = c->owner ? jw_other_cache_usual(c->owner, f->a, &variable) : c->folder;
    double said = stated_seconds(log, gap);

    JW_FINDING(
        f, .id = "log-gap", .severity = JW_WARNING, .subject = path,
        .evidence = jw_fmt(f, "line %llu: %s", (unsigned long long)gap->said, jw_log_quoted(gap->saying, f)),
        .text = !gap->line
                    ? jw_fmt(f, "%s %s for %s, as the log says", c->name, does, JW_TENTHS(gap->seconds))
                    : jw_fmt(f, "the log pauses for %s after line %llu, where %s %s%s",
                             JW_TENTHS(gap->seconds), (unsigned long long)gap->line, c->name, does,
                             said > 0 ? jw_fmt(f, "; it says that it took %s", JW_CLOCK(said + 0.5)) : ""),
        .consequence = c->does
                           ? c->so
                           : jw_fmt(f,
                                    "it keeps what it compiles in %s, or where %s says; a start that does "
                                    "not find it there, as in a new container, compiles it again",
                                    folder, variable),
        .fix = c->does
                   ? c->fix
                   : jw_fmt(f,
                            "keep that folder from one start to the next: in a container set %s to a "
                            "folder on a volume. jitwarm prime is for the driver's compiler, and does not "
                            "shorten this pause",
                            variable),
        .command = jw_log_there(log, c->command, f));
}

/* The line in which TensorFlow says that the driver will compile. NULL: there is none. */
static const struct jw_log_complaint *says_that_it_compiles(const struct jw_log *log)
{
    for (size_t i = 0; i < log->n_complaints; i++)
        if (strstr(log->complaints[i].text, "not built with CUDA kernel binaries"))
            return &log->complaints[i];
    return NULL;
}

/* At a place where TensorFlow may wait for the driver's compiler. The newer ones say so before. */
static bool may_compile(const struct jw_log *log, const struct jw_log_gap *gap)
{
    return gap->compiling && (!log->tells_compiling || says_that_it_compiles(log));
}

/* The line behind a pause that no compiler explains may say what the program did there. */
static bool is_explained(const struct jw_log_gap *gap)
{
    return !strstr(gap->after,
                   "llama runner started in ") /* in which it read the model, and may have compiled */
           && jw_log_stated_seconds(gap->after) > gap->seconds / 2;
}

/* The line before a pause, and with `both` the one after it, which may say more in a log that names no CUDA. */
static const char *lines_of(const struct jw_log_gap *gap, bool both, struct jw_findings *f)
{
    const char *before =
        jw_fmt(f, "line %llu: %s", (unsigned long long)gap->line, jw_log_quoted(gap->before, f));

    return both ? jw_fmt(f, "%s; line %llu: %s", before, (unsigned long long)gap->next,
                         jw_log_quoted(gap->after, f))
                : before;
}

static void show_gap(const struct jw_log *log, const struct jw_log_gap *gap, const char *path,
                     struct jw_findings *f)
{
    bool compiling = may_compile(log, gap), of_others = !jw_log_is_about_cuda(log),
         read_model = strstr(gap->after, "llama runner started in ") && jw_log_ollama_is_native(log);

    if (gap->compiler) {
        show_other_gap(log, gap, path, f);
        return;
    }
    JW_FINDING(
        f, .id = "log-gap", .severity = of_others ? JW_NOTE : JW_WARNING, .subject = path,
        .evidence = lines_of(gap, of_others, f),
        .text = jw_fmt(f, "the log pauses for %s after line %llu", JW_TENTHS(gap->seconds),
                       (unsigned long long)gap->line),
        .consequence =
            compiling ? "here TensorFlow waits while the driver compiles its GPU code, where it has "
                        "none for the GPU"
            : gap->compiling
                ? "this TensorFlow says at this place when the driver has to compile, and it does "
                  "not: it loads cuDNN and cuBLAS, or other work was done"
            : read_model        ? jw_fmt(f,
                                         "Ollama 0.%u.%u has machine code for the GPU, and the driver "
                                                "compiles nothing: most likely it read the model from the disk",
                                         log->ollama / 100, log->ollama % 100)
            : gap->downloading  ? "the line before it speaks of a download, which may take that long"
            : is_explained(gap) ? jw_fmt(f, "line %llu says what took so long: %s",
                                         (unsigned long long)gap->next, jw_log_quoted(gap->after, f))
            : of_others         ? "the log does not say what it waited for"
                                : "if the program had no other work there, something was compiled or loaded",
        .fix = compiling ? "a pause that is gone at the second start was compiling; on that machine this "
                           "compiles ahead of time, in parallel:"
               : gap->downloading
                   ? "keep the folder of what was downloaded from one start to the next; in a container, "
                     "on a volume"
               : is_explained(gap)
                   ? "start it a second time: what is shorter then was compiling, or reading from disk"
               : read_model ? "start it a second time: a model that is still in memory is read fast. Begun "
                              "beside that start, this shows live whether the driver compiles"
               : of_others
                   ? "begun beside the next start, this shows live whether the driver compiles"
                   : "compare with a second start: a pause that is gone then was compiling, "
                     "or reading from disk. Begun beside that start, this shows live whether the driver "
                     "compiles",
        .command = compiling                               ? "jitwarm prime"
                   : gap->downloading || is_explained(gap) ? NULL
                                                           : "jitwarm doctor --watch=60s");
}

bool jw_log_has_the_pause(const struct jw_log *log, const struct jw_log_complaint *c)
{
    return c && c == says_that_it_compiles(log) && log->gap.seconds > 0 && !log->gap.compiler
           && may_compile(log, &log->gap);
}

void jw_log_say_pauses(const struct jw_log *log, bool all, const char *path, struct jw_findings *f)
{
    double shortest = jw_log_is_about_cuda(log) ? 0 : JW_LOG_LONG - 1;
    const struct jw_log_gap *gap = all && log->gap.seconds > shortest ? &log->gap : NULL,
                            *other = log->other.line != log->gap.line ? &log->other : NULL,
                            *stated = &log->stated;

    if (gap && jw_log_has_the_pause(log, says_that_it_compiles(log)))
        gap = NULL;
    if (stated->compiler
        && ((gap && gap->compiler && strcmp(gap->compiler->name, stated->compiler->name) == 0)
            || (log->other.compiler && strcmp(log->other.compiler->name, stated->compiler->name) == 0)))
        stated = NULL;
    if (stated && stated->seconds > log->gap.seconds)
        show_gap(log, stated, path, f);
    if (gap)
        show_gap(log, gap, path, f);
    if (other && other->seconds > 0)
        show_gap(log, other, path, f);
    if (stated && stated->seconds > 0 && stated->seconds <= log->gap.seconds)
        show_gap(log, stated, path, f);
}
