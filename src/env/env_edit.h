/*
 * A block of ours in somebody's text file, found by its mark: the line that has others read our files, or our header and the lines
 * below it that set the driver's variables. Put at the end, exchanged where it stands, and taken out again so that every other byte
 * is as it was. Bytes in, bytes out; no files.
 */
#ifndef ENV_ENV_EDIT_H
#define ENV_ENV_EDIT_H

#include "base/buf.h"
#include "base/compiler.h"

#define JW_ENV_HEADER "# Written by jitwarm env apply; jitwarm env undo removes it."
#define JW_ENV_TAIL "# jitwarm env" /* ends the line in a profile */

struct jw_env_block {
    size_t from, to; /* to == 0: there is none */
    bool joint;      /* a line break was put before it, and the mark says so */
};

struct jw_env_block jw_env_block_find(struct jw_bytes now);

/* `exists`: `now` is a file that is there, be it empty. `*same`: nothing has to be written, for it is there. */
bool jw_env_edit_put(struct jw_bytes now, bool exists, const char *block, struct jw_buf *after, bool *same,
                     struct jw_err *err) JW_MUST;

/* The line break before it goes, too, unless somebody has written behind it since. */
bool jw_env_edit_take(struct jw_bytes now, struct jw_env_block b, struct jw_buf *after,
                      struct jw_err *err) JW_MUST;

#endif
