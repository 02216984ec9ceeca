#include "base/mem.h"
#include "check.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"
#include "software/find/toolkit.h"

#include <stdlib.h>

TEST(versions)
{
    static const struct {
        const char *text;
        unsigned major, minor; /* 0: none */
    } cases[] = {
        { "{\n  \"cuda\" : {\n    \"name\" : \"CUDA SDK\",\n    \"version\" : \"12.4.1\"\n  },\n  "
          "\"cuda_cccl\" : { \"version\" : \"9.9\" } }",
          12, 4 },
        { "CUDA Version 10.1.243\n", 10, 1 },
        { "CUDA Version 8.0.61\nCUDA Patch 1 Version 8.0.61.1", 8, 0 },
        { "{ \"cuda_cccl\": { \"version\": \"12.4\" } }", 0, 0 },
        { "{ \"cuda\": { \"version\": 12 } }", 0, 0 },
        { "{ \"cuda\": \"version", 0, 0 },
        { "CUDA Version ", 0, 0 },
        { "CUDA Version 99999999999.1", 0, 0 },
        { "", 0, 0 },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        unsigned major = 0, minor = 0;
        bool ok = jw_toolkit_version(cases[i].text, &major, &minor);

        CHECK(ok == (cases[i].major != 0));
        if (ok) {
            CHECK_NUM(major, cases[i].major);
            CHECK_NUM(minor, cases[i].minor);
        }
    }
}

TEST(numbers)
{
    unsigned major, minor;

    CHECK(jw_toolkit_number("13.0.1", &major, &minor) && major == 13 && minor == 0);
    CHECK(jw_toolkit_number("12.8", &major, &minor) && major == 12 && minor == 8);
    CHECK(!jw_toolkit_number("12", &major, &minor));
    CHECK(!jw_toolkit_number("12.", &major, &minor));
    CHECK(!jw_toolkit_number("v12.1", &major, &minor));
    CHECK(!jw_toolkit_number("0.1", &major, &minor));
}

static void set(const char *assignment)
{
    static char kept[8][512];
    static unsigned next;
    char *text = kept[next++ % 8];

    (void)snprintf(text, sizeof kept[0], "%s", assignment);
    CHECK(putenv(text) == 0);
}

TEST(what_is_installed)
{
    struct jw_toolkit t[JW_TOOLKITS];
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    char home[512];
    size_t n = 0;

    set("CUDA_PATH=");
    set("CUDA_VERSION=13.0.1");
    CHECK(jw_make_dirs(scratch("toolkit"), &err));
    scratch_write(scratch("toolkit/version.txt"), "CUDA Version 11.8.89\n");
    (void)snprintf(home, sizeof home, "CUDA_HOME=%s", scratch("toolkit"));
    set(home);
    CHECK(jw_toolkits(scratch("nothing"), &a, t, &n, &err));
    CHECK_NUM(n, 2);
    CHECK(n == 2 && t[0].major == 11 && t[0].minor == 8 && !t[0].image);
    CHECK(n == 2 && t[1].major == 13 && t[1].minor == 0 && t[1].image);
    if (!jw_os_is_windows()) {
        CHECK(jw_make_dirs(scratch("nothing/usr/local/cuda"), &err));
        scratch_write(scratch("nothing/usr/local/cuda/version.json"), "{\"cuda\":{\"version\":\"12.9.0\"}}");
        CHECK(jw_toolkits(scratch("nothing"), &a, t, &n, &err));
        CHECK_NUM(n, 3);
        CHECK(n == 3 && t[1].major == 12 && t[1].minor == 9);
    }
    set("CUDA_VERSION=junk");
    CHECK(jw_toolkits(scratch("none"), &a, t, &n, &err));
    CHECK_NUM(n, 1);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(versions), T(numbers), T(what_is_installed));
}
