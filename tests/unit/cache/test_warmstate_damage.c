/* What a log costs that is torn, spoilt, or full of what no longer counts. */
#include "base/fault.h"
#include "base/limits.h"
#include "cache/format/jitcache.h"
#include "cache/memory/warmplace.h"
#include "check.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

#include <time.h>

/* ---- damage ---- */

/* A log of three jobs; where each record ends. */
static const char *three_jobs(struct jw_arena *a, const char *name, struct jw_buf *file, size_t ends[4])
{
    const char *cache = warm_begin(a, name), *path = warm_place(a, cache).log;
    struct jw_warm_log *l = warm_open(cache);
    struct jw_err err = { 0 };
    bool found;

    for (unsigned i = 0; i < 4; i++) {
        ends[i] = (size_t)warm_size(path);
        if (i < 3)
            warm_add_module(l, i, i);
    }
    jw_warm_close(l);
    CHECK(jw_file_slurp(path, file, &found, &err));
    CHECK_NUM(file->n, ends[3]);
    return cache;
}

TEST(torn_anywhere_it_goes_on)
{
    struct jw_arena keep = { 0 };
    struct jw_buf file = JW_BUF(1 << 20);
    size_t ends[4];
    const char *cache = three_jobs(&keep, "torn", &file, ends), *path = warm_place(&keep, cache).log;

    for (size_t n = 0; n < file.n; n++) {
        struct jw_arena a = { 0 };
        size_t whole = 0;

        while (whole < 3 && ends[whole + 1] <= n)
            whole++;
        warm_spoil(path, file.p, n);

        struct jw_warm_state s = warm_load(&a, cache);

        CHECK_NUM(s.modules.n, whole);
        CHECK_NUM(s.notes.n, n < ends[0] || n != ends[whole]);
        CHECK(!s.lost == !s.notes.n);
        if (s.lost)
            CHECK_HAS(s.lost, !n            ? " is empty: "
                              : n < ends[0] ? " is damaged from its first byte on: "
                                            : " is damaged from byte ");

        struct jw_warm_log *l = warm_open_known(cache, &s);

        warm_add_module(l, 9, 9);
        jw_warm_close(l);
        s = warm_load(&a, cache);
        CHECK_NUM(s.modules.n, whole + 1);
        CHECK_NUM(s.notes.n, 0);
        CHECK(warm_find(&s, 9) && (!whole || warm_find(&s, 0)));
        jw_arena_free(&a);
    }
    jw_buf_free(&file);
    jw_arena_free(&keep);
}

TEST_ARENA(damage_in_the_middle_costs_what_follows)
{
    struct jw_buf file = JW_BUF(1 << 20);
    size_t ends[4];
    const char *cache = three_jobs(a, "damaged", &file, ends), *path = warm_place(a, cache).log;

    for (size_t i = 0; i < file.n; i++) {
        size_t whole = 0;

        while (whole < 3 && ends[whole + 1] <= i)
            whole++;
        file.p[i] ^= 0x10;
        warm_spoil(path, file.p, file.n);
        file.p[i] ^= 0x10;

        struct jw_warm_state s = warm_load(a, cache);

        CHECK_NUM(s.modules.n, i < ends[0] ? 0 : whole);
        CHECK_NUM(s.notes.n, 1);
        for (unsigned k = 0; k < s.modules.n; k++)
            CHECK(warm_find(&s, k) && warm_find(&s, k)->bytes == k);
    }
    jw_buf_free(&file);
}

TEST_ARENA(a_log_that_was_deleted_is_lost)
{
    const char *cache = warm_begin(a, "deleted");
    struct jw_warm_log *l;
    struct jw_err err = { 0 };
    struct jw_warm_state s = warm_load(a, cache);

    CHECK(!s.lost && !s.notes.n);
    l = warm_open(cache);
    s = warm_load(a, cache);
    CHECK(!s.lost && !s.notes.n);
    jw_warm_close(l);
    s = warm_load(a, cache);
    CHECK(!s.lost && !s.notes.n);

    CHECK(jw_file_remove(warm_place(a, cache).log, &err));
    s = warm_load(a, cache);
    CHECK_NUM(s.notes.n, 1);
    CHECK_HAS(s.lost ? s.lost : "", "warm.log is missing: what jitwarm remembered of this cache is lost");

    l = warm_open(cache);
    warm_add_module(l, 1, 1);
    jw_warm_close(l);
    s = warm_load(a, cache);
    CHECK(!s.lost && s.modules.n == 1);
}

TEST_ARENA(a_log_of_impossible_size_is_left_alone)
{
    const char *cache = warm_begin(a, "huge");
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    const char *blocked;
    struct jw_append f;
    struct jw_err err = { 0 };

    jw_warm_close(warm_open(cache));
    CHECK(jw_append_open(&f, warm_place(a, cache).log, &err)
          && jw_append_truncate(&f, JW_MAX_WARM_LOG + 1, &err));
    jw_append_close(&f);

    struct jw_warm_state s = warm_load(a, cache);

    CHECK(s.modules.n == 0 && s.notes.n == 1);
    CHECK_HAS(s.notes.n ? s.notes.v[0] : "", "warm.log: is larger than it can have become");
    CHECK(!jw_warm_open(cache, NULL, &l, &holder, &err));
    CHECK(jw_warm_blocked(cache, a, &blocked) && strcmp(blocked, warm_place(a, cache).log) == 0);
    CHECK_NUM(warm_size(warm_place(a, cache).log), JW_MAX_WARM_LOG + 1);
    CHECK(!warm_busy(a, cache, &holder, &(uint64_t){ 0 }));
}

/* ---- compaction ---- */

TEST_ARENA(dead_weight_is_taken_out)
{
    const char *cache = warm_begin(a, "heavy"), *path = warm_place(a, cache).log;
    struct jw_warm_log *l = warm_open(cache);
    struct jw_warm_module banned = warm_ban(2000);

    for (unsigned i = 0; i < 100; i++)
        warm_add_module(l, i, 1);
    warm_add(l, banned);
    warm_add(l, warm_module(2000, 1));
    warm_add(l, banned);
    jw_warm_close(l);

    uint64_t light = warm_size(path);

    jw_warm_close(warm_open(cache));
    CHECK_NUM(warm_size(path), light); /* little of it is superseded */

    l = warm_open(cache);
    for (unsigned i = 0; i < 200; i++)
        warm_add_module(l, i % 100, 2 + i);
    jw_warm_close(l);
    CHECK(warm_size(path) > light * 5 / 2);

    struct jw_warm_state before = warm_load(a, cache), after;

    l = warm_open(cache);
    CHECK(warm_size(path) < light);
    warm_add_module(l, 1000, 1);
    jw_warm_close(l);
    after = warm_load(a, cache);
    CHECK(before.modules.n == 101 && after.modules.n == 102 && warm_banned(&before) == 1
          && warm_banned(&after) == 1);
    for (unsigned i = 0; i < 100; i++)
        CHECK(memcmp(before.modules.list[i].id, after.modules.list[i].id, 32) == 0
              && before.modules.list[i].bytes == after.modules.list[i].bytes);
    CHECK_NUM(warm_find(&after, 0) ? warm_find(&after, 0)->bytes : 0, 102);
    CHECK_NUM(scratch_count(warm_place(a, cache).dir), 2); /* the log and the lock */
}

/* A receipt in the form before (kind 72): nothing is warm by it, nothing is lost, and the next rewrite drops it. */
TEST_ARENA(what_an_earlier_form_wrote_is_absent)
{
    static const uint8_t old[] = { 4, 0, 0, 0, 72, 0, 'k', 'e', 'y', 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const uint64_t none[] = { 999 };
    const char *cache = warm_begin(a, "earlier"), *path = warm_place(a, cache).log;
    struct jw_warm_log *l = warm_open(cache);
    struct jw_append f;
    struct jw_err err = { 0 };
    uint8_t record[sizeof old];

    warm_add_module(l, 1, 9);
    jw_warm_close(l);
    uint64_t before = warm_size(path);

    memcpy(record, old, sizeof old);
    jw_put64(record + 10, jw_fnv1a(JW_FNV_START, record, 10));
    CHECK(jw_append_open(&f, path, &err) && jw_append_write(&f, record, sizeof record, &err));
    jw_append_close(&f);

    struct jw_warm_state s = warm_load(a, cache);

    CHECK(s.modules.n == 1 && !s.n_receipts && !s.lost && !s.notes.n);
    l = warm_open(cache);
    CHECK(jw_warm_forget(l, none, 1, false, &err));
    jw_warm_close(l);
    CHECK_NUM(warm_size(path), before);
}

TEST_ARENA(what_a_later_version_wrote_survives_it)
{
    /* The first unknown kind, body "news", sealed. */
    static const uint8_t news[] = {
        4, 0, 0, 0, JW_WARM_KINDS, 0, 'n', 'e', 'w', 's', 0, 0, 0, 0, 0, 0, 0, 0
    };
    const char *cache = warm_begin(a, "later"), *path = warm_place(a, cache).log;
    struct jw_warm_log *l = warm_open(cache);
    struct jw_buf file = JW_BUF(1 << 20);
    struct jw_append f;
    struct jw_err err = { 0 };
    uint8_t record[sizeof news];
    bool found;

    for (unsigned i = 0; i < 10; i++)
        warm_add_module(l, 1, i);
    jw_warm_close(l);
    memcpy(record, news, sizeof news);
    jw_put64(record + 10, jw_fnv1a(JW_FNV_START, record, 10));
    CHECK(jw_append_open(&f, path, &err) && jw_append_write(&f, record, sizeof record, &err));
    jw_append_close(&f);
    jw_warm_close(warm_open(cache));
    CHECK(jw_file_slurp(path, &file, &found, &err));
    CHECK(file.n < 400 && memcmp(file.p + file.n - sizeof record, record, sizeof record) == 0);

    struct jw_warm_state s = warm_load(a, cache);

    CHECK(s.modules.n == 1 && s.modules.list[0].bytes == 9 && s.notes.n == 0);
    jw_buf_free(&file);
}

TEST_ARENA(many_jobs_are_read_at_once)
{
    enum { JOBS = 20000, ENTRIES = 2000 };
    static struct jw_warm_entry entries[ENTRIES];
    const char *cache = warm_begin(a, "many");
    struct jw_warm_log *l = warm_open(cache);
    struct jw_warm_receipt r = warm_receipt("all", 1);
    struct jw_err err = { 0 };
    clock_t start = clock();

    for (unsigned i = 0; i < ENTRIES; i++)
        entries[i] = (struct jw_warm_entry){ i, i, i };
    r.entries = entries;
    r.n_entries = ENTRIES;
    for (unsigned i = 0; i < JOBS; i++)
        warm_add_module(l, i, i);
    CHECK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r }, &err)
          && jw_warm_sync(l, &err));
    jw_warm_close(l);

    clock_t written = clock();
    struct jw_warm_state s = warm_load(a, cache);
    clock_t read = clock();

    CHECK(s.modules.n == JOBS && s.n_receipts == 1 && s.receipts[0].n_entries == ENTRIES);
    CHECK_NUM(s.receipts[0].entries[ENTRIES - 1].bytes, ENTRIES - 1);
    CHECK(a->used < (size_t)8 << 20);
    if (!jw_os_is_windows()) /* processor time; there it is that of a clock, which a busy machine makes long */
        CHECK(read - written < 2 * CLOCKS_PER_SEC);
    printf("%u jobs: %ld ms to write, %ld ms to read, %zu KB\n", (unsigned)JOBS,
           (long)((written - start) * 1000 / CLOCKS_PER_SEC),
           (long)((read - written) * 1000 / CLOCKS_PER_SEC), a->used / 1000);
}

static const uint64_t gone[] = { 101, 104, 999 };

/* Modules with entries 101 to 104, the last of which was left once; a receipt over 101 and 102, one over 103; a ban. */
static const char *prepare(struct jw_arena *a)
{
    static const struct jw_warm_entry both[] = { { 101, 10, 1 }, { 102, 20, 2 } },
                                      third[] = { { 103, 30, 3 } };
    static const char *const targets[] = { "2 /opt/a" };
    static const struct jw_warm_answer asked = { "settings", "as it was" };
    const char *cache = warm_begin(a, "forget");
    struct jw_warm_log *l;
    struct jw_err err = { 0 };

    scratch_empty(tree_path(a, "forget"));
    l = warm_open(cache);
    for (unsigned i = 1; i <= 4; i++) {
        struct jw_warm_module m = warm_module(i, 10 * i);

        m.name = 100 + i;
        m.origin = i < 4 ? "libx.so" : "";
        m.stopped = i == 4 ? 5000 : 0;
        warm_add(l, m);
    }

    struct jw_warm_receipt r = warm_receipt("one", 1);

    r.answers = &asked;
    r.n_answers = 1;
    r.asked.targets = targets;
    r.concluded.loss = JW_LOSS_ALL;
    r.entries = both;
    r.n_entries = 2;
    CHECK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r }, &err));
    r.asked.command = "two";
    r.entries = third;
    r.n_entries = 1;
    CHECK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r }, &err));
    warm_add(l, warm_ban(9));
    CHECK_OK(
        jw_warm_add(l,
                    &(struct jw_warm_fact){
                        JW_WARM_IMPORT,
                        .as.import = { .pack = "/p", .build = "gnu:1", .entries = both, .n_entries = 2 } },
                    &err),
        err);
    jw_warm_close(l);
    return cache;
}

static const struct jw_warm_receipt *receipt(const struct jw_warm_state *s, const char *key)
{
    for (size_t i = 0; i < s->n_receipts; i++)
        if (strcmp(s->receipts[i].asked.command, key) == 0)
            return &s->receipts[i];
    return NULL;
}

static void forgotten(struct jw_arena *a, const char *cache)
{
    struct jw_warm_state s = warm_load(a, cache);
    const struct jw_warm_receipt *one = receipt(&s, "one"), *two = receipt(&s, "two");

    CHECK_NUM(s.notes.n, 0);
    CHECK(s.modules.n == 4 && warm_banned(&s) == 1);
    CHECK(!warm_find(&s, 1) && warm_find(&s, 2)->name == 102 && warm_find(&s, 3)->name == 103);
    CHECK(warm_find(&s, 4) && !warm_find(&s, 4)->compiled && !warm_find(&s, 4)->name
          && warm_find(&s, 4)->stopped == 5000);
    CHECK(one && one->n_entries == 1 && one->entries[0].name == 102 && one->asked.n_targets == 1
          && !one->concluded.loss);
    CHECK_TEXT(one ? one->answers[0].question : NULL, "entries that were removed");
    CHECK_TEXT(one ? one->asked.targets[0] : NULL, "2 /opt/a");
    CHECK(two && two->n_entries == 1 && two->concluded.loss == JW_LOSS_ALL);
    CHECK_TEXT(two ? two->answers[0].answer : NULL, "as it was");
    CHECK(!jw_warm_origin(&s, 101));
    CHECK_TEXT(jw_warm_origin(&s, 102), "libx.so");
    CHECK(s.n_imports == 1 && s.imports[0].n_entries == 1 && s.imports[0].entries[0].name == 102);
}

/* Who removes what was lost already has not asked for the loss. */
TEST_ARENA(an_import_is_still_asked_for_what_was_lost)
{
    struct jw_err err = { 0 };
    const char *cache = prepare(a);
    struct jw_warm_log *l = warm_open(cache);

    CHECK(jw_warm_forget(l, gone, 3, true, &err));
    jw_warm_close(l);
    struct jw_warm_state s = warm_load(a, cache);

    CHECK(!warm_find(&s, 1) && s.n_imports == 1 && s.imports[0].n_entries == 2);
}

TEST_ARENA(nothing_names_it_any_more)
{
    struct jw_err err = { 0 };
    const char *cache = prepare(a);
    struct jw_warm_log *l = warm_open(cache);
    struct jw_warm_module later = warm_module(7, 70);

    CHECK(jw_warm_forget(l, gone, 3, false, &err));
    forgotten(a, cache);
    later.name = 107;
    warm_add(l, later); /* the log goes on */
    jw_warm_close(l);
    CHECK_NUM(warm_load(a, cache).modules.n, 5);
    l = warm_open(cache);
    CHECK(jw_warm_forget(l, gone, 0, false, &err));
    jw_warm_close(l);
    CHECK_NUM(warm_load(a, cache).modules.n, 5);
}

/* The log is what it was, or all of it is done; and it can be written to in any case. */
TEST(every_call_fails_once)
{
    for (unsigned long nth = 1;; nth++) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        const char *cache = prepare(&a);
        struct jw_warm_log *l = warm_open(cache);

        jw_fault_arm(nth);

        bool ok = jw_warm_forget(l, gone, 3, false, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        if (ok)
            forgotten(&a, cache);
        else {
            size_t n = warm_load(&a, cache).modules.n;

            CHECK(n == 5 || n == 4);
        }
        jw_warm_close(l);
        l = warm_open(cache);
        CHECK(jw_warm_forget(l, gone, 3, false, &(struct jw_err){ 0 }));
        jw_warm_close(l);
        forgotten(&a, cache);
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && nth > 6);
            break;
        }
    }
}

TEST_ARENA(bytes_outlive_their_writer)
{
    struct jw_err err = { 0 };
    const char *cache = prepare(a);
    struct jw_warm_log *l = warm_open(cache);
    struct jw_buf got = JW_BUF(JW_MAX_STATE);

    CHECK(jw_warm_read_backup(l, &got, &err) && got.n == 0);
    CHECK(jw_warm_backup_index(l, "a longer text", 13, &err) && jw_warm_backup_index(l, "short", 5, &err));
    jw_warm_close(l);
    l = warm_open(cache);
    CHECK(jw_warm_read_backup(l, &got, &err));
    CHECK_TEXT(jw_buf_cstr(&got), "short");
    CHECK(jw_warm_backup_index(l, NULL, 0, &err) && jw_warm_backup_index(l, NULL, 0, &err));
    jw_buf_clear(&got);
    CHECK(jw_warm_read_backup(l, &got, &err) && got.n == 0);
    jw_buf_free(&got);
    jw_warm_close(l);
}

/* One session that does everything; `*added`: jobs of which it was said that they are in. */
static bool session(const char *cache, unsigned *added, struct jw_err *err)
{
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    struct jw_warm_module one = warm_module(1, 10), two = warm_module(2, 20), third = warm_ban(3);
    struct jw_warm_receipt r = warm_receipt("all", 1);
    struct jw_warm_command c = { .key = "python", .when = 1 };
    bool ok = jw_warm_open(cache, NULL, &l, &holder, err) && l;

    *added = 0;
    ok = ok && jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_MODULE, .as.module = one }, err) && ++*added
         && jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_MODULE, .as.module = third }, err)
         && jw_warm_write_progress(l, &(struct jw_prime_progress){ 0 }, err)
         && jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r }, err)
         && jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = c }, err)
         && jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_MODULE, .as.module = two }, err) && ++*added
         && jw_warm_sync(l, err);
    jw_warm_close(l);
    return ok;
}

/* Whatever failed, what is on the disk can be read to its end, and holds what was said to be in. */
static void whole(const char *cache, unsigned added)
{
    struct jw_arena a = { 0 };
    struct jw_warm_state s = warm_load(&a, cache);
    struct jw_warm_holder holder;
    uint64_t done;

    CHECK_NUM(s.notes.n, 0);
    CHECK(added < 1 || (warm_find(&s, 1) && warm_find(&s, 1)->bytes == 10));
    CHECK(added < 2 || (warm_find(&s, 2) && warm_find(&s, 2)->bytes == 20));
    CHECK(!warm_busy(&a, cache, &holder, &done));
    jw_arena_free(&a);
}

/* In a folder that is new, in one that is there, and with dead weight. */
TEST(every_call_of_a_session_fails_once)
{
    for (unsigned how = 0; how < 3; how++) {
        for (unsigned long nth = 1;; nth += check_fault_step(1)) {
            struct jw_arena a = { 0 };
            struct jw_err err = { 0 };
            unsigned added, ignored;
            const char *cache = warm_begin(&a, "faults");

            scratch_empty(tree_path(&a, "faults"));
            for (unsigned i = 0; how && i < how * 2 - 1; i++)
                CHECK(session(cache, &ignored, &err));
            jw_fault_arm(nth);

            bool ok = session(cache, &added, &err), fired = jw_fault_fired();

            jw_fault_arm(0);
            CHECK(ok || (fired && err.code && err.msg[0]));
            whole(cache, how ? 2 : added);
            CHECK(session(cache, &ignored, &(struct jw_err){ 0 }));
            whole(cache, 2);
            jw_arena_free(&a);
            if (!fired) {
                CHECK(ok && nth > 20);
                break;
            }
        }
    }
}

TEST(every_call_of_a_reader_fails_once)
{
    struct jw_arena keep = { 0 };
    struct jw_err none = { 0 };
    const char *cache = warm_begin(&keep, "readers");
    struct jw_warm_log *l;
    unsigned added;

    CHECK(session(cache, &added, &none));
    l = warm_open(cache);
    warm_write_progress(l, 3);
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        struct jw_warm_state s = { 0 };
        struct jw_warm_holder holder;
        struct jw_prime_progress now = { 0 };
        bool busy = false, found;

        jw_fault_arm(nth);

        jw_warm_load(cache, &a, &s);

        bool asked = jw_warm_busy(cache, &a, &busy, &holder, &err)
                     && jw_warm_read_progress(cache, &a, &now, &found, &err);
        bool fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(asked || (fired && err.code && err.msg[0]));
        /* Less is remembered only with a note. */
        CHECK(s.notes.n
              || (s.modules.n == 3 && s.n_receipts == 1 && s.n_commands == 1 && warm_banned(&s) == 1));
        CHECK(!asked || (busy && holder.pid && now.done == 3));
        if (!fired) {
            CHECK(asked && s.notes.n == 0 && nth > 8);
            jw_arena_free(&a);
            break;
        }
        jw_arena_free(&a);
    }
    jw_warm_close(l);
    jw_arena_free(&keep);
}
