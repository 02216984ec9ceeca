/* The answer about modules of files: warm, cold or incomplete, in one named cache, for one driver
 * build and its architectures. It is computed each time from the files and the cache
 * (prime/look.h), and worded in one place (cli/answer.c). */
#pragma once

#include "jitwarm/gpu.h"

#include <stdbool.h>
#include <stdint.h>

/* How far the probe has proven that a build of libcuda uses its cache as jitwarm expects. */
enum jw_level {
    JW_LEVEL_NONE = -1,   /* there is no driver, or it left no files in the cache */
    JW_LEVEL_OPAQUE,      /* it left files in the cache, whose form may be unknown */
    JW_LEVEL_READABLE,    /* jitwarm can read these files, and they hold the probe's PTX */
    JW_LEVEL_PREDICTABLE, /* jitwarm predicted the name of every file */
    JW_LEVEL_PLACEABLE, /* a fresh process found entries that jitwarm added, and compiled nothing */
    JW_LEVELS
};

/* What is asked about. A text that is not known is NULL. */
struct jw_scope {
    const char *cache;    /* the folder, links resolved */
    const char *library;  /* path of libcuda, as the loader finds it */
    const char *build;    /* the build of that library */
    const char *stamp;    /* its stamp, which is part of each entry's key */
    const char *version;  /* "550.163.01" */
    const char *compiler; /* identity of the library that the driver compiles with */
    const char *code;     /* the code of that library (memory/drivers.h) */
    struct jw_sms sms;
    bool absent; /* these GPUs are not here: they are compiled for in a cache of their own */
    enum jw_level level;
    /* Bytes that the cache may hold, and that it holds; JW_CACHE_UNKNOWN: not known. */
    uint64_t limit, used;
};

enum jw_answer_is {
    JW_NOT_LOOKED, /* nothing was looked at, and nothing is known */
    JW_NOTHING,    /* there is no module, or only what a search found loads on demand */
    JW_WARM,       /* up to here no answer is bad (jw_answer_is_well) */
    JW_COLD,
    /* nothing is cold, but something could not be looked at, does not run here or is gone; or all
     * that was asked about is loaded on demand */
    JW_INCOMPLETE,
    JW_ANSWERS
};

static inline bool jw_answer_is_well(enum jw_answer_is is) { return is <= JW_WARM; }

/* "nothing" "warm" "cold" "incomplete"; NULL: not looked */
extern const char *const jw_answer_names[JW_ANSWERS];

/* What a fresh process that loaded all modules showed. COMPILED_NOTHING needs a witness; DISPROVED:
 * it compiled, added or did not find one. */
enum jw_proven { JW_NOT_PROVEN, JW_ADDED_NOTHING, JW_COMPILED_NOTHING, JW_DISPROVED };

/* Counts of modules; each counts once for each architecture. */
struct jw_answer {
    /* architectures that have modules; of a cold answer, those that have cold ones */
    struct jw_sms sms;
    enum jw_answer_is is;
    uint64_t found;    /* modules of any kind; 0: there is no CUDA code at all */
    uint64_t modules;  /* those that the driver would compile, warm ones included */
    uint64_t warm;     /* those whose entry this driver finds in the cache */
    uint64_t fileless; /* those that no file has, and that are kept for a recorded command */
    uint64_t refused;  /* cold ones that this driver could not compile before */
    uint64_t unknown;  /* of no known name (level 0, 1), or in a locked cache */
    uint64_t unread;   /* files that may hold code, and could not be read */
    /* modules of recorded commands that neither a file nor jitwarm has any more */
    uint64_t sourceless;
    bool changed;     /* the file of the first such module is there, with other code */
    uint64_t blocked; /* modules too new for this driver, or without code for a GPU */
    uint16_t needs;   /* the driver branch that would run the blocked ones; 0: none */
    uint64_t empty;   /* named paths, now or earlier, if none of them has CUDA code */
    uint64_t skipped; /* modules that only --all takes: they are loaded on demand */
    /* path of the first one that is cold, else blocked, unread or empty; NULL: none */
    const char *first;
    enum jw_proven proven;
};

/* Modules that are neither warm nor unknown. */
static inline uint64_t jw_answer_cold(const struct jw_answer *a)
{
    return a->modules - a->warm - a->unknown;
}
