/* Folders as a driver of one stamp would leave them, and each way in which another one could
 * differ. */
#include "driver/probe/probe_check.h"

#include "base/path.h"
#include "check.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"

static struct jw_arena arena;
static struct probe_module set[JW_PROBE_MAX];
static size_t n_set;                 /* that were fed, without the placing test's */
static uint64_t names[JW_PROBE_MAX]; /* of the entries that were filled in last */

struct like {
    const char *stamp, *arch;
    unsigned skip; /* so many modules leave nothing */
};

static struct like as_known(void) { return (struct like){.stamp = CACHE_NOW, .arch = "sm_86"}; }

static uint64_t add_module(struct cache *c, const struct probe_module *m, const struct like *l)
{
    FREED(jw_buf) key = JW_BUF(1 << 20);

    jw_cache_key_make(&key, l->stamp, l->arch, jw_buf_bytes(&m->ptx), m->nuls, m->options);

    return cache_add_key(c, jw_buf_bytes(&key), 600);
}

static struct cache begin(const char *name) { return cache_make(&arena, name); }

/* A folder as a driver like `l` leaves it; its index is not yet written. */
static struct cache filled(const char *name, const struct like *l)
{
    struct cache c = begin(name);

    for (size_t i = l->skip; i < n_set; i++)
        names[i] = add_module(&c, &set[i], l);
    return c;
}

static struct probe_findings check(const struct cache *c)
{
    struct probe_findings f = {.arena = &arena};
    FREED(jw_cache_listing) l;
    struct jw_err err = {0};

    CHECK(jw_cache_list(c->folder, true, NULL, &arena, &l, &err));
    CHECK_OK(probe_check(&f, set, n_set, 86, &l, &err), err);
    return f;
}

/* The same of a cache whose index is to be written. */
static struct probe_findings check_written(struct cache *c)
{
    cache_done(c);
    return check(c);
}

/* `why` the next level was not reached; NULL: it was. */
static void expect(struct probe_findings f, enum jw_level level, const char *why)
{
    CHECK_NUM(f.level + 1, level + 1);
    CHECK(!f.why == !why);
    CHECK_HAS(f.why ? f.why : "", why ? why : "");
    CHECK((f.level >= JW_LEVEL_READABLE) == (f.stamp != NULL));
}

TEST(all_as_expected)
{
    struct like l = as_known();
    struct cache c = filled("whole", &l);

    struct probe_findings f = check_written(&c);

    expect(f, JW_LEVEL_PREDICTABLE, NULL);
    CHECK_TEXT(f.stamp, CACHE_NOW);
}

/* A file of the driver's own beside the entries is nobody's business. */
TEST(other_names)
{
    struct like l = as_known();
    struct cache c = filled("others", &l);

    cache_done(&c);
    cache_put(&c, "version", "1", 1);
    expect(check(&c), JW_LEVEL_PREDICTABLE, NULL);
}

/* ---- level 0 ---- */

TEST(nothing)
{
    struct cache c = begin("nothing");

    expect(check(&c), JW_LEVEL_NONE, "compiled 5 tiny modules, but cached no file");
    c.folder = jw_path_join(&arena, c.folder, "not-there");
    expect(check(&c), JW_LEVEL_NONE, "cached no file");
    cache_done(&c);
}

TEST(other_names_alone)
{
    struct cache c = begin("database");

    cache_put(&c, "cache.db", "x", 1);
    expect(check(&c), JW_LEVEL_OPAQUE, "none of the files is named");
    cache_done(&c);
}

/* ---- level 1 ---- */

TEST(a_torn_entry)
{
    struct like l = as_known();
    struct cache c = filled("torn", &l);
    FREED(jw_buf) bytes = cache_get(&c, names[2]);

    cache_done(&c);
    cache_put(&c, jw_cache_name(names[2]).text, bytes.p, bytes.n - 9);
    expect(check(&c), JW_LEVEL_OPAQUE, "is not as expected: ");
}

static void add_text_key(struct cache *c, const char *text, size_t n)
{
    (void)cache_add_key(c, (struct jw_bytes){(const uint8_t *)text, n}, 600);
}

TEST(strange_keys)
{
    static const char opencl[] = "__kernel void k() {}\0-cl-nv-arch sm_86";
    struct cache c = begin("opencl");

    add_text_key(&c, opencl, sizeof opencl);
    expect(check_written(&c), JW_LEVEL_OPAQUE, "what it is about cannot be read off it");
    c = begin("foreign-ptx");
    (void)cache_add(&c, CACHE_NOW, "sm_86", 7, 600);
    expect(check_written(&c), JW_LEVEL_OPAQUE, "loaded 5 modules, but cached 1 files");
}

TEST(mixed_stamps_and_gpus)
{
    struct like l = as_known(), before = l, other = l;

    l.skip = 1;
    before.stamp = CACHE_BEFORE;
    struct cache c = filled("stamps", &l);

    (void)add_module(&c, &set[0], &before);
    struct probe_findings f = check_written(&c);

    expect(f, JW_LEVEL_OPAQUE, "different drivers or GPUs");
    CHECK_HAS((f.why ? f.why : ""), CACHE_BEFORE);
    CHECK_HAS((f.why ? f.why : ""), CACHE_NOW);
    other.arch = "sm_89";
    c = filled("archs", &l);
    (void)add_module(&c, &set[0], &other);
    expect(check_written(&c), JW_LEVEL_OPAQUE, "different drivers or GPUs");
}

TEST(a_module_that_left_nothing)
{
    struct like l = as_known();

    l.skip = 1;
    struct cache c = filled("fewer", &l);

    expect(check_written(&c), JW_LEVEL_OPAQUE, "loaded 5 modules, but cached 4 files");
}

TEST(indexes)
{
    struct like l = as_known();
    struct cache c = filled("no-index", &l);
    expect(check(&c), JW_LEVEL_OPAQUE, "wrote no index");
    jw_cache_index_free(&c.index);
    c = filled("torn-index", &l);
    cache_done(&c);
    cache_put(&c, "index", "\x41\0\0\0\1\0\0\0", 8);
    expect(check(&c), JW_LEVEL_OPAQUE, "the index is not as expected: ");
    c = filled("orphan", &l);
    cache_forget(&c, names[3]);
    expect(check_written(&c), JW_LEVEL_OPAQUE,
           "1 of 5 files are not in it, and 0 in it are no files");
    c = filled("missing", &l);
    cache_remove(&c, names[3]);
    expect(check_written(&c), JW_LEVEL_OPAQUE,
           "0 of 4 files are not in it, and 1 in it are no files");
}

/* ---- level 2 ---- */

/* Keys with what nobody expects in them: still readable, but not to be predicted. */
TEST(other_options)
{
    struct like l = as_known();
    struct cache c = begin("options");
    FREED(jw_buf) key = JW_BUF(1 << 20);

    for (size_t i = 0; i < n_set; i++) {
        jw_buf_clear(&key);
        jw_cache_key_make(&key, l.stamp, l.arch, jw_buf_bytes(&set[i].ptx), set[i].text ? 1 : 2,
                          set[i].options);
        if (i >= 3)
            jw_buf_text(&key, " -O2");
        (void)cache_add_key(&c, jw_buf_bytes(&key), 600);
    }
    expect(check_written(&c), JW_LEVEL_READABLE,
           "2 of 5 files have another name than was computed (module packed with zstd: not ");
}

MAIN(argc, argv)
{
    int code;

    scratch_begin();
    if (!probe_set_make(set, &n_set, 13000, JW_IGNORED))
        return 1;
    n_set--;
    code = RUN(argc, argv);
    probe_set_free(set);
    jw_arena_free(&arena);
    return code;
}
