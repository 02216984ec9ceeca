/*
 * The one answer to "does the next start compile nothing?", for every verb that gives one: dry run, --check, prime,
 * verify, run, pull, import, status, report and the first page. Facts in, answer and words out: nothing here asks the
 * machine.
 */
#ifndef PRIME_MEMORY_NEXT_START_H
#define PRIME_MEMORY_NEXT_START_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/rows.h"
#include "cache/format/jitcache.h"
#include "jitwarm/prime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_next_start {
    JW_NEXT_START_WARM,     /* all of it was looked at, and compiles nothing */
    JW_NEXT_START_COMPILES, /* the next start compiles */
    JW_NEXT_START_UNKNOWN   /* something was not looked at, or only a start can tell */
};

/* Reasons why it is not warm, the strongest first: compiling is forbidden, every start compiles, something is
 * missing, something is not known. */
enum jw_next_start_reason {
    JW_BY_BAN,
    JW_BY_SETTING,
    JW_BY_DRIVER,
    JW_BY_MODULES,
    JW_BY_PLACE,
    JW_BY_PROOF,
    JW_BY_OTHER_CACHES,
    JW_BY_LOSS,
    JW_BY_IMPORT,
    JW_BY_SOURCE, /* the last one of COMPILES */
    JW_BY_INDEX,
    JW_BY_ABSENCE,
    JW_BY_LIMIT,
    JW_BY_LOGIN,
    JW_BY_CHANGE,
    JW_BY_COMMANDS,
    JW_BY_UNREAD,
    JW_BY_REFUSAL,
    JW_BY_BLOCKED,
    JW_BY_LACK,
    JW_BY_GPUS,
    JW_BY_DOUBT,
    JW_BY_PIECES,
    JW_BY_LINK,
    JW_BY_LTO,
    /* not all was asked, which `unasked` says; without it the caller did not look at all of it */
    JW_BY_RECORDS,     /* not all records of earlier runs are known */
    JW_BY_STOP,        /* a run ended before all was compiled */
    JW_BY_GONE,        /* primed files, or files that a recorded command names, are gone */
    JW_BY_FAILURE,     /* not all could be read or compiled */
    JW_BY_NO_SOFTWARE, /* none was found, and none is remembered */
    JW_BY_NO_CHECK,    /* no run has looked whether what packs brought is all of it */
    JW_BY_UNASKED,     /* something else that another prime asks */
    JW_BY_NOTHING
};

#define JW_BUT(reason) (UINT32_C(1) << (reason))

/* The facts that a caller looked at. Those that were not looked at are never "warm": those that are 0 say nothing. */
enum jw_next_start_asked {
    JW_ASKED_MODULES =
        1 << 0, /* which there are, which are in the cache, and which the driver cannot compile */
    JW_ASKED_FILES = 1 << 1,    /* other code in its files, and whether they could be read */
    JW_ASKED_SETTINGS = 1 << 2, /* `forbidden`, `setting` */
    JW_ASKED_PLACE = 1 << 3,    /* `elsewhere`, `login`, `other_caches` */
    JW_ASKED_DRIVER = 1 << 4,   /* driver and GPUs */
    JW_ASKED_LIMIT = 1 << 5,    /* `stored`, `needed`, `limit`: it is over the limit, or it is not */
    JW_ASKED_COMMANDS = 1 << 6, /* `lost`, `sourceless`, `commands` */
    JW_ASKED_CHANGES = 1 << 7,  /* `changed`; a run that read all of it has seen none */
    JW_ASKED_ALL = (1 << 8) - 1,
    /* An answer about a pack is about its entries, which are of this driver, and leaves the rest to a prime. */
    JW_BESIDE_A_PACK = JW_ASKED_FILES | JW_ASKED_DRIVER | JW_ASKED_COMMANDS | JW_ASKED_CHANGES
};

/* All that is known of the software that was asked about. */
struct jw_next_start_facts {
    unsigned asked;         /* enum jw_next_start_asked */
    uint64_t modules, warm; /* warm: in the cache for this driver, as they were verified or read */
    bool found;             /* nothing was named: the software was found here */
    uint64_t damaged;       /* of the others: their entries are damaged */
    /* this driver compiles nothing here, so that a start that needs the others fails: a sentence */
    const char *cannot_compile;
    /* the driver cannot start, or a setting forbids it to compile, so that a start that would compile fails: a sentence */
    const char *forbidden;
    const char *setting;     /* makes every start compile, whatever is in the cache: a sentence */
    const char *obstacle;    /* programs look into another cache, or find nothing in this one: a sentence */
    bool elsewhere_at_login; /* those of a fresh login alone; those of this environment find what is there */
    /* how programs of a fresh login start is not known: a sentence; NULL: it is, or nobody logs in */
    const char *login;
    const char *index; /* a sentence about the effect of a damaged index on programs; NULL: it is whole */
    bool other_driver; /* the driver has changed since */
    bool no_driver;    /* it is not found where it was */
    uint64_t stored, needed;     /* bytes in the cache, and of these modules */
    struct jw_cache_limit limit; /* the limit of the cache */
    bool refuted;                /* a fresh process compiled, or could not load all of it */
    bool other_caches;           /* caches that recorded commands chose are not warm */
    uint64_t lost;               /* entries that recorded commands load, and that are not in the cache */
    const char *imported;        /* entries that packs brought are gone: a sentence */
    /* modules that a command loads, and that are neither in the cache nor in a known file */
    uint64_t sourceless;
    uint64_t refused;     /* of `modules`: this driver could not compile them before, and will not */
    const char *refusal;  /* the first of them, and why: a file and a sentence */
    uint64_t blocked;     /* modules that this driver cannot load at all */
    const char *too_new;  /* that: a sentence; NULL: a caller says it itself */
    const char *lacking;  /* software without code for this GPU: a sentence */
    uint64_t doubtful;    /* modules that must not reach a driver from here: damaged, or of an unknown form */
    uint64_t pieces;      /* PTX that its program puts together */
    uint64_t failing;     /* links that the driver could not make: programs that make them fail */
    uint64_t lto;         /* inputs of the device linker with link-time code alone */
    uint64_t unread;      /* files that may hold CUDA code */
    const char *commands; /* why recorded commands may load something else here: a sentence */
    bool commands_gone;   /* that is about a file which is not there any more */
    bool commands_compile; /* that is that each start of one compiles */
    const char *changed;   /* the first fact that is not as it was: a path, or what was asked */
    bool gpus_unknown;     /* only the driver knows which GPUs are here */
    const char *gpus;      /* those that it named when this was warm: "Tesla V100 (sm_70)"; NULL: not known */
    const char *unasked;   /* why the rest was not asked: a sentence */
    enum jw_next_start_reason unasked_by; /* which reason that is; 0: JW_BY_UNASKED */
};

/* Why nothing is known where nothing was named: a sentence. Or there are modules in the cache, of software that is not
 * known. */
#define JW_NEXT_START_NOTHING_FOUND "no CUDA code was found, and nothing was primed here yet"
#define JW_NEXT_START_STRAY ", nor the software of %s in the cache: name its folder"

/* Sets `index`, or `elsewhere` where programs find nothing. */
void jw_next_start_take_index(struct jw_next_start_facts *f, enum jw_index_trouble trouble);

/* More than the cache keeps (jw_cache_is_over). */
bool jw_next_start_is_over(const struct jw_next_start_facts *f);

enum jw_next_start jw_next_start_of(const struct jw_next_start_facts *f);

/* All reasons why it is not warm (JW_BUT); 0: it is warm. */
uint32_t jw_next_start_reasons(const struct jw_next_start_facts *f);

/* Is it warm, if not for these reasons (JW_BUT)? */
bool jw_next_start_is_warm_but(const struct jw_next_start_facts *f, uint32_t reasons);

/* The answer and its reason, as a report has them. */
struct jw_next_start_answer {
    enum jw_next_start is;
    const char *why; /* NULL: it is warm, or the counts say it */
};
struct jw_next_start_answer jw_next_start_answer(const struct jw_next_start_facts *f, struct jw_arena *a);
extern const struct jw_row jw_next_start_rows[]; /* of such a struct */

/* "all 143 modules are warm", "93 of 143 modules are warm", "the one module is warm", "no module has to be compiled" */
void jw_next_start_say(struct jw_buf *out, const struct jw_next_start_facts *f);

/* Why it is not "warm": "the driver has changed since the last prime". False, and nothing is said: it is, or the
 * numbers say it. */
bool jw_next_start_say_why(struct jw_buf *out, const struct jw_next_start_facts *f);

/* The same behind `before`: ", but the driver has changed since the last prime". */
bool jw_next_start_say_rest(struct jw_buf *out, const char *before, const struct jw_next_start_facts *f);

#endif
