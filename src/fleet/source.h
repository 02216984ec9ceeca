/*
 * The `source =` lines of jitwarm.conf that are registries. (Folders are jw_import_own's.) The verb prime takes from them what is under
 * this machine's key before it compiles. A source that does not answer within five seconds, all of them together, is a note and no error.
 */
#ifndef FLEET_SOURCE_H
#define FLEET_SOURCE_H

#include "fleet/pull.h"

/* That this user may write to the cache was asked before. `*added`: entries. False: interrupted, or an internal error. */
bool jw_sources_take(struct jw_run *run, uint64_t *added, struct jw_err *err) JW_MUST;

#endif
