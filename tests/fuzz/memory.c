#include "base/fields.h"
#include "base/path.h"
#include "fuzz.h"
#include "machine/trust.h"
#include "memory/bans.h"
#include "memory/ledger.h"
#include "memory/roots.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "software/scan/scan_memo.h"

#include <stdio.h>

/* What jitwarm remembers, as files in a folder of this process: whatever they are, they are read or
 * refused as a whole, and what was read is the same when it is written and read again. */

static char *made; /* one left behind by a crash is removed by the next run */

static void remove_it(void) { jw_scratch_remove(made); }

static const char *folder(void)
{
    static struct jw_arena a;
    const char *in = getenv("JW_TEST_MEMORY") ? getenv("JW_TEST_MEMORY") : getenv("TEMP");
    struct jw_err err = {0};

    if (!made) {
        FUZZ_CHECK(jw_scratch_make(in ? in : "/tmp", "jitwarm-fuzz-", &a, &made, &err));
        FUZZ_CHECK(atexit(remove_it) == 0);
    }
    return made;
}

/* Two folders deep, as below a state: what is above the state is nobody's here. */
static struct jw_cache_memory remembered(struct jw_arena *a)
{
    const char *caches = jw_path_join(a, folder(), "caches"), *dir = jw_path_join(a, caches, "0");
    struct jw_err err = {0};

    FUZZ_CHECK(jw_make_private_dir(caches, &err) && jw_make_private_dir(dir, &err));
    return (struct jw_cache_memory){.cache = "/cache", .dir = dir};
}

static void put(const char *path, struct jw_bytes bytes)
{
    struct jw_err err = {0};

    FUZZ_CHECK(jw_file_put(path, JW_OUT_REPLACE | JW_OUT_PRIVATE | JW_OUT_FAST, bytes, &err));
}

/* A copy whose hashes hold, so that what is behind that check is reached, too. */
static struct jw_bytes sealed(const uint8_t *data, size_t size, struct jw_arena *a)
{
    enum { HEAD = 4 + 2 };
    uint8_t *copy = jw_arena_copy(a, data, size), *p = copy;
    size_t n = size;

    while (n >= HEAD && jw_le32(p) <= n - HEAD && n - HEAD - jw_le32(p) >= 8) {
        size_t hashed = HEAD + jw_le32(p);

        jw_put64(p + hashed, jw_fnv1a(JW_FNV_START, p, hashed));
        p += hashed + 8;
        n -= hashed + 8;
    }
    return (struct jw_bytes){copy, size};
}

/* ---- roots ---- */

static void check_roots(struct jw_bytes file, struct jw_arena *a)
{
    struct jw_cache_memory f = remembered(a);
    struct jw_roots read, again;
    struct jw_err err = {0};

    put(jw_path_join(a, f.dir, JW_ROOTS_FILE), file);
    jw_roots_load(&f, a, &read);
    FUZZ_CHECK(!read.damaged || !read.n);
    if (!read.n)
        return;
    FUZZ_CHECK(jw_roots_save(&f, &read, &err));
    jw_roots_load(&f, a, &again);
    FUZZ_CHECK(!again.damaged && again.n == read.n);
    for (size_t i = 0; i < read.n; i++)
        FUZZ_CHECK(again.v[i].kind == read.v[i].kind && again.v[i].n_modules == read.v[i].n_modules
                   && again.v[i].n_words == read.v[i].n_words);
    FUZZ_CHECK(jw_roots_forget(&again, &read.v[0]));
}

FUZZ(roots)
{
    FREED(jw_arena) a = {.max = (size_t)64 << 20};

    check_roots((struct jw_bytes){data, size}, &a);
    check_roots(sealed(data, size, &a), &a);
}

/* ---- bans ---- */

static void check_bans(struct jw_bytes file, struct jw_arena *a)
{
    struct jw_cache_memory f = remembered(a);
    struct jw_bans read, again;

    put(jw_path_join(a, f.dir, "bans"), file);
    jw_bans_load(&f, a, &read);
    if (!read.n)
        return;
    FUZZ_CHECK(jw_bans_change(&f, &(struct jw_bans){0}, JW_IGNORED));
    jw_bans_load(&f, a, &again);
    for (size_t i = 0; i < read.n; i++) {
        const struct jw_ban *b = &read.v[i];
        struct jw_job j = {.sm = b->sm};

        memcpy(j.id, b->id, sizeof j.id);
        FUZZ_CHECK(b->how == JW_JOB_LOADED
                   || jw_ban_of(&again, &j,
                                &(struct jw_scope){.build = b->build, .compiler = b->compiler}));
    }
}

FUZZ(bans)
{
    FREED(jw_arena) a = {.max = (size_t)64 << 20};

    check_bans((struct jw_bytes){data, size}, &a);
    check_bans(sealed(data, size, &a), &a);
}

/* ---- ledger ---- */

/* Each record's own file is asked for. */
static void check_found(struct jw_ledger *l, struct jw_bytes file)
{
    struct jw_reader r = jw_reader(file);
    struct jw_record record;
    uint64_t sum = 0;

    while (jw_record_take(&r, &record)) {
        struct jw_reader body = jw_reader(record.body);
        struct jw_file_info info = {.kind = JW_FILE_REGULAR};
        const char *path;
        struct jw_bytes value;
        struct jw_err err = {0};

        jw_fields_get(&body, (const struct jw_field[]){JW_FIELD_TEXT_ALONE, {0}}, NULL, &path);
        info.size = jw_u64(&body);
        info.id.volume = jw_u64(&body);
        info.id.node = jw_u64(&body);
        info.mtime = (int64_t)jw_u64(&body);
        info.ctime = (int64_t)jw_u64(&body);
        if (jw_ledger_find(l, path, &info, &value))
            FUZZ_CHECK(!value.n
                       || fuzz_put(&sum, value.p, value.n, &err)); /* none: a file without code */
    }
}

static void set_state(void)
{
    static char variable[1024]; /* putenv keeps what it is given */

    (void)snprintf(variable, sizeof variable, "JITWARM_STATE=%s", folder());
    FUZZ_CHECK(putenv(variable) == 0);
}

static void check_ledger(struct jw_bytes file, struct jw_arena *a)
{
    static const uint8_t view[JW_DIGEST];
    const char *dir = jw_path_join(a, folder(), "ledger");
    struct jw_err err = {0};
    struct jw_ledger *l;

    set_state();
    FUZZ_CHECK(jw_trust_make(dir, &err));
    put(jw_path_join(a, dir, "00000000000000000000000000000000"), file);
    l = jw_ledger_open(view);
    check_found(l, file);
    jw_ledger_close(l);
}

FUZZ(ledger)
{
    FREED(jw_arena) a = {.max = (size_t)64 << 20};

    check_ledger((struct jw_bytes){data, size}, &a);
    check_ledger(sealed(data, size, &a), &a);
}

/* ---- memo: what the ledger holds of one file ---- */

FUZZ(memo)
{
    FREED(jw_arena) a = {.max = (size_t)64 << 20};
    struct scan_known k = {.path = "/opt/app/lib.so",
                           .info = {.kind = JW_FILE_REGULAR, .size = (uint64_t)1 << 20}};
    FREED(jw_buf) again = JW_BUF(size + 1);

    if (scan_memo_read((struct jw_bytes){data, size}, &a, &k)) {
        scan_memo_write(&k, &again);
        FUZZ_CHECK(!again.bad && fuzz_same(jw_buf_bytes(&again), (struct jw_bytes){data, size}));
    }
}
