#include "check.h"
#include "software/fetch/requirement.h"

TEST(what_is_meant_as_a_package)
{
    CHECK(jw_requirement_is_meant("torch==2.9.1"));
    CHECK(jw_requirement_is_meant("torch>=2"));
    CHECK(jw_requirement_is_meant("torch[opt]==2"));
    CHECK(jw_requirement_is_meant("torch @ https://example.org/x.whl"));
    CHECK(jw_requirement_is_meant("torch=2.9.1"));
    CHECK(!jw_requirement_is_meant("torch"));
    CHECK(!jw_requirement_is_meant("./torch==2"));
    CHECK(!jw_requirement_is_meant("-torch==2"));
    CHECK(!jw_requirement_is_meant("/opt/a==b"));
    CHECK(!jw_requirement_is_meant(""));
}

TEST(a_name_alone)
{
    CHECK(jw_requirement_is_bare("jax-cuda12-plugin"));
    CHECK(!jw_requirement_is_bare("libx.so"));
    CHECK(!jw_requirement_is_bare("a/b"));
    CHECK(!jw_requirement_is_bare("-x"));
    CHECK(!jw_requirement_is_bare("torch==2"));
    CHECK(!jw_requirement_is_bare(""));
}

static void reads(const char *text, bool line, const char *name, const char *as)
{
    struct jw_arena a = { 0 };
    struct jw_requirement r;
    struct jw_err err = { 0 };

    CHECK(jw_requirement_parse(text, line, &a, &r, &err));
    if (err.code == JW_OK) {
        CHECK_TEXT(r.name, name);
        CHECK_TEXT(r.text, as);
    } else
        CHECK_TEXT(err.msg, "");
    jw_arena_free(&a);
}

TEST(reads_names_and_versions)
{
    reads("torch==2.9.1", false, "torch", "torch==2.9.1");
    reads("  Onnx_Runtime.-GPU == 1.23 ", false, "onnx-runtime-gpu", "onnx-runtime-gpu== 1.23");
    reads("jax[cuda12, k8s]==0.6", false, "jax", "jax==0.6");
    reads("torch >=2.0, <3 ; python_version < '3.10'", true, "torch", "torch>=2.0, <3");
    reads("torch (>=2,!=2.1.*)", true, "torch", "torch(>=2,!=2.1.*)");
    reads("numpy", true, "numpy", "numpy");
}

static void refuses(const char *text, bool line)
{
    struct jw_arena a = { 0 };
    struct jw_requirement r;
    struct jw_err err = { 0 };

    CHECK(!jw_requirement_parse(text, line, &a, &r, &err));
    CHECK(err.code == JW_E_USAGE);
    CHECK_HAS(err.msg, "is not a package and its version");
    jw_arena_free(&a);
}

TEST(refuses_all_else)
{
    refuses("torch", false);
    refuses("torch==", false);
    refuses("torch==2.9 --index-url=http://evil", false);
    refuses("torch==2.9;os_name=='nt'", false);
    refuses("torch @ file:///etc/passwd", false);
    refuses("torch @ git+https://x", true);
    refuses("torch==$(id)", false);
    refuses("torch==2.9\n--pre", false);
    refuses("torch===2.9", false);
    refuses("torch==2.9,,<3", true);
    refuses("-torch==2", false);
    refuses("torch-==2", false);
    refuses("torch[a;b]==2", false);
    refuses("torch[a==2", true);
    refuses("torch(==2", true);
    refuses("torch~=2", true);
    refuses(">=2", true);
    refuses("t\xc3\xb6rch==2", false);
    refuses("torch>=2.*", true);
}

TEST_ARENA(one_exact_version)
{
    struct jw_requirement r;
    struct jw_pyversion v;
    struct jw_err err = { 0 };

    CHECK(jw_requirement_exact("Torch", "2.9.1", a, &r, &err));
    CHECK_TEXT(r.text, "torch==2.9.1");
    CHECK(jw_pyversion_parse("2.9.1", &v) && jw_requirement_allows(&r, &v));
    CHECK(jw_pyversion_parse("2.9.2", &v) && !jw_requirement_allows(&r, &v));
    CHECK(!jw_requirement_exact("--torch", "2", a, &r, &err));
    CHECK(!jw_requirement_exact("torch", "2 --pre", a, &r, &err));
}
