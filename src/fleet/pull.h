/*
 * Takes what is under this machine's key from a registry or a folder of packs: an import (pack/import/import.h) of the folder, or of each
 * layer once it is downloaded, so nothing of the remote is trusted. A layer whose entries are all in the cache is not downloaded.
 */
#ifndef FLEET_PULL_H
#define FLEET_PULL_H

#include "fleet/remote/remote.h"
#include "pack/import/import.h"

struct jw_pull_options {
    struct jw_remote_options net;
    struct jw_import_options import; /* without `from` */
};

/* JW_E_NET: the remote failed; what came before a failure was imported, and stays. UNFIT: there is nothing under this key. */
bool jw_pull(struct jw_run *run, const struct jw_pull_options *o, struct jw_import_report *out,
             struct jw_err *err) JW_MUST;

/*
 * The same of each `source =` line of jitwarm.conf that is a registry. (Folders are jw_import_own's.) The verb prime takes from them before
 * it compiles, and asked before whether this user may write to the cache. A source that does not answer within five seconds, all of them
 * together, is a note and no error. `*added`: entries. False: interrupted, or an internal error.
 */
bool jw_sources_take(struct jw_run *run, uint64_t *added, struct jw_err *err) JW_MUST;

#endif
