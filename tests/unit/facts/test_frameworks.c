/* Software by name: what may be written for it, and which build of the table is meant. */
#include "facts/frameworks.h"

#include "check.h"
#include "jitwarm/err.h"

#include <string.h>

static struct jw_framework_spec spec(const char *text)
{
    struct jw_framework_spec s;
    struct jw_err err = { 0 };

    CHECK(jw_framework_parse(text, &s, &err));
    CHECK_TEXT(err.msg, "");
    return s;
}

static const char *name_of(const char *text)
{
    static struct jw_framework f;
    struct jw_framework_spec s = spec(text);

    CHECK(jw_framework_at(s.framework, &f));
    return f.name;
}

static void refuses(const char *text, const char *said)
{
    struct jw_framework_spec s;
    struct jw_err err = { 0 };

    CHECK(!jw_framework_parse(text, &s, &err));
    CHECK_NUM(err.code, JW_E_USAGE);
    CHECK_HAS(err.msg, said);
}

TEST(names)
{
    CHECK_TEXT(name_of("tensorflow"), "tensorflow");
    CHECK_TEXT(name_of("TensorFlow-GPU==2.10.0"), "tensorflow");
    CHECK_TEXT(name_of("torch==2.1"), "pytorch");
    CHECK_TEXT(name_of("PyTorch"), "pytorch");
    CHECK_TEXT(name_of("cupy-cuda12x==13.4"), "cupy");
    CHECK_TEXT(name_of("opencv_python"), "opencv-python");
    CHECK_TEXT(name_of("MATLAB==R2020b"), "matlab");
    CHECK(spec("tensorflow-cpu==2.3").cpu);
    CHECK(spec("torch==2.1+cpu").cpu);
    CHECK(!spec("torch==2.1+cu121").cpu);
    CHECK(spec("jaxlib==0.1.60").jaxlib);
    CHECK(spec("tensorflow[and-cuda]==2.16.1").with_libs);
}

TEST(versions)
{
    struct jw_framework_spec s = spec("tensorflow==2.3.1");

    CHECK_NUM(s.parts, 3);
    CHECK(s.number[0] == 2 && s.number[1] == 3 && s.number[2] == 1);
    CHECK_TEXT(s.version, "2.3.1");
    s = spec("tensorflow==r0.9");
    CHECK(s.number[0] == 0 && s.number[1] == 9 && s.parts == 2);
    s = spec("torch==2.0.0rc1+cu118");
    CHECK(s.number[0] == 2 && s.parts == 3 && s.tag == 1108);
    CHECK_TEXT(s.version, "2.0.0rc1");
    s = spec("matlab==R2020b");
    CHECK(s.number[0] == 2020 && s.number[1] == 2);
    s = spec("llama.cpp==2025-06+cu124");
    CHECK(s.dated && s.number[0] == 2025 && s.number[1] == 6 && s.tag == 1204);
    CHECK_NUM(spec("tensorflow").parts, 0);
    CHECK_NUM(spec("tensorflow>=2.11").parts, 2);
}

TEST(variants)
{
    CHECK_NUM(spec("torch==2.1+cu118").tag, 1108);
    CHECK_NUM(spec("cupy-cuda92==8.0").tag, 902);
    CHECK_NUM(spec("cupy-cuda12x==13.6.0").tag, 1299);
    CHECK_NUM(spec("mxnet-cu80==1.5").tag, 800);
    CHECK_NUM(spec("jax[cuda13]==0.8.0").tag, 1399);
    CHECK_NUM(spec("jax-cuda13-pjrt==0.8.0").tag, 1399);
    CHECK_NUM(spec("tensorflow[and-cuda]==2.16.1").tag, 0);
    CHECK_NUM(spec("torch==1.2+cu92").tag, 902);
    CHECK_NUM(spec("torch==1.0+cu80").tag, 800);
    CHECK_NUM(spec("torch==1.9+cu102").tag, 1002);
    CHECK_NUM(spec("onnxruntime-gpu==1.23+cu12").tag, 1299);
    CHECK_NUM(spec("cupy==13+cuda12x").tag, 1299);
    CHECK_NUM(spec("torch==2.9+cuda13.0").tag, 1300);
    CHECK_NUM(spec("torch==1.9+cu102+conda").channel, JW_BY_CONDA);
    refuses("torch==2.1+tpu", "no variant");
    refuses("torch==2.1+", "no variant");
    refuses("torch==2.1+cu", "no variant");
    refuses("torch==2.1+cu99999", "no variant");
    refuses("torch==2.1+\x1b[31m", "\\x1b");
}

TEST(what_makes_no_sense)
{
    refuses("", "NAME==VERSION");
    refuses("==2.3", "NAME==VERSION");
    refuses("tensorflwo==2.3", "did you mean tensorflow?");
    refuses("pytroch", "did you mean pytorch?");
    refuses("llama", "did you mean llama.cpp?");
    refuses("open", "did you mean opencv-python?");
    refuses("onnxruntime-gpuu", "did you mean onnxruntime-gpu?");
    refuses("numpy==1.2", "not in the table of frameworks (tensorflow, ");
    refuses("tensorflow==", "is not a version");
    refuses("tensorflow==two", "is not a version");
    refuses("tensorflow==2..3", "is not a version");
    refuses("tensorflow==2.3 ", "is not a version");
    refuses("tensorflow==999999.1", "is not a version");
    refuses("tensorflow==2.3.1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "is not a version");
    refuses("tensorflow==\x1b[31m", "\\x1b");
    refuses("tensor\x1b[31mflow==2.3", "\\x1b");
    refuses("matlab==R20", "is not a version");
    refuses("tensorflow<2", "NAME==VERSION");
    refuses("tensorflow[and-cuda==2.16", "not closed");
    refuses("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa==1",
            "not in the table");
}

static enum jw_framework_match pick(const char *text, unsigned os, struct jw_framework_build *b)
{
    struct jw_framework_spec s = spec(text);

    return jw_framework_pick(&s, os, 0, b);
}

TEST(which_build_is_meant)
{
    struct jw_framework_build b;

    CHECK_NUM(pick("tensorflow==2.3.1", JW_ON_WINDOWS, &b), JW_MATCH_EXACT);
    CHECK_TEXT(b.version, "2.3.1");
    CHECK(*b.code);
    CHECK_TEXT(b.ptx, "70");
    CHECK_NUM(b.os, JW_ON_WINDOWS);
    CHECK_NUM(pick("torch==2.7", JW_ON_LINUX, &b), JW_MATCH_EXACT);
    CHECK_TEXT(b.variant, "cu126 (PyPI default)");
    CHECK_NUM(pick("torch==2.7+cu128", JW_ON_LINUX, &b), JW_MATCH_EXACT);
    CHECK_TEXT(b.variant, "cu128");
    CHECK_NUM(pick("torch==1.10+conda", JW_ON_LINUX, &b), JW_MATCH_EXACT);
    CHECK(b.channel & JW_BY_CONDA);
    CHECK_NUM(pick("tensorflow==2.10", JW_ON_WINDOWS, &b), JW_MATCH_EXACT);
    CHECK_TEXT(b.version, "2.10.1");
    CHECK_NUM(pick("tensorflow==2.11", JW_ON_WINDOWS, &b), JW_MATCH_EXACT);
    CHECK(jw_framework_for_cpu(&b));
    /* Nobody scanned these: nothing is said of what is in them (doctor asks their neighbours). */
    CHECK_NUM(pick("tensorflow==2.6.4", JW_ON_LINUX, &b), JW_MATCH_EXACT);
    CHECK(!*b.code);
    CHECK_NUM(pick("tensorflow==2.3.9", JW_ON_LINUX, &b), JW_MATCH_EXACT);
    CHECK(!*b.code && !*b.sass && !*b.ptx);
    CHECK_NUM(pick("tensorflow==2.0.3", JW_ON_LINUX, &b), JW_MATCH_NEAR);
    CHECK_TEXT(b.version, "2.0.0");
    CHECK_NUM(pick("torch==2.6+cu128", JW_ON_LINUX, &b), JW_MATCH_NO_VARIANT);
    CHECK_NUM(pick("torch==99.1", JW_ON_LINUX, &b), JW_MATCH_NEWER);
    CHECK_NUM(pick("torch==0.1", JW_ON_LINUX, &b), JW_MATCH_NONE);
    CHECK_NUM(pick("mxnet==1.9", JW_ON_WINDOWS, &b), JW_MATCH_NO_SYSTEM);
    CHECK_NUM(pick("v-ray==6", JW_ON_LINUX, &b), JW_MATCH_NONE);
    CHECK_NUM(pick("matlab==R2020b", JW_ON_WINDOWS, &b), JW_MATCH_EXACT);
    CHECK_NUM(b.cuda_low, 1002);
    /* Without a version: the newest, be it a date. */
    CHECK_NUM(pick("llama.cpp", JW_ON_LINUX, &b), JW_MATCH_EXACT);
    CHECK_NUM(pick("tensorflow", JW_ON_WINDOWS, &b), JW_MATCH_EXACT);
}

/* The builds for another processor are other ones. */
TEST(aarch64_is_not_answered_from_rows_of_x86)
{
    struct jw_framework_build x, a;

    CHECK_NUM(pick("onnxruntime-gpu==1.31", JW_ON_LINUX, &x), JW_MATCH_EXACT);
    CHECK_NUM(pick("onnxruntime-gpu==1.31", JW_ON_AARCH64, &a), JW_MATCH_EXACT);
    CHECK(strcmp(x.sass, a.sass) != 0);
    CHECK_TEXT(a.sass, "89 90a 120a 121a");
    CHECK_NUM(pick("tensorflow==2.20", JW_ON_LINUX, &x), JW_MATCH_EXACT);
    CHECK(!jw_framework_for_cpu(&x));
    CHECK_NUM(pick("tensorflow==2.20", JW_ON_AARCH64, &a), JW_MATCH_EXACT);
    CHECK(!*a.code);
    CHECK_NUM(pick("torch==2.9+cu126", JW_ON_AARCH64, &a), JW_MATCH_EXACT);
    CHECK(!*a.code && !*a.sass); /* nobody scanned it */
    CHECK_NUM(pick("torch==2.3", JW_ON_AARCH64, &a), JW_MATCH_NO_SYSTEM);
    CHECK_NUM(pick("mxnet==1.9", JW_ON_AARCH64, &a), JW_MATCH_NO_SYSTEM);
    CHECK_NUM(pick("mxnet", JW_ON_AARCH64, &a), JW_MATCH_NO_SYSTEM);
    CHECK_NUM(pick("opencv-python", JW_ON_AARCH64, &a), JW_MATCH_EXACT);
    for (size_t i = 0; jw_framework_build_at(i, &a); i++)
        CHECK(a.os == JW_ON_AARCH64 || a.os == (JW_ON_LINUX | JW_ON_WINDOWS | JW_ON_AARCH64)
              || !(a.os & JW_ON_AARCH64));
}

/* Every row can be reached by its own versions, or its range could not be understood. */
TEST(every_row_stands_for_its_ends)
{
    struct jw_framework_build b;
    size_t n = 0;

    for (; jw_framework_build_at(n, &b); n++) {
        CHECK_NUM(jw_framework_compare(b.low, &b), 0);
        if (b.high[0] != 0xffff)
            CHECK_NUM(jw_framework_compare(b.high, &b), 0);
        CHECK(b.os != 0 && b.channel != 0);
    }
    CHECK(n > 200);
}

TEST(toolkits)
{
    struct jw_cuda_release t;

    CHECK_NUM(jw_cuda_number("11.2"), 1102);
    CHECK_NUM(jw_cuda_number("8"), 800);
    CHECK_NUM(jw_cuda_number("12.3.2"), 1203);
    CHECK_NUM(jw_cuda_number("x"), 0);
    CHECK_NUM(jw_cuda_number(""), 0);
    CHECK_NUM(jw_cuda_number("11.2x"), 0);
    CHECK_NUM(jw_cuda_number("4294967299.1"), 0);
    CHECK(jw_cuda_release_find(705, &t));
    CHECK_NUM(t.newest, 53);
    CHECK(!jw_cuda_release_find(9901, &t));
    CHECK(jw_cuda_release_for(86, &t));
    CHECK_NUM(t.cuda, 1101);
    CHECK(jw_cuda_release_for(61, &t));
    CHECK_TEXT(t.linux_with, "367.48");
}

TEST(reports)
{
    static const uint16_t v219[3] = { 2, 19, 0 }, v221[3] = { 2, 21, 0 }, none[3] = { 0 };
    bool cpu;
    size_t tf = jw_framework_find("tensorflow", &cpu);
    struct jw_report r;

    CHECK(jw_framework_report(tf, v219, JW_ON_LINUX, 1205, 120, JW_REPORT_FAILS, &r));
    CHECK_HAS(r.text, "CUDA_ERROR_INVALID_PTX");
    CHECK(!jw_framework_report(tf, v219, JW_ON_LINUX, 1205, 90, JW_REPORT_FAILS, &r));
    CHECK(!jw_framework_report(tf, v221, JW_ON_LINUX, 1205, 120, JW_REPORT_FAILS, &r));
    CHECK(jw_framework_report(JW_NO_FRAMEWORK, none, JW_ON_LINUX, 705, 61, JW_REPORT_WRONG, &r));
    CHECK(!jw_framework_report(JW_NO_FRAMEWORK, none, JW_ON_LINUX, 800, 61, JW_REPORT_WRONG, &r));
    CHECK(!jw_framework_report(JW_NO_FRAMEWORK, none, JW_ON_LINUX, 0, 61, JW_REPORT_WRONG, &r));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(names), T(versions), T(variants), T(what_makes_no_sense),
               T(which_build_is_meant), T(aarch64_is_not_answered_from_rows_of_x86),
               T(every_row_stands_for_its_ends), T(toolkits), T(reports));
}
