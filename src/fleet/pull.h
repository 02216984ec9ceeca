/* Takes the packs for this kind of machine from a registry. Each layer with an entry that the cache
 * lacks is downloaded, imported as a file (pack/import/import.h), and deleted before the next one
 * comes. So nothing of the remote is trusted. */
#pragma once

#include "fleet/remote/remote.h"
#include "pack/import/import.h"

/* Takes what the registry has for this machine. JW_E_NET: the remote failed; what was imported
 * before stays. im->unfit: the registry has nothing for this kind. A dry run downloads, too, and
 * adds nothing. */
bool jw_pull(struct jw_import *im, const struct jw_remote_options *net,
             const struct jw_import_filter *filter, struct jw_err *err) JW_MUST;

/* What prime imports by itself (jw_prime_options.packs): from the packs/ folders of the user and of
 * the system and from folders in `source =` lines of jitwarm.conf; with `registries` instead from
 * the registries in such lines. A registry that is silent (all of them share five seconds) and a
 * pack that cannot be taken are notes, not errors. `*added` grows by the entries. False:
 * interrupted, or a bug. */
bool jw_pull_for_prime(struct jw_run *run, const struct jw_look *look, struct jw_hold *hold,
                       bool registries, uint64_t *added, struct jw_err *err) JW_MUST;
