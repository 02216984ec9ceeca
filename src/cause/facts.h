/* What decides whether a start compiles: numbers, enums, names that a cause shows, and clauses that
 * are shown as they are (why something is unusable, open, damaged or failed). All zero: nothing is
 * known, and no cause holds. Facts are values that nobody changes once they are made:
 *
 *   jw_session_facts    this machine, measured once
 *   jw_scope_facts      the same, and what was asked; for who does not look
 *   jw_look_facts       the same, the answer, and what a look found; computed at each call */
#pragma once

#include "base/text.h"
#include "facts/driver_settings.h"
#include "facts/drivers.h"
#include "jitwarm/answer.h"
#include "machine/container.h"
#include "machine/gpus.h"
#include "machine/ulimit.h"
#include "machine/whoami.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_driver_is {
    JW_DRIVER_UNASKED,    /* its files are whole, and no process has loaded it for these facts */
    JW_DRIVER_STARTS,     /* cuInit returned 0 */
    JW_DRIVER_ABSENT,     /* the loader finds no libcuda */
    JW_DRIVER_UNLOADABLE, /* libcuda is cut short or closed, or lacks a library that it needs */
    JW_DRIVER_DIES,       /* the process that loads it crashes or hangs */
    JW_DRIVER_FAILS       /* cuInit returned `driver.error` */
};

/* Can the driver keep anything in the cache's folder? */
enum jw_place_is {
    JW_PLACE_GOOD,
    JW_PLACE_UNSET,      /* neither HOME (Windows: APPDATA) nor CUDA_CACHE_PATH names a folder */
    JW_PLACE_EMPTY,      /* CUDA_CACHE_PATH is set, and empty */
    JW_PLACE_RELATIVE,   /* it depends on the working folder; so far no usable path is known */
    JW_PLACE_NOT_FOLDER, /* a file, a device, a dead link, or a file system of the kernel */
    JW_PLACE_NOT_FILE,   /* in the place of the cache's index is no file */
    JW_PLACE_READ_ONLY,  /* the file system is read-only */
    JW_PLACE_UNWRITABLE  /* this user may not write there */
};

/* CONTAINER: the container's own layer. */
enum jw_place_on { JW_ON_DISK, JW_ON_NETWORK, JW_ON_MEMORY, JW_ON_CONTAINER };

struct jw_facts_cache {
    const char *folder;   /* NULL: none */
    const char *path;     /* CUDA_CACHE_PATH; NULL: unset, ignored, or of no effect for --cache */
    const char *disable;  /* CUDA_CACHE_DISABLE, if it turns the cache off; else NULL */
    const char *max_size; /* CUDA_CACHE_MAXSIZE; NULL: unset */
    enum jw_place_is place;
    enum jw_place_on on;
    const char *at;    /* the file or folder that `place` is about */
    const char *owner; /* another user who owns the cache or `at`; NULL: this user does */
    unsigned long uid; /* number of that user; Linux */
    bool at_home;      /* Linux: it is below the home of this user's account, by no link there */
    const char *open; /* the cache or a folder above it, and who else may change it; NULL: nobody */
    const char *open_at;    /* that folder, if it is this user's own */
    const char *open_other; /* the same, if it is another user's */
    const char *elsewhere;  /* a folder of this user's own that would do; NULL: none is known */
    const char *mount;      /* top folder of the cache's disk */
    uint64_t free;          /* free bytes of that disk; prime measures them again before it plans */
    uint64_t spare;         /* how many of them jitwarm leaves free; 0: not known */
};

/* The question, in the words that a remedy repeats. */
struct jw_facts_asked {
    /* The arguments that make another verb ask the same: "--all" "lib", or "--run" "CMD"; a NULL
     * ends them. NULL: there are none. */
    const char *const *words;
    size_t n_paths;           /* how many of `words` are, at their end */
    const char *verb;         /* another one than prime that was typed; or NULL */
    const char *const *typed; /* its arguments; a NULL ends them */
    const char *cache;        /* the DIR of --cache; NULL: none */
    const char *absent_gpu;   /* what --gpu names, if this machine does not have it; else NULL */
};

/* What the driver did in one start of a command, by the witness (driver/witness) and the cache, in
 * which each new entry was compiled. */
enum jw_start_state {
    JW_START_UNKNOWN,  /* no new entry, and the witness does not know */
    JW_START_UNUSED,   /* no new entry, and none of its processes was seen to load a driver */
    JW_START_MIXED,    /* new entries, but only another program was seen to compile */
    JW_START_UNSTORED, /* the compiler ran without a new entry, as for code that it refuses */
    JW_START_LINKED,   /* the same, but the linker's entries were used: it always opens it */
    JW_START_NOTHING,  /* no new entry, and the compiler did not run */
    JW_START_COMPILED  /* new entries; or the compiler ran, where nothing is kept */
};

/* The entries of the cache as the latest look found them. */
struct jw_facts_entries {
    const char *not_file;  /* what is no file in the place of an entry; NULL: nothing */
    const char *closed;    /* a folder where a cold entry belongs, closed to this user; or NULL */
    const char *closed_by; /* another user who owns it; NULL: this user does */
    /* of the latest entry, if the cache has none of this driver build for these GPUs: */
    const char *other_driver; /* version or stamp of its driver; NULL: this build made it */
    uint16_t other_sm;        /* its architecture, if this build made it; else 0 */
};

/* A look: what its stages, and the steps of its run, met. */
struct jw_facts_met {
    struct jw_facts_entries entries;
    bool unnamed;                 /* no path or command is asked about, and none is remembered */
    bool searched;                /* software was looked for, since nothing ever was named */
    bool filled;                  /* this run added to the cache */
    bool roots_of_other;          /* Linux: another user owns their folder, or the list in it */
    const char *primed_in;        /* the driver's own cache, if that alone was primed; else NULL */
    const char *const *lost_code; /* a recorded command whose code is gone or changed */
    const char *lost_in;          /* the folder that it depends on; NULL: none but this one */
};

/* A look: what follows from its modules and files, beside the answer. */
struct jw_facts_found {
    uint64_t cold_bytes; /* size of the entries of all cold modules of the answer; 0: not known */
    uint64_t needed;     /* bytes in the cache once these are compiled, and what stays free */
    const char *refusal; /* why the driver finds nothing in the cache; else NULL */
    bool index_damaged;
    bool index_miscounts; /* and the driver believes it all the same */
    uint64_t no_room;     /* modules for which there is no room */
    uint64_t crashed;     /* refused modules on which the driver crashed, or did not end */
    bool unstored;        /* what this run tried is not there, and not for a fault of the code */
    uint64_t damaged; /* modules whose entry is no whole file, or is named by the index and gone */
    uint64_t linked;  /* modules of the answer that are inputs of the device linker, */
    const char *first_linked; /* and the file of the first one */
    bool emptied;             /* of a cold answer: it has no entry, and entries were seen in it */
    bool no_compiler;         /* the driver did not find its compiler library when it compiled */
    /* words behind "jitwarm forget": of named paths that cannot be read, of commands that are gone
     */
    const char *const *const *lost;
    const char *files_closed; /* a file or folder that exists, and that this user may not read */
    bool files_closed_own;    /* this user owns it */
    const char *unread, *why_unread; /* the only unread file, and why; NULL: none or several */
    const char *unbounded; /* the first file with PTX texts whose borders are not known; or NULL */
    bool program;          /* it has no CUDA code, or such texts, but can be started */
    bool unread_named;     /* the first file that could not be read was named by itself */
    bool first_is_root;    /* the first file of the answer is what a root names, not a part */
    const char *roots_damaged; /* why the remembered roots cannot be read; NULL: they can */
    const char *roots_at;      /* their folder, if prime cannot read or trust it either */
};

/* doctor --run, prime --run: a start of the command that `asked` names (prime/watch.h). */
struct jw_facts_start {
    enum jw_start_state state;
    bool failed;         /* it ended with an error, and no person ended it */
    const char *setting; /* makes each start compile: "CUDA_CACHE_DISABLE=1"; NULL: none */
    const char *cache;   /* another cache that it or its children chose; NULL: none was seen */
    const char *unseen;  /* NVVM, NVRTC or nvcc, if nothing shows what it compiled; else NULL */
    bool own_compilers;  /* compilers of its own compiled, and the driver's none */
    bool full;           /* the cache is full: the driver may have removed what it made */
    bool stopped;        /* by Ctrl-C or SIGTERM, as a server is, perhaps before it loaded more */
};

/* doctor: what a fresh login has. */
struct jw_facts_login {
    enum jw_driver_variable which; /* the first variable that differs */
    const char *there, *here; /* its values; NULL: unset; both: none differs, or nobody asked */
    bool harms;               /* with its value there, programs compile at every start */
    const char *line;         /* lets it read what env apply wrote; NULL: nothing is lacking */
};

struct jw_facts {
    /* the session: who asks, and where */
    bool windows;
    bool superuser; /* root, whose cache no program uses; not with --as-root, or absent GPUs */
    struct jw_whoami who; /* `behind` is never root */
    struct jw_container container;
    struct jw_host_gpus host;
    struct jw_ulimit ulimit;
    const char *account_home; /* the user's home, if HOME is not; NULL: it is */
    const char *config;       /* path of the user's jitwarm.conf, which may not exist; never NULL */
    const char *gpu;          /* name of the first GPU; NULL: none */
    /* settings of this environment; NULL: unset, or without effect */
    const char *visible;   /* CUDA_VISIBLE_DEVICES */
    bool bad_order;        /* CUDA_DEVICE_ORDER has a value that no driver knows */
    const char *forced;    /* the variable that makes the driver compile */
    const char *forbidden; /* the variable that forbids compiling */
    bool job;              /* this is a job of Slurm, which hands out GPUs */
    bool compute_given;    /* NVIDIA_DRIVER_CAPABILITIES has compute or all */
    struct {
        enum jw_driver_is is;
        int error;         /* result of cuInit, or of the first use of the GPU */
        const char *lacks; /* the compiler that cuInit wanted and did not find; NULL: none */
        bool preload;      /* JW_PRELOAD_VARIABLE is on, here */
        const char *says;  /* why it is not loaded, or how it dies, with its path; or NULL */
        const char *path;  /* LD_LIBRARY_PATH; NULL: unset */
        const char *hiding_folder; /* its folder that hides the system's libcuda; NULL: none does */
        bool named;                /* JITWARM_DRIVER names the library */
        size_t n_gpus;             /* that it lists */
        bool prohibited;           /* the compute mode of all of them is */
        const char *compiler_missing; /* that its compiler is missing or damaged; or NULL */
        const char *probe_failed; /* why the probe could not finish; NULL: it did, or never began */
        int probe_refused;        /* the driver's error for the probe's module; 0: none */
    } driver;
    struct jw_facts_cache cache;
    struct {
        const char *full;     /* top folder of its disk, which has no room; NULL: it has */
        const char *unusable; /* why the state folder cannot be used, with its path; or NULL */
        const char *named;    /* the variable that names it; NULL: none */
        bool homeless;        /* HOME has no folder for it */
        const char *open_at;  /* it or a folder above it: this user's, and others may change it */
        const char *of_other; /* Linux: the same, if it is another's in this user's home */
    } state;
    struct jw_scope scope; /* of the session: driver and limit; a look adds the rest */
    struct jw_facts_asked asked;
    struct jw_answer answer; /* all zero: no look was made */
    struct jw_facts_met met;
    struct jw_facts_found found;
    struct jw_facts_login login;
    struct jw_facts_start start;
};

static inline bool jw_start_compiled_nothing(const struct jw_facts_start *s)
{
    return (s->state == JW_START_LINKED || s->state == JW_START_NOTHING) && !s->unseen;
}

/* Is it the cache's disk that lacks room, and not the limit? */
static inline bool jw_facts_lack_disk(const struct jw_facts *f)
{
    return (f->state.full && jw_text_same(f->state.full, f->cache.mount))
           || (f->cache.spare && f->cache.free < f->cache.spare + f->found.cold_bytes);
}
