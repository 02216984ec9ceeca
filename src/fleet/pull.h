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

#endif
