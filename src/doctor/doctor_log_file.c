#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/place/other_caches.h"
#include "doctor/doctor_log.h"
#include "facts/drivers.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 65536 };

struct reading {
    struct jw_log *log;
    bool begun, wide, big_end; /* wide: UTF-16, which PowerShell's > writes */
    char held;                 /* the first byte of half a character */
    bool holds;
};

static void feed_wide(struct reading *r, const char *bytes, size_t n)
{
    char out[CHUNK];
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (!r->holds) {
            r->held = bytes[i];
            r->holds = true;
            continue;
        }
        char low = r->big_end ? bytes[i] : r->held, high = r->big_end ? r->held : bytes[i];

        out[k++] = high == 0 ? low : '?';
        r->holds = false;
    }
    jw_log_feed(r->log, out, k);
}

/* False when it cannot be a text. */
static bool begin_text(struct reading *r, const char *bytes, size_t n, size_t *skip, struct jw_err *err)
{
    *skip = 0;
    if (n >= 2 && ((uint8_t)bytes[0] == 0xff || (uint8_t)bytes[0] == 0xfe)
        && (uint8_t)bytes[1] == ((uint8_t)bytes[0] == 0xff ? 0xfe : 0xff)) {
        r->wide = true;
        r->big_end = (uint8_t)bytes[0] == 0xfe;
        *skip = 2;
        return true;
    }
    const char *zero = memchr(bytes, 0, n);

    return !zero
           || jw_fail(err, JW_E_FORMAT,
                      "not a text file (a zero byte at offset %zu); --log expects the output of a program",
                      (size_t)(zero - bytes));
}

static bool feed(struct reading *r, const char *bytes, size_t n, struct jw_err *err)
{
    size_t skip = 0;

    if (!r->begun && !begin_text(r, bytes, n, &skip, err))
        return false;
    r->begun = true;
    if (r->wide)
        feed_wide(r, bytes + skip, n - skip);
    else
        jw_log_feed(r->log, bytes, n);
    return true;
}

/* `f` NULL: standard input, which has no offsets. */
static bool read_log(struct jw_file *f, const atomic_bool *interrupted, struct reading *r, struct jw_err *err)
{
    char bytes[CHUNK];
    size_t got = sizeof bytes;

    for (uint64_t at = 0; got == sizeof bytes; at += got) {
        if (!jw_not_interrupted(interrupted, err))
            return false;
        if (!f)
            got = fread(bytes, 1, sizeof bytes, stdin);
        else if (!jw_file_read(f, at, bytes, sizeof bytes, &got, err))
            return false;
        if (got && !feed(r, bytes, got, err))
            return false;
    }
    if (!jw_not_interrupted(interrupted, err))
        return false;
    return r->begun
           || jw_fail(err, JW_E_FORMAT,
                      f ? "the log is empty; run the program again and redirect its output to it"
                        : "no input; pipe the log in: program 2>&1 | jitwarm doctor --log -");
}

/* A pipe by name, as a shell's <(program) makes it, is read like standard input: it has no offsets either. */
static bool take_pipe(const char *path, bool *piped, struct jw_err *err)
{
    struct jw_file_info info;

    if (*piped)
        return true;
    if (!jw_file_stat(path, &info, err))
        return false;
    *piped = info.kind == JW_FILE_OTHER;
    return !*piped || freopen(path, "rb", stdin) || jw_fail(err, JW_E_IO, "cannot be opened");
}

bool jw_log_read(const char *path, const atomic_bool *interrupted, struct jw_log *log, struct jw_err *err)
{
    struct reading r = { .log = log };
    bool piped = strcmp(path, "-") == 0, ok;
    struct jw_file f = JW_FILE_CLOSED;

    memset(log, 0, sizeof *log);
    ok = take_pipe(path, &piped, err) && (piped || jw_file_open(&f, path, err))
         && read_log(piped ? NULL : &f, interrupted, &r, err);
    jw_file_close(&f);
    jw_log_end(log);
    return ok || jw_wrap(err, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
}

/* ---- findings ---- */

static const char *quoted(const char *line, struct jw_findings *f)
{
    enum { SHOWN = 120 };
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);
    const char *kept;

    jw_text_clean(&clean, line);
    kept = jw_fmt(f, "%.*s%s", SHOWN, jw_buf_cstr(&clean), strlen(jw_buf_cstr(&clean)) > SHOWN ? "..." : "");
    jw_buf_free(&clean);
    return kept;
}

/* A pause in which another compiler than the driver's is at work: which, and what to keep. */
static void show_other_gap(const struct jw_log_gap *gap, const char *clock, const char *path,
                           struct jw_findings *f)
{
    const struct jw_log_compiler *c = gap->compiler;
    const char *variable = c->variable,
               *folder = c->owner ? jw_other_cache_usual(c->owner, f->a, &variable) : c->folder;

    JW_FINDING(f, .id = "log-gap", .severity = JW_WARNING, .subject = path,
               .evidence = jw_fmt(f, "line %llu: %s", (unsigned long long)gap->said, quoted(gap->saying, f)),
               .text = jw_fmt(f, "the log pauses for %.1f s (%s) after line %llu, where %s compiles",
                              gap->seconds, clock, (unsigned long long)gap->line, c->name),
               .consequence = jw_fmt(f,
                                     "it keeps what it compiles in %s, or where %s says; a start that does "
                                     "not find it there, as in a new container, compiles it again",
                                     folder, variable),
               .fix =
                   jw_fmt(f,
                          "keep that folder from one start to the next: in a container set %s to a folder on "
                          "a volume. jitwarm prime is for the driver's compiler, and does not shorten this "
                          "pause",
                          variable));
}

static void show_gap(const struct jw_log_gap *gap, const char *path, struct jw_findings *f)
{
    struct jw_buf clock = JW_BUF(64);

    jw_text_clock(&clock, gap->seconds + 0.5);
    if (gap->compiler) {
        show_other_gap(gap, jw_buf_cstr(&clock), path, f);
        jw_buf_free(&clock);
        return;
    }
    JW_FINDING(
        f, .id = "log-gap", .severity = JW_WARNING, .subject = path,
        .evidence = jw_fmt(f, "line %llu: %s", (unsigned long long)gap->line, quoted(gap->before, f)),
        .text = jw_fmt(f, "the log pauses for %.1f s (%s) after line %llu", gap->seconds, jw_buf_cstr(&clock),
                       (unsigned long long)gap->line),
        .consequence =
            gap->compiling     ? "here TensorFlow waits while the driver compiles its GPU code, where it has "
                                 "none for the GPU"
            : gap->downloading ? "the line before it speaks of a download, which may take that long"
                               : "if the program had no other work there, something was compiled or loaded",
        .fix = gap->compiling
                   ? "a pause that is gone at the second start was compiling; on that machine this "
                     "compiles ahead of time, on all cores:"
               : gap->downloading
                   ? "keep the folder of what was downloaded from one start to the next; in a container, "
                     "on a volume"
                   : "compare with a second start: a pause that is gone then was compiling, "
                     "or reading from disk",
        .command = gap->compiling ? "jitwarm prime" : NULL);
    jw_buf_free(&clock);
}

/* " of CUDA 11 and cuDNN 8" */
static const char *missing_versions(const struct jw_log *log, struct jw_findings *f)
{
    unsigned cuda = log->cudart / 100, cudnn = log->cudnn / 100;

    if (cuda && cudnn)
        return jw_fmt(f, " of CUDA %u and cuDNN %u", cuda, cudnn);
    if (cuda)
        return jw_fmt(f, " of CUDA %u", cuda);
    return cudnn ? jw_fmt(f, " of cuDNN %u", cudnn) : " that the message names";
}

static void show_missing(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    const char *names = log->missing[0];
    struct jw_release r;
    bool guessed, known = jw_log_software(log, &r, &guessed);

    for (size_t i = 1; i < log->n_missing; i++)
        names = jw_fmt(f, "%s, %s", names, log->missing[i]);
    JW_FINDING(
        f, .id = "log-libs-missing", .severity = JW_PROBLEM, .subject = path, .evidence = quoted(names, f),
        .text = "the program could not load CUDA libraries", .consequence = "TensorFlow then runs on the CPU",
        .fix = jw_fmt(f, "install the libraries%s where the program finds them", missing_versions(log, f)),
        .command = known && !log->dll && log->cudart / 100 >= 12
                       ? JW_COMMAND(f->a, false, "pip", "install",
                                    jw_fmt(f, "tensorflow[and-cuda]==%s%s", r.version, guessed ? ".*" : ""))
                       : "python3 -c \"import tensorflow; print(tensorflow.sysconfig.get_build_info())\"");
}

/* "jitwarm scan" of the table, for the file or the software that this log names. */
static const char *command_of(const struct jw_log *log, const struct jw_log_complaint *c,
                              struct jw_findings *f)
{
    const char *command = c->known.command;
    struct jw_release r;
    bool guessed;

    if (!*command || strcmp(command, "jitwarm scan") != 0)
        return *command ? command : NULL;
    if (c->file[0]) {
        command = JW_COMMAND(f->a, strchr(c->file, '\\') != NULL, "jitwarm", "scan", c->file);
    } else if (jw_log_software(log, &r, &guessed)) {
        command =
            JW_COMMAND(f->a, false, "jitwarm", "scan", jw_fmt(f, "%s==%s", r.name, r.version),
                       log->n_gpus ? "--gpu" : NULL, jw_fmt(f, "sm_%u", log->n_gpus ? log->gpus[0].sm : 0));
    } else if (log->pytorch) {
        command = "python3 -c \"import torch; print(torch.__version__, torch.cuda.get_arch_list())\"";
    }
    return command;
}

/* The row's cause; where the line says a version of CUDA, that one in words. */
static const char *cause_of(const struct jw_log_complaint *c, struct jw_findings *f)
{
    const char *version = jw_fmt(f, "%u.%u", c->cuda / 100, c->cuda % 100), *branch;
    struct jw_driver_version driver;
    struct jw_err unknown;

    if (!c->cuda)
        return *c->known.cause ? c->known.cause : NULL;
    if (jw_text_find_nocase(c->text, "found version"))
        return jw_fmt(f, "the driver serves CUDA up to %s, as the message says", version);
    branch = jw_driver_parse(version, &driver, &unknown) ? jw_driver_branch_text(driver.branch) : NULL;
    return branch
               ? jw_fmt(f, "the image wants CUDA %s, which driver %s and newer ones serve", version, branch)
               : jw_fmt(f, "the image wants CUDA %s", version);
}

/* CUDA's bare "no kernel image", where the software itself says in another line which GPU it has no code for. */
static bool said_better(const struct jw_log *log, const struct jw_log_complaint *c)
{
    enum { NO_BINARY = 209 };

    for (size_t i = 0; c->known.code == NO_BINARY && i < log->n_complaints; i++)
        if (jw_log_says_no_code(&log->complaints[i]))
            return true;
    return false;
}

static void show_complaint(const struct jw_log *log, const struct jw_log_complaint *c, const char *path,
                           struct jw_findings *f)
{
    static const enum jw_severity severities[] = { JW_PROBLEM, JW_WARNING, JW_NOTE };
    const struct jw_error_known *k = &c->known;
    const char *text = quoted(c->text, f);

    JW_FINDING(f, .id = "log-complaint", .severity = severities[k->severity], .subject = path,
               .evidence = c->times > 1
                               ? jw_fmt(f, "line %llu, and %llu more like it: %s",
                                        (unsigned long long)c->line, (unsigned long long)c->times - 1, text)
                               : jw_fmt(f, "line %llu: %s", (unsigned long long)c->line, text),
               .text = k->code ? jw_fmt(f, "%s (%u): %s", k->name, k->code, k->meaning) : k->meaning,
               .consequence = cause_of(c, f), .fix = *k->remedy ? k->remedy : NULL,
               .command = command_of(log, c, f));
}

static const char *numbered(uint64_t number, const char *line, struct jw_findings *f)
{
    return jw_fmt(f, "line %llu: %s", (unsigned long long)number, quoted(line, f));
}

/* Errors that no row of the table explains: the first one, and what the program ended with. */
static void show_unknown_error(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool ends = log->exception_line && log->lines - log->exception_line < JW_LOG_LAST;
    const char *first = log->error[0] ? numbered(log->error_line, log->error, f) : NULL,
               *last = log->exception_line ? numbered(log->exception_line, log->exception, f) : first;

    if (first && log->error_line < log->exception_line)
        last = jw_fmt(f, "%s; the last, %s", first, last);
    JW_FINDING(f, .id = "log-not-understood", .severity = JW_WARNING, .subject = path, .evidence = last,
               .text = log->traceback ? "the log ends within a traceback, before the error itself"
                       : ends         ? "the log ends with an error that jitwarm does not know"
                                      : "the log has an error that jitwarm does not know",
               .fix = log->traceback
                          ? "log the whole output: the last line of a traceback says what happened"
                          : "search for this line in the issues of the program's project; where its "
                            "files are, jitwarm scan shows whether they run on your GPU");
}

static void show_nothing(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool understood = jw_log_understood(log);

    JW_FINDING(f, .id = understood ? "log-quiet" : "log-not-understood",
               .severity = understood ? JW_NOTE : JW_WARNING, .subject = path,
               .text = understood ? jw_fmt(f, "no known error in the log%s (%llu lines read%s)",
                                           log->stamped > 1 ? ", and no pause of 10 s or more" : "",
                                           (unsigned long long)log->lines,
                                           log->stamped > 1 ? "" : ", without timestamps")
                       : jw_log_speaks_of_cuda(log)
                           ? jw_fmt(f,
                                    "this is not what a program printed (%llu line%s read): it speaks of "
                                    "CUDA software, and has no "
                                    "timestamp, message or source line",
                                    (unsigned long long)log->lines, log->lines == 1 ? "" : "s")
                           : jw_fmt(f,
                                    "nothing in this log was understood (%llu line%s read): no GPU, "
                                    "CUDA library, known software or timestamp",
                                    (unsigned long long)log->lines, log->lines == 1 ? "" : "s"),
               .fix = understood && log->stamped > 1
                          ? NULL
                          : "log everything that the program prints from its start, errors included",
               .command = understood ? NULL : "python3 program.py > start.log 2>&1");
}

void jw_doctor_log(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    if (log->gap.seconds > 0)
        show_gap(&log->gap, path, f);
    if (log->other.seconds > 0 && log->other.line != log->gap.line)
        show_gap(&log->other, path, f);
    if (log->n_missing)
        show_missing(log, path, f);
    for (size_t i = 0; i < log->n_complaints; i++)
        if (!said_better(log, &log->complaints[i]))
            show_complaint(log, &log->complaints[i], path, f);
    if ((log->error[0] || log->exception_line) && !log->n_missing && !log->explained_line)
        show_unknown_error(log, path, f);
    else if (!log->gap.seconds && !log->n_missing && !log->n_complaints)
        show_nothing(log, path, f);
}
