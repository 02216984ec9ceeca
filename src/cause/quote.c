#include "cause/quote.h"

#include "base/command.h"
#include "base/text.h"

#include <string.h>

struct rule {
    const char *unset;                   /* NULL: it is set to nothing */
    const char *before, *equals, *quote; /* without escapes the quote only ends the line */
    const char *const *escapes;          /* characters with a backslash before them; NULL: none */
    const char *never;                   /* characters that this form cannot hold */
    bool bare;                           /* a plain word gets no quotes */
    void (*put)(struct jw_buf *out, const char *value); /* instead of `quote` and `escapes` */
};

/* PowerShell takes U+2018 to U+201B for straight quotes; a doubled one stands for itself. */
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

static const char *const sh[] = {"''\\''", NULL};
static const char *const environment_d[] = {"\\\\\\", "\"\\\"", "`\\`", NULL};

static const struct rule rules[] = {
    [JW_SHELL_SH] = {"unset ", "export ", "=", "'", sh, "", .bare = true},
    [JW_SHELL_POWERSHELL] = {"Remove-Item Env:", "$env:", " = ", NULL, NULL, "",
                             .put = put_powershell},
    /* A blank before & would become part of the value without quotes. */
    [JW_SHELL_CMD] = {NULL, "set \"", "=", "\"", NULL, "\"%\r\n"},
    /* systemd passes these on as \\n and \\t, and turns $$ into $, which a shell expands */
    [JW_ENVIRONMENT_D] = {NULL, "", "=", "\"", environment_d, "\n\r\t$"},
};
JW_ROW_FOR_EACH(rules, JW_SHELLS, 4);

static void put_value(struct jw_buf *out, const struct rule *r, const char *value)
{
    if (r->put) {
        r->put(out, value);
    } else if (!r->escapes || (r->bare && jw_command_is_plain(value, false))) {
        jw_buf_printf(out, "%s%s", value, r->escapes ? "" : r->quote);
    } else {
        jw_buf_text(out, r->quote);
        jw_text_escape(out, value, r->escapes);
        jw_buf_text(out, r->quote);
    }
}

bool jw_env_put(enum jw_shell form, const char *name, const char *value, struct jw_buf *out,
                struct jw_err *err)
{
    const struct rule *r = &rules[form];
    const char *text = value ? value : "";
    const char *bad = strpbrk(text, r->never);

    if (bad) /* of other forms nobody reads why */
        return jw_fail(err, JW_E_USAGE, "%s: environment.d cannot hold a value with %s in it", name,
                       *bad == '\t'  ? "a tab"
                       : *bad == '$' ? "$"
                                     : "a line break");
    if (!value && r->unset) {
        jw_buf_printf(out, "%s%s", r->unset, name);
    } else {
        jw_buf_printf(out, "%s%s%s", r->before, name, r->equals);
        put_value(out, r, text);
    }
    jw_buf_text(out, "\n");
    return jw_buf_ok(out, err);
}
