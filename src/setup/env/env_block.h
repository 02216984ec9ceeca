/*
 * jitwarm's block in a text file that a login reads: its lines between two marks. It is added at the end, replaced in
 * place, and removed again; all other bytes stay the same. Pure.
 */
#ifndef SETUP_ENV_ENV_BLOCK_H
#define SETUP_ENV_ENV_BLOCK_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

#define ENV_BLOCK_BEGIN "# >>> jitwarm env >>>"
#define ENV_BLOCK_END "# <<< jitwarm env <<<"

struct env_block {
    size_t from, to;             /* with both marks; to == 0: there is no block */
    size_t lines_from, lines_to; /* between the marks */
    bool joint;                  /* jitwarm added a line break before it, as the mark says */
};

/* False: a block begins, but does not end. */
bool env_block_find(struct jw_bytes text, struct env_block *out, struct jw_err *err) JW_MUST;

/* `lines`: whole lines. `exists`: the file exists, even if empty. */
bool env_block_put(struct jw_bytes text, bool exists, const char *lines, struct jw_buf *after,
                   struct jw_err *err) JW_MUST;

/* Removes the added line break, too, unless text follows the block. */
bool env_block_take(struct jw_bytes text, const struct env_block *b, struct jw_buf *after,
                    struct jw_err *err) JW_MUST;

#endif
