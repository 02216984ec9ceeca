/* This program is its own child and grandchild: one turns polite, the other tells what it has
 * inherited. */
#include "base/arena.h"
#include "check.h"
#include "os/machine/priority.h"
#include "os/process/process.h"
#include "rigs/as_nobody.h"
#include "rigs/variables.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *self; /* this program */
static struct jw_arena texts;

static void capture(const char *what, struct jw_buf *out)
{
    struct jw_err err = {0};
    int code = -1;

    CHECK_OK(
        jw_process_capture(self, (const char *const[]){self, what, NULL}, 60000, out, &code, &err),
        err);
    CHECK_NUM(code, 0);
}

TEST(what_it_starts_is_as_polite)
{
    FREED(jw_buf) out = JW_BUF(1000);

    capture("polite", &out);
    CHECK_TEXT(jw_buf_cstr(&out), "nice 19, batch 1, disk 3; nice 19, batch 1, disk 3; ");
}

TEST(work_that_a_person_waits_for_stays_behind_others)
{
    FREED(jw_buf) out = JW_BUF(1000);
    int before = getpriority(PRIO_PROCESS, 0);
    const char *each =
        jw_arena_printf(&texts, "nice %d, batch 1, disk 0; ", before > 15 ? before : 15);

    capture("behind", &out);
    CHECK_TEXT(jw_buf_cstr(&out), jw_arena_printf(&texts, "%s%s", each, each));
}

/* Each child leads a session, among which the kernel may share the processors. */
TEST(its_session_is_as_nice)
{
    FREED(jw_buf) behind = JW_BUF(1000);
    FREED(jw_buf) idle = JW_BUF(1000);

    if (access("/proc/self/autogroup", F_OK) != 0)
        return;
    capture("session behind", &behind);
    CHECK_TEXT(jw_buf_cstr(&behind), "nice 15");
    capture("session idle", &idle);
    CHECK_TEXT(jw_buf_cstr(&idle), "nice 19");
}

TEST(idle_is_less_than_batch)
{
    FREED(jw_buf) out = JW_BUF(1000);

    capture("idle", &out);
    CHECK_TEXT(jw_buf_cstr(&out), "nice 19, batch 2, disk 3; nice 19, batch 2, disk 3; ");
}

/* The folder of this program may be closed to other users. */
static void copy_program(const char *folder)
{
    FREED(jw_buf) line = JW_BUF(1 << 14);

    jw_buf_printf(&line, "cp '%s' %s/program", self, folder);
    CHECK(system(jw_buf_cstr(&line)) == 0);
}

static void be_polite(const char *folder)
{
    FREED(jw_buf) out = JW_BUF(1000);

    self = jw_arena_printf(&texts, "%s/program", folder);
    capture("idle", &out);
    CHECK_TEXT(jw_buf_cstr(&out), "nice 19, batch 2, disk 3; nice 19, batch 2, disk 3; ");
}

TEST(it_takes_no_rights) { as_nobody(be_polite, copy_program); }

static int report(void)
{
    enum { WHO_PROCESS = 1 };
    long disk = syscall(SYS_ioprio_get, WHO_PROCESS, 0);

    printf("nice %d, batch %d, disk %ld; ", getpriority(PRIO_PROCESS, 0),
           sched_getscheduler(0) == SCHED_IDLE ? 2 : sched_getscheduler(0) == SCHED_BATCH,
           disk >> 13);
    return fflush(stdout);
}

static int polite(enum jw_priority how)
{
    FREED(jw_buf) out = JW_BUF(1000);

    if (how != JW_PRIORITY_BEHIND)
        jw_priority_lower(JW_PRIORITY_BACKGROUND);
    if (how != JW_PRIORITY_BACKGROUND)
        jw_priority_lower(how);
    capture("report", &out);
    printf("%s", jw_buf_cstr(&out));
    return report();
}

/* Its line there ends with this. */
static int report_session(enum jw_priority how)
{
    char line[100] = "";
    FILE *file = NULL;

    jw_priority_lower(how);
    file = fopen("/proc/self/autogroup", "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    (void)fclose(file);
    line[strcspn(line, "\n")] = '\0';
    printf("%s", strstr(line, "nice "));
    return fflush(stdout);
}

MAIN(argc, argv)
{
    self = own_program();
    (void)setvbuf(stdout, NULL, _IONBF, 0); /* tests fork */
    if (argc > 1 && strcmp(argv[1], "report") == 0)
        return report();
    if (argc > 1 && strcmp(argv[1], "polite") == 0)
        return polite(JW_PRIORITY_BACKGROUND);
    if (argc > 1 && strcmp(argv[1], "behind") == 0)
        return polite(JW_PRIORITY_BEHIND);
    if (argc > 1 && strcmp(argv[1], "idle") == 0)
        return polite(JW_PRIORITY_IDLE);
    if (argc > 1 && strcmp(argv[1], "session behind") == 0)
        return report_session(JW_PRIORITY_BEHIND);
    if (argc > 1 && strcmp(argv[1], "session idle") == 0)
        return report_session(JW_PRIORITY_IDLE);
    return RUN(argc, argv);
}
