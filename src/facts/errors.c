#include "facts/errors.h"

#include "base/compiler.h"
#include "base/text.h"
#include "facts/rows.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(uint32_t at) { return jw_facts_texts + at; }

static const struct jw_error_row *find_error(unsigned code)
{
    if (!code)
        return NULL;
    for (size_t i = 0; i < jw_facts_errors_n; i++)
        if (jw_facts_errors[i].code == code)
            return &jw_facts_errors[i];
    return NULL;
}

const char *jw_error_name(unsigned code)
{
    const struct jw_error_row *row = find_error(code);

    return row ? text_of(row->name) : NULL;
}

/* The pairs of adjacent characters of a line (5 bits of each, so letter case is ignored). A text
 * without all of its pairs is not searched for: most lines hold no known text. */
struct pairs {
    uint64_t is[16];
};

static unsigned pair_at(const char *text) { return (text[0] & 31U) << 5 | (text[1] & 31U); }

static void note_pairs(const char *line, struct pairs *p)
{
    *p = (struct pairs){{0}};
    if (!line[0])
        return;
    for (; line[1]; line++)
        p->is[pair_at(line) / 64] |= 1ULL << pair_at(line) % 64;
}

static bool ends_part(char c) { return c == '|' || c == '.' || c == 'X'; }

/* Checks up to a wildcard, ".*" or "XX", or to the end of an alternative. */
static bool may_hold(const struct pairs *p, const char *text)
{
    for (; text[0]; text++) {
        if (!text[1] || ends_part(text[0]) || ends_part(text[1]))
            break;
        if (!(p->is[pair_at(text) / 64] >> pair_at(text) % 64 & 1))
            return false;
    }
    return true;
}

/* True if `line` has all parts of `pattern`, up to a "|", divided by ".*" and "XX" (a number). */
static bool line_holds(const char *line, const char *pattern)
{
    char part[128];

    while (*pattern && *pattern != '|') {
        size_t n = 0;

        while (pattern[n] && pattern[n] != '|' && !jw_text_starts(pattern + n, ".*")
               && !jw_text_starts(pattern + n, "XX")) {
            if (n + 1 == sizeof part)
                return false;
            part[n] = pattern[n];
            n++;
        }
        part[n] = '\0';
        line = jw_text_find_nocase(line, part);
        if (!line)
            return false;
        line += n;
        pattern += pattern[n] && pattern[n] != '|' ? n + 2 : n;
    }
    return true;
}

/* One of the alternatives of a pattern, "this|that", is in the line. */
static bool holds_one(const struct pairs *p, const char *line, const char *pattern)
{
    for (const char *each = pattern; each; each = strchr(each, '|') ? strchr(each, '|') + 1 : NULL)
        if (may_hold(p, each) && line_holds(line, each))
            return true;
    return false;
}

/* Is the name in the line, as a whole word? */
static bool has_name(const char *line, const char *name)
{
    size_t n = strlen(name);

    if (!n)
        return false;
    for (const char *at = strstr(line, name); at; at = strstr(at + n, name)) {
        bool begins = at == line || !jw_is_name_letter(at[-1]);

        if (begins && !jw_is_name_letter(at[n]))
            return true;
    }
    return false;
}

/* "CUDA error 222 at", "CUDA failure 804:", "code=222(", "[222] Call to cuLinkAddData" */
static unsigned number_in(const char *line)
{
    static const char *const before[] = {
        "error ", "failure ", "failure: ", "code=", "error code ", "["};

    for (size_t i = 0; i < JW_COUNT(before); i++)
        for (const char *at = line; (at = jw_text_find_nocase(at, before[i]));) {
            at += strlen(before[i]);
            size_t digits = strspn(at, "0123456789");
            bool call = *before[i] != '[' || jw_text_starts(at + digits, "] Call to cu");

            if (digits == 3 && *at != '0' && call && !jw_is_name_letter(at[3]) && at[3] != '.')
                return (unsigned)strtoul(at, NULL, 10);
        }
    return 0;
}

/* Short sentences count only shortly after "cuda" or "error:". */
static bool has_sentence(const char *line, const char *says)
{
    enum { TELLING = 24, BEHIND = 24 };
    const char *at = *says ? jw_text_find_nocase(line, says) : NULL;
    char before[BEHIND + 1] = "";

    if (!at || strlen(says) >= TELLING)
        return at != NULL;
    size_t n = (size_t)(at - line) < BEHIND ? (size_t)(at - line) : BEHIND;

    memcpy(before, at - n, n);
    return jw_text_find_nocase(before, "cuda") || jw_text_find_nocase(before, "error:");
}

static bool is_named(const struct pairs *p, const char *line, uint32_t name)
{
    return may_hold(p, text_of(name)) && has_name(line, text_of(name));
}

static const struct jw_error_row *cuda_error_in(const struct pairs *p, const char *line)
{
    const struct jw_error_row *row = jw_facts_errors;
    const struct jw_error_row *end = row + jw_facts_errors_n;

    for (; row < end; row++)
        if (row->code && (is_named(p, line, row->name) || is_named(p, line, row->also)))
            return row;
    for (row = jw_facts_errors; row < end; row++)
        if (row->code && may_hold(p, text_of(row->says)) && has_sentence(line, text_of(row->says)))
            return row;
    if (!jw_text_find_nocase(line, "cuda") && !strstr(line, "Call to cu"))
        return NULL;
    return find_error(number_in(line));
}

/* The first row without a number whose text is in the line. */
static const struct jw_error_row *text_error_in(const struct pairs *p, const char *line)
{
    for (size_t i = 0; i < jw_facts_errors_n; i++) {
        const struct jw_error_row *row = &jw_facts_errors[i];

        if (!row->code && holds_one(p, line, text_of(row->name)))
            return row;
    }
    return NULL;
}

bool jw_error_in_log(const char *line, struct jw_error_known *out)
{
    struct pairs p;

    note_pairs(line, &p);
    const struct jw_error_row *found = text_error_in(&p, line);

    if (!found)
        found = cuda_error_in(&p, line);
    if (!found)
        return false;
    *out = (struct jw_error_known){.code = found->code,
                                   .meaning = text_of(found->meaning),
                                   .cause = text_of(found->cause),
                                   .remedy = text_of(found->remedy),
                                   .variable = text_of(found->variable),
                                   .value = text_of(found->value),
                                   .command = text_of(found->command),
                                   .severity = (enum jw_error_severity)found->severity};
    return true;
}
