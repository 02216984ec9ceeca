/* Windows paths and UTF-16 as plain text: nothing here asks a system, and it is compiled and tested
 * on each.
 *
 * A Windows name is a row of 16-bit units that need not be valid UTF-16. Lone surrogates become the
 * three bytes that UTF-8 forbids (WTF-8) and come back from them, so that every name of a listing
 * can be opened. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

/* NUL-terminated copy, to be freed with jw_free. */
bool jw_utf16_from(const char *text, uint16_t **out, struct jw_err *err) JW_MUST;

/* Appends up to a NUL. */
void jw_utf16_to(struct jw_buf *out, const uint16_t *text);

/* Returns the form of an absolute path with backslashes that CreateFileW takes: long ones get the
 * prefix that lifts the limit of 260 ("\\?\C:\x", "\\?\UNC\server\share\x"), as do all when
 * `always` is set, which also keeps trailing dots and blanks of names. A path that has a prefix
 * ("\\?\", "\\.\") is left alone. A copy, to be freed with jw_free. */
uint16_t *jw_winpath_long(const uint16_t *absolute, bool always) JW_NEVER_NULL;
