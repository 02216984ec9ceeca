#include "check.h"
#include "os/machine/lib.h"

#include <string.h>

struct rtc {
    struct jw_lib lib;
    int (*version)(int *major, int *minor);
    int (*archs_n)(int *n);
    int (*archs)(int *archs);
    int (*create)(void **p, const char *source, const char *name, int n, const char *const *h,
                  const char *const *names);
    int (*compile)(void *p, int n, const char *const *options);
    int (*ptx_size)(void *p, size_t *n);
    int (*ptx)(void *p, char *out);
    int (*log_size)(void *p, size_t *n);
    int (*log)(void *p, char *out);
    int (*destroy)(void **p);
    const char *(*text)(int code);
};

static void bind(struct rtc *r, const char *name, size_t at)
{
    jw_lib_fn f = jw_lib_symbol(&r->lib, name);

    CHECK(f != NULL);
    memcpy((char *)r + at, &f, sizeof f);
}

static bool open_rtc(struct rtc *r)
{
    struct jw_err err = { 0 };

    if (!jw_lib_open(&r->lib, SIMNVRTC, &err)) {
        CHECK_TEXT(err.msg, "");
        return false;
    }
    CHECK(jw_lib_symbol(&r->lib, "jitwarm_simulated_nvrtc") != NULL);
    bind(r, "nvrtcVersion", offsetof(struct rtc, version));
    bind(r, "nvrtcGetNumSupportedArchs", offsetof(struct rtc, archs_n));
    bind(r, "nvrtcGetSupportedArchs", offsetof(struct rtc, archs));
    bind(r, "nvrtcCreateProgram", offsetof(struct rtc, create));
    bind(r, "nvrtcCompileProgram", offsetof(struct rtc, compile));
    bind(r, "nvrtcGetPTXSize", offsetof(struct rtc, ptx_size));
    bind(r, "nvrtcGetPTX", offsetof(struct rtc, ptx));
    bind(r, "nvrtcGetProgramLogSize", offsetof(struct rtc, log_size));
    bind(r, "nvrtcGetProgramLog", offsetof(struct rtc, log));
    bind(r, "nvrtcDestroyProgram", offsetof(struct rtc, destroy));
    bind(r, "nvrtcGetErrorString", offsetof(struct rtc, text));
    return true;
}

/* Compiles; the PTX, or "" with the log printed into `log`. */
static int compile(struct rtc *r, const char *source, const char *arch, char ptx[4096], char log[1024])
{
    const char *options[] = { arch };
    void *program = NULL;
    size_t n = 0;
    int code;

    ptx[0] = log[0] = '\0';
    CHECK_NUM(r->create(&program, source, "x.cu", 0, NULL, NULL), 0);
    code = r->compile(program, 1, options);
    if (code == 0) {
        CHECK(r->ptx_size(program, &n) == 0 && n <= 4096);
        CHECK_NUM(r->ptx(program, ptx), 0);
        CHECK_NUM(n, strlen(ptx) + 1);
    } else {
        CHECK(r->ptx_size(program, &n) != 0);
    }
    CHECK(r->log_size(program, &n) == 0 && n <= 1024);
    CHECK_NUM(r->log(program, log), 0);
    CHECK_NUM(r->destroy(&program), 0);
    CHECK(program == NULL);
    return code;
}

TEST(kernels_become_entries)
{
    struct rtc r = { 0 };
    char ptx[4096], log[1024];

    if (!open_rtc(&r))
        return;
    CHECK_NUM(
        compile(
            &r,
            "extern \"C\" __global__ void first(int *p) {}\nextern \"C\" __global__ void jw_canary_add_77 (\n"
            "  unsigned *out, unsigned x) { *out = x + 77; }\n",
            "--gpu-architecture=compute_86", ptx, log),
        0);
    CHECK_HAS(ptx, ".version 9.0\n.target sm_86\n");
    CHECK_HAS(ptx, ".visible .entry first(");
    CHECK_HAS(ptx, ".visible .entry jw_canary_add_77(");
    CHECK_HAS(ptx, "%r1, 77;");
    jw_lib_close(&r.lib);
}

TEST(what_does_not_compile)
{
    struct rtc r = { 0 };
    char ptx[4096], log[1024];

    if (!open_rtc(&r))
        return;
    CHECK_NUM(compile(&r, "#error no\n", "-arch=sm_90a", ptx, log), 6);
    CHECK_HAS(log, "#error");
    CHECK_NUM(compile(&r, "", "-arch=compute_61", ptx, log), 5);
    CHECK_HAS(log, "invalid value for --gpu-architecture");
    CHECK_TEXT(r.text(6), "NVRTC_ERROR_COMPILATION");
    CHECK(r.compile(NULL, 0, NULL) != 0);
    jw_lib_close(&r.lib);
}

TEST(versions_have_their_architectures)
{
    struct rtc r = { 0 };
    int major = 0, minor = -1, n = 0, archs[64] = { 0 };

    if (!open_rtc(&r))
        return;
    CHECK_NUM(r.version(&major, &minor), 0);
    CHECK(major == 13 && minor == 0);
    CHECK(r.archs_n(&n) == 0 && n == 12);
    CHECK_NUM(r.archs(archs), 0);
    CHECK(archs[0] == 75 && archs[n - 1] == 121);
    jw_lib_close(&r.lib);
}
