#include "setup/parts.h"

#include "check.h"
#include "os/machine/env.h"

static const struct jw_startup one = {.exe = "/opt/a b/50% \"jit\"$warm", .user = "S-1-5-21-7"};
static const struct jw_startup all = {.exe = "/usr/bin/jitwarm", .everybody = true};

TEST_ARENA(a_service_starts_prime_through_the_login_shell)
{
    const char *text = jw_startup_text(jw_startup_service_file, &all, a, &err);

    if (jw_os_is_windows())
        SKIP("its units are of another system");
    CHECK(strstr(text, "# Written by jitwarm " JITWARM_VERSION) == text);
    CHECK_HAS(text,
              "\nExecStart=/bin/sh -c \"case $${SHELL:=/bin/sh} in *csh) exec \\\"$$SHELL\\\" -c "
              "\\\"$$0\\\" ;; *) exec \\\"$$SHELL\\\" -l "
              "-c \\\"$$0\\\" ;; esac\" \"exec /usr/bin/jitwarm prime --background --jobs 2\"\n");
    CHECK_HAS(text, "\nConditionUser=!@system\n");
    CHECK_HAS(text, "\nSystemCallFilter=@system-service\n");
}

TEST_ARENA(a_path_with_every_quote_reaches_the_shell_as_it_is)
{
    const char *text = jw_startup_text(jw_startup_service_file, &one, a, &err);

    if (jw_os_is_windows())
        SKIP("its units are of another system");
    /* For the shell it is in single quotes; for systemd " and $ and % are escaped once more. */
    CHECK_HAS(text, "\nConditionFileIsExecutable=/opt/a b/50%% \"jit\"$warm\n");
    CHECK_HAS(text, "\"exec '/opt/a b/50%% \\\"jit\\\"$$warm' prime --background --jobs 2\"\n");
    CHECK(!strstr(text, "ConditionUser"));
}

TEST_ARENA(a_path_that_is_more_than_a_line_is_refused)
{
    const struct jw_startup bad = {.exe = "/opt/x\n[Service]\nUser=root", .user = "S-1"};

    CHECK_REFUSED(jw_startup_text(jw_startup_service_file, &bad, a, &err), err,
                  "cannot name this path");
    CHECK(!jw_startup_text(jw_startup_user_task_file, &bad, a, &err));
}

TEST_ARENA(the_timer_wants_the_path_unit)
{
    CHECK_HAS(jw_startup_text(jw_startup_timer_file, &all, a, &err),
              "\nWants=jitwarm-startup.path\n");
    CHECK_HAS(jw_startup_text(jw_startup_path_file, &all, a, &err),
              "\nPathChanged=/usr/lib/x86_64-linux-gnu/libcuda.so.1\n");
}

TEST_ARENA(a_task_is_of_one_user_or_of_all)
{
    const struct jw_startup mine = {.exe = "C:\\Program Files\\a&b\\jitwarm.exe",
                                    .user = "S-1-5-21-7"};
    const char *text = jw_startup_text(jw_startup_user_task_file, &mine, a, &err);
    const char *of_all = jw_startup_text(jw_startup_system_task_file, &all, a, &err);

    CHECK_TEXT(jw_startup_task_name(&mine, a), "\\jitwarm startup S-1-5-21-7");
    CHECK_TEXT(jw_startup_task_name(&all, a), "\\jitwarm startup");
    CHECK_HAS(text, "<Command>C:\\Program Files\\a&amp;b\\jitwarm.exe</Command>");
    CHECK_HAS(text, "<Arguments>prime --background --jobs 2</Arguments>");
    CHECK_HAS(text, "<LogonType>InteractiveToken</LogonType>");
    CHECK(!strstr(text, "EventTrigger"));
    CHECK_HAS(of_all, "<GroupId>S-1-5-32-545</GroupId>");
    CHECK_HAS(of_all, "<EventTrigger>");
}
