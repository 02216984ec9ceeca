/* Finds what is wrong with a machine from gathered facts. Pure: nothing here reads a file. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "cache/place/cacheplace.h"
#include "cache/place/other_caches.h"
#include "cache/status/status.h"
#include "doctor/finding.h"
#include "driver/probe/probe.h"
#include "machine/container.h"
#include "machine/gpus.h"
#include "machine/shell.h"
#include "machine/whoami.h"
#include "prime/memory/primed.h"
#include "session/blocker.h"
#include "session/login_start.h"
#include "setup/login/login_env.h"
#include "software/find/toolkit.h"

/* The facts. A zero field was not gathered, and is not checked. */
struct jw_doctor_machine {
    bool windows; /* choose the wording for Windows */
    enum jw_shell shell;
    const char *asked; /* $JITWARM_DRIVER; NULL: unset, the system's library was used */
    struct jw_host_gpus host;
    struct jw_container container;
    struct jw_probe_report probe;
    struct jw_whoami who;
    bool no_proc;                         /* Linux: /proc is not mounted */
    bool home_there;                      /* who.home is a folder: a service's account usually has none */
    struct jw_env_set env;                /* of this process: CUDA_* */
    const struct jw_status_report *cache; /* NULL: not looked at */
    const struct jw_primed *primed;       /* the facts of status; NULL: not looked at */
    /* a sentence: why a start finds nothing in the cache; NULL: it finds what is there */
    const char *start_compiles;
    const char *index; /* a sentence about the effect of a damaged index on programs; NULL: it is whole */
    bool over_limit;   /* the cache holds more than the driver keeps there */
    /* this user's own, below or above the cache, but closed by its mode; NULL: nothing is */
    const char *closed;
    bool made_by_root; /* the cache's folder, its index or an entry that cannot be read belongs to root */
    /* then: ~/.nv, which this user can rename without rights of root, and a name for it that is free; NULL: cannot */
    const char *of_root, *aside;
    bool has_sudo;
    /* of the driver's file that is cut off, where the system's database has it; NULL: it is not known */
    const char *package;
    const char *shows;           /* jw_login_gpus.shown: such devices of `probe` are hidden */
    const char *prime_stops;     /* why jitwarm prime would not begin now: a sentence; NULL: it would */
    const char *prime_command;   /* the command that it advises then; NULL: none */
    bool prime_blocked;          /* it is session/blocker.h's answer, which that command mends */
    bool prime_runs;             /* it is that another one works on this cache */
    bool no_room;                /* its disk cannot take all that is to be compiled: prime asks first */
    struct jw_cache_place place; /* path NULL: there is none */
    uint64_t room_elsewhere;     /* jw_cache_room_elsewhere; 0 also for a cache that was named */
    /* the driver's default place, where that is another one on a disk of this machine with room; NULL: it is not */
    const char *home_cache;
    const char *without_path;   /* jw_session_without_path, where CUDA_CACHE_PATH is set; else NULL */
    const char *volume;         /* a folder of this container that outlives it; NULL: none */
    const char *const *volumes; /* all folders of it that do, programs may write there or not */
    size_t n_volumes;
    const char *const *store_pythons; /* Pythons of the Microsoft Store with their own caches */
    size_t n_store_pythons;
    struct jw_login_env login;
    struct jw_login_start login_start; /* how its programs start otherwise */
    struct jw_login_gpus login_gpus;
    struct jw_env_difference *differs; /* between this process and a login */
    size_t n_differs;
    struct jw_toolkit toolkits[JW_TOOLKITS];
    size_t n_toolkits;
};

/* Does the driver show a GPU to programs? */
bool jw_doctor_sees_gpus(const struct jw_doctor_machine *m);

/* The version of the driver's library, or else of its kernel module; NULL: unknown. */
const char *jw_doctor_version(const struct jw_doctor_machine *m);

/* Everything below, the worst first. */
void jw_doctor_check(const struct jw_doctor_machine *m, struct jw_findings *f);

/* The driver library, its start and the result of the probe. */
void jw_doctor_driver(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Compares the versions of driver, GPUs and CUDA. */
void jw_doctor_versions(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Is the cache on, and its limit a valid one? With jw_doctor_cache_fill. */
void jw_doctor_cache_limit(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Is it large enough? By `cache` alone. */
void jw_doctor_cache_fill(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Does it lie in a good place, and is it the user's? */
void jw_doctor_cache_place(const struct jw_doctor_machine *m, struct jw_findings *f);
/* In a container: is it on a volume? Comes after what this shell can mend. */
void jw_doctor_container(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Is its content sound, and what programs need? With jw_doctor_cache_files. */
void jw_doctor_cache_content(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Is anything wrong with its files? By `cache`, `primed` and `who` alone: status says it in the same words. */
void jw_doctor_cache_files(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Has the cache's disk room for `need` bytes more? */
void jw_doctor_room(const struct jw_doctor_machine *m, uint64_t need, struct jw_findings *f);
/* Would jitwarm prime begin? Comes last, so that it does not repeat other findings. */
void jw_doctor_prime(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Is the primed software warm, as status says? Comes after all others, for states that no other finding is
 * about. */
void jw_doctor_primed(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Says why it is not warm. */
const char *jw_doctor_primed_words(const struct jw_doctor_machine *m, struct jw_findings *f);
/* The finding that says why the driver can keep nothing in its cache; NULL: none does. */
struct jw_finding *jw_doctor_not_kept(const struct jw_findings *f);
/* Variables that disable the cache, and processes with other settings. */
void jw_doctor_env(const struct jw_doctor_machine *m, struct jw_findings *f);

/* Finds caches of other compilers that die with this container, if they are used or their compilers are
 * installed (`installed`, one for each). */
void jw_doctor_others(const struct jw_doctor_machine *m, const struct jw_other_cache *caches, size_t n,
                      const bool *installed, struct jw_findings *f);

#endif
