/* Variables that defeat the cache, and processes that have others. */
#include "base/mem.h"
#include "check.h"
#include "doctor_rig.h"

#include <string.h>

TEST(setting_misspelt)
{
    static const struct {
        const char *wrong, *right;
    } cases[] = {
        { "CUDA_CACHE_MAXSZIE", "CUDA_CACHE_MAXSIZE" },
        { "CUDA_CACHE_MAX_SIZE", "CUDA_CACHE_MAXSIZE" },
        { "CUDA_CACHE_SIZE", "CUDA_CACHE_MAXSIZE" },
        { "CUDA_CACHE_DIR", "CUDA_CACHE_PATH" },
        { "CUDA_CACHE_PAHT", "CUDA_CACHE_PATH" },
        { "CUDA_CHACHE_PATH", "CUDA_CACHE_PATH" },
        { "cuda_cache_path", "CUDA_CACHE_PATH" },
        { "CUDA_VISIBLE_DEVICE", "CUDA_VISIBLE_DEVICES" },
        { "CUDA_VISIBILE_DEVICES", "CUDA_VISIBLE_DEVICES" },
        { "CUDA_MODULE_LOADNG", "CUDA_MODULE_LOADING" },
        { "CUAD_CACHE_PATH", "CUDA_CACHE_PATH" },
        { "CUDA_FORCE_PTXJIT", "CUDA_FORCE_PTX_JIT" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct doctor_rig r;

        doctor_rig(&r);
        doctor_rig_set(&r, cases[i].wrong, "5", NULL);
        doctor_rig_one(&r, (struct wanted){ .id = "setting-misspelt",
                                            .severity = JW_WARNING,
                                            .subject = cases[i].wrong,
                                            .text = cases[i].right,
                                            .consequence = "no effect",
                                            .command = cases[i].right });
        doctor_rig_free(&r);
    }
}

/* A switch the other way round must not become CUDA_CACHE_DISABLE=1. */
TEST(a_wrong_name_for_off_is_only_taken_away)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_set(&r, "CUDA_CACHE_ENABLE", "1", NULL);
    doctor_rig_one(&r, (struct wanted){ .id = "setting-misspelt",
                                        .severity = JW_WARNING,
                                        .fix = "the cache is on unless",
                                        .command = "unset CUDA_CACHE_ENABLE" });
    CHECK(!strstr(doctor_rig_judge(&r).v[0].command, "export"));
    doctor_rig_free(&r);
}

/* "4G" would be 4 bytes to the driver. */
TEST(a_size_under_a_wrong_name_becomes_bytes)
{
    static const char *const cases[][2] = {
        { "4G", "; export CUDA_CACHE_MAXSIZE=4000000000" },
        { "512MiB", "; export CUDA_CACHE_MAXSIZE=536870912" },
        { "1T", "; export CUDA_CACHE_MAXSIZE=4294967296" },
        { "8GiB", "; export CUDA_CACHE_MAXSIZE=4294967296" },
    };
    struct doctor_rig r;

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        doctor_rig(&r);
        doctor_rig_set(&r, "CUDA_CACHE_SIZE", cases[i][0], NULL);
        doctor_rig_one(
            &r, (struct wanted){ .id = "setting-misspelt", .severity = JW_WARNING, .command = cases[i][1] });
        doctor_rig_free(&r);
    }
    doctor_rig(&r);
    doctor_rig_set(&r, "CUDA_CACHE_SIZE", "large", NULL);
    doctor_rig_one(&r, (struct wanted){ .id = "setting-misspelt",
                                        .severity = JW_WARNING,
                                        .fix = "not a size either",
                                        .command = "unset CUDA_CACHE_SIZE" });
    doctor_rig_free(&r);
}

TEST(names_that_are_right_or_not_ours)
{
    static const char *const names[] = {
        "CUDA_HOME",        "CUDA_PATH",           "CUDA_PATH_V12_4",
        "CUDA_ROOT",        "CUPY_CACHE_DIR",      "CUDA_LOG_FILE",
        "TRITON_CACHE_DIR", "HIP_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",
        "CUDA_CACHE_PATH",  "CUDA_DEVICE_ORDER",   "CUDA_MPS_LOG_DIRECTORY",
        "CUDACXX",          "CCACHE_DIR",          "XDG_CACHE_HOME",
        "CUDA_SDK",         "CUDA_ARCH_LIST",
    };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct doctor_rig r;

        doctor_rig(&r);
        doctor_rig_set(&r, names[i], "/x", "/etc/environment");
        doctor_rig_none(&r, "setting-misspelt");
        doctor_rig_free(&r);
    }
}

TEST(a_misspelt_name_of_the_login_only)
{
    struct doctor_rig r;
    struct jw_err err = { 0 };

    doctor_rig(&r);
    CHECK(jw_env_set_put(&r.m.login.sets, "CUDA_CACHE_MAX_SIZE", "4294967296", "/etc/environment", &r.arena,
                         &err));
    doctor_rig_one(&r, (struct wanted){ .id = "setting-misspelt",
                                        .severity = JW_WARNING,
                                        .evidence = "from /etc/environment" });
    doctor_rig_free(&r);
}

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
        CHECK_NUM(doctor_rig_judge(&r).n, 0);
        doctor_rig_set(&r, cases[i].name, "1", "/etc/environment");
        doctor_rig_one(&r, (struct wanted){ .id = cases[i].id,
                                            .severity = JW_WARNING,
                                            .subject = cases[i].name,
                                            .fix = "remove it from /etc/environment",
                                            .command = "unset CUDA_" });
        doctor_rig_free(&r);
    }
}

TEST(gpus_hidden)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_set(&r, "CUDA_VISIBLE_DEVICES", "0", "/etc/environment");
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    doctor_rig_set(&r, "CUDA_VISIBLE_DEVICES", "", "/etc/environment");
    doctor_rig_one(&r, (struct wanted){ .id = "gpu-hidden",
                                        .severity = JW_WARNING,
                                        .consequence = "programs run on the CPU",
                                        .command = "unset CUDA_VISIBLE_DEVICES" });
    doctor_rig_set(&r, "CUDA_VISIBLE_DEVICES", "-1", "/etc/environment");
    doctor_rig_one(&r, (struct wanted){ .id = "gpu-hidden", .severity = JW_WARNING });
    doctor_rig_free(&r);
}

TEST(setting_differs_at_login)
{
    struct jw_env_difference d[] = {
        { .name = "CUDA_CACHE_MAXSIZE", .here = "1073741824", .login = NULL, .terminal_agrees = true },
        { .name = "LD_LIBRARY_PATH", .here = "/x", .login = NULL }, /* of no matter */
    };
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.differs = d;
    r.m.n_differs = 2;
    doctor_rig_one(
        &r, (struct wanted){ .id = "setting-differs-at-login",
                             .severity = JW_WARNING,
                             .subject = "CUDA_CACHE_MAXSIZE",
                             .evidence = "here CUDA_CACHE_MAXSIZE=1073741824; in a login CUDA_CACHE_MAXSIZE "
                                         "not set; a new terminal has what is here",
                             .fix = "make it permanent (jitwarm env apply --maxsize 1073741824)",
                             .command = "unset CUDA_CACHE_MAXSIZE" });
    d[0] = (struct jw_env_difference){ .name = "CUDA_CACHE_PATH",
                                       .login = "/data/c",
                                       .origin = "/etc/environment" };
    doctor_rig_one(&r,
                   (struct wanted){ .id = "setting-differs-at-login",
                                    .severity = JW_WARNING,
                                    .evidence = "in a login CUDA_CACHE_PATH=/data/c, from /etc/environment",
                                    .command = "export CUDA_CACHE_PATH=/data/c" });
    doctor_rig_free(&r);
}

/* One variable, one finding: the worse one says where it comes from, too. */
TEST(a_setting_is_told_once)
{
    struct jw_env_difference d[] = { { .name = "CUDA_FORCE_JIT", .here = "1", .login = NULL } };
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_set(&r, "CUDA_FORCE_JIT", "1", NULL);
    r.m.differs = d;
    r.m.n_differs = 1;
    doctor_rig_one(&r, (struct wanted){ .id = "setting-forces-compiling",
                                        .severity = JW_WARNING,
                                        .evidence = "set in this environment only" });
    doctor_rig_free(&r);
}

/* The same of a finding that is about the folder, and names the variable as what was seen. */
TEST(a_path_is_told_once)
{
    struct jw_env_difference d[] = { { .name = "CUDA_CACHE_PATH", .here = "/data/c", .login = NULL } };
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_root(&r, "/data/c", "/data/c");
    r.m.place.trust.writers = "everybody";
    r.m.differs = d;
    r.m.n_differs = 1;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-writable-by-others", .severity = JW_WARNING });
    r.m.place.trust.writers = NULL;
    doctor_rig_one(&r, (struct wanted){ .id = "setting-differs-at-login", .severity = JW_WARNING });
    doctor_rig_free(&r);
}

/* Hidden by a variable: then the driver's "no GPU" is no news. */
TEST(hidden_gpus_are_told_once)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.probe.driver.init_result = 100;
    r.m.probe.n_devices = 0;
    doctor_rig_one(&r, (struct wanted){ .id = "no-device", .severity = JW_PROBLEM });
    doctor_rig_set(&r, "CUDA_VISIBLE_DEVICES", "", NULL);
    doctor_rig_one(&r, (struct wanted){ .id = "gpu-hidden", .severity = JW_WARNING });
    doctor_rig_free(&r);
}

TEST(setting_old_in_program)
{
    struct jw_env_value old[] = { { "CUDA_CACHE_MAXSIZE", "268435456", NULL },
                                  { "HOME", "/home/anna", NULL } };
    struct jw_cuda_program p = { .pid = 4711, .name = "python3", .sets = { old, 2 } };
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_limit(&r, "4294967296");
    r.m.programs.v = &p;
    r.m.programs.n = 1;
    doctor_rig_one(&r, (struct wanted){ .id = "setting-old-in-program",
                                        .severity = JW_WARNING,
                                        .subject = "python3",
                                        .text = "python3 (process 4711) runs with another CUDA_CACHE_MAXSIZE",
                                        .evidence = "there CUDA_CACHE_MAXSIZE=268435456; in a fresh login "
                                                    "CUDA_CACHE_MAXSIZE=4294967296",
                                        .fix = "restart it from a new login",
                                        .command = "" });
    p.unit = "triton.service";
    doctor_rig_one(&r, (struct wanted){ .id = "setting-old-in-program",
                                        .severity = JW_WARNING,
                                        .subject = "triton.service",
                                        .command = "sudo systemctl restart triton.service" });
    old[0].value = "4294967296";
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    doctor_rig_free(&r);
}

TEST(a_pool_of_workers_is_one_finding)
{
    struct jw_env_value old = { "CUDA_CACHE_MAXSIZE", "268435456", NULL },
                        other = { "CUDA_CACHE_PATH", "/x", NULL };
    struct jw_cuda_program pool[4];
    struct jw_findings f;
    struct doctor_rig r;

    for (size_t i = 0; i < 4; i++)
        pool[i] =
            (struct jw_cuda_program){ .pid = 100 + (unsigned long)i, .name = "worker", .sets = { &old, 1 } };
    pool[2].sets.v = &other;
    doctor_rig(&r);
    r.m.programs.v = pool;
    r.m.programs.n = 4;
    f = doctor_rig_judge(&r);
    CHECK_NUM(f.n, 2);
    if (f.n == 2) {
        CHECK_TEXT(f.v[0].text, "worker (process 100 and 2 more) run with another CUDA_CACHE_MAXSIZE");
        CHECK_TEXT(f.v[1].text, "worker (process 102) runs with another CUDA_CACHE_PATH");
    }
    doctor_rig_free(&r);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(setting_misspelt), T(a_wrong_name_for_off_is_only_taken_away),
               T(a_size_under_a_wrong_name_becomes_bytes), T(names_that_are_right_or_not_ours),
               T(a_misspelt_name_of_the_login_only), T(told_to_compile_or_not_to), T(gpus_hidden),
               T(setting_differs_at_login), T(a_setting_is_told_once), T(a_path_is_told_once),
               T(hidden_gpus_are_told_once), T(setting_old_in_program), T(a_pool_of_workers_is_one_finding));
}
