#include "env/env_quote.h"

#include <string.h>

struct rule {
    const char *before, *equals, *after;
    void (*quote)(struct jw_buf *out, const char *value);
    const char *never; /* characters that the form cannot hold */
    const char *reader;
};

static const char plain_signs[] = "_./:+,@%-=";

static bool is_plain(const char *value)
{
    size_t n = 0;

    for (; value[n]; n++) {
        char c = value[n];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!letter && !strchr(plain_signs, c))
            return false;
    }
    return n > 0;
}

/* In `quote`, with the characters of `special` behind `escape`. */
static void put_quoted(struct jw_buf *out, const char *value, const char *quote, const char *special,
                       const char *escape)
{
    jw_buf_text(out, quote);
    for (const char *at = value; *at; at++) {
        if (strchr(special, *at))
            jw_buf_text(out, escape);
        jw_buf_add(out, at, 1);
    }
    jw_buf_text(out, quote);
}

void jw_env_put_word(struct jw_buf *out, const char *value)
{
    if (is_plain(value)) {
        jw_buf_text(out, value);
        return;
    }
    jw_buf_text(out, "'");
    for (const char *at = value; *at; at++) {
        if (*at == '\'')
            jw_buf_text(out, "'\\''");
        else
            jw_buf_add(out, at, 1);
    }
    jw_buf_text(out, "'");
}

/* A line break goes on behind a backslash, and ! calls the history even between quotes. */
static void quote_csh(struct jw_buf *out, const char *value)
{
    if (is_plain(value)) {
        jw_buf_text(out, value);
        return;
    }
    jw_buf_text(out, "'");
    for (const char *at = value; *at; at++) {
        if (*at == '\'')
            jw_buf_text(out, "'\\''");
        else if (*at == '!')
            jw_buf_text(out, "\\!");
        else
            jw_buf_add(out, at, 1);
    }
    jw_buf_text(out, "'");
}

static void quote_fish(struct jw_buf *out, const char *value)
{
    if (is_plain(value))
        jw_buf_text(out, value);
    else
        put_quoted(out, value, "'", "\\'", "\\");
}

/* PowerShell takes typographic quotes (U+2018 to U+201B) for straight ones; doubled, each stands for itself. */
static void quote_powershell(struct jw_buf *out, const char *value)
{
    jw_buf_text(out, "'");
    for (const uint8_t *at = (const uint8_t *)value; *at;) {
        bool curly = at[0] == 0xe2 && at[1] == 0x80 && at[2] >= 0x98 && at[2] <= 0x9b;
        size_t n = curly ? 3 : 1;

        if (curly || *at == '\'')
            jw_buf_add(out, at, n);
        jw_buf_add(out, at, n);
        at += n;
    }
    jw_buf_text(out, "'");
}

/* Between double quotes only % is special to a batch file. */
static void quote_cmd(struct jw_buf *out, const char *value)
{
    put_quoted(out, value, "", "%", "%");
}

static void quote_docker(struct jw_buf *out, const char *value)
{
    put_quoted(out, value, "\"", "\\\"$", "\\");
}

/* The quote is around the name, too; $ means nothing here, but % does. */
static void quote_unit(struct jw_buf *out, const char *value)
{
    for (const uint8_t *at = (const uint8_t *)value; *at; at++) {
        if (*at == '%')
            jw_buf_text(out, "%%");
        else if (*at == '\\' || *at == '"')
            jw_buf_printf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            jw_buf_printf(out, "\\x%02x", (unsigned)*at);
        else
            jw_buf_add(out, at, 1);
    }
}

/* Here $ is always expanded, even after a backslash; only $$ means one. */
static void quote_environment_d(struct jw_buf *out, const char *value)
{
    jw_buf_text(out, "\"");
    for (const char *at = value; *at; at++) {
        if (*at == '$')
            jw_buf_text(out, "$");
        else if (strchr("\\\"`", *at))
            jw_buf_text(out, "\\");
        jw_buf_add(out, at, 1);
    }
    jw_buf_text(out, "\"");
}

static const struct rule rules[] = {
    [JW_ENV_SH] = { "export ", "=", "\n", jw_env_put_word, "", "a shell" },
    [JW_ENV_FISH] = { "set -gx ", " ", "\n", quote_fish, "", "fish" },
    [JW_ENV_POWERSHELL] = { "$env:", " = ", "\n", quote_powershell, "", "PowerShell" },
    [JW_ENV_CMD] = { "set \"", "=", "\"\n", quote_cmd, "\"\n\r", "cmd" },
    [JW_ENV_DOCKER] = { "ENV ", "=", "\n", quote_docker, "\n\r", "a Dockerfile" },
    [JW_ENV_SYSTEMD] = { "Environment=\"", "=", "\"\n", quote_unit, "", "a systemd unit" },
    /* conda copies the value unquoted into the activation scripts of all shells. */
    [JW_ENV_CONDA] = { "conda env config vars set ", "=", "\n", NULL, "'\"`$\\!%\n\r", "conda" },
    [JW_ENV_CSH] = { "setenv ", " ", "\n", quote_csh, "\n\r", "csh" },
    /* systemd hands such characters on as \\n and \\t. */
    [JW_ENV_ENVIRONMENT_D] = { "", "=", "\n", quote_environment_d, "\n\r\t", "environment.d" },
};

static const char *name_of(char c)
{
    switch (c) {
    case '\n':
    case '\r': return "a line break";
    case '\t': return "a tab";
    case '"': return "a double quote";
    case '\'': return "a single quote";
    case '\\': return "a backslash";
    default: return c == '%' ? "%" : c == '$' ? "$" : c == '!' ? "!" : "`";
    }
}

/* Of a word for a shell that holds the whole assignment. */
static void put_conda(struct jw_buf *out, const char *name, const char *value)
{
    bool bare = is_plain(value);

    jw_buf_printf(out, "conda env config vars set %s%s=%s%s\n", bare ? "" : "\"", name, value,
                  bare ? "" : "\"");
}

bool jw_env_put(enum jw_env_form form, const char *name, const char *value, struct jw_buf *out,
                struct jw_err *err)
{
    const struct rule *r = &rules[form];
    size_t at = strcspn(value, r->never);

    if (value[at])
        return jw_fail(err, JW_E_USAGE, "%s: %s cannot hold a value with %s in it", name, r->reader,
                       name_of(value[at]));
    if (form == JW_ENV_CONDA) {
        put_conda(out, name, value);
    } else {
        jw_buf_text(out, r->before);
        jw_buf_text(out, name);
        jw_buf_text(out, r->equals);
        r->quote(out, value);
        jw_buf_text(out, r->after);
    }
    return jw_buf_ok(out, err);
}
