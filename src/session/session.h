/* What one run knows of this machine. A session is made from the command line and the environment,
 * and every verb gets it. Each question is put to the system when it is first needed, and once. The
 * answer lives in the session's arena.
 *
 * A question that failed fails again with the same sentence, without asking. One thread asks; other
 * threads are given answers.
 *
 * A test may set an answer in advance; then the system is not asked. */
#pragma once

#include "cache/place/cache_env.h"
#include "cause/cause.h"
#include "driver/probe/probe.h"
#include "memory/cache_memory.h"
#include "os/machine/env.h"
#include "software/find/discover.h"

struct jw_session {
    struct jw_arena *a;
    /* becomes true after Ctrl-C, and long work then fails with JW_E_INTERRUPTED; may be NULL */
    const atomic_bool *interrupted;

    /* options of the command line, set before the first question; NULL: not given */
    /* the folder of --cache; NULL: the cache that programs with this environment use */
    const char *cache;
    const char *driver;      /* path of libcuda; NULL: the system's, or $JITWARM_DRIVER (Linux) */
    const char *exe;         /* path of jitwarm, for workers; NULL: this program */
    struct jw_texts exclude; /* patterns of scan --exclude */
    bool as_root;            /* root asks, for root's own programs */
    bool absent_gpus;        /* asks about GPUs that are not here; they have a cache of their own */

    /* answers; NULL: not asked yet */
    const char *sysroot;
    struct jw_config *config;
    struct jw_whoami *user;
    struct jw_host_gpus *gpus;
    struct jw_cache_env *cache_env;
    struct jw_cache_memory *memory;
    struct jw_texts excludes; /* `exclude`, and the patterns of jitwarm.conf */
    struct jw_drivers *drivers;
    struct jw_driver_file *driver_file;
    struct jw_compiler_file *compiler;
    struct jw_container *container;
    const struct jw_probe_report *probe;
    const bool *preloads; /* jw_session_preloads */
    struct jw_discovery *software;
    const struct jw_facts *facts; /* jw_session_facts */
    struct jw_err probe_failed;   /* code JW_OK: the probe did not fail */
};

/* Options for starting a worker of this session, which ends when the session is interrupted. */
struct jw_worker_options jw_session_worker(const struct jw_session *s);
struct jw_scan_options jw_session_scan(struct jw_session *s);
/* Prefix of all system files: JITWARM_SYSROOT names a machine that was made for a test (not on
 * Windows); else "". */
const char *jw_session_sysroot(struct jw_session *s);
/* Reads jitwarm.conf. */
const struct jw_config *jw_session_config(struct jw_session *s);
const struct jw_whoami *jw_session_user(struct jw_session *s);
/* The GPUs on the bus, and the version of the kernel driver; libcuda is not loaded. */
const struct jw_host_gpus *jw_session_gpus(struct jw_session *s);
/* The cache's place, and its limit as far as variables set it. */
const struct jw_cache_env *jw_session_cache(struct jw_session *s);
/* What is remembered of this cache (memory/cache_memory.h); `unusable` says also that there is no
 * cache. */
const struct jw_cache_memory *jw_session_memory(struct jw_session *s);
/* Folders with CUDA software, those of jitwarm.conf among them, without excluded ones. */
struct jw_discovery *jw_session_software(struct jw_session *s);
/* Driver builds that were met here, the latest first. */
const struct jw_drivers *jw_session_drivers(struct jw_session *s);
/* The file of the driver library that a program started here would load; it is not loaded. */
const struct jw_driver_file *jw_session_driver_file(struct jw_session *s);
/* The library that this driver compiles with, as files show it. */
const struct jw_compiler_file *jw_session_compiler(struct jw_session *s);
/* Asks a new process of the driver whether a bare cuInit loads its compiler. False: it does not, or
 * cannot be asked. `ctx` is the session, as for jw_witness_begin. driver-fact: F120-preload */
bool jw_session_preloads(void *ctx);
/* Facts about this machine for the causes (cause/facts.h): settings, driver, GPUs, place and limit
 * of the cache. No program is started; what the probe says is in them once this session has asked
 * it. */
const struct jw_facts *jw_session_facts(struct jw_session *s);
const struct jw_container *jw_session_container(struct jw_session *s);
/* Is this process root of a whole machine? Then other users' programs do not use its cache; in a
 * container they do. */
bool jw_session_is_root(struct jw_session *s);
/* What the probe says of the driver, which a worker starts. False as jw_probe. */
bool jw_session_probe(struct jw_session *s, const struct jw_probe_report **out,
                      struct jw_err *err) JW_MUST;
/* The same for a run that compiles for an absent architecture (0: none). `alive` is called during
 * the wait, unless it is NULL. */
bool jw_session_probe_for(struct jw_session *s, uint16_t absent_sm, void (*alive)(void *ctx),
                          void *ctx, const struct jw_probe_report **out,
                          struct jw_err *err) JW_MUST;
