/*
 * What jitwarm says of modules: warm, cold or incomplete, of the modules of files, in one named cache, for one driver build and its
 * architectures. It is computed each time from the files and the cache (prime/look.h), and worded in one place (cli/answer.c).
 */
#ifndef JITWARM_ANSWER_H
#define JITWARM_ANSWER_H

#include "jitwarm/gpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How well a driver's cache is understood: proven by the probe, for a build of libcuda. */
enum jw_level {
    JW_LEVEL_NONE = -1,   /* no driver, or no files appeared */
    JW_LEVEL_OPAQUE,      /* files appeared in the cache */
    JW_LEVEL_READABLE,    /* all can be read, and hold the PTX of the probe */
    JW_LEVEL_PREDICTABLE, /* every name was predicted */
    JW_LEVEL_PLACEABLE    /* a fresh process found entries that jitwarm added, and compiled nothing */
};

/* What an answer is about. Texts are NULL where they are not known. */
struct jw_scope {
    const char *cache;    /* its folder, links resolved; of an answer NULL: nothing was looked at */
    const char *library;  /* libcuda, as the loader finds it */
    const char *build;    /* of that library */
    const char *stamp;    /* as in its entries' keys */
    const char *version;  /* "550.163.01" */
    const char *compiler; /* identity of the library that it compiles with */
    uint16_t sms[JW_MAX_SMS];
    size_t n_sms;
    bool absent; /* these GPUs are not here: they are compiled for in a cache of their own */
    enum jw_level level;
    uint64_t limit, used; /* bytes that the cache may hold (0: not known), and holds */
};

enum jw_is {
    JW_WARM,
    JW_COLD,
    JW_INCOMPLETE /* something could not be looked at, does not run here or is not there, and nothing else is cold */
};

extern const char *const jw_is_names[3]; /* "warm" "cold" "incomplete" */

/* What a fresh process showed that loaded all of the modules, now. That it compiled nothing needs a witness (driver/witness/witness.h). */
enum jw_proven { JW_NOT_PROVEN, JW_STORED_NOTHING, JW_COMPILED_NOTHING };

/* Counts are of modules, each counted once for each architecture. One whose scope.cache is NULL says nothing: all zero is no answer. */
struct jw_answer {
    struct jw_scope scope;
    enum jw_is is;
    uint64_t found;    /* modules of any kind: 0 is no CUDA code at all */
    uint64_t modules;  /* that the driver would compile, warm ones included */
    uint64_t warm;     /* whose entry this driver finds in the cache */
    uint64_t fileless; /* of the modules: in no file, but kept for a recorded command */
    uint64_t refused;  /* among the cold: this driver could not compile them before */
    uint64_t unknown;  /* neither warm nor cold: its name is not known (level 0, 1), or the cache is locked */
    uint64_t unread;   /* files that may hold code and could not be read */
    uint64_t sourceless; /* of recorded commands: no more in the file that had them, nor kept */
    uint64_t blocked;    /* too new for this driver; or nothing that was read has code for the GPU */
    uint16_t needs;      /* of the blocked: the driver's branch (facts/drivers.h); 0: none helps */
    uint64_t empty;      /* paths that were named, now or before, if there is no CUDA code at all in any */
    uint64_t left_out;   /* NVIDIA's own, of tests, or loaded on demand: --all takes them */
    const char *first;   /* path of the first that is cold, else blocked, unread or empty; NULL: none */
    enum jw_proven proven;
};

/* Modules that are neither warm nor unknown. */
static inline uint64_t jw_answer_cold(const struct jw_answer *a)
{
    return a->modules - a->warm - a->unknown;
}

#endif
