/* The kit of a pack: what may be in it, and that it comes out as it went in. */
#include "pack/kit/kit.h"
#include "rigs/pack_rig.h"
#include "rigs/scratch.h"

#include <string.h>

enum { SOME = 3 };

static const char digest_text[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
static const char *const texts[SOME] = { "cubin bytes", "", "a program" };

struct kit_rig {
    struct pack_rig rig;
    struct jw_kit_cache caches[2];
    struct jw_kit_file files[SOME];
    size_t seen;
    bool refuse, other; /* the receiver declines; the file is another one while it is read */
};

static void make_kit(struct kit_rig *k, size_t entries)
{
    *k = (struct kit_rig){
        .caches = { { "cupy", "cupy_cuda12x-13.4.0", digest_text }, { "triton", NULL, digest_text } },
        .files = { { .cache = 0, .path = "a/b.cubin", .mode = 0644, .mtime_us = 1700000000123456 },
                   { .cache = 0, .path = "a/c", .mode = 0600 },
                   { .cache = 1, .path = "x/u.so", .mode = 0755 } }
    };
    pack_rig_make(&k->rig, entries, 2000, 2000);
    for (size_t i = 0; i < SOME; i++)
        k->files[i].bytes = strlen(texts[i]);
    k->rig.manifest.kit = (struct jw_kit){ .packages = digest_text,
                                           .environment = digest_text,
                                           .folder = digest_text,
                                           .caches = k->caches,
                                           .n_caches = 2,
                                           .files = k->files,
                                           .n_files = SOME };
}

static bool give_file(void *ctx, size_t file, uint8_t *dst, size_t n, struct jw_err *err)
{
    struct kit_rig *k = ctx;

    (void)err;
    memcpy(dst, texts[file], n);
    if (k->other && n)
        dst[0] ^= 1;
    return true;
}

static bool entry_of(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err)
{
    struct jw_pack_content from = pack_rig_source(&((struct kit_rig *)ctx)->rig);

    return from.read(from.ctx, entry, dst, n, err);
}

static bool on_entries(void *ctx, size_t first, size_t n, const struct jw_digest_text *files,
                       struct jw_err *err)
{
    (void)ctx;
    (void)first;
    (void)n;
    (void)files;
    (void)err;
    return true;
}

static bool on_file(void *ctx, size_t file, struct jw_bytes bytes, struct jw_err *err)
{
    struct kit_rig *k = ctx;

    CHECK(bytes.n == strlen(texts[file]) && memcmp(bytes.p, texts[file], bytes.n) == 0);
    k->seen |= (size_t)1 << file;
    return !k->refuse || jw_fail(err, JW_E_IO, "no room");
}

static bool write_kit(struct kit_rig *k, struct jw_buf *out, struct jw_err *err)
{
    struct jw_pack_write_options o = pack_rig_options(&k->rig);
    struct jw_pack_written w;

    return jw_pack_write(jw_sink_buf(out), &k->rig.manifest, k->rig.entries,
                         (struct jw_pack_content){ entry_of, k, give_file }, &o, &w, err);
}

static bool read_kit(struct kit_rig *k, struct jw_bytes pack, struct jw_arena *a,
                     const struct jw_pack_manifest **m, struct jw_err *err)
{
    struct jw_source bytes = jw_source_memory(&pack);
    struct jw_run c = { 0 };
    struct jw_pack_read_options r = { 0 };
    struct jw_trusted_keys keys = { 0 };
    struct jw_pack_verdict v;
    struct jw_pack_in in = { 0 };
    bool ok = jw_pack_open_source(&in, bytes, "x", err) && jw_pack_check(&in, &keys, &c, a, &v, err)
              && jw_pack_manifest(&in, a, m, err)
              && jw_pack_read(&in, *m, (struct jw_pack_visitor){ on_entries, k, on_file }, &r, err);

    jw_pack_close(&in);
    return ok;
}

static void round_trip(size_t entries)
{
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX);
    const struct jw_pack_manifest *m = NULL;
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    struct kit_rig k;

    make_kit(&k, entries);
    CHECK(write_kit(&k, &pack, &err));
    CHECK(read_kit(&k, jw_buf_bytes(&pack), &a, &m, &err));
    CHECK_NUM(k.seen, 7);
    CHECK_NUM(m->kit.n_files, SOME);
    CHECK_TEXT(m->kit.files[0].path, "a/b.cubin");
    CHECK_NUM(m->kit.files[0].mtime_us, 1700000000123456);
    CHECK_NUM(m->kit.files[2].mode, 0755);
    CHECK_TEXT(m->kit.caches[0].version, "cupy_cuda12x-13.4.0");
    CHECK(!m->kit.caches[1].version);
    k.refuse = true;
    CHECK(!read_kit(&k, jw_buf_bytes(&pack), &a, &m, &err) && strcmp(err.msg, "no room") == 0);
    pack_rig_free(&k.rig);
    jw_arena_free(&a);
    jw_buf_free(&pack);
}

TEST(what_goes_in_comes_out_with_and_without_entries)
{
    scratch_begin();
    round_trip(5);
    round_trip(0);
}

/* Digests are in the manifest: bytes of the pack that were changed after its check are none of its files. */
TEST_ARENA(a_file_that_changed_since_the_check_is_refused)
{
    struct jw_buf one = JW_BUF(PACK_RIG_MAX), two = JW_BUF(PACK_RIG_MAX);
    const struct jw_pack_manifest *m = NULL, *other = NULL;
    struct jw_err err = { 0 };
    struct kit_rig k;

    scratch_begin();
    make_kit(&k, 0);
    CHECK(write_kit(&k, &one, &err) && read_kit(&k, jw_buf_bytes(&one), a, &m, &err));
    k.other = true;
    CHECK(write_kit(&k, &two, &err));

    struct jw_bytes changed = jw_buf_bytes(&two);
    struct jw_source bytes = jw_source_memory(&changed);
    struct jw_run c = { 0 };
    struct jw_pack_read_options r = { 0 };
    struct jw_trusted_keys keys = { 0 };
    struct jw_pack_verdict v;
    struct jw_pack_in in = { 0 };

    CHECK(jw_pack_open_source(&in, bytes, "x", &err) && jw_pack_check(&in, &keys, &c, a, &v, &err)
          && jw_pack_manifest(&in, a, &other, &err));
    CHECK(!jw_pack_read(&in, m, (struct jw_pack_visitor){ on_entries, &k, on_file }, &r, &err));
    CHECK(strstr(err.msg, "kit/000000 has not the digest"));
    jw_pack_close(&in);
    pack_rig_free(&k.rig);
    jw_buf_free(&one);
    jw_buf_free(&two);
}

TEST(a_path_leads_nowhere_else)
{
    static const char *const bad[] = { "",      "/etc/passwd", "../x",  "a/../x", "a/./x",       "a//x",
                                       "a/",    ".",           "..",    "a\\b",   "C:x",         "a\nb",
                                       "a\x7f", "\xff",        "a./x",  "x ",     "a/b.",        "con?",
                                       "a*",    "CON",         "a/nul", "aux.c",  "x/Com1.so/y", "lpt9" };
    static const char *const good[] = {
        "x", "a/b/c", ".hidden/x", "__grp__add.json", "wp_x\xc3\xa4/y.cubin", "a b/c", "console", "com/x"
    };
    char deep[64] = "a";

    for (size_t i = 0; i < JW_COUNT(bad); i++)
        CHECK(!jw_kit_path_plain(bad[i]));
    for (size_t i = 0; i < JW_COUNT(good); i++)
        CHECK(jw_kit_path_plain(good[i]));
    for (unsigned i = 1; i < JW_MAX_KIT_DEPTH; i++)
        memcpy(deep + 2 * i - 1, "/a", 3);
    CHECK(jw_kit_path_plain(deep));
    memcpy(deep + strlen(deep), "/a", 3);
    CHECK(!jw_kit_path_plain(deep));
}

static const char *refusal(struct kit_rig *k)
{
    static struct jw_err err;

    err = (struct jw_err){ 0 };
    return jw_kit_check(&k->rig.manifest.kit, &err) ? "" : err.msg;
}

TEST(a_hostile_kit_is_refused_before_a_file_is_made)
{
    struct kit_rig k;
    struct jw_kit *kit = &k.rig.manifest.kit;

    scratch_begin();
    make_kit(&k, 1);
    CHECK_TEXT(refusal(&k), "");
    k.files[2].mode = 04755;
    CHECK(strstr(refusal(&k), "the mode of file 2 is 04755"));
    k.files[2].mode = 0777;
    CHECK(strstr(refusal(&k), "the mode of file 2 is 0777"));
    k.files[2].mode = 0755;
    k.files[2].cache = 2;
    CHECK(strstr(refusal(&k), "the cache of file 2 is 2 of 2"));
    k.files[2].cache = 1;
    k.files[1].path = "a/b.cubin";
    CHECK(strstr(refusal(&k), "file 1 is not behind the one before it"));
    k.files[1].path = "../c";
    CHECK(strstr(refusal(&k), "the path of file 1"));
    k.files[0].path = "a";
    k.files[1].path = "a/c";
    CHECK(strstr(refusal(&k), "file 0 is the folder of file 1"));
    k.files[0].path = "a/c";
    k.files[1].path = "a/c/d/e";
    CHECK(strstr(refusal(&k), "file 0 is the folder of file 1"));
    k.files[0].path = "a/b.cubin";
    k.files[1].path = "a/c";
    k.files[0].bytes = JW_MAX_KIT_FILE + 1;
    CHECK(strstr(refusal(&k), "file 0 has"));
    k.files[0].bytes = 1;
    kit->n_files = 1000000;
    CHECK(strstr(refusal(&k), "1000000 files, expected at most 20000"));
    kit->n_files = SOME;
    k.caches[1].name = "cupy";
    CHECK(strstr(refusal(&k), "two caches are named cupy"));
    k.caches[1].name = "../x";
    CHECK(strstr(refusal(&k), "the name of cache 1"));
    k.caches[1].name = "triton";
    kit->packages = "short";
    CHECK(strstr(refusal(&k), "packages is not a digest"));
    kit->packages = NULL;
    CHECK_TEXT(refusal(&k), "");
    kit->n_files = 0;
    CHECK(strstr(refusal(&k), "it has no file"));
    pack_rig_free(&k.rig);
}

/* As a signer could spell it: the reader holds the same rules. */
TEST_ARENA(a_manifest_that_leads_out_of_the_folder_is_refused)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    struct jw_pack_manifest m;
    struct jw_err err = { 0 };
    struct kit_rig k;

    scratch_begin();
    make_kit(&k, 1);
    CHECK(jw_pack_manifest_write(&text, &k.rig.manifest, &err));
    CHECK(jw_pack_manifest_read(jw_buf_bytes(&text), a, &m, &err));
    (void)jw_buf_cstr(&text);
    char *at = strstr((char *)text.p, "a/b.cubin");
    CHECK(at != NULL);
    memcpy(at, "../.cubin", 9);
    CHECK(!jw_pack_manifest_read(jw_buf_bytes(&text), a, &m, &err) && strstr(err.msg, "the path of file 0"));
    pack_rig_free(&k.rig);
    jw_buf_free(&text);
}

TEST_ARENA(variables_that_differ_are_named)
{
    static const struct {
        const char *then, *now, *says;
    } rows[] = {
        { NULL, NULL, NULL },
        { "CC=5f", "CC=5f", NULL },
        { "CC=5f", NULL, "variables (CC is not set here)" },
        { "CC=5f", "CC=60", "variables (CC)" },
        { NULL, "CC=5f", "variables (CC is set here alone)" },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        const struct jw_kit then = { .variables = rows[i].then }, now = { .variables = rows[i].now };
        const char *says = jw_kit_variables_differ(&then, &now, a);

        CHECK_TEXT(says ? says : "", rows[i].says ? rows[i].says : "");
    }
}

/* Beside a program's sources the folder's name says nothing of what made its files. */
TEST(a_cache_beside_sources_is_named_by_its_compiler)
{
#define BESIDE "/opt/work/lib/__pycache__/"
    static const struct {
        const char *files[3], *name;
    } rows[] = { { { BESIDE "k.f-3.py311.nbi", BESIDE "k.f-3.py311.1.nbc" }, "numba-lib" },
                 { { BESIDE "k.f-3.py311.nbi", "/opt/work/lib/sub/__pycache__/m.g-1.py311.nbi" },
                   "numba-lib" },
                 { { BESIDE "k.f-3.py311.nbi", "/opt/work/lib/other.bin" }, "lib" },
                 { { "/opt/work/lib/other.bin", BESIDE "k.f-3.py311.nbi" }, "lib" },
                 { { "/opt/work/lib/other.bin" }, "lib" } };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct jw_arena a = { 0 };
        struct jw_kit_tops *t = jw_kit_tops_new(NULL, &a);
        const struct jw_kit_top *top = NULL;
        size_t n;

        for (size_t k = 0; k < JW_COUNT(rows[i].files) && rows[i].files[k]; k++)
            top = jw_kit_top_of(t, rows[i].files[k]);
        (void)jw_kit_tops_all(t, &n);
        CHECK_TEXT(top ? top->cache.name : "(none)", rows[i].name);
        jw_arena_free(&a);
    }
#undef BESIDE
}
