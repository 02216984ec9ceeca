#include "pack/file/pack_read.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/files/append.h"
#include "os/files/stdin.h"
#include "pack/file/pack_index.h"

#include <string.h>

enum { PART = 256 << 10 };

static bool find_end(struct jw_pack_in *in, struct jw_err *err)
{
    uint8_t head[JW_PACK_MAGIC];
    size_t n = in->bytes.size < sizeof head ? (size_t)in->bytes.size : sizeof head;

    return jw_source_read(&in->bytes, 0, head, n, err) && jw_pack_begins((struct jw_bytes){ head, n }, err)
           && jw_trailer_find(&in->bytes, &in->frame, &in->trailer, &in->body, err)
           && jw_pack_find_index(in, err);
}

static bool open_file(struct jw_pack_in *in, const char *path, struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_file_open(&in->file, path, err) || !jw_file_info(&in->file, &info, err))
        return false;
    in->bytes = jw_file_source(&in->file, info.size);
    return true;
}

/* ---- standard input ---- */

struct spooling {
    struct jw_append file;
    uint64_t most;
    uint8_t part[PART];
};

/* A full part, or what there is before the end. */
static bool read_part(struct spooling *s, const atomic_bool *interrupted, size_t *n, struct jw_err *err)
{
    size_t got;

    *n = 0;
    do {
        if (!jw_stdin_read(s->part + *n, PART - *n, &got, interrupted, err))
            return false;
        *n += got;
    } while (got && *n < PART);
    return true;
}

static bool spool_part(struct spooling *s, size_t n, struct jw_err *err)
{
    if (s->file.size == 0 && !jw_pack_begins((struct jw_bytes){ s->part, n }, err))
        return false;
    if (n > s->most - s->file.size)
        return jw_fail(err, JW_E_LIMIT, "more than %llu bytes", (unsigned long long)s->most);
    return !n || jw_append_write(&s->file, s->part, n, err);
}

static bool spool(struct jw_pack_in *in, const struct jw_pack_open_options *o, struct jw_err *err)
{
    struct spooling *s = jw_alloc(sizeof *s);
    size_t n = PART;
    bool ok;

    s->most = o->spool_max ? o->spool_max : JW_MAX_PACK_FILE;
    s->file = JW_APPEND_CLOSED;
    ok = jw_append_open(&s->file, in->spooled, err);
    while (ok && n == PART)
        ok = read_part(s, o->interrupted, &n, err) && spool_part(s, n, err);
    jw_append_close(&s->file);
    jw_free(s);
    return ok && open_file(in, in->spooled, err);
}

static bool open_stdin(struct jw_pack_in *in, const struct jw_pack_open_options *o, struct jw_err *err)
{
    static const char name[] = "/standard-input";
    size_t n = o->spool_dir ? strlen(o->spool_dir) : 0;

    if (!n)
        return jw_fail(err, JW_E_USAGE, "no folder to keep it in");
    in->spooled = jw_alloc(n + sizeof name);
    memcpy(in->spooled, o->spool_dir, n);
    memcpy(in->spooled + n, name, sizeof name);
    return spool(in, o, err);
}

/* ---- all of it ---- */

static void begin(struct jw_pack_in *in, const char *name)
{
    *in = (struct jw_pack_in){ .name = name,
                               .file = JW_FILE_CLOSED,
                               .frame = JW_BUF(JW_TRAILER_MOST),
                               .manifest = JW_BUF(JW_PACK_INDEX_MOST) };
}

bool jw_pack_open(struct jw_pack_in *in, const char *path, const struct jw_pack_open_options *o,
                  struct jw_err *err)
{
    bool piped = strcmp(path, "-") == 0, ok;

    begin(in, piped ? "standard input" : path);
    in->path = piped ? NULL : path;
    ok = piped ? open_stdin(in, o, err) : open_file(in, path, err);
    return (ok && find_end(in, err)) || jw_wrap(err, "%s", in->name);
}

bool jw_pack_misnamed(const char *path, struct jw_err *err)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored = { 0 };

    if (err->code != JW_E_IO || strcmp(path, "-") == 0 || !jw_file_stat(path, &info, &ignored)
        || info.kind == JW_FILE_REGULAR)
        return false;
    return jw_fail(err, JW_E_USAGE, "%s: %s", path,
                   info.kind == JW_FILE_NONE  ? "no such file"
                   : info.kind == JW_FILE_DIR ? "is a folder; a pack is a file"
                                              : "is not a regular file");
}

bool jw_pack_open_source(struct jw_pack_in *in, struct jw_source bytes, const char *name, struct jw_err *err)
{
    begin(in, name);
    in->bytes = bytes;
    return find_end(in, err) || jw_wrap(err, "%s", name);
}

void jw_pack_close(struct jw_pack_in *in)
{
    struct jw_err ignored = { 0 };

    if (!in->name)
        return;
    jw_file_close(&in->file);
    jw_buf_free(&in->frame);
    jw_buf_free(&in->manifest);
    if (in->spooled && !jw_append_remove(in->spooled, &ignored))
        in->path = NULL; /* its folder is removed by whoever made it */
    jw_free(in->spooled);
    *in = (struct jw_pack_in){ .file = JW_FILE_CLOSED };
}
