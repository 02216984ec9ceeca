#include "base/fault.h"
#include "check.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

/* One session that does everything; `*added`: jobs of which it was said that they are in. */
static bool session(const char *root, unsigned *added, struct jw_err *err)
{
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    struct jw_warm_job one = warm_job(1, 10), two = warm_job(2, 20);
    struct jw_warm_ban b = warm_ban(3);
    struct jw_warm_receipt r = warm_receipt("all", 1);
    struct jw_warm_profile p = { .key = "python", .when = 1 };
    bool ok = jw_warm_open(root, &l, &holder, err) && l;

    *added = 0;
    ok = ok && jw_warm_add_job(l, &one, err) && ++*added && jw_warm_add_ban(l, &b, err)
         && jw_warm_lift_ban(l, b.id, b.build, b.sm, err) && jw_warm_write_status(l, "{}", 2, err)
         && jw_warm_add_receipt(l, &r, err) && jw_warm_add_profile(l, &p, err)
         && jw_warm_add_job(l, &two, err) && ++*added && jw_warm_sync(l, err);
    jw_warm_close(l);
    return ok;
}

/* Whatever failed, what is on the disk can be read to its end, and holds what was said to be in. */
static void whole(const char *root, unsigned added)
{
    struct jw_arena a = { 0 };
    struct jw_warm_state s = warm_load(&a, root);
    struct jw_warm_holder holder;
    const char *status;

    CHECK_NUM(s.notes.n, 0);
    CHECK(added < 1 || (warm_find(&s, 1) && warm_find(&s, 1)->bytes == 10));
    CHECK(added < 2 || (warm_find(&s, 2) && warm_find(&s, 2)->bytes == 20));
    CHECK(!warm_busy(&a, root, &holder, &status));
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
            const char *root = warm_begin(&a, "faults");

            scratch_empty(tree_path(&a, "faults"));
            for (unsigned i = 0; how && i < how * 2 - 1; i++)
                CHECK(session(root, &ignored, &err));
            jw_fault_arm(nth);

            bool ok = session(root, &added, &err), fired = jw_fault_fired();

            jw_fault_arm(0);
            CHECK(ok || (fired && err.code && err.msg[0]));
            whole(root, how ? 2 : added);
            CHECK(session(root, &ignored, &(struct jw_err){ 0 }));
            whole(root, 2);
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
    const char *root = warm_begin(&keep, "readers");
    struct jw_warm_log *l;
    unsigned added;

    CHECK(session(root, &added, &none));
    l = warm_open(root);
    CHECK(jw_warm_write_status(l, "{}", 2, &none));
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        struct jw_warm_state s = { 0 };
        struct jw_warm_holder holder;
        const char *status;
        bool busy = false;

        jw_fault_arm(nth);

        bool loaded = jw_warm_load(root, &a, &s, &err);
        bool asked = loaded && jw_warm_busy(root, &a, &busy, &holder, &status, &err);
        bool told = asked && jw_warm_ask_stop(root, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(told || (fired && err.code && err.msg[0]));
        /* Less is remembered only with a note. */
        CHECK(!loaded || s.notes.n
              || (s.n_jobs == 2 && s.n_receipts == 1 && s.n_profiles == 1 && s.n_bans == 0));
        CHECK(!asked || (busy && holder.pid && status));
        if (!fired) {
            CHECK(told && s.notes.n == 0 && nth > 8);
            jw_arena_free(&a);
            break;
        }
        jw_arena_free(&a);
    }
    CHECK(jw_warm_stop_asked(l));
    jw_warm_close(l);
    jw_arena_free(&keep);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(every_call_of_a_session_fails_once), T(every_call_of_a_reader_fails_once));
}
