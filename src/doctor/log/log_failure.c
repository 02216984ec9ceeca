/* Tells a line that says a failure from one that has such a word in a name, a measure or a count of none. */
#include "base/text.h"
#include "doctor/log/log_lines.h"

#include <string.h>

static const char digits[] = "0123456789";

/* ---- a word, and no part of a name ---- */

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool joins(char c)
{
    return jw_is_name_letter(c) || strchr("-./", c);
}

static const char of_name[] = "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* "CUDA_ERROR_NO_DEVICE", "ERR_DLOPEN_FAILED", "cudaErrorNoDevice": a name that is one, and no setting
 * ("NCCL_ASYNC_ERROR_HANDLING", "IGNORE_ERRORS=1") or "GL_NO_ERROR". */
static bool is_code(const char *line, const char *at)
{
    if (at - line >= 4 && jw_text_starts(at - 4, "cudaError"))
        return true;
    return at > line && at[-1] == '_' && (jw_text_starts(at, "ERROR") || jw_text_starts(at, "FAIL"))
           && at[strspn(at, of_name)] != '=' && !jw_text_starts(at, "ERROR_HANDLING")
           && !(at - line >= 3 && jw_text_starts(at - 3, "NO_"));
}

/* The length of "error", "errors" or "failed" at `at`, where that is a word, or the end of "RuntimeError". 0: it is a part
 * of a name: "error.cu", "test_error.py", "error_rate", "--on-error". */
static size_t word_at(const char *line, const char *at, const char *word)
{
    static const char *const ends[] = { "s", "ed", "ing", "ure", "ures" };
    size_t n = strlen(word), longest = 0;
    char before = at > line ? at[-1] : ' ';

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_starts_nocase(at + n, ends[i]) && strlen(ends[i]) > longest)
            longest = strlen(ends[i]);
    n += longest;
    if (is_code(line, at))
        return n + strspn(at + n, of_name);
    if (joins(before) && !(*at == 'E' && is_lower(before)))
        return 0;
    return jw_is_name_letter(at[n]) || (strchr("-./", at[n]) && at[n] && jw_is_name_letter(at[n + 1])) ? 0
                                                                                                       : n;
}

/* ---- how far a model is off ---- */

/* The end of "0.5", "1e-07", "90.6%", "0.51234px" or "0.5 deg" at `at`; NULL: there is no such number, or more is said of
 * it, as in "3.5 GiB are not there". */
static const char *measure_at(const char *at)
{
    enum { UNIT = 2 };
    size_t whole = strspn(at, digits), part = at[whole] == '.' ? strspn(at + whole + 1, digits) : 0,
           words = 0;
    bool zero = strspn(at, "0") == whole, share;

    if (!whole)
        return NULL;
    at += whole + (part ? part + 1 : 0);
    if (*at == 'e' && at[1] && strchr("+-", at[1])) {
        part += strspn(at + 2, digits);
        at += 2 + strspn(at + 2, digits);
    }
    at += *at == ' ' && at[1] == '%';
    share = *at == '%';
    if (*at == '.' && at[1])
        return NULL;
    for (const char *rest = at; *rest && !strchr(",;)", *rest); rest++)
        words += *rest != ' ' && (rest == at || rest[-1] == ' ');
    return share || (part ? words <= UNIT : zero && !words) ? at : NULL;
}

/* "Minibatch error: 90.6%", "error rate = 0.41", "validation error after 20 iterations: 12" */
static bool is_measure(const char *line, const char *at, const char *behind)
{
    static const char *const statistics[] = { "train",    "training", "validation", "valid",    "val",
                                              "test",     "eval",     "mean",       "average",  "max",
                                              "min",      "total",    "rms",        "relative", "absolute",
                                              "standard", "squared" };
    const char *word = at, *number = behind + strspn(behind, " =:~"), *last = behind + strlen(behind);
    size_t n = 0;

    if (measure_at(number))
        return true;
    if (strchr("=:", *behind) && jw_is_letter(*number)) /* "validation error: it failed in line 12" */
        return false;
    for (unsigned words = 0; words < 2; words++) { /* "rate", "norm" */
        number += *number == ' ';
        number += strspn(number, "abcdefghijklmnopqrstuvwxyz_");
        if (strchr("=:", *number) && *number && measure_at(number + 1 + strspn(number + 1, " ")))
            return true;
    }
    while (word > line && word[-1] == ' ')
        word--;
    while (word > line && jw_is_letter(word[-1]))
        word--, n++;
    while (last > behind && strchr(" .", last[-1]))
        last--;
    if (last == behind || !(jw_is_digit(last[-1]) || last[-1] == '%'))
        return false;
    for (size_t i = 0; i < JW_COUNT(statistics); i++)
        if (strlen(statistics[i]) == n && jw_text_starts_nocase(word, statistics[i]))
            return true;
    return false;
}

/* ---- none of them ---- */

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && jw_text_starts_nocase(at, word);
}

/* "0 errors", "0 with other errors", "no error", "no warnings or errors", "errors=0", "failed: 0": one clause. "no space
 * left on device error" and "without CUDA failed" are no such count. */
static bool counts_none(const char *line, const char *at, const char *behind)
{
    enum { NEAR = 1 };
    const char *clause = at;
    bool failed = behind[-1] == 'd', several = behind[-1] == 's', none = false;
    size_t words = 0; /* since "no" */

    while (clause > line && !strchr(",;:(|", clause[-1]))
        clause--;
    while (clause < at) {
        size_t n = strcspn(clause, " ");

        if (is_word(clause, n, "0") || is_word(clause, n, "zero")
            || (is_word(clause, n, "without") && !failed))
            return true;
        words = is_word(clause, n, "no") ? 0 : words + 1;
        none |= !words;
        clause += n + strspn(clause + n, " ");
    }
    if (none && (several || words <= NEAR))
        return true;
    behind += strspn(behind, " =:\"");
    return *behind == '0' && !jw_is_name_letter(behind[1]) && behind[1] != '.';
}

static bool says(const char *line, const char *word)
{
    for (const char *at = line; (at = jw_text_find_nocase(at, word)); at++) {
        size_t n = word_at(line, at, word);

        if (n && !is_measure(line, at, at + n) && !counts_none(line, at, at + n))
            return true;
    }
    return false;
}

/* ---- lines ---- */

/* A line of what a build tool looked for, or of pytest's list. */
static bool is_of_list(const char *line)
{
    return jw_text_starts(line, "-- ") /* CMake */ || strstr(line, " PASSED") || strstr(line, " XFAIL");
}

bool jw_log_names_error(const char *line)
{
    for (const char *at = line; (at = jw_text_find_nocase(at, "error: ")); at++) {
        size_t n = word_at(line, at, "error");

        if (n && !is_measure(line, at, at + n) && !counts_none(line, at, at + n))
            return true;
    }
    return strstr(line, "ERROR ") || strstr(line, "failed to load model") || strstr(line, "Exception: ");
}

bool jw_log_sounds_failed(const char *line)
{
    static const char *const words[] = { "cannot ", "could not ", "unable to " };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (jw_text_find_nocase(line, words[i]))
            return true;
    return !is_of_list(line) && (says(line, "error") || says(line, "fail") || says(line, "fatal"));
}

/* A program that warns goes on. */
bool jw_log_is_failure(const char *line)
{
    static const char *const goes_on[] = { "warn", "fallback", "falling back", "ignor", "retry" };

    for (size_t i = 0; i < JW_COUNT(goes_on); i++)
        if (jw_text_find_nocase(line, goes_on[i]))
            return false;
    return jw_log_sounds_failed(line);
}
