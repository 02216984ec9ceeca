/* JSON through cJSON. What is read is one value of a bounded size, in UTF-8, at most 1,000 deep;
 * the first of equal keys counts, and a text ends at an escaped NUL. cJSON's functions read it:
 * they accept NULL and values of another type. A reader that accepts one spelling only (a pack's
 * manifest) writes the value again and compares. */
#pragma once

#include "base/buf.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <cjson/cJSON.h>

/* Free the result with cJSON_Delete. */
bool jw_json_parse(cJSON **root, struct jw_bytes text, struct jw_err *err) JW_MUST;
/* A field; NULL: it is not there, or is no text. */
const cJSON *jw_json_get(const cJSON *object, const char *key);
const char *jw_json_get_text(const cJSON *object, const char *key);

/* Writes one value: it is built in memory, and appended to `out` with a line break when its
 * outermost object or array is closed; `pretty`: with a line for each field. The rest is zeroed at
 * the start. A value that is too deep or has no room makes `out` bad. */
struct jw_json {
    struct jw_buf *out; /* NULL until the top ends: it is not known yet */
    bool pretty, bad;
    unsigned depth;
    cJSON *root, *at[16]; /* the objects and arrays that are open */
};

/* `key` NULL inside arrays and at the top. */
void jw_json_object(struct jw_json *j, const char *key);
void jw_json_array(struct jw_json *j, const char *key);
void jw_json_close(struct jw_json *j); /* ends the innermost object or array */

/* Bytes that are not UTF-8, and U+007F to U+009F, become U+FFFD; NULL becomes null. */
void jw_json_text(struct jw_json *j, const char *key, const char *value);
void jw_json_number(struct jw_json *j, const char *key, uint64_t value);
/* Three decimals; NaN and infinity become null. */
void jw_json_real(struct jw_json *j, const char *key, double value);
void jw_json_bool(struct jw_json *j, const char *key, bool value);
/* Replaces the text that the outermost object has under `key`. */
void jw_json_replace(struct jw_json *j, const char *key, const char *value);
void jw_json_free(struct jw_json *j); /* of one that was not closed */
