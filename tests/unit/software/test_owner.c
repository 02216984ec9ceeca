#include "base/compiler.h"
#include "base/limits.h"
#include "check.h"
#include "software/find/discover.h"

TEST_ARENA(the_path_tells_the_package)
{
    static const struct {
        const char *path, *name;
        bool nvidia;
    } rows[] = {
        {"/v/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so", "torch", false},
        {"/v/lib/python3.11/site-packages/nvidia/cublas/lib/libx.so.12", "nvidia", true},
        {"/v/lib/python3.11/site-packages/nvidia_cutlass_dsl/x.so", "nvidia_cutlass_dsl", true},
        {"/v/lib/python3.11/site-packages/_alone.so", "_alone.so", false},
        {"/a/site-packages/x/site-packages/inner/x.so", "inner", false},
        {"C:\\py\\Lib\\site-packages\\cupy\\core.pyd", "cupy", false},
        {"/usr/lib/python3/dist-packages/pycuda/_driver.so", "pycuda", false},
        {"elsewhere/libcublas.so.12", "libcublas.so.12", true},
        {"/x/torch-2.1.0+cu118-cp310-cp310-linux_x86_64.whl!torch/lib/libcublas.so.11", "torch",
         true},
        {"tensorflow-2.10.0-cp310-cp310-win_amd64.whl", "tensorflow", false},
        {"nvidia_cudnn_cu12-9.1-py3-none-linux_x86_64.whl!a.so", "nvidia_cudnn_cu12", true},
        {"/opt/modules/gromacs/2024/lib/libgromacs.so", "gromacs", false},
        {"/opt/modules/inner/namd/x.so", "namd", false},
        {"/opt/modules/x.so", "x.so", false},
        {"/opt/modulesque/a/x.so", "x.so", false},
        {"/usr/local/cuda-12.4/lib64/libcublas.so.12", "cuda-toolkit", true},
        {"x.so", "x.so", false},
        {"/", "", false},
        {"", "", false},
    };
    struct jw_search_folder roots[] = {
        {"/opt/modules", NULL, JW_MAX_DEPTH, false},
        {"/opt/modules/inner", NULL, JW_MAX_DEPTH, false},
        {"/usr/local/cuda-12.4/lib64", "cuda-toolkit", JW_MAX_DEPTH, false}};
    struct jw_discovery d = {.arena = a, .folders = roots, .n_folders = JW_COUNT(roots)};

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        const struct jw_package p = jw_discovery_owner(&d, rows[i].path, NULL);

        CHECK_TEXT(p.name, rows[i].name);
        CHECK(p.own == rows[i].nvidia || (printf("%s\n", rows[i].path), false));
    }
}

/* One rule for scan, prime and doctor. */
TEST_ARENA(whose_code_it_is)
{
    static const char site[] = "/v/lib/python3.11/site-packages";
    static const struct {
        const char *path, *named;
        bool own;
    } rows[] = {
        {"/pa/libcudnn.so.9", NULL, true},
        {"/pa/libcudnn.so.9", "/pa/libcudnn.so.9", false},
        {"/nvidia/x.so", "/nvidia", true},
        {"/pa.whl!pa/libcudnn.so.9", "/pa.whl", true}, /* a wheel is as a folder */
    };
    const struct jw_scan_folder at[] = {
        {"/a", 0, true, NULL}, {"/a/b.whl", 0, true, NULL}, {"/a/c", 0, false, NULL}};
    const struct jw_discovery d = {.arena = a};
    char path[256], named[256];

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        (void)snprintf(path, sizeof path, "%s%s", site, rows[i].path);
        (void)snprintf(named, sizeof named, "%s%s", site, rows[i].named ? rows[i].named : "");
        CHECK_NUM(jw_discovery_owner(&d, path, rows[i].named ? named : NULL).own, rows[i].own);
    }
    CHECK_TEXT(jw_named_above(at, 3, "/a/b.whl!x"), "/a/b.whl");
    CHECK(jw_named_above(at, 3, "/a/c") == at[0].path && !jw_named_above(at, 3, "/ab"));
}
