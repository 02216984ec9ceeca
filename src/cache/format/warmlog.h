/*
 * warm.log: what is remembered of one cache. It only grows; of several records about one thing the last
 * counts.
 *
 * Each record as in base/fields.h, with these kinds:
 *
 *   70 CACHE    text path                     the first record, and the only one of its kind
 *   71 MODULE   [32 id  u16 sm  text build]   u8 compiled  u64 name  u64 bytes  u64 PTX bytes  u32 milliseconds  u32 stopped
 *               text kernel  text origin  text ban  text compiler  u8 imported
 *               u64 FNV of the payload   u32 inputs { u64 name }
 *   74 IMPORT   [text pack  text build]   u16 sm   u32 words { text }   u32 entries { u64 name  u64 bytes  u64 identity }
 *   75 LEFT     u64 bytes   text hidden   u32 n { text target }
 *   79 RECEIPT  [u8 partly   u8 trusted only  u8 all  u8 absent  u8 forgot   text command   u32 GPUs { text }   u32 exclude { text }
 *               u32 vouched { text }   u32 commands { text  i64 recorded }   u32 targets { text }   text build]
 *               text driver version  i64 when  u64 jobs  text stamp   u32 answers { text question  text answer }
 *               u32 files { text path  u64 size  i64 mtime  i64 ctime  u64 volume  u64 node  u64 names }
 *               u32 entries { u64 name  u64 bytes  u64 identity }
 *               u8 same login  u8 lower login  u8 terminal  u64 limit   u64 unsure  u64 native  u64 on use  u32 loss
 *               u64 too new  text branch  text file   text lacking  text version  u64 more  u8 most  u16 sm   text unread  text why
 *               u32 refused { 32 id  u16 sm  text path }   u32 found in { text }   u32 emptied { text }
 *   77 COMMAND  [text key]   text root   i64 when   u64 milliseconds cold   u64 milliseconds warm
 *               i64 recorded   u32 n { 32 id }   u32 files { text path }
 *               u32 loads { text build   u32 n { u64 name  u8 cannot be compiled again }   u32 answers { text question  text answer } }
 *   78 STARTED  [text key]   text root   i64 when   u64 milliseconds cold   u64 milliseconds warm: of COMMAND, since that was written
 *
 *   text       u32 length   bytes   0
 *
 * The fields in brackets say what a record is about. A record replaces the one before it as a whole, so the
 * holder of the lock takes the record of a module (jw_warm_recall), changes it, and adds it again.
 *
 * The fields of a kind never change, so that an older program takes no receipt for good whose conditions it
 * does not know; what is new gets a new number (72 and 76 were receipts in another form, 73 commands:
 * they are not read, and dropped). A kind that is not known is not read, and kept. A log that does not begin with
 * CACHE is of another format: it is not read, and begun again.
 *
 * The hash is there against torn writes and failing disks (no change of a single byte escapes FNV); against
 * people there are the rights of the folder.
 */
#ifndef CACHE_FORMAT_WARMLOG_H
#define CACHE_FORMAT_WARMLOG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A module for one architecture and driver build, and all that is remembered of it. Texts: "" where nothing is known. */
struct jw_warm_module {
    uint8_t id[32];    /* jw_warm_id_of_name where only the name of its entry is known */
    const char *build; /* of libcuda */
    uint16_t sm;
    bool compiled;        /* its entry was put into the cache */
    uint64_t name, bytes; /* of its entry: key + payload; name 0: not known */
    uint64_t ptx_bytes;
    uint32_t milliseconds; /* that compiling it took */
    uint32_t stopped;      /* milliseconds after which a run stopped it; 0: none did */
    const char *kernel;    /* the plain name of its first, for people */
    const char *origin;    /* a package, or the base name of a file; never a path */
    const char *ban;       /* how the driver refused it, or crashed or hung on it */
    /* which one libcuda had then (driver/probe/compiler_file.h): another one may do better */
    const char *compiler;
    bool imported;    /* its entry came in a pack that no key signed which is trusted for everything, */
    uint64_t payload; /* and is known again by this hash */
    /* for a module that programs link at each start: the entries of its inputs; such a record has no build. 0
     * milliseconds: the driver could not link them, and programs with these inputs make no other link */
    const uint64_t *inputs;
    size_t n_inputs;
};

/* A question to the machine, and what it answered (cache/memory/trace.h has the questions). */
struct jw_warm_answer {
    const char *question, *answer;
};

/* A file or folder that a receipt rests on; a path alone: it was absent. A path that is only a name is of a file in the
 * last folder before it. */
struct jw_warm_file {
    const char *path;
    uint64_t size, volume, node;
    int64_t mtime, ctime; /* nanoseconds since 1970; as in struct jw_file_info */
    uint64_t names;       /* digest of the names in a folder; 0: not known */
};

struct jw_warm_entry {
    uint64_t name, bytes;
    uint64_t identity; /* of its file (cache/place/lookup.h); 0: not known */
};

/* A command by whose record a run went. */
struct jw_warm_used {
    const char *command;
    int64_t recorded;
};

/* The request of a run, and the settings that decide what it looks at. */
struct jw_warm_request {
    bool trusted_only;     /* it leaves out what other users can change, but for `vouched` */
    bool all, absent_gpus; /* as in jw_prime_options */
    bool forgot;           /* targets were forgotten since: no run asks for this */
    const char *command;   /* of --run, or whose record it was asked to go by; "": none */
    const char *const *gpus, *const *exclude, *const *vouched;
    size_t n_gpus, n_exclude, n_vouched;
    const struct jw_warm_used *commands; /* commands whose recorded modules it primes */
    size_t n_commands;
    const char *const *targets; /* "=PATH" or "DEPTH PATH" */
    size_t n_targets;
};

/* Modules that need a newer driver. */
struct jw_warm_too_new {
    uint64_t modules;          /* 0: there are none */
    const char *branch, *file; /* that can load one; where the first is. "": unknown */
};

/* Software without code for the GPU. */
struct jw_warm_lacking {
    const char *name, *version; /* of the first; version "": unknown */
    uint64_t more;              /* beside it */
    bool most;                  /* some of it runs */
    uint16_t sm;                /* 0: there is none */
};

/* The record of primed software was damaged. */
enum jw_warm_loss {
    JW_LOSS_NONE,  /* it was not, or all is known again */
    JW_LOSS_ALL,   /* and no software was found */
    JW_LOSS_OTHERS /* and more is cached than the software that was found needs */
};

/* A module that the driver did not compile. The reason is remembered with the module, as long as it holds. */
struct jw_warm_refused {
    uint8_t id[32];
    uint16_t sm;
    const char *path;
};

/* A conclusion of a run. While its receipt holds, it is still true. */
struct jw_warm_conclusions {
    bool same_login;            /* a fresh login was looked at, and starts as this environment does */
    bool login_lower, terminal; /* as in struct jw_cache_limit */
    uint64_t login_limit;       /* bytes; where it is lower */
    uint64_t unsure; /* prime_recorded_state, where it was not known what recorded commands load; 0: it was */
    uint64_t native; /* modules that compile nothing, where none is to be compiled */
    uint64_t on_use; /* modules of NVIDIA's own libraries that are compiled when a program uses them */
    enum jw_warm_loss loss;
    struct jw_warm_too_new too_new;
    struct jw_warm_lacking lacking;
    const char *unread, *unread_why; /* the first file that could not be read; "": none */
    const struct jw_warm_refused *refused;
    size_t n_refused;
    const char *const *found_in; /* folders that were searched, and files, with modules */
    size_t n_found_in;
    const char *const *emptied; /* targets which had code before, and have none */
    size_t n_emptied;
};

/* A verified prime. It holds as long as everything in it is as it was. A text that is NULL is read back as "". */
struct jw_warm_receipt {
    /* some modules could not be warmed or read. Only background runs ask for it: they need not wake a GPU at every login */
    bool partly;
    struct jw_warm_request asked;
    const char *build; /* of libcuda: one receipt is kept for each request and build */
    const char *driver_version;
    const struct jw_warm_answer *answers; /* its trace: these and the files */
    size_t n_answers;
    const struct jw_warm_file *files;
    size_t n_files;
    const struct jw_warm_entry *entries;
    size_t n_entries;
    int64_t when;
    uint64_t jobs;     /* it was about */
    const char *stamp; /* of the driver build; "": unknown */
    struct jw_warm_conclusions concluded;
};

struct jw_warm_load {
    uint64_t name; /* of its entry */
    bool once;     /* it cannot be compiled again from its key: NVRTC's, nvJitLink's, of unknown options */
};

/* All entries that a command used or made, whichever compiler made them, and what the machine answered then: on
 * another one it may load something else. */
struct jw_warm_loads {
    const char *key;   /* of its command; not in the record */
    const char *build; /* of libcuda */
    const struct jw_warm_load *list;
    size_t n; /* 0: it loaded none, or it is not known which */
    const struct jw_warm_answer *answers;
    size_t n_answers; /* 0: not known */
};

/* A command, its starts and its modules. If it chose a cache itself, the starts are recorded with the cache that
 * programs use here, and the rest with the chosen one. */
struct jw_warm_command {
    const char *key;   /* its words; jw_warm_command_alias of one that came with a pack */
    const char *cache; /* the cache that it chose itself; "": none, it uses the one that it is given */
    int64_t when;      /* it was started under watch: here and below, seconds since 1970; 0: not here */
    /* milliseconds of its last start that found nothing, and of the last that compiled nothing; 0: none */
    uint64_t cold, warm;
    /* the time of all that follows; 0: `ids` are the PTX that it loads on another machine, to be primed first here */
    int64_t recorded;
    const uint8_t (*ids)[32]; /* its modules */
    size_t n;
    const char *const *files; /* programs and libraries that it had loaded: where its modules are */
    size_t n_files;
    struct jw_warm_loads *loads; /* with each driver build; the newest is the last */
    size_t n_loads;
};

/* Entries that an import brought, or found there already, for software that nobody looked for. */
struct jw_warm_import {
    const char *pack;  /* the file; "": it came from a stream */
    const char *build; /* of libcuda */
    uint16_t sm;
    const char *const *words; /* of jitwarm, which bring it again, with whole paths; none: a stream */
    size_t n_words;
    const struct jw_warm_entry *entries;
    size_t n_entries;
};

/* Work that earlier runs left to do, for the whole cache. */
struct jw_warm_left {
    /* bytes that the cache has to be allowed to hold, or the last prime has no room; 0: it had */
    uint64_t need;
    /* the words before a command that let it see the GPUs which the last prime left alone, with cold modules; "": it
     * left none alone */
    const char *hidden;
    /* that a run was asked to prime, and that none has finished; as a receipt has them */
    const char *const *targets;
    size_t n;
};

enum jw_warm_kind {
    JW_WARM_CACHE = 70, /* below: those of an earlier format */
    JW_WARM_MODULE,
    JW_WARM_IMPORT = 74,
    JW_WARM_LEFT,
    JW_WARM_COMMAND = 77,
    JW_WARM_STARTED, /* its fact is a command, with the fields that a start changes */
    JW_WARM_RECEIPT,
    JW_WARM_KINDS /* from here on: later versions' */
};

struct jw_warm_fact {
    enum jw_warm_kind kind;
    union {
        const char *cache; /* the path of its folder */
        struct jw_warm_module module;
        struct jw_warm_receipt receipt;
        struct jw_warm_command command;
        struct jw_warm_import import;
        struct jw_warm_left left;
    } as;
};

/* An id made from a number, then zeros: the name of an entry whose module is not known, or the sum of the names of a
 * link's inputs. */
void jw_warm_id_of_name(uint8_t id[32], uint64_t name);

/* Are all fields of both the same? */
bool jw_warm_same_request(const struct jw_warm_request *x, const struct jw_warm_request *y);

/* ---- to bytes ---- */

/* Appends a record. `out` is bad when the fact is longer than JW_MAX_STATE_RECORD allows. */
void jw_warmlog_put(struct jw_buf *out, const struct jw_warm_fact *fact);

/* ---- from bytes ---- */

struct jw_warmlog_record {
    struct jw_record is; /* borrowed */
    bool alive;          /* nothing after it is about the same thing, and it is not one of too many */
};

struct jw_warmlog {
    struct jw_warmlog_record *list;
    size_t n, cap;
    size_t sound;       /* so many bytes are whole records; the rest is torn or damaged */
    size_t alive_bytes; /* bytes of records that count */
    size_t alive;       /* records */
};

static inline bool jw_warmlog_known(const struct jw_warmlog_record *record)
{
    return record->is.kind >= JW_WARM_CACHE && record->is.kind < JW_WARM_KINDS;
}

/* Caller frees. */
bool jw_warmlog_scan(struct jw_bytes file, struct jw_warmlog *out, struct jw_err *err) JW_MUST;
void jw_warmlog_free(struct jw_warmlog *log); /* accepts a zeroed one */

/* Texts and ids are borrowed from the record, lists live in `a`. */
bool jw_warmlog_get(const struct jw_warmlog_record *record, struct jw_arena *a, struct jw_warm_fact *out,
                    struct jw_err *err) JW_MUST;

/* The cache that a log is of, from its first bytes; JW_WARMLOG_HEAD are enough. Borrowed; NULL: it tells none. */
enum { JW_WARMLOG_HEAD = JW_RECORD_FRAME + 4 + (1 << 17) + 1 };
const char *jw_warmlog_cache(struct jw_bytes head);

#endif
