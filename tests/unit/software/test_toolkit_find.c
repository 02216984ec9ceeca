/* Toolkits and their libraries by the rules of both systems, on either: a fake environment and a fake tree. */
#include "base/buf.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "fake_machine.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"
#include "software/find/toolkit_find.h"

#if !defined(_WIN32)
#include <unistd.h>
#endif

/* As seen from its home. */
static struct jw_discover_options at_home(struct jw_arena *a, struct fake *fake, bool windows,
                                          const char *tree)
{
    struct jw_discover_options o = options(a, fake, windows, tree);

    o.working = o.home;
    return o;
}

/* "tail of the path, version" of each, one per line, in their order; a minor version where it is known; ! where the
 * builtins are missing. */
static const char *told(struct jw_arena *a, const struct jw_toolkit_places *p, const char *tree)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t n = strlen(tree_path(a, tree)) + 1;

    for (size_t i = 0; i < p->n; i++) {
        char *path = jw_arena_str(a, p->v[i].path);

        for (char *c = path; *c; c++)
            *c = *c == '\\' ? '/' : *c;
        if (jw_path_absolute(path))
            path += n;
        jw_buf_printf(&text, "%s %u", path, p->v[i].major);
        if (p->v[i].minor >= 0)
            jw_buf_printf(&text, ".%d", p->v[i].minor);
        jw_buf_text(&text, p->v[i].builtins ? "\n" : "!\n");
    }

    const char *kept = jw_arena_str(a, jw_buf_cstr(&text));

    jw_buf_free(&text);
    return kept;
}

TEST_ARENA(linux_has_them_in_many_places)
{
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, false, "lin");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = tree_path(a, "lin/own");
    fake.vars[1][0] = "VIRTUAL_ENV", fake.vars[1][1] = tree_path(a, "lin/venv");
    fake.vars[2][0] = "CONDA_PREFIX", fake.vars[2][1] = tree_path(a, "lin/conda");
    (void)tree_file(a, "lin/own/targets/x86_64-linux/lib/libnvrtc.so.12.4.127", "own");
    (void)tree_file(a, "lin/own/targets/x86_64-linux/lib/libnvrtc-builtins.so.12.4.127", "b");
    (void)tree_file(a, "lin/own/targets/x86_64-linux/lib/libnvrtc_static.a", "s");
    (void)tree_file(a, "lin/usr/local/cuda-13.0/lib64/libnvrtc.so.13", "13");
    (void)tree_file(a, "lin/usr/local/cuda-13.0/lib64/libnvrtc.alt.so.13", "alt");
    (void)tree_file(a, "lin/usr/local/cuda-13.0/lib64/libnvrtc-builtins.so.13.0", "b");
    (void)tree_file(a, "lin/usr/local/cuda-13.0/lib64/libnvrtc-builtins.alt.so.13.0", "alt");
    (void)tree_file(a, "lin/venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "pip12");
    (void)tree_file(
        a, "lin/venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9", "b");
    (void)tree_file(a, "lin/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "pip13");
    (void)tree_file(a, "lin/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
                    "b");
    (void)tree_file(a, "lin/venv/lib/python3.11/site-packages/torch/lib/libnvrtc-672ee683.so.11.2", "torch");
    (void)tree_dir(a, "lin/conda/conda-meta");
    (void)tree_file(a, "lin/conda/lib/libnvrtc.so", "conda");
    (void)tree_file(a, "lin/conda/lib/libnvrtc-builtins.so.12.1", "b");
    (void)tree_file(a, "lin/conda/lib/python3.9/site-packages/torch/lib/libnvrtc.so.12", "conda's torch");
    (void)tree_file(a, "lin/usr/lib/x86_64-linux-gnu/libnvrtc.so.11.8.89", "debian");
    (void)tree_file(a, "lin/usr/lib/x86_64-linux-gnu/libnvrtc-builtins.so.11.8.89", "b");

    struct jw_toolkit_places p = jw_nvrtc_find(&o, a);

    CHECK_TEXT(told(a, &p, "lin"),
               "usr/local/cuda-13.0/lib64/libnvrtc.so.13 13.0\n"
               "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13 13.0\n"
               "libnvrtc.so.13 13\n"
               "venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12 12.9\n"
               "own/targets/x86_64-linux/lib/libnvrtc.so.12.4.127 12.4\n"
               "libnvrtc.so.12 12\n"
               "usr/lib/x86_64-linux-gnu/libnvrtc.so.11.8.89 11.8\n"
               "libnvrtc.so.11.2 11\n"
               "libnvrtc.so.11.1 11\n"
               "libnvrtc.so.11.0 11\n"
               "conda/lib/libnvrtc.so 0\n"
               "conda/lib/python3.9/site-packages/torch/lib/libnvrtc.so.12 12!\n"
               "venv/lib/python3.11/site-packages/torch/lib/libnvrtc-672ee683.so.11.2 11!\n");
    CHECK_NUM(p.notes.n, 0);
}

TEST_ARENA(windows_has_dlls)
{
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, true, "win");
    struct jw_buf path = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&path, "relative;;%s;%s", tree_path(a, "win/app"), tree_path(a, "win/nowhere"));
    fake.vars[0][0] = "CUDA_PATH", fake.vars[0][1] = tree_path(a, "win/v13.0");
    fake.vars[1][0] = "VIRTUAL_ENV", fake.vars[1][1] = tree_path(a, "win/venv");
    fake.vars[2][0] = "ProgramFiles", fake.vars[2][1] = tree_path(a, "win/Program Files");
    fake.vars[3][0] = "PATH", fake.vars[3][1] = jw_buf_cstr(&path);
    (void)tree_file(a, "win/v13.0/bin/x64/nvrtc64_130_0.dll", "13");
    (void)tree_file(a, "win/v13.0/bin/x64/nvrtc64_130_0.alt.dll", "alt");
    (void)tree_file(a, "win/v13.0/bin/x64/nvrtc-builtins64_130.dll", "b");
    (void)tree_file(a, "win/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v9.2/bin/nvrtc64_92.dll", "9");
    (void)tree_file(a, "win/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v9.2/bin/nvrtc-builtins64_92.dll",
                    "b");
    (void)tree_file(a, "win/venv/Lib/site-packages/torch/lib/nvrtc64_120_0.dll", "torch");
    (void)tree_file(a, "win/venv/Lib/site-packages/torch/lib/nvrtc-builtins64_128.dll", "b");
    (void)tree_file(a, "win/venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll", "pip");
    (void)tree_file(a, "win/venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvrtc-builtins64_135.dll", "b");
    (void)tree_file(a, "win/app/nvrtc64_112_0.dll", "app");

    struct jw_toolkit_places p = jw_nvrtc_find(&o, a);

    CHECK_TEXT(told(a, &p, "win"),
               "venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll 13.5\n"
               "v13.0/bin/x64/nvrtc64_130_0.dll 13.0\n"
               "venv/Lib/site-packages/torch/lib/nvrtc64_120_0.dll 12.8\n"
               "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v9.2/bin/nvrtc64_92.dll 9.2\n"
               "app/nvrtc64_112_0.dll 11!\n");
    jw_buf_free(&path);
}

/* The library's own name is that of its major version; builtins of another one, or without a version, say nothing of it. */
TEST_ARENA(of_one_major_version_the_newest_is_first)
{
#if defined(_WIN32)
    SKIP("links and loaders of Linux");
#else
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, false, "minor");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = tree_path(a, "minor/own");
    fake.vars[1][0] = "CUDA_PATH", fake.vars[1][1] = tree_path(a, "minor/odd");
    fake.vars[2][0] = "VIRTUAL_ENV", fake.vars[2][1] = tree_path(a, "minor/venv");
    (void)tree_file(a, "minor/own/lib64/libnvrtc.so", "own");
    CHECK(link(tree_path(a, "minor/own/lib64/libnvrtc.so"), tree_path(a, "minor/own/lib64/libnvrtc.so.12"))
          == 0);
    (void)tree_file(a, "minor/own/lib64/libnvrtc-builtins.so", "b");
    (void)tree_file(a, "minor/own/lib64/libnvrtc-builtins.so.12.2.140", "b");
    (void)tree_file(a, "minor/odd/lib64/libnvrtc.so.12", "odd");
    (void)tree_file(a, "minor/odd/lib64/libnvrtc-builtins.so", "b");
    (void)tree_file(a, "minor/odd/lib64/libnvrtc-builtins.so.11.8", "b");
    (void)tree_file(a, "minor/venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "12");
    (void)tree_file(
        a, "minor/venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.10", "b");

    struct jw_toolkit_places p = jw_nvrtc_find(&o, a);

    CHECK_TEXT(told(a, &p, "minor"),
               "libnvrtc.so.13 13\n"
               "venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12 12.10\n"
               "own/lib64/libnvrtc.so 12.2\n"
               "odd/lib64/libnvrtc.so.12 12\n"
               "libnvrtc.so.12 12\n"
               "libnvrtc.so.11.2 11\n"
               "libnvrtc.so.11.1 11\n"
               "libnvrtc.so.11.0 11\n");
#endif
}

TEST_ARENA(a_file_is_there_once)
{
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, true, "once");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = tree_path(a, "once/v");
    fake.vars[1][0] = "CUDA_PATH", fake.vars[1][1] = tree_path(a, "once/v");
    (void)tree_file(a, "once/v/bin/nvrtc64_130_0.dll", "13");

    struct jw_toolkit_places p = jw_nvrtc_find(&o, a);

    CHECK_TEXT(told(a, &p, "once"), "v/bin/nvrtc64_130_0.dll 13!\n");
}

TEST_ARENA(what_is_no_folder_or_no_file_is_passed_over)
{
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, true, "odd");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = "relative";
    fake.vars[1][0] = "CUDA_PATH", fake.vars[1][1] = tree_path(a, "odd/v");
    (void)tree_dir(a, "odd/v/bin/nvrtc64_130_0.dll");
    (void)tree_file(a, "odd/v/bin/x64", "no folder");

    struct jw_toolkit_places p = jw_nvrtc_find(&o, a);

    CHECK_NUM(p.n, 0);
}

TEST_ARENA(there_are_not_endlessly_many)
{
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, true, "many");

    fake.vars[0][0] = "CUDA_PATH", fake.vars[0][1] = tree_path(a, "many/v");
    for (unsigned i = 0; i < JW_MAX_RTC_LIBRARIES + 3; i++) {
        char name[64];

        (void)snprintf(name, sizeof name, "many/v/bin/nvrtc64_%u_0.dll", 100 + i);
        (void)tree_file(a, name, "x");
    }

    struct jw_toolkit_places p = jw_nvrtc_find(&o, a);

    CHECK_NUM(p.n, JW_MAX_RTC_LIBRARIES);
    CHECK(p.notes.n == 3 && strstr(p.notes.v[0], "skipped, there are 64 NVRTC libraries already"));
}

/* A failure of the system makes a place one that is not there. Of what comes again and again, some. */
static void fail_each(struct jw_toolkit_places (*finds)(const struct jw_discover_options *,
                                                        struct jw_arena *),
                      const struct jw_discover_options *o)
{
    for (unsigned long nth = 1;; nth += nth < 50 ? 1 : 7) {
        struct jw_arena a = { 0 };

        jw_fault_arm(nth);
        const struct jw_toolkit_places p = finds(o, &a);
        bool fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(fired || p.n);
        jw_arena_free(&a);
        if (!fired)
            break;
    }
}

TEST_ARENA(every_step_may_fail)
{
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, true, "fault");

    fake.vars[0][0] = "CUDA_PATH", fake.vars[0][1] = tree_path(a, "fault/v");
    (void)tree_file(a, "fault/v/bin/nvrtc64_130_0.dll", "13");
    fail_each(jw_nvrtc_find, &o);
}

/* The working folder is never searched, whichever variable names it. */
TEST_ARENA(relative_folders_are_none)
{
    struct fake fake = { 0 };
    struct jw_discover_options o = at_home(a, &fake, false, "rel");

    fake.vars[0][0] = "CUDA_HOME", fake.vars[0][1] = ".";
    fake.vars[1][0] = "LD_LIBRARY_PATH", fake.vars[1][1] = ":.:lib:";
    fake.vars[2][0] = "CUDA_PATH", fake.vars[2][1] = tree_path(a, "rel/v");
    (void)tree_dir(a, "rel/v/lib64/libnvrtc.so.13");

    struct jw_toolkit_places p = jw_nvrtc_find(&o, a);

    for (size_t i = 0; i < p.n; i++)
        CHECK(!jw_path_absolute(p.v[i].path));
}
