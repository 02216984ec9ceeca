/* The lines that minisign's files are made of: comments behind a prefix, base64 of a known length. */
#ifndef PACK_FORMAT_MINISIGN_TEXT_H
#define PACK_FORMAT_MINISIGN_TEXT_H

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#define JW_MINISIGN_UNTRUSTED "untrusted comment: "
#define JW_MINISIGN_TRUSTED "trusted comment: "

struct jw_minisign_lines {
    struct jw_bytes left;
    unsigned line; /* the last one taken */
};

/* What stands behind `prefix` in the next line: borrowed, at most `max` bytes. */
bool jw_minisign_take_comment(struct jw_minisign_lines *in, const char *prefix, size_t max,
                              struct jw_bytes *out, struct jw_err *err) JW_MUST;

/* The next line: the base64 of exactly `n` bytes. */
bool jw_minisign_take_base64(struct jw_minisign_lines *in, uint8_t *out, size_t n,
                             struct jw_err *err) JW_MUST;

bool jw_minisign_take_end(const struct jw_minisign_lines *in, struct jw_err *err) JW_MUST;

/* Whether a comment can be written: one line of at most `max` bytes. */
bool jw_minisign_check_comment(const char *comment, size_t max, struct jw_err *err) JW_MUST;

#endif
