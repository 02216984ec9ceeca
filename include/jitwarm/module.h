/* A module on its way through jitwarm: scan makes a job of each module and architecture, the plan
 * predicts, the pool and its supervisor run it, and the report prints it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a module is: a container, or PTX text. */
struct jw_place {
    /* for people: "lib.so", "NAME.whl!member", "cache entry 4/2/3e06b9e6ec62aa" */
    const char *path;
    const char *disk;      /* the file that a worker reads; NULL: none */
    const char *packed_in; /* the wheel that `path` is a member of; NULL: none */
    uint64_t at, size;     /* offset and size in `disk` */
    /* the cache entry, or kept file, whose key has the PTX; NULL: `disk` has it */
    const char *entry;
    uint64_t entry_key; /* size of that key */
    uint8_t digest[32]; /* BLAKE2b-256 of these bytes */
    bool text;          /* it is PTX text; else a container */
    bool link; /* it is an input of the device linker, and the driver's linker compiles it */
    bool lazy; /* its CUDA runtime loads it when it is first used, and not before */
};

/* What the cache has of a module. */
enum jw_standing {
    JW_MODULE_COLD,
    JW_MODULE_WARM,     /* its entry is there, whole, where this driver finds it */
    JW_MODULE_UNSTORED, /* cold: not stored, lost, or not taken by a fresh process */
    JW_MODULE_BANNED,   /* cold, and this driver could not compile it before */
    JW_MODULE_NO_ROOM,  /* cold: its entry exceeds the cache's limit or the free disk space */
    JW_STANDINGS
};

/* How an attempt to load a module ended. The memory of bans has these numbers. */
enum jw_outcome {
    JW_JOB_TODO,      /* there was none, or it was stopped */
    JW_JOB_LOADED,    /* the driver has it, compiled or found in the cache */
    JW_JOB_CHANGED,   /* its file changed or disappeared */
    JW_JOB_FAILED,    /* the driver refused it: see `code`, `why`, `log` */
    JW_JOB_TIMEOUT,   /* the driver took too long, and its process was killed */
    JW_JOB_CRASHED,   /* the driver's process crashed: `why` names the signal */
    JW_JOB_KILLED,    /* another process killed its worker, so the module is not to blame */
    JW_JOB_UNSTARTED, /* its worker ended before it gave the module to the driver */
    JW_OUTCOMES
};

/* A module to be compiled for one architecture, and the result. */
struct jw_cache_file;

struct jw_job {
    uint64_t name, key_size; /* of its entry; 0: names of this driver are not known */
    struct jw_place *place;
    uint8_t text[32];    /* BLAKE2b-256 of its PTX alone */
    const char *options; /* options in the container; "": none */
    const char *kernel;  /* name of its first kernel; "": unknown */
    uint64_t ptx_bytes;  /* bytes of its PTX, unpacked */
    uint64_t kernels;    /* how many it has */
    /* hashes (FNV) of kernels that other modules may have, too, so that a program may take them
     * from any; if asked for */
    const uint64_t *shared;
    size_t n_shared;
    /* identity: */
    uint8_t id[32]; /* BLAKE2b-256 of PTX, options and architecture */
    uint16_t sm;
    /* prediction: */
    bool used;      /* a recorded command loads it */
    double seconds; /* predicted time on one processor */
    double stopped; /* an earlier run stopped it after so many seconds; 0: none did */
    /* result: */
    enum jw_standing is;
    enum jw_outcome ended; /* of this run's attempt, or of the earlier one that banned it */
    bool banned;           /* this driver is known not to compile it, even if it is tried again */
    bool damaged;          /* its entry is no whole file, or is named by the index and gone */
    int code;              /* CUresult; 0: none */
    const char *why;       /* a sentence, or NULL */
    const char *log;       /* the driver's log, from a second attempt; NULL: none */
    unsigned milliseconds; /* how long it took */
    uint64_t entry_bytes;  /* of key and payload, as the cache counts them now; 0: it has none */
    /* the entry of another driver build that may become its own (prime/carry.h); NULL: none */
    const struct jw_cache_file *old;
    bool sampled; /* this driver compiles it all the same, to compare it */
    bool carried; /* this run carried the old entry over */
};

static inline bool jw_job_is_warm(const struct jw_job *j) { return j->is == JW_MODULE_WARM; }

/* It was cold, and this run made it warm. */
static inline bool jw_job_is_compiled(const struct jw_job *j)
{
    return j->is == JW_MODULE_WARM && j->ended == JW_JOB_LOADED;
}

/* It was cold, and this run carried its entry over from another driver build. */
static inline bool jw_job_is_carried(const struct jw_job *j)
{
    return j->is == JW_MODULE_WARM && j->carried;
}

/* It is cold, and prime would carry its entry over instead of compiling it. */
static inline bool jw_job_has_old(const struct jw_job *j)
{
    return j->is == JW_MODULE_COLD && j->old;
}

/* It is cold, and nothing speaks against compiling it. */
static inline bool jw_job_is_todo(const struct jw_job *j)
{
    return j->is == JW_MODULE_COLD && j->ended <= JW_JOB_LOADED;
}

static inline bool jw_job_is_banned(const struct jw_job *j) { return j->is == JW_MODULE_BANNED; }

static inline bool jw_job_is_unstored(const struct jw_job *j)
{
    return j->is == JW_MODULE_UNSTORED;
}

static inline bool jw_job_has_no_room(const struct jw_job *j) { return j->is == JW_MODULE_NO_ROOM; }

/* All changes of `is`, with `why` or NULL. The plan passes over a cold module that is banned, or
 * that it finds no room for: from then on only its entry changes that (WARM). One that was tried
 * and is not stored may be tried once more (COLD). */
void jw_job_becomes(struct jw_job *j, enum jw_standing is, const char *why);
