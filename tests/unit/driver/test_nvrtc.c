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
    FREED(jw_buf) ptx = JW_BUF(1 << 20);
    struct jw_rtc r;

    CHECK_OK(jw_rtc_open(&r, spelt(SIMNVRTC), &err), err);
    CHECK(r.major == 13 && r.minor == 0 && r.n_archs == 12 && r.archs[0] == 75);
    CHECK_OK(jw_rtc_compile(&r, source, "x.cu", options, 1, &ptx, &err), err);
    CHECK_HAS(jw_buf_cstr(&ptx), ".target sm_90a");
    CHECK(ptx.n == strlen(jw_buf_cstr(&ptx)));
}

TEST(a_library_without_the_entry_points_is_none)
{
    struct jw_rtc r;

    CHECK_SAYS(jw_rtc_open(&r, jw_os_is_windows() ? "version.dll" : "libm.so.6", &err), err,
               "it is no NVRTC: it has no nvrtcVersion");
    CHECK_NUM(err.code, JW_E_DRIVER);
}

/* ---- one that answers little ---- */

static unsigned results[4]; /* of create, ptx_size, ptx, compile */
static const char *log_text;

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
    return results[3];
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

static unsigned log_size(struct _nvrtcProgram *p, size_t *size)
{
    (void)p;
    *size = strlen(log_text);
    return JW_RTC_OK;
}

static unsigned log_of(struct _nvrtcProgram *p, char *text)
{
    (void)p;
    memcpy(text, log_text, strlen(log_text)); /* without a NUL */
    return JW_RTC_OK;
}

static const char *nameless(unsigned result)
{
    return result == 6 ? "NVRTC_ERROR_COMPILATION" : NULL;
}

static struct jw_rtc odd(void)
{
    memset(results, 0, sizeof results);
    log_text = "";
    return (struct jw_rtc){ .api = { .create = create,
                                     .destroy = destroy,
                                     .compile = compile,
                                     .ptx_size = five,
                                     .ptx = abcde,
                                     .log_size = log_size,
                                     .log = log_of,
                                     .error_text = nameless } };
}

TEST(a_text_is_taken_as_it_comes)
{
    struct jw_rtc r = odd();
    FREED(jw_buf) ptx = JW_BUF(100);

    CHECK_OK(jw_rtc_compile(&r, source, "x.cu", NULL, 0, &ptx, &err), err);
    CHECK_TEXT(jw_buf_cstr(&ptx), "abcde");
}

TEST(every_step_may_fail)
{
    for (size_t i = 0; i < JW_COUNT(results); i++) {
        struct jw_rtc r = odd();
        FREED(jw_buf) ptx = JW_BUF(100);

        err = (struct jw_err){ 0 };
        results[i] = 11;
        CHECK_SAYS(jw_rtc_compile(&r, source, "x.cu", NULL, 0, &ptx, &err), err, "an error without a name");
        CHECK(ptx.n == 0);
    }
}

/* As it may be shown: a log has what it wants in it. */
TEST(the_first_error_of_a_log_is_told)
{
    static const struct {
        const char *log, *told;
    } all[] = {
        { "", "NVRTC_ERROR_COMPILATION" },
        { "x.cu(1): warning\n", "NVRTC_ERROR_COMPILATION" },
        { "x.cu(1): warning\r\nx.cu(2): error: \x1b[31m\r\n  int x\n",
          "NVRTC_ERROR_COMPILATION: x.cu(2): error: \\x1b[31m" },
        { "error", "NVRTC_ERROR_COMPILATION: error" },
    };

    for (size_t i = 0; i < JW_COUNT(all); i++) {
        struct jw_rtc r = odd();
        FREED(jw_buf) ptx = JW_BUF(100);

        err = (struct jw_err){ 0 };
        results[3] = 6;
        log_text = all[i].log;
        CHECK_SAYS(jw_rtc_compile(&r, source, "x.cu", NULL, 0, &ptx, &err), err, all[i].told);
    }
}

TEST(a_ptx_past_its_ceiling_is_refused)
{
    struct jw_rtc r = odd();
    FREED(jw_buf) ptx = JW_BUF(4);

    CHECK_SAYS(jw_rtc_compile(&r, source, "x.cu", NULL, 0, &ptx, &err), err,
               "the PTX: no room for more than 4 bytes");
}
