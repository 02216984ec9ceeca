/* NVRTC libraries on a made machine. */
#include "base/buf.h"
#include "base/fault.h"
#include "base/limits.h"
#include "check.h"
#include "made_machine.h"
#include "software/find/toolkit_find.h"

#include <unistd.h>

static struct jw_listing find(struct jw_arena *a)
{
    static const struct jw_discover_options all = {0};
    struct jw_discovery d;

    CHECK(chdir("/") == 0); /* where it is started is searched, too */
    jw_discover(&all, a, &d);
    return jw_nvrtc_find(&d, a);
}

/* The tail of each path, one per line, in their order. */
static const char *told(struct jw_arena *a, const char *tree)
{
    const struct jw_listing found = find(a);
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_LINE);
    size_t n = strlen(tree_path(a, tree)) + 1;

    for (size_t i = 0; i < found.n; i++) {
        char *path = jw_arena_str(a, found.names[i]);

        for (char *c = path; *c; c++)
            *c = *c == '\\' ? '/' : *c;
        jw_buf_printf(&text, "%s\n", jw_path_absolute(path) ? path + n : path);
    }
    return jw_buf_cstr(&text);
}

#ifndef _WIN32

TEST_ARENA(linux_has_them_in_many_places)
{
    made_machine(a, "lin");
    set_variable("CUDA_HOME", tree_path(a, "lin/own"));
    set_variable("VIRTUAL_ENV", tree_path(a, "lin/venv"));
    set_variable("CONDA_PREFIX", tree_path(a, "lin/conda"));
    (void)tree_file(a, "lin/own/targets/x86_64-linux/lib/libnvrtc.so.12.4.127", "own");
    (void)tree_file(a, "lin/own/targets/x86_64-linux/lib/libnvrtc-builtins.so.12.4.127", "b");
    (void)tree_file(a, "lin/own/targets/x86_64-linux/lib/libnvrtc_static.a", "s");
    (void)tree_file(a, "lin/usr/local/cuda-13.0/lib64/libnvrtc.so.13", "13");
    (void)tree_file(a, "lin/usr/local/cuda-13.0/lib64/libnvrtc.alt.so.13", "alt");
    (void)tree_file(a, "lin/usr/local/cuda-13.0/lib64/libnvrtc-builtins.alt.so.13.0", "alt");
    (void)tree_file(a, "lin/venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                    "pip12");
    (void)tree_file(a, "lin/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
                    "pip13");
    (void)tree_file(a, "lin/venv/lib/python3.11/site-packages/torch/lib/libnvrtc-672ee683.so.11.2",
                    "torch");
    (void)tree_dir(a, "lin/conda/conda-meta");
    (void)tree_file(a, "lin/conda/lib/libnvrtc.so", "conda");
    (void)tree_file(a, "lin/usr/lib/x86_64-linux-gnu/libnvrtc.so.11.8.89", "debian");

    CHECK_TEXT(told(a, "lin"),
               "usr/local/cuda-13.0/lib64/libnvrtc.so.13\n"
               "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13\n"
               "own/targets/x86_64-linux/lib/libnvrtc.so.12.4.127\n"
               "venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12\n"
               "usr/lib/x86_64-linux-gnu/libnvrtc.so.11.8.89\n"
               "venv/lib/python3.11/site-packages/torch/lib/libnvrtc-672ee683.so.11.2\n"
               "conda/lib/libnvrtc.so\n");
}

/* A folder that may be in both: the working folder alone decides nothing. */
TEST_ARENA(what_only_the_working_folder_leads_to_is_none)
{
    static const struct jw_discover_options all = {0};
    static const char site[] = "lib/python3.11/site-packages";
    const char *work = tree_dir(a, "work/project");
    struct jw_discovery d;

    made_machine(a, "work");
    (void)tree_file(a, "work/project/venv/pyvenv.cfg", "home = /usr/bin\n");
    (void)tree_file(
        a, jw_arena_printf(a, "work/project/venv/%s/nvidia/cu99/lib/libnvrtc.so.99", site), "");
    (void)tree_file(a, jw_arena_printf(a, "work/project/venv/%s/x.pth", site),
                    tree_dir(a, "work/other"));
    (void)tree_file(a, "work/other/libnvrtc.so.98", "");
    CHECK(chdir(work) == 0);
    jw_discover(&all, a, &d);
    CHECK_NUM(d.n_folders, 2);
    CHECK_NUM(jw_nvrtc_find(&d, a).n, 0);
    set_variable("VIRTUAL_ENV", tree_path(a, "work/project/venv"));
    jw_discover(&all, a, &d);
    CHECK_NUM(jw_nvrtc_find(&d, a).n, 2);
    CHECK(chdir("/") == 0);
}

/* The loader's own come last of their version, by the path that it takes. */
TEST_ARENA(the_loader_has_some)
{
    made_machine(a, "loader");
    set_variable("LD_LIBRARY_PATH", tree_path(a, "loader/named"));
    (void)tree_file(a, "loader/named/libnvrtc.so.11.2", "");
    (void)tree_file(a, "loader/usr/lib64/libnvrtc.so.12", "");
    CHECK_TEXT(told(a, "loader"), "usr/lib64/libnvrtc.so.12\nnamed/libnvrtc.so.11.2\n");
}

/* The working folder is never searched, whichever variable names it. A file of two names has the
 * version of the longer one. */
TEST_ARENA(relative_folders_are_none_and_a_file_is_there_once)
{
    const char *lib;

    made_machine(a, "rel");
    set_variable("CUDA_HOME", ".");
    set_variable("LD_LIBRARY_PATH", ":.:lib:");
    set_variable("CUDA_PATH", tree_path(a, "rel/v"));
    (void)tree_dir(a, "rel/v/lib64/libnvrtc.so.13");
    lib = tree_file(a, "rel/v/lib/libnvrtc.so", "12");
    CHECK(link(lib, tree_path(a, "rel/v/lib/libnvrtc.so.12")) == 0);
    CHECK_TEXT(told(a, "rel"), "v/lib/libnvrtc.so\n");
}

#else

TEST_ARENA(windows_has_dlls)
{
    made_machine(a, "win");
    set_variable("CUDA_PATH", tree_path(a, "win/v13.0"));
    set_variable("VIRTUAL_ENV", tree_path(a, "win/venv"));
    set_variable("ProgramFiles", tree_path(a, "win/Program Files"));
    set_variable("PATH", jw_arena_printf(a, "relative;;%s;%s", tree_path(a, "win/app"),
                                         tree_path(a, "win/nowhere")));
    (void)tree_file(a, "win/v13.0/bin/x64/nvrtc64_130_0.dll", "13");
    (void)tree_file(a, "win/v13.0/bin/x64/nvrtc64_130_0.alt.dll", "alt");
    (void)tree_file(a, "win/v13.0/bin/x64/nvrtc-builtins64_130.dll", "b");
    (void)tree_file(
        a, "win/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v9.2/bin/nvrtc64_92.dll", "9");
    (void)tree_file(a, "win/venv/Lib/site-packages/torch/lib/nvrtc64_120_0.dll", "torch");
    (void)tree_file(a, "win/venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll",
                    "pip");
    (void)tree_file(a, "win/app/nvrtc64_112_0.dll", "app");

    CHECK_TEXT(told(a, "win"),
               "v13.0/bin/x64/nvrtc64_130_0.dll\n"
               "venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll\n"
               "venv/Lib/site-packages/torch/lib/nvrtc64_120_0.dll\n"
               "app/nvrtc64_112_0.dll\n"
               "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v9.2/bin/nvrtc64_92.dll\n");
}

#endif

/* A failure of the system makes a place one that is not there. Of what comes again and again,
 * some. */
TEST_ARENA(every_step_may_fail)
{
    made_machine(a, "fault");
    set_variable("CUDA_PATH", tree_path(a, "fault/v"));
    (void)tree_file(a, "fault/v/bin/nvrtc64_130_0.dll", "13");
    (void)tree_file(a, "fault/v/lib64/libnvrtc.so.13", "13");
    for (unsigned long nth = 1;; nth += nth < 50 ? 1 : 7) {
        FREED(jw_arena) mine = {0};

        jw_fault_arm(nth);
        const struct jw_listing found = find(&mine);
        bool fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(fired || found.n);
        if (!fired)
            break;
    }
}
