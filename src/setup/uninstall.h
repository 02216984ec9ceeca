/* Removes what jitwarm has set up and remembers for this user, and for root what is set up for the whole machine: the file of env, the
 * startup task, the state folder; on request the user's packs. Everything else stays: the driver's cache, jitwarm.conf, keys, packs
 * elsewhere, and the program. */
#ifndef SETUP_UNINSTALL_H
#define SETUP_UNINSTALL_H

#include "jitwarm/run.h"
#include "setup/step.h"

struct jw_uninstall_options {
    bool packs; /* also those in the user's folder of packs */
    bool dry_run;
};

struct jw_uninstall_report {
    /* NOTHING: there was nothing; PARTLY: notes say what stayed; BUSY: a jitwarm works on a cache */
    const struct jw_run *run;
    struct jw_step_list steps;
};

bool jw_uninstall(struct jw_run *run, const struct jw_uninstall_options *o, struct jw_uninstall_report *out,
                  struct jw_err *err) JW_MUST;

#endif
