/* Packs of made-up entries, in memory. */
#pragma once

#include "base/buf.h"
#include "check.h"
#include "pack/file/pack_read.h"
#include "pack/file/pack_write.h"

#include <stdatomic.h>

enum { PACK_RIG_MAX = 256 << 20 };

struct pack_rig {
    struct jw_arena a;
    struct jw_pack_manifest manifest;
    struct jw_pack_entry *entries; /* by name */
    struct jw_bytes *files;        /* of the entries, in their order */
    atomic_uint *reads;            /* how often each was asked for */
    size_t n;
    struct jw_err read_fails; /* not JW_OK: what reading entry 1 fails with */
};

/* `n` sound entries whose payloads are of about `size` bytes each, the first of `first` bytes; from
 * two libraries in turn. `r` must stay where it is. */
void pack_rig_make(struct pack_rig *r, size_t n, size_t size, size_t first);
/* The same, of payloads that shrink to almost nothing. */
void pack_rig_make_plain(struct pack_rig *r, size_t n, size_t size, size_t first);
void pack_rig_free(struct pack_rig *r);

struct jw_pack_content pack_rig_source(struct pack_rig *r);

/* Appends the pack; fails the test when it cannot be written. `o` NULL: nothing special. */
void pack_rig_write(struct pack_rig *r, const struct jw_pack_write_options *o, struct jw_buf *out);

/* Appends a signature of the whole file, as minisign makes one beside it. */
void pack_rig_minisig(struct jw_buf *out, struct jw_bytes pack,
                      const struct jw_minisign_secret *key);

/* Who counts what a pack holds, and holds it against `r`. */
struct pack_reader {
    const struct pack_rig *rig; /* NULL: it is not compared */
    atomic_size_t whole;
    const struct jw_pack_manifest *manifest;
    const char *refuse; /* said to each entry; NULL: it is wanted */
    enum jw_code refuses_with;
};
struct jw_pack_visitor pack_reader(struct pack_reader *to);

/* Of a pack that was checked: its manifest, and its entries. */
bool pack_rig_entries(struct jw_pack_in *in, struct pack_reader *to, unsigned threads,
                      const struct jw_run *run, struct jw_arena *a, struct jw_err *err);

/* Writes it to a file first. */
bool pack_rig_open(struct jw_pack_in *in, struct jw_bytes pack, struct jw_err *err);
/* Opens, checks without keys, and reads. False: the sentence is in `err`. */
bool pack_rig_read(struct jw_bytes pack, struct pack_reader *to, unsigned threads,
                   struct jw_err *err);

/* Bytes as a pack would hold them: one frame of zstd; the list of all frames so far; where that
 * list began; a trailer with the right digest behind all. */
void pack_rig_frame(struct jw_buf *out, struct jw_bytes content);
void pack_rig_list(struct jw_buf *out);
void pack_rig_pointer(struct jw_buf *out, size_t list);
void pack_rig_trailer(struct jw_buf *out);
