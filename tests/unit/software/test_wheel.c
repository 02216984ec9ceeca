#include "base/compiler.h"
#include "check.h"
#include "software/fetch/wheel.h"

TEST_ARENA(reads_a_name)
{
    struct jw_wheel w;

    CHECK(jw_wheel_parse("onnxruntime_gpu-1.23.0-cp310-cp310-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
                         a, &w));
    CHECK_TEXT(w.name, "onnxruntime-gpu");
    CHECK_TEXT(w.version_text, "1.23.0");
    CHECK_TEXT(w.python, "cp310");
    CHECK_TEXT(jw_wheel_tag(a, w.platform), "manylinux_2_28_x86_64");
    CHECK_NUM(jw_wheel_python(w.python), 310);
    CHECK(jw_wheel_parse("x-1+cu118-2build-py2.py3-none-any.whl", a, &w));
    CHECK_TEXT(w.version_text, "1+cu118");
    CHECK_TEXT(jw_wheel_tag(a, w.python), "py3");
    CHECK_NUM(jw_wheel_python("cp38"), 308);
    CHECK_NUM(jw_wheel_python("py3"), 300);
    CHECK_NUM(jw_wheel_python("pp310"), 0);
}

TEST_ARENA(refuses_other_names)
{
    static const char *const bad[] = { "x.whl",
                                       "x-1-py3-none.whl",
                                       "x-1-py3-none-any.zip",
                                       "-1-py3-none-any.whl",
                                       "x-1.x-py3-none-any.whl",
                                       "x-1-py3-none-.whl",
                                       "x-1-py3--any.whl",
                                       "x-1-../..-py3-none-any.whl",
                                       "x-1-py3-none-any whl",
                                       "x-1-p y-none-any.whl",
                                       "--pre-1-py3-none-any.whl" };
    struct jw_wheel w;

    for (size_t i = 0; i < JW_COUNT(bad); i++)
        CHECK(!jw_wheel_parse(bad[i], a, &w));
}

enum { MAX = 16 };

static const char *choose_of(const char *const *files, const char *requirement, bool windows, unsigned python,
                             const char *const *offered)
{
    static char out[128];
    struct jw_wheel_system s = { windows, "x86_64", python };
    struct jw_arena a = { 0 };
    struct jw_wheel list[MAX];
    struct jw_requirement r;
    struct jw_err err = { 0 };
    struct jw_offer offers[MAX];
    struct jw_offers o = { offers, 0 };
    size_t n = 0;

    for (; offered && offered[o.n]; o.n++) {
        offers[o.n].text = offered[o.n];
        CHECK(jw_pyversion_parse(offered[o.n], &offers[o.n].version));
    }
    for (; files[n]; n++)
        CHECK(jw_wheel_parse(files[n], &a, &list[n]));
    CHECK(jw_requirement_parse(requirement, true, &a, &r, &err));
    const struct jw_wheel *w = jw_wheel_choose(list, n, &r, &s, &o);

    (void)snprintf(out, sizeof out, "%s", w ? w->file : "");
    jw_arena_free(&a);
    return out;
}

static const char *choose(const char *const *files, const char *requirement, bool windows, unsigned python)
{
    return choose_of(files, requirement, windows, python, NULL);
}

static const char *const tensorflow[] = { "tensorflow-2.3.1-cp35-cp35m-manylinux2010_x86_64.whl",
                                          "tensorflow-2.3.1-cp38-cp38-manylinux2010_x86_64.whl",
                                          "tensorflow-2.3.1-cp37-cp37m-manylinux2010_x86_64.whl",
                                          "tensorflow-2.3.1-cp38-cp38-win_amd64.whl",
                                          "tensorflow-2.3.1-cp38-cp38-macosx_10_14_x86_64.whl",
                                          "tensorflow-2.4.0rc1-cp38-cp38-manylinux2010_x86_64.whl",
                                          "tensorflow-2.2.0-cp38-cp38-manylinux2010_x86_64.whl",
                                          NULL };

TEST(chooses_as_pip_would_and_another_python_where_there_is_none)
{
    CHECK_TEXT(choose(tensorflow, "tensorflow==2.3.1", false, 311),
               "tensorflow-2.3.1-cp38-cp38-manylinux2010_x86_64.whl");
    CHECK_TEXT(choose(tensorflow, "tensorflow==2.3.1", false, 307),
               "tensorflow-2.3.1-cp37-cp37m-manylinux2010_x86_64.whl");
    CHECK_TEXT(choose(tensorflow, "tensorflow==2.3.1", true, 0), "tensorflow-2.3.1-cp38-cp38-win_amd64.whl");
    CHECK_TEXT(choose(tensorflow, "tensorflow", false, 0),
               "tensorflow-2.3.1-cp38-cp38-manylinux2010_x86_64.whl");
    CHECK_TEXT(choose(tensorflow, "tensorflow>=2.4.0rc0", false, 0),
               "tensorflow-2.4.0rc1-cp38-cp38-manylinux2010_x86_64.whl");
    CHECK_TEXT(choose(tensorflow, "tensorflow==2.2", true, 0), "");
    CHECK_TEXT(choose(tensorflow, "torch==2.3.1", false, 0), "");
}

TEST(prefers_machine_code_and_the_usual_interpreter)
{
    static const char *const files[] = { "x-1-py3-none-any.whl", "x-1-cp313-cp313t-manylinux2014_x86_64.whl",
                                         "x-1-cp312-cp312-manylinux2014_x86_64.whl", NULL };
    static const char *const stable[] = { "x-1-cp39-abi3-linux_x86_64.whl",
                                          "x-1-cp312-cp312-linux_aarch64.whl", NULL };
    static const char *const local[] = { "x-1-cp312-cp312-linux_x86_64.whl",
                                         "x-1+cu130-cp312-cp312-linux_x86_64.whl", NULL };

    CHECK_TEXT(choose(files, "x==1", false, 0), "x-1-cp312-cp312-manylinux2014_x86_64.whl");
    CHECK_TEXT(choose(files, "x==1", true, 0), "x-1-py3-none-any.whl");
    CHECK_TEXT(choose(stable, "x", false, 311), "x-1-cp39-abi3-linux_x86_64.whl");
    CHECK_TEXT(choose(local, "x==1", false, 0), "x-1+cu130-cp312-cp312-linux_x86_64.whl");
}

static const char *const numpy[] = { "numpy-2.5.0-cp312-cp312-manylinux_2_28_x86_64.whl",
                                     "numpy-2.5.0-cp311-cp311-win_amd64.whl",
                                     "numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl",
                                     "numpy-2.4.6-cp312-cp312-manylinux_2_28_x86_64.whl",
                                     "numpy-2.4.7-cp311-cp311-manylinux_2_28_x86_64.whl",
                                     "numpy-2.6.0rc1-cp311-cp311-manylinux_2_28_x86_64.whl",
                                     "numpy-2.4.5-cp311-cp311-manylinux_2_28_x86_64.whl",
                                     NULL };

TEST(takes_the_version_that_pip_takes_for_this_python)
{
    static const char *const offered[] = { "2.6.0rc1", "2.4.6", "2.4.5", NULL }; /* 2.4.7 was yanked */
    static const char *const source[] = { "2.5.0", "2.4.5", NULL };              /* 2.5.0 as a source */
    static const char *const pre[] = { "2.6.0rc1", NULL };

    CHECK_TEXT(choose_of(numpy, "numpy", false, 311, offered), numpy[2]);
    CHECK_TEXT(choose_of(numpy, "numpy!=2.4.6", false, 311, offered), numpy[6]);
    CHECK_TEXT(choose_of(numpy, "numpy==2.4.7", false, 311, offered), numpy[4]);
    CHECK_TEXT(choose_of(numpy, "numpy>=2.5", false, 311, offered), numpy[5]);
    CHECK_TEXT(choose_of(numpy, "numpy>=2.4.0rc1", false, 311, offered), numpy[5]);
    CHECK_TEXT(choose_of(numpy, "numpy==2.5.0", false, 311, offered), numpy[0]);
    CHECK_TEXT(choose_of(numpy, "numpy", false, 311, source), numpy[0]);
    CHECK_TEXT(choose_of(numpy, "numpy", false, 311, pre), numpy[5]);
}

TEST(takes_the_newest_version_where_pip_offers_none)
{
    CHECK_TEXT(choose(numpy, "numpy", false, 311), numpy[0]);
    CHECK_TEXT(choose(numpy, "numpy", true, 312), numpy[1]);
    CHECK_TEXT(choose(numpy, "numpy", false, 312), numpy[0]);
    CHECK_TEXT(choose(numpy, "numpy~=2.5", false, 310), numpy[0]);
    CHECK_TEXT(choose(numpy, "numpy", false, 0), numpy[0]);
}
