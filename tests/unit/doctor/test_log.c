/* What is known of a log (tests/doctor/documents.py has more of them). And what a fresh login has
 * otherwise. */
#include "check.h"
#include "doctor/doctor.h"
#include "doctor/doctor_log.h"
#include "facts/driver_settings.h"

static const struct jw_log_report *read_text(const char *text)
{
    static struct jw_log_report out;
    struct jw_log_reader r = {.out = &out};

    out = (struct jw_log_report){0};
    jw_log_feed(&r, text, strlen(text));
    jw_log_end(&r);
    return &out;
}

static const char tf231[] =
    "2020-11-22 22:35:25.212344: I tensorflow/x.cc:1858] Adding visible gpu devices: 0\n"
    "2020-11-22 22:39:20.945012: I tensorflow/x.cc:1257] Device interconnect\n";

TEST(the_wait_of_tensorflow_on_a_newer_gpu)
{
    const struct jw_log_report *log = read_text(tf231);

    CHECK(log->pause > 235.7 && log->pause < 235.8);
    CHECK_NUM(log->before, 1);
}

TEST(a_pause_elsewhere_is_the_programs_own)
{
    CHECK(read_text("2020-11-22 22:35:25: epoch 1\n2020-11-22 22:39:20: epoch 2\n")->pause <= 0);
    CHECK(read_text("10:00:00 my data\n10:05:00 Created device /job\n")->pause <= 0);
    CHECK_NUM(
        read_text("10:00:00 tensorflow/x.cc] NUMA node\n10:05:00 Created device /job\n")->pause,
        300);
    CHECK(read_text("22:35:25 Adding visible gpu devices: 0\n22:35:30 next\n")->pause <= 0);
    CHECK(read_text("22:35:25 Adding visible gpu devices: 0\n")->pause
          <= 0); /* the log ends there */
    CHECK(read_text("Adding visible gpu devices: 0\nI1122 22:39:20 next\n")->pause <= 0);
}

TEST(times_in_other_forms)
{
    CHECK(read_text("00:00:00 Created device /job\nelapsed time=00:10:00\n")->pause <= 0);
    CHECK_NUM(read_text("time=2025-02-10T23:59:01.4+01:00 Created device "
                        "/job\ntime=2025-02-11T00:09:01.4+01:00 x\n")
                  ->pause,
              600);
    CHECK_NUM(
        read_text("INFO 08-27 13:59:59 Created device /job\nINFO 08-27 14:04:59 [x.py:15] b\n")
            ->pause,
        300);
    CHECK_NUM(
        read_text("I1122 23:59:50.5 1 x] Created device /job\nI1123 00:00:20.5 1 x] y\n")->pause,
        30);
    CHECK_NUM(
        read_text("I0000 00:00:1742472001.5 Created device /job\n2025-03-20 23:59:59 W x\n")->pause,
        0);
    CHECK_NUM(
        read_text("I0000 00:00:1742472001 Created device /job\nI0000 00:00:1742472031 y\n")->pause,
        30);
    CHECK_NUM(read_text("[10:00:00] Created TensorFlow device\n[10:00:12] y\n")->pause, 12);
    CHECK_NUM(
        read_text("2020/11/22T10:00:00,5 Created device /job\n2020/11/22T10:00:12,5 y\n")->pause,
        12);
}

TEST(all_else_is_silence)
{
    const struct jw_log_report *log = read_text(
        "The error of my ways: I bought a GPU. CUDA is fast, name: none.\nepoch 12 loss 0.2\n");

    CHECK_NUM(log->n_hits, 0);
    CHECK(log->pause <= 0);
    CHECK_NUM(log->lines, 2);
}

TEST(an_error_is_told_once_and_a_note_never)
{
    const struct jw_log_report *log = read_text(
        "CUDA_ERROR_OUT_OF_MEMORY\nx\nCUDA_ERROR_OUT_OF_MEMORY\n"
        "successful NUMA node read from SysFS had negative value (-1)\nCUDA_ERROR_NO_DEVICE\n"
        "cudaErrorJitCompilationDisabled\n"); /* as the runtime calls it */

    CHECK_NUM(log->n_hits, 3);
    CHECK_NUM(log->hits[0].line, 1);
    CHECK_NUM(log->hits[1].line, 5);
    CHECK_HAS(log->hits[2].known.meaning, "CUDA_DISABLE");
}

/* PowerShell's > writes UTF-16; a line may be longer than any buffer, and a file hold no line at
 * all. */
TEST(bytes_of_any_form)
{
    static char wide[2 * sizeof tf231], noise[1 << 18];
    static struct jw_log_report out;
    struct jw_log_reader r = {.out = &out};

    for (size_t i = 0; i < sizeof tf231 - 1; i++)
        wide[2 * i] = tf231[i];
    jw_log_feed(&r, wide, 2 * (sizeof tf231 - 1));
    jw_log_end(&r);
    CHECK(out.pause > 235);

    out = (struct jw_log_report){0};
    r = (struct jw_log_reader){.out = &out};
    memset(noise, 'x', sizeof noise);
    jw_log_feed(&r, noise, sizeof noise);
    jw_log_feed(&r, "\nCUDA_ERROR_NO_DEVICE\n", 22);
    jw_log_end(&r);
    CHECK_NUM(out.lines, 2);
    CHECK_NUM(out.n_hits, 1);

    memset(noise, 0, sizeof noise);
    out = (struct jw_log_report){0};
    jw_log_feed(&r, noise, sizeof noise);
    jw_log_end(&r);
    CHECK_NUM(out.lines, 0);
}

/* ---- a fresh login ---- */

static const char *driver = "550.163.01";

static const char *differs(const char *const *here, const char *const *there)
{
    const struct jw_facts_login first =
        jw_doctor_compare(&(struct jw_compared){.here = here,
                                                .there = there,
                                                .no_place = there[0] && there[0][0] != '/',
                                                .driver = driver,
                                                .needed = 300 << 20});

    if (first.harms)
        return "harms";
    return first.there || first.here ? jw_driver_variables[first.which] : "none";
}

TEST(a_login_differs_where_the_driver_does)
{
    const char *none[JW_DRIVER_VARIABLES] = {0}, *path[JW_DRIVER_VARIABLES] = {"/a"},
               *relative[JW_DRIVER_VARIABLES] = {"a"},
               *zero[JW_DRIVER_VARIABLES] = {NULL, NULL, "0"},
               *off[JW_DRIVER_VARIABLES] = {NULL, NULL, "01"},
               *small[JW_DRIVER_VARIABLES] = {NULL, "1000"},
               *low[JW_DRIVER_VARIABLES] = {NULL, "268435456"},
               *large[JW_DRIVER_VARIABLES] = {NULL, "4294967296"},
               *forced[JW_DRIVER_VARIABLES] = {[JW_VAR_FORCE_JIT] = "1"};

    CHECK_TEXT(differs(none, none), "none");
    CHECK_TEXT(differs(none, zero), "none");
    CHECK_TEXT(differs(none, large), "none");
    CHECK_TEXT(differs(none, path), "CUDA_CACHE_PATH");
    CHECK_TEXT(differs(path, none), "CUDA_CACHE_PATH");
    CHECK_TEXT(differs(path, path), "none");
    CHECK_TEXT(differs(path, relative), "harms");
    CHECK_TEXT(differs(none, off), "harms");
    CHECK_TEXT(differs(large, none), "none");
    CHECK_TEXT(differs(none, small), "harms");
    CHECK_TEXT(differs(none, low), "CUDA_CACHE_MAXSIZE"); /* what is stored is found */
    CHECK_TEXT(differs(path, off), "harms");
    CHECK_TEXT(differs(none, forced), "harms");
    driver = "470.256.02"; /* which does not read it */
    CHECK_TEXT(differs(none, forced), "none");
}
