#include "packs.h"

#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "pack/format/pack_layout.h"
#include "rigs/digest512.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <string.h>

const char *packs_begin(struct jw_arena *a, const char *name)
{
    const char *dir = tree_path(a, name);

    scratch_empty(dir);
    set_variable("JITWARM_STORE", dir);
    return dir;
}

static struct jw_buf make_body(const char *text, size_t size, struct jw_trailer *trailer)
{
    struct jw_buf body = JW_BUF(JW_MAX_STATE);
    uint8_t digest[JW_DIGEST512];

    jw_buf_text(&body, text);
    while (body.n + JW_TRAILER_HEAD + JW_TRAILER_TAIL < size)
        jw_buf_add(&body, ".", 1);
    digest512(digest, body.p, body.n);
    memcpy(trailer->digest, digest, sizeof trailer->digest);
    return body;
}

const char *packs_name(struct jw_arena *a, struct jw_store_key key, const char *text, size_t size)
{
    struct jw_trailer trailer = { .digest = { 0 } };
    struct jw_buf body = make_body(text, size, &trailer);
    struct jw_err err = { 0 };
    const char *name = jw_store_name(&key, trailer.digest, a, &err);

    CHECK_TEXT(err.msg, "");
    jw_buf_free(&body);
    return name;
}

bool packs_has(const char *dir, struct jw_store_key key, const char *text, size_t size)
{
    struct jw_arena a = { 0 };
    bool has = packs_first(dir, packs_name(&a, key, text, size)) == *text;

    jw_arena_free(&a);
    return has;
}

const char *packs_file(struct jw_arena *a, const char *name, const char *text, size_t size)
{
    struct jw_trailer trailer = { .digest = { 0 } };
    struct jw_buf body = make_body(text, size, &trailer), frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_err err = { 0 };
    const char *path;

    CHECK(jw_trailer_write(&frame, &trailer, &err));
    jw_buf_add(&body, frame.p, frame.n);
    CHECK(!body.bad);
    path = tree_bytes(a, name, body.p, body.n);
    jw_buf_free(&frame);
    jw_buf_free(&body);
    return path;
}

struct jw_store_key packs_key(const char *stamp, uint16_t sm)
{
    return (struct jw_store_key){ .stamp = stamp, .sm = sm, .driver = "580.126.09" };
}

struct jw_store_add packs_add(struct jw_arena *a, struct jw_store_key key, const char *text, size_t size)
{
    struct jw_err err = { 0 };
    struct jw_store_add x = { .key = key,
                              .file = packs_file(a, "packs-in/x.tar.zst", text, size),
                              .cap = (uint64_t)1 << 30 };

    CHECK_OK(jw_store_add(&x, a, &err), err);
    return x;
}

struct jw_store packs_load(struct jw_arena *a)
{
    struct jw_err err = { 0 };
    struct jw_store s = { 0 };

    CHECK_OK(jw_store_load(a, &s, &err), err);
    return s;
}

char packs_first(const char *dir, const char *name)
{
    struct jw_arena a = { 0 };
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_err err = { 0 };
    const char *path = jw_path_join(&a, dir, name);
    bool found = false;

    CHECK(path && jw_file_slurp(path, &text, &found, &err));

    char first = found && text.n ? (char)text.p[0] : '-';

    jw_buf_free(&text);
    jw_arena_free(&a);
    return first;
}
