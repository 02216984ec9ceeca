/* Variables that defeat the cache, and processes that have others. */
#include "check.h"
#include "doctor_rig.h"

TEST(told_to_compile_or_not_to)
{
    static const struct {
        const char *name, *id;
    } cases[] = {
        { "CUDA_FORCE_PTX_JIT", "setting-forces-compiling" },
        { "CUDA_FORCE_JIT", "setting-forces-compiling" },
        { "CUDA_DISABLE_PTX_JIT", "setting-forbids-compiling" },
        { "CUDA_DISABLE_JIT", "setting-forbids-compiling" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct doctor_rig r;

        doctor_rig(&r);
        doctor_rig_set(&r, cases[i].name, "0", "/etc/environment");
        CHECK_NUM(doctor_rig_check(&r).n, 0);
        doctor_rig_set(&r, cases[i].name, "true", "/etc/environment"); /* which the driver does not read so */
        CHECK_NUM(doctor_rig_check(&r).n, 0);
        doctor_rig_set(&r, cases[i].name, "1", "/etc/environment");
        doctor_rig_one(&r, WARNING(cases[i].id, .subject = cases[i].name,
                                   .fix = "remove it from /etc/environment", .command = "unset CUDA_"));
        doctor_rig_free(&r);
    }
}

TEST_DOCTOR(gpus_hidden)
{
    doctor_rig_set(r, "CUDA_VISIBLE_DEVICES", "0", "/etc/environment");
    CHECK_NUM(doctor_rig_check(r).n, 0);
    doctor_rig_set(r, "CUDA_VISIBLE_DEVICES", "", "/etc/environment");
    doctor_rig_one(r, WARNING("gpu-hidden", .consequence = "programs run on the CPU",
                              .command = "unset CUDA_VISIBLE_DEVICES"));
    doctor_rig_set(r, "CUDA_VISIBLE_DEVICES", "-1", "/etc/environment");
    doctor_rig_one(r, WARNING("gpu-hidden"));
}

TEST_DOCTOR(eager_loading)
{
    doctor_rig_set(r, "CUDA_MODULE_LOADING", "LAZY", "/etc/environment");
    CHECK_NUM(doctor_rig_check(r).n, 0);
    doctor_rig_set(r, "CUDA_MODULE_LOADING", "EAGER", "/etc/environment");
    r->m.probe.driver.cuda_version = 11070;
    doctor_rig_one(r, NOTE("setting-loads-all", .fix = "remove it from /etc/environment",
                           .command = "unset CUDA_MODULE_LOADING"));
    r->m.probe.driver.cuda_version = 11060;
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(setting_differs_at_login)
{
    struct jw_env_difference d[] = {
        { .name = "CUDA_CACHE_MAXSIZE", .current = "536870912", .login = NULL, .terminal_agrees = true },
        { .name = "LD_LIBRARY_PATH", .current = "/x", .login = NULL }, /* of no matter */
        { .name = "CUDA_DEVICE_ORDER", .current = "PCI_BUS_ID", .login = NULL },
    };

    r->m.differs = d;
    r->m.n_differs = 3;
    doctor_rig_one(r,
                   NOTE("setting-differs-at-login", .subject = "CUDA_CACHE_MAXSIZE",
                        .evidence = "here CUDA_CACHE_MAXSIZE=536870912; in a fresh login CUDA_CACHE_MAXSIZE "
                                    "not set; a new terminal has what is here",
                        .fix = "programs of a new terminal start as those of this shell; for all others:",
                        .command = "jitwarm env apply --max-size 536870912"));
    d[0].terminal_agrees = false;
    doctor_rig_one(r, NOTE("setting-differs-at-login",
                           .fix = "make it permanent (jitwarm env apply --max-size 536870912)",
                           .command = "unset CUDA_CACHE_MAXSIZE"));
    d[0] = (struct jw_env_difference){ .name = "CUDA_CACHE_PATH",
                                       .login = "/data/c",
                                       .origin = "/etc/environment" };
    doctor_rig_one(r, WARNING("setting-differs-at-login",
                              .evidence = "in a fresh login CUDA_CACHE_PATH=/data/c, from /etc/environment",
                              .command = "export CUDA_CACHE_PATH=/data/c"));
}

/* Whose programs have the other value, has one name in all verbs. */
TEST_DOCTOR(a_setting_of_terminals_is_theirs)
{
    struct jw_env_difference d = {
        .name = "CUDA_CACHE_DISABLE", .login = "1", .file = "/home/anna/.bashrc", .terminal_only = true
    };

    r->m.differs = &d;
    r->m.n_differs = 1;
    doctor_rig_one(r, WARNING("setting-differs-at-login", .text = "a new terminal has CUDA_CACHE_DISABLE=1",
                              .evidence = "in a new terminal CUDA_CACHE_DISABLE=1"));
}

TEST_DOCTOR(a_login_that_shows_nothing_is_no_login_as_here)
{
    r->m.login.known = false;
    r->m.login.silent_at =
        (struct jw_start_line){ .file = "/home/anna/.profile", .number = 2, .returns = true };
    r->m.login_start = (struct jw_login_start){ .is = JW_LOGIN_UNKNOWN,
                                                .what = "how programs of a fresh login start is not known",
                                                .command = "sed -i.bak 2s/exit/return/ /home/anna/.profile" };
    struct wanted unknown = { .id = "login-unknown",
                              .severity = JW_WARNING,
                              .text = "how programs of a fresh login start is not known",
                              .fix = "with return in place of exit, line 2 of /home/anna/.profile ends",
                              .command = "sed -i.bak 2s/exit/return/ /home/anna/.profile" };

    doctor_rig_one(r, unknown);
    r->m.login.silent_at.returns = false;
    r->m.login_start.command = unknown.command = "sed -n 2p /home/anna/.profile";
    unknown.fix = "let line 2 of /home/anna/.profile come to its end";
    doctor_rig_one(r, unknown);
    r->m.login.silent_at = (struct jw_start_line){ .shell = "/bin/sh" };
    unknown.fix = "this shows what they do last";
    doctor_rig_one(r, unknown);
    r->m.login.silent_at.shell = r->m.login_start.command = NULL;
    unknown.command = "";
    unknown.fix = "let its start files come to their end";
    doctor_rig_one(r, unknown);
}

/* A container has the variables that it was started with, and no login: that is no fault, and nothing to take back. */
TEST_DOCTOR(a_container_has_no_logins)
{
    struct jw_env_difference d = { .name = "CUDA_CACHE_PATH", .current = "/workspace/c" };

    r->m.differs = &d;
    r->m.n_differs = 1;
    r->m.probe.driver.container = true;
    doctor_rig_one(r, NOTE("setting-differs-at-login", .fix = "docker run -e", .command = ""));
}

/* One variable, one finding: the worse one says where it comes from, too. */
TEST_DOCTOR(a_setting_is_told_once)
{
    struct jw_env_difference d[] = { { .name = "CUDA_FORCE_JIT", .current = "1", .login = NULL } };

    doctor_rig_set(r, "CUDA_FORCE_JIT", "1", NULL);
    r->m.differs = d;
    r->m.n_differs = 1;
    doctor_rig_one(r, WARNING("setting-forces-compiling", .evidence = "set in this environment only"));
}

/* The same of a finding that is about the folder, and names the variable as what was seen. */
TEST_DOCTOR(a_path_is_told_once)
{
    struct jw_env_difference d[] = { { .name = "CUDA_CACHE_PATH", .current = "/data/c", .login = NULL } };

    doctor_rig_root(r, "/data/c", "/data/c");
    r->m.place.trust.writers = "everybody";
    r->m.differs = d;
    r->m.n_differs = 1;
    doctor_rig_one(r, WARNING("cache-writable-by-others"));
    r->m.place.trust.writers = NULL;
    doctor_rig_one(r, WARNING("setting-differs-at-login"));
}

/* Hidden by a variable: then the driver's "no GPU" is no news. */
TEST_DOCTOR(hidden_gpus_are_told_once)
{
    r->m.probe.driver.init_result = 100;
    r->m.probe.n_devices = 0;
    doctor_rig_one(r, PROBLEM("no-device"));
    doctor_rig_set(r, "CUDA_VISIBLE_DEVICES", "", NULL);
    doctor_rig_one(r, WARNING("gpu-hidden"));
}

/* Unset, and set to this driver's own default: the same limit. */
TEST_DOCTOR(a_limit_that_is_the_default_differs_in_nothing)
{
    struct jw_env_difference d = { .name = "CUDA_CACHE_MAXSIZE", .current = "1073741824" };

    r->m.differs = &d;
    r->m.n_differs = 1;
    CHECK_NUM(doctor_rig_check(r).n, 0);
    d.current = "536870912";
    CHECK_NUM(doctor_rig_check(r).n, 1);
}

/* What a login sets and this shell does not is not copied into the shell where it does harm: it goes from the login. */
TEST_DOCTOR(a_harmful_value_of_logins_is_taken_out_there)
{
    struct jw_env_difference d = { .name = "CUDA_FORCE_PTX_JIT", .login = "1", .origin = "/etc/environment" };

    r->m.differs = &d;
    r->m.n_differs = 1;
    doctor_rig_one(r, WARNING("setting-differs-at-login", .text = "a fresh login has CUDA_FORCE_PTX_JIT=1",
                              .command = "sudo sed -i.bak 's/^\\([^#]*CUDA_FORCE_PTX_JIT=\\)[^ ;]*/\\10/' "
                                         "/etc/environment"));
    d.name = "CUDA_CACHE_DISABLE";
    doctor_rig_one(r, WARNING("setting-differs-at-login", .command = "jitwarm env apply"));
    d.login = "0"; /* is what it is without it */
    CHECK_NUM(doctor_rig_check(r).n, 0);
    d.name = "CUDA_CACHE_MAXSIZE";
    d.login = "2GB";
    doctor_rig_one(r, WARNING("setting-differs-at-login", .text = "a fresh login has CUDA_CACHE_MAXSIZE=2GB",
                              .consequence = "keep nothing",
                              .command = "jitwarm env apply --max-size 2147483648"));
    d.login = "1000000";
    doctor_rig_one(r,
                   WARNING("setting-differs-at-login", .command = "jitwarm env apply --max-size 1073741824"));
    d.login = "2147483648";
    doctor_rig_one(r, NOTE("setting-differs-at-login", .command = "export CUDA_CACHE_MAXSIZE=2147483648"));
    d.name = "CUDA_CACHE_PATH";
    d.login = "~/cache";
    doctor_rig_one(r,
                   WARNING("setting-differs-at-login", .consequence = "another cache in each working folder",
                           .command = "sudo sed -i.bak '/^[^#]*CUDA_CACHE_PATH=/d' /etc/environment"));
}

/* Each shell gets a line of its own. */
TEST(names_that_the_driver_does_not_know)
{
    static const struct {
        const char *name, *fix;
    } cases[] = { { "CUDA_CACHE_MAX_SIZE", "did you mean CUDA_CACHE_MAXSIZE?" },
                  { "CUDA_CACHE_DIR", "did you mean CUDA_CACHE_PATH?" },
                  { "CUDA_CACHE_DISABLED", "did you mean CUDA_CACHE_DISABLE?" },
                  { "CUDA_CACHE_XYZ", "" } };
    struct doctor_rig r;

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        doctor_rig(&r);
        doctor_rig_set(&r, cases[i].name, "1", NULL);
        doctor_rig_one(&r, NOTE("setting-unknown", .subject = cases[i].name,
                                .text = "the driver does not know CUDA_CACHE_", .fix = cases[i].fix,
                                .command = ""));
        doctor_rig_free(&r);
    }
    doctor_rig(&r);
    doctor_rig_set(&r, "CUDA_CACHE_PATH", "/home/anna/.nv/ComputeCache", "/etc/environment");
    doctor_rig_set(&r, "SCCACHE_DIR", "/x", "/etc/environment"); /* another program's */
    doctor_rig_none(&r, "setting-unknown");
    doctor_rig_free(&r);
}

TEST(commands_are_for_the_shell_of_the_person)
{
    static const struct {
        enum jw_shell shell;
        const char *command;
    } cases[] = { { JW_SHELL_SH, "unset CUDA_FORCE_JIT" },
                  { JW_SHELL_FISH, "set -e CUDA_FORCE_JIT" },
                  { JW_SHELL_CSH, "unsetenv CUDA_FORCE_JIT" },
                  { JW_SHELL_POWERSHELL, "Remove-Item Env:CUDA_FORCE_JIT" } };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct doctor_rig r;
        struct jw_findings f;

        doctor_rig(&r);
        r.m.shell = cases[i].shell;
        doctor_rig_set(&r, "CUDA_FORCE_JIT", "1", NULL);
        f = JW_FINDINGS(&r.arena);
        jw_doctor_check(&r.m, &f);
        CHECK_NUM(f.n, 1);
        if (f.n)
            CHECK_TEXT(f.v[0].command, cases[i].command);
        doctor_rig_free(&r);
    }
}

TEST_DOCTOR(proc_missing)
{
    r->m.no_proc = true;
    doctor_rig_one(r, WARNING("proc-missing", .consequence = "does not see",
                              .command = "sudo mount -t proc proc /proc"));
}
