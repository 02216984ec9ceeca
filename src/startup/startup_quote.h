/* Quotes words for systemd units and Windows task definitions. Pure. Call jw_startup_sayable first: neither can hold all bytes. */
#ifndef STARTUP_STARTUP_QUOTE_H
#define STARTUP_STARTUP_QUOTE_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

/* Checks for UTF-8 without control characters. `noun` names the text in the error. */
bool jw_startup_sayable(const char *noun, const char *text, struct jw_err *err) JW_MUST;

/* A word of ExecStart=: in double quotes; % and $ are doubled. In the path of the program, the first word,
 * only %. */
void jw_startup_unit_word(struct jw_buf *out, const char *text, bool program);

/* NAME=VALUE of Environment=, in double quotes: specifiers, but no variables. */
void jw_startup_unit_setting(struct jw_buf *out, const char *name, const char *value);

/* Text of an XML element. */
void jw_startup_xml_text(struct jw_buf *out, const char *text);

#endif
