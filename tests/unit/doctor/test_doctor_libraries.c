/* CUDA libraries that a package names, and where they are. */
#include "base/arena.h"
#include "base/compiler.h"
#include "base/path.h"
#include "check.h"
#include "doctor/doctor_libraries.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <string.h>

static struct jw_arena arena;

TEST(names_in_bytes)
{
    static const char text[] =
        "x\0libcublas.so.12\0/path/libcudnn_ops_infer.so.8\0mylibcufft.so.11\0libcuda.so.1\0libcublasXt.so.12"
        "\0libnvrtc.so\0libcurand.so.10\0libcudart.so.11.0";
    static const char *const names[] = { "libcublas.so.12", "libcudnn_ops_infer.so.8", "libcurand.so.10",
                                         "libcudart.so.11.0" };
    const struct jw_bytes bytes = { (const uint8_t *)text, sizeof text };
    size_t at = 0;

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *name = jw_library_name_next(bytes, NULL, &at, &arena);

        CHECK_TEXT(name ? name : "(none)", names[i]);
    }
    CHECK(jw_library_name_next(bytes, NULL, &at, &arena) == NULL);
    CHECK_NUM(at, sizeof text);
}

/* An ELF file with one section .rodata that holds the text. */
static void put_library(const char *name, const char *text, size_t n)
{
    static const char names[] = "\0.rodata\0.shstrtab";
    uint8_t file[1024] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
    enum { DATA = 64, NAMES = 512, TABLE = 576 };
    const struct {
        unsigned at;
        uint64_t value;
        unsigned size;
    } numbers[] = {
        { 16, 3, 2 },
        { 18, 62, 2 },
        { 20, 1, 4 },
        { 40, TABLE, 8 },
        { 52, 64, 2 },
        { 58, 64, 2 },
        { 60, 3, 2 },
        { 62, 2, 2 },
        { TABLE + 64, 1, 4 },
        { TABLE + 68, 1, 4 },
        { TABLE + 72, 2, 8 },
        { TABLE + 88, DATA, 8 },
        { TABLE + 96, n, 8 },
        { TABLE + 128, 9, 4 },
        { TABLE + 132, 3, 4 },
        { TABLE + 152, NAMES, 8 },
        { TABLE + 160, sizeof names, 8 },
    };

    for (size_t i = 0; i < JW_COUNT(numbers); i++)
        for (unsigned k = 0; k < numbers[i].size; k++)
            file[numbers[i].at + k] = (uint8_t)(numbers[i].value >> (8 * k));
    memcpy(file + DATA, text, n);
    memcpy(file + NAMES, names, sizeof names);
    tree_bytes(&arena, name, file, sizeof file);
}

static struct jw_needed_libraries ask(const char *site, const char *const *folders, size_t n)
{
    const struct jw_library_ask o = { .sysroot = tree_path(&arena, "root"),
                                      .site = site,
                                      .module = "app",
                                      .folders = folders,
                                      .n_folders = n,
                                      .pip = jw_environment_pip(site, &arena) };
    struct jw_needed_libraries out;

    jw_libraries_needed(&o, &arena, &out);
    return out;
}

#define SITE "env/lib/python3.11/site-packages"

TEST(missing_then_unseen_then_there)
{
    static const char text[] = "\0libcublas.so.12\0libcudnn.so.8";
    const char *site = tree_dir(&arena, SITE), *folder = tree_dir(&arena, SITE "/app");
    const char *const folders[] = { folder };
    struct jw_needed_libraries l;

    tree_dir(&arena, SITE "/pip");
    tree_file(&arena, "env/bin/python", "");
    tree_file(&arena, SITE "/app/__init__.py", "import os\n");
    put_library(SITE "/app/libapp.so", text, sizeof text);
    tree_file(&arena, SITE "/app/libcudnn-463fd6d5.so.8.9.7", ""); /* that it brings */
    l = ask(site, folders, 1);
    CHECK(l.looked);
    CHECK_TEXT(l.missing, "libcublas.so.12");
    CHECK_HAS(l.install, "env/bin/python -m pip install nvidia-cublas-cu12");
    CHECK_TEXT(l.unseen, "");

    /* installed, but the loader does not look into NVIDIA's packages, and neither does it */
    tree_file(&arena, SITE "/nvidia/cublas/lib/libcublas.so.12", "");
    l = ask(site, folders, 1);
    CHECK_TEXT(l.missing, "");
    CHECK_TEXT(l.unseen, "libcublas.so.12");
    CHECK_TEXT(l.folders, jw_path_join(&arena, site, "nvidia/cublas/lib"));

    set_variable("LD_LIBRARY_PATH", l.folders);
    l = ask(site, folders, 1);
    CHECK_TEXT(l.unseen, "");
    set_variable("LD_LIBRARY_PATH", NULL);

    /* what loads them by itself needs no variable */
    tree_file(&arena, SITE "/app/__init__.py", "import nvidia.cublas.lib\n");
    l = ask(site, folders, 1);
    CHECK(l.looked);
    CHECK_TEXT(l.unseen, "");
}

/* A program that may use either starts with the driver of the older one; the number of cuDNN is none of CUDA's. */
TEST(the_oldest_cuda_that_is_named)
{
    static const char either[] = "\0libcudnn.so.8\0libcublas.so.12\0libcublas.so.11",
                      none[] = "\0libcudnn.so.9";
    const char *const folders[] = { tree_dir(&arena, "either"), tree_dir(&arena, "none") };

    put_library("either/a.so", either, sizeof either);
    put_library("none/a.so", none, sizeof none);
    CHECK_NUM(ask(NULL, folders, 1).cuda, 11);
    CHECK_NUM(ask(NULL, folders + 1, 1).cuda, 0);
}

/* As CTranslate2 4.5.0 brings it: the library opens its parts by their names, with its own number behind them. */
TEST(parts_of_a_library_that_it_brings)
{
    static const char app[] = "\0libcudnn.so.9", shim[] = "\0libcudnn_graph.so\0libcudnn.so\0libcublas.so";
    const char *site = tree_dir(&arena, "shim/lib/python3.11/site-packages");
    const char *folder = tree_dir(&arena, "shim/lib/python3.11/site-packages/app.libs");
    const char *const folders[] = { folder };
    struct jw_needed_libraries l;

    tree_dir(&arena, "shim/lib/python3.11/site-packages/pip");
    tree_file(&arena, "shim/bin/python", "");
    put_library("shim/lib/python3.11/site-packages/app.libs/libapp-12345678.so.4", app, sizeof app);
    put_library("shim/lib/python3.11/site-packages/app.libs/libcudnn-74a4c495.so.9.1.0", shim, sizeof shim);
    tree_file(&arena, "shim/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn_ops_infer.so.8", "");
    tree_file(&arena, "shim/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12", "");
    l = ask(site, folders, 1);
    CHECK_TEXT(l.missing, "libcudnn_graph.so.9");

    tree_file(&arena, "shim/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn_graph.so.9", "");
    l = ask(site, folders, 1);
    CHECK_TEXT(l.missing, "");
    CHECK_TEXT(l.unseen, "libcudnn_graph.so.9");

    tree_file(&arena, "shim/lib/python3.11/site-packages/app.libs/libcudnn_graph.so.9", "");
    l = ask(site, folders, 1);
    CHECK_TEXT(l.unseen, "");
}

/* Numba finds them in NVIDIA's packages and in a toolkit; what is installed beside another one is of the same toolkit. */
TEST(libraries_at_run_time)
{
#define NUMBA "numba/lib/python3.11/site-packages"
    const struct jw_library_ask o = {
        .sysroot = tree_path(&arena, "bare"), .site = tree_dir(&arena, NUMBA), .cuda = 1204, .pip = "pip"
    };
    const struct jw_run_time *numba = jw_run_time_find("numba_cuda"),
                             *cupy = jw_run_time_find("cupy-cuda12x");
    struct jw_needed_libraries l;

    CHECK(!jw_run_time_find("numba"));
    CHECK_TEXT(jw_run_time_find("triton")->libraries, "");
    jw_libraries_at_run_time(&o, numba, &arena, &l);
    CHECK(l.looked);
    CHECK_TEXT(l.missing, "libcudart, libnvrtc, libnvvm");
    CHECK_TEXT(l.install, "pip install nvidia-cuda-runtime-cu12 nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12 "
                          "nvidia-nvjitlink-cu12");

    tree_dir(&arena, NUMBA "/nvidia_cuda_nvrtc_cu12-12.1.105.dist-info");
    tree_file(&arena, NUMBA "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
    tree_file(&arena, NUMBA "/nvidia/cuda_runtime/lib/libcudart.so.12", "");
    jw_libraries_at_run_time(&o, numba, &arena, &l);
    CHECK_TEXT(l.missing, "libnvvm");
    CHECK_TEXT(l.install, "pip install \"nvidia-cuda-nvcc-cu12==12.1.*\" \"nvidia-nvjitlink-cu12==12.1.*\"");
    jw_libraries_at_run_time(&o, cupy, &arena, &l);
    CHECK_TEXT(l.missing, "");
    CHECK_TEXT(l.install, "");
    jw_libraries_at_run_time(&o, jw_run_time_find("cupy-cuda11x"), &arena, &l);
    CHECK_TEXT(l.missing, "libcudart, libnvrtc");
    CHECK_TEXT(l.install, "pip install nvidia-cuda-runtime-cu11 nvidia-cuda-nvrtc-cu11");

    tree_file(&arena, "bare/usr/local/cuda-12.1/nvvm/lib64/libnvvm.so.4", "");
    jw_libraries_at_run_time(&o, numba, &arena, &l);
    CHECK_TEXT(l.missing, "");
}

/* Files without such names say nothing: then nothing is known, and nothing is called missing. */
TEST(no_names_no_answer)
{
    const char *const folders[] = { tree_dir(&arena, "plain") };

    tree_file(&arena, "plain/a.so", "text");
    put_library("plain/b.so", "nothing", 8);
    CHECK(!ask(NULL, folders, 1).looked);
}

TEST(the_environment_of_a_file)
{
    CHECK_TEXT(jw_site_of("/v/lib/python3.11/site-packages/app/x.so", &arena),
               "/v/lib/python3.11/site-packages");
    CHECK(jw_site_of("/opt/x.so", &arena) == NULL);
    CHECK_TEXT(jw_environment_pip("/no/lib/python3.11/site-packages", &arena), "");
    CHECK_TEXT(jw_environment_pip(NULL, &arena), "");
}
