/* The modules of the probe: each form that a driver can take, each with other PTX in it, read back by our own
 * reader. */
#include "driver/probe/probe_set.h"

#include "base/arena.h"
#include "check.h"
#include "formats/fatbin.h"
#include "formats/fatbin_unpack.h"
#include "formats/ptx.h"

#include <stdlib.h>

static const struct version {
    unsigned cuda;
    size_t modules;
    uint16_t major, minor, sm;
} versions[] = {
    { 9000, 5, 6, 0, 30 },  { 10020, 5, 6, 0, 30 }, { 11000, 5, 7, 0, 30 }, { 11080, 5, 7, 0, 30 },
    { 12000, 5, 8, 0, 50 }, { 12030, 5, 8, 0, 50 }, { 12040, 6, 8, 0, 50 }, { 13000, 6, 8, 0, 50 },
    { 20000, 6, 8, 0, 50 }, { 0, 5, 6, 0, 30 },
};

static bool has(struct jw_bytes text, const char *word)
{
    return jw_find(text, (struct jw_bytes){ (const uint8_t *)word, strlen(word) }) < text.n;
}

/* The text of a module is whole, of its version, and names its kernel. */
static void check_ptx(const struct probe_module *m, const struct version *v)
{
    struct jw_bytes ptx = jw_buf_bytes(&m->ptx);
    struct jw_err err = { 0 };
    struct jw_ptx head;

    CHECK_OK(jw_ptx_read(ptx, &head, &err), err);
    CHECK(!has(ptx, "@") && !memchr(ptx.p, 0, ptx.n));
    CHECK_NUM(head.major, v->major);
    CHECK_NUM(head.minor, v->minor);
    CHECK_NUM(head.target.sm, v->sm);
    CHECK_NUM(head.target.suffix, 0);
    /* The number that the kernel adds is the number of its name. */
    static const char name[] = ".entry jw_canary_add_";
    size_t at = jw_find(ptx, (struct jw_bytes){ (const uint8_t *)name, strlen(name) }) + strlen(name);
    char add[64];

    CHECK(at < ptx.n);
    (void)snprintf(add, sizeof add, "add.s32 \t%%r2, %%r1, %u;",
                   (unsigned)strtoul((const char *)ptx.p + at, NULL, 10));
    CHECK(has(ptx, add));
}

/* The container is one entry of PTX, and what it unpacks to is the text and a NUL. */
static void check_container(const struct probe_module *m, const struct version *v)
{
    FREED(jw_arena) a = { 0 };
    struct jw_bytes bytes = jw_buf_bytes(&m->image);
    struct jw_source src = jw_source_memory(&bytes);
    FREED(jw_fats) fats = { .arena = &a };
    struct jw_window w = { .src = &src };
    FREED(jw_buf) text = JW_BUF(1 << 16);
    struct jw_err err = { 0 };

    CHECK_OK(jw_fat_read(&fats, &w, 0, bytes.n, &err), err);
    CHECK_NUM(fats.n, 1);
    CHECK_NUM(fats.n_entries, 1);
    if (fats.n_entries == 1) {
        const struct jw_fat_entry *e = &fats.entries[0];

        CHECK(e->kind == JW_KIND_PTX);
        CHECK_NUM(e->target.sm, v->sm);
        CHECK_TEXT(e->options, m->options);
        CHECK_OK(jw_fat_unpack(&src, e, jw_sink_buf(&text), &err), err);
        /* As toolkits store it: packed with one NUL, or with none as CUDA 10.1 did (the one with options), raw with its padding. */
        size_t whole = text.n;

        while (text.n && text.p[text.n - 1] == 0)
            text.n--;
        CHECK(e->packed ? whole == text.n + (*m->options ? 0 : 1) : whole == (text.n + 1 + 7) / 8 * 8);
        CHECK_NUM(text.n, m->ptx.n);
        CHECK(text.n == m->ptx.n && memcmp(text.p, m->ptx.p, text.n) == 0);
        CHECK(jw_fat_why_unsafe(e) == NULL);
    }
}

static bool same(const struct jw_buf *a, const struct jw_buf *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

static void check_version(const struct version *v)
{
    struct probe_module set[JW_PROBE_MAX];
    struct jw_err err = { 0 };
    size_t n, texts = 0, with_options = 0;

    CHECK_OK(jw_probe_set_make(set, &n, v->cuda, &err), err);
    CHECK_NUM(n, v->modules);
    for (size_t i = 0; i < n; i++) {
        check_ptx(&set[i], v);
        texts += set[i].text;
        with_options += *set[i].options != '\0';
        if (set[i].text)
            CHECK(same(&set[i].ptx, &set[i].image));
        else
            check_container(&set[i], v);
        for (size_t j = 0; j < i; j++) {
            CHECK(!same(&set[i].ptx, &set[j].ptx));
            CHECK(strcmp(set[i].file, set[j].file) != 0);
            CHECK(strcmp(set[i].what, set[j].what) != 0);
        }
    }
    CHECK_NUM(texts, 1);
    CHECK_NUM(with_options, 1);
    jw_probe_set_free(set);
}

TEST(every_cuda_version)
{
    for (size_t i = 0; i < JW_COUNT(versions); i++)
        check_version(&versions[i]);
}
