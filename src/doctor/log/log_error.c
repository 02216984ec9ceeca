#include "base/text.h"
#include "doctor/log/log_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder of the Python package that a frame of a traceback is in: File
 * "/usr/lib/.../site-packages/torch/nn/x.py" */
static void see_package(struct jw_log *log, const char *line)
{
    static const char *const folders[] = { "site-packages", "dist-packages" };
    const char *at = strstr(line, "File \""), *end = at ? strchr(at + 6, '"') : NULL;

    if (strstr(line, "Traceback (most recent call last)"))
        log->package[0] = '\0';
    for (size_t i = 0; end && i < JW_COUNT(folders); i++) {
        const char *folder = strstr(at, folders[i]);
        size_t n = folder && folder < end ? (size_t)(folder - at) + strlen(folders[i]) + 1 : 0;

        if (!n || (at[n - 1] != '/' && at[n - 1] != '\\'))
            continue;
        n += strcspn(at + n, "/\\\"");
        if (at[n] != '"' && n - 6 < sizeof log->package) /* a folder, not a module of one file */
            (void)snprintf(log->package, sizeof log->package, "%.*s", (int)(n - 6), at + 6);
    }
}

/* Behind "/data/my models/k 1.ptx" the word is the end of a path with blanks, and names no file. */
static bool ends_a_path(const char *line, const char *word)
{
    const char *before = word;

    while (before > line && before[-1] == ' ')
        before--;
    if (before == word || *word == '/')
        return false;
    while (before > line && before[-1] != ' ')
        if (*--before == '/' || *before == '\\')
            return true;
    return false;
}

/* The first word of a line that is a file's name by its ending, with its folder where that is wanted. "": none. */
static bool named_file(const char *line, const char *const *endings, size_t n_endings, bool absolute,
                       char out[JW_LOG_KEPT])
{
    static const char blanks[] = " \t\"'`()[]<>,;=";

    for (const char *at = line; *at; at += strspn(at, blanks)) {
        size_t n = strcspn(at, blanks), path = n;

        while (path && (at[path - 1] == ':' || at[path - 1] == '.'))
            path--;
        (void)snprintf(out, JW_LOG_KEPT, "%.*s", (int)(path < JW_LOG_KEPT ? path : 0), at);
        for (size_t i = 0; i < n_endings; i++)
            if (strstr(out, endings[i]) && !ends_a_path(line, at)
                && (!absolute || *at == '/' || (at[1] == ':' && at[2] == '\\')))
                return true;
        at += n;
    }
    out[0] = '\0';
    return false;
}

/* The shared library that a line names with its folder: "/opt/app/libx.so.1: no kernel image" */
static void library_of(const char *line, char out[JW_LOG_KEPT])
{
    static const char *const endings[] = { ".so", ".dll", ".pyd" };

    (void)named_file(line, endings, JW_COUNT(endings), true, out);
}

/* "Loading module kernels/k.ptx": of a program that loads its GPU code from files. */
static void see_code(struct jw_log *log, const char *line)
{
    static const char *const endings[] = { ".ptx", ".cubin", ".fatbin" };
    char file[JW_LOG_KEPT];

    if (named_file(line, endings, JW_COUNT(endings), false, file))
        jw_log_keep(log->code, file);
}

/* "libcudnn_ops_infer.so.8: cannot open shared object file" */
static void missing_library(const char *line, char out[64])
{
    const char *end = strstr(line, ": cannot open shared object file"), *at = end;

    while (at && at > line && at[-1] != ' ' && at[-1] != '/')
        at--;
    (void)snprintf(out, 64, "%.*s", at && end - at < 64 ? (int)(end - at) : 0, at ? at : "");
}

/* "(found version 10010)" 1001, "unsatisfied condition: cuda>=12.4" 1204 */
static unsigned cuda_of_message(const char *line)
{
    const char *found = jw_log_behind(line, "(found version "),
               *wanted = jw_log_behind(line, "condition: cuda>=");
    unsigned long v = found ? strtoul(found, NULL, 10) : 0;
    unsigned major, minor;

    if (v >= 1000 && v < 100000)
        return (unsigned)(v / 1000 * 100 + v % 1000 / 10);
    return wanted && jw_log_capability(wanted, &major, &minor) && major < 100 ? major * 100 + minor : 0;
}

/* In the line of an error, or the next: "CUDA out of memory; retrying with batch 8" */
static void see_retry(struct jw_log *log, const char *line)
{
    static const char *const words[] = { "retrying", "will retry", "trying again" };
    bool said = false;

    for (size_t i = 0; i < JW_COUNT(words); i++)
        said = said || jw_text_find_nocase(line, words[i]);
    for (size_t i = 0; said && i < log->n_complaints; i++)
        if (log->lines - log->complaints[i].last <= 1)
            log->complaints[i].tried_again = true;
}

/* "ptxas application ptx input, line 4; error   : Unknown symbol '%r1'" */
static void see_ptxas(struct jw_log *log, const char *line)
{
    const char *at = strstr(line, "ptxas ");

    if (log->ptxas_line || !at || !(strstr(at, "error   :") || strstr(at, "fatal   :")))
        return;
    jw_log_keep(log->ptxas, line);
    log->ptxas_line = log->lines;
}

/* The file or package that the log names with this error: in its line, or before it. */
static void find_file(const struct jw_log *log, const char *line, struct jw_log_complaint *c)
{
    if (c->file[0])
        return;
    library_of(line, c->file);
    if (!c->file[0])
        jw_log_keep(c->file, log->code[0] ? log->code : log->package);
}

/* ptxas names no file; the error of the call, which is printed behind it, does. */
static void give_ptxas_its_file(struct jw_log *log, const struct jw_log_complaint *c)
{
    enum { NEAR = 4 };

    for (size_t i = 0; i < log->n_complaints; i++) {
        struct jw_log_complaint *before = &log->complaints[i];

        if (!before->file[0] && strstr(before->text, "ptxas ") && log->lines - before->last <= NEAR)
            jw_log_keep(before->file, c->file);
    }
}

/* "Ada asked what CUDA error 218 means": an error of the driver in a sentence, and nothing that was printed is quoted. */
static bool is_spoken_of(const char *line, const struct jw_error_known *known)
{
    return known->code && jw_log_is_sentence(line) && !strstr(line, ": ") && !strpbrk(line, "\"`");
}

static void see_complaint(struct jw_log *log, const char *line)
{
    struct jw_error_known known;

    if (!jw_error_in_log(line, &known)) {
        see_ptxas(log, line);
        bool plain = (!log->printed && log->stamped < 2)
                     || (strstr(line, "NVRM: ")
                         && !strstr(line, "Assertion failed")); /* which do no harm, as a rule */

        if (!log->error[0] && !log->traceback
            && (jw_log_names_error(line) || (plain && jw_log_sounds_failed(line)))) {
            jw_log_keep(log->error, line);
            log->error_line = log->lines;
        }
        return;
    }
    if (known.severity == JW_ERROR_PROBLEM)
        log->explained_line = log->lines;
    for (size_t i = 0; i < log->n_complaints; i++)
        if (log->complaints[i].known.meaning == known.meaning) {
            log->complaints[i].times++;
            log->complaints[i].spoken_of &= is_spoken_of(line, &known);
            log->complaints[i].last = log->lines;
            log->complaints[i].tried_again = false;
            find_file(log, line, &log->complaints[i]);
            return;
        }
    if (log->n_complaints == JW_LOG_COMPLAINTS)
        return;
    struct jw_log_complaint *c = &log->complaints[log->n_complaints++];

    c->known = known;
    c->spoken_of = is_spoken_of(line, &known);
    c->cuda = cuda_of_message(line);
    c->line = c->last = log->lines;
    c->times = 1;
    jw_log_keep(c->text, line);
    missing_library(line, c->library);
    find_file(log, line, c);
    give_ptxas_its_file(log, c);
}

/* ">>> torch.cuda.is_available()", and "False" on the next line. */
static void see_availability(struct jw_log *log, const char *line)
{
    if (log->asked_for_gpu && strcmp(line, "False") == 0)
        see_complaint(log, "torch.cuda.is_available(): False");
    log->asked_for_gpu = strstr(line, "cuda.is_available()") != NULL;
}

/* The exception that a line of Python names: "torch.cuda.OutOfMemoryError: ...", behind whatever vLLM writes before it. */
static bool names_exception(const char *line)
{
    static const char *const ends[] = { "Error: ", "Exception: " };

    for (size_t i = 0; i < JW_COUNT(ends); i++) {
        const char *at = strstr(line, ends[i]), *word = at;

        while (word && word > line && (jw_is_name_letter(word[-1]) || word[-1] == '.'))
            word--;
        if (word && word < at && (word == line || word[-1] == ' '))
            return true;
    }
    return false;
}

/* "Killed"; of a script, "start.sh: line 4:  4711 Killed    python serve.py"; of a terminal, "[1]+  Killed   python serve.py". */
bool jw_log_says_killed(const char *line)
{
    const char *word = strstr(line, " Killed "), *script = strstr(line, ": line "), *at = word;

    if (strcmp(line, "Killed") == 0 || jw_text_starts(line, "zsh: killed "))
        return true;
    while (at && at > line && *at == ' ')
        at--;
    return word
           && ((script && script < word && *at >= '0' && *at <= '9')
               || (*line == '[' && (*at == '+' || *at == '-')));
}

/* A shell, Docker or the C++ runtime prints these when a program dies; a logger calls others errors. */
static bool says_it_died(const char *line)
{
    static const char *const words[] = { "Segmentation fault",
                                         "(core dumped)",
                                         "terminate called after",
                                         "Bus error",
                                         "Illegal instruction",
                                         "docker: Error response",
                                         "ERROR ",
                                         "CRITICAL ",
                                         "level=ERROR" };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (strstr(line, words[i]))
            return true;
    return jw_log_says_killed(line) || strcmp(line, "Aborted") == 0 || jw_text_starts(line, "Error: ")
           || jw_text_starts(line, "panic: ");
}

/* Exceptions that end a program, whatever they speak of. A traceback's last line is the first one that is not indented. */
static void see_exception(struct jw_log *log, const char *line)
{
    const char *begins = strstr(line, "Traceback (most recent call last)");

    if (begins) {
        log->traceback = true;
        log->traceback_at = (size_t)(begins - line);
        jw_log_keep(log->exception, line);
        log->exception_line = log->lines;
        return;
    }
    bool ends =
        log->traceback && strlen(line) > log->traceback_at && jw_is_name_letter(line[log->traceback_at]);

    /* An exception is said, and not the lines that follow it. */
    bool dies = !log->traceback && says_it_died(line)
                && (!log->exception_line || log->lines - log->exception_line > JW_LOG_LAST);

    if (!ends && !dies && !names_exception(line))
        return;
    log->traceback = false;
    log->exception_line = strstr(line, "KeyboardInterrupt") ? 0 : log->lines;
    jw_log_keep(log->exception, line);
}

void jw_log_see_errors(struct jw_log *log, const char *line)
{
    if (jw_text_starts(line, "-- ")) /* CMake's: "-- Looking for cudaErrorNoDevice - found" */
        return;
    see_package(log, line);
    see_code(log, line);
    see_exception(log, line);
    see_availability(log, line);
    see_complaint(log, line);
    see_retry(log, line);
}

/* True if the complaint is that of errors.csv for PyTorch, PaddlePaddle and ggml: no code for the GPU. */
bool jw_log_says_no_code(const struct jw_log_complaint *c)
{
    return strstr(c->known.meaning, " holds no code for ") != NULL;
}
