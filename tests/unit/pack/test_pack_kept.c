/*
 * Packs of format version 5 that are kept for ever (tests/samples/packs): every jitwarm reads them.
 * Their manifests and entries are made again here to the byte; their frames depend on the build of
 * libzstd and are not compared.
 */
#include "rigs/pack_rig.h"

#include <stdlib.h>

enum { MIB = 1 << 20 };

struct kept {
    const char *name;
    size_t n, size, first;
    bool inside, beside; /* where it is signed */
};

static const struct kept kept[] = {
    {"one.tar.zst", 1, 300, 300, false, false},
    {"signed.tar.zst", 5, 900, 4000, true, true},
    {"frames.tar.zst", 3, 17 * MIB, 40 * MIB, true, false},
};

static struct jw_arena arena;

static const char *path_of(const char *name, const char *suffix)
{
    const char *source = getenv("JW_SOURCE_DIR");
    static char path[4096];

    (void)snprintf(path, sizeof path, "%s/tests/samples/packs/%s%s", source ? source : ".", name,
                   suffix);
    return path;
}

/* Payloads that shrink to almost nothing, for frames of 31 MiB in a small file. */
static void make(struct pack_rig *r, const struct kept *k)
{
    (k->size > MIB ? pack_rig_make_plain : pack_rig_make)(r, k->n, k->size, k->first);
}

static struct jw_trusted_keys trusted(void)
{
    static struct jw_trusted_key key;
    FREED(jw_buf) text = JW_BUF(4096);
    bool found = false;

    CHECK(jw_file_slurp(path_of("tests", ".pub"), &text, &found, JW_IGNORED) && found);
    CHECK(jw_minisign_public_read(jw_buf_bytes(&text), &key.key, JW_IGNORED));
    key.from = "tests.pub";
    return (struct jw_trusted_keys){&key, 1};
}

/* The manifest is the same bytes wherever, whenever and with whatever libzstd a pack is made. */
static void same_manifest(const struct jw_pack_manifest *kept_one,
                          const struct jw_pack_manifest *today)
{
    FREED(jw_buf) was = JW_BUF(JW_MAX_MANIFEST), is = JW_BUF(JW_MAX_MANIFEST);

    CHECK(jw_pack_manifest_write(&was, kept_one, JW_IGNORED)
          && jw_pack_manifest_write(&is, today, JW_IGNORED));
    CHECK(was.n == is.n && memcmp(was.p, is.p, is.n) == 0);
}

TEST(they_are_read)
{
    struct jw_trusted_keys keys = trusted();

    for (size_t i = 0; i < JW_COUNT(kept); i++) {
        struct jw_run check = {0};
        struct jw_pack_verdict v;
        struct jw_pack_in in;
        FREED(pack_rig) r;
        struct pack_reader got = {.rig = &r};

        err = (struct jw_err){0};
        make(&r, &kept[i]);
        CHECK(jw_pack_open(&in, path_of(kept[i].name, ""), &err));
        CHECK(jw_pack_check(&in, &keys, &check, &arena, &v, &err));
        CHECK_NUM(v.kind, kept[i].inside ? JW_PACK_SIGNED : JW_PACK_UNSIGNED);
        CHECK_TEXT(v.key, kept[i].inside ? "0807060504030201" : "");
        CHECK_OK(pack_rig_entries(&in, &got, 0, NULL, &arena, &err), err);
        CHECK_NUM(got.whole, kept[i].n);
        same_manifest(got.manifest, &r.manifest);
        jw_pack_close(&in);
    }
}

TEST(they_are_peeked_at)
{
    for (size_t i = 0; i < JW_COUNT(kept); i++) {
        struct jw_pack_peeked seen;

        err = (struct jw_err){0};
        CHECK_OK(jw_pack_peek(path_of(kept[i].name, ""), NULL, &arena, &seen, &err), err);
        CHECK_NUM(seen.manifest.n_entries, kept[i].n);
        CHECK(seen.manifest.sm == 86 && (seen.key[0] != 0) == (kept[i].beside || kept[i].inside));
    }
}
