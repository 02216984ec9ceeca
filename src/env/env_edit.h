/*
 * jitwarm's block in a user's text file, found by its mark: a line that reads jitwarm's files, or a header with lines
 * that set the driver's variables. Adds it at the end, replaces it in place, and removes it again; all other bytes stay
 * the same. Pure.
 */
#ifndef ENV_ENV_EDIT_H
#define ENV_ENV_EDIT_H

#include "base/buf.h"
#include "base/compiler.h"

#define JW_ENV_HEADER "# Written by jitwarm env apply; jitwarm env undo removes it."
#define JW_ENV_TAIL "# jitwarm env" /* ends the line in a profile */

struct jw_env_block {
    size_t from, to; /* to == 0: no block */
    bool joint;      /* jitwarm added a line break before it, as the mark says */
};

struct jw_env_block jw_env_block_find(struct jw_bytes now);

/* `exists`: the file exists, even if empty. `*same`: the block is there already. */
bool jw_env_edit_put(struct jw_bytes now, bool exists, const char *block, struct jw_buf *after, bool *same,
                     struct jw_err *err) JW_MUST;

/* Removes the added line break, too, unless text follows the block. */
bool jw_env_edit_take(struct jw_bytes now, struct jw_env_block b, struct jw_buf *after,
                      struct jw_err *err) JW_MUST;

#endif
