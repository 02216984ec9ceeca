/* Frameworks by name and version: which row of the table is meant, and what was reported. */
#include "facts/frameworks.h"

#include "base/compiler.h"
#include "check.h"

static struct jw_release release(const char *text)
{
    struct jw_release r = { .product = JW_NO_PRODUCT };

    CHECK(jw_release_parse(text, &r));
    return r;
}

static const char *product_of(const char *text)
{
    struct jw_release r = release(text);
    static struct jw_product p;

    return jw_product_at(r.product, &p) ? p.name : "none";
}

/* The versions of the row of a release; "" none. */
static const char *row_of(const char *text, enum jw_build_system system)
{
    struct jw_release r = release(text);
    struct jw_framework f;

    return jw_framework_find(&r, system, &f) ? f.versions : "";
}

TEST(names_in_any_spelling)
{
    CHECK_TEXT(product_of("TensorFlow-GPU==2.0.0"), "tensorflow");
    CHECK_TEXT(product_of("torch==2.1"), "pytorch");
    CHECK_TEXT(product_of("PyTorch==2.1"), "pytorch");
    CHECK_TEXT(product_of("jax_cuda12_plugin==0.5.0"), "jax");
    CHECK_TEXT(product_of("ONNXRuntime.GPU==1.20"), "onnxruntime-gpu");
    CHECK_TEXT(product_of("numpy==1.2"), "none");
    CHECK(release("tensorflow-cpu==2.3").cpu);
    CHECK(!release("tensorflow==2.3").cpu);
}

TEST(what_is_no_release)
{
    static const char *const texts[] = {
        "", "tensorflow", "==2.3", "tensorflow==", "tensorflow==two", "torch==2.3 ", "torch==2.3\n"
    };
    struct jw_release r;

    for (size_t i = 0; i < JW_COUNT(texts); i++)
        CHECK(!jw_release_parse(texts[i], &r));
    CHECK(!jw_release_parse("torch==2.3.1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &r));
}

TEST(rows_of_versions)
{
    CHECK_TEXT(row_of("tensorflow==2.3.1", JW_BUILD_LINUX), "2.3");
    CHECK_TEXT(row_of("tensorflow==2.1", JW_BUILD_LINUX), "2.1-2.2"); /* and not 2.10 */
    CHECK_TEXT(row_of("tensorflow==2.10.1", JW_BUILD_WINDOWS), "2.7-2.10");
    CHECK_TEXT(row_of("tensorflow==2.11.0", JW_BUILD_WINDOWS), "2.11-");
    CHECK_TEXT(row_of("tensorflow==3.0", JW_BUILD_WINDOWS), "2.11-");
    CHECK_TEXT(row_of("tensorflow==2.11.0", JW_BUILD_LINUX), "2.11");
    CHECK_TEXT(row_of("tensorflow==2.3.1", JW_BUILD_AARCH64), "");
    CHECK_TEXT(row_of("tensorflow==0.9", JW_BUILD_LINUX), "");
    CHECK_TEXT(row_of("tensorflow==65536.1", JW_BUILD_LINUX), "");
    CHECK_TEXT(row_of("tensorflow-cpu==2.3.1", JW_BUILD_LINUX), "2.3"); /* who asks looks at cpu */
    CHECK_TEXT(row_of("jaxlib==0.4.23", JW_BUILD_LINUX), "0.4.23-0.5");
    CHECK_TEXT(row_of("jaxlib==0.4.22", JW_BUILD_LINUX), "");
    CHECK_TEXT(row_of("ctranslate2==4.6.0", JW_BUILD_LINUX), "4.5-4.6.0");
    CHECK_TEXT(row_of("ctranslate2==4.6.1", JW_BUILD_LINUX), "");
}

/* The row is that of the usual index; +cu118 is another build. */
TEST(tags_of_toolkits)
{
    CHECK_TEXT(row_of("torch==2.1.0+cu121", JW_BUILD_LINUX), "2.1-2.4");
    CHECK_TEXT(row_of("torch==2.1.0+cu118", JW_BUILD_LINUX), "");
    CHECK_TEXT(row_of("torch==2.9.1+cu128", JW_BUILD_LINUX), "2.8-2.10");
}

TEST(older_and_newer_rows)
{
    static const uint16_t v[3] = { 2, 3, 1 };
    struct jw_framework f;
    unsigned older = 0, same = 0, newer = 0;

    for (size_t i = 0; jw_framework_at(i, JW_BUILD_LINUX, &f) && f.product == 0; i++) {
        int order = jw_framework_compare(&f, v);

        older += order < 0;
        same += order == 0;
        newer += order > 0;
    }
    CHECK(older > 2 && newer > 5);
    CHECK_NUM(same, 1);
}

TEST(reports)
{
    static const uint16_t tf219[3] = { 2, 19, 0 }, tf221[3] = { 2, 21, 0 }, torch29[3] = { 2, 9, 1 };
    struct jw_report r;
    bool cpu;
    size_t tf = jw_product_find("tensorflow", &cpu), torch = jw_product_find("torch", &cpu);

    CHECK(jw_framework_report(tf, tf219, JW_BUILD_LINUX, 1203, 120, JW_REPORT_FAILS, &r));
    CHECK_HAS(r.text, "CUDA_ERROR_INVALID_PTX");
    CHECK(!jw_framework_report(tf, tf221, JW_BUILD_LINUX, 1203, 120, JW_REPORT_FAILS, &r));
    CHECK(!jw_framework_report(tf, tf219, JW_BUILD_LINUX, 1203, 90, JW_REPORT_FAILS, &r));
    CHECK(jw_framework_report(torch, torch29, JW_BUILD_LINUX, 1208, 61, JW_REPORT_ENDED, &r));
    CHECK(!jw_framework_report(torch, torch29, JW_BUILD_WINDOWS, 1208, 61, JW_REPORT_ENDED, &r));
    CHECK(jw_framework_report(JW_NO_PRODUCT, torch29, JW_BUILD_LINUX, 705, 61, JW_REPORT_WRONG, &r));
    CHECK(!jw_framework_report(JW_NO_PRODUCT, torch29, JW_BUILD_LINUX, 800, 61, JW_REPORT_WRONG, &r));
}
