/*
 * Every entry and index of the trees below JITWARM_SAMPLES: <tree>/index, <tree>/<h>/<h>/<14 hex digits>.
 * Of trees that are known by name the numbers must be right, too.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "check.h"
#include "os/files/dir.h"
#include "os/machine/env.h"
#include "rigs/cache_entry.h"
#include "samples/sample_table.h"

#include <stdlib.h>

static const struct {
    const char *name;
    unsigned entries, orphans, missing;
} known[] = {
    { "drjit-sm120", 85, 0, 1 }, /* the files above 4 MB are not in the sample */
    { "linux-580.126.09-opencl-orphans", 56, 5, 0 },
    { "tensorflow-sm120", 3, 0, 2 },
};

struct tree {
    const char *path, *name;
    struct jw_cache_index index;
    bool *seen; /* one for each record */
    unsigned entries, orphans, foreign, bad;
    struct sample_table *table;
    struct jw_arena *arena; /* the table's names live there */
};

/* A failure is reported with the path, and counted; the others go on. */
static bool sound(struct tree *t, const char *path, bool ok, const struct jw_err *err)
{
    if (!ok) {
        printf("%s: %s\n", path, err->msg);
        t->bad++;
    }
    return ok;
}

static const char *join(struct tree *t, const char *a, const char *b)
{
    FREED(jw_buf) path = JW_BUF(JW_MAX_PATH);
    char *text;

    jw_buf_printf(&path, "%s/%s", a, b);
    text = jw_arena_str(t->arena, jw_buf_cstr(&path));
    return text ? text : "";
}

/* ---- one entry ---- */

/* The parts of a key predict the name that it has; and its first bytes alone tell the same. */
static void check_key(struct jw_bytes bytes, uint64_t name, const struct jw_cache_key *key)
{
    FREED(jw_buf) made = JW_BUF(JW_MAX_CACHE_KEY);
    struct jw_cache_key head;
    char options[512];

    CHECK(key->kind != JW_CACHE_OTHER);
    jw_cache_key_read((struct jw_bytes){ bytes.p, bytes.n < JW_CACHE_KEY_HEAD ? bytes.n : JW_CACHE_KEY_HEAD },
                      bytes.n, &head);
    CHECK_TEXT(head.stamp, key->stamp);
    CHECK(!key->stamp[0] || strcmp(head.arch, key->arch) == 0);
    CHECK(head.kind == key->kind || (key->kind == JW_CACHE_OPENCL && head.kind == JW_CACHE_CUDA));
    if (!key->stamp[0])
        return;
    CHECK(key->options.n >= 1 && key->options.n < sizeof options && key->options.p[0] == ' ');
    (void)snprintf(options, sizeof options, "%.*s", (int)key->options.n - 1,
                   (const char *)key->options.p + 1);
    jw_cache_key_make(&made, key->stamp, key->arch, key->input, key->nuls, options);
    CHECK(!made.bad && made.n == bytes.n && jw_fnv1a(JW_FNV_START, made.p, made.n) == name);
}

static bool in_index(struct tree *t, uint64_t name, uint64_t size)
{
    for (size_t i = 0; i < t->index.n; i++) {
        if (t->index.list[i].hash != name)
            continue;
        CHECK_NUM(t->index.list[i].size, size);
        t->seen[i] = true;
        return true;
    }
    return false;
}

static void count(struct tree *t, struct jw_bytes bytes, uint64_t name, const struct jw_cache_entry *e)
{
    struct sample_row row = { .tree = t->name, .entries = 1 };
    struct jw_cache_key key;

    jw_cache_key_read((struct jw_bytes){ bytes.p + JW_CACHE_HEADER, (size_t)e->key_size }, e->key_size, &key);
    check_key((struct jw_bytes){ bytes.p + JW_CACHE_HEADER, (size_t)e->key_size }, name, &key);
    row.kind = key.kind;
    row.nuls = key.nuls;
    row.payload = bytes.p[JW_CACHE_HEADER + e->key_size] == 0x7f ? "ELF" : "PTX";
    memcpy(row.stamp, key.stamp, sizeof row.stamp);
    memcpy(row.arch, key.arch, sizeof row.arch);
    (void)snprintf(row.options, sizeof row.options, "%.*s", (int)key.options.n, (const char *)key.options.p);
    row.orphans = !in_index(t, name, e->key_size + e->payload_size);
    if (row.orphans)
        printf("%s/%s: no record in the index\n", t->name, jw_cache_name(name).text);
    t->entries++;
    t->orphans += row.orphans;
    sample_count(t->table, &row);
}

/* The file that the test holds in memory, written again from its parts, is the same. */
static bool same_again(struct jw_bytes bytes, uint64_t name, const struct jw_cache_entry *e)
{
    FREED(jw_buf) again = JW_BUF(bytes.n);
    size_t key = (size_t)e->key_size;
    uint64_t named = 0;
    bool ok = cache_entry_write(&again, (struct jw_bytes){ bytes.p + JW_CACHE_HEADER, key },
                                (struct jw_bytes){ bytes.p + JW_CACHE_HEADER + key, (size_t)e->payload_size },
                                &named, JW_IGNORED)
              && named == name && again.n == bytes.n && memcmp(again.p, bytes.p, bytes.n) == 0;

    return ok;
}

static void entry(struct tree *t, const char *path, uint64_t name)
{
    FREED(jw_buf) b = JW_BUF(JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD);
    struct jw_cache_entry e;
    struct jw_err err = { 0 };
    bool found;

    if (sound(t, path, jw_file_slurp(path, &b, &found, &err), &err)) {
        struct jw_bytes bytes = jw_buf_bytes(&b);
        struct jw_source src = jw_source_memory(&bytes);

        if (sound(t, path, jw_cache_entry_check(&src, name, &e, &err), &err)) {
            CHECK(same_again(bytes, name, &e));
            count(t, bytes, name, &e);
        }
    }
}

/* ---- a tree ---- */

/* Calls `fn` for each name in a folder. */
static void each(struct tree *t, const char *path,
                 void (*fn)(struct tree *, const char *path, const char *name))
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err err = { 0 };
    bool more = true;

    if (!sound(t, path, jw_dir_open(&dir, path, &err), &err))
        return;
    while (more && sound(t, path, jw_dir_next(dir, &e, &more, &err), &err) && more)
        fn(t, path, e.name);
    jw_dir_close(dir);
}

static void leaf(struct tree *t, const char *path, const char *name)
{
    size_t n = strlen(path);
    char h0[2] = { path[n - 3], '\0' }, h1[2] = { path[n - 1], '\0' };
    uint64_t hash;

    if (jw_cache_name_parse(h0, h1, name, &hash))
        entry(t, join(t, path, name), hash);
    else
        t->foreign++;
}

static void second_level(struct tree *t, const char *path, const char *name)
{
    each(t, join(t, path, name), leaf);
}

static void first_level(struct tree *t, const char *path, const char *name)
{
    if (strlen(name) == 1)
        each(t, join(t, path, name), second_level);
    else
        t->foreign += strcmp(name, "index") != 0;
}

/* Sum, order and uniqueness: what was read, added again record by record and written is the same file. */
static void read_index(struct tree *t)
{
    const char *path = join(t, t->path, "index");
    FREED(jw_cache_index) again = { 0 };
    FREED(jw_buf) b = JW_BUF(64 << 20), written = JW_BUF(64 << 20);
    bool found = false;
    struct jw_err err = { 0 };

    CHECK(jw_file_slurp(path, &b, &found, &err) && found);
    (void)sound(t, path, jw_cache_index_read(jw_buf_bytes(&b), &t->index, &err), &err);
    for (size_t i = 0; i < t->index.n; i++)
        CHECK(jw_cache_index_add(&again, t->index.list[i], &err));
    CHECK(again.n == t->index.n && again.total == t->index.total);
    CHECK(jw_cache_index_write(&again, &written, &err));
    CHECK(written.n == b.n && b.n && memcmp(written.p, b.p, b.n) == 0);
    t->seen = calloc(t->index.n + 1, sizeof *t->seen);
}

static void expect(const struct tree *t, unsigned missing)
{
    for (size_t i = 0; i < JW_COUNT(known); i++) {
        if (strcmp(known[i].name, t->name) != 0)
            continue;
        CHECK_NUM(t->entries, known[i].entries);
        CHECK_NUM(t->orphans, known[i].orphans);
        CHECK_NUM(missing, known[i].missing);
    }
}

static unsigned tree(struct jw_arena *arena, struct sample_table *table, const char *folder, const char *name)
{
    struct tree t = { .arena = arena, .table = table };
    unsigned missing = 0;

    t.path = join(&t, folder, name);
    t.name = jw_arena_str(arena, name);
    read_index(&t);
    each(&t, t.path, first_level);
    for (size_t i = 0; i < t.index.n; i++)
        missing += !t.seen[i];
    printf(
        "%s: %zu records, %u entries, %u of them without a record, %u records without a file, %u damaged\n",
        t.name, t.index.n, t.entries, t.orphans, missing, t.bad);
    CHECK_NUM(t.bad, 0);
    CHECK_NUM(t.foreign, 0);
    CHECK_NUM(t.entries - t.orphans + missing, t.index.n);
    expect(&t, missing);
    free(t.seen);
    jw_cache_index_free(&t.index);
    return t.entries;
}

TEST(every_tree)
{
    struct jw_arena arena = { 0 };
    const char *folder = jw_env(&arena, "JITWARM_SAMPLES");
    struct sample_table *table = calloc(1, sizeof *table);
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    unsigned entries = 0, trees = 0;
    bool more = true;

    if (!folder || !*folder) {
        free(table);
        jw_arena_free(&arena);
        SKIP("JITWARM_SAMPLES does not name a folder of cache trees");
    }
    CHECK(jw_dir_open(&dir, folder, &err));
    while (dir && jw_dir_next(dir, &e, &more, &err) && more) {
        if (e.kind != JW_FILE_DIR)
            continue;
        entries += tree(&arena, table, folder, e.name);
        trees++;
    }
    sample_print(table);
    printf("%u trees, %u entries\n", trees, entries);
    CHECK(trees && !more && table->left_out == 0);
    jw_dir_close(dir);
    jw_arena_free(&arena);
    free(table);
}
