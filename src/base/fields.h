/*
 * Fields of a record that crosses a process or touches a disk: appended to a buffer here, read back by the reader of
 * base/bytes.h. Little-endian. A text is u32 length, its bytes, and a NUL that is not counted.
 */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

void jw_field8(struct jw_buf *out, uint8_t v);
void jw_field16(struct jw_buf *out, uint16_t v);
void jw_field32(struct jw_buf *out, uint32_t v);
void jw_field64(struct jw_buf *out, uint64_t v);
void jw_field_text(struct jw_buf *out, const char *text); /* NULL: ""; past JW_MAX_PATH `out` is bad */

const char *jw_take_text(struct jw_reader *r); /* borrowed; "" once the cursor is bad */
bool jw_take_bool(struct jw_reader *r);        /* 0 or 1, or the cursor is bad */

#endif
