/* Is the cache on, and large enough? Made-up machines, one for each thing that can be said. */
#include "base/mem.h"
#include "check.h"
#include "doctor_rig.h"

TEST(a_machine_that_is_well_has_no_findings)
{
    struct doctor_rig r;

    doctor_rig(&r);
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    doctor_rig_limit(&r, "4294967296");
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    doctor_rig_free(&r);
}

TEST(cache_disabled)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.dir.disabled = true;
    r.cache.dir.disabled_from = (struct jw_setting_value){ "1", "CUDA_CACHE_DISABLE" };
    doctor_rig_set(&r, "CUDA_CACHE_DISABLE", "1", "/etc/environment");
    doctor_rig_one(
        &r,
        (struct wanted){
            .id = "cache-disabled",
            .severity = JW_WARNING,
            .subject = "CUDA_CACHE_DISABLE",
            .evidence = "CUDA_CACHE_DISABLE=1; a fresh login has it, too, from /etc/environment",
            .text = "switched off",
            .consequence = "at each start",
            .fix =
                "/etc/environment sets it; this makes it permanent for new logins (undo: jitwarm env undo)",
            .command = "jitwarm env apply" });
    r.m.login.known = false; /* then it is this environment's alone */
    doctor_rig_one(&r, (struct wanted){ .id = "cache-disabled",
                                        .severity = JW_WARNING,
                                        .command = "unset CUDA_CACHE_DISABLE" });
    r.m.login.known = true;
    r.m.probe.driver.container = true; /* nobody logs in there */
    doctor_rig_one(&r, (struct wanted){ .id = "cache-disabled",
                                        .severity = JW_WARNING,
                                        .command = "unset CUDA_CACHE_DISABLE" });
    doctor_rig_free(&r);
}

TEST(cache_disable_junk)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.dir.disabled_from = (struct jw_setting_value){ "yes", "CUDA_CACHE_DISABLE" };
    doctor_rig_set(&r, "CUDA_CACHE_DISABLE", "yes", "/etc/environment");
    doctor_rig_one(&r, (struct wanted){ .id = "cache-disable-junk",
                                        .severity = JW_WARNING,
                                        .evidence = "=yes",
                                        .command = "jitwarm env apply" });
    doctor_rig_free(&r);
}

TEST(limits_that_the_driver_may_misread)
{
    static const struct {
        const char *value, *id, *command;
    } cases[] = {
        { "4G", "cache-limit-junk", "jitwarm env apply --maxsize 1073741824" },
        { "4GiB", "cache-limit-junk", "jitwarm env apply --maxsize 1073741824" },
        { "512M", "cache-limit-junk", "--maxsize 1073741824" },
        { "1.9 GiB", "cache-limit-junk", "jitwarm env apply --maxsize 1073741824" },
        { "1e9", "cache-limit-junk", "jitwarm env apply --maxsize 1073741824" },
        { "0x100000000", "cache-limit-junk", "jitwarm env apply --maxsize 1073741824" },
        { "", "cache-limit-junk", "jitwarm env apply --maxsize 1073741824" },
        { "-1", "cache-limit-junk", "jitwarm env apply --maxsize 1073741824" },
        { "4294967297", "cache-limit-above", "jitwarm env apply --maxsize 4294967296" },
        { "99999999999999999999", "cache-limit-above", "jitwarm env apply --maxsize 4294967296" },
        { "0", "cache-limit-small", "jitwarm env apply --maxsize 1073741824" },
        { "16777215", "cache-limit-small", "jitwarm env apply --maxsize 1073741824" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct doctor_rig r;

        doctor_rig(&r);
        doctor_rig_limit(&r, cases[i].value);
        doctor_rig_one(&r, (struct wanted){ .id = cases[i].id,
                                            .severity = JW_WARNING,
                                            .subject = "CUDA_CACHE_MAXSIZE",
                                            .evidence = "CUDA_CACHE_MAXSIZE=",
                                            .fix = "for this shell: export CUDA_CACHE_MAXSIZE=",
                                            .command = cases[i].command });
        doctor_rig_free(&r);
    }
}

TEST(cache_limit_low)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_limit(&r, "268435456");
    r.cache.primed.known = true;
    r.cache.primed.need = (struct jw_status_sum){ 900, 1200000000 };
    doctor_rig_one(&r, (struct wanted){ .id = "cache-limit-low",
                                        .severity = JW_WARNING,
                                        .text = "1.1 GiB are needed, the limit is 256 MiB",
                                        .command = "jitwarm env apply --maxsize 2147483648" });
    r.cache.primed.need.bytes = 5000000000; /* no cache holds that */
    doctor_rig_one(
        &r, (struct wanted){
                .id = "cache-limit-low", .severity = JW_WARNING, .fix = "separate caches", .command = "" });
    r.cache.primed.need.bytes = 268435456;
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    doctor_rig_free(&r);
}

TEST(in_a_container_nothing_lasts)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_limit(&r, "4G");
    r.m.probe.driver.container = true;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-limit-junk",
                                        .severity = JW_WARNING,
                                        .fix = "docker run -e",
                                        .command = "export CUDA_CACHE_MAXSIZE=1073741824" });
    doctor_rig_free(&r);
}

TEST(cache_full)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_limit(&r, "1073741824");
    r.cache.used = 1073741824 / 100 * 94;
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    r.cache.used = 1060000000;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-full",
                                        .severity = JW_WARNING,
                                        .text = "1 GiB of 1 GiB",
                                        .command = "jitwarm env apply --maxsize 2147483648" });
    doctor_rig_free(&r);
}

TEST(cache_limit_unset)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.used = 200000000;
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    r.cache.used = 260000000;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-limit-unset",
                                        .severity = JW_WARNING,
                                        .evidence = "is not set",
                                        .fix = "this makes it permanent",
                                        .command = "jitwarm env apply --maxsize 1073741824" });
    r.m.windows = true;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-limit-unset",
                                        .severity = JW_WARNING,
                                        .fix = "for this shell: set CUDA_CACHE_MAXSIZE=1073741824",
                                        .command = "jitwarm env apply --maxsize 1073741824" });
    doctor_rig_free(&r);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(a_machine_that_is_well_has_no_findings), T(cache_disabled),
               T(cache_disable_junk), T(limits_that_the_driver_may_misread), T(cache_limit_low),
               T(in_a_container_nothing_lasts), T(cache_full), T(cache_limit_unset));
}
