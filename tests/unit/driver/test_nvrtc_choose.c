/* Which of several NVRTC libraries compiles: the rules, and the libraries themselves asked. */
#include "driver/nvrtc/nvrtc_compile.h"

#include "check.h"
#include "os/machine/env.h"
#include "rigs/nvrtc_rig.h"

static const uint16_t archs_13[] = { 75, 80, 86, 90, 120 }, archs_12[] = { 50, 61, 75, 90 };

static const struct jw_nvrtc_library rtc_13 = { "13", 13, 0, archs_13, JW_COUNT(archs_13) },
                                     rtc_12 = { "12", 12, 4, archs_12, JW_COUNT(archs_12) },
                                     rtc_old = { "11", 11, 1, NULL, 0 };

static void offers(const struct jw_nvrtc_library *lib, const char *wanted, enum jw_nvrtc_fit fit,
                   const char *target)
{
    struct jw_arch t;

    CHECK(jw_arch_parse(wanted, &t));

    struct jw_nvrtc_offer o = jw_nvrtc_offer(lib, (struct jw_nvrtc_wish){ t, 0 });

    CHECK_NUM(o.fit, fit);
    if (fit != JW_FIT_NONE)
        CHECK_TEXT(jw_arch_name("compute_", o.target).text, target);
}

TEST(a_library_offers_the_newest_that_runs)
{
    offers(&rtc_13, "compute_86", JW_FIT_EXACTLY, "compute_86");
    offers(&rtc_13, "sm_90a", JW_FIT_EXACTLY, "compute_90a");
    offers(&rtc_12, "compute_86", JW_FIT_OLDER, "compute_75");
    offers(&rtc_12, "compute_120", JW_FIT_OLDER, "compute_90");
    offers(&rtc_12, "compute_120f", JW_FIT_NONE, "");
    offers(&rtc_13, "compute_61", JW_FIT_NONE, "");
    offers(&rtc_old, "compute_86", JW_FIT_UNKNOWN, "compute_86");
}

static bool better(const struct jw_nvrtc_library *a, const struct jw_nvrtc_library *b, uint16_t sm,
                   unsigned driver_cuda)
{
    struct jw_nvrtc_wish w = { { sm, 0 }, driver_cuda };

    return jw_nvrtc_better(jw_nvrtc_offer(a, w), a, jw_nvrtc_offer(b, w), b);
}

TEST(an_exact_one_goes_before_a_newer_version)
{
    CHECK(better(&rtc_13, &rtc_12, 90, 0) && !better(&rtc_12, &rtc_13, 90, 0));
    CHECK(better(&rtc_12, &rtc_13, 61, 0) && !better(&rtc_13, &rtc_12, 61, 0));
    CHECK(better(&rtc_13, &rtc_12, 89, 0) && !better(&rtc_12, &rtc_13, 89, 0)); /* 86 rather than 75 */
    CHECK(better(&rtc_12, &rtc_old, 86, 0) && better(&rtc_old, &rtc_13, 61, 0));
    CHECK(!better(&rtc_13, &rtc_13, 90, 0));
}

TEST(one_that_the_driver_can_follow_goes_before_all)
{
    CHECK(better(&rtc_12, &rtc_13, 90, 12040) && !better(&rtc_13, &rtc_12, 90, 12040));
    CHECK(better(&rtc_12, &rtc_13, 120, 12090)); /* an older architecture, too */
    CHECK(better(&rtc_13, &rtc_12, 90, 13000));
    CHECK(better(&rtc_13, &rtc_12, 90, 12030)); /* it can follow neither */
}

/* ---- asked ---- */

static const char sim[] = SIMNVRTC, fake[] = FAKE_NVRTC, empty[] = FAKE_EMPTY;

static struct jw_toolkit_place place(const char *library, unsigned major, bool builtins)
{
    return (struct jw_toolkit_place){ nvrtc_rig_path(library), "here", major, builtins };
}

static unsigned driver; /* its CUDA version, as the next ones are told */

static void chooses(struct jw_toolkit_place *v, size_t n, uint16_t sm, const char *used,
                    const char *const *outcomes)
{
    const struct jw_toolkit_places places = { .v = v, .n = n };
    const struct jw_nvrtc_worker_options o = { .timeout_ms = 60000 };
    struct jw_nvrtc_choice c;
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_nvrtc_choose(&places, (struct jw_nvrtc_wish){ { sm, 0 }, driver }, &o, &a, &c, &err));
    CHECK_TEXT(err.msg, "");
    CHECK((c.worker != NULL) == (used != NULL));
    if (c.worker && used)
        CHECK_TEXT(c.place->path, nvrtc_rig_path(used));
    CHECK_NUM(c.n_tried, n);
    for (size_t i = 0; i < n && i < c.n_tried; i++)
        CHECK_HAS(c.tried[i].outcome, outcomes[i]);
    jw_nvrtc_worker_stop(c.worker);
    jw_arena_free(&a);
}

TEST(the_newest_that_compiles_for_it_is_used)
{
    struct jw_toolkit_place v[] = { place(sim, 13, true), place(fake, 12, true) };

    nvrtc_rig_env("FAKE_NVRTC", "version=12.4 archs=50,61,75,90");
    chooses(v, 2, 90, sim, (const char *const[]){ "used", "not asked: a newer one compiles for this GPU" });
    chooses(v, 2, 61, fake,
            (const char *const[]){ "compiles for compute_75 to compute_121, not for compute_61", "used" });
    chooses(v, 2, 89, sim, (const char *const[]){ "used", "not asked" });
    chooses(v, 2, 20, NULL, (const char *const[]){ "not for compute_20", "not for compute_20" });
}

TEST(versions_of_one_major_are_compared)
{
    struct jw_toolkit_place v[] = { place(fake, 13, true), place(sim, 13, true), place(empty, 12, true),
                                    place(fake, 0, true) };

    nvrtc_rig_env("FAKE_NVRTC", "version=13.2 archs=75,90");
    chooses(v, 2, 90, fake, (const char *const[]){ "used", "not needed: another is as good or better" });
    nvrtc_rig_env("FAKE_NVRTC", "version=12.9 archs=75,90");
    chooses(v, 2, 90, sim, (const char *const[]){ "not needed", "used" });
    /* A name that says nothing hides nothing. */
    nvrtc_rig_env("FAKE_NVRTC", "version=14.0 archs=75,90");
    chooses(v + 1, 3, 90, fake, (const char *const[]){ "not needed", "not asked", "used" });
}

TEST(an_older_driver_wants_an_older_one)
{
    struct jw_toolkit_place v[] = { place(sim, 13, true), place(fake, 12, true) };

    driver = 12040;
    nvrtc_rig_env("FAKE_NVRTC", "version=12.4 archs=75,90");
    chooses(
        v, 2, 90, fake,
        (const char *const[]){ "makes PTX that the driver here, of CUDA 12.4, does not compile", "used" });
    chooses(v, 1, 90, sim, (const char *const[]){ "used" });
    driver = 0;
}

TEST(one_without_builtins_is_the_last_resort)
{
    struct jw_toolkit_place v[] = { place(fake, 11, true), place(sim, 13, false) };

    nvrtc_rig_env("FAKE_NVRTC", "version=11.8 archs=75");
    chooses(v, 2, 75, fake, (const char *const[]){ "used", "not asked" });
    chooses(v, 2, 90, sim, (const char *const[]){ "not needed", "used" });
}

TEST(those_that_cannot_are_told_and_passed_over)
{
    struct jw_toolkit_place v[] = { place(fake, 13, true), place(empty, 13, true), place(sim, 12, true) };

    nvrtc_rig_env("FAKE_NVRTC", "load-crash");
    chooses(v, 3, 90, sim,
            (const char *const[]){ "ended its process while it was loaded", "it is no NVRTC", "used" });
    chooses(v, 2, 90, NULL,
            (const char *const[]){ "ended its process while it was loaded", "it is no NVRTC" });
    chooses(v, 0, 90, NULL, NULL);
}

TEST(without_a_worker_nothing_is_said)
{
    struct jw_toolkit_place v[] = { place(sim, 13, true) };
    const struct jw_toolkit_places places = { .v = v, .n = 1 };
    const struct jw_nvrtc_worker_options o = { .exe =
                                                   jw_os_is_windows() ? "C:\\nowhere\\x.exe" : "/nowhere/x" };
    struct jw_nvrtc_choice c;
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    CHECK(!jw_nvrtc_choose(&places, (struct jw_nvrtc_wish){ { 90, 0 }, 0 }, &o, &a, &c, &err));
    CHECK_HAS(err.msg, "nowhere");
    CHECK(c.worker == NULL);
    jw_arena_free(&a);
}

TEST(nobody_waits_for_the_rest_once_interrupted)
{
    atomic_bool stop = true;
    struct jw_toolkit_place v[] = { place(sim, 13, true) };
    const struct jw_toolkit_places places = { .v = v, .n = 1 };
    const struct jw_nvrtc_worker_options o = { .interrupted = &stop };
    struct jw_nvrtc_choice c;
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    CHECK(!jw_nvrtc_choose(&places, (struct jw_nvrtc_wish){ { 90, 0 }, 0 }, &o, &a, &c, &err));
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
    CHECK(c.worker == NULL);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    int code = nvrtc_rig_worker(argc, argv);

    if (code >= 0)
        return code;
    nvrtc_rig_env("SIMNVRTC_VERSION", NULL);
    return RUN(argc, argv, T(a_library_offers_the_newest_that_runs),
               T(an_exact_one_goes_before_a_newer_version), T(one_that_the_driver_can_follow_goes_before_all),
               T(an_older_driver_wants_an_older_one), T(the_newest_that_compiles_for_it_is_used),
               T(versions_of_one_major_are_compared), T(one_without_builtins_is_the_last_resort),
               T(those_that_cannot_are_told_and_passed_over), T(without_a_worker_nothing_is_said),
               T(nobody_waits_for_the_rest_once_interrupted));
}
