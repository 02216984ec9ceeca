/* The rules of both systems, on either: a fake environment and a fake tree. */
#include "base/buf.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "rigs/tree.h"
#include "software/find/toolkit_find.h"

struct fake {
    const char *vars[8][2];
};

static const char *fake_env(void *ctx, struct jw_arena *a, const char *name)
{
    const struct fake *fake = ctx;

    (void)a;
    for (size_t i = 0; i < JW_COUNT(fake->vars) && fake->vars[i][0]; i++) {
        if (strcmp(fake->vars[i][0], name) == 0)
            return fake->vars[i][1];
    }
    return NULL;
}

static const char *const no_pythons[] = { NULL };

static struct jw_discover_options options(struct jw_arena *a, struct fake *fake, bool windows,
                                          const char *tree)
{
    return (struct jw_discover_options){
        .system = windows ? JW_SYSTEM_WINDOWS : JW_SYSTEM_LINUX,
        .elevated = JW_ELEVATED_NO,
        .env = fake_env,
        .env_ctx = fake,
        .home = jw_path_join(a, tree_path(a, tree), "home"),
        .sysroot = tree_path(a, tree),
        .working = jw_path_join(a, tree_path(a, tree), "home"),
        .pythons = no_pythons,
    };
}

static struct jw_toolkit_places find(struct jw_arena *a, const struct jw_discover_options *o)
{
    struct jw_toolkit_places p = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_nvjitlink_find(o, a, &p, &err));
    CHECK_TEXT(err.msg, "");
    return p;
}

/* "how: tail of the path, version" of each, one per line, in their order. */
static const char *told(struct jw_arena *a, const struct jw_toolkit_places *p, const char *tree)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t n = strlen(tree_path(a, tree)) + 1;

    for (size_t i = 0; i < p->n; i++) {
        char *path = jw_arena_str(a, p->v[i].path);

        for (char *c = path; *c; c++)
            *c = *c == '\\' ? '/' : *c;
        CHECK(jw_path_absolute(path));
        path += n;
        jw_buf_printf(&text, "%s: %s %u\n", p->v[i].how, path, p->v[i].major);
    }

    const char *kept = jw_arena_str(a, jw_buf_cstr(&text));

    jw_buf_free(&text);
    return kept;
}

TEST(linux_has_them_in_many_places)
{
    struct jw_arena a = { 0 };
    struct fake fake = { 0 };
    struct jw_discover_options o = options(&a, &fake, false, "lin");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = tree_path(&a, "lin/own");
    fake.vars[1][0] = "VIRTUAL_ENV", fake.vars[1][1] = tree_path(&a, "lin/venv");
    fake.vars[2][0] = "CONDA_PREFIX", fake.vars[2][1] = tree_path(&a, "lin/conda");
    (void)tree_file(&a, "lin/own/targets/x86_64-linux/lib/libnvJitLink.so.12.4.127", "own");
    (void)tree_file(&a, "lin/own/targets/x86_64-linux/lib/libnvJitLink_static.a", "s");
    (void)tree_file(&a, "lin/usr/local/cuda-13.0/lib64/libnvJitLink.so.13", "13");
    (void)tree_file(&a, "lin/venv/lib/python3.11/site-packages/nvidia/nvjitlink/lib/libnvJitLink.so.12",
                    "pip12");
    (void)tree_file(&a, "lin/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvJitLink.so.13", "pip13");
    (void)tree_dir(&a, "lin/conda/conda-meta");
    (void)tree_file(&a, "lin/conda/lib/libnvJitLink.so", "conda");
    (void)tree_file(&a, "lin/conda/lib/libnvJitLinker.so", "another");
    (void)tree_file(&a, "lin/usr/lib/x86_64-linux-gnu/libnvJitLink.so.12", "debian");

    struct jw_toolkit_places p = find(&a, &o);

    /* What a variable names goes first, then the newest. */
    CHECK_TEXT(told(&a, &p, "lin"),
               "$CUDA_HOME: own/targets/x86_64-linux/lib/libnvJitLink.so.12.4.127 12\n"
               "CUDA toolkit: usr/local/cuda-13.0/lib64/libnvJitLink.so.13 13\n"
               "active virtual environment: "
               "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvJitLink.so.13 13\n"
               "active virtual environment: "
               "venv/lib/python3.11/site-packages/nvidia/nvjitlink/lib/libnvJitLink.so.12 12\n"
               "usual place: usr/lib/x86_64-linux-gnu/libnvJitLink.so.12 12\n"
               "active conda environment: conda/lib/libnvJitLink.so 0\n");
    jw_arena_free(&a);
}

TEST(windows_has_dlls)
{
    struct jw_arena a = { 0 };
    struct fake fake = { 0 };
    struct jw_discover_options o = options(&a, &fake, true, "win");

    fake.vars[0][0] = "CUDA_PATH", fake.vars[0][1] = tree_path(&a, "win/v12.9");
    fake.vars[1][0] = "VIRTUAL_ENV", fake.vars[1][1] = tree_path(&a, "win/venv");
    (void)tree_file(&a, "win/v12.9/bin/nvJitLink_120_0.dll", "12");
    (void)tree_file(&a, "win/venv/Lib/site-packages/nvidia/nvjitlink/bin/nvJitLink_120_0.dll", "pip12");
    (void)tree_file(&a, "win/venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvJitLink_130_0.dll", "pip13");

    struct jw_toolkit_places p = find(&a, &o);

    CHECK_TEXT(
        told(&a, &p, "win"),
        "$CUDA_PATH: v12.9/bin/nvJitLink_120_0.dll 12\n"
        "active virtual environment: venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvJitLink_130_0.dll 13\n"
        "active virtual environment: venv/Lib/site-packages/nvidia/nvjitlink/bin/nvJitLink_120_0.dll 12\n");
    jw_arena_free(&a);
}

/* The folder that we are in is never looked into, whoever names it. */
TEST(relative_folders_are_none)
{
    struct jw_arena a = { 0 };
    struct fake fake = { 0 };
    struct jw_discover_options o = options(&a, &fake, false, "rel");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = ".";
    fake.vars[1][0] = "LD_LIBRARY_PATH", fake.vars[1][1] = ":.:lib:";
    fake.vars[2][0] = "CUDA_PATH", fake.vars[2][1] = tree_path(&a, "rel/v");
    (void)tree_dir(&a, "rel/v/lib64/libnvJitLink.so.13");

    struct jw_toolkit_places p = find(&a, &o);

    CHECK_NUM(p.n, 0);
    jw_arena_free(&a);
}

TEST(names_of_libraries_and_of_programs)
{
    CHECK(jw_is_nvjitlink_name("libnvJitLink.so.12") && jw_is_nvjitlink_name("NVJITLINK_120_0.DLL"));
    CHECK(jw_is_nvjitlink_name("mine.so") && jw_is_nvjitlink_name("x.so.1") && jw_is_nvjitlink_name("x.dll"));
    CHECK(!jw_is_nvjitlink_name("ptxas") && !jw_is_nvjitlink_name("ptxas.exe")
          && !jw_is_nvjitlink_name("ptxas-13.0"));
}

TEST(every_step_may_fail)
{
    struct jw_arena a = { 0 };
    struct fake fake = { 0 };
    struct jw_discover_options o = options(&a, &fake, false, "mem");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = tree_path(&a, "mem");
    (void)tree_file(&a, "mem/lib64/libnvJitLink.so.13", "13");
    for (unsigned long nth = 1;; nth += nth < 50 ? 1 : 7) {
        struct jw_arena own = { 0 };
        struct jw_toolkit_places p = { 0 };
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_nvjitlink_find(&o, &own, &p, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok);
        jw_arena_free(&own);
        if (!fired)
            break;
    }
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(linux_has_them_in_many_places), T(windows_has_dlls),
               T(relative_folders_are_none), T(names_of_libraries_and_of_programs), T(every_step_may_fail));
}
