/* Help on a word that is no verb: a table of the man page, or what verbs, variables, files and exit codes say of it. */
#ifndef CLI_TOPIC_H
#define CLI_TOPIC_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* False: nothing speaks of it. */
bool jw_topic_page(struct jw_buf *out, struct jw_arena *a, const char *name, size_t width);

/* "jitwarm help exit-codes", "jitwarm help export, import, list"; NULL: no verb speaks of it. */
const char *jw_topic_see(struct jw_arena *a, const char *name);

/* "exit-codes, environment, files, jitwarm.conf" */
void jw_topic_names(struct jw_buf *out);

#endif
