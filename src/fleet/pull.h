/* Takes the packs for this kind of machine from a registry. Each layer with an entry that the cache
 * lacks is downloaded, imported as a file (pack/import/import.h), and deleted before the next one
 * comes. So nothing of the remote is trusted. */
#pragma once

#include "fleet/remote/remote.h"
#include "pack/import/import.h"
#include "prime/prime.h"

/* Takes what the registry has for this machine. JW_E_NET: the remote failed; what was imported
 * before stays. im->unfit: the registry has nothing for this kind. A dry run downloads, too, and
 * adds nothing. */
bool jw_pull(struct jw_import *im, const struct jw_remote_options *net,
             const struct jw_import_filter *filter, struct jw_err *err) JW_MUST;

/* Takes packs for what is cold in a prime that has begun: from the packs/ folders of the user and
 * of the system and from folders in `source =` lines of jitwarm.conf; then, if something still is,
 * from the registries in such lines. A registry that is silent (all of them share five seconds) and
 * a pack that cannot be taken are notes, not errors. False: a bug. */
bool jw_pull_for_prime(struct jw_prime *p, struct jw_err *err) JW_MUST;
