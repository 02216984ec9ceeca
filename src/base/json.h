/*
 * JSON through cJSON. What is read is one value of a bounded size, in UTF-8, at most 1,000 deep; the first of equal keys counts, and a
 * text ends at an escaped NUL. cJSON's functions look into it: they take NULL and values of another type. A reader that accepts one
 * spelling only (a pack's manifest) writes the value again and compares.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

bool jw_json_parse(cJSON **root, struct jw_bytes text,
                   struct jw_err *err) JW_MUST; /* free it with cJSON_Delete */
/* A field; NULL: it is not there, or is no text. */
const cJSON *jw_json_get(const cJSON *object, const char *key);
const char *jw_json_get_text(const cJSON *object, const char *key);

/* Writes one value: a tree, which is printed behind what is in `out` when its top ends, with a line break, `pretty` with a line for each
 * field; the rest is zeroed at the start. What is deeper than it can be, or has no room, makes `out` bad. */
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

/* What is not UTF-8, and control characters beyond ASCII's first, become U+FFFD; NULL: null. */
void jw_json_text(struct jw_json *j, const char *key, const char *value);
void jw_json_number(struct jw_json *j, const char *key, uint64_t value);
void jw_json_real(struct jw_json *j, const char *key,
                  double value); /* three decimals; NaN and infinity: null */
void jw_json_bool(struct jw_json *j, const char *key, bool value);
/* In place of the text that the top has under `key`. */
void jw_json_replace(struct jw_json *j, const char *key, const char *value);
void jw_json_free(struct jw_json *j); /* of one whose top has not ended */

#endif
