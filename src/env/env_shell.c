#include "env/env_shell.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "machine/list.h"

#include <string.h>

enum { MOST_WORDS = 64, MOST_ASSIGNS = 4096, LONGEST = JW_MAX_VARIABLE };

struct word {
    const char *text;
    size_t assign; /* position of the = behind a name that nothing quotes; 0: none */
    bool exact;
};

struct reader {
    struct jw_bytes in;
    size_t at;
    unsigned line;
    bool (*wants)(const char *name);
    struct jw_arena *a;
    struct jw_env_assigns *out;
    struct jw_err *err;
    struct word words[MOST_WORDS]; /* of one simple command; more of them are dropped */
    size_t n;
    unsigned began; /* the line of the first */
};

static bool is_name(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        bool letter = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return n > 0;
}

static int peek_byte(const struct reader *r, size_t ahead)
{
    return ahead < r->in.n - r->at ? r->in.p[r->at + ahead] : -1;
}

static void step_byte(struct reader *r)
{
    if (r->in.p[r->at] == '\n')
        r->line++;
    r->at++;
}

/* The byte at hand; so that a full buffer is not taken for a lack of memory. */
static void push_byte(const struct reader *r, struct jw_buf *out)
{
    if (out->n < LONGEST)
        jw_buf_add(out, r->in.p + r->at, 1);
}

/* ---- words ---- */

/* In fish a backslash may escape here, in all others it never does. */
static void take_single(struct reader *r, struct jw_buf *out, bool *exact)
{
    for (step_byte(r); r->at < r->in.n && peek_byte(r, 0) != '\''; step_byte(r)) {
        *exact = *exact && peek_byte(r, 0) != '\\';
        push_byte(r, out);
    }
    if (r->at < r->in.n)
        step_byte(r);
}

static void take_double(struct reader *r, struct jw_buf *out, bool *exact)
{
    for (step_byte(r); r->at < r->in.n && peek_byte(r, 0) != '"'; step_byte(r)) {
        int c = peek_byte(r, 0), next = peek_byte(r, 1);

        if (c == '$' || c == '`')
            *exact = false;
        if (c == '\\' && next == '\n') {
            step_byte(r);
            continue;
        }
        if (c == '\\' && next > 0 && strchr("\"\\$`", next))
            step_byte(r);
        push_byte(r, out);
    }
    if (r->at < r->in.n)
        step_byte(r);
}

static bool ends_word(int c)
{
    return c < 0 || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '&' || c == '|'
           || c == '(' || c == ')' || c == '<' || c == '>';
}

static void take_word(struct reader *r, struct jw_buf *out, size_t *assign, bool *exact)
{
    bool quoted = false;

    *assign = 0;
    *exact = true;
    while (!ends_word(peek_byte(r, 0))) {
        int c = peek_byte(r, 0);

        if (c == '\'') {
            quoted = true;
            take_single(r, out, exact);
        } else if (c == '"') {
            quoted = true;
            take_double(r, out, exact);
        } else if (c == '\\' && peek_byte(r, 1) >= 0) {
            step_byte(r);
            if (peek_byte(r, 0) != '\n')
                push_byte(r, out);
            step_byte(r);
        } else {
            if (c == '$' || c == '`' || c == '*' || c == '?'
                || (c == '~' && (out->n == 0 || out->n == *assign + 1)))
                *exact = false;
            if (c == '=' && !quoted && !*assign && !out->bad && is_name((const char *)out->p, out->n))
                *assign = out->n;
            push_byte(r, out);
            step_byte(r);
        }
    }
}

/* What is longer than any variable becomes "": it is none that we know. */
static void keep_word(struct reader *r, struct jw_buf *text, const char **out)
{
    bool lost = text->bad || text->n >= LONGEST;

    *out = jw_arena_text(r->a, (const char *)text->p, lost ? 0 : text->n);
    jw_buf_free(text);
}

static void add_word(struct reader *r)
{
    struct jw_buf text = JW_BUF(LONGEST);
    struct word w = { 0 };

    if (r->n == 0)
        r->began = r->line;
    take_word(r, &text, &w.assign, &w.exact);

    keep_word(r, &text, &w.text);
    if (!*w.text)
        w.assign = 0;
    if (r->n < MOST_WORDS)
        r->words[r->n++] = w;
}

/* ---- commands ---- */

static bool record_assign(struct reader *r, const char *name, const char *value, bool exact)
{
    struct jw_env_assign *slot;

    if (!r->wants(name) || r->out->n >= MOST_ASSIGNS)
        return true;
    slot = jw_list_add(r->a, &r->out->v, &r->out->n, sizeof *slot, MOST_ASSIGNS, r->err);
    if (!slot)
        return false;
    *slot = (struct jw_env_assign){ name, value, r->began, exact };
    return true;
}

static bool add_assignment(struct reader *r, const struct word *w)
{
    const char *name = jw_arena_text(r->a, w->text, w->assign);

    return record_assign(r, name, w->text + w->assign + 1, w->exact);
}

/* set -gx NAME value... of fish; a list is separated by blanks, which is not used here. */
static bool fish_set(struct reader *r, size_t at)
{
    bool erase = false, exported = false;

    for (at++; at < r->n && r->words[at].text[0] == '-'; at++) {
        erase = erase || strcmp(r->words[at].text, "--erase") == 0
                || (r->words[at].text[1] != '-' && strchr(r->words[at].text, 'e'));
        exported = exported || strcmp(r->words[at].text, "--export") == 0
                   || (r->words[at].text[1] != '-' && strchr(r->words[at].text, 'x'));
    }
    if (at >= r->n || !is_name(r->words[at].text, strlen(r->words[at].text)) || (!erase && !exported))
        return true;
    if (erase)
        return record_assign(r, r->words[at].text, NULL, true);
    return at + 1 < r->n ? record_assign(r, r->words[at].text, r->words[at + 1].text, r->words[at + 1].exact)
                         : record_assign(r, r->words[at].text, "", true);
}

static bool setenv_or_unset(struct reader *r, size_t at, bool unset)
{
    if (!unset)
        return at + 1 >= r->n
               || record_assign(r, r->words[at + 1].text, at + 2 < r->n ? r->words[at + 2].text : "",
                                at + 2 >= r->n || r->words[at + 2].exact);
    for (at++; at < r->n; at++)
        if (is_name(r->words[at].text, strlen(r->words[at].text))
            && !record_assign(r, r->words[at].text, NULL, true))
            return false;
    return true;
}

/* What one simple command does to the environment. A plain NAME=value counts, too: an export may follow, or have gone
 * before. */
static bool judge_command(struct reader *r)
{
    static const char *const before[] = {
        "if", "then", "else",    "elif",    "do",  "while", "until", "!",
        "{",  "time", "builtin", "command", "and", "or",    "not",   "begin"
    };
    static const char *const exporting[] = { "export", "declare", "typeset", "readonly", "local" };
    size_t at = 0;

    while (at < r->n && !r->words[at].assign && jw_text_among(r->words[at].text, before, JW_COUNT(before)))
        at++;
    if (at >= r->n)
        return true;
    if (strcmp(r->words[at].text, "set") == 0)
        return fish_set(r, at);
    if (strcmp(r->words[at].text, "setenv") == 0)
        return setenv_or_unset(r, at, false);
    if (strcmp(r->words[at].text, "unset") == 0 || strcmp(r->words[at].text, "unsetenv") == 0)
        return setenv_or_unset(r, at, true);
    if (jw_text_among(r->words[at].text, exporting, JW_COUNT(exporting)))
        at++;
    else
        for (size_t i = at; i < r->n; i++)
            if (!r->words[i].assign)
                return true; /* NAME=value command: for that command alone */
    for (; at < r->n; at++)
        if (r->words[at].assign && !add_assignment(r, &r->words[at]))
            return false;
    return true;
}

static bool end_command(struct reader *r)
{
    bool ok = judge_command(r);

    r->n = 0;
    return ok;
}

bool jw_env_shell_read(struct jw_bytes text, bool (*wants)(const char *name), struct jw_arena *a,
                       struct jw_env_assigns *out, struct jw_err *err)
{
    struct reader *r;
    bool ok = true;

    if (!text.n || memchr(text.p, '\0', text.n))
        return true;
    r = jw_alloc(sizeof *r);
    *r = (struct reader){ .in = text, .line = 1, .wants = wants, .a = a, .out = out, .err = err };
    while (ok && r->at < text.n) {
        int c = peek_byte(r, 0);

        if (c == '#') {
            while (peek_byte(r, 0) >= 0 && peek_byte(r, 0) != '\n')
                step_byte(r);
        } else if (!ends_word(c)) {
            add_word(r);
        } else {
            ok = c == ' ' || c == '\t' || c == '\r' || end_command(r);
            step_byte(r);
        }
    }
    ok = ok && end_command(r);
    jw_free(r);
    return ok;
}

/* ---- units ---- */

/* Words of an Environment= line: quotes around all of one, C's escapes, %% for %. */
static bool unit_word(struct reader *r, size_t end)
{
    struct jw_buf text = JW_BUF(LONGEST);
    int quote = 0;
    bool exact = true;

    for (; r->at < end; r->at++) {
        int c = r->in.p[r->at];

        if (!quote && (c == ' ' || c == '\t' || c == '\r'))
            break;
        if (c == quote) {
            quote = 0;
        } else if (!quote && (c == '"' || c == '\'')) {
            quote = c;
        } else {
            if (c == '%' && r->at + 1 < end && r->in.p[r->at + 1] == '%')
                r->at++;
            else if (c == '%' || c == '\\')
                exact = false;
            if (c == '\\' && r->at + 1 < end && strchr("\\\"'", r->in.p[r->at + 1])) {
                exact = true;
                r->at++;
            }
            push_byte(r, &text);
        }
    }

    const char *whole, *equals;

    keep_word(r, &text, &whole);
    equals = strchr(whole, '=');
    if (!equals || !is_name(whole, (size_t)(equals - whole)))
        return true;

    struct word w = { whole, (size_t)(equals - whole), exact };

    return add_assignment(r, &w);
}

static bool unit_line(struct reader *r, size_t end)
{
    static const char *const keys[] = { "Environment=", "DefaultEnvironment=" };
    struct jw_bytes line = { r->in.p + r->at, end - r->at };
    bool ok = true;

    for (size_t i = 0; i < JW_COUNT(keys); i++) {
        if (!jw_starts(line, keys[i]))
            continue;
        for (r->at += strlen(keys[i]); ok && r->at < end;) {
            while (r->at < end && strchr(" \t\r", r->in.p[r->at]) && r->in.p[r->at])
                r->at++;
            if (r->at < end)
                ok = unit_word(r, end);
        }
        break;
    }
    return ok;
}

bool jw_env_unit_read(struct jw_bytes text, bool (*wants)(const char *name), struct jw_arena *a,
                      struct jw_env_assigns *out, struct jw_err *err)
{
    struct reader *r;
    bool ok = true;

    if (!text.n || memchr(text.p, '\0', text.n))
        return true;
    r = jw_alloc(sizeof *r);
    *r = (struct reader){ .in = text, .line = 1, .wants = wants, .a = a, .out = out, .err = err };
    while (ok && r->at < text.n) {
        const uint8_t *newline = memchr(text.p + r->at, '\n', text.n - r->at);
        size_t end = newline ? (size_t)(newline - text.p) : text.n;

        r->began = r->line++;
        ok = unit_line(r, end);
        r->at = end + 1;
    }
    jw_free(r);
    return ok;
}
