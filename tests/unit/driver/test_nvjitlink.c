/* nvJitLink's entry points, of the simulated one and of one as they were before 12.3. */
#include "base/limits.h"
#include "base/mem.h"
#include "check.h"
#include "driver/api/nvjitlink.h"
#include "os/machine/env.h"

static const char ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";

static const char *spelt(const char *built)
{
    static char path[4200];

    (void)snprintf(path, sizeof path, "%s%s", jw_os_is_windows() && *built == '/' ? "Z:" : "", built);
    return path;
}

struct made {
    struct jw_buf cubin, why;
};

static struct made compile(const struct jw_jitlink *j, const char *text, const char *const *options, size_t n)
{
    struct made m = { JW_BUF(1 << 20), JW_BUF(1 << 20) };
    struct jw_err err = { 0 };

    CHECK(jw_jitlink_compile(j, (struct jw_bytes){ (const uint8_t *)text, strlen(text) }, options, n,
                             &m.cubin, &m.why, &err));
    CHECK_TEXT(err.msg, "");
    return m;
}

static void done(struct made *m)
{
    jw_buf_free(&m->cubin);
    jw_buf_free(&m->why);
}

static void check_one(const char *path, const char *version, unsigned major)
{
    static const char *const good[] = { "-arch=sm_86" }, *const bad[] = { "-arch=sm_86", "--what" };
    struct jw_buf said = JW_BUF(JW_MAX_LINE);
    struct jw_err err = { 0 };
    struct jw_jitlink j;

    CHECK(jw_jitlink_open(&j, spelt(path), &err));
    CHECK_TEXT(err.msg, "");
    CHECK(j.major == major && j.minor == 0);
    CHECK(jw_jitlink_version(&j, &said, &err));
    CHECK_TEXT(jw_buf_cstr(&said), version);

    struct made m = compile(&j, ptx, good, 1);

    CHECK(m.cubin.n > 64
          && memcmp(m.cubin.p,
                    "\x7f"
                    "ELF",
                    4)
                 == 0
          && !m.why.n);
    done(&m);
    m = compile(&j, ptx, bad, 2);
    CHECK(!m.cubin.n);
    CHECK_HAS(jw_buf_cstr(&m.why), "does not take one of these options: -arch=sm_86 --what");
    done(&m);
    m = compile(&j, ptx, NULL, 0);
    CHECK_TEXT(jw_buf_cstr(&m.why), "error 2, MISSING_ARCH");
    done(&m);
    m = compile(&j, "bogus", good, 1);
    CHECK_TEXT(jw_buf_cstr(&m.why), "simulated ptxas, line 1; error   : Parsing error"); /* the first line */
    CHECK(!m.cubin.n);
    done(&m);
    jw_jitlink_close(&j);
    jw_jitlink_close(&j);
    jw_buf_free(&said);
}

TEST(one_is_opened_and_compiles)
{
    check_one(SIMNVJITLINK, "13.0.88", 13);
}

/* No version is told, and names have their release behind them. */
TEST(one_of_before_12_3)
{
    check_one(SIMNVJITLINK_OLD, "12.0", 12);
}

TEST(a_library_of_something_else)
{
    struct jw_err err = { 0 };
    struct jw_jitlink j;

    CHECK(!jw_jitlink_open(&j, spelt(SIMNVRTC), &err));
    CHECK_TEXT(err.msg, "it is no nvJitLink: it has no version");
    CHECK(!jw_jitlink_open(&j, "./libnvJitLink.so.13", &err));
    CHECK_HAS(err.msg, "neither a file name nor an absolute path");
    jw_jitlink_close(&j);
}

TEST(code_over_a_ceiling)
{
    static const char *const good[] = { "-arch=sm_86" };
    struct jw_buf cubin = JW_BUF(16), why = JW_BUF(1 << 10);
    struct jw_err err = { 0 };
    struct jw_jitlink j;

    CHECK(jw_jitlink_open(&j, spelt(SIMNVJITLINK), &err));
    CHECK(!jw_jitlink_compile(&j, (struct jw_bytes){ (const uint8_t *)ptx, sizeof ptx - 1 }, good, 1, &cubin,
                              &why, &err));
    CHECK(err.code == JW_E_LIMIT);
    jw_jitlink_close(&j);
    jw_buf_free(&cubin);
    jw_buf_free(&why);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(one_is_opened_and_compiles), T(one_of_before_12_3),
               T(a_library_of_something_else), T(code_over_a_ceiling));
}
