/*
 * A machine as it was measured, as far as it decides whether a start compiles: numbers, enums and the few names that a cause shows. No
 * sentence is in it, and nothing that follows from the rest. All zero is a machine of which nothing is known, and no cause holds.
 * jw_session_facts fills it; a look adds the counts at the end (prime/look.h), doctor what a fresh login has.
 */
#ifndef CAUSE_FACTS_H
#define CAUSE_FACTS_H

#include "base/limits.h"
#include "facts/drivers.h" /* JW_BRANCH_TO_COME */
#include "jitwarm/answer.h"
#include "machine/container.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_driver_is {
    JW_DRIVER_UNASKED,    /* nothing speaks against it; no process has loaded it for these facts */
    JW_DRIVER_STARTS,     /* cuInit gave 0 */
    JW_DRIVER_ABSENT,     /* the loader finds no libcuda */
    JW_DRIVER_UNLOADABLE, /* it finds one that cannot be loaded: cut short, or what it needs is missing */
    JW_DRIVER_DIES,       /* it ends or holds up the process that loads it */
    JW_DRIVER_FAILS       /* cuInit gave `driver_error` */
};

/* Can the driver keep anything in the cache's folder? */
enum jw_place_is {
    JW_PLACE_GOOD,
    JW_PLACE_UNSET,    /* neither HOME (Windows: APPDATA) nor CUDA_CACHE_PATH names one */
    JW_PLACE_EMPTY,    /* CUDA_CACHE_PATH is set, and empty */
    JW_PLACE_RELATIVE, /* another folder for each folder in which a program is started */
    JW_PLACE_NOT_FOLDER, /* a file, a device or a link that leads nowhere is in its way, or the kernel's own files are there */
    JW_PLACE_NOT_FILE,  /* a folder is where its index belongs */
    JW_PLACE_READ_ONLY, /* its file system is */
    JW_PLACE_UNWRITABLE /* this user may not */
};

enum jw_place_on { JW_ON_DISK, JW_ON_NETWORK, JW_ON_MEMORY, JW_ON_CONTAINER /* the container's own layer */ };

struct jw_facts {
    /* the asker, and the place */
    bool windows, superuser;
    const char *user;   /* of this process; NULL: unknown */
    const char *home;   /* of a fresh login, where HOME is another or unset; NULL: it is the same */
    const char *caller; /* of sudo; NULL: nobody */
    const char *distro; /* "debian"; NULL: unknown */
    const char *config; /* the user's jitwarm.conf, there or not; never NULL */
    /* what was asked, as another verb needs it, too: "--all" "lib", or "--run" "CMD"; NULL ends it. NULL: nothing */
    const char *const *asked;
    bool asked_paths;        /* there are paths among them */
    const char *asked_cache; /* the DIR of its --cache; NULL: none */
    bool in_container;
    enum jw_container_engine engine;
    bool compute_given; /* NVIDIA_DRIVER_CAPABILITIES asks for the part that computes */

    /* the GPUs */
    size_t gpus;         /* on the bus */
    size_t gpus_shown;   /* by the driver */
    const char *gpu;     /* the name of the first; NULL: none */
    const char *absent;  /* what --gpu names and is not here; NULL: nothing */
    unsigned few_files;  /* that a process may have open: too few for a driver; 0: enough */
    const char *visible; /* CUDA_VISIBLE_DEVICES; NULL: unset */
    const char *order;   /* CUDA_DEVICE_ORDER; the same */
    bool hidden;         /* by that */
    bool job;            /* this is a job of Slurm, which gives GPUs */
    bool nouveau;        /* the kernel drives it with nouveau */
    bool no_nodes;       /* /dev/nvidia* are not there */
    /* may open them, and this user may not; "": root alone may; NULL: the user may */
    const char *nodes_group;
    const char *needs_driver; /* the oldest that drives the GPU, where this one is older; NULL: it is not */
    const char *last_driver;  /* the last branch that drives it, where this one is newer; NULL: it is not */

    /* the driver */
    enum jw_driver_is driver;
    int driver_error;        /* of cuInit */
    const char *loader_says; /* of a library that cannot be loaded: why, with its path; NULL: nothing */
    /* libcuda as the loader finds it; absent: one where the loader does not look. NULL: none */
    const char *library;
    const char *version;        /* of that library */
    const char *kernel_version; /* of the kernel's module */
    const char *library_path;   /* LD_LIBRARY_PATH; NULL: unset */
    const char *put_before;     /* a folder of it that puts this libcuda before the system's; NULL: none */
    bool driver_named;          /* JITWARM_DRIVER names the library */
    /* the library that it compiles with, where that is missing or cut short; else NULL */
    const char *compiler;
    bool probed; /* the level is known, now or from before */
    enum jw_level level;
    const char *probe_failed; /* why it could not be finished; NULL: it was, or nobody wanted it */
    int probe_refused;        /* the driver's error for the probe's module; 0: none */

    /* the cache */
    const char *cache;      /* its folder; NULL: none */
    const char *cache_path; /* CUDA_CACHE_PATH; NULL: unset */
    const char *disable;    /* CUDA_CACHE_DISABLE, where it turns the cache off */
    const char *max_size;   /* CUDA_CACHE_MAXSIZE; NULL: unset */
    uint64_t limit;         /* in force, in bytes; 0 with `limit_known`: nothing is stored */
    bool limit_known;
    uint64_t limit_least; /* that may be recommended: the default of the driver; 0: not known */
    uint64_t cold_bytes;  /* that the entries of all that is cold will take; 0: not known */
    enum jw_place_is place;
    enum jw_place_on on;
    const char *at;        /* the file or folder that `place` is about */
    const char *owner;     /* of the cache, or of what is closed (`at`), where it is another user */
    unsigned long uid;     /* of that user; Linux */
    const char *open;      /* the cache or a folder on the way to it, and which other user may change it */
    const char *open_at;   /* that folder, where it is this user's own */
    const char *elsewhere; /* a folder of this user's own that would do; NULL: none is known */
    const char *mount;     /* the topmost folder of its disk */
    uint64_t free, spare;  /* of that disk; what jitwarm leaves free */
    bool disk_known;
    const char *state;    /* jitwarm's state folder, where it cannot be used, and why */
    bool state_named;     /* by JITWARM_STATE */
    const char *state_at; /* it, or a folder above it, of this user, that others may change */
    bool index_damaged;
    uint64_t entries_gone;    /* of modules that were looked at: the index names it, and there is no file */
    const char *not_file;     /* something else where the entry of one belongs; NULL: nothing */
    uint64_t entries_damaged; /* of the same: files that are no whole entry */

    /* settings of this environment; NULL: unset, or without effect */
    const char *forced;    /* the variable that makes the driver compile */
    const char *forbidden; /* the one that forbids it */

    /* a fresh login (doctor alone) */
    const char *login_name; /* the first variable that differs; NULL: none does, or nobody asked */
    const char *login_value, *here_value; /* NULL: unset there, here */
    bool login_harms;                     /* with it the login's programs compile at every start */

    /* a look at software */
    struct jw_answer answer; /* before it: of its scope what is known */
    /* of the latest entry, where none is of this driver build for a GPU that was asked about */
    const char *other_driver; /* its driver's version, or stamp; NULL: it is of this build */
    uint16_t other_sm;        /* of this build, but for this other architecture; else 0 */
    uint64_t of_others;       /* entries like it; 0: nothing was found */
    const char *busy; /* why a driver finds nothing in the cache, whatever is there; NULL: it can look */
    bool working;     /* another jitwarm works on this cache now; false, too, where nobody asked */
    const char *const *lost_command; /* the words of a recorded command whose code is not there any more */
    const char *lost_root; /* a path that was named and cannot be read, or a command without its program */
    const char *closed;    /* a file or folder that is there, and that this user may not read */
    bool closed_own;       /* it is this user's own */
    const char *roots_damaged; /* why what was named and recorded before is not known */
    const char *roots_at;      /* their folder, where prime cannot read or believe it either */
};

/* Bytes of the cache with all that was asked. */
static inline uint64_t jw_facts_needed(const struct jw_facts *f)
{
    return f->answer.scope.used + f->cold_bytes;
}

#endif
