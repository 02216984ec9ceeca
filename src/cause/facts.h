/*
 * A machine as it was measured, as far as that decides whether a start compiles. Most facts are numbers, enums and names that a cause shows;
 * state_unusable, open_to_others, cache_refusal, loader_says, probe_failed and roots_damaged are clauses that are shown as they are.
 * All zero: nothing is known, and no cause holds. jw_session_facts fills it, with the driver in its scope, which a look takes; a look adds
 * GPUs, cache and counts, doctor what a fresh login has.
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
    JW_DRIVER_UNASKED,    /* its files are whole, and no process has loaded it for these facts */
    JW_DRIVER_STARTS,     /* cuInit returned 0 */
    JW_DRIVER_ABSENT,     /* the loader finds no libcuda */
    JW_DRIVER_UNLOADABLE, /* libcuda is cut short, or a library that it needs is missing */
    JW_DRIVER_DIES,       /* the process that loads it crashes or hangs */
    JW_DRIVER_FAILS       /* cuInit returned `driver_error` */
};

/* Can the driver keep anything in the cache's folder? */
enum jw_place_is {
    JW_PLACE_GOOD,
    JW_PLACE_UNSET,    /* neither HOME (Windows: APPDATA) nor CUDA_CACHE_PATH names a folder */
    JW_PLACE_EMPTY,    /* CUDA_CACHE_PATH is set, and empty */
    JW_PLACE_RELATIVE, /* the path is relative: it depends on the program's working folder */
    JW_PLACE_NOT_FOLDER, /* a file, a device or a dead link is in the way, or it is a file system of the kernel */
    JW_PLACE_NOT_FILE,  /* a folder, a pipe or a device is in the place of the cache's index */
    JW_PLACE_READ_ONLY, /* the file system is read-only */
    JW_PLACE_UNWRITABLE /* this user may not write there */
};

enum jw_place_on { JW_ON_DISK, JW_ON_NETWORK, JW_ON_MEMORY, JW_ON_CONTAINER /* the container's own layer */ };

struct jw_facts {
    /* who asks, and where */
    bool windows, superuser;
    const char *user; /* who runs jitwarm; NULL: unknown */
    const char *home; /* the user's home, where HOME names another folder or is unset; NULL: HOME is right */
    const char *caller; /* who called sudo; NULL: nobody */
    const char *distro; /* "debian"; NULL: unknown */
    const char *config; /* path of the user's jitwarm.conf, which may not exist; never NULL */
    /* The arguments that a remedy repeats: "--all" "lib", or "--run" "CMD"; a NULL ends them. NULL: there are none. */
    const char *const *asked;
    bool asked_paths;        /* `asked` has paths */
    const char *asked_cache; /* the DIR of --cache; NULL: none */
    bool in_container;
    enum jw_container_engine engine;
    bool compute_given; /* NVIDIA_DRIVER_CAPABILITIES has compute or all */

    /* the GPUs */
    size_t gpus;              /* on the bus */
    size_t gpus_shown;        /* that the driver lists */
    const char *gpu;          /* name of the first GPU; NULL: none */
    const char *gpu_not_here; /* what --gpu names, if this machine does not have it; else NULL */
    unsigned few_files;       /* the limit on open files, if it is too low for the driver; else 0 */
    const char *visible;      /* CUDA_VISIBLE_DEVICES; NULL: unset */
    const char *order;        /* CUDA_DEVICE_ORDER; NULL: unset */
    bool hidden;              /* CUDA_VISIBLE_DEVICES hides all GPUs */
    bool job;                 /* this is a job of Slurm, which hands out GPUs */
    bool nouveau;             /* the kernel drives a GPU with nouveau */
    bool no_nodes;            /* there are no /dev/nvidia* */
    const char *nodes_group;  /* group that may open them, if this user may not ("": root alone); else NULL */
    const char *needs_driver; /* the oldest branch that drives the GPU, if this driver is older; else NULL */
    const char *last_driver;  /* the last branch that drives the GPU, if this driver is newer; else NULL */

    /* the driver */
    enum jw_driver_is driver;
    int driver_error;           /* result of cuInit */
    const char *loader_says;    /* why the library cannot be loaded, with its path; NULL: nothing is known */
    const char *kernel_version; /* version of the kernel module */
    const char *library_path;   /* LD_LIBRARY_PATH; NULL: unset */
    const char *put_before;     /* its folder that hides the system's libcuda; NULL: none does */
    bool driver_named;          /* --driver or JITWARM_DRIVER names the library */
    const char *compiler_missing; /* the driver's compiler library, if missing or cut short; else NULL */
    bool probed;                  /* the level is known, now or from an earlier run */
    const char *probe_failed;     /* why the probe could not finish; NULL: it did, or nobody asked */
    int probe_refused;            /* the driver's error for the probe's module; 0: none */

    /* the cache */
    const char *cache;      /* its folder; NULL: none */
    const char *cache_path; /* CUDA_CACHE_PATH; NULL: unset */
    const char *disable;    /* CUDA_CACHE_DISABLE, if it turns the cache off; else NULL */
    const char *max_size;   /* CUDA_CACHE_MAXSIZE; NULL: unset */
    uint64_t limit_least;   /* the smallest limit to recommend: the driver's default; 0: not known */
    uint64_t cold_bytes;    /* size of the entries of all cold modules; 0: not known */
    uint64_t needed;        /* bytes that the cache holds once these are compiled */
    enum jw_place_is place;
    enum jw_place_on kept_on;
    const char *place_at;       /* the file or folder that `place` is about */
    const char *owner;          /* another user who owns the cache or `place_at`; NULL: this user does */
    unsigned long uid;          /* number of that user; Linux */
    bool at_home;               /* Linux: it is below the home of this user's account, by no link there */
    const char *open_to_others; /* the cache or a folder above it, and who else may change it; NULL: nobody */
    const char *open_at;        /* that folder, if it is this user's own */
    const char *elsewhere;      /* a folder of this user's own that would do; NULL: none is known */
    uint64_t free_elsewhere; /* bytes that a cache may take there; 0: it is on the same disk, or not known */
    const char *mount;       /* top folder of the cache's disk */
    uint64_t free, spare;    /* free bytes of that disk; how many of them jitwarm leaves free */
    bool disk_known;
    const char *state_unusable; /* jitwarm's state folder, or why it cannot be used; NULL: it can */
    bool state_named;           /* JITWARM_STATE names it */
    const char *state_at; /* that folder or one above it, if it is this user's and others may change it */
    bool index_damaged;
    uint64_t entries_gone;    /* modules whose entry the index names, and that have no file */
    const char *not_file;     /* what is no file in the place of an entry; NULL: nothing */
    uint64_t entries_damaged; /* modules whose entry is no whole file */

    /* settings of this environment; NULL: unset, or without effect */
    const char *forced;    /* the variable that makes the driver compile */
    const char *forbidden; /* the variable that forbids compiling */

    /* a fresh login (doctor alone) */
    const char *login_name; /* the first variable that differs; NULL: none does, or nobody asked */
    const char *login_value, *here_value; /* its values there and here; NULL: unset */
    bool login_harms;                     /* with its value there, programs compile at every start */

    const char *source,
        *source_at; /* a source of jitwarm.conf that is no folder, and its line; NULL: none (doctor alone) */

    /* a look at software */
    /* before the look: in its scope driver and limit, as far as they are known; a limit of 0 with `max_size`: nothing is stored */
    struct jw_answer answer;
    /* of the latest entry, if the cache has none of this driver build for a GPU that was asked about: */
    const char *other_driver;  /* version or stamp of the driver that made it; NULL: this build did */
    uint16_t other_sm;         /* its architecture, if this build made it; else 0 */
    uint64_t of_others;        /* number of entries like it; 0: none was found */
    const char *cache_refusal; /* why the driver finds nothing in the cache, whatever it holds; else NULL */
    bool working;              /* another jitwarm works on this cache now; false, too, where nobody asked */
    const char *const *lost_command; /* words of a recorded command whose code is gone */
    const char *lost_root;  /* a path that was named and cannot be read, or a command whose program is gone */
    const char *unreadable; /* a file or folder that exists, and that this user may not read */
    bool unreadable_own;    /* this user owns it */
    const char *roots_damaged; /* why the remembered roots cannot be read; NULL: they can */
    const char *roots_at;      /* their folder, if prime cannot read or trust it either */
};

/* Is it the disk that has no room for what is cold? Else it is the limit. */
static inline bool jw_facts_lack_disk(const struct jw_facts *f)
{
    return f->disk_known && f->free < f->spare + f->cold_bytes;
}

#endif
