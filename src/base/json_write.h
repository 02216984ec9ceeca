/* Writes JSON into a buffer, with commas, quoting and UTF-8 repair. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_json {
    struct jw_buf *out;
    unsigned depth;
    bool first[32];    /* no comma before the next value at this depth */
    bool pretty;       /* one field per line, two blanks per depth */
    bool is_array[32]; /* an array is open at this depth, not an object */
};

void jw_json_begin(struct jw_json *j, struct jw_buf *out, bool pretty);
/* Adds the final newline. False: the buffer has no room. */
bool jw_json_end(struct jw_json *j, struct jw_err *err) JW_MUST;

void jw_json_object(struct jw_json *j, const char *key); /* key NULL inside arrays and at the top */
void jw_json_array(struct jw_json *j, const char *key);
void jw_json_close(struct jw_json *j); /* ends the innermost object or array */

/* Bytes that are not UTF-8 become U+FFFD; NULL: null. */
void jw_json_text(struct jw_json *j, const char *key, const char *value);
void jw_json_number(struct jw_json *j, const char *key, uint64_t value);
void jw_json_real(struct jw_json *j, const char *key, double value); /* three decimals */
void jw_json_bool(struct jw_json *j, const char *key, bool value);
void jw_json_null(struct jw_json *j, const char *key);

#endif
