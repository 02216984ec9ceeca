/*
 * A block of ours at the end of somebody's text file: put there, exchanged, and taken out again so that every other byte is as it
 * was. Bytes in, bytes out; no files.
 */
#ifndef ENV_ENV_EDIT_H
#define ENV_ENV_EDIT_H

#include "base/buf.h"
#include "base/compiler.h"

/* A block ends with a line break. `joint`: the text before it had none at its end, and was given one. */

/* `old` (NULL: none) is exchanged for `block` where it stands; where it is not, `block` goes to the end. `*same`: nothing has
 * to be written, for it is there. */
bool jw_env_edit_put(struct jw_bytes now, const char *old, const char *block, struct jw_buf *after,
                     bool *joint, bool *same, struct jw_err *err) JW_MUST;

/* `*found` false: it is not there as it was written, and `after` is `now`. The joint goes with it, unless somebody has written
 * behind it since. */
bool jw_env_edit_take(struct jw_bytes now, const char *block, bool joint, struct jw_buf *after, bool *found,
                      struct jw_err *err) JW_MUST;

#endif
