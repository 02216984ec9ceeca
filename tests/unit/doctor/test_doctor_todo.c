#include "doctor/doctor_todo.h"

#include "check.h"
#include "os/machine/env.h"

#define LOOKS "this only looks"
#define PAGE "jitwarm report --yes -o jitwarm-report.html"

/* The line for these findings, worst first. */
static struct jw_doctor_todo line(const struct jw_doctor_machine *m, struct jw_finding *v, size_t n,
                                  struct jw_arena *a)
{
    const struct jw_findings f = { .a = a, .v = v, .n = n };

    for (size_t i = 0; i < n; i++)
        v[i].id = v[i].id ? v[i].id : "driver-error";
    return jw_doctor_todo(m, &f);
}

struct row {
    struct jw_finding v[2];
    size_t n;
    const char *when, *command; /* when NULL: none is printed */
};

static void check_rows(const struct jw_doctor_machine *m, struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct jw_arena a = { 0 };
        struct jw_doctor_todo got = line(m, rows[i].v, rows[i].n, &a);

        CHECK_TEXT(got.command, rows[i].command);
        if (rows[i].when)
            CHECK_HAS(got.when ? got.when : "(none)", rows[i].when);
        else
            CHECK(!got.when);
        jw_arena_free(&a);
    }
}

TEST(a_command_that_changes_nothing_does_not_read_like_a_cure)
{
    const struct jw_doctor_machine m = { .probe = { .n_devices = 1 } };
    struct row rows[] = {
        { { { .severity = JW_PROBLEM, .command = "pip install x" } }, 1, NULL, "pip install x" },
        { { { .severity = JW_PROBLEM, .command = "nvidia-smi" } }, 1, LOOKS, "nvidia-smi" },
        { { { .severity = JW_WARNING, .command = "jitwarm env --shell docker" } },
          1,
          "prints the lines for the image",
          "jitwarm env --shell docker" },
        { { { .severity = JW_PROBLEM }, { .severity = JW_WARNING, .command = "jitwarm env --shell docker" } },
          2,
          "no command mends this",
          PAGE },
        { { { .severity = JW_PROBLEM }, { .severity = JW_WARNING, .command = "jitwarm prime" } },
          2,
          "no command mends the first finding: see its Do; this mends another",
          "jitwarm prime" },
        { { { .severity = JW_WARNING }, { .severity = JW_WARNING, .command = "jitwarm env --shell docker" } },
          2,
          "for another, this prints the lines",
          "jitwarm env --shell docker" },
        { { { .severity = JW_WARNING, .command = "jitwarm prune --gone" } },
          1,
          "this lists it, and asks in a terminal",
          "jitwarm prune --gone" },
        { { { .severity = JW_WARNING, .command = "jitwarm verify" } }, 1, LOOKS, "jitwarm verify" },
        { { { .severity = JW_WARNING }, { .severity = JW_WARNING, .command = "du -x /" } },
          2,
          LOOKS,
          "du -x /" },
        { { { .severity = JW_WARNING } }, 1, "no command mends this", PAGE },
        { { { .severity = JW_PROBLEM, .command = "docker run IMAGE" } }, 1, "no command mends this", PAGE },
    };

    check_rows(&m, rows, JW_COUNT(rows));
}

TEST(a_prime_that_would_stop_mends_nothing)
{
    struct jw_doctor_machine m = { .prime_stops = "the disk is full", .probe = { .n_devices = 1 } };
    struct row stops[] = { { { { .severity = JW_PROBLEM, .command = "du -x /" },
                               { .severity = JW_WARNING, .command = "jitwarm prime" } },
                             2,
                             LOOKS,
                             "du -x /" } },
               runs[] = { { { { .severity = JW_WARNING, .command = "jitwarm prime" } },
                            1,
                            "a prime works on this cache now",
                            "jitwarm status" } };

    check_rows(&m, stops, 1);
    m.prime_runs = true;
    check_rows(&m, runs, 1);
}

/* The disk of the cache is too small for it: prime asks, and without a terminal compiles nothing. */
TEST(a_prime_without_room_mends_nothing)
{
    const struct jw_primed left = { .next = "jitwarm prime   # continues with the modules that are left",
                                    .next_start.is = JW_NEXT_START_COMPILES };
    const struct jw_doctor_machine m = { .no_room = true, .probe = { .n_devices = 1 } },
                                   begun = { .no_room = true, .primed = &left, .probe = { .n_devices = 1 } };
    struct row of_status[] = {
        { { { .id = "cache-disk-full", .of_status = true, .severity = JW_WARNING, .command = "du -xh" },
            { .severity = JW_WARNING, .command = "export CUDA_CACHE_PATH=/var/tmp/x" } },
          2,
          NULL,
          "export CUDA_CACHE_PATH=/var/tmp/x" }
    };
    struct row rows[] = {
        { { { .severity = JW_WARNING, .command = "jitwarm prime" },
            { .severity = JW_WARNING, .command = "export CUDA_CACHE_PATH=/var/tmp/x" } },
          2,
          NULL,
          "export CUDA_CACHE_PATH=/var/tmp/x" },
        { { { .severity = JW_WARNING, .command = "jitwarm prime" },
            { .id = "cache-disk-full", .severity = JW_WARNING, .command = "du -xh" } },
          2,
          LOOKS,
          "du -xh" },
        { { { .id = "cache-disk-full", .severity = JW_WARNING, .command = "du -xh" },
            { .id = "framework-jit-little", .severity = JW_NOTE, .command = "jitwarm prime" } },
          2,
          LOOKS,
          "du -xh" },
    };

    check_rows(&m, rows, JW_COUNT(rows));
    check_rows(&begun, of_status, JW_COUNT(of_status));
}

TEST(in_a_log)
{
    struct row rows[] = {
        { { { .severity = JW_PROBLEM, .command = "pip install x==1" } },
          1,
          "where the program ran, in the program's Python environment",
          "pip install x==1" },
        { { { .severity = JW_WARNING, .command = "jitwarm prime" } },
          1,
          "where the program ran, in its container",
          "jitwarm prime" },
        { { { .severity = JW_PROBLEM, .command = "jitwarm doctor" } },
          1,
          "where the program ran, in its container",
          "jitwarm doctor" },
        { { { .severity = JW_PROBLEM, .command = "jitwarm scan /opt/app/x.so" } },
          1,
          "where the program ran, in its container",
          "jitwarm scan /opt/app/x.so" },
        { { { .severity = JW_PROBLEM, .command = "jitwarm scan torch==2.4.0" } },
          1,
          LOOKS,
          "jitwarm scan torch==2.4.0" },
        { { { .severity = JW_PROBLEM, .command = "nvidia-smi" },
            { .severity = JW_WARNING, .command = "jitwarm prime" } },
          2,
          LOOKS,
          "nvidia-smi" },
        { { { .severity = JW_PROBLEM, .fix = "take another GPU" } },
          1,
          "no command mends this: see Do",
          "jitwarm doctor" },
        { { { .id = "log-not-understood", .severity = JW_WARNING, .command = "python3 program.py" } },
          1,
          "to look at the machine",
          "jitwarm doctor" },
        { { { .id = "log-not-understood", .severity = JW_WARNING, .fix = "search for this line" } },
          1,
          "no command mends this: see Do",
          "jitwarm doctor" },
        { { { .severity = JW_NOTE, .command = "x" } }, 1, "to look at the machine", "jitwarm doctor" },
    };

    check_rows(NULL, rows, JW_COUNT(rows));
}

TEST(in_a_container_what_can_be_done_inside_comes_first)
{
    const struct jw_doctor_machine m = { .probe = { .n_devices = 1, .driver = { .container = true } } };
    struct row rows[] = {
        { { { .severity = JW_WARNING, .command = "docker run x" },
            { .severity = JW_WARNING, .command = "jitwarm prime" } },
          2,
          NULL,
          "jitwarm prime" },
        { { { .severity = JW_PROBLEM, .command = "docker run x" },
            { .severity = JW_WARNING, .command = "jitwarm prime" } },
          2,
          "once, on the host of this container",
          "docker run x" },
    };

    check_rows(&m, rows, JW_COUNT(rows));
}

#define COLD                                                                                                 \
    {                                                                                                        \
        .id = "framework-jit-little", .severity = JW_NOTE, .command = "jitwarm prime"                        \
    }

#define SAYS(command)                                                                                        \
    {                                                                                                        \
        .next = (command), .next_start.is = JW_NEXT_START_COMPILES                                           \
    }

/* Of what status looks at, too, its line is the last of doctor. */
TEST(one_line_in_all_verbs)
{
    const struct jw_primed repair = SAYS("jitwarm status --repair   # why"), verify = SAYS("jitwarm verify"),
                           du = SAYS("du -xh / | tail"), prime = SAYS("jitwarm prime"),
                           ask = SAYS("jitwarm doctor");
    struct jw_doctor_machine m = { .primed = &repair, .probe = { .n_devices = 1 } };
    struct jw_doctor_machine nothing = { .primed = &verify }, looks = { .primed = &du },
                             stops = { .primed = &prime, .prime_stops = "it is closed" },
                             asks = { .primed = &ask };
    struct row rows[] = {
        { { { .id = "cache-damaged",
              .of_status = true,
              .severity = JW_WARNING,
              .command = "jitwarm prune --damaged --yes" } },
          1,
          NULL,
          "jitwarm status --repair" },
        { { { .id = "driver-error", .severity = JW_PROBLEM, .command = "sudo reboot" },
            { .id = "cache-damaged",
              .of_status = true,
              .severity = JW_WARNING,
              .command = "jitwarm prune --damaged --yes" } },
          2,
          NULL,
          "sudo reboot" },
    };
    const char *look = jw_os_is_windows() ? "jitwarm doctor -v" : "jitwarm doctor --watch=60s";
    struct row clean[] = { { { { 0 } }, 0, "if something is slow", look } },
               full[] = { { { { .id = "cache-disk-full",
                                .of_status = true,
                                .severity = JW_WARNING,
                                .command = "du -xh" } },
                            1,
                            LOOKS,
                            "du -xh / | tail" } },
               stopped[] = { { { { .id = "cache-evicted",
                                   .of_status = true,
                                   .severity = JW_WARNING,
                                   .command = "chmod 700 x" } },
                               1,
                               NULL,
                               "chmod 700 x" } };

    check_rows(&m, rows, JW_COUNT(rows));
    check_rows(&asks, stopped, JW_COUNT(stopped));
    check_rows(&nothing, clean, JW_COUNT(clean));
    check_rows(&looks, full, JW_COUNT(full));
    check_rows(&stops, stopped, JW_COUNT(stopped));
}

/* What status says of what was primed is a warning, where no other one says why, or has its command. */
TEST_ARENA(what_was_primed)
{
    const struct row {
        struct jw_finding other;
        const char *next;
        bool said;
    } rows[] = {
        { { .id = "other-caches", .severity = JW_NOTE }, "jitwarm prime", false },
        { { .id = "cache-container", .severity = JW_WARNING, .command = "docker run x" },
          "jitwarm prime",
          false },
        { { .id = "driver-known-bad", .severity = JW_WARNING, .command = "x" }, "jitwarm prime", false },
        { { .id = "framework-jit-first", .severity = JW_WARNING, .command = "jitwarm prime" },
          "jitwarm prime",
          true },
        { { .id = "cache-evicted",
            .of_status = true,
            .severity = JW_WARNING,
            .command = "jitwarm prime --as-root" },
          "jitwarm prime",
          true },
        { { .id = "driver-absent", .severity = JW_PROBLEM }, NULL, true },
        { { .id = "cache-container", .severity = JW_WARNING }, NULL, false },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++)
        for (int warm = 0; warm < 2; warm++) {
            struct jw_findings f = JW_FINDINGS(a);
            const struct jw_primed primed = { .next = rows[i].next,
                                              .next_start.is = JW_NEXT_START_COMPILES,
                                              .any = true,
                                              .not_warm = warm ? NULL : "0 of 2 modules are warm" };
            const struct jw_doctor_machine m = { .primed = &primed, .probe.n_devices = 1 };

            jw_finding_add(&f, rows[i].other);
            jw_doctor_primed(&m, &f);
            const struct jw_finding *one = jw_finding_of(&f, "primed-not-warm");

            CHECK((one != NULL) == (!warm && !rows[i].said));
            if (one && one->command)
                CHECK_TEXT(one->command, "jitwarm prime");
        }
}

/* prime says that, too, and sends to doctor. */
TEST_ARENA(prime_is_no_line_where_no_program_can_use_a_gpu)
{
    struct jw_findings f = JW_FINDINGS(a);
    const struct jw_primed primed = { .next = "jitwarm prime",
                                      .next_start.is = JW_NEXT_START_COMPILES,
                                      .any = true,
                                      .not_warm = "the driver has changed since the last prime" };
    const struct jw_doctor_machine m = { .primed = &primed, .probe.driver.init_result = 100 };

    jw_finding_add(&f, (struct jw_finding){ .id = "no-device", .severity = JW_PROBLEM });
    jw_doctor_primed(&m, &f);
    CHECK_NUM(f.n, 1);
}

TEST(what_prime_warms_comes_before_a_remark_on_the_next_container)
{
    struct jw_doctor_machine m = { .probe = { .n_devices = 1, .driver = { .container = true } } };
    struct row rows[] = {
        { { { .id = "cache-container", .severity = JW_WARNING, .command = "jitwarm env --shell docker" },
            COLD },
          2,
          NULL,
          "jitwarm prime" },
        { { { .id = "cache-container", .severity = JW_WARNING, .command = "docker run x" }, COLD },
          2,
          NULL,
          "jitwarm prime" },
        { { COLD }, 1, NULL, "jitwarm prime" },
        { { { .id = "cache-disabled", .severity = JW_WARNING, .command = "unset CUDA_CACHE_DISABLE" }, COLD },
          2,
          NULL,
          "unset CUDA_CACHE_DISABLE" },
        { { { .id = "driver-error", .severity = JW_PROBLEM, .command = "dmesg -T" }, COLD },
          2,
          LOOKS,
          "dmesg -T" },
    };
    struct row stopped[] = { { { { .id = "prime-stops", .severity = JW_PROBLEM, .fix = "mend that first" },
                                 COLD },
                               2,
                               "no command mends this",
                               PAGE } };
    struct row running[] = { { { COLD }, 1, "a prime works on this cache now", "jitwarm status" } };

    check_rows(&m, rows, JW_COUNT(rows));
    m.prime_stops = "the home folder is gone";
    check_rows(&m, stopped, JW_COUNT(stopped));
    m.prime_runs = true;
    check_rows(&m, running, JW_COUNT(running));
}

TEST(a_container_that_may_stay_is_given_the_line_for_its_volume)
{
    struct jw_doctor_machine m = { .volume = "/data",
                                   .probe = { .n_devices = 1, .driver = { .container = true } } };
    struct row rows[] = {
        { { { .id = "cache-container", .severity = JW_NOTE, .command = "export CUDA_CACHE_PATH=/data/c" } },
          1,
          "if another container will replace this one",
          "export CUDA_CACHE_PATH=/data/c" },
        { { { .id = "cache-container", .severity = JW_NOTE, .command = "jitwarm env --shell docker" } },
          1,
          "if something is slow",
          "jitwarm doctor --watch=60s" },
    };

    if (!jw_os_is_windows())
        check_rows(&m, rows, JW_COUNT(rows));
}
