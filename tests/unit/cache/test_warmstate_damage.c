/* What a log costs that is torn, spoilt, or full of what no longer counts. */
#include "base/limits.h"
#include "cache/format/jitcache.h"
#include "check.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

/* ---- damage ---- */

/* A log of three jobs; where each record ends. */
static const char *three_jobs(struct jw_arena *a, const char *name, struct jw_buf *file, size_t ends[4])
{
    const char *root = warm_begin(a, name), *path = warm_place(a, root).log;
    struct jw_warm_log *l = warm_open(root);
    struct jw_err err = { 0 };
    bool found;

    for (unsigned i = 0; i < 4; i++) {
        ends[i] = (size_t)warm_size(path);
        if (i < 3)
            warm_add_job(l, i, i);
    }
    jw_warm_close(l);
    CHECK(jw_file_slurp(path, file, &found, &err));
    CHECK_NUM(file->n, ends[3]);
    return root;
}

TEST(torn_anywhere_it_goes_on)
{
    struct jw_arena keep = { 0 };
    struct jw_buf file = JW_BUF(1 << 20);
    size_t ends[4];
    const char *root = three_jobs(&keep, "torn", &file, ends), *path = warm_place(&keep, root).log;

    for (size_t n = 0; n < file.n; n++) {
        struct jw_arena a = { 0 };
        size_t whole = 0;

        while (whole < 3 && ends[whole + 1] <= n)
            whole++;
        warm_spoil(path, file.p, n);

        struct jw_warm_state s = warm_load(&a, root);

        CHECK_NUM(s.n_jobs, whole);
        CHECK_NUM(s.notes.n, n && (n < ends[0] || n != ends[whole]));
        if (s.notes.n)
            CHECK_HAS(s.notes.v[0], "bytes are torn or damaged");

        struct jw_warm_log *l = warm_open(root);

        warm_add_job(l, 9, 9);
        jw_warm_close(l);
        s = warm_load(&a, root);
        CHECK_NUM(s.n_jobs, whole + 1);
        CHECK_NUM(s.notes.n, 0);
        CHECK(warm_find(&s, 9) && (!whole || warm_find(&s, 0)));
        jw_arena_free(&a);
    }
    jw_buf_free(&file);
    jw_arena_free(&keep);
}

TEST(damage_in_the_middle_costs_what_follows)
{
    struct jw_arena a = { 0 };
    struct jw_buf file = JW_BUF(1 << 20);
    size_t ends[4];
    const char *root = three_jobs(&a, "damaged", &file, ends), *path = warm_place(&a, root).log;

    for (size_t i = 0; i < file.n; i++) {
        size_t whole = 0;

        while (whole < 3 && ends[whole + 1] <= i)
            whole++;
        file.p[i] ^= 0x10;
        warm_spoil(path, file.p, file.n);
        file.p[i] ^= 0x10;

        struct jw_warm_state s = warm_load(&a, root);

        CHECK_NUM(s.n_jobs, i < ends[0] ? 0 : whole);
        CHECK_NUM(s.notes.n, 1);
        for (unsigned k = 0; k < s.n_jobs; k++)
            CHECK(warm_find(&s, k) && warm_find(&s, k)->bytes == k);
    }
    jw_buf_free(&file);
    jw_arena_free(&a);
}

TEST(a_log_of_impossible_size_is_left_alone)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "huge");
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    struct jw_append f;
    struct jw_err err = { 0 };

    jw_warm_close(warm_open(root));
    CHECK(jw_append_open(&f, warm_place(&a, root).log, &err) && jw_append_cut(&f, JW_MAX_WARM_LOG + 1, &err));
    jw_append_close(&f);

    struct jw_warm_state s = warm_load(&a, root);

    CHECK(s.n_jobs == 0 && s.notes.n == 1);
    CHECK_HAS(s.notes.n ? s.notes.v[0] : "", "warm.log: is larger than it can have become");
    CHECK(!jw_warm_open(root, &l, &holder, &err));
    CHECK_HAS(err.msg, "remove it");
    CHECK_NUM(warm_size(warm_place(&a, root).log), JW_MAX_WARM_LOG + 1);
    CHECK(!warm_busy(&a, root, &holder, &(const char *){ NULL }));
    jw_arena_free(&a);
}

/* ---- compaction ---- */

TEST(dead_weight_is_taken_out)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "heavy"), *path = warm_place(&a, root).log;
    struct jw_warm_log *l = warm_open(root);
    struct jw_warm_ban b = warm_ban(3);
    struct jw_err err = { 0 };

    for (unsigned i = 0; i < 100; i++)
        warm_add_job(l, i, 1);
    CHECK(jw_warm_add_ban(l, &b, &err) && jw_warm_lift_ban(l, b.id, b.build, b.sm, &err));
    CHECK(jw_warm_add_ban(l, &b, &err));
    jw_warm_close(l);

    uint64_t light = warm_size(path);

    jw_warm_close(warm_open(root));
    CHECK_NUM(warm_size(path), light); /* little of it is dead */

    l = warm_open(root);
    for (unsigned i = 0; i < 200; i++)
        warm_add_job(l, i % 100, 2 + i);
    jw_warm_close(l);
    CHECK(warm_size(path) > light * 5 / 2);

    struct jw_warm_state before = warm_load(&a, root), after;

    l = warm_open(root);
    CHECK(warm_size(path) < light);
    warm_add_job(l, 1000, 1);
    jw_warm_close(l);
    after = warm_load(&a, root);
    CHECK(before.n_jobs == 100 && after.n_jobs == 101 && before.n_bans == 1 && after.n_bans == 1);
    for (unsigned i = 0; i < 100; i++)
        CHECK(memcmp(before.jobs[i].id, after.jobs[i].id, 32) == 0
              && before.jobs[i].bytes == after.jobs[i].bytes);
    CHECK_NUM(after.jobs[0].bytes, 102);
    CHECK_NUM(scratch_count(warm_place(&a, root).dir), 2); /* the log and the lock */
    jw_arena_free(&a);
}

TEST(what_a_later_version_wrote_survives_it)
{
    /* Kind 77, body "news", sealed. */
    static const uint8_t news[] = { 4, 0, 0, 0, 77, 0, 'n', 'e', 'w', 's', 0, 0, 0, 0, 0, 0, 0, 0 };
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "later"), *path = warm_place(&a, root).log;
    struct jw_warm_log *l = warm_open(root);
    struct jw_buf file = JW_BUF(1 << 20);
    struct jw_append f;
    struct jw_err err = { 0 };
    uint8_t record[sizeof news];
    bool found;

    for (unsigned i = 0; i < 10; i++)
        warm_add_job(l, 1, i);
    jw_warm_close(l);
    memcpy(record, news, sizeof news);
    jw_put64(record + 10, jw_fnv1a(JW_FNV_START, record, 10));
    CHECK(jw_append_open(&f, path, &err) && jw_append_write(&f, record, sizeof record, &err));
    jw_append_close(&f);
    jw_warm_close(warm_open(root));
    CHECK(jw_file_slurp(path, &file, &found, &err));
    CHECK(file.n < 400 && memcmp(file.p + file.n - sizeof record, record, sizeof record) == 0);

    struct jw_warm_state s = warm_load(&a, root);

    CHECK(s.n_jobs == 1 && s.jobs[0].bytes == 9 && s.notes.n == 0);
    jw_buf_free(&file);
    jw_arena_free(&a);
}

TEST(many_jobs_are_read_at_once)
{
    enum { JOBS = 20000, ENTRIES = 2000 };
    static struct jw_warm_entry entries[ENTRIES];
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "many");
    struct jw_warm_log *l = warm_open(root);
    struct jw_warm_receipt r = warm_receipt("all", 1);
    struct jw_err err = { 0 };
    uint64_t start = jw_time_monotonic_ns();

    for (unsigned i = 0; i < ENTRIES; i++)
        entries[i] = (struct jw_warm_entry){ i, i };
    r.entries = entries;
    r.n_entries = ENTRIES;
    for (unsigned i = 0; i < JOBS; i++)
        warm_add_job(l, i, i);
    CHECK(jw_warm_add_receipt(l, &r, &err) && jw_warm_sync(l, &err));
    jw_warm_close(l);

    uint64_t written = jw_time_monotonic_ns();
    struct jw_warm_state s = warm_load(&a, root);
    uint64_t read = jw_time_monotonic_ns();

    CHECK(s.n_jobs == JOBS && s.n_receipts == 1 && s.receipts[0].n_entries == ENTRIES);
    CHECK_NUM(s.receipts[0].entries[ENTRIES - 1].bytes, ENTRIES - 1);
    CHECK(a.used < (size_t)8 << 20);
    CHECK(read - written < 2000000000u);
    printf("%u jobs: %llu ms to write, %llu ms to read, %zu KB\n", (unsigned)JOBS,
           (unsigned long long)(written - start) / 1000000, (unsigned long long)(read - written) / 1000000,
           a.used / 1000);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(torn_anywhere_it_goes_on), T(damage_in_the_middle_costs_what_follows),
               T(a_log_of_impossible_size_is_left_alone), T(dead_weight_is_taken_out),
               T(what_a_later_version_wrote_survives_it), T(many_jobs_are_read_at_once));
}
