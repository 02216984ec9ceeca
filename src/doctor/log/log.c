#include "doctor/log/log_lines.h"

#include "base/text.h"
#include "doctor/log/log_place.h"
#include "doctor/log/log_subject.h"

#include <stdio.h>
#include <string.h>

void jw_log_keep(char out[JW_LOG_KEPT], const char *line)
{
    (void)snprintf(out, JW_LOG_KEPT, "%.199s", line);
}

const char *jw_log_behind(const char *line, const char *words)
{
    const char *at = jw_text_find_nocase(line, words);

    return at ? at + strlen(words) : NULL;
}

static void see_python(struct jw_log *log, const char *line)
{
    if (log->python[0] || !jw_log_python_of(line, log->python, sizeof log->python))
        return;
    log->windows |= strchr(log->python, '\\') != NULL;
    log->linux |= !strchr(log->python, '\\');
}

/* "TensorFlow version 2.4.1": a few words, one of which is that. */
static bool says_version(const char *line)
{
    enum { FEW = 5 };
    size_t words = 1;

    for (const char *at = line; *at; at++)
        words += *at == ' ' && at[1] && at[1] != ' ';
    return words <= FEW && jw_text_find_nocase(line, "version");
}

/* "INFO", "[W ...]", "gpu_device.cc:1858]", "Device 0: ...", a whole line "torch==2.1.0": no sentence of prose has them. */
static bool is_printed(const char *line)
{
    static const char *const words[] = {
        ".cc:",          ".cpp:",   ".cu:",      ".py:",       "File \"",     "Traceback (", "INFO",
        "WARN",          "ERROR",   "DEBUG",     "Warning: ",  "Error: ",     "ggml_",       "llama_",
        "system_info: ", "CUDA : ", "pciBusID:", "NVIDIA-SMI", "__version__", "'sm_",        "NVRM: "
    };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (strstr(line, words[i]))
            return true;
    if (jw_text_starts(line, "[") || jw_text_starts(line, "error: ") || strstr(line, "Device 0: ")
        || strstr(line, ">>> "))
        return true;
    return (strstr(line, "==") && !strchr(line, ' ')) || says_version(line);
}

bool jw_log_is_sentence(const char *line)
{
    enum { MANY = 7 };
    size_t words = 0, others = 0;

    for (const char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
        size_t n = strcspn(at, " \t"), letters = 0;

        while (letters < n && (jw_is_letter(at[letters]) || strchr("'-", at[letters])))
            letters++;
        words += letters == n || (letters + 1 == n && strchr(".,;:", at[letters]));
        others += !(letters == n || (letters + 1 == n && strchr(".,;:", at[letters])));
        at += n;
    }
    return words >= MANY && words > 2 * others;
}

/* "It went away. Nobody knows why." has two. */
static uint64_t full_stops(const char *line)
{
    uint64_t n = 0;

    for (const char *at = line; *at; at++)
        n += strchr(".!?", *at) && at > line && jw_is_letter(at[-1]) && (!at[1] || at[1] == ' ');
    return n;
}

static uint64_t words_in(const char *line)
{
    uint64_t n = 0;

    for (const char *at = line; *(at += strspn(at, " \t")); at += strcspn(at, " \t"))
        n++;
    return n;
}

static void see_ending(struct jw_log *log, const char *line)
{
    if (!line[strspn(line, " \t")])
        return;
    jw_log_keep(log->ending, line);
    log->ending_line = log->lines;
}

static void see_line(struct jw_log *log, const char *line)
{
    log->lines++;
    log->printed = log->printed || is_printed(line);
    log->words += words_in(line);
    if (jw_log_is_sentence(line)) {
        log->words_of_sentences += words_in(line);
        log->sentences++;
        log->full_stops += full_stops(line);
    }
    log->names_cuda = log->names_cuda || jw_log_names_cuda(line);
    log->tensorflow = log->tensorflow || strstr(line, "tensorflow/") || strstr(line, "TensorFlow")
                      || strstr(line, "external/local_xla");
    log->tells_compiling = log->tells_compiling || strstr(line, "external/local_");
    log->numba = log->numba || strstr(line, "numba");
    log->pytorch = log->pytorch || strstr(line, "PyTorch") || strstr(line, "torch/") || strstr(line, "torch.")
                   || strstr(line, "TORCH_");
    see_python(log, line);
    see_ending(log, line);
    jw_log_see_pauses(log, line);
    jw_log_see_kernel(log, line);
    line = jw_log_whole_message(log, line);
    jw_log_see_gpus(log, line);
    jw_log_see_software(log, line);
    jw_log_see_errors(log, line);
}

/* Colours of a terminal ("ESC [ 1 ; 31 m"), which some programs write into files, too. */
static void remove_colours(char *line)
{
    char *to = line;

    for (const char *at = line; *at;)
        if (at[0] == '\x1b' && at[1] == '[') {
            at += 2 + strspn(at + 2, "0123456789;?");
            at += *at != '\0';
        } else {
            *to++ = *at++;
        }
    *to = '\0';
}

static void end_log_line(struct jw_log *log)
{
    while (log->n_line && log->line[log->n_line - 1] == '\r')
        log->n_line--;
    log->line[log->n_line] = '\0';
    remove_colours(log->line);
    see_line(log, log->line);
    log->n_line = 0;
}

void jw_log_feed(struct jw_log *log, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n')
            end_log_line(log);
        else if (log->n_line + 1 < sizeof log->line)
            log->line[log->n_line++] = text[i] ? text[i] : ' ';
    }
}

/* "model.bin: No such file or directory", as perror says it: an error where nothing comes after it, and no logger said
 * it. */
static bool is_error_of_system(const char *line)
{
    static const char *const ends[] = { ": No such file or directory", ": Permission denied",
                                        ": command not found", ": No space left on device" };

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(line, ends[i]))
            return true;
    return false;
}

/* A text of whole sentences that speaks of an error is no log of a program that had it. */
static void forget_what_is_spoken_of(struct jw_log *log)
{
    size_t kept = 0;

    if (!jw_log_is_prose(log) || log->full_stops < 2 || 2 * log->full_stops < log->sentences)
        return;
    for (size_t i = 0; i < log->n_complaints; i++)
        if (!log->complaints[i].spoken_of)
            log->complaints[kept++] = log->complaints[i];
    log->n_complaints = kept;
}

void jw_log_end(struct jw_log *log)
{
    struct jw_error_known known;

    if (log->n_line)
        end_log_line(log);
    forget_what_is_spoken_of(log);
    if (!log->exception_line && log->ending_line != log->last_line && is_error_of_system(log->ending)) {
        jw_log_keep(log->exception, log->ending);
        log->exception_line = log->ending_line;
    }
    if (!log->error[0] && jw_log_is_failure(log->ending) && !jw_error_in_log(log->ending, &known)) {
        jw_log_keep(log->error, log->ending);
        log->error_line = log->ending_line;
    }
    if (!log->n_gpus && log->named.sm && !log->names_differ)
        log->gpus[log->n_gpus++] = log->named;
}
