#include "startup/startup_quote.h"

#include "base/text.h"

#include <string.h>

bool jw_startup_sayable(const char *noun, const char *text, struct jw_err *err)
{
    bool plain = jw_utf8_valid((struct jw_bytes){ (const uint8_t *)text, strlen(text) });

    for (const char *at = text; *at; at++)
        plain &= (unsigned char)*at >= 0x20 && *at != 0x7f;
    if (plain)
        return true;

    struct jw_buf shown = JW_BUF(4096);

    jw_text_clean(&shown, text);
    (void)jw_fail(err, JW_E_USAGE,
                  "%s, %.200s, holds a control character or bytes that are not UTF-8, which a file that "
                  "starts programs cannot say; give it another name",
                  noun, jw_buf_cstr(&shown));
    jw_buf_free(&shown);
    return false;
}

static void unit_char(struct jw_buf *out, char c, bool variables)
{
    switch (c) {
    case '"': jw_buf_text(out, "\\\""); break;
    case '\\': jw_buf_text(out, "\\\\"); break;
    case '%': jw_buf_text(out, "%%"); break;
    case '$': jw_buf_text(out, variables ? "$$" : "$"); break;
    default: jw_buf_add(out, &c, 1);
    }
}

static void unit_text(struct jw_buf *out, const char *text, bool variables)
{
    for (; *text; text++)
        unit_char(out, *text, variables);
}

void jw_startup_unit_word(struct jw_buf *out, const char *text, bool program)
{
    jw_buf_text(out, "\"");
    unit_text(out, text, !program);
    jw_buf_text(out, "\"");
}

void jw_startup_unit_setting(struct jw_buf *out, const char *name, const char *value)
{
    jw_buf_text(out, "\"");
    unit_text(out, name, false);
    jw_buf_text(out, "=");
    unit_text(out, value, false);
    jw_buf_text(out, "\"");
}

void jw_startup_xml_text(struct jw_buf *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': jw_buf_text(out, "&amp;"); break;
        case '<': jw_buf_text(out, "&lt;"); break;
        case '>': jw_buf_text(out, "&gt;"); break;
        case '"': jw_buf_text(out, "&quot;"); break;
        default: jw_buf_add(out, text, 1);
        }
}
