/* Prebuilt software by name: what may be written for it, and which builds of the table are meant. */
#include "facts/builds.h"

#include "base/compiler.h"
#include "check.h"
#include "jitwarm/err.h"

#include <string.h>

static struct jw_build_request request(const char *text)
{
    struct jw_build_request r;
    struct jw_err err = { 0 };

    CHECK(jw_build_parse(text, &r, &err));
    CHECK_TEXT(err.msg, "");
    return r;
}

static const char *product_of(const char *text)
{
    static struct jw_product p;

    CHECK(jw_product_at(request(text).product, &p));
    return p.name;
}

static void refuses(const char *text, enum jw_code code, const char *said)
{
    struct jw_build_request r;
    struct jw_err err = { 0 };

    CHECK(!jw_build_parse(text, &r, &err));
    CHECK_NUM(err.code, code);
    CHECK_HAS(err.msg, said);
}

/* How many builds of a system fit. */
static size_t fitting(const char *text, enum jw_build_system system)
{
    struct jw_build_request r = request(text);
    struct jw_build b;
    size_t n = 0;

    for (size_t i = 0; jw_build_at(i, &b); i++)
        n += b.system == system && jw_build_fits(&b, &r);
    return n;
}

TEST(names_in_any_spelling)
{
    CHECK_TEXT(product_of("tensorflow"), "tensorflow");
    CHECK_TEXT(product_of("TensorFlow-GPU==2.0.0"), "tensorflow");
    CHECK_TEXT(product_of("torch==2.1"), "pytorch");
    CHECK_TEXT(product_of("PyTorch"), "pytorch");
    CHECK_TEXT(product_of("cupy_cuda12x==13.4"), "cupy");
    CHECK_TEXT(product_of("ONNXRuntime.GPU"), "onnxruntime-gpu");
    CHECK(request("tensorflow-cpu==2.3").cpu);
    CHECK(!request("tensorflow==2.3").cpu);
}

TEST(what_makes_no_sense)
{
    refuses("tensorflwo==2.3", JW_E_UNKNOWN, "did you mean tensorflow?");
    refuses("pytroch", JW_E_UNKNOWN, "did you mean pytorch?");
    refuses("numpy==1.2", JW_E_UNKNOWN, "nor in the table");
    refuses("", JW_E_USAGE, "NAME==VERSION");
    refuses("==2.3", JW_E_USAGE, "NAME==VERSION");
    refuses("tensorflow==", JW_E_USAGE, "is not a version");
    refuses("tensorflow==two", JW_E_USAGE, "is not a version");
    refuses("tensorflow==2.3 ", JW_E_USAGE, "is not a version");
    refuses("tensorflow==\x1b[31m", JW_E_USAGE, "\\x1b");
    refuses("tensor\x1b[31mflow==2.3", JW_E_USAGE, "\\x1b");
    refuses("tensorflow==2.3.1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", JW_E_USAGE,
            "is not a version");
    CHECK(!jw_build_is_request("./torch"));
    CHECK(!jw_build_is_request("wheels\\torch==2.0"));
    CHECK(!jw_build_is_request(""));
    CHECK(jw_build_is_request("torch"));
}

TEST(versions)
{
    CHECK_NUM(fitting("tensorflow==2.3.1", JW_BUILD_LINUX), 1);
    CHECK_NUM(fitting("tensorflow==2.3", JW_BUILD_LINUX), 2);
    CHECK_NUM(fitting("tensorflow==2.3", JW_BUILD_WINDOWS), 3);
    CHECK_NUM(fitting("tensorflow==2.1", JW_BUILD_LINUX), 1); /* and not 2.10 */
    CHECK_NUM(fitting("tensorflow==2.3.2", JW_BUILD_LINUX), 0);
    CHECK_NUM(fitting("tensorflow==2.3.1+cu110", JW_BUILD_LINUX), 0);
    CHECK_NUM(fitting("catboost==1.2.0", JW_BUILD_LINUX), 1); /* its 1.2 */
    CHECK_NUM(fitting("tensorflow-cpu==2.3.1", JW_BUILD_LINUX), 0);
}

TEST(a_package_that_was_renamed_is_found)
{
    CHECK_NUM(fitting("tensorflow==2.0.0", JW_BUILD_LINUX), 1);
    CHECK_NUM(fitting("tensorflow-gpu==2.10.0", JW_BUILD_LINUX), 1);
    CHECK_NUM(fitting("cupy-cuda92", JW_BUILD_LINUX) > 0, 1);
    CHECK(fitting("cupy", JW_BUILD_LINUX) > fitting("cupy-cuda92", JW_BUILD_LINUX));
}

TEST(reports)
{
    static const uint16_t tf219[] = { 2, 19, 0 }, tf221[] = { 2, 21, 0 }, torch29[] = { 2, 9, 1 };
    struct jw_report r;
    bool cpu;
    size_t tf = jw_product_find("tensorflow", &cpu), torch = jw_product_find("torch", &cpu);

    CHECK(jw_build_report(tf, tf219, JW_BUILD_LINUX, 1203, 120, JW_REPORT_FAILS, &r));
    CHECK_HAS(r.text, "CUDA_ERROR_INVALID_PTX");
    CHECK(!jw_build_report(tf, tf221, JW_BUILD_LINUX, 1203, 120, JW_REPORT_FAILS, &r));
    CHECK(!jw_build_report(tf, tf219, JW_BUILD_LINUX, 1203, 90, JW_REPORT_FAILS, &r));
    CHECK(jw_build_report(torch, torch29, JW_BUILD_LINUX, 1200, 61, JW_REPORT_ENDED, &r));
    CHECK(!jw_build_report(torch, torch29, JW_BUILD_WINDOWS, 1200, 61, JW_REPORT_ENDED, &r));
    CHECK(jw_build_report(JW_NO_PRODUCT, torch29, JW_BUILD_LINUX, 705, 61, JW_REPORT_WRONG, &r));
    CHECK(!jw_build_report(JW_NO_PRODUCT, torch29, JW_BUILD_LINUX, 800, 61, JW_REPORT_WRONG, &r));
    CHECK(jw_driver_report("580.142", JW_BUILD_LINUX, 120, &r));
    CHECK(!jw_driver_report("580.126.09", JW_BUILD_LINUX, 120, &r));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(names_in_any_spelling), T(what_makes_no_sense), T(versions),
               T(a_package_that_was_renamed_is_found), T(reports));
}
