/*
 * Fields of binary records on disk and between processes: written to a buffer here, read with base/bytes.h.
 * Little-endian. A text is a u32 length, its bytes, and a NUL that does not count.
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
void jw_field_text(struct jw_buf *out,
                   const char *text); /* NULL: ""; longer than JW_MAX_PATH makes `out` bad */

const char *jw_take_text(struct jw_reader *r); /* borrowed; "" if the reader is bad */
bool jw_take_bool(struct jw_reader *r);        /* other values than 0 and 1 make the reader bad */

#endif
