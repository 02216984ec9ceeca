/*
 * Removes what jitwarm stores for this user: its records and the packs of its store. It removes only files with names
 * that jitwarm gives and folders of its own (cache/memory/state_folder), and follows no link. It keeps settings (env
 * apply), startup tasks, keys and jitwarm.conf.
 */
#ifndef SETUP_UNINSTALL_FORGET_H
#define SETUP_UNINSTALL_FORGET_H

#include "jitwarm/run.h"
#include "machine/run.h"
#include "pack/store/store.h"

struct jw_forget_report {
    const struct jw_run *run; /* how it ended; notes: files that were not removed, and why */
    const char *state_dir;
    /* records of drivers and of caches; other records, and temporary folders */
    uint64_t drivers, roots, others;
    uint64_t state_bytes;
    const char *store_dir;
    struct jw_store_cleared store;
};

/* Without `act` it only lists. False only on an internal error. */
bool jw_forget(struct jw_run *run, bool act, struct jw_forget_report *out, struct jw_err *err) JW_MUST;

#endif
