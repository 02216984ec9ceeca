/*
 * The knowledge that one run has of this machine. A session is made of the command line and the environment, and every verb gets it.
 * Each answer is asked of the system when it is first needed, and once. It lives in the session's arena.
 *
 * A question that failed fails again with the same sentence, without asking. One thread asks; others get answers.
 *
 * A test sets an answer before it is asked for, and then the system is not asked.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/arena.h"
#include "base/compiler.h"
#include "cache/place/cachedir.h"
#include "cause/cause.h"
#include "driver/probe/driver_known.h"
#include "driver/probe/probe.h"
#include "driver/worker/worker.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"
#include "jitwarm/scan.h"
#include "machine/config.h"
#include "machine/container.h"
#include "machine/gpus.h"
#include "machine/whoami.h"
#include "memory/cache_folder.h"
#include "memory/drivers.h"
#include "os/machine/env.h"
#include "software/find/discover.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct jw_session {
    struct jw_arena *a;
    /* true after Ctrl-C: long work polls it and fails with JW_E_INTERRUPTED. Or NULL */
    const atomic_bool *interrupted;

    /* from the command line, set before the first question; NULL: not given */
    /* the folder of --cache; NULL: the cache of programs that start with this environment */
    const char *cache;
    const char *driver;         /* the driver's library; NULL: the system's, or $JITWARM_DRIVER (Linux) */
    const char *exe;            /* jitwarm, for workers; NULL: this program */
    bool probe_again;           /* probe the driver, although its level is remembered */
    const char *const *exclude; /* patterns of --exclude */
    size_t n_exclude;

    /* answers; NULL: not asked yet */
    const char *sysroot;
    struct jw_config *config;
    struct jw_whoami *user;
    struct jw_host_gpus *gpus;
    struct jw_cachedir *dir;
    struct jw_cache_folder *memory;
    const char *const *excludes;
    size_t n_excludes;
    struct jw_drivers *drivers;
    struct jw_driver_file *file; /* the driver's */
    struct jw_compiler_file *compiler;
    struct jw_container *container;
    const struct jw_probe_report *probe;
    struct jw_discovery *software;
    const struct jw_facts *facts; /* of this machine: jw_session_facts */
    struct jw_err probe_failed;   /* code JW_OK: it did not */
};

/* How a worker of this session is started, and what a scan leaves out; both end when the session is interrupted. */
struct jw_worker_options jw_session_worker(const struct jw_session *s);
struct jw_scan_options jw_session_scan(struct jw_session *s);

/* Prefix of the system's files, of a machine that was made for a test (JITWARM_SYSROOT, not on Windows); else "". */
const char *jw_session_sysroot(struct jw_session *s);

/* jitwarm.conf. */
const struct jw_config *jw_session_config(struct jw_session *s);

const struct jw_whoami *jw_session_user(struct jw_session *s);

/* The GPUs that are plugged in, and the kernel driver; the driver itself is not loaded. */
const struct jw_host_gpus *jw_session_gpus(struct jw_session *s);

/* The cache's place, and its limit as far as variables set it. */
const struct jw_cachedir *jw_session_cache(struct jw_session *s);

/* The folder of what is remembered of it (memory/cache_folder.h). Where nothing can be remembered, or there is no cache, `unusable` says
 * why. */
const struct jw_cache_folder *jw_session_memory(struct jw_session *s);

/* What no search looks into: patterns of the command line, then those of jitwarm.conf. */
const char *const *jw_session_excludes(struct jw_session *s, size_t *n);

/* The folders with CUDA software, those of jitwarm.conf among them, without what is excluded. */
struct jw_discovery *jw_session_software(struct jw_session *s);

/* The driver builds that were met here, the last one first. */
const struct jw_drivers *jw_session_drivers(struct jw_session *s);

/* The driver library that a program started here would load: its file, not the driver. */
const struct jw_driver_file *jw_session_driver_file(struct jw_session *s);

/* The library that this driver compiles with, as files show it. */
const struct jw_compiler_file *jw_session_compiler(struct jw_session *s);

/* Numbers and enums about this machine for the causes (cause/cause.h): settings, driver, GPUs, the cache's place and limit. No program
 * is started but the driver's worker, and that only where `ask_driver`. */
bool jw_session_facts(struct jw_session *s, bool ask_driver, const struct jw_facts **out,
                      struct jw_err *err) JW_MUST;

const struct jw_container *jw_session_container(struct jw_session *s);

/* Is this process root of a whole machine? Other users' programs do not use root's cache; in a container they do. */
bool jw_session_is_root(struct jw_session *s);

/* The driver, which a worker starts. False as jw_probe. */
bool jw_session_driver(struct jw_session *s, const struct jw_probe_report **out, struct jw_err *err) JW_MUST;

/* The same for a run that compiles for an architecture which is not here (0: none) and shows that it waits: `alive` may be
 * NULL. */
bool jw_session_driver_for(struct jw_session *s, uint16_t absent_sm, void (*alive)(void *ctx), void *ctx,
                           const struct jw_probe_report **out, struct jw_err *err) JW_MUST;

/* This run changed what jitwarm remembers, or ran what may install software: that is asked again when it is next needed. */
void jw_session_changed(struct jw_session *s);

#endif
