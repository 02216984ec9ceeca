/*
 * Takes what is for machines of this kind from a registry: its layers are downloaded, but those whose entries are all in the
 * cache, and imported as files (pack/import/import.h), one by one, so nothing of the remote is trusted, and one is on the disk.
 */
#ifndef FLEET_PULL_H
#define FLEET_PULL_H

#include "fleet/remote/remote.h"
#include "pack/import/import.h"

/* JW_E_NET: the remote failed; what came before a failure was imported, and stays. UNFIT: there is nothing for this kind. A dry
 * run downloads, too, and adds nothing. */
bool jw_pull(struct jw_run *run, const struct jw_remote_options *net, struct jw_import_options import,
             struct jw_import_report *out, struct jw_err *err) JW_MUST;

/* What prime takes by itself (jw_prime_options.packs): of `packs/` of the user and of the system, and of each `source =` line
 * of jitwarm.conf that is a folder; or of those that are `registries`. One that is silent for five seconds, all of them
 * together, and a pack that cannot be taken, is a note and no error. `*added` grows by the entries. False: interrupted, or a
 * bug. */
bool jw_pull_for_prime(struct jw_run *run, const struct jw_look *look, struct jw_hold *hold, bool registries,
                       uint64_t *added, struct jw_err *err) JW_MUST;

#endif
