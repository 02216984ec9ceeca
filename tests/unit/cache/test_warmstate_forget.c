#include "base/fault.h"
#include "base/limits.h"
#include "check.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

static const uint64_t origin_names[] = { 101, 102, 103 };
static const uint64_t gone[] = { 101, 104, 999 };

/* Jobs of entries 101 to 104, a receipt over 101 and 102, one over 103, whose they are, a ban. */
static const char *prepare(struct jw_arena *a)
{
    static const struct jw_warm_entry both[] = { { 101, 10 }, { 102, 20 } }, third[] = { { 103, 30 } };
    static const char *const targets[] = { "2 /opt/a" };
    const char *root = warm_begin(a, "forget");
    struct jw_warm_log *l;
    struct jw_err err = { 0 };

    scratch_empty(tree_path(a, "forget"));
    l = warm_open(root);
    for (unsigned i = 1; i <= 4; i++) {
        struct jw_warm_job j = warm_job(i, 10 * i);

        j.name = 100 + i;
        CHECK(jw_warm_add_job(l, &j, &err));
    }

    struct jw_warm_receipt r = warm_receipt("one", 1);
    struct jw_warm_origin o = { "libx.so", "gnu:1", origin_names, 3 };
    struct jw_warm_ban b = warm_ban(9);

    r.settings = "as it was";
    r.targets = targets;
    r.n_targets = 1;
    r.entries = both;
    r.n_entries = 2;
    CHECK(jw_warm_add_receipt(l, &r, &err));
    r.key = "two";
    r.entries = third;
    r.n_entries = 1;
    CHECK(jw_warm_add_receipt(l, &r, &err) && jw_warm_add_origin(l, &o, &err)
          && jw_warm_add_ban(l, &b, &err));
    CHECK_TEXT(err.msg, "");
    jw_warm_close(l);
    return root;
}

static const struct jw_warm_receipt *receipt(const struct jw_warm_state *s, const char *key)
{
    for (size_t i = 0; i < s->n_receipts; i++)
        if (strcmp(s->receipts[i].key, key) == 0)
            return &s->receipts[i];
    return NULL;
}

static void forgotten(struct jw_arena *a, const char *root)
{
    struct jw_warm_state s = warm_load(a, root);
    const struct jw_warm_receipt *one = receipt(&s, "one"), *two = receipt(&s, "two");

    CHECK_NUM(s.notes.n, 0);
    CHECK(s.n_jobs == 2 && s.n_bans == 1);
    for (size_t i = 0; i < s.n_jobs; i++)
        CHECK(s.jobs[i].name == 102 || s.jobs[i].name == 103);
    CHECK(one && one->n_entries == 1 && one->entries[0].name == 102 && one->n_targets == 1);
    CHECK_TEXT(one ? one->settings : NULL, "");
    CHECK_TEXT(one ? one->targets[0] : NULL, "2 /opt/a");
    CHECK(two && two->n_entries == 1);
    CHECK_TEXT(two ? two->settings : NULL, "as it was");
    CHECK(!jw_warm_origin(&s, 101));
    CHECK_TEXT(jw_warm_origin(&s, 102), "libx.so");
}

TEST(nothing_names_it_any_more)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *root = prepare(&a);
    struct jw_warm_log *l = warm_open(root);
    struct jw_warm_job later = warm_job(7, 70);

    CHECK(jw_warm_forget(l, gone, 3, &err));
    forgotten(&a, root);
    later.name = 107;
    CHECK(jw_warm_add_job(l, &later, &err)); /* the log goes on */
    jw_warm_close(l);
    CHECK_NUM(warm_load(&a, root).n_jobs, 3);
    l = warm_open(root);
    CHECK(jw_warm_forget(l, gone, 0, &err));
    jw_warm_close(l);
    CHECK_NUM(warm_load(&a, root).n_jobs, 3);
    jw_arena_free(&a);
}

/* The log is what it was, or all of it is done; and it can be written to in any case. */
TEST(every_call_fails_once)
{
    for (unsigned long nth = 1;; nth++) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        const char *root = prepare(&a);
        struct jw_warm_log *l = warm_open(root);

        jw_fault_arm(nth);

        bool ok = jw_warm_forget(l, gone, 3, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        if (ok)
            forgotten(&a, root);
        else {
            size_t n = warm_load(&a, root).n_jobs;

            CHECK(n == 4 || n == 2);
        }
        jw_warm_close(l);
        l = warm_open(root);
        CHECK(jw_warm_forget(l, gone, 3, &(struct jw_err){ 0 }));
        jw_warm_close(l);
        forgotten(&a, root);
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && nth > 10);
            break;
        }
    }
}

TEST(bytes_outlive_their_writer)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *root = prepare(&a);
    struct jw_warm_log *l = warm_open(root);
    struct jw_buf got = JW_BUF(JW_MAX_STATE);

    CHECK(jw_warm_read_backup(l, &got, &err) && got.n == 0);
    CHECK(jw_warm_backup_index(l, "a longer text", 13, &err) && jw_warm_backup_index(l, "short", 5, &err));
    jw_warm_close(l);
    l = warm_open(root);
    CHECK(jw_warm_read_backup(l, &got, &err));
    CHECK_TEXT(jw_buf_cstr(&got), "short");
    CHECK(jw_warm_backup_index(l, NULL, 0, &err) && jw_warm_backup_index(l, NULL, 0, &err));
    jw_buf_clear(&got);
    CHECK(jw_warm_read_backup(l, &got, &err) && got.n == 0);
    jw_buf_free(&got);
    jw_warm_close(l);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(nothing_names_it_any_more), T(every_call_fails_once),
               T(bytes_outlive_their_writer));
}
