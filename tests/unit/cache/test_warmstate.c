#include "check.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

/* ---- what is remembered ---- */

TEST(nothing_is_made_by_asking)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "nothing"), *status;
    struct jw_warm_state s = warm_load(&a, root);
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };

    CHECK(s.dir && !s.n_jobs && !s.n_bans && !s.n_receipts && !s.n_profiles && !s.notes.n);
    CHECK(!warm_busy(&a, root, &holder, &status) && !status);
    CHECK(jw_warm_ask_stop(root, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(!scratch_there(tree_path(&a, "nothing")));
    jw_arena_free(&a);
}

TEST(what_was_added_is_remembered)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "round/deep");
    struct jw_warm_log *l = warm_open(root);
    struct jw_err err = { 0 };
    struct jw_warm_ban b = warm_ban(7), c = warm_ban(8);
    struct jw_warm_receipt r = warm_receipt("all", 1), r2 = warm_receipt("torch", 2),
                           r3 = warm_receipt("all", 3);
    static const uint8_t ids[2][32] = { "one", "two" };

    warm_add_job(l, 1, 100);
    warm_add_job(l, 2, 200);
    CHECK(jw_warm_add_ban(l, &b, &err) && jw_warm_add_ban(l, &c, &err));
    CHECK(jw_warm_lift_ban(l, c.id, c.build, c.sm, &err));
    CHECK(jw_warm_add_receipt(l, &r, &err) && jw_warm_add_receipt(l, &r2, &err));
    CHECK(jw_warm_add_receipt(l, &r3, &err));
    CHECK(jw_warm_add_profile(l, &(struct jw_warm_profile){ "python", ids, 2, 5 }, &err));
    warm_add_job(l, 1, 300);
    CHECK(jw_warm_sync(l, &err));

    for (int closed = 0; closed < 2; closed++) { /* others read while it is written, too */
        struct jw_warm_state s = warm_load(&a, root);

        CHECK_NUM(s.notes.n, 0);
        CHECK_NUM(s.n_jobs, 2);
        CHECK(warm_find(&s, 1) && warm_find(&s, 1)->bytes == 300);
        CHECK(warm_find(&s, 2) && warm_find(&s, 2)->bytes == 200);
        CHECK_TEXT(s.jobs[0].build, "gnu:5d1c0ffee");
        CHECK(s.n_bans == 1 && memcmp(s.bans[0].id, b.id, 32) == 0);
        CHECK_TEXT(s.bans[0].why, "it hung");
        CHECK_NUM(s.n_receipts, 2);
        CHECK_TEXT(s.receipts[0].key, "all");
        CHECK(s.receipts[0].when == 3 && s.receipts[1].when == 2);
        CHECK_NUM(s.receipts[0].n_entries, 2);
        CHECK(s.n_profiles == 1 && s.profiles[0].n == 2 && memcmp(s.profiles[0].ids, ids, sizeof ids) == 0);
        if (!closed)
            jw_warm_close(l);
    }
    CHECK_TEXT(err.msg, "");
    jw_warm_close(NULL);
    jw_arena_free(&a);
}

TEST(whose_the_entries_are)
{
    static const uint64_t names[] = { 9, 3, UINT64_MAX, 3, 5 };
    static const struct jw_warm_origin told[] = {
        { "torch", "gnu:1", names, 5 },     /* superseded */
        { "libold.so", "gnu:1", names, 2 }, /* a file that got another name */
        { "libnew.so", "gnu:1", names + 1, 1 }, { "torch", "gnu:1", names + 2, 2 }, /* newer than both */
        { "torch", "gnu:2", NULL, 0 },
    };
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "origins");
    struct jw_warm_log *l = warm_open(root);
    struct jw_warm_state s = warm_load(&a, root);
    struct jw_err err = { 0 };

    CHECK(!jw_warm_origin(&s, 9));
    for (size_t i = 0; i < JW_COUNT(told); i++)
        CHECK(jw_warm_add_origin(l, &told[i], &err));
    CHECK_TEXT(err.msg, "");
    jw_warm_close(l);
    s = warm_load(&a, root);
    CHECK_NUM(s.n_origins, 4);
    CHECK_NUM(s.n_owned, 3);
    CHECK_TEXT(jw_warm_origin(&s, 9), "libold.so");
    CHECK_TEXT(jw_warm_origin(&s, 3), "torch");
    CHECK_TEXT(jw_warm_origin(&s, UINT64_MAX), "torch");
    CHECK(!jw_warm_origin(&s, 0) && !jw_warm_origin(&s, 4) && !jw_warm_origin(&s, 5));
    jw_arena_free(&a);
}

TEST(the_ledger_names_what_the_driver_did_not_make)
{
    static const struct jw_warm_ledger told[] = {
        { 9, 100, 1, JW_MADE_CARRIED, "gnu:2", "Jan  7 202622:51:46", 5 },
        { 3, 200, 2, JW_MADE_FORGED, "gnu:2", "", 6 },
        { 7, 300, 3, JW_MADE_CARRIED, "gnu:2", "Jan  7 202622:51:46", 7 },
        { 9, 111, 4, JW_MADE_HERE, "gnu:2", "", 8 }, /* compiled again, over the carried one */
        { 7, 300, 5, JW_MADE_CARRIED, "gnu:3", "Feb  7 202622:51:46", 9 },
    };
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "ledger");
    struct jw_warm_log *l = warm_open(root);
    struct jw_err err = { 0 };

    for (size_t i = 0; i < JW_COUNT(told); i++)
        CHECK(jw_warm_add_made(l, &told[i], &err));
    jw_warm_close(l);
    struct jw_warm_state s = warm_load(&a, root);

    CHECK_NUM(s.n_ledger, 2);
    CHECK(!jw_warm_made(&s, 9, 1) && !jw_warm_made(&s, 9, 4) && !jw_warm_made(&s, 8, 1));
    CHECK(!jw_warm_made(&s, 7, 3)); /* another payload: somebody else made that one */
    CHECK(jw_warm_made(&s, 7, 5) && jw_warm_made(&s, 7, 5)->when == 9);
    CHECK(jw_warm_made(&s, 3, 2) && jw_warm_made(&s, 3, 2)->made == JW_MADE_FORGED);
    jw_arena_free(&a);
}

TEST(a_session_goes_on_where_the_last_one_ended)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "sessions");

    for (unsigned i = 0; i < 5; i++) {
        struct jw_warm_log *l = warm_open(root);

        warm_add_job(l, i, i);
        jw_warm_close(l);
    }

    struct jw_warm_state s = warm_load(&a, root);

    CHECK(s.n_jobs == 5 && s.notes.n == 0);
    for (unsigned i = 0; i < 5; i++)
        CHECK(s.jobs[i].bytes == i);
    jw_arena_free(&a);
}

TEST(roots_are_told_apart)
{
    struct jw_arena a = { 0 };
    const char *one = warm_begin(&a, "several"), *two = tree_path(&a, "roots/another");

    jw_warm_close(warm_open(one));

    struct jw_warm_log *l = warm_open(two);

    warm_add_job(l, 1, 1);
    jw_warm_close(l);
    CHECK(warm_load(&a, one).n_jobs == 0 && warm_load(&a, two).n_jobs == 1);
    jw_arena_free(&a);
}

/* A folder that was copied: what it says is of another cache. */
TEST(the_memory_of_another_root_is_not_this_ones)
{
    struct jw_arena a = { 0 };
    const char *one = warm_begin(&a, "copied"), *two = tree_path(&a, "roots/elsewhere");
    struct jw_warm_log *l = warm_open(one);
    struct jw_buf file = JW_BUF(1 << 20);
    struct jw_append f;
    struct jw_err err = { 0 };
    bool found;

    warm_add_job(l, 1, 1);
    jw_warm_close(l);
    jw_warm_close(warm_open(two));
    CHECK(jw_file_slurp(warm_place(&a, one).log, &file, &found, &err));
    CHECK(jw_append_open(&f, warm_place(&a, two).log, &err) && jw_append_cut(&f, 0, &err));
    CHECK(jw_append_write(&f, file.p, file.n, &err));
    jw_append_close(&f);

    struct jw_warm_state s = warm_load(&a, two);

    CHECK(s.n_jobs == 0 && s.notes.n == 1);
    CHECK_HAS(s.notes.n ? s.notes.v[0] : "", "it speaks of another cache");
    jw_warm_close(warm_open(two));
    s = warm_load(&a, two);
    CHECK(s.n_jobs == 0 && s.notes.n == 0);
    jw_buf_free(&file);
    jw_arena_free(&a);
}

TEST(a_root_is_the_same_before_and_after_it_is_made)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "made");
    struct jw_err err = { 0 };
    struct jw_warm_log *l = warm_open(root);

    warm_add_job(l, 1, 1);
    jw_warm_close(l);
    CHECK(jw_make_dirs(root, &err));
    CHECK_NUM(warm_load(&a, root).n_jobs, 1);
    jw_arena_free(&a);
}

TEST(a_state_folder_that_the_system_does_not_name)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "unnamed");
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };

    cache_env("JITWARM_STATE", "relative");

    struct jw_warm_state s = warm_load(&a, root);

    CHECK(!s.dir && s.notes.n == 1);
    CHECK(!jw_warm_open(root, &l, &holder, &err) && !l);
    CHECK_HAS(err.msg, "JITWARM_STATE=relative is not an absolute path");
    jw_arena_free(&a);
}

/* ---- who works on it ---- */

TEST(a_second_one_is_told_who_has_it)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "held"), *status;
    struct jw_warm_log *l = warm_open(root), *other = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };
    int64_t now = jw_time_unix();

    CHECK(jw_warm_open(root, &other, &holder, &err) && !other);
    CHECK_NUM(holder.pid, jw_process_id());
    CHECK(holder.since <= now && holder.since > now - 60);
    CHECK(warm_busy(&a, root, &holder, &status) && !status);
    CHECK_NUM(holder.pid, jw_process_id());

    /* What the second one did in vain has disturbed nothing. */
    CHECK(jw_warm_write_status(l, "{ \"done\": 1 }", 13, &err));
    CHECK(jw_warm_write_status(l, "{ \"done\": 22 }", 14, &err));
    CHECK(jw_warm_open(root, &other, &holder, &err) && !other);
    CHECK(warm_busy(&a, root, &holder, &status));
    CHECK_TEXT(status ? status : "none", "{ \"done\": 22 }");
    jw_warm_close(l);
    CHECK(!warm_busy(&a, root, &holder, &status) && !status && holder.pid == 0);
    jw_warm_close(warm_open(root));
    CHECK_TEXT(err.msg, "");
    jw_arena_free(&a);
}

TEST(what_a_dead_process_left_is_not_believed)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "stale"), *status;
    struct jw_warm_place p = warm_place(&a, root);
    struct jw_warm_holder holder;

    jw_warm_close(warm_open(root));
    warm_spoil(p.status, "{}", 2);
    warm_spoil(p.stop, "", 0);
    warm_spoil(p.lock, "4194000 1790000000\n", 19);
    CHECK(!warm_busy(&a, root, &holder, &status) && !status && holder.pid == 0);

    struct jw_warm_log *l = warm_open(root);

    CHECK(!jw_warm_stop_asked(l));
    CHECK(warm_busy(&a, root, &holder, &status) && !status);
    CHECK_NUM(holder.pid, jw_process_id());
    jw_warm_close(l);
    jw_arena_free(&a);
}

TEST(a_holder_that_has_not_said_who_it_is)
{
    static const char *const lines[] = { "", "12", "12 34", "x y\n", "12 \n", "99999999999999999999 1\n" };
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "unsaid"), *status;
    struct jw_warm_log *l = warm_open(root), *other = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };

    for (size_t i = 0; i < JW_COUNT(lines); i++) {
        warm_spoil(warm_place(&a, root).lock, lines[i], strlen(lines[i]));
        CHECK(warm_busy(&a, root, &holder, &status) && holder.pid == 0 && holder.since == 0);
    }
    CHECK(jw_warm_open(root, &other, &holder, &err) && !other && holder.pid == 0);
    jw_warm_close(l);
    jw_arena_free(&a);
}

TEST(it_can_be_asked_to_end)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "stop");
    struct jw_warm_log *l = warm_open(root);
    struct jw_err err = { 0 };

    CHECK(!jw_warm_stop_asked(l));
    CHECK(jw_warm_ask_stop(root, &err) && jw_warm_ask_stop(root, &err));
    CHECK(jw_warm_stop_asked(l));
    jw_warm_close(l);
    CHECK(jw_warm_ask_stop(root, &err)); /* nobody is there: not the next one is meant */
    l = warm_open(root);
    CHECK(!jw_warm_stop_asked(l));
    jw_warm_close(l);
    CHECK_TEXT(err.msg, "");
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(
        argc, argv, T(nothing_is_made_by_asking), T(what_was_added_is_remembered), T(whose_the_entries_are),
        T(the_ledger_names_what_the_driver_did_not_make), T(a_session_goes_on_where_the_last_one_ended),
        T(roots_are_told_apart), T(the_memory_of_another_root_is_not_this_ones),
        T(a_root_is_the_same_before_and_after_it_is_made), T(a_state_folder_that_the_system_does_not_name),

        T(a_second_one_is_told_who_has_it), T(what_a_dead_process_left_is_not_believed),
        T(a_holder_that_has_not_said_who_it_is), T(it_can_be_asked_to_end));
}
