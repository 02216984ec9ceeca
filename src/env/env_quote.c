#include "env/env_quote.h"

#include "base/text.h"

#include <string.h>

struct rule {
    const char *before, *equals, *after;
    const char *quote;
    const char *const *escapes;
    const char *never; /* characters that the form cannot hold */
    const char *reader;
    bool bare;                                          /* a plain word gets no quotes */
    void (*put)(struct jw_buf *out, const char *value); /* instead of `quote` and `escapes` */
};

/* PowerShell takes typographic quotes (U+2018 to U+201B) for straight ones; doubled, each stands for itself. */
static void put_powershell(struct jw_buf *out, const char *value)
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

/* The quote is around the name, too; $ means nothing here, but % does. */
static void put_unit(struct jw_buf *out, const char *value)
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

/* csh: a line break goes on behind a backslash, and ! calls the history even between quotes. */
static const char *const csh[] = { "!\\!", "''\\''", NULL };
static const char *const fish[] = { "\\\\\\", "'\\'", NULL };
static const char *const cmd[] = { "%%%", NULL }; /* the only special character between double quotes */
static const char *const docker[] = { "\\\\\\", "\"\\\"", "$\\$", NULL };
/* Here $ is always expanded, even after a backslash; only $$ means one. */
static const char *const environment_d[] = { "$$$", "\\\\\\", "\"\\\"", "`\\`", NULL };

static const struct rule rules[] = {
    [JW_ENV_SH] = { "export ", "=", "\n", "'", csh + 1, "", "a shell", .bare = true },
    [JW_ENV_FISH] = { "set -gx ", " ", "\n", "'", fish, "", "fish", .bare = true },
    [JW_ENV_POWERSHELL] = { "$env:", " = ", "\n", NULL, NULL, "", "PowerShell", .put = put_powershell },
    [JW_ENV_CMD] = { "set \"", "=", "\"\n", "", cmd, "\"\n\r", "cmd" },
    [JW_ENV_DOCKER] = { "ENV ", "=", "\n", "\"", docker, "\n\r", "a Dockerfile" },
    [JW_ENV_SYSTEMD] = { "Environment=\"", "=", "\"\n", NULL, NULL, "", "a systemd unit", .put = put_unit },
    /* conda copies the value unquoted into the activation scripts of all shells. */
    [JW_ENV_CONDA] = { .never = "'\"`$\\!%\n\r", .reader = "conda" },
    [JW_ENV_CSH] = { "setenv ", " ", "\n", "'", csh, "\n\r", "csh", .bare = true },
    /* systemd hands such characters on as \\n and \\t. */
    [JW_ENV_ENVIRONMENT_D] = { "", "=", "\n", "\"", environment_d, "\n\r\t", "environment.d" },
};

static const char *name_of_character(char c)
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
    bool bare = jw_text_is_word(value, false);

    jw_buf_printf(out, "conda env config vars set %s%s=%s%s\n", bare ? "" : "\"", name, value,
                  bare ? "" : "\"");
}

static void put_value(struct jw_buf *out, const struct rule *r, const char *value)
{
    if (r->put) {
        r->put(out, value);
    } else if (r->bare && jw_text_is_word(value, false)) {
        jw_buf_text(out, value);
    } else {
        jw_buf_text(out, r->quote);
        jw_text_escape(out, value, r->escapes);
        jw_buf_text(out, r->quote);
    }
}

bool jw_env_put(enum jw_env_form form, const char *name, const char *value, struct jw_buf *out,
                struct jw_err *err)
{
    const struct rule *r = &rules[form];
    size_t at = strcspn(value, r->never);

    if (value[at])
        return jw_fail(err, JW_E_USAGE, "%s: %s cannot hold a value with %s in it", name, r->reader,
                       name_of_character(value[at]));
    if (form == JW_ENV_CONDA) {
        put_conda(out, name, value);
    } else {
        jw_buf_printf(out, "%s%s%s", r->before, name, r->equals);
        put_value(out, r, value);
        jw_buf_text(out, r->after);
    }
    return jw_buf_ok(out, err);
}
