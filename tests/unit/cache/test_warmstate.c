#include "check.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/as_nobody.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"
#include "rigs/warm.h"
#ifndef _WIN32
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

/* ---- what is remembered ---- */

TEST_ARENA(nothing_is_made_by_asking)
{
    const char *cache = warm_begin(a, "nothing");
    struct jw_warm_state s = warm_load(a, cache);
    struct jw_warm_holder holder;
    uint64_t done;

    CHECK(s.dir && !s.modules.n && !s.n_receipts && !s.n_commands && !s.notes.n);
    CHECK(!warm_busy(a, cache, &holder, &done) && !done);
    CHECK(!scratch_there(tree_path(a, "nothing")));
}

TEST_ARENA(what_was_added_is_remembered)
{
    const char *cache = warm_begin(a, "round/deep");
    struct jw_warm_log *l = warm_open(cache);
    struct jw_err err = { 0 };
    struct jw_warm_module lifted = warm_ban(8);
    struct jw_warm_receipt r = warm_receipt("all", 1), r2 = warm_receipt("torch", 2),
                           r3 = warm_receipt("all", 3);
    static const uint8_t ids[2][32] = { "one", "two" };

    warm_add_module(l, 1, 100);
    warm_add_module(l, 2, 200);
    warm_add(l, warm_ban(7));
    warm_add(l, lifted);
    lifted.ban = "";
    warm_add(l, lifted);
    CHECK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r }, &err)
          && jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r2 }, &err));
    CHECK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = r3 }, &err));
    CHECK(jw_warm_add(
        l,
        &(struct jw_warm_fact){ JW_WARM_COMMAND,
                                .as.command = { .key = "python", .ids = ids, .n = 2, .recorded = 5 } },
        &err));
    warm_add_module(l, 1, 300);
    CHECK(jw_warm_sync(l, &err));

    for (int closed = 0; closed < 2; closed++) { /* others read while it is written, too */
        struct jw_warm_state s = warm_load(a, cache);

        CHECK_NUM(s.notes.n, 0);
        CHECK_NUM(s.modules.n, 4);
        CHECK(warm_find(&s, 1) && warm_find(&s, 1)->bytes == 300);
        CHECK(warm_find(&s, 2) && warm_find(&s, 2)->bytes == 200);
        CHECK_TEXT(s.modules.list[0].build, "gnu:5d1c0ffee");
        CHECK_NUM(warm_banned(&s), 1);
        CHECK_TEXT(warm_find(&s, 7) ? warm_find(&s, 7)->ban : NULL, "it hung");
        CHECK_NUM(s.n_receipts, 2);
        CHECK_TEXT(s.receipts[0].asked.command, "all");
        CHECK(s.receipts[0].when == 3 && s.receipts[1].when == 2);
        CHECK_NUM(s.receipts[0].n_entries, 2);
        CHECK(s.n_commands == 1 && s.commands[0].n == 2 && memcmp(s.commands[0].ids, ids, sizeof ids) == 0);
        if (!closed)
            jw_warm_close(l);
    }
    CHECK_TEXT(err.msg, "");
    jw_warm_close(NULL);
}

/* Of several modules whose entry has this name, the origin that was recorded last. */
TEST_ARENA(whose_the_entries_are)
{
    const char *cache = warm_begin(a, "origins");
    struct jw_warm_log *l = warm_open(cache);
    struct jw_warm_state s = warm_load(a, cache);
    struct jw_warm_module first = warm_module(1, 0), same = warm_module(2, 0), other = warm_module(3, 0);

    CHECK(!jw_warm_origin(&s, first.name));
    first.origin = "libold.so";
    warm_add(l, first);
    same.name = first.name;
    same.origin = "torch";
    warm_add(l, same);
    warm_add(l, other);
    jw_warm_close(l);
    s = warm_load(a, cache);
    CHECK_TEXT(jw_warm_origin(&s, first.name), "torch");
    CHECK(!jw_warm_origin(&s, 0) && !jw_warm_origin(&s, 99) && !jw_warm_origin(&s, other.name));
    l = warm_open(cache);
    first.origin = "libnew.so"; /* a file that got another name */
    warm_add(l, first);
    jw_warm_close(l);
    s = warm_load(a, cache);
    CHECK_TEXT(jw_warm_origin(&s, first.name), "libnew.so");
    CHECK_NUM(s.modules.n, 3);
}

TEST_ARENA(imports_are_known_by_their_payload)
{
    const char *cache = warm_begin(a, "imports");
    struct jw_warm_log *l = warm_open(cache);
    struct jw_warm_module m = warm_module(7, 0), named = { .build = "gnu:2", .sm = 86, .name = m.name };

    m.imported = true;
    m.payload = 3;
    warm_add(l, m);
    m.payload = 5;
    warm_add(l, m);
    jw_warm_id_of_name(named.id, named.name); /* the same entry, when the module was not here yet */
    named.imported = true;
    named.payload = 6;
    warm_add(l, named);
    warm_add_module(l, 8, 0);
    jw_warm_close(l);
    struct jw_warm_state s = warm_load(a, cache);

    CHECK_NUM(s.modules.n, 3);
    CHECK(jw_warm_imported(&s, m.name, 5) && jw_warm_imported(&s, m.name, 6));
    CHECK(!jw_warm_imported(&s, m.name, 3) && !jw_warm_imported(&s, 9, 0) && !jw_warm_imported(&s, 77, 5));
}

/* A record is of the whole module: what its holder adds rests on all that was added before, by others and by itself. */
TEST_ARENA(what_is_changed_keeps_the_rest)
{
    const char *cache = warm_begin(a, "recalled");
    struct jw_warm_module before = warm_module(1, 10), m;
    struct jw_warm_state s;

    before.origin = "torch";
    for (unsigned known = 0; known < 2; known++) {
        struct jw_warm_log *l = warm_open(cache);

        warm_add(l, before);
        jw_warm_close(l);
        s = warm_load(a, cache);
        l = known ? warm_open_known(cache, &s) : warm_open(cache);
        m = jw_warm_recall(l, before.id, before.sm, "another build");
        CHECK(!m.compiled && !m.name && memcmp(m.id, before.id, sizeof m.id) == 0 && m.sm == before.sm);
        CHECK_TEXT(m.build, "another build");
        CHECK_TEXT(m.origin, "");
        m = jw_warm_recall(l, before.id, before.sm, before.build);
        m.stopped = 5000;
        warm_add(l, m);
        m = jw_warm_recall(l, before.id, before.sm, before.build);
        m.ban = "it hung";
        warm_add(l, m);
        jw_warm_close(l);
        s = warm_load(a, cache);

        const struct jw_warm_module *after = warm_find(&s, 1);

        CHECK_NUM(s.modules.n, 1);
        CHECK(after && after->compiled && after->bytes == 10 && after->stopped == 5000);
        CHECK_TEXT(after ? after->origin : NULL, "torch");
        CHECK_TEXT(after ? after->ban : NULL, "it hung");
    }
}

/* A command that loaded nothing has a record of the machine all the same, and none of what it loads. */
TEST_ARENA(what_commands_load_and_where)
{
    static const struct jw_warm_load list[] = { { 7, true } };
    static const struct jw_warm_answer answers[] = { { "GPUs", "one" } };
    const char *key = "/usr/bin/python3 x.py";
    const char *cache = warm_begin(a, "loads"), *alias = jw_warm_command_alias(key, a);
    const struct jw_warm_loads told[] = {
        { .key = alias, .build = "gnu:1", .list = list, .n = 1 },
        { .key = key, .build = "gnu:1", .answers = answers, .n_answers = 1 },
        { .key = key, .build = "gnu:2", .list = list, .n = 1, .answers = answers, .n_answers = 1 },
    };
    struct jw_warm_log *l = warm_open(cache);
    struct jw_err err = { 0 };

    for (size_t i = 0; i < JW_COUNT(told); i++) {
        struct jw_warm_command c = jw_warm_recall_command(l, told[i].key);

        jw_warm_put_loads(&c, told[i], a);
        CHECK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = c }, &err));
    }
    jw_warm_close(l);
    struct jw_warm_state s = warm_load(a, cache);
    const struct jw_warm_loads *one = jw_warm_loads(&s, key, "gnu:1"), *two = jw_warm_loads(&s, key, "gnu:2");

    CHECK_NUM(s.n_commands, 2);
    CHECK(one && one->n == 1 && two && two->n == 1 && !jw_warm_loads(&s, key, "gnu:3"));
    CHECK_TEXT(one ? one->key : NULL, alias); /* what came with a pack */
    CHECK_TEXT(two ? two->key : NULL, key);
    CHECK(jw_warm_machine(&s, key, "gnu:1") && jw_warm_machine(&s, key, "gnu:2") == two);
    CHECK(!jw_warm_machine(&s, alias, "gnu:1") && !jw_warm_machine(&s, key, "gnu:3"));
}

/* Of more driver builds than a machine starts in turn the oldest are forgotten; the newest is the last. */
TEST_ARENA(what_a_command_loads_with_each_driver)
{
    static const char *const builds[] = { "1", "2", "3", "4", "2", "5" };
    struct jw_warm_command c = { .key = "python" };

    for (size_t i = 0; i < JW_COUNT(builds); i++)
        jw_warm_put_loads(&c, (struct jw_warm_loads){ .build = builds[i] }, a);
    CHECK_NUM(c.n_loads, 4);
    CHECK_TEXT(c.loads[0].build, "3");
    CHECK_TEXT(c.loads[2].build, "2");
    CHECK_TEXT(c.loads[3].build, "5");
}

static void add_command(struct jw_warm_log *l, enum jw_warm_kind kind, struct jw_warm_command c)
{
    struct jw_err err = { 0 };

    CHECK(jw_warm_add(l, &(struct jw_warm_fact){ kind, .as.command = c }, &err));
}

/* A start changes its times and its cache, and leaves what the command loads. The record of the command has all that was before it. */
TEST_ARENA(a_start_of_a_command_is_a_record_of_its_own)
{
    static const uint8_t ids[1][32] = { "one" };
    const char *cache = warm_begin(a, "started");
    struct jw_warm_command c = { .key = "a", .recorded = 1, .ids = ids, .n = 1, .when = 1, .cold = 70 };
    struct jw_warm_log *l = warm_open(cache);

    add_command(l, JW_WARM_STARTED, (struct jw_warm_command){ .key = "alone", .when = 5 });
    add_command(l, JW_WARM_COMMAND, c);
    c.when = 2;
    c.warm = 7;
    c.cache = "/elsewhere";
    add_command(l, JW_WARM_STARTED, c);
    CHECK(jw_warm_recall_command(l, "a").warm == 7 && jw_warm_recall_command(l, "a").n == 1);
    jw_warm_close(l);
    struct jw_warm_state s = warm_load(a, cache);

    CHECK_NUM(s.n_commands, 1);
    CHECK(s.commands[0].when == 2 && s.commands[0].cold == 70 && s.commands[0].warm == 7);
    CHECK(s.commands[0].recorded == 1 && s.commands[0].n == 1 && s.n_recorded == 1);
    CHECK_TEXT(s.commands[0].cache, "/elsewhere");
    l = warm_open(cache);
    c = jw_warm_recall_command(l, "a");
    c.recorded = c.when = 3;
    add_command(l, JW_WARM_COMMAND, c);
    jw_warm_close(l);
    s = warm_load(a, cache);
    CHECK(s.n_commands == 1 && s.commands[0].when == 3 && s.commands[0].recorded == 3);
    CHECK(s.commands[0].warm == 7);
}

/* Who starts one does not change the order: receipts are found by it. A hint is of a command of which nothing else is known. */
TEST_ARENA(commands_are_sorted_by_their_words)
{
    static const uint8_t ids[1][32] = { "one" };
    const char *key = "/usr/bin/python3 x.py", *cache = warm_begin(a, "sorted");
    const struct jw_warm_command told[] = { { .key = "b", .recorded = 1 },
                                            { .key = jw_warm_command_alias(key, a), .ids = ids, .n = 1 },
                                            { .key = "a", .when = 2 } };
    struct jw_warm_log *l = warm_open(cache);
    struct jw_err err = { 0 };

    for (size_t i = 0; i < JW_COUNT(told); i++)
        CHECK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = told[i] }, &err));
    jw_warm_close(l);
    struct jw_warm_state s = warm_load(a, cache);

    CHECK(s.n_commands == 2 && s.n_recorded == 1 && s.n_hints == 1);
    CHECK_TEXT(s.commands[0].key, "a");
    CHECK(!jw_warm_profile(&s, "a") && jw_warm_profile(&s, "b") == &s.commands[1]);
    CHECK(jw_warm_hint(&s, key) == &s.hints[0] && !jw_warm_hint(&s, "b"));
}

/* It is not read, and the next holder begins a new one. */
TEST_ARENA(a_log_of_another_format_is_begun_again)
{
    const char *cache = warm_begin(a, "format");
    struct jw_buf file = JW_BUF(4096);
    struct jw_warm_log *l = warm_open(cache);

    jw_warm_close(l);
    jw_record_put(&file, 1, (const struct jw_field[]){ JW_FIELD_ALONE(JW_FIELD_TEXT, sizeof(char *)), { 0 } },
                  &(const char *){ warm_place(a, cache).cache });
    jw_record_put(&file, 2, (const struct jw_field[]){ { 0 } }, NULL);
    warm_spoil(warm_place(a, cache).log, file.p, file.n);

    struct jw_warm_state s = warm_load(a, cache);

    CHECK(s.modules.n == 0 && s.notes.n == 1 && s.lost);
    CHECK_HAS(s.lost ? s.lost : "", "warm.log was written by another version of jitwarm");
    l = warm_open_known(cache, &s);
    warm_add_module(l, 1, 1);
    jw_warm_close(l);
    s = warm_load(a, cache);
    CHECK(s.modules.n == 1 && s.notes.n == 0);
    jw_buf_free(&file);
}

TEST_ARENA(a_session_goes_on_where_the_last_one_ended)
{
    const char *cache = warm_begin(a, "sessions");

    for (unsigned i = 0; i < 5; i++) {
        struct jw_warm_log *l = warm_open(cache);

        warm_add_module(l, i, i);
        jw_warm_close(l);
    }

    struct jw_warm_state s = warm_load(a, cache);

    CHECK(s.modules.n == 5 && s.notes.n == 0);
    for (unsigned i = 0; i < 5; i++)
        CHECK(s.modules.list[i].bytes == i);
}

TEST_ARENA(roots_are_told_apart)
{
    const char *one = warm_begin(a, "several"), *two = tree_path(a, "roots/another");

    jw_warm_close(warm_open(one));

    struct jw_warm_log *l = warm_open(two);

    warm_add_module(l, 1, 1);
    jw_warm_close(l);
    CHECK(warm_load(a, one).modules.n == 0 && warm_load(a, two).modules.n == 1);
}

/* A folder that was copied: what it says is of another cache. */
TEST_ARENA(the_memory_of_another_root_is_not_this_ones)
{
    const char *one = warm_begin(a, "copied"), *two = tree_path(a, "roots/elsewhere");
    struct jw_warm_log *l = warm_open(one);
    struct jw_buf file = JW_BUF(1 << 20);
    struct jw_append f;
    struct jw_err err = { 0 };
    bool found;

    warm_add_module(l, 1, 1);
    jw_warm_close(l);
    jw_warm_close(warm_open(two));
    CHECK(jw_file_slurp(warm_place(a, one).log, &file, &found, &err));
    CHECK(jw_append_open(&f, warm_place(a, two).log, &err) && jw_append_truncate(&f, 0, &err));
    CHECK(jw_append_write(&f, file.p, file.n, &err));
    jw_append_close(&f);

    struct jw_warm_state s = warm_load(a, two);

    CHECK(s.modules.n == 0 && s.notes.n == 1);
    CHECK_HAS(s.notes.n ? s.notes.v[0] : "", "is about another cache");
    jw_warm_close(warm_open(two));
    s = warm_load(a, two);
    CHECK(s.modules.n == 0 && s.notes.n == 0);
    jw_buf_free(&file);
}

TEST_ARENA(a_root_is_the_same_before_and_after_it_is_made)
{
    const char *cache = warm_begin(a, "made");
    struct jw_err err = { 0 };
    struct jw_warm_log *l = warm_open(cache);

    warm_add_module(l, 1, 1);
    jw_warm_close(l);
    CHECK(jw_make_dirs(cache, &err));
    CHECK_NUM(warm_load(a, cache).modules.n, 1);
}

TEST_ARENA(a_state_folder_that_the_system_does_not_name)
{
    const char *cache = warm_begin(a, "unnamed");
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };

    set_variable("JITWARM_STATE", "relative");

    struct jw_warm_state s = warm_load(a, cache);

    CHECK(!s.dir && s.notes.n == 1);
    CHECK(!jw_warm_open(cache, NULL, &l, &holder, &err) && !l);
    CHECK_HAS(err.msg, "JITWARM_STATE=relative is not an absolute path");
}

/* ---- who works on it ---- */

TEST_ARENA(a_second_one_is_told_who_has_it)
{
    const char *cache = warm_begin(a, "held");
    struct jw_warm_log *l = warm_open(cache), *other = NULL;
    struct jw_warm_holder holder;
    uint64_t done;
    struct jw_err err = { 0 };
    int64_t now = jw_time_unix();

    CHECK(jw_warm_open(cache, NULL, &other, &holder, &err) && !other);
    CHECK_NUM(holder.pid, jw_process_id());
    CHECK(holder.since <= now && holder.since > now - 60);
    CHECK(warm_busy(a, cache, &holder, &done) && !done);
    CHECK_NUM(holder.pid, jw_process_id());

    /* What the second one did in vain has disturbed nothing. */
    warm_write_progress(l, 1);
    warm_write_progress(l, 22);
    CHECK(jw_warm_open(cache, NULL, &other, &holder, &err) && !other);
    CHECK(warm_busy(a, cache, &holder, &done));
    CHECK_NUM(done, 22);
    jw_warm_close(l);
    CHECK(!warm_busy(a, cache, &holder, &done) && !done && holder.pid == 0);
    jw_warm_close(warm_open(cache));
    CHECK_TEXT(err.msg, "");
}

TEST_ARENA(its_progress_reads_back)
{
    static const struct jw_prime_slot slots[] = { { "libggml-cuda.so: flash_attn", 12400000, 38.125 },
                                                  { "a\n\xff\"", 0, 0 } };
    static const struct jw_prime_progress now = { .phase = JW_PHASE_COMPILE,
                                                  .done = 41,
                                                  .total = 143,
                                                  .failed = 2,
                                                  .done_bytes = 108000000,
                                                  .total_bytes = 266000000,
                                                  .seconds = 63.25,
                                                  .eta = -1,
                                                  .late = 0.5,
                                                  .slots = slots,
                                                  .n_slots = JW_COUNT(slots),
                                                  .slowest = "mmq.cu",
                                                  .slowest_seconds = 58 };
    const char *cache = warm_begin(a, "progress");
    struct jw_warm_log *l = warm_open(cache);
    struct jw_prime_progress p;
    struct jw_err err = { 0 };
    bool found = true;

    CHECK(jw_warm_read_progress(cache, a, &p, &found, &err) && !found);
    CHECK(jw_warm_write_progress(l, &now, &err));
    CHECK(jw_warm_read_progress(cache, a, &p, &found, &err) && found);
    CHECK(p.phase == JW_PHASE_COMPILE && !p.at && !p.finished);
    CHECK(p.done == 41 && p.total == 143 && p.failed == 2);
    CHECK(p.done_bytes == 108000000 && p.total_bytes == 266000000);
    CHECK(p.seconds == 63.25 && p.eta == -1 && p.late == 0.5);
    CHECK_NUM(p.n_slots, JW_COUNT(slots));
    for (size_t i = 0; i < p.n_slots; i++) {
        CHECK_TEXT(p.slots[i].what, slots[i].what);
        CHECK(p.slots[i].ptx_bytes == slots[i].ptx_bytes && p.slots[i].seconds == slots[i].seconds);
    }
    CHECK_TEXT(p.slowest, "mmq.cu");
    CHECK(p.slowest_seconds == 58);
    CHECK_TEXT(err.msg, "");
    jw_warm_close(l);
}

TEST_ARENA(progress_that_is_damaged_is_refused)
{
    const char *cache = warm_begin(a, "no-progress"), *path;
    struct jw_warm_log *l = warm_open(cache);
    struct jw_prime_progress p = { .phase = JW_PHASE_VERIFY, .at = "/opt" };
    struct jw_buf good = JW_BUF(4096), later = JW_BUF(4096);
    struct jw_err err = { 0 };
    bool found;

    path = warm_place(a, cache).progress;
    CHECK(jw_warm_write_progress(l, &p, &err) && jw_file_slurp(path, &good, &found, &err));
    for (size_t n = 0; n < good.n; n++) {
        warm_spoil(path, good.p, n);
        err = (struct jw_err){ 0 };
        CHECK_REFUSED(jw_warm_read_progress(cache, a, &p, &found, &err), err, "progress: it is damaged");
    }
    p.phase = JW_PHASE_VERIFY + 1;
    CHECK(jw_warm_write_progress(l, &p, &err));
    CHECK_REFUSED(jw_warm_read_progress(cache, a, &p, &found, &err), err,
                  "another version of jitwarm wrote it");
    jw_record_put(&later, 41, (const struct jw_field[]){ { 0 } }, NULL);
    warm_spoil(path, later.p, later.n);
    CHECK_REFUSED(jw_warm_read_progress(cache, a, &p, &found, &err), err,
                  "another version of jitwarm wrote it");
    jw_warm_close(l);
    jw_buf_free(&later);
    jw_buf_free(&good);
}

TEST_ARENA(what_a_dead_process_left_is_not_believed)
{
    const char *cache = warm_begin(a, "stale");
    struct jw_warm_place p = warm_place(a, cache);
    struct jw_buf gone = JW_BUF(100);
    struct jw_warm_holder holder;
    uint64_t done;

    jw_warm_close(warm_open(cache));
    warm_spoil(p.progress, "{}", 2);
    jw_warm_holder_put(&gone, &(struct jw_warm_holder){ 4194000, 1790000000 });
    warm_spoil(p.lock, gone.p, gone.n);
    jw_buf_free(&gone);
    CHECK(!warm_busy(a, cache, &holder, &done) && !done && holder.pid == 0);

    struct jw_warm_log *l = warm_open(cache);

    CHECK(warm_busy(a, cache, &holder, &done) && !done);
    CHECK_NUM(holder.pid, jw_process_id());
    jw_warm_close(l);
}

TEST_ARENA(a_holder_that_has_not_said_who_it_is)
{
    const char *cache = warm_begin(a, "unsaid");
    struct jw_warm_log *l = warm_open(cache), *other = NULL;
    const char *lock = warm_place(a, cache).lock;
    struct jw_buf said = JW_BUF(100);
    struct jw_warm_holder holder;
    uint64_t done;
    struct jw_err err = { 0 };
    bool found;

    CHECK(jw_file_slurp(lock, &said, &found, &err) && said.n > 20);
    for (size_t n = 0; n < said.n; n += 10) {
        warm_spoil(lock, said.p, n);
        CHECK(warm_busy(a, cache, &holder, &done) && holder.pid == 0 && holder.since == 0);
    }
    CHECK(jw_warm_open(cache, NULL, &other, &holder, &err) && !other && holder.pid == 0);
    jw_buf_free(&said);
    jw_warm_close(l);
}

#ifndef _WIN32
static bool may_open(const char *cache, struct jw_err *err)
{
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    bool ok = jw_warm_open(cache, NULL, &l, &holder, err);

    jw_warm_close(l);
    return ok;
}

TEST_ARENA(it_is_this_users_alone_whatever_the_umask)
{
    mode_t before = umask(0);
    const char *cache = warm_begin(a, "mode");
    struct jw_warm_place p = warm_place(a, cache);
    struct jw_warm_log *l = warm_open(cache);
    struct stat st;

    warm_write_progress(l, 1);
    for (unsigned i = 0; i < 2; i++) {
        const char *const folders[] = { p.state, p.roots, p.dir }, *const files[] = { p.log, p.lock,
                                                                                      p.progress };

        for (size_t k = 0; k < 3; k++) {
            CHECK(stat(folders[k], &st) == 0 && (st.st_mode & 0777) == 0700);
            CHECK(stat(files[k], &st) == 0 && (st.st_mode & 0777) == 0600);
        }
        for (unsigned k = 0; k < 10; k++)
            warm_add_module(l, 1, k);
        jw_warm_close(l);
        l = warm_open(cache); /* compacts it */
        warm_write_progress(l, 1);
    }
    jw_warm_close(l);
    (void)umask(before);
}

TEST_ARENA(what_others_may_write_is_not_believed)
{
    const char *cache = warm_begin(a, "theirs");
    struct jw_warm_place p = warm_place(a, cache);
    const char *const paths[] = { p.state, p.roots, p.dir, p.log };
    struct jw_warm_log *l = warm_open(cache);

    warm_add_module(l, 1, 1);
    jw_warm_close(l);
    for (size_t i = 0; i < JW_COUNT(paths); i++) {
        mode_t mode = i < 3 ? 0700 : 0600;
        struct jw_warm_holder holder;
        struct jw_err err = { 0 };
        bool busy;

        CHECK(chmod(paths[i], mode | S_IWOTH) == 0);

        struct jw_warm_state s = warm_load(a, cache);

        CHECK(s.modules.n == 0 && s.notes.n == 1);
        CHECK_HAS(s.notes.n ? s.notes.v[0] : "", "everybody may write to the");
        CHECK_HAS(s.notes.n ? s.notes.v[0] : "", paths[i]);
        CHECK_REFUSED(may_open(cache, &err), err, "does not use its content");
        CHECK(!jw_warm_busy(cache, a, &busy, &holder, &err));
        CHECK(chmod(paths[i], mode) == 0);
        CHECK(warm_load(a, cache).modules.n == 1);
    }
}

TEST_ARENA(two_names_of_one_root_are_one)
{
    const char *cache = warm_begin(a, "linked"), *link = tree_path(a, "link-to-root");
    struct jw_warm_log *l = warm_open(cache);
    struct jw_warm_holder holder;
    uint64_t done;

    warm_add_module(l, 1, 1);
    (void)tree_dir(a, "roots/linked");
    CHECK(symlink("roots/linked", link) == 0);
    CHECK(warm_load(a, link).modules.n == 1);
    CHECK(warm_busy(a, link, &holder, &done));
    jw_warm_close(l);
}

/* ---- rights and room ---- */

static void nothing(const char *folder)
{
    (void)folder;
}

static void forbid(const char *folder)
{
    CHECK(chmod(folder, 0555) == 0);
}

static void not_in_a_folder_of_others(const char *folder)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    char state[4096];

    (void)snprintf(state, sizeof state, "%s/state", folder);
    set_variable("JITWARM_STATE", state);
    CHECK_REFUSED(may_open("/jw-root", &err), err, state);
    CHECK_HAS(err.msg, "permission denied");
    CHECK(warm_load(&a, "/jw-root").notes.n == 0); /* there is none, which is no failure */
    jw_arena_free(&a);
}

TEST(a_folder_that_cannot_be_made_is_named)
{
    as_nobody(not_in_a_folder_of_others, geteuid() == 0 ? nothing : forbid);
}

/* A memory of the child's own that was made read-only. */
static void not_where_it_is_read_only(const char *folder)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    char state[4096];

    (void)snprintf(state, sizeof state, "%s/open/state", folder);
    set_variable("JITWARM_STATE", state);

    struct jw_warm_log *l = warm_open("/jw-root");
    struct jw_warm_place p = warm_place(&a, "/jw-root");

    warm_add_module(l, 1, 1);
    jw_warm_close(l);
    CHECK(chmod(p.lock, 0400) == 0 && chmod(p.log, 0400) == 0 && chmod(p.dir, 0500) == 0);
    CHECK_REFUSED(may_open("/jw-root", &err), err, p.lock);
    CHECK_HAS(err.msg, "permission denied");
    CHECK(warm_load(&a, "/jw-root").modules.n == 1);
    CHECK(!warm_busy(&a, "/jw-root", &(struct jw_warm_holder){ 0 }, &(uint64_t){ 0 }));
    CHECK(chmod(p.dir, 0700) == 0);
    jw_arena_free(&a);
}

static void open_folder(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/open", folder);
    CHECK(mkdir(path, 0777) == 0 && chmod(path, 0777) == 0);
}

TEST(a_memory_that_is_read_only_is_read)
{
    as_nobody(not_where_it_is_read_only, open_folder);
}

static void on_a_small_disk(void)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    struct jw_warm_module m = warm_module(0, 0);
    unsigned added = 0;

    if (!mount_at(scratch("disk"), "size=64k,mode=700"))
        SKIP("no tmpfs");

    const char *cache = warm_begin(&a, "disk");
    struct jw_warm_log *l = warm_open(cache);

    while (added < 1000 && jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_MODULE, .as.module = m }, &err))
        m = warm_module(++added, 0);
    CHECK_HAS(err.msg, "warm.log: the disk is full");
    CHECK_REFUSED(jw_warm_write_progress(l, &(struct jw_prime_progress){ 0 }, &err), err,
                  "progress: the disk is full");
    jw_warm_close(l);

    struct jw_warm_state s = warm_load(&a, cache);

    CHECK(added > 100 && s.modules.n == added && s.notes.n == 0);
    /* The next one learns it at once, by name, or finds room enough to begin. */
    CHECK(may_open(cache, &err) || strstr(err.msg, "the disk is full"));
}

TEST(a_full_disk_costs_only_what_did_not_fit)
{
    in_child("on_a_small_disk", on_a_small_disk);
}

/* ---- a holder that dies ---- */

/* Works on `root`, says so, and waits to be killed. */
static void hold(const char *cache, int tell)
{
    struct jw_warm_log *l = warm_open(cache);

    warm_add_module(l, 1, 1);
    warm_write_progress(l, 1);
    if (write(tell, "x", 1) == 1)
        for (;;)
            (void)pause();
    _exit(1);
}

TEST_ARENA(kill_9_frees_the_lock_and_leaves_the_log)
{
    const char *cache = warm_begin(a, "killed");
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    uint64_t done;
    struct jw_err err = { 0 };
    int tell[2];
    char byte;

    CHECK(pipe(tell) == 0);

    pid_t pid = fork();

    if (pid == 0)
        hold(cache, tell[1]);
    (void)close(tell[1]);
    CHECK(pid > 0 && read(tell[0], &byte, 1) == 1);
    CHECK(jw_warm_open(cache, NULL, &l, &holder, &err) && !l);
    CHECK_NUM(holder.pid, (unsigned long)pid);
    CHECK(warm_busy(a, cache, &holder, &done));
    CHECK_NUM(done, 1);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    (void)close(tell[0]);

    CHECK(scratch_there(warm_place(a, cache).progress));
    CHECK(!warm_busy(a, cache, &holder, &done) && !done);
    l = warm_open(cache);
    CHECK(!scratch_there(warm_place(a, cache).progress));
    warm_add_module(l, 2, 2);
    jw_warm_close(l);
    CHECK(warm_load(a, cache).modules.n == 2);
}
#endif
