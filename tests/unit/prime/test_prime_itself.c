/* A prime that runs by itself (--if-stale --background), on the simulated driver: when it does nothing, waits, gives way. */
#include "rigs/probe_rig.h"

#include "cache/memory/warmstate.h"
#include "gen/samples.h"
#include "jitwarm/prime.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static const char *cache, *path;

static void machine(const char *online)
{
    (void)tree_file(&rig_arena, "machine/sys/class/power_supply/AC/type", "Mains\n");
    (void)tree_file(&rig_arena, "machine/sys/class/power_supply/AC/online", online);
}

static void write_library(const char *const *words, size_t n)
{
    struct jw_buf fat = GEN_BUF, library = GEN_BUF;

    for (size_t i = 0; i < n; i++)
        gen_fat(&fat, words[i]);
    (void)gen_library(&library, jw_buf_bytes(&fat), true);
    path = tree_bytes(&rig_arena, "lib/some.so", library.p, library.n);
    jw_buf_free(&fat);
    jw_buf_free(&library);
}

static void begin(void)
{
    static const char *const words[] = { "P75:s", "P80:l", "P61" };

    rig_begin();
    set_variable("JITWARM_SYSROOT", rig_path(".")); /* no software but what a test puts there */
    cache = tree_path(&rig_arena, "home/cache");
    scratch_empty(cache);
    set_variable("CUDA_CACHE_PATH", cache);
    set_variable("SIMCUDA_INIT", NULL);
    set_variable("SIMCUDA_COST", NULL);
    machine("1\n");
    write_library(words, JW_COUNT(words));
}

static struct jw_session session;
static struct jw_run frame = { .session = &session };

static struct jw_prime_options by_itself(void)
{
    return (struct jw_prime_options){
        .as_root = true, .same_login = true, .if_stale = true, .background = true, .jobs = 2
    };
}

static struct jw_prime_report prime(struct jw_prime_options o, enum jw_end end)
{
    struct jw_prime_report report;
    struct jw_prime_memory *memory;
    struct jw_err err = { 0 };
    static char why[400];

    session = rig_session();
    session.sysroot = tree_path(&rig_arena, "machine");
    CHECK_OK(jw_prime(&frame, &o, &report, &memory, &err), err);
    CHECK_TEXT(jw_end_names[frame.end], jw_end_names[end]);
    (void)snprintf(why, sizeof why, "%s", frame.why ? frame.why : "");
    frame.why = why;
    frame.progress = NULL;
    jw_prime_free(memory);
    return report; /* its numbers, and why it ended */
}

static uint64_t prime_once(void)
{
    struct jw_prime_options o = by_itself();

    o.if_stale = o.background = false;
    o.paths = (struct jw_texts){ &path, 1 };
    return prime(o, JW_END_DONE).warmed_bytes;
}

/* A first run without PATH looks at what is installed, too; from then on its receipt covers both. */
static void look_around(enum jw_end end)
{
    struct jw_prime_options o = by_itself();

    o.if_stale = o.background = false;
    (void)prime(o, end);
}

TEST(nothing_changed_is_nothing_to_do)
{
    begin();
    (void)prime_once();
    look_around(JW_END_NOTHING);
    machine("0\n"); /* nor anything to wait for */
    struct jw_prime_report r = prime(by_itself(), JW_END_NOTHING);

    CHECK(r.receipt && r.counts[JW_JOB_WARM] == 3);
}

/* The driver is not asked; a driver that would say 803 does not get to. */
TEST(nothing_changed_does_not_load_the_driver)
{
    begin();
    (void)prime_once();
    look_around(JW_END_NOTHING);
    set_variable("SIMCUDA_INIT", "803");
    CHECK(prime(by_itself(), JW_END_NOTHING).receipt);
}

/* All receipts become so old. */
static void age_receipts(int64_t seconds)
{
    struct jw_arena a = { 0 };
    struct jw_warm_state memory;
    struct jw_warm_holder holder;
    struct jw_warm_log *log;
    struct jw_err err = { 0 };

    jw_warm_load(cache, &a, &memory);
    CHECK(memory.n_receipts && jw_warm_open(cache, NULL, &log, &holder, &err) && log);
    for (size_t i = memory.n_receipts; log && i-- > 0;) {
        struct jw_warm_fact fact = { JW_WARM_RECEIPT, .as.receipt = memory.receipts[i] };

        fact.as.receipt.when -= seconds;
        CHECK(jw_warm_add(log, &fact, &err));
    }
    jw_warm_close(log);
    jw_arena_free(&a);
}

/* A byte of an entry that keeps its size and time is seen by nobody who does not load it. */
TEST(once_a_month_all_is_proven_again)
{
    begin();
    (void)prime_once();
    look_around(JW_END_NOTHING);
    age_receipts(29 * 24 * 3600);
    CHECK(prime(by_itself(), JW_END_NOTHING).receipt);
    age_receipts(2 * 24 * 3600);

    struct jw_prime_report r = prime(by_itself(), JW_END_NOTHING);

    CHECK(!r.receipt && r.verify.done);
    CHECK(prime(by_itself(), JW_END_NOTHING).receipt);
}

TEST(what_was_recorded_is_warmed_again)
{
    begin();
    (void)prime_once();
    scratch_empty(cache); /* as after a driver update, none of it is any good */
    struct jw_prime_report r = prime(by_itself(), JW_END_DONE);

    CHECK_NUM(r.counts[JW_JOB_WARMED], 3);
    CHECK(prime(by_itself(), JW_END_NOTHING).receipt);
}

TEST(on_battery_it_waits)
{
    begin();
    (void)prime_once();
    scratch_empty(cache);
    machine("0\n");
    struct jw_prime_report r = prime(by_itself(), JW_END_WAITING);

    CHECK_HAS(r.run->why, "battery");
    CHECK_NUM(scratch_count(cache), 0);
    machine("1\n");
    CHECK_NUM(prime(by_itself(), JW_END_DONE).counts[JW_JOB_WARMED], 3);
}

TEST(before_the_reboot_it_waits)
{
    begin();
    (void)prime_once();
    scratch_empty(cache);
    set_variable("SIMCUDA_INIT", "803");
    CHECK_HAS(prime(by_itself(), JW_END_WAITING).run->why, "waiting for reboot");

    struct jw_prime_options asked = by_itself();

    asked.background = false; /* a person waits for the answer: it is no success */
    CHECK_HAS(prime(asked, JW_END_NO_GPU).run->why, "803");
}

/* A person's own prime does not care. */
TEST(only_a_run_by_itself_waits)
{
    begin();
    (void)prime_once();
    scratch_empty(cache);
    machine("0\n");

    struct jw_prime_options o = by_itself();

    o.if_stale = false;
    CHECK_NUM(prime(o, JW_END_DONE).counts[JW_JOB_WARMED], 3);
}

static void unplug(void *ctx, const struct jw_progress *p)
{
    (void)ctx;
    if (p->prime->phase == JW_PHASE_COMPILE && p->prime->done >= 1)
        machine("0\n");
}

TEST(unplugged_in_the_middle_it_stops_and_goes_on_later)
{
    static const char *const words[] = { "P75:s", "P80:l", "P61", "P70", "P72", "P86" };

    begin();
    write_library(words, JW_COUNT(words));
    (void)prime_once();
    scratch_empty(cache);
    set_variable("SIMCUDA_COST", "0+1500");
    struct jw_prime_options o = by_itself();

    o.jobs = 1;
    frame.progress = unplug;
    struct jw_prime_report r = prime(o, JW_END_WAITING);

    CHECK_HAS(r.run->why, "battery");
    CHECK(r.counts[JW_JOB_WARMED] >= 1 && r.counts[JW_JOB_TODO] >= 1);

    uint64_t first = r.counts[JW_JOB_WARMED];

    set_variable("SIMCUDA_COST", NULL);
    machine("1\n");
    r = prime(by_itself(), JW_END_DONE);
    CHECK_NUM(r.counts[JW_JOB_WARMED] + first, r.n_jobs);
    CHECK_NUM(r.counts[JW_JOB_WARM], first);
}

/* Of this process's children, how many are at work, and how many of them are idle ones? */
static unsigned workers_seen, idle_seen;

static void look_at_workers(void *ctx, const struct jw_progress *p)
{
    char name[64], list[4096] = { 0 }, *at = list;
    size_t got = 0;

    (void)ctx;
    if (p->prime->phase != JW_PHASE_COMPILE)
        return;
    DIR *dir = opendir("/proc/self/task"); /* a worker is the child of the thread that started it */

    for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        (void)snprintf(name, sizeof name, "/proc/self/task/%.20s/children", e->d_name);
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, list + got, sizeof list - 1 - got);

        got += n > 0 ? (size_t)n : 0;
        if (fd >= 0)
            (void)close(fd);
    }
    if (dir)
        (void)closedir(dir);
    for (long pid; (pid = strtol(at, &at, 10)) > 0;) {
        int policy = sched_getscheduler((pid_t)pid);

        workers_seen += policy >= 0;
        idle_seen += policy == SCHED_IDLE;
    }
}

TEST(workers_are_idle_and_their_parent_is_not)
{
    begin();
    (void)prime_once();
    scratch_empty(cache);
    set_variable("SIMCUDA_COST", "0+700");
    struct jw_prime_options o = by_itself();

    workers_seen = idle_seen = 0;
    frame.progress = look_at_workers;
    (void)prime(o, JW_END_DONE);
    CHECK(idle_seen > 0 && sched_getscheduler(0) != SCHED_IDLE);
    scratch_empty(cache);
    workers_seen = idle_seen = 0;
    o.background = false;
    frame.progress = look_at_workers;
    (void)prime(o, JW_END_DONE);
    CHECK(workers_seen > 0);
    CHECK_NUM(idle_seen, 0);
    set_variable("SIMCUDA_COST", NULL);
}

/* Without it nothing would be recorded, and nothing ever looked after; or a GPU be woken at each login. */
TEST(what_the_driver_refuses_is_remembered_with_the_rest)
{
    static const char *const more[] = { "P75:s", "P80:l", "P61", "P70" };
    struct jw_prime_options o;

    begin();
    (void)prime_once(); /* so that the driver is known */
    scratch_empty(cache);
    write_library(more, JW_COUNT(more));
    set_variable("SIMCUDA_FAULTS", "badptx@2");
    o = by_itself();
    o.if_stale = o.background = false;
    o.jobs = 1;
    o.paths = (struct jw_texts){ &path, 1 };
    struct jw_prime_report r = prime(o, JW_END_PARTLY);

    CHECK_NUM(r.counts[JW_JOB_FAILED], 1);
    set_variable("SIMCUDA_FAULTS", "badptx@1"); /* the one that is left */
    look_around(JW_END_PARTLY);
    set_variable("SIMCUDA_FAULTS", NULL);
    set_variable("SIMCUDA_INIT", "803"); /* a verb that asks the driver gets this sentence */
    r = prime(by_itself(), JW_END_NOTHING);
    CHECK(r.receipt && r.counts[JW_JOB_WARM] == 3);
    CHECK_HAS(r.run->why, "this driver cannot compile 1 module");
    set_variable("SIMCUDA_INIT", NULL);
    CHECK_NUM(prime(o, JW_END_PARTLY).counts[JW_JOB_SKIPPED], 1); /* the answer of this driver is known */
    o.retry = true; /* a person who names the file has it tried again */
    CHECK_NUM(prime(o, JW_END_DONE).counts[JW_JOB_WARMED], 1);
    look_around(JW_END_NOTHING);
    r = prime(by_itself(), JW_END_NOTHING);
    CHECK(r.receipt && r.counts[JW_JOB_WARM] == 4);
    CHECK_TEXT(r.run->why, "");
}

/* A first prime that did not get all of it warm is one to look after, too: what this driver could not compile is known until the driver
 * changes, or is tried again by a person. */
TEST(what_was_partly_warm_is_looked_at_again_after_a_change)
{
    struct jw_prime_options o;

    begin();
    set_variable("SIMCUDA_FAULTS", NULL);
    struct jw_probe_report known = rig_probe();

    (void)known;
    set_variable("SIMCUDA_FAULTS", "badptx@*");
    o = by_itself();
    o.if_stale = o.background = false;
    o.paths = (struct jw_texts){ &path, 1 };
    CHECK_NUM(prime(o, JW_END_PARTLY).counts[JW_JOB_FAILED], 3);
    look_around(JW_END_PARTLY);
    CHECK_HAS(prime(by_itself(), JW_END_NOTHING).run->why, "this driver cannot compile 3 modules");
    set_variable("SIMCUDA_FAULTS", NULL);
    set_variable("CUDA_DEVICE_ORDER", "PCI_BUS_ID"); /* a setting has changed */
    CHECK_NUM(prime(by_itself(), JW_END_PARTLY).counts[JW_JOB_SKIPPED], 3);
    o.retry = true;
    CHECK_NUM(prime(o, JW_END_DONE).counts[JW_JOB_WARMED], 3);
    set_variable("CUDA_DEVICE_ORDER", NULL);
}

/* Without a person to ask, what fits is warmed. */
TEST(it_asks_nobody)
{
    char room[32];

    begin();
    (void)snprintf(room, sizeof room, "%llu", (unsigned long long)prime_once() / 2);
    scratch_empty(cache);
    set_variable("CUDA_CACHE_MAXSIZE", room);
    struct jw_prime_options o = by_itself();
    struct jw_prime_report r = prime(o, JW_END_PARTLY);

    CHECK(r.counts[JW_JOB_NO_ROOM] >= 1);
    set_variable("CUDA_CACHE_MAXSIZE", NULL);
}
