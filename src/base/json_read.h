/*
 * Reads JSON through cJSON, which only json_read.c uses: one value of a bounded size, in UTF-8. cJSON nests
 * at most 1,000 deep, takes the first of equal keys, and cuts a text at an escaped NUL or at an invalid \u.
 * A reader that accepts one spelling only (a pack's manifest) writes the value again and compares.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

struct jw_jdoc; /* owns the tree */
struct jw_jval; /* a value in it */

bool jw_jdoc_parse(struct jw_jdoc **doc, struct jw_bytes text, struct jw_err *err) JW_MUST;
void jw_jdoc_free(struct jw_jdoc *doc); /* accepts NULL */
const struct jw_jval *jw_jdoc_root(const struct jw_jdoc *doc);

/* All return NULL or false for NULL and for a value of another type. */
const struct jw_jval *jw_jget(const struct jw_jval *object, const char *key);
const char *jw_jtext(const struct jw_jval *v);
bool jw_jnumber(const struct jw_jval *v, double *out);
bool jw_jnull(const struct jw_jval *v);  /* the value null; false for a missing field */
bool jw_jarray(const struct jw_jval *v); /* true for an empty array, too */
const struct jw_jval *jw_jfirst(const struct jw_jval *array_or_object);
const struct jw_jval *jw_jnext(const struct jw_jval *item);
const char *jw_jkey(const struct jw_jval *item); /* of an object's field */

#endif
