#include "packs.h"

#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "pack/format/pack_layout.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <stdlib.h>
#include <string.h>

const char *packs_begin(struct jw_arena *a, const char *name)
{
    const char *dir = tree_path(a, name);

    scratch_empty(dir);
    set_variable("JITWARM_STORE", dir);
    return dir;
}

static void make_body(struct jw_buf *body, const char *text, size_t size)
{
    jw_buf_text(body, text);
    while (body->n + JW_TRAILER_HEAD + JW_TRAILER_TAIL < size)
        jw_buf_add(body, ".", 1);
}

static void digest_body(const struct jw_buf *body, uint8_t out[JW_DIGEST])
{
    uint8_t digest[JW_DIGEST512];

    jw_digest512(digest, body->p, body->n);
    memcpy(out, digest, JW_DIGEST);
}

const char *packs_file(struct jw_arena *a, const char *name, const char *text, size_t size)
{
    struct jw_buf body = JW_BUF(JW_MAX_STATE), frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_trailer trailer = { .digest = { 0 } };
    struct jw_err err = { 0 };
    const char *path;

    make_body(&body, text, size);
    digest_body(&body, trailer.digest);
    CHECK(jw_trailer_write(&frame, &trailer, &err));
    jw_buf_add(&body, frame.p, frame.n);
    CHECK(!body.bad);
    path = tree_bytes(a, name, body.p, body.n);
    jw_buf_free(&frame);
    jw_buf_free(&body);
    return path;
}

const char *packs_name(struct jw_arena *a, struct jw_store_key key, const char *text, size_t size)
{
    struct jw_buf body = JW_BUF(JW_MAX_STATE);
    uint8_t digest[JW_DIGEST];
    struct jw_err err = { 0 };
    const char *name;

    make_body(&body, text, size);
    digest_body(&body, digest);
    name = jw_store_name(&key, digest, a, &err);
    CHECK(name);
    jw_buf_free(&body);
    return name;
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

    CHECK(jw_store_add(&x, a, &err));
    CHECK_TEXT(err.msg, "");
    return x;
}

struct jw_store packs_load(struct jw_arena *a)
{
    struct jw_err err = { 0 };
    struct jw_store s = { 0 };

    CHECK(jw_store_load(a, &s, &err));
    CHECK_TEXT(err.msg, "");
    return s;
}

static char first_of(const struct jw_store_pack *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(p->path, &text, &found, &err));

    char first = found && text.n ? (char)text.p[0] : '-';

    jw_buf_free(&text);
    return first;
}

static int by_char(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

const char *packs_of(struct jw_arena *a, struct jw_store_key key)
{
    struct jw_store s = packs_load(a);
    char *out = jw_arena_alloc(a, s.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        if (s.packs[i].key.stamp && strcmp(s.packs[i].key.stamp, key.stamp) == 0
            && s.packs[i].key.sm == key.sm)
            out[n++] = s.packs[i].refused ? '?' : first_of(&s.packs[i]);
    if (n)
        qsort(out, n, 1, by_char);
    out[n] = '\0';
    return out;
}

const struct jw_store_pack *packs_find(struct jw_arena *a, char first)
{
    struct jw_store s = packs_load(a);

    for (size_t i = 0; i < s.n; i++)
        if (!s.packs[i].refused && first_of(&s.packs[i]) == first)
            return &s.packs[i];
    return NULL;
}
