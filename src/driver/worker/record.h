/*
 * What the records between us and a child are made of. Little-endian:
 *
 *   u32 length of what follows    u16 kind    body[length - 2]
 *
 *   text     u32 length   bytes   0
 */
#ifndef DRIVER_WORKER_RECORD_H
#define DRIVER_WORKER_RECORD_H

#include "base/buf.h"
#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

enum { JW_RECORD_PREFIX = 4 };

/* Appends a record's head; what is put behind it is its body until the end, which sets the length. A
 * record over JW_MAX_RECORD makes the buffer bad. */
size_t jw_record_begin(struct jw_buf *out, uint16_t kind);
void jw_record_end(struct jw_buf *out, size_t begin);

void jw_record_put_bool(struct jw_buf *out, bool v);
void jw_record_put16(struct jw_buf *out, uint16_t v);
void jw_record_put32(struct jw_buf *out, uint32_t v);
void jw_record_put64(struct jw_buf *out, uint64_t v);
void jw_record_put_text(struct jw_buf *out, const char *text); /* over JW_MAX_PATH bytes: the buffer is bad */

/* The length of what follows the first JW_RECORD_PREFIX bytes; false: no record of ours is so long, or so
 * short. */
bool jw_record_length(const uint8_t prefix[JW_RECORD_PREFIX], size_t *n, struct jw_err *err) JW_MUST;

/* What is no such field makes the reader bad. A text is borrowed from the record. */
bool jw_record_bool(struct jw_reader *r);
const char *jw_record_text(struct jw_reader *r);

#endif
