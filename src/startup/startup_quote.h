/*
 * A word as the files take it that start a program: systemd's units, Windows' task definitions. Each has
 * rules of its own. Pure.
 *
 * Neither can hold every byte. jw_startup_sayable is asked first; what it lets through, both can say.
 */
#ifndef STARTUP_STARTUP_QUOTE_H
#define STARTUP_STARTUP_QUOTE_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

/* UTF-8 without control characters? `noun` names it in the sentence: "the path of this program". */
bool jw_startup_sayable(const char *noun, const char *text, struct jw_err *err) JW_MUST;

/* A word of ExecStart=: always in double quotes; a specifier (%) and a variable ($) are doubled. The path of the program,
 * its first word, knows specifiers, but no variables. */
void jw_startup_unit_word(struct jw_buf *out, const char *text, bool program);

/* NAME=VALUE of Environment=, in double quotes: specifiers, but no variables. */
void jw_startup_unit_setting(struct jw_buf *out, const char *name, const char *value);

/* Text of an XML element. */
void jw_startup_xml_text(struct jw_buf *out, const char *text);

#endif
