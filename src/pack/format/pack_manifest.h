/* jitwarm/manifest.json, the last member of a pack: which compiler and GPU it is for, whose code is
 * in it, and every entry with its sizes. One line of JSON in one spelling: the same manifest is the
 * same bytes everywhere, and what is spelled otherwise is refused. It has no room for a path, a
 * host, a user or a variable.
 *
 *   { "schema": "jitwarm.pack/5", "tool": "0.1.0", "os": "linux", "arch": "x86_64",
 *     "driver": "580.126.09" or null, "stamp": "Jan  7 202622:51:46",
 *     "compiler": "32da0955..." or null, "sm": 86, "software": [ "libx.so" ], "nameless": 1,
 *     "entries": [ { "name": "4/2/3e06b9e6ec62aa", "key_bytes": 9, "payload_bytes": 9 } ] }
 *
 * Software and entries are sorted by name. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "cache/format/jitcache.h"

#define JW_PACK_SCHEMA "jitwarm.pack/5"
#define JW_PACK_MANIFEST_NAME "jitwarm/manifest.json" /* of its member */

struct jw_pack_entry {
    uint64_t name; /* FNV-1a-64 of the key */
    uint64_t key_bytes, payload_bytes;
};

struct jw_pack_manifest {
    const char *tool;   /* version of jitwarm that made the pack */
    const char *os;     /* "linux" "windows" */
    const char *arch;   /* of the host: "x86_64" "aarch64" */
    const char *driver; /* version, or NULL */
    const char *stamp;  /* of libcuda, as it stands in keys */
    /* the code of the compiler (driver/worker/compiler_code.h); NULL: not known, and the pack is
     * for this build alone */
    const char *compiler;
    uint16_t sm;
    /* that entries were made of: packages, or base names of libraries */
    const char *const *software;
    size_t n_software;
    uint64_t nameless;                   /* entries of no known software */
    const struct jw_pack_entry *entries; /* at least one */
    size_t n_entries;
};

/* May this be a version or a build id in a manifest? */
bool jw_pack_is_word(const char *text);

/* Checks all rules for each field and between fields; the error is the first that does not hold. */
bool jw_pack_manifest_check(const struct jw_pack_manifest *m, struct jw_err *err) JW_MUST;

/* Appends the text of one that was checked. */
bool jw_pack_manifest_write(struct jw_buf *out, const struct jw_pack_manifest *m,
                            struct jw_err *err) JW_MUST;

/* Accepts only the bytes that the writer would write; the trailer tells the version. Everything in
 * `out` lives in `a`. */
bool jw_pack_manifest_read(struct jw_bytes text, struct jw_arena *a, struct jw_pack_manifest *out,
                           struct jw_err *err) JW_MUST;

/* ---- an entry as a member of the tar ---- */

struct jw_pack_member {
    char text[26]; /* "cache/4/2/3e06b9e6ec62aa" */
};
struct jw_pack_member jw_pack_member(uint64_t name);

static inline uint64_t jw_pack_entry_bytes(const struct jw_pack_entry *e)
{
    return JW_CACHE_HEADER + e->key_bytes + e->payload_bytes;
}
