/* The driver's cache of compiled code ("ComputeCache"), as bytes. NVIDIA does not document it; the
 * layout was learned from 1,284 entries that drivers of 2015 to 2026 wrote. Any format but 0x41 is
 * refused. driver-fact: F01-layout, F04-format-0x41
 *
 *   <cache>/index     u32 0x41   u32 records   u64 sum of their sizes, then {u64 hash, u64 size}
 *                     in insertion order; `size` is K + D
 *   <cache>/<h>/<h>/<14 hex digits>   an entry; the 16 digits are FNV-1a-64 of its key
 *
 *   entry             u32 0x41   u64 K key length   u64 D payload length
 *                     u64 FNV-1a-64 of the payload: 28 bytes, fields not aligned; K bytes, D bytes
 *   key               "Jan  7 2026" "22:51:46" "HOST64" "sm_86" compiler-input, one or more NULs,
 *                     option-string of CUDA modules; OpenCL and NVRTC store other things under the
 *                     same roof */
#pragma once

#include "base/buf.h"
#include "base/digest.h"
#include "base/source.h"

enum {
    JW_CACHE_FORMAT = 0x41,
    JW_CACHE_HEADER = 28,
    JW_CACHE_INDEX_HEADER = 16,
    JW_CACHE_RECORD = 16,
    JW_CACHE_KEY_HEAD = 64, /* this many first bytes of a key hold its stamp and architecture */
    JW_CACHE_KEY_END =
        512,             /* its last bytes hold its options; so many first ones of PTX the target */
    JW_CACHE_STAMP = 19, /* "Jan  7 202622:51:46" */
    JW_CACHE_VERSION = 15, /* "580.126.09" */
    /* Offsets of the fields, in an entry and in the index. */
    JW_CACHE_AT_KEY_SIZE = 4,
    JW_CACHE_AT_PAYLOAD_SIZE = 12,
    JW_CACHE_AT_PAYLOAD_HASH = 20,
    JW_CACHE_AT_RECORDS = 4,
    JW_CACHE_AT_TOTAL = 8
};

/* A program that finds the index locked tries 20 times, 10 ms apart; then it compiles and keeps
 * nothing. driver-fact: F42-foreign-lock */
enum { JW_CACHE_TRY_MS = 10 };

/* ---- names ---- */

struct jw_cache_name {
    char text[20]; /* "4/2/3e06b9e6ec62aa" */
};
struct jw_cache_name jw_cache_name(uint64_t hash);
/* From the three components of a path below the cache; false: not the name of an entry. */
bool jw_cache_name_parse(const char *h0, const char *h1, const char *rest, uint64_t *hash);

/* ---- entries ---- */

struct jw_cache_entry {
    uint64_t key_size, payload_size, payload_hash;
};

/* Returns the bytes that count against the limit. */
static inline uint64_t jw_cache_weight(const struct jw_cache_entry *e)
{
    return e->key_size + e->payload_size;
}

/* `head`: at least the first 28 bytes; `file_size` must fit. An error is a clause about what is
 * torn, foreign or absurd: the caller names the file. */
bool jw_cache_entry_read(struct jw_bytes head, uint64_t file_size, struct jw_cache_entry *out,
                         struct jw_err *err) JW_MUST;

/* Reads it all: both hashes, and whether the payload begins as an ELF or PTX text. */
bool jw_cache_entry_check(const struct jw_source *file, uint64_t name, struct jw_cache_entry *out,
                          struct jw_err *err) JW_MUST;

struct jw_cache_checked {
    struct jw_bytes file; /* all of it */
    uint64_t name;
    uint64_t key_size;           /* that it must have; 0: any */
    struct jw_cache_entry entry; /* the result */
};

/* Checks several files in memory so, in a quarter of the time: four hashes are computed at once.
 * `*bad`: the first that is refused. */
bool jw_cache_entries_check(struct jw_cache_checked *list, size_t n, size_t *bad,
                            struct jw_err *err) JW_MUST;

/* ---- keys ---- */

enum jw_cache_kind {
    JW_CACHE_CUDA,      /* PTX compiled for a module */
    JW_CACHE_NVVM,      /* bitcode: NVRTC's own caching */
    JW_CACHE_NVJITLINK, /* PTX or bitcode: CUDA or NVVM until the key's end is read */
    JW_CACHE_OPENCL,    /* its source, or PTX: most is CUDA until the key's end is read */
    JW_CACHE_OTHER,
    JW_CACHE_KINDS
};

struct jw_cache_key {
    enum jw_cache_kind kind;
    char stamp[JW_CACHE_STAMP + 1]; /* of a build of libcuda, "Jan  7 202622:51:46"; "": none */
    char arch[12]; /* "sm_86", "sm_90a" as NVRTC and nvJitLink write; "" when it has none */
    uint16_t sm;   /* the number in it, 90 of "sm_90a"; 0: it has none */
    /* Only when its end was given, too: "580.126.09", in OpenCL's first stage; else "" */
    char version[JW_CACHE_VERSION + 1];
    /* Only when the whole key was given, and not of OpenCL's first stage: */
    struct jw_bytes input; /* the text that was compiled, without NULs; borrowed */
    unsigned nuls; /* NULs behind it: 1 for a text; for a container what it stores, and one more */
    struct jw_bytes options; /* " " when there are none; borrowed */
};

/* Reads a key of `key_size` bytes from its first JW_CACHE_KEY_HEAD bytes or more. Never fails: a
 * key that it does not know is OTHER. */
void jw_cache_key_read(struct jw_bytes head, uint64_t key_size, struct jw_cache_key *out);

/* Completes one by its last JW_CACHE_KEY_END bytes: keys of several compilers begin alike. */
void jw_cache_key_read_end(struct jw_bytes tail, struct jw_cache_key *key);

/* ---- whose an entry is, and for which GPU: all verbs ask here ---- */

/* Does a driver of this stamp and version find an entry with these? NVRTC and nvJitLink have stamps
 * of their own, and find their entries under any driver. */
bool jw_cache_serves(enum jw_cache_kind kind, const char *entry_stamp, const char *entry_version,
                     const char *stamp, const char *version);

/* "the driver's linker", "NVRTC", "nvJitLink", "OpenCL": who alone can make the entry again. */
extern const char *const jw_cache_makers[JW_CACHE_KINDS];

/* The key that a driver of this stamp makes: predicts its file name. `options` as in a fatbin, or
 * NULL. */
void jw_cache_key_make(struct jw_buf *out, const char *stamp, const char *arch, struct jw_bytes ptx,
                       unsigned nuls, const char *options);

/* When a libcuda of this stamp was built, as a number that grows with time; 0: it is none. */
uint64_t jw_stamp_time(const char *stamp);

/* The tests' simulated driver adds these hours to the time of its stamp: no compiler writes
 * "62:51:46". NULL: false. */
enum { JW_SIMULATED_HOURS = 40 };
bool jw_stamp_simulated(const char *stamp);

/* A stamp for people, scripts and names of packs: "20260107-225146"; "": it is none. */
struct jw_stamp_text {
    char text[24];
};
struct jw_stamp_text jw_stamp_text(const char *stamp);

/* ---- the index ---- */

struct jw_cache_record {
    uint64_t hash, size; /* size: key + payload */
};

struct jw_cache_index {
    struct jw_cache_record *list;
    size_t n, cap;
    uint64_t total;
    /* Where the records that its header counts end in the file; 0: they are not all there. Behind
     * it there may be a record that a dead process began to append, or what an eviction left. */
    size_t end;
};

/* What a starting program does with it. The driver believes a header of this format, and behind it
 * all records that it counts, also with a wrong sum, or with bytes behind them, as an eviction
 * leaves them. Where it does not (none, lost, hides), the next program that stores an entry deletes
 * all others. driver-fact: F83-damaged-index */
enum jw_index_trouble {
    JW_INDEX_WHOLE,     /* entries are found; they count against the limit if they have a record */
    JW_INDEX_MISCOUNTS, /* damaged, and believed: the same */
    JW_INDEX_NONE,      /* missing, or empty as a driver has just created it: entries are found */
    JW_INDEX_LOST,      /* of no form: entries are found */
    JW_INDEX_HIDES,     /* it counts records that are not there: nothing is found */
    JW_INDEX_UNREAD     /* the system refused to read it */
};
/* `err` says what does not hold, unless it is WHOLE or NONE; what could be read is in `out` all the
 * same. The caller frees `out`. */
enum jw_index_trouble jw_cache_index_read(struct jw_bytes file, struct jw_cache_index *out,
                                          struct jw_err *err);
/* Does it have to be repaired? `entries`: the cache holds some, which a missing index endangers. */
static inline bool jw_index_damaged(enum jw_index_trouble t, bool entries)
{
    return t == JW_INDEX_NONE ? entries : t != JW_INDEX_WHOLE && t != JW_INDEX_UNREAD;
}
bool jw_cache_index_append(struct jw_cache_index *index, struct jw_cache_record record,
                           struct jw_err *err) JW_MUST;
/* Appends a record, or sets the size of the one with this hash. */
bool jw_cache_index_add(struct jw_cache_index *index, struct jw_cache_record record,
                        struct jw_err *err) JW_MUST;
bool jw_cache_index_write(const struct jw_cache_index *index, struct jw_buf *out,
                          struct jw_err *err) JW_MUST;
void jw_cache_index_free(struct jw_cache_index *index);
