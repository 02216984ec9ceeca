/* The table of NVRTC's entry points, over the simulated one and over functions of this test. */
#include "check.h"
#include "driver/api/nvrtc.h"
#include "os/machine/env.h"

static const char source[] = "extern \"C\" __global__ void first(int *p) {}\n";

static const char *spelt(const char *built)
{
    static char path[4200];

    (void)snprintf(path, sizeof path, "%s%s", jw_os_is_windows() && *built == '/' ? "Z:" : "", built);
    return path;
}

TEST(one_is_opened_and_compiles)
{
    static const char *const options[] = { "--gpu-architecture=compute_90a" };
    struct jw_rtc_source s = { source, "x.cu", options, 1 };
    struct jw_buf ptx = JW_BUF(1 << 20), log = JW_BUF(1 << 20);
    struct jw_rtc_outcome out;
    struct jw_err err = { 0 };
    struct jw_rtc r;

    CHECK_OK(jw_rtc_open(&r, spelt(SIMNVRTC), &err), err);
    CHECK(r.major == 13 && r.minor == 0 && r.n_archs == 12 && r.archs[0] == 75);
    CHECK(jw_rtc_compile(&r, &s, &ptx, &log, &out, &err));
    CHECK(out.result == JW_RTC_OK && !log.n);
    CHECK_HAS(jw_buf_cstr(&ptx), ".target sm_90a");
    CHECK(ptx.n == strlen(jw_buf_cstr(&ptx)));
    jw_rtc_close(&r);
    jw_rtc_close(&r);
    jw_buf_free(&ptx);
    jw_buf_free(&log);
}

TEST(a_library_without_the_entry_points_is_none)
{
    struct jw_err err = { 0 };
    struct jw_rtc r;

    CHECK(!jw_rtc_open(&r, jw_os_is_windows() ? "version.dll" : "libm.so.6", &err));
    CHECK_NUM(err.code, JW_E_DRIVER);
    CHECK_TEXT(err.msg, "it is no NVRTC: it has no nvrtcVersion");
    CHECK(r.lib.handle == NULL);
}

/* ---- one that answers little ---- */

static unsigned results[3]; /* of create, ptx_size, ptx */

static unsigned create(struct _nvrtcProgram **p, const char *text, const char *name, int n,
                       const char *const *headers, const char *const *names)
{
    (void)p, (void)text, (void)name, (void)n, (void)headers, (void)names;
    return results[0];
}

static unsigned destroy(struct _nvrtcProgram **p)
{
    (void)p;
    return JW_RTC_OK;
}

static unsigned compile(struct _nvrtcProgram *p, int n, const char *const *options)
{
    (void)p, (void)n, (void)options;
    return JW_RTC_OK;
}

static unsigned five(struct _nvrtcProgram *p, size_t *size)
{
    (void)p;
    *size = 5;
    return results[1];
}

static unsigned abcde(struct _nvrtcProgram *p, char *text)
{
    (void)p;
    memcpy(text, "abcde", 5); /* without a NUL */
    return results[2];
}

static unsigned none(struct _nvrtcProgram *p, size_t *size)
{
    (void)p;
    *size = 0;
    return JW_RTC_OK;
}

static const char *nameless(unsigned result)
{
    return result ? NULL : "NVRTC_SUCCESS";
}

static struct jw_rtc odd(void)
{
    memset(results, 0, sizeof results);
    return (struct jw_rtc){ .api = { .create = create,
                                     .destroy = destroy,
                                     .compile = compile,
                                     .ptx_size = five,
                                     .ptx = abcde,
                                     .log_size = five,
                                     .log = abcde,
                                     .error_text = nameless } };
}

TEST(texts_are_taken_as_they_come)
{
    struct jw_rtc r = odd();
    struct jw_rtc_source s = { source, "x.cu", NULL, 0 };
    struct jw_buf ptx = JW_BUF(100), log = JW_BUF(3);
    struct jw_rtc_outcome out;
    struct jw_err err = { 0 };

    CHECK(jw_rtc_compile(&r, &s, &ptx, &log, &out, &err));
    CHECK_TEXT(jw_buf_cstr(&ptx), "abcde");
    CHECK(log.n == 3 && memcmp(log.p, "abc", 3) == 0);

    r.api.ptx_size = r.api.log_size = none;
    jw_buf_clear(&ptx);
    jw_buf_clear(&log);
    CHECK(jw_rtc_compile(&r, &s, &ptx, &log, &out, &err));
    CHECK(!ptx.n && !log.n);
    jw_buf_free(&ptx);
    jw_buf_free(&log);
}

TEST(every_step_may_fail)
{
    for (size_t i = 0; i < JW_COUNT(results); i++) {
        struct jw_rtc r = odd();
        struct jw_rtc_source s = { source, "x.cu", NULL, 0 };
        struct jw_buf ptx = JW_BUF(100), log = JW_BUF(100);
        struct jw_rtc_outcome out;
        struct jw_err err = { 0 };

        results[i] = 11;
        CHECK(jw_rtc_compile(&r, &s, &ptx, &log, &out, &err));
        CHECK(out.result == 11 && ptx.n == 0);
        CHECK_TEXT(out.name, "an error without a name");
        jw_buf_free(&ptx);
        jw_buf_free(&log);
    }
}

TEST(a_ptx_past_its_ceiling_is_refused)
{
    struct jw_rtc r = odd();
    struct jw_rtc_source s = { source, "x.cu", NULL, 0 };
    struct jw_buf ptx = JW_BUF(4), log = JW_BUF(100);
    struct jw_rtc_outcome out;
    struct jw_err err = { 0 };

    CHECK(!jw_rtc_compile(&r, &s, &ptx, &log, &out, &err));
    CHECK_TEXT(err.msg, "the PTX: no room for more than 4 bytes");
    jw_buf_free(&ptx);
    jw_buf_free(&log);
}
