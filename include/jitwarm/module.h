/*
 * A module on its way through jitwarm: scan makes a job of each module and architecture, the plan predicts, the pool
 * and its supervisor run it, and the report prints it.
 */
#ifndef JITWARM_MODULE_H
#define JITWARM_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of a module: a container, or PTX text. */
struct jw_place {
    const char *path;      /* for people: "lib.so", "NAME.whl!member", "cache entry 4/2/3e06b9e6ec62aa" */
    const char *disk;      /* the file that a worker reads; NULL: there is none */
    const char *packed_in; /* the file that it is a member of, a wheel; NULL: of none */
    uint64_t at, size;     /* in `disk` */
    const char *package;   /* the package that owns the file; NULL: unknown */
    uint8_t digest[32];    /* BLAKE2b-256 of these bytes */
    bool text;             /* PTX text; else a container */
    bool link;             /* an input of the device linker: compiled by the driver's, and stored as such */
};

/* The end of a job. */
enum jw_outcome {
    JW_JOB_TODO, /* dry run: must be compiled. prime: not reached (time limit, Ctrl-C, a driver that died) */
    JW_JOB_WARM, /* was already in the cache */
    JW_JOB_WARMED,   /* compiled now, and its entry is in the cache */
    JW_JOB_FAILED,   /* the driver refused it: `code`, `why`, `log` */
    JW_JOB_TIMEOUT,  /* the driver did not finish in time, and its process was killed */
    JW_JOB_CRASHED,  /* the driver's process crashed: `why` names the signal */
    JW_JOB_SKIPPED,  /* this driver could not compile it before: `why` */
    JW_JOB_NO_ROOM,  /* exceeds the cache limit or the free disk space */
    JW_JOB_CHANGED,  /* its file changed or disappeared meanwhile */
    JW_JOB_UNSTORED, /* compiled, but the driver cached nothing: `why` */
    JW_JOB_LOADED, /* of one attempt, said by the pool alone: the driver has it, compiled or found in the cache */
    JW_JOB_KILLED,   /* another process killed its worker: not its fault */
    JW_JOB_UNSTARTED /* its worker ended before the driver got it */
};

extern const char *const jw_outcome_names[JW_JOB_LOADED]; /* of reports: "no-room" */

/* A module to be compiled for one architecture, and the result. */
struct jw_job {
    struct jw_place *place;
    uint8_t text[32];    /* BLAKE2b-256 of its PTX alone */
    const char *options; /* from the container; "" none */
    const char *kernel;  /* the name of its first kernel; "" unknown */
    uint64_t ptx_bytes;  /* unpacked */
    bool optional;       /* NVIDIA's own, or lazily loaded: wanted only where all are */
    bool lazy;           /* programs compile it only when they use it */
    enum jw_ptx_is { JW_PTX_IN_FILE, JW_PTX_KEPT, JW_PTX_OF_OTHER_BUILD } ptx; /* of a look: prime/look.h */
    /* identity: */
    uint8_t id[32]; /* BLAKE2b-256 of PTX, options and architecture */
    uint16_t sm;
    uint64_t name, key_size; /* of its entry, computed; 0: this driver's names are not known */
    /* prediction: */
    bool used;      /* a program loads it: a recorded command, or one that another driver compiled it for */
    double seconds; /* of one processor */
    double stopped; /* seconds after which an earlier run stopped it: it takes longer; 0: none did */
    uint64_t cache_bytes; /* key + payload */
    uint64_t memory;      /* of a worker */
    /* result: */
    enum jw_outcome state;
    int code;              /* CUresult, 0: none */
    const char *why;       /* a sentence, or NULL */
    const char *log;       /* the driver's log of a second attempt; NULL */
    unsigned milliseconds; /* time that it took */
    uint64_t entry_bytes;  /* key + payload of its entry now */
};

static inline bool jw_job_is_warm(const struct jw_job *j)
{
    return j->state == JW_JOB_WARM || j->state == JW_JOB_WARMED;
}

#endif
