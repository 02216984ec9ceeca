/* Entries and records into a root: each answer, the order, every state that an index can be in. */
#include "rigs/publish_rig.h"

#include "base/fault.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/change/publish_index.h"
#include "cache/place/index_file.h"
#include "os/files/file.h"
#include "os/files/folder.h"
#include "os/sys.h"
#include "rigs/cache.h"
#include "rigs/cache_entry.h"
#include "rigs/naps.h"
#include "rigs/scratch.h"

enum { MANY = 600, FEW = 40 };

static const char *index_path(void) { return jw_path_join(&pub_arena, pub_folder(), "index"); }

/* ---- files ---- */

EACH(pub_begin, NULL)

TEST(placed)
{
    struct jw_publish_entry list[5];

    for (unsigned i = 0; i < 5; i++)
        list[i] = pub_entry(i, 300 + i);

    struct jw_publish_entry before[5];

    memcpy(before, list, sizeof list);
    pub_add(list, 5);

    for (unsigned i = 0; i < 5; i++) {
        CHECK_NUM(list[i].result, JW_PUBLISH_PLACED);
        CHECK_NUM(list[i].size, before[i].size);
        CHECK(!list[i].why && !scratch_there(list[i].from));
    }
    pub_expect(5, 5);
    FREED(jw_cache_listing) l = pub_list();
    for (unsigned i = 0; i < 5; i++) /* in the caller's order */
        CHECK(l.index.list[i].hash == list[i].name && l.index.list[i].size == before[i].size);
}

TEST(there_already)
{
    struct jw_publish_entry e = pub_entry(1, 300);

    pub_add(&e, 1);
    e = pub_entry(1, 300);
    pub_add(&e, 1);

    CHECK_NUM(e.result, JW_PUBLISH_THERE);
    CHECK(!scratch_there(e.from));

    struct jw_buf theirs = pub_slurp(pub_target(e.name)), after;

    e = pub_entry(1, 500); /* sound, too, and with the same key: theirs stays */
    pub_add(&e, 1);
    CHECK_NUM(e.result, JW_PUBLISH_THERE);
    CHECK_NUM(e.size + JW_CACHE_HEADER, theirs.n);
    CHECK(!scratch_there(e.from));
    after = pub_slurp(pub_target(e.name));
    CHECK(after.n == theirs.n && memcmp(after.p, theirs.p, after.n) == 0);
    jw_buf_free(&after);
    jw_buf_free(&theirs);
    pub_expect(1, 1);
}

/* A driver refused the one that is there, though it is whole. */
TEST(a_whole_one_is_replaced_where_that_is_asked)
{
    struct jw_publish_entry e = pub_entry(1, 300);

    pub_add(&e, 1);
    e = pub_entry(1, 500);
    e.replaces = true;
    pub_add(&e, 1);

    CHECK_NUM(e.result, JW_PUBLISH_REPLACED);
    FREED(jw_buf) now = pub_slurp(pub_target(e.name));

    CHECK_NUM(e.size + JW_CACHE_HEADER, now.n);
    pub_expect(1, 1);
}

/* As a killed run leaves them: in the cache, and not in its index. What does not fit stays so, and
 * a cold job has none. */
TEST(entries_get_their_missing_records)
{
    FREED(jw_arena) a = {0};
    struct cache c = cache_make(&a, "records");
    struct jw_job jobs[4] = {{0}};
    struct jw_run run = {.a = &a};
    struct jw_cache_lookup l;
    struct jw_scope scope = {.limit = 2400, .used = 100}; /* an eighth stays free */

    for (unsigned i = 0; i < JW_COUNT(jobs); i++) {
        jobs[i].is = i == 3 ? JW_MODULE_COLD : JW_MODULE_WARM;
        jobs[i].name = cache_add(&c, CACHE_NOW, "sm_86", i, 300);
        jobs[i].entry_bytes = i == 2 ? 5000 : 900;
        if (i)
            cache_forget(&c, jobs[i].name);
    }
    cache_done(&c);
    CHECK(jw_cache_lookup_open(c.folder, &a, &l, &err));
    struct jw_cache_lookup gone = {.index = l.index,
                                   .folder = tree_path(&a, "records/index/no-folder")};

    CHECK(!jw_publish_records(&run, &gone, jobs, JW_COUNT(jobs), &scope, JW_IGNORED));
    CHECK_OK(jw_publish_records(&run, &l, jobs, JW_COUNT(jobs), &scope, &err), err);
    jw_cache_lookup_close(&l);
    CHECK_NUM(scope.used, 1000);
    CHECK(jw_cache_lookup_open(c.folder, &a, &l, &err));
    for (unsigned i = 0; i < JW_COUNT(jobs); i++)
        CHECK((jw_find_u64(l.index.list, l.index.n, sizeof *l.index.list, jobs[i].name) != NULL)
              == (i < 2));
    jw_cache_lookup_close(&l);
}

/* Twice in one list, and given from where it belongs. */
TEST(the_same_one_twice)
{
    struct jw_publish_entry list[2];

    list[0] = list[1] = pub_entry(1, 300);
    pub_add(list, 2);
    CHECK_NUM(list[0].result, JW_PUBLISH_PLACED);
    CHECK_HAS(list[1].why ? list[1].why : "", "no such file");
    list[0].from = pub_target(list[0].name);
    list[1] = list[0];
    pub_add(list, 2);
    CHECK_NUM(list[0].result, JW_PUBLISH_THERE);
    CHECK_NUM(list[1].result, JW_PUBLISH_THERE);
    pub_expect(1, 1);

    list[0] = pub_entry(2, 300);
    list[1] = (struct jw_publish_entry){.name = list[0].name};
    pub_add(list, 2);

    pub_expect(2, 2);
}

TEST(damaged_ones_are_replaced)
{
    struct jw_buf bytes;
    struct jw_publish_entry e = pub_entry(1, 300);

    pub_add(&e, 1);
    bytes = pub_slurp(pub_target(e.name));
    bytes.p[bytes.n - 1] ^= 1;
    pub_write(pub_target(e.name), bytes.p, bytes.n);
    e = pub_entry(1, 500);
    pub_add(&e, 1);

    CHECK_NUM(e.result, JW_PUBLISH_REPLACED);
    CHECK(!scratch_there(e.from));
    pub_expect(1, 1); /* and its record has the new size */

    pub_write(pub_target(e.name), "", 0);
    e = pub_entry(1, 500);
    pub_add(&e, 1);
    CHECK_NUM(e.result, JW_PUBLISH_REPLACED);
    pub_expect(1, 1);
    jw_buf_free(&bytes);
}

TEST(refused)
{
    struct jw_publish_entry e = pub_entry(1, 300);
    FREED(jw_buf) bytes = pub_slurp(e.from);

    e.name ^= 1;
    pub_refused(&e, "hashes to");
    e.name ^= 1;
    bytes.p[bytes.n - 1] ^= 1;
    pub_write(e.from, bytes.p, bytes.n);
    pub_refused(&e, "payload at");
    pub_write(e.from, bytes.p, bytes.n - 1);
    pub_refused(&e, "it has");
    pub_write(e.from, "", 0);
    pub_refused(&e, "expected a header");
    jw_sys_remove(e.from);
    pub_refused(&e, "no such file");
    CHECK(!scratch_there(pub_target(e.name)));
}

TEST(a_payload_of_another_kind)
{
    struct jw_publish_entry e;
    FREED(jw_buf) file = JW_BUF(4096);

    e = pub_entry(1, 300);
    CHECK(cache_entry_write(&file, JW_BYTES("key"), JW_BYTES("#!/bin/sh\n"), &e.name, &err));
    pub_write(e.from, file.p, file.n);
    pub_refused(&e, "expected an ELF or PTX text");
}

/* A refused one stands in nobody's way. */
/* What the caller vouches for is not read again; its sizes still have to fit. */
TEST(checked_before)
{
    struct jw_publish_entry a, b;
    struct jw_buf bytes;

    a = pub_entry(1, 700);
    b = pub_entry(2, 700);
    a.checked = b.checked = true;
    pub_add(&a, 1);
    pub_expect(1, 1);
    bytes = pub_slurp(b.from);
    pub_write(b.from, bytes.p, bytes.n - 1);
    jw_buf_free(&bytes);
    pub_refused(&b, "cache entry: it has");
    pub_expect(1, 1);
}

TEST(the_others_go_on)
{
    struct jw_publish_entry list[3];

    for (unsigned i = 0; i < 3; i++)
        list[i] = pub_entry(i, 300);
    pub_write(list[1].from, "junk", 4);
    pub_add(list, 3);

    CHECK_NUM(list[1].result, JW_PUBLISH_REFUSED);
    CHECK(list[1].why && !list[0].why && !list[2].why);
    pub_expect(2, 2);
}

TEST(only_the_record_is_missing)
{
    struct jw_publish_entry e;
    struct cache c = pub_cache();

    uint64_t first = cache_add(&c, CACHE_NOW, "sm_86", 1, 300),
             second = cache_add(&c, CACHE_NOW, "sm_86", 2, 300);

    cache_forget(&c, first);
    cache_done(&c);
    e = (struct jw_publish_entry){.name = first};
    pub_add(&e, 1);

    CHECK_NUM(e.result, JW_PUBLISH_THERE);
    pub_expect(2, 2);
    e = (struct jw_publish_entry){.name = second};
    pub_add(&e, 1);
    CHECK_NUM(e.result, JW_PUBLISH_THERE);

    e = (struct jw_publish_entry){.name = first ^ 1};
    pub_refused(&e, "no such file");
    e = (struct jw_publish_entry){.name = first ^ UINT64_C(0xff) << 56};
    pub_refused(&e, "no such file");
    pub_write(pub_target(first), "junk", 4);
    e = (struct jw_publish_entry){.name = first};
    pub_refused(&e, "expected a header");
}

/* ---- the index ---- */

/* A root with two entries as a driver made it, then an index that was spoilt, then an entry of
 * jitwarm's. */
static void into_spoilt(void (*spoil)(struct jw_buf *), struct jw_publish_entry *e,
                        struct jw_buf *spoilt)
{
    struct cache c;

    pub_begin();
    c = pub_cache();
    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 300);
    (void)cache_add(&c, CACHE_NOW, "sm_86", 2, 400);
    cache_done(&c);
    *spoilt = pub_slurp(index_path());
    spoil(spoilt);
    pub_write(index_path(), spoilt->p, spoilt->n);
    *e = pub_entry(9, 300);
    pub_add(e, 1);
}

static void spoil_nothing(struct jw_buf *index) { (void)index; }

static void spoil_tail(struct jw_buf *index) /* a record that was appended and not counted */
{
    jw_buf_fill(index, 7, JW_CACHE_RECORD);
}

static void spoil_half_tail(struct jw_buf *index)
{
    jw_buf_fill(index, 7, 5 * JW_CACHE_RECORD + 3);
}

static void spoil_empty(struct jw_buf *index) { index->n = 0; }

static void spoil_header(struct jw_buf *index) { index->n = 9; }

static void spoil_format(struct jw_buf *index) { index->p[0] = 0x42; }

static void spoil_count(struct jw_buf *index) { index->p[4] = 3; }

static void spoil_sum(struct jw_buf *index) { index->p[8]++; }

static void spoil_size(struct jw_buf *index) /* of the first record, and the sum fits */
{
    index->p[8]++;
    index->p[24]++;
}

TEST(appended_to_what_is_sound)
{
    static void (*const spoils[])(struct jw_buf *) = {spoil_nothing, spoil_tail, spoil_half_tail};
    struct jw_publish_entry e;

    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        FREED(jw_buf) spoilt;

        into_spoilt(spoils[i], &e, &spoilt);
        CHECK(e.result == JW_PUBLISH_PLACED && !e.why);
        pub_expect(3, 3);

        FREED(jw_cache_listing) l = pub_list();

        CHECK(l.index.n == 3 && l.index.list[2].hash == e.name);
    }
}

/* Missing, torn or wrong: before anything is moved in it is rebuilt, for else the driver's next
 * store empties the cache. */
TEST(a_damaged_index_is_rebuilt)
{
    static void (*const spoils[])(struct jw_buf *) = {spoil_empty, spoil_header, spoil_format,
                                                      spoil_count, spoil_sum};
    struct jw_publish_entry e;

    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        FREED(jw_buf) before;

        into_spoilt(spoils[i], &e, &before);
        CHECK(e.result == JW_PUBLISH_PLACED && !e.why);
        pub_expect(3, 3);
    }
}

/* The driver drops the lock before what it wrote arrives: an index without our records lies over
 * ours. */
TEST(what_a_late_write_covers_is_added_again)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry e[2];

    for (unsigned empty = 0; empty < 2; empty++) {
        pub_begin();
        CHECK(jw_publisher_open(&p, pub_folder(), &err));
        e[0] = pub_entry(1, 300);
        CHECK(jw_publisher_add(p, e, 1, &pub_arena, &err));

        FREED(jw_buf) late = pub_slurp(index_path());

        e[1] = pub_entry(2, 300);
        CHECK(jw_publisher_add(p, e + 1, 1, &pub_arena, &err));
        pub_expect(2, 2);
        pub_write(index_path(), late.p, empty ? 0 : late.n);
        CHECK_OK(jw_publisher_flush(p, 2000, NULL, &err), err);
        jw_publisher_close(p);
        pub_expect(2, 2);
    }
}

/* Two programs store beside us: the first one's record comes before our first look, and what the
 * other wrote, which held the lock before us, arrives only when the system lets it run again. */
static struct busy {
    struct jw_buf soon, late;
    unsigned sleeps;
} busy;

static void store_meanwhile(unsigned ms)
{
    if (busy.sleeps == 1)
        pub_write(index_path(), busy.soon.p, busy.soon.n);
    if (busy.sleeps == 4)
        pub_write(index_path(), busy.late.p, busy.late.n);
    busy.sleeps++;
    naps_real(ms);
}

/* The index as it is now, and one record more. */
static struct jw_buf index_and(uint64_t name)
{
    struct jw_buf b = pub_slurp(index_path());
    FREED(jw_cache_index) index = {0};
    struct jw_cache_record list[4];

    CHECK(jw_cache_index_read(jw_buf_bytes(&b), &index, JW_IGNORED) == JW_INDEX_WHOLE
          && index.n < JW_COUNT(list));
    memcpy(list, index.list, index.n * sizeof *list);
    list[index.n] = (struct jw_cache_record){name, 100};
    jw_buf_free(&b);
    b = JW_BUF(4096);

    struct jw_cache_index more = {.list = list, .n = index.n + 1, .total = index.total + 100};

    CHECK(jw_cache_index_write(&more, &b, JW_IGNORED));
    return b;
}

TEST(beside_a_slow_program_it_looks_for_longer)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry e[2];

    CHECK(jw_publisher_open(&p, pub_folder(), &err));
    for (unsigned i = 0; i < 2; i++) {
        e[i] = pub_entry(i + 1, 300);
        CHECK(jw_publisher_add(p, e + i, 1, &pub_arena, &err));
        *(i ? &busy.soon : &busy.late) = index_and(UINT64_C(0x1234567890abcdef) + i);
    }
    busy.sleeps = 1;
    naps = store_meanwhile;
    CHECK(jw_publisher_flush(p, 2000, NULL, &err));
    CHECK(busy.sleeps > 4);
    naps = naps_real;
    jw_publisher_close(p);

    FREED(jw_cache_listing) l = pub_list();

    for (unsigned i = 0; i < 2; i++) {
        const struct jw_cache_file *f = jw_cache_file_find(&l, e[i].name);

        CHECK(f && f->indexed);
    }
    jw_buf_free(&busy.soon);
    jw_buf_free(&busy.late);
}

/* What arrives while the files are looked at, of a program that held the lock before us. */
static struct jw_buf arrives;

bool __wrap_publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                          bool *there, struct jw_err *err);
bool __real_publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                          bool *there, struct jw_err *err);

bool __wrap_publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                          bool *there, struct jw_err *err)
{
    if (arrives.n)
        pub_write(index_path(), arrives.p, arrives.n);
    jw_buf_clear(&arrives);
    return __real_publish_there(folder, record, there, err);
}

TEST(the_index_is_read_after_the_files_were_looked_at)
{
    static const uint64_t other = UINT64_C(0x1234567890abcdef);
    struct jw_publish_entry e[2];

    e[0] = pub_entry(1, 300);
    e[1] = pub_entry(2, 300);
    pub_add(e, 1);
    arrives = index_and(other);
    pub_add(e + 1, 1);
    CHECK_NUM(arrives.n, 0);
    jw_buf_free(&arrives);

    FREED(jw_buf) bytes = pub_slurp(index_path());
    FREED(jw_cache_index) index = {0};

    CHECK(jw_cache_index_read(jw_buf_bytes(&bytes), &index, &err) == JW_INDEX_WHOLE);
    CHECK(index.n == 3 && index.list[0].hash == e[0].name && index.list[1].hash == other
          && index.list[2].hash == e[1].name);
}

/* What the driver would make of the index when an entry is about to be moved. */
static bool too_early;

bool __wrap_publish_place(const struct publish_folder *folder, struct jw_publish_entry *e,
                          struct jw_arena *a, struct jw_err *err);
bool __real_publish_place(const struct publish_folder *folder, struct jw_publish_entry *e,
                          struct jw_arena *a, struct jw_err *err);

bool __wrap_publish_place(const struct publish_folder *folder, struct jw_publish_entry *e,
                          struct jw_arena *a, struct jw_err *err)
{
    struct jw_index_file file = {0};

    too_early |=
        jw_index_file_load(folder->path, &file, JW_IGNORED) && jw_index_damaged(file.trouble, true);
    jw_index_file_free(&file);
    return __real_publish_place(folder, e, a, err);
}

/* Whichever call fails, and whatever index was there. */
TEST(no_entry_comes_before_a_valid_index)
{
    static const char *const indexes[] = {NULL, "", "short", "sixteen bytes of another format"};

    too_early = false;
    naps = naps_none;
    for (size_t i = 0; i < JW_COUNT(indexes); i++) {
        for (unsigned long nth = 0;; nth += check_fault_step(i ? 7 : 1)) {
            struct jw_publisher *p = NULL;
            struct jw_publish_entry e[2];

            err = (struct jw_err){0};
            pub_begin();
            e[0] = pub_entry(1, 300);
            e[1] = pub_entry(2, 300);
            const char *cache = pub_folder();

            if (indexes[i]) {
                (void)pub_cache();
                pub_write(index_path(), indexes[i], strlen(indexes[i]));
            }
            jw_fault_arm(nth);
            if (jw_publisher_open(&p, cache, &err))
                (void)!jw_publisher_add(p, e, 2, &pub_arena, &err);

            bool fired = jw_fault_fired();

            jw_fault_arm(0);
            jw_publisher_close(p);
            jw_arena_free(&pub_arena);
            if (nth && !fired)
                break;
        }
    }
    naps = naps_real;
    CHECK(!too_early);
}

/* A record with another size than its file's, which nobody asked about, stays: its owner sees to
 * it. */
TEST(sizes_are_corrected_where_asked)
{
    struct jw_publish_entry e, wrong = {0};
    FREED(jw_buf) spoilt;

    into_spoilt(spoil_size, &e, &spoilt);
    FREED(jw_cache_listing) l = pub_list();

    wrong.name = l.index.list[0].hash;
    const struct jw_cache_file *file = jw_cache_file_find(&l, wrong.name);

    CHECK(file && file->recorded != file->entry.key_size + file->entry.payload_size);
    pub_add(&wrong, 1);
    pub_expect(3, 3);
}

TEST(many_in_several_turns)
{
    static struct jw_publish_entry list[MANY];
    const unsigned many = check_many(MANY, FEW);

    for (unsigned i = 0; i < many; i++)
        list[i] = pub_entry(i, 64 + i % 7);
    pub_add(list, many);

    pub_expect(many, many);
    FREED(jw_cache_listing) l = pub_list();
    for (unsigned i = 0; i < many; i++)
        CHECK(l.index.list[i].hash == list[i].name);
}

/* Another process has the lock. Meanwhile one of the files is evicted: its record would be of
 * nothing. */
TEST(locked_then_flushed)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry list[3];
    struct jw_folder folder;
    struct jw_file index;
    atomic_bool yes = true;
    bool found, taken = false;

    CHECK(jw_publisher_open(&p, pub_folder(), &err));
    for (unsigned i = 0; i < 3; i++)
        list[i] = pub_entry(i, 300);
    CHECK(jw_publisher_add(p, list, 1, &pub_arena, &err));
    CHECK(jw_folder_open(&folder, pub_folder(), &err));
    CHECK(jw_folder_open_file(&folder, "index", JW_FOLDER_CHANGE, &index, &found, &err) && found);
    CHECK(jw_filelock_take(index.handle, JW_LOCK_WRITE, 0, &taken, &err) && taken);

    CHECK_OK(jw_publisher_add(p, list + 1, 2, &pub_arena, &err), err);
    CHECK_NUM(list[1].result, JW_PUBLISH_PLACED);
    CHECK_HAS(list[1].why ? list[1].why : "", "is locked by another program");
    CHECK_REFUSED(jw_publisher_flush(p, 150, NULL, &err), err,
                  "is locked by another program; the records of 2 entries wait");
    CHECK(!jw_publisher_flush(p, 60000, &yes, &err) && err.code == JW_E_INTERRUPTED);

    jw_sys_remove(pub_target(list[1].name));
    jw_file_close(&index);
    jw_folder_close(&folder);
    CHECK(jw_publisher_flush(p, 2000, NULL, &err));
    jw_publisher_close(p);
    pub_expect(2, 2);
}

/* ---- failures ---- */

/* Whatever fails: no half entry, a sound index, and another run completes it. */
static bool fail_at(unsigned long n, unsigned base)
{
    struct jw_publish_entry list[4];
    struct jw_publisher *p = NULL;
    struct jw_err err = {0};
    FREED(jw_arena) own = {0};
    const char *cache = pub_folder();

    pub_begin();
    for (unsigned i = 0; i < 2; i++)
        list[i] = pub_entry(base + i, 300);
    pub_add(list, 2); /* one of these will be there already, one will be damaged */
    pub_write(pub_target(list[1].name), "junk", 4);
    for (unsigned i = 0; i < 4; i++) {
        list[i] = pub_entry(base + i, 300);
        list[i].result = JW_PUBLISH_REFUSED;
    }
    jw_fault_arm(n);
    bool ok = jw_publisher_open(&p, cache, &err) && jw_publisher_add(p, list, 4, &own, &err)
              && jw_publisher_flush(p, 0, NULL, &err);
    bool fired = jw_fault_fired();

    jw_publisher_close(p);
    jw_fault_arm(0);
    CHECK(ok || err.msg[0]);
    CHECK(ok || fired);

    FREED(jw_cache_listing) l = pub_list();
    CHECK_TEXT(l.index_damage ? l.index_damage : "", "");
    CHECK(l.missing == 0 && l.foreign == 0);
    for (size_t i = 0; i < l.n; i++)
        CHECK(!l.files[i].damage || l.files[i].name == list[1].name); /* that was so before */
    for (unsigned i = 0; i < 4; i++)
        list[i] = pub_again(&list[i]);
    pub_add(list, 4);
    for (unsigned i = 0; i < 4; i++)
        CHECK_TEXT(list[i].result == JW_PUBLISH_REFUSED ? list[i].why : "", "");
    pub_expect(4, 4);
    return fired;
}

/* Files are slow under Wine, and there are more points to fail at: some of them each time, all when
 * there is time. */
TEST(faults)
{
    unsigned long step = check_fault_step(1), n = 1;

    naps = naps_none;
    while (fail_at(n, 10))
        n += step;
    CHECK(n > 50 && n < 5000);
    naps = naps_real;
}

TEST(no_root)
{
    struct jw_publisher *p = NULL;

    scratch_write(pub_folder(), "a file");
    CHECK(!jw_publisher_open(&p, pub_folder(), &err));
    CHECK(!p);
    CHECK_HAS(err.msg, "root: is not a folder");
    jw_publisher_close(NULL);
}
