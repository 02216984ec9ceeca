#include "setup/login/env_file.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

#include <string.h>

struct file {
    const char *origin;
    struct jw_arena *a;
    struct jw_env_set *set;
    struct jw_err *err;
};

static bool is_quote(uint8_t c)
{
    return c == '"' || c == '\'';
}

/* A variable's name has letters, digits and _, and no digit first. */
static size_t name_length(struct jw_bytes b)
{
    size_t n = 0;

    while (n < b.n
           && (b.p[n] == '_' || ((b.p[n] | 0x20) >= 'a' && (b.p[n] | 0x20) <= 'z')
               || (n && b.p[n] >= '0' && b.p[n] <= '9')))
        n++;
    return n;
}

static bool is_plain_text(struct jw_bytes b)
{
    return b.n && !memchr(b.p, '\0', b.n);
}

static struct jw_bytes skip_bytes(struct jw_bytes b, size_t n)
{
    return (struct jw_bytes){ b.p + n, b.n - n };
}

/* The next line, without its end. */
static struct jw_bytes take_line(struct jw_bytes *rest)
{
    const uint8_t *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    struct jw_bytes line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

    *rest = skip_bytes(*rest, line.n + (end != NULL));
    return line;
}

/* ---- sets ---- */

const struct jw_env_value *jw_env_set_find(const struct jw_env_set *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].value && strcmp(s->v[i].name, name) == 0)
            return &s->v[i];
    return NULL;
}

const char *jw_env_set_value(const struct jw_env_set *s, const char *name)
{
    const struct jw_env_value *v = jw_env_set_find(s, name);

    return v ? v->value : NULL;
}

bool jw_env_set_put(struct jw_env_set *s, const char *name, const char *value, const char *origin,
                    struct jw_arena *a, struct jw_err *err)
{
    struct jw_env_value *slot = NULL;

    for (size_t i = 0; i < s->n && !slot; i++)
        if (strcmp(s->v[i].name, name) == 0)
            slot = &s->v[i];
    if (!slot)
        slot = jw_list_add(a, &s->v, &s->n, sizeof *slot, JW_MAX_VARIABLES, err);
    if (!slot)
        return false;
    *slot = (struct jw_env_value){ name, value, origin };
    return true;
}

static bool put_pair(struct file *f, struct jw_bytes name, struct jw_bytes value)
{
    const char *n = jw_arena_text(f->a, (const char *)name.p, name.n);
    const char *v = jw_arena_text(f->a, (const char *)value.p, value.n);

    return jw_env_set_put(f->set, n, v, f->origin, f->a, f->err);
}

/* ---- /etc/environment ---- */

static bool pam_line(struct file *f, struct jw_bytes line)
{
    const uint8_t *comment = line.n ? memchr(line.p, '#', line.n) : NULL;

    if (comment)
        line.n = (size_t)(comment - line.p);
    line = jw_text_trim(line);
    if (jw_starts(line, "export ") || jw_starts(line, "export\t"))
        line = jw_text_trim(skip_bytes(line, 7));

    size_t n = name_length(line);

    if (!n || n == line.n || line.p[n] != '=')
        return true;

    struct jw_bytes name = { line.p, n }, value = skip_bytes(line, n + 1);

    if (value.n && is_quote(value.p[0])) {
        value = skip_bytes(value, 1);
        if (value.n && value.p[value.n - 1] == value.p[-1])
            value.n--;
    }
    if (value.n)
        return put_pair(f, name, value);

    const char *unset = jw_arena_text(f->a, (const char *)name.p, name.n);

    return jw_env_set_put(f->set, unset, NULL, f->origin, f->a, f->err);
}

bool jw_env_file_pam(struct jw_bytes text, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                     struct jw_err *err)
{
    struct file f = { origin, a, s, err };

    if (!is_plain_text(text))
        return true;
    while (text.n)
        if (!pam_line(&f, take_line(&text)))
            return false;
    return true;
}

/* ---- environment.d ---- */

/* One value, unquoted: up to the end of its line, if that is neither quoted nor behind a backslash. */
static void take_value(struct jw_bytes *rest, struct jw_buf *out)
{
    uint8_t quote = 0;
    size_t kept = 0; /* blanks at the end count only when they are quoted */

    while (rest->n) {
        uint8_t c = rest->p[0];

        *rest = skip_bytes(*rest, 1);
        if (!quote && c == '\n')
            break;
        if (c == '\\' && quote != '\'' && rest->n) {
            c = rest->p[0];
            *rest = skip_bytes(*rest, 1);
            if (c == '\n')
                continue;
            if (quote && !strchr("\"\\`$", c))
                jw_buf_text(out, "\\");
        } else if (is_quote(c) && (!quote || quote == c)) {
            quote = quote ? 0 : c;
            kept = out->n;
            continue;
        } else if (!quote && jw_text_blank(c)) {
            jw_buf_add(out, &c, 1);
            continue;
        }
        jw_buf_add(out, &c, 1);
        kept = out->n;
    }
    if (out->n > kept)
        out->n = kept;
}

/* A reference at the start of `b`, with the $ gone: its length, or 0 if it is no reference. */
static size_t expand_reference(const struct jw_env_set *s, struct jw_bytes b, struct jw_buf *out)
{
    bool braced = b.n && b.p[0] == '{';
    size_t n = name_length(skip_bytes(b, braced));
    const uint8_t *end = braced ? memchr(b.p, '}', b.n) : NULL;
    char name[256];

    if (!n || n >= sizeof name || (braced && !end))
        return 0;
    memcpy(name, b.p + braced, n);
    name[n] = '\0';

    const struct jw_env_value *is = jw_env_set_find(s, name);

    if (!braced) {
        jw_buf_text(out, is ? is->value : "");
        return n;
    }

    size_t all = (size_t)(end - b.p) + 1;
    struct jw_bytes rule = { b.p + 1 + n, all - n - 2 };

    if (jw_starts(rule, ":+")) {
        if (is && *is->value)
            jw_buf_add(out, rule.p + 2, rule.n - 2);
    } else if (is && (*is->value || !jw_starts(rule, ":-")))
        jw_buf_text(out, is->value);
    else if (jw_starts(rule, ":-"))
        jw_buf_add(out, rule.p + 2, rule.n - 2);
    return all;
}

static void expand_all(const struct jw_env_set *s, struct jw_bytes b, struct jw_buf *out)
{
    while (b.n) {
        bool two = jw_starts(b, "$$"); /* stand for one */
        size_t n = two ? 1 : b.p[0] == '$' ? expand_reference(s, skip_bytes(b, 1), out) : 0;

        if (two || !n)
            jw_buf_add(out, b.p, 1);
        b = skip_bytes(b, n + 1);
    }
}

/* The name is there, and the text is behind its '='. */
static bool systemd_value(struct file *f, struct jw_bytes name, struct jw_bytes *rest)
{
    struct jw_buf plain = JW_BUF(JW_MAX_VARIABLE), value = JW_BUF(JW_MAX_VARIABLE);

    while (rest->n && (rest->p[0] == ' ' || rest->p[0] == '\t'))
        *rest = skip_bytes(*rest, 1);
    take_value(rest, &plain);
    expand_all(f->set, jw_buf_bytes(&plain), &value);

    bool ok =
        jw_buf_ok(&plain, f->err) && jw_buf_ok(&value, f->err) && put_pair(f, name, jw_buf_bytes(&value));

    jw_buf_free(&plain);
    jw_buf_free(&value);
    return ok;
}

bool jw_env_file_systemd(struct jw_bytes text, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                         struct jw_err *err)
{
    struct file f = { origin, a, s, err };

    if (!is_plain_text(text))
        return true;
    while (text.n) {
        while (text.n && jw_text_blank(text.p[0]))
            text = skip_bytes(text, 1);

        size_t n = name_length(text);

        if (!n || n == text.n || text.p[n] != '=') {
            (void)take_line(&text);
            continue;
        }

        struct jw_bytes name = { text.p, n };

        text = skip_bytes(text, n + 1);
        if (!systemd_value(&f, name, &text))
            return false;
    }
    return true;
}
