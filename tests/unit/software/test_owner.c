#include "base/buf.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "rigs/tree.h"
#include "software/find/discover.h"
#include "software/find/owner.h"

static struct jw_package owner_of(struct jw_discovery *d, const char *path)
{
    const struct jw_package package = jw_discovery_owner(d, path);

    CHECK(package.name != NULL);
    return package;
}

static struct jw_package ask(struct jw_arena *a, struct jw_discovery *d, const char *name)
{
    return owner_of(d, tree_path(a, name));
}

static bool noted(const struct jw_discovery *d, const char *what)
{
    for (size_t i = 0; i < d->notes.n; i++) {
        if (strstr(d->notes.v[i], what))
            return true;
    }
    return false;
}

#define SITE "venv/lib/python3.11/site-packages/"

static void make_site(struct jw_arena *a)
{
    (void)tree_file(a, SITE "torch-2.1.0+cu118.dist-info/METADATA",
                    "Metadata-Version: 2.1\nName: PyTorch\nVersion: 2.1.0+cu118\n\nText\n");
    (void)tree_file(a, SITE "torch-2.1.0+cu118.dist-info/RECORD",
                    "torch/__init__.py,sha256=x,1\ntorch/lib/libtorch_cuda.so,sha256=y,2\n"
                    "\"torch/lib/odd, \"\"name\"\".so\",sha256=z,3\n../../../bin/torchrun,,\n"
                    "shared.so,,\ntorch-2.1.0+cu118.dist-info/RECORD,,\n");
    (void)tree_file(a, SITE "nvidia_cublas_cu12-12.1.3.1.dist-info/METADATA",
                    "Name: nvidia-cublas-cu12\r\nVersion: 12.1.3.1\r\n");
    (void)tree_file(a, SITE "nvidia_cublas_cu12-12.1.3.1.dist-info/RECORD",
                    "nvidia/cublas/lib/libcublas.so.12,sha256=x,1\r\nshared.so,,\r\n");
    (void)tree_file(a, SITE "plain-0.1.dist-info/METADATA", "Name: plain\nVersion: 0.1\n");
    (void)tree_file(a, SITE "plain-0.1.dist-info/top_level.txt", "plain_module\n");
}

TEST_ARENA(dist_info)
{
    struct jw_discovery d;

    make_site(a);
    jw_discovery_init(&d, a);
    struct jw_package p = ask(a, &d, SITE "torch/lib/libtorch_cuda.so");
    CHECK_TEXT(p.name, "PyTorch");
    CHECK_TEXT(p.version, "2.1.0+cu118");
    CHECK(!p.vendor);

    p = ask(a, &d, SITE "torch/lib/odd, \"name\".so");
    CHECK_TEXT(p.name, "PyTorch");
    p = ask(a, &d, SITE "nvidia/cublas/lib/libcublas.so.12");
    CHECK_TEXT(p.name, "nvidia-cublas-cu12");
    CHECK_TEXT(p.version, "12.1.3.1");
    CHECK(p.vendor);
    p = ask(a, &d, SITE "shared.so"); /* two claim it: the first by name */
    CHECK_TEXT(p.name, "nvidia-cublas-cu12");
    CHECK_NUM(d.n_indexes, 1);
    CHECK_NUM(d.notes.n, 0);
}

TEST_ARENA(files_that_nobody_lists)
{
    struct jw_discovery d;

    make_site(a);
    jw_discovery_init(&d, a);
    CHECK_TEXT(ask(a, &d, SITE "torch/lib/built-later.so").version, "2.1.0+cu118");
    CHECK_TEXT(ask(a, &d, SITE "torch/lib/built-later.so").name,
               "PyTorch"); /* its METADATA has been read by now */
    CHECK_TEXT(ask(a, &d, SITE "plain_module/x.so").name, "plain");
    CHECK_TEXT(ask(a, &d, SITE "stray/deep/x.so").name, "stray");
    CHECK(ask(a, &d, SITE "stray/deep/x.so").version == NULL);
    CHECK_TEXT(ask(a, &d, SITE "nvidia/y.so").name, "nvidia");
    CHECK(ask(a, &d, SITE "nvidia/y.so").vendor);
    CHECK_TEXT(ask(a, &d, SITE "_alone.so").name, "_alone.so");
    CHECK_TEXT(ask(a, &d, "elsewhere/libcublas.so.12").name, "libcublas.so.12");
    CHECK(ask(a, &d, "elsewhere/libcublas.so.12").vendor);
    CHECK_TEXT(owner_of(&d, "x.so").name, "x.so");
    CHECK_TEXT(owner_of(&d, "").name, "");
    CHECK_TEXT(owner_of(&d, "/").name, "");
    CHECK_NUM(d.notes.n, 0);
}

#define EGGS "eggs/lib/python3/dist-packages/"

TEST_ARENA(egg_info)
{
    struct jw_discovery d;

    (void)tree_file(a, EGGS "pycuda-2020.1-py3.8.egg-info/PKG-INFO", "Name: pycuda\nVersion: 2020.1\n");
    (void)tree_file(a, EGGS "pycuda-2020.1-py3.8.egg-info/top_level.txt", "pycuda\n_pvt_struct\n");
    (void)tree_file(a, EGGS "old.egg-info", "Name: Old.Thing\nVersion: 3\n");
    jw_discovery_init(&d, a);
    CHECK_TEXT(ask(a, &d, EGGS "pycuda/_driver.so").version, "2020.1");
    CHECK_TEXT(ask(a, &d, EGGS "_pvt_struct/x.so").name, "pycuda");
    CHECK_TEXT(ask(a, &d, EGGS "old/x.so").name, "Old.Thing");
    CHECK_TEXT(ask(a, &d, EGGS "old/x.so").version, "3");
    CHECK_NUM(d.notes.n, 0);
}

TEST_ARENA(conda)
{
    struct jw_discovery d;

    (void)tree_file(a, "conda/conda-meta/pytorch-2.1.0-py3.11_cuda12.1_0.json",
                    "{\"name\":\"pytorch\",\"version\":\"2.1.0\",\"files\":"
                    "[\"lib/python3.11/site-packages/torch/lib/libtorch_cuda.so\", 7, \"lib/libfoo.so\"]}");
    (void)tree_file(a, "conda/conda-meta/libcublas-12.1.json",
                    "{\"name\":\"libcublas\",\"version\":\"12.1\",\"files\":[\"lib/libcublas.so.12\"]}");
    (void)tree_file(a, "conda/conda-meta/broken.json", "{\"name\":");
    (void)tree_file(a, "conda/conda-meta/list.json", "[]");
    (void)tree_file(a, "conda/conda-meta/evil.json", "{\"name\":\"a\\u001b[2J\",\"version\":\"1\"}");
    (void)tree_file(a, "conda/conda-meta/history", "no json");
    (void)tree_file(a, "conda/lib/python3.11/site-packages/x-1.dist-info/METADATA", "Name: x\nVersion: 1\n");
    jw_discovery_init(&d, a);

    struct jw_package p = ask(a, &d, "conda/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so");
    CHECK_TEXT(p.name, "pytorch");
    CHECK_TEXT(p.version, "2.1.0");
    p = ask(a, &d, "conda/lib/libcublas.so.12");
    CHECK_TEXT(p.name, "libcublas");
    CHECK(p.vendor);
    CHECK_TEXT(ask(a, &d, "conda/lib/libfoo.so").name, "pytorch");
    CHECK_TEXT(ask(a, &d, "conda/lib/libother.so").name, "libother.so");
    CHECK_TEXT(ask(a, &d, "conda/lib/python3.11/site-packages/x/y.so").name, "x");
    CHECK(noted(&d, "broken.json: "));
    CHECK(noted(&d, "list.json: "));
    CHECK(noted(&d, "evil.json: it has no proper"));
    CHECK_NUM(d.notes.n, 3);
}

#define BAD "bad/lib/python3.9/site-packages/"

TEST_ARENA(hostile_papers)
{
    struct jw_discovery d;

    (void)tree_file(a, BAD "evil-1.0.dist-info/METADATA", "Name: \x1b[2J\nVersion: 1\n");
    (void)tree_file(a, BAD "evil-1.0.dist-info/RECORD", "evil/a.so,,\n\"never closed,,\nevil/b.so,,\n");
    (void)tree_file(a, BAD "empty-2.0.dist-info/RECORD", "empty/a.so,,\n");
    (void)tree_file(a, BAD "~orch-2.1.dist-info/METADATA", "Name: torch\n");
    (void)tree_dir(a, BAD "folder-1.dist-info/RECORD");
    (void)tree_dir(a, BAD "folder-1.dist-info/METADATA");
    jw_discovery_init(&d, a);

    struct jw_package p = ask(a, &d, BAD "evil/a.so");
    CHECK_TEXT(p.name, "evil"); /* as the folder's name has it */
    CHECK_TEXT(p.version, "1.0");
    CHECK(noted(&d, "evil-1.0.dist-info: the quote"));
    CHECK(noted(&d, "METADATA: its Name"));
    CHECK_TEXT(ask(a, &d, BAD "empty/a.so").version, "2.0");
    CHECK(noted(&d, "the package has no such file"));
    CHECK(noted(&d, "~orch-2.1.dist-info: not a package's name"));
    CHECK_TEXT(ask(a, &d, BAD "folder/a.so").name, "folder");
    CHECK(noted(&d, "RECORD: "));

    size_t notes = d.notes.n; /* said once */
    (void)ask(a, &d, BAD "evil/a.so");
    CHECK_NUM(d.notes.n, notes);
}

#define BIG "big/lib/python3.12/site-packages/"

TEST_ARENA(huge_record)
{
    struct jw_discovery d;
    struct jw_buf rows = JW_BUF(JW_MAX_TEXT_FILE * 2);

    for (unsigned i = 0; i < 100000; i++)
        jw_buf_printf(&rows, "large/kernels/module_%06u.so,sha256=0123456789abcdef,%u\n", i, i);
    (void)tree_bytes(a, BIG "large-1.dist-info/RECORD", rows.p, rows.n);
    jw_buf_fill(&rows, 'x', JW_MAX_TEXT_FILE);
    (void)tree_bytes(a, BIG "toolarge-1.dist-info/RECORD", rows.p, rows.n);
    jw_buf_free(&rows);
    (void)tree_file(a, BIG "large-1.dist-info/METADATA", "Name: large\nVersion: 1\n");
    jw_discovery_init(&d, a);
    CHECK_TEXT(ask(a, &d, BIG "large/kernels/module_099999.so").name, "large");
    CHECK_NUM(d.indexes[0].n_files, 100000);
    CHECK_NUM(d.notes.n, 1);
    CHECK(noted(&d, "toolarge-1.dist-info"));
}

TEST_ARENA(wheels)
{
    struct jw_discovery d;

    jw_discovery_init(&d, a);
    struct jw_package p =
        owner_of(&d, "/x/torch-2.1.0+cu118-cp310-cp310-linux_x86_64.whl!torch/lib/libcublas.so.11");
    CHECK_TEXT(p.name, "torch");
    CHECK_TEXT(p.version, "2.1.0+cu118");
    CHECK(!p.vendor);
    CHECK_TEXT(owner_of(&d, "tensorflow-2.10.0-cp310-cp310-win_amd64.whl").version, "2.10.0");
    CHECK_TEXT(owner_of(&d, "/x/renamed.whl").name, "renamed.whl");
    CHECK(owner_of(&d, "nvidia_cudnn_cu12-9.1-py3-none-linux_x86_64.whl!a.so").vendor);
}

TEST_ARENA(roots_name_what_has_no_papers)
{
    struct jw_discovery d;
    struct jw_root roots[] = {
        { "/opt/modules", "conf", NULL, JW_MAX_DEPTH },
        { "/opt/modules/inner/", "conf", NULL, JW_MAX_DEPTH },
        { "/usr/local/cuda-12.4/lib64", "usual place", "cuda-toolkit", JW_MAX_DEPTH },
    };

    jw_discovery_init(&d, a);
    d.roots = roots;
    d.n_roots = JW_COUNT(roots);
    CHECK_TEXT(owner_of(&d, "/opt/modules/gromacs/2024/lib/libgromacs.so").name, "gromacs");
    CHECK_TEXT(owner_of(&d, "/opt/modules/inner/namd/x.so").name, "namd");
    CHECK_TEXT(owner_of(&d, "/opt/modules/x.so").name, "x.so");
    CHECK_TEXT(owner_of(&d, "/opt/modulesque/a/x.so").name, "x.so");
    CHECK_TEXT(owner_of(&d, "/usr/local/cuda-12.4/lib64/libcublas.so.12").name, "cuda-toolkit");
    CHECK(owner_of(&d, "/usr/local/cuda-12.4/lib64/libcublas.so.12").vendor);
}

TEST_ARENA(windows_spelling)
{
    struct jw_discovery d;

    CHECK(jw_owner_hash(JW_BYTES("Torch\\Lib\\X.dll"), true)
          == jw_owner_hash(JW_BYTES("torch/lib/x.dll"), true));
    CHECK(jw_owner_hash(JW_BYTES("Torch/x"), false) != jw_owner_hash(JW_BYTES("torch/x"), false));

    (void)tree_file(a, "win/Lib/site-packages/torch-2.dist-info/METADATA", "Name: torch\nVersion: 2\n");
    (void)tree_file(a, "win/Lib/site-packages/torch-2.dist-info/RECORD", "torch/lib/torch_cuda.dll,,\n");
    jw_discovery_init(&d, a);
    d.windows = true;

    const char *path = jw_path_join(a, tree_path(a, "win/Lib/site-packages"), "Torch\\lib\\Torch_CUDA.dll");

    const struct jw_package p = jw_discovery_owner(&d, path);

    CHECK_TEXT(p.name, "torch");
    CHECK_TEXT(p.version, "2");
}

TEST_ARENA(every_failure_is_survived)
{
    make_site(a);
    const char *path = tree_path(a, SITE "torch/lib/libtorch_cuda.so");

    for (unsigned long nth = 1; nth < 2000; nth++) {
        struct jw_arena mine = { 0 };
        struct jw_discovery d;

        jw_discovery_init(&d, &mine);
        jw_fault_arm(nth);
        const struct jw_package p = jw_discovery_owner(&d, path);
        bool fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(p.name && p.name[0]);
        CHECK(fired || !d.notes.n);
        if (!fired) {
            CHECK_TEXT(p.name, "PyTorch");
            jw_arena_free(&mine);
            break;
        }
        jw_arena_free(&mine);
        CHECK(nth < 1999);
    }
}

/* One rule for scan, prime and doctor. */
TEST(whose_code_it_is)
{
    static const char site[] = "/v/lib/python3.11/site-packages";
    static const struct jw_package pa = { .name = "pa" },
                                   vendor = { .name = "nvidia-cublas-cu12", .vendor = true };
    static const struct {
        const struct jw_package *owner;
        const char *path, *named;
        enum jw_code_of is;
    } rows[] = {
        { &pa, "/pa/a.so", NULL, JW_CODE_OF_USERS },
        { &pa, "/pa/libcudnn.so.9", NULL, JW_CODE_OF_NVIDIA },
        { &pa, "/pa/libcudnn.so.9", "", JW_CODE_OF_NVIDIA },
        { &pa, "/pa/libcudnn.so.9", "/pa/libcudnn.so.9", JW_CODE_OF_USERS },
        { &vendor, "/nvidia/x.so", "/nvidia", JW_CODE_OF_NVIDIA },
        { &vendor, "/nvidia/libnvrtc.so.12", NULL, JW_CODE_OF_TOOLS },
        { &pa, "/pa/tests/t.ptx", NULL, JW_CODE_OF_TESTS },
        { &pa, "/pa/tests/t.ptx", "/pa", JW_CODE_OF_TESTS },
        { &pa, "/pa/tests/t.ptx", "/pa/tests", JW_CODE_OF_USERS },
        { &pa, "/pa/tests/t.ptx", "/pa/tests/t.ptx", JW_CODE_OF_USERS },
        { &pa, "/pa.whl!pa/tests/t.ptx", "/pa.whl", JW_CODE_OF_USERS },
    };
    char path[256], named[256];

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        (void)snprintf(path, sizeof path, "%s%s", site, rows[i].path);
        (void)snprintf(named, sizeof named, "%s%s", site, rows[i].named ? rows[i].named : "");
        CHECK_NUM(jw_code_of(rows[i].owner, path, rows[i].named ? named : NULL), rows[i].is);
    }
    CHECK_NUM(jw_code_of(&pa, "/home/ada/tests/t.ptx", NULL), JW_CODE_OF_USERS);
    CHECK(jw_is_in("/a/b", "/a") && jw_is_in("/a", "/a") && jw_is_in("/a.whl!x", "/a.whl")
          && !jw_is_in("/ab", "/a"));
}
