#include "base/text.h"
#include "doctor/log/log_lines.h"
#include "doctor/log/log_subject.h"

#include <string.h>

/* Shorter pauses are normal. */
enum { WORTH_A_WORD = 10 };

/* Many pauses of nearly one length are steps of the program's own work. */
#define STEADY 0.7
/* Two or three are, where their lines differ in numbers alone; what comes before the first step is as long as one then. */
#define STEADY_FEW 0.9

static bool waits_here(const char *line)
{
    return jw_text_find_nocase(line, "Adding visible gpu device")
           || jw_text_find_nocase(line, "Created device /job")
           || jw_text_find_nocase(line, "Created TensorFlow device")
           || jw_text_find_nocase(line, "Creating TensorFlow device")
           || jw_text_find_nocase(line, "TensorFlow was not built with CUDA kernel binaries")
           || jw_text_find_nocase(line, "StreamExecutor device (0)");
}

/* The pause before this line, which has a time. */
static struct jw_log_gap gap_before(const struct jw_log *log, const char *line, double seconds)
{
    const struct jw_log_compiler *ends = jw_log_compiler_ends(line);
    struct jw_log_gap gap = { .seconds = seconds,
                              .line = log->last_line,
                              .next = log->lines,
                              .compiling = waits_here(log->last),
                              .downloading = jw_text_find_nocase(log->last, "downloading") != NULL,
                              .compiler =
                                  ends && (!log->compiler || ends->name == log->compiler->name) ? ends : NULL,
                              .said = log->lines };

    jw_log_keep(gap.before, log->last);
    jw_log_keep(gap.after, line);
    jw_log_keep(gap.saying, gap.compiler ? line : log->saying);
    if (!gap.compiler) {
        gap.compiler = log->compiler;
        gap.said = log->said;
    }
    return gap;
}

/* A compiler that has begun, at whatever line. */
static void see_compiler(struct jw_log *log, const char *line, bool stamped)
{
    const struct jw_log_compiler *begins = jw_log_compiler_begins(line);

    begins = begins || stamped ? begins : jw_log_compiler_ends(line); /* the pause goes on to the next time */
    if (begins) {
        log->compiler = begins;
        log->said = log->lines;
        jw_log_keep(log->saying, line);
    }
}

/* The longest pauses, the longest first. */
static void keep_longest(struct jw_log *log, double seconds)
{
    for (size_t i = 0; i < JW_LOG_PAUSES; i++)
        if (seconds > log->longest[i]) {
            double shorter = log->longest[i];

            log->longest[i] = seconds;
            seconds = shorter;
        }
}

/* "10:00:00 step 1 loss 0.53", "10:00:40 step 2 loss 0.5": other numbers aside they are one line. */
static bool are_steps(const char *line, const char *next)
{
    static const char number[] = "0123456789.,:";

    do {
        line += strspn(line, number);
        next += strspn(next, number);
    } while (*line && *line++ == *next++);
    return !*line && !*next;
}

bool jw_log_is_steady(const struct jw_log *log)
{
    size_t n = 0;
    double first = log->longest[0];

    while (n < JW_LOG_PAUSES && log->longest[n] > 0)
        n++;
    bool alike = n == JW_LOG_PAUSES
                     ? log->longest[n - 1] > STEADY * first
                     : n > 1U + log->begun && !log->unlike && log->longest[n - 1] > STEADY_FEW * first;

    return alike && !log->gap.compiling && !log->gap.compiler && !log->gap.downloading;
}

static void see_pause(struct jw_log *log, const char *line, double seconds)
{
    const struct jw_log_gap gap = gap_before(log, line, seconds);

    if (log->server_ready && !gap.compiler && !gap.compiling && !gap.downloading) {
        log->idle_s = seconds > log->idle_s ? seconds : log->idle_s;
        return;
    }
    bool first = log->longest[0] <= 0, step = are_steps(gap.before, gap.after);

    keep_longest(log, gap.seconds);
    log->unlike |= !first && !step;
    log->begun |= first && !step;
    if (gap.seconds > log->gap.seconds)
        log->gap = gap;
    if (gap.compiler && gap.seconds > log->other.seconds)
        log->other = gap;
}

static void see_server(struct jw_log *log, const char *line)
{
    log->server_ready = (log->server_ready || jw_log_server_is_ready(line)) && !jw_log_server_works(line);
}

/* False: it has no time. */
static bool see_time(struct jw_log *log, const char *line)
{
    unsigned date[2] = { 0 };
    double now;
    bool unix;

    if (!jw_log_time_of(log, line, &now, date, &unix))
        return false;
    log->stamped++;
    if (date[0]) {
        log->year = date[0];
        log->month = date[1];
    }
    if (log->stamp_known && unix == log->stamp_unix && now - log->stamp >= WORTH_A_WORD
        && now - log->stamp < JW_LOG_DAY)
        see_pause(log, line, now - log->stamp);
    log->compiler = NULL;
    log->stamp = now;
    log->stamp_known = true;
    log->stamp_unix = unix;
    jw_log_keep(log->last, line);
    log->last_line = log->lines;
    return true;
}

/* A compiler that says how long it worked, which may have been in parts. */
static void see_stated(struct jw_log *log, const char *line)
{
    const struct jw_log_compiler *ends = jw_log_compiler_ends(line);
    double seconds = ends ? jw_log_stated_seconds(line) : 0;

    if (seconds < WORTH_A_WORD || seconds <= log->stated.seconds)
        return;
    log->stated = (struct jw_log_gap){ .seconds = seconds, .compiler = ends, .said = log->lines };
    jw_log_keep(log->stated.saying, line);
}

/* "llama_perf_context_print:        load time =  412388.44 ms", Ollama's "llama runner started in 162.30 seconds" */
static void see_load(struct jw_log *log, const char *line)
{
    if (strstr(line, "load time =") || strstr(line, "llama runner started in "))
        log->load_s = jw_log_stated_seconds(line);
}

void jw_log_see_pauses(struct jw_log *log, const char *line)
{
    see_compiler(log, line, see_time(log, line));
    see_stated(log, line);
    see_server(log, line);
    see_load(log, line);
}
