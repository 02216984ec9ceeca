/* The list of findings: order, limits, and what happens without memory. */
#include "base/compiler.h"
#include "base/limits.h"
#include "check.h"
#include "doctor/finding.h"

#include <string.h>

static struct jw_arena arena;

static void add(struct jw_findings *f, const char *id, enum jw_severity severity)
{
    jw_finding_add(f, (struct jw_finding){ .id = id, .severity = severity, .text = id });
}

TEST(the_worst_come_first_and_equals_stay)
{
    static const char *const order[] = { "d", "f", "b", "e", "a", "c" };
    struct jw_findings f = JW_FINDINGS(&arena);

    add(&f, "a", JW_NOTE);
    add(&f, "b", JW_WARNING);
    add(&f, "c", JW_NOTE);
    add(&f, "d", JW_PROBLEM);
    add(&f, "e", JW_WARNING);
    add(&f, "f", JW_PROBLEM);
    jw_findings_sort(&f);
    CHECK_NUM(f.n, JW_COUNT(order));
    for (size_t i = 0; i < f.n; i++)
        CHECK_TEXT(f.v[i].id, order[i]);
}

/* Of one severity, what costs a minute at each start stands before what costs nothing that is known. */
TEST(what_costs_most_comes_first)
{
    struct jw_findings f = JW_FINDINGS(&arena);

    JW_FINDING(&f, .id = "container", .severity = JW_WARNING, .text = "a");
    JW_FINDING(&f, .id = "minute", .severity = JW_WARNING, .text = "a", .cost_s = 60);
    JW_FINDING(&f, .id = "hour", .severity = JW_NOTE, .text = "a", .cost_s = 3600);
    JW_FINDING(&f, .id = "problem", .severity = JW_PROBLEM, .text = "a");
    jw_findings_sort(&f);
    CHECK_TEXT(f.v[0].id, "problem");
    CHECK_TEXT(f.v[1].id, "minute");
    CHECK_TEXT(f.v[2].id, "container");
    CHECK_TEXT(f.v[3].id, "hour");
}

TEST(a_command_with_a_placeholder_does_not_run)
{
    static const struct {
        const char *command;
        bool runs;
    } cases[] = { { NULL, false },
                  { "", false },
                  { "jitwarm prime", true },
                  { "export A=$(mktemp -d /var/tmp/x.XXXXXXXX) && jitwarm env apply --path \"$A\"", true },
                  { "docker run --gpus all IMAGE", false },
                  { "sudo systemctl edit NAME.service", false },
                  { "CUDA_VISIBLE_DEVICES=0 PROGRAM", false } };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_finding f = { .command = cases[i].command };

        CHECK(jw_finding_runs(&f) == cases[i].runs);
    }
}

TEST(a_command_that_only_shows)
{
    static const struct {
        const char *command;
        bool shows;
    } cases[] = { { NULL, false },
                  { "jitwarm env --shell docker", true },
                  { "jitwarm env apply", false },
                  { "jitwarm prime", false },
                  { "kubectl -n ml get pod app-x2k4p -o yaml", true },
                  { "kubectl -n ml set resources deployment/app --limits=nvidia.com/gpu=1", false },
                  { "du -xh -d 2 /home | sort -h | tail", true },
                  { "nvidia-smi", true },
                  { "nvidia-smi -L", true },
                  { "nvidia-smi --compute-mode=0", false },
                  { "sudo nvidia-smi --compute-mode=0", false },
                  { "sudo dmesg | grep -iE 'nvrm|nvidia' | tail", true },
                  { "where cudnn*.dll cublas*.dll", true },
                  { "/venv/bin/python -c \"import torch; print(torch.version.cuda)\"", true },
                  { "python3 -m pip install nvidia-cudnn-cu12", false },
                  { "sudo -H -u ada jitwarm doctor", false } };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_finding f = { .command = cases[i].command };

        CHECK(jw_finding_only_shows(&f) == cases[i].shows);
    }
}

TEST(asked_by_name_and_by_severity)
{
    struct jw_findings f = JW_FINDINGS(&arena);

    CHECK(jw_finding_of(&f, "b") == NULL);
    add(&f, "a", JW_NOTE);
    add(&f, "b", JW_WARNING);
    CHECK(jw_finding_of(&f, "b") == &f.v[1]);
    CHECK_TEXT(jw_severity_names[JW_NOTE], "note");
    CHECK_TEXT(jw_severity_names[JW_WARNING], "warning");
    CHECK_TEXT(jw_severity_names[JW_PROBLEM], "error");
}

/* What is wrong with a package is said once, whatever the number of GPUs; two packages are two. */
TEST(the_same_is_said_once)
{
    struct jw_findings f = JW_FINDINGS(&arena);

    for (size_t i = 0; i < 3; i++)
        JW_FINDING(&f, .id = "a", .text = "lacks a library", .subject = "p", .evidence = i < 2 ? "/x" : "/y");
    CHECK_NUM(f.n, 2);
    CHECK_TEXT(f.v[1].evidence, "/y");
}

TEST(past_its_ceiling_nothing_is_kept)
{
    struct jw_findings f = JW_FINDINGS(&arena);

    for (size_t i = 0; i < JW_MAX_FINDINGS + 3; i++)
        JW_FINDING(&f, .id = "a", .severity = JW_NOTE, .text = jw_fmt(&f, "%zu", i));
    CHECK_NUM(f.n, JW_MAX_FINDINGS);
}

static const char *missing;

static bool has_others(const char *name)
{
    return strcmp(name, missing) != 0;
}

TEST(a_program_that_is_not_here_is_in_no_command)
{
    static const struct {
        const char *missing, *fix, *command, *says;
        bool container;
    } cases[] = {
        { "pacman", "install the driver", "sudo pacman -S nvidia",
          "install the driver: sudo pacman -S nvidia (pacman is not installed here)", false },
        { "conda", "install them:", "conda install x",
          "install them: conda install x (conda is not installed here)", false },
        { "pacman", "install the driver", "sudo apt-get install nvidia-driver", NULL, false },
        { "jitwarm", "warm it:", "jitwarm prime", NULL, false },
        { "sudo", "reboot:", "sudo reboot",
          "reboot: sudo reboot (sudo is not installed here: only an administrator can)", false },
        { "sudo", "make it yours:", "sudo chown -R 1:1 x",
          "make it yours: sudo chown -R 1:1 x (sudo is not installed here: only an administrator can)",
          true },
        { "docker", "on its host:", "docker run x", NULL, true }, /* which is no matter of this machine */
        { "sudo", "on its host:", "sudo reboot", NULL, true },
        { "sudo", "nothing", NULL, NULL, false },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_findings f = JW_FINDINGS(&arena);

        JW_FINDING(&f, .id = "a", .text = "a", .fix = cases[i].fix, .command = cases[i].command);
        missing = cases[i].missing;
        jw_findings_keep_runnable(&f, cases[i].container, has_others);
        CHECK_TEXT(f.v[0].fix, cases[i].says ? cases[i].says : cases[i].fix);
        CHECK(!f.v[0].command == (cases[i].says || !cases[i].command));
    }
}
