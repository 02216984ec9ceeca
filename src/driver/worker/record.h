/*
 * What the records between us and a child are made of. Little-endian:
 *
 *   u32 length of what follows    u16 kind    body[length - 2]
 *
 * The fields of a body are those of base/fields.h.
 */
#ifndef DRIVER_WORKER_RECORD_H
#define DRIVER_WORKER_RECORD_H

#include "base/buf.h"
#include "base/compiler.h"
#include "os/process/parent.h"

#include <stdbool.h>
#include <stdint.h>

enum { JW_RECORD_PREFIX = 4 };

/* Appends a record's head; what is put behind it is its body until the end, which sets the length. A
 * record over JW_MAX_RECORD makes the buffer bad. */
size_t jw_record_begin(struct jw_buf *out, uint16_t kind);
void jw_record_end(struct jw_buf *out, size_t begin);

/* The length of what follows the first JW_RECORD_PREFIX bytes; false: no record of ours is so long, or so
 * short. */
bool jw_record_length(const uint8_t prefix[JW_RECORD_PREFIX], size_t *n, struct jw_err *err) JW_MUST;

/* In a child: the next record of its parent into `in`, without its length. `*gone`: there is no parent any more. */
bool jw_record_hear(struct jw_parent *parent, struct jw_buf *in, bool *gone, struct jw_err *err) JW_MUST;

#endif
