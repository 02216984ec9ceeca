#include "pack/format/pack_layout.h"

#include "base/fields.h"
#include "base/mem.h"
#include "base/num.h"
#include "pack/format/tar.h"

#include <string.h>

/* Of the sixteen numbers that zstd skips. */
#define ZSTD_LIST 0x184D2A59U
#define ZSTD_TRAILER 0x184D2A5AU
#define ZSTD_POINTER 0x184D2A5BU

enum { LENGTH = 8 };

struct jw_pack_frame *jw_pack_split_frames(const struct jw_pack_entry *entries, size_t n,
                                           size_t *n_frames)
{
    struct jw_pack_frame *frames = jw_alloc((n + 1) * sizeof *frames);
    struct jw_pack_frame *f = frames;

    for (size_t i = 0; i < n; i++) {
        uint64_t span = jw_tar_span(jw_pack_entry_bytes(&entries[i]));

        if (f->n && (f->bytes > JW_PACK_FRAME || span > JW_PACK_FRAME - f->bytes))
            *++f = (struct jw_pack_frame){.first = i};
        f->n++;
        f->bytes += span;
    }
    *n_frames = n ? (size_t)(f - frames) + 1 : 0;
    return frames;
}

void jw_pack_list_put(struct jw_buf *out, struct jw_bytes digests)
{
    jw_field_number(out, ZSTD_LIST, 4);
    jw_field_number(out, digests.n, 4);
    jw_buf_add(out, digests.p, digests.n);
}

bool jw_pack_list_take(struct jw_bytes *ending, struct jw_bytes *digests)
{
    struct jw_reader r = jw_reader(*ending);
    uint32_t magic = jw_u32(&r);
    uint32_t n = jw_u32(&r);

    *digests = jw_take(&r, n);
    return magic == ZSTD_LIST && !r.bad
           && jw_slice(*ending, 8 + (size_t)n, ending->n - 8 - n, ending);
}

void jw_pack_pointer_put(struct jw_buf *out, uint64_t bytes)
{
    jw_field_number(out, ZSTD_POINTER, 4);
    jw_field_number(out, LENGTH, 4);
    jw_field_number(out, bytes, 8);
}

bool jw_pack_pointer_read(const uint8_t p[JW_PACK_POINTER], uint64_t *bytes)
{
    *bytes = jw_le64(p + 8);
    return jw_le32(p) == ZSTD_POINTER && jw_le32(p + 4) == LENGTH;
}

_Static_assert(JW_CACHE_HEADER + JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD <= JW_MAX_TAR
                   && sizeof(struct jw_pack_member) < JW_TAR_NAME
                   && sizeof JW_PACK_MANIFEST_NAME < JW_TAR_NAME,
               "an entry and the manifest fit into a tar");

/* Its text ends with a newline: the last byte that is no zero. */
bool jw_pack_members_manifest(struct jw_bytes tar, struct jw_arena *a, struct jw_pack_manifest *out,
                              struct jw_err *err)
{
    size_t n = tar.n;
    size_t at = 0;
    struct jw_bytes text = {NULL, 0};

    while (n && !tar.p[n - 1])
        n--;
    n -= jw_min(n, JW_TAR_BLOCK);
    if (tar.n != jw_tar_span(n) + JW_TAR_END)
        return jw_fail(err, JW_E_FORMAT,
                       "pack: there is no manifest in its last frame, of %zu bytes", tar.n);
    return jw_tar_take(tar, &at, JW_PACK_MANIFEST_NAME, n, &text, err)
           && jw_pack_manifest_read(text, a, out, err);
}

bool jw_pack_members_entries(struct jw_bytes tar, const struct jw_pack_entry *entries, size_t n,
                             struct jw_bytes *files, struct jw_err *err)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        if (!jw_tar_take(tar, &at, jw_pack_member(entries[i].name).text,
                         jw_pack_entry_bytes(&entries[i]), &files[i], err))
            return false;
    return at == tar.n
           || jw_fail(err, JW_E_FORMAT, "pack: something follows the entries of a frame (0x%zx)",
                      at);
}

#define MARK "jitwarm5"
#define END_MARK "jitwend5"

enum { MARK_SIZE = 8, FRAME_HEAD = 8, KNOWN_MARK = 7, VERSION = '5' /* the mark's last byte */ };

bool jw_trailer_write(struct jw_buf *out, const struct jw_trailer *trailer, struct jw_err *err)
{
    uint32_t n = (uint32_t)(JW_TRAILER_HEAD - FRAME_HEAD + trailer->signature.n + JW_TRAILER_TAIL);

    if (trailer->signature.n > JW_MAX_SIGNATURE)
        return jw_fail(err, JW_E_LIMIT, "the signature has %zu bytes, expected at most %d",
                       trailer->signature.n, JW_MAX_SIGNATURE);
    jw_field_number(out, ZSTD_TRAILER, 4);
    jw_field_number(out, n, 4);
    jw_buf_add(out, MARK, MARK_SIZE);
    jw_buf_add(out, trailer->digest, JW_DIGEST);
    jw_buf_add(out, trailer->signature.p, trailer->signature.n);
    jw_field_number(out, n, 4);
    jw_buf_add(out, END_MARK, MARK_SIZE);
    return jw_buf_ok(out, err);
}

static bool is_mark(struct jw_bytes mark, const char *expected)
{
    return mark.n == MARK_SIZE && memcmp(mark.p, expected, KNOWN_MARK) == 0;
}

static bool check_version(uint8_t version, struct jw_err *err)
{
    return version == VERSION
           || jw_fail(err, JW_E_FORMAT,
                      "it is of version %u, and this jitwarm reads version %u only; make the pack "
                      "again, or use the jitwarm that made it",
                      (uint8_t)(version - '0'), (unsigned)VERSION - '0');
}

bool jw_trailer_read(struct jw_bytes frame, struct jw_trailer *out, struct jw_err *err)
{
    struct jw_reader r = jw_reader(frame);
    size_t fixed = JW_TRAILER_HEAD + JW_TRAILER_TAIL;

    *out = (struct jw_trailer){0};
    uint32_t magic = jw_u32(&r);
    uint32_t front = jw_u32(&r);
    struct jw_bytes first = jw_take(&r, MARK_SIZE);
    struct jw_bytes digest = jw_take(&r, JW_DIGEST);
    struct jw_bytes signature = jw_take(&r, frame.n - jw_min(frame.n, fixed));
    uint32_t back = jw_u32(&r);
    struct jw_bytes last = jw_take(&r, MARK_SIZE);

    /* Its length stands in it three times: as it was cut from the file, and two numbers. */
    if (r.bad || frame.n > JW_MAX_TRAILER || magic != ZSTD_TRAILER || front != frame.n - FRAME_HEAD
        || back != front || !is_mark(first, MARK) || !is_mark(last, END_MARK))
        return jw_fail(err, JW_E_FORMAT, "its end is damaged");
    if (!check_version(first.p[KNOWN_MARK], err) || !check_version(last.p[KNOWN_MARK], err))
        return false;
    memcpy(out->digest, digest.p, JW_DIGEST);
    out->signature = signature;
    return true;
}

bool jw_trailer_find(const struct jw_source *file, struct jw_buf *frame, struct jw_trailer *out,
                     uint64_t *at, struct jw_err *err)
{
    size_t there = (size_t)jw_min(file->size, JW_MAX_TRAILER);
    size_t tail = (size_t)jw_min(there, JW_TRAILER_TAIL);
    struct jw_bytes last = {NULL, 0};

    *out = (struct jw_trailer){0};
    *at = file->size;
    jw_buf_clear(frame);
    jw_buf_fill(frame, 0, there);
    if (!jw_buf_ok(frame, err) || !jw_source_read(file, file->size - there, frame->p, there, err))
        return jw_wrap(err, "the end of the pack");
    (void)jw_slice(jw_buf_bytes(frame), there - tail, tail, &last);
    struct jw_reader r = jw_reader(last);
    size_t n = (size_t)jw_u32(&r) + FRAME_HEAD;

    if (!is_mark(jw_take(&r, MARK_SIZE), END_MARK))
        return jw_fail(err, JW_E_FORMAT,
                       "it is cut off, or no pack: its %llu bytes do not end as those of a pack",
                       (unsigned long long)file->size);
    if (!jw_slice(jw_buf_bytes(frame), there - jw_min(there, n), n, &last))
        return jw_fail(err, JW_E_FORMAT, "its end is damaged");
    *at = file->size - n;
    return jw_trailer_read(last, out, err);
}
