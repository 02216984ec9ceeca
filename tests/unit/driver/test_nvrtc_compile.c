/* A .cu file to its PTX: what is checked before, what is reported after. */
#include "base/digest.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "driver/nvrtc/nvrtc_compile.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "rigs/nvrtc_rig.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#include <stdlib.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

static const char kernel[] = "extern \"C\" __global__ void first(int *p) {}\n";
static struct jw_arena files;

struct made {
    struct jw_buf ptx;
    struct jw_nvrtc_report r;
    struct jw_err err;
    bool ok;
};

static struct made make(const struct jw_nvrtc_options *o)
{
    struct made m = { .ptx = JW_BUF(JW_MAX_PLAIN) };

    m.ok = jw_nvrtc_compile(o, &files, &m.ptx, &m.r, &m.err);
    CHECK(m.ok ? !m.err.msg[0] : m.err.msg[0] && !m.ptx.n);
    return m;
}

static void made_free(struct made *m)
{
    jw_buf_free(&m->ptx);
}

static struct jw_nvrtc_options with(const char *library, const char *source, const char *arch)
{
    struct jw_nvrtc_options o = { .source = source, .library = built_path(library), .timeout_ms = 60000 };

    CHECK(jw_arch_parse(arch, &o.target));
    return o;
}

/* With the fake and its script; the sentence must have the source's path in it. */
static struct made faked(const char *script, const char *name, const char *text)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, name, text), "sm_80");

    set_variable("FAKE_NVRTC", script);

    struct made m = make(&o);

    if (!m.ok)
        CHECK_HAS(m.err.msg, o.source);
    return m;
}

TEST(a_source_becomes_ptx)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "good.cu", kernel), "sm_86");
    struct made m = make(&o);

    CHECK_TEXT(m.err.msg, "");
    CHECK_HAS(jw_buf_cstr(&m.ptx), ".target sm_86");
    CHECK_HAS(jw_buf_cstr(&m.ptx), ".visible .entry first(");
    CHECK(m.r.major == 13 && m.r.minor == 0);
    CHECK_TEXT(m.r.arch, "compute_86");
    CHECK(m.r.arch_note == NULL);
    CHECK_TEXT(m.r.log, "");
    made_free(&m);
}

TEST(what_nvrtc_is_told)
{
    const char *source = tree_file(&files, "a b/told.cu", "int x;"), *folder = "";
    struct jw_nvrtc_options o = with(FAKE_NVRTC, source, "80");
    struct jw_buf want = JW_BUF(1 << 16);
    char hex[2 * JW_DIGEST + 1];
    uint8_t digest[JW_DIGEST];
    struct jw_err err = { 0 };

    CHECK(jw_real_path(jw_path_dir(&files, source), &files, &folder, &err));
    jw_digest(digest, "int x;", 6);
    jw_digest_hex(hex, digest);
    jw_buf_printf(&want, "told.cu\n6 bytes\n--gpu-architecture=compute_80\n--include-path=%s\n", folder);

    set_variable("FAKE_NVRTC", "version=12.8");
    struct made m = make(&o);
    CHECK(m.ok);
    CHECK_TEXT(m.r.log, jw_buf_cstr(&want));
    made_free(&m);

    set_variable("FAKE_NVRTC", "version=12.9");
    m = make(&o);
    CHECK(m.ok);
    jw_buf_printf(&want, "--frandom-seed=%s\n--no-cache\n", hex);
    CHECK_TEXT(m.r.log, jw_buf_cstr(&want));
    made_free(&m);
    jw_buf_free(&want);
}

/* Its folder is searched for headers, not that of its target. */
TEST(a_source_that_is_a_link_is_told_as_the_link)
{
#if defined(_WIN32)
    SKIP("links and loaders of Linux");
#else
    const char *target = tree_file(&files, "store/1f2e.cu", "int x;"), *folder = tree_dir(&files, "linked");
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_path(&files, "linked/told.cu"), "80");
    struct jw_buf want = JW_BUF(1 << 16);

    CHECK(symlink(target, o.source) == 0);
    jw_buf_printf(&want, "told.cu\n6 bytes\n--gpu-architecture=compute_80\n--include-path=%s\n", folder);
    set_variable("FAKE_NVRTC", "version=12.8");

    struct made m = make(&o);

    CHECK(m.ok);
    CHECK_TEXT(m.r.log, jw_buf_cstr(&want));
    made_free(&m);
    jw_buf_free(&want);
#endif
}

TEST(a_mark_of_utf8_is_dropped)
{
    struct made m = faked("", "bom.cu", "\xef\xbb\xbfint x;");

    CHECK(m.ok);
    CHECK_HAS(m.r.log, "bom.cu\n6 bytes\n");
    made_free(&m);
}

TEST(an_older_architecture_is_told)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "new.cu", kernel), "compute_120");

    set_variable("FAKE_NVRTC", "version=12.4 archs=75,80,90");

    struct made m = make(&o);

    CHECK(m.ok);
    CHECK_TEXT(m.r.arch, "compute_90");
    CHECK_TEXT(m.r.arch_note,
               "NVRTC 12.4 does not know compute_120; compute_90 is the newest before it that it "
               "knows, which the GPU takes, too");
    CHECK_HAS(m.r.log, "--gpu-architecture=compute_90\n");
    made_free(&m);
}

TEST(one_that_does_not_tell_its_architectures_is_taken)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC_OLD, tree_file(&files, "old.cu", kernel), "sm_86");

    set_variable("FAKE_NVRTC", "version=11.1");

    struct made m = make(&o);

    CHECK(m.ok && m.r.major == 11);
    CHECK_TEXT(m.r.arch, "compute_86");
    made_free(&m);
}

TEST(a_library_that_hangs_or_prints_when_it_is_loaded_or_compiles)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "x.cu", kernel), "sm_80");

    o.timeout_ms = 2000;
    set_variable("FAKE_NVRTC", "load-hang");

    struct made m = make(&o);

    CHECK_HAS(m.err.msg, " could not be loaded within 2 s and was ended");
    made_free(&m);
    m = faked("noise", "x.cu", kernel);
    CHECK(m.ok);
    made_free(&m);
}

TEST(ptx_that_the_driver_here_does_not_compile_is_not_made)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), "sm_86");

    o.driver_cuda = 12080;

    struct made m = make(&o);

    CHECK_NUM(m.err.code, JW_E_DRIVER);
    CHECK_HAS(m.err.msg,
              ") makes PTX that the driver here, of CUDA 12.8, does not compile; try \"pip install "
              "nvidia-cuda-nvrtc-cu12\"");
    made_free(&m);
    o.driver_cuda = 13000;
    m = make(&o);
    CHECK(m.ok);
    made_free(&m);
}

TEST(no_architecture_for_it)
{
    static const struct {
        const char *arch, *sentence, *package;
    } all[] = {
        { "compute_61", ") compiles for compute_75 to compute_121, not for compute_61; try ",
          "\"pip install nvidia-cuda-nvrtc-cu12\"" },
        { "sm_37", "not for compute_37; try ", "\"pip install nvidia-cuda-nvrtc-cu11\"" },
        { "compute_107a", "not for compute_107a; try ", "\"pip install nvidia-cuda-nvrtc\"" },
    };

    for (size_t i = 0; i < JW_COUNT(all); i++) {
        struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), all[i].arch);
        struct made m = make(&o);

        CHECK_NUM(m.err.code, JW_E_DRIVER);
        CHECK_HAS(m.err.msg, "x.cu: NVRTC 13.0 (");
        CHECK_HAS(m.err.msg, all[i].sentence);
        CHECK_HAS(m.err.msg, all[i].package);
        made_free(&m);
    }
}

static void source_fails(const char *path, enum jw_code code, const char *sentence)
{
    struct jw_nvrtc_options o = with(FAKE_EMPTY, path, "sm_90");
    struct made m = make(&o);

    CHECK_NUM(m.err.code, code);
    CHECK_HAS(m.err.msg, path);
    CHECK_HAS(m.err.msg, sentence);
    CHECK(!m.r.major);
    made_free(&m);
}

TEST(sources_that_are_none)
{
    char *huge = malloc(JW_MAX_CU_SOURCE + 1);

    memset(huge, ' ', JW_MAX_CU_SOURCE + 1);
    source_fails(tree_path(&files, "missing.cu"), JW_E_IO, ": no such file");
    source_fails(tree_dir(&files, "folder.cu"), JW_E_IO, "folder.cu: ");
    source_fails(tree_file(&files, "empty.cu", ""), JW_E_FORMAT, ": it is empty");
    source_fails(tree_file(&files, "bom.cu", "\xef\xbb\xbf"), JW_E_FORMAT, ": it is empty");
    source_fails(tree_bytes(&files, "with-nul.cu", "int\0x;", 6), JW_E_FORMAT,
                 ": it is no text: byte 3 is a NUL");
    source_fails(tree_bytes(&files, "huge.cu", huge, JW_MAX_CU_SOURCE + 1), JW_E_LIMIT,
                 ": a source of more than 67108864 bytes");
    free(huge);
}

TEST(a_source_that_does_not_compile)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "bad.cu", "#error no\n"), "sm_86");
    struct made m = make(&o);

    CHECK_NUM(m.err.code, JW_E_FORMAT);
    CHECK_HAS(m.err.msg, "bad.cu: it does not compile: NVRTC 13.0 says NVRTC_ERROR_COMPILATION");
    CHECK_TEXT(m.r.log, "default_program(1): catastrophic error: #error directive\n");
    made_free(&m);

    m = faked("result=5", "y.cu", kernel);
    CHECK_NUM(m.err.code, JW_E_USAGE);
    made_free(&m);
    m = faked("result=11", "y.cu", kernel);
    CHECK_NUM(m.err.code, JW_E_DRIVER);
    CHECK_HAS(m.err.msg, "y.cu: it does not compile: NVRTC 12.4 says NVRTC_ERROR_OF_A_FAKE");
    made_free(&m);
}

TEST(a_log_is_shown_as_it_can_be)
{
    struct made m = faked("odd", "odd.cu", kernel);

    CHECK(m.ok);
    CHECK_TEXT(m.r.log, "red\\x1b[31m\n\tcaret ^\nbad \\xff, good \xc3\xa9");
    made_free(&m);

    m = faked("log=3000000", "long.cu", kernel);
    CHECK(m.ok && strlen(m.r.log) == JW_MAX_RTC_LOG);
    made_free(&m);
}

TEST(what_is_no_ptx_is_refused)
{
    static const char *const scripts[] = { "ptx=empty", "ptx=rubbish", "ptx=nul", "ptx=huge" };

    for (size_t i = 0; i < JW_COUNT(scripts); i++) {
        struct made m = faked(scripts[i], "x.cu", kernel);

        CHECK(!m.ok);
        made_free(&m);
    }
}

TEST(an_nvrtc_that_dies_costs_nothing_but_the_ptx)
{
    struct made m = faked("crash", "x.cu", kernel);

    CHECK_NUM(m.err.code, JW_E_DRIVER);
    CHECK_HAS(m.err.msg, " ended its process while it compiled: ");
    CHECK_TEXT(m.r.log, "");
    made_free(&m);
    m = faked("exit=3", "x.cu", kernel);
    CHECK_HAS(m.err.msg, ": exit 3");
    made_free(&m);
    m = faked("load-crash", "x.cu", kernel);
    CHECK_HAS(m.err.msg, "x.cu: no NVRTC that can be used to compile it: NVRTC ");
    CHECK_HAS(m.err.msg, " ended its process while it was loaded: ");
    made_free(&m);
}

TEST(an_nvrtc_that_hangs_is_ended)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "x.cu", kernel), "sm_80");

    o.timeout_ms = 2000;
    set_variable("FAKE_NVRTC", "hang");

    struct made m = make(&o);

    CHECK_HAS(m.err.msg, " did not finish within 2 s and was ended");
    made_free(&m);
}

TEST(a_compilation_can_be_interrupted)
{
    atomic_bool stop = true;
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "x.cu", kernel), "sm_80");

    o.interrupted = &stop;
    set_variable("FAKE_NVRTC", "hang");

    struct made m = make(&o);

    CHECK_NUM(m.err.code, JW_E_INTERRUPTED);
    made_free(&m);
}

/* ---- found ---- */

static const char *no_env(void *ctx, struct jw_arena *a, const char *name)
{
    (void)a;
    return strcmp(name, "CUDA_PATH") == 0 ? ctx : NULL;
}

static struct jw_nvrtc_options searched(const char *tree, struct jw_discover_options *where)
{
    static const char *const no_pythons[] = { NULL };
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), "sm_86");
    char cuda[64];

    (void)snprintf(cuda, sizeof cuda, "%s/cuda", tree);
    *where = (struct jw_discover_options){ .env = no_env,
                                           .env_ctx = (void *)(uintptr_t)built_path(tree_path(&files, cuda)),
                                           .home = tree_dir(&files, tree),
                                           .sysroot = tree_dir(&files, tree),
                                           .pythons = no_pythons };
    o.library = NULL;
    o.where = where;
    return o;
}

TEST(none_is_found)
{
    struct jw_discover_options where;
    struct jw_nvrtc_options o = searched("bare", &where);
    struct made m = make(&o);

    if (m.ok)
        SKIP("the loader of this machine knows an NVRTC");
    CHECK_NUM(m.err.code, JW_E_DRIVER);
    CHECK_HAS(m.err.msg, "x.cu: no NVRTC was found to compile it (");
    CHECK_HAS(m.err.msg, jw_os_is_windows() ? "%CUDA_PATH%\\bin" : "$CUDA_HOME");
    CHECK_HAS(m.err.msg, "\"pip install nvidia-cuda-nvrtc\" or NVIDIA's CUDA toolkit gives one");
    made_free(&m);
}

static void put_library(const char *name, const char *built)
{
    struct jw_buf library = JW_BUF(1 << 28);
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(built_path(built), &library, &found, &err) && found);
    (void)tree_bytes(&files, name, library.p, library.n);
    jw_buf_free(&library);
}

TEST(the_one_that_is_there_is_found)
{
    bool windows = jw_os_is_windows();
    const char *name = windows ? "found/cuda/bin/nvrtc64_130_0.dll" : "found/cuda/lib64/libnvrtc.so.13";
    const char *broken = windows ? "found/cuda/bin/nvrtc64_140_0.dll" : "found/cuda/lib64/libnvrtc.so.14";
    const char *builtins =
        windows ? "found/cuda/bin/nvrtc-builtins64_130.dll" : "found/cuda/lib64/libnvrtc-builtins.so.13.0";
    struct jw_discover_options where;
    struct jw_nvrtc_options o = searched("found", &where);

    put_library(name, SIMNVRTC);
    (void)tree_file(&files, broken, "no library");
    (void)tree_file(&files, builtins, "no library, and not needed by this one");

    struct made m = make(&o);

    CHECK_TEXT(m.err.msg, "");
    CHECK(m.ok && m.r.major == 13); /* and not the broken 14 */
    made_free(&m);
}

/* An exact architecture goes before a newer version, what this driver compiles before all, an older one comes last. */
TEST(the_newest_that_compiles_for_it_is_used)
{
    static const struct {
        const char *arch;
        unsigned driver, major;
        const char *made;
    } all[] = { { "sm_90", 0, 13, "compute_90" },
                { "sm_61", 0, 12, "compute_61" },
                { "sm_90", 12040, 12, "compute_90" },
                { "sm_89", 12040, 12, "compute_75" },
                { "sm_89", 0, 13, "compute_89" } };
    bool windows = jw_os_is_windows();
    struct jw_discover_options where;
    struct jw_nvrtc_options o = searched("two", &where);

    put_library(windows ? "two/cuda/bin/nvrtc64_130_0.dll" : "two/cuda/lib64/libnvrtc.so.13", SIMNVRTC);
    put_library(windows ? "two/cuda/bin/nvrtc64_120_0.dll" : "two/cuda/lib64/libnvrtc.so.12", FAKE_NVRTC);
    (void)tree_file(&files,
                    windows ? "two/cuda/bin/nvrtc-builtins64_130.dll"
                            : "two/cuda/lib64/libnvrtc-builtins.so.13.0",
                    "for both");
    set_variable("FAKE_NVRTC", "version=12.4 archs=50,61,75,90");
    for (size_t i = 0; i < JW_COUNT(all); i++) {
        CHECK(jw_arch_parse(all[i].arch, &o.target));
        o.driver_cuda = all[i].driver;

        struct made m = make(&o);

        CHECK_TEXT(m.err.msg, "");
        CHECK_NUM(m.r.major, all[i].major);
        CHECK_TEXT(m.r.arch, all[i].made);
        made_free(&m);
    }
}

/* ---- kept ---- */

static bool made_anew(struct jw_nvrtc_options *o, const char **kept)
{
    struct made m = make(o);
    bool anew = !m.r.reused;

    CHECK_TEXT(m.err.msg, "");
    CHECK(m.ok && m.r.kept && scratch_there(m.r.kept));
    *kept = m.r.kept;
    made_free(&m);
    return anew;
}

TEST(a_source_in_another_folder_is_another_file)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "one/k.cu", kernel), "sm_86");
    const char *one, *again, *two;

    o.keep = tree_path(&files, "folders/sources");
    CHECK(made_anew(&o, &one));
    CHECK(!made_anew(&o, &again));
    CHECK_TEXT(again, one);
    o.source = tree_file(&files, "two/k.cu", kernel);
    CHECK(made_anew(&o, &two));
    CHECK(strcmp(one, two) != 0);
}

/* The loader may find another one tomorrow, behind the same name. */
TEST(what_a_library_of_the_loader_made_is_made_again)
{
#if defined(_WIN32)
    SKIP("links and loaders of Linux");
#else
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), "sm_86");
    const char *first, *again;

    o.keep = tree_path(&files, "loaders/sources");
    put_library("loaders/lib/libnvrtc.so.13", SIMNVRTC);
    o.library = "libnvrtc.so.13";
    set_variable("LD_LIBRARY_PATH", tree_path(&files, "loaders/lib"));
    CHECK(made_anew(&o, &first));
    CHECK(made_anew(&o, &again));
    CHECK_TEXT(again, first);
    set_variable("LD_LIBRARY_PATH", NULL);
#endif
}

/* Each allocation and each verb of the system on our side fails in turn. */
TEST(every_step_may_fail)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), "sm_86");
    unsigned long step = check_fault_step(3);

    for (unsigned long nth = 1;; nth += step) {
        struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN);
        struct jw_nvrtc_report r;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_nvrtc_compile(&o, &files, &ptx, &r, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok ? ptx.n > 0 : err.msg[0] && err.code && (ptx.bad || !ptx.n));
        jw_buf_free(&ptx);
        if (!fired)
            break;
    }
}

/* With a real one, whose path JITWARM_REAL_NVRTC has. */
TEST(a_real_nvrtc)
{
    const char *library = getenv("JITWARM_REAL_NVRTC");
    struct jw_buf first = JW_BUF(JW_MAX_PLAIN);

    if (!library || !*library)
        SKIP("JITWARM_REAL_NVRTC names no NVRTC");
    (void)tree_file(&files, "real/own.h", "#define ONE 1\n");
    (void)tree_file(&files, "other/own.h", "#define ONE 1\n");
    for (int i = 0; i < 2; i++) {
        struct jw_nvrtc_options o =
            with("",
                 tree_file(&files, i ? "real/a.cu" : "other/a.cu",
                           "#include \"own.h\"\nnamespace { __device__ int hidden; }\n"
                           "__global__ void f(int *p) { int unused; hidden += ONE; *p = hidden; }\n"),
                 "sm_86");

        o.library = library;

        struct made m = make(&o);

        CHECK_TEXT(m.err.msg, "");
        CHECK_HAS(m.r.log, "a.cu(3): warning");
        CHECK_HAS(jw_buf_cstr(&m.ptx), ".target sm_86");
        if (!i)
            jw_buf_text(&first, jw_buf_cstr(&m.ptx));
        CHECK_TEXT(jw_buf_cstr(&m.ptx), jw_buf_cstr(&first)); /* wherever it is */
        made_free(&m);
    }
    jw_buf_free(&first);

    struct jw_nvrtc_options bad =
        with("", tree_file(&files, "real/bad.cu", "__global__ void f() { x }\n"), "sm_86");

    bad.library = library;

    struct made m = make(&bad);

    CHECK_NUM(m.err.code, JW_E_FORMAT);
    CHECK_HAS(m.r.log, "bad.cu(1): error: identifier \"x\" is undefined");
    made_free(&m);
}

MAIN(argc, argv)
{
    int code = nvrtc_rig_worker(argc, argv);

    if (code >= 0)
        return code;
    scratch_begin();
    set_variable("SIMNVRTC_VERSION", NULL);
    code = RUN(argc, argv);
    jw_arena_free(&files);
    return code;
}
