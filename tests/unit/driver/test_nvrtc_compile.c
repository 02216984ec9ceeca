/* A .cu file to its PTX: what is checked before, what is reported after. */
#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "driver/nvrtc/nvrtc_compile.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "rigs/faults.h"
#include "rigs/nvrtc_rig.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#include <stdlib.h>
#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

static const char kernel[] = "extern \"C\" __global__ void first(int *p) {}\n";
static struct jw_arena files;

struct made {
    struct jw_nvrtc_made r;
    const char *ptx; /* its text */
    struct jw_err err;
    bool ok;
};

static const char *text_of(const char *path)
{
    struct jw_buf text = JW_BUF_IN(&files, JW_MAX_PLAIN);
    struct jw_err err = {0};
    bool found = false;

    CHECK_OK(jw_file_slurp(path, &text, &found, &err) && found, err);
    return jw_buf_cstr(&text);
}

static struct made make(const struct jw_nvrtc_options *o)
{
    struct made m = {.ptx = ""};

    m.ok = jw_nvrtc_compile(o, &files, &m.r, &m.err);
    CHECK(m.ok ? !m.err.msg[0] : m.err.msg[0] != '\0');
    if (m.ok)
        m.ptx = text_of(m.r.ptx);
    return m;
}

/* A library of the build, where it is trusted: Wine says of a build below /tmp that all may replace
 * its files, as it knows no sticky bit. */
static const char *own_library(const char *library)
{
    struct jw_buf bytes = JW_BUF_IN(&files, JW_MAX_PLAIN);
    struct jw_err err = {0};
    const char *built = built_path(library);
    bool found;

    if (!jw_os_is_windows())
        return built;
    CHECK_OK(jw_file_slurp(built, &bytes, &found, &err), err);
    return tree_bytes(&files, jw_path_base(built), bytes.p, bytes.n);
}

static struct jw_nvrtc_options with(const char *library, const char *source, uint16_t sm)
{
    static const char *place;
    static struct jw_listing one = {&place, 1};

    place = own_library(library);
    return (struct jw_nvrtc_options){.source = source,
                                     .sm = sm,
                                     .libraries = &one,
                                     .folder = tree_dir(&files, "sources"),
                                     .timeout_ms = 60000};
}

/* With the fake and its script. */
static struct made faked(const char *script, const char *name, const char *text)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, name, text), 80);

    set_variable("FAKE_NVRTC", script);
    return make(&o);
}

TEST(a_source_becomes_ptx)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "good.cu", kernel), 86);
    struct made m = make(&o);

    CHECK_TEXT(m.err.msg, "");
    CHECK_HAS(m.ptx, ".target sm_86");
    CHECK_HAS(m.ptx, "//good.cu\n//44 bytes\n");
    CHECK_HAS(m.r.ptx, "-good.ptx");
    CHECK(m.r.note == NULL);
}

TEST(what_nvrtc_is_told)
{
    const char *source = tree_file(&files, "a b/told.cu", "int x;"), *folder = "";
    struct jw_nvrtc_options o = with(FAKE_NVRTC, source, 80);
    FREED(jw_buf) want = JW_BUF(1 << 16);
    uint8_t digest[JW_DIGEST];

    CHECK(jw_real_path(jw_path_dir(&files, source), &files, &folder, &err));
    jw_digest(digest, "int x;", 6);
    jw_buf_printf(&want,
                  "//told.cu\n//6 bytes\n//--gpu-architecture=compute_80\n//--include-path=%s\n",
                  folder);

    set_variable("FAKE_NVRTC", "version=12.8");
    CHECK_TEXT(strstr(make(&o).ptx, "//"), jw_buf_cstr(&want));

    set_variable("FAKE_NVRTC", "version=12.9");
    jw_buf_printf(&want, "//--frandom-seed=%s\n//--no-cache\n", jw_digest_text(digest).text);
    CHECK_TEXT(strstr(make(&o).ptx, "//"), jw_buf_cstr(&want));
}

/* Its folder is searched for headers, not that of its target. */
TEST(a_source_that_is_a_link_is_told_as_the_link)
{
#if defined(_WIN32)
    SKIP("links and loaders of Linux");
#else
    const char *target = tree_file(&files, "store/1f2e.cu", "int x;"),
               *folder = tree_dir(&files, "linked");
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_path(&files, "linked/told.cu"), 80);
    FREED(jw_buf) want = JW_BUF(1 << 16);

    CHECK(symlink(target, o.source) == 0);
    jw_buf_printf(&want,
                  "//told.cu\n//6 bytes\n//--gpu-architecture=compute_80\n//--include-path=%s\n",
                  folder);
    set_variable("FAKE_NVRTC", "version=12.8");
    CHECK_TEXT(strstr(make(&o).ptx, "//"), jw_buf_cstr(&want));
#endif
}

TEST(a_mark_of_utf8_is_dropped)
{
    CHECK_HAS(faked("", "bom.cu", "\xef\xbb\xbfint x;").ptx, "//bom.cu\n//6 bytes\n");
}

TEST(an_older_architecture_is_told)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "new.cu", kernel), 120);

    set_variable("FAKE_NVRTC", "version=12.4 archs=75,80,90");

    struct made m = make(&o);

    CHECK(m.ok);
    CHECK_TEXT(m.r.note,
               "NVRTC 12.4 does not know compute_120; compute_90 is the newest before it that it "
               "knows, which the GPU takes, too");
    CHECK_HAS(m.ptx, "--gpu-architecture=compute_90\n");
}

TEST(one_that_does_not_tell_its_architectures_is_taken)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC_OLD, tree_file(&files, "old.cu", kernel), 86);

    set_variable("FAKE_NVRTC", "version=11.1");
    CHECK_HAS(make(&o).ptx, "--gpu-architecture=compute_86\n");
}

TEST(what_a_library_prints_is_passed_over) { CHECK(faked("noise", "x.cu", kernel).ok); }

TEST(ptx_that_the_driver_here_does_not_compile_is_not_made)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), 86);

    o.driver_cuda = 12080;

    struct made m = make(&o);

    CHECK_NUM(m.err.code, JW_E_DRIVER);
    CHECK_HAS(m.err.msg, ") makes PTX that the driver here, of CUDA 12.8, does not compile; one of "
                         "that CUDA or older does");
    o.driver_cuda = 13000;
    CHECK(make(&o).ok);
}

TEST(no_architecture_for_it)
{
    static const struct {
        uint16_t sm;
        const char *sentence;
    } all[] = {
        {61, ") compiles for compute_75 to compute_121, not for compute_61"},
        {37, "not for compute_37"},
    };

    for (size_t i = 0; i < JW_COUNT(all); i++) {
        struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), all[i].sm);
        struct made m = make(&o);

        CHECK_NUM(m.err.code, JW_E_DRIVER);
        CHECK_HAS(m.err.msg, "NVRTC 13.0 (");
        CHECK_HAS(m.err.msg, all[i].sentence);
    }
}

static void source_fails(const char *path, const char *sentence)
{
    struct jw_nvrtc_options o = with(FAKE_EMPTY, path, 90);
    struct made m = make(&o);

    CHECK(!m.ok);
    CHECK_HAS(m.err.msg, sentence);
}

TEST(sources_that_are_none)
{
    char *huge = malloc(JW_MAX_CU_SOURCE + 5);

    memset(huge, ' ', JW_MAX_CU_SOURCE + 5);
    source_fails(tree_path(&files, "missing.cu"), "no such file");
    source_fails(tree_dir(&files, "folder.cu"), "");
    source_fails(tree_file(&files, "empty.cu", ""), "it is empty");
    source_fails(tree_file(&files, "bom.cu", "\xef\xbb\xbf"), "it is empty");
    source_fails(tree_bytes(&files, "with-nul.cu", "int\0x;", 6), "it is no text: byte 3 is a NUL");
    source_fails(tree_bytes(&files, "huge.cu", huge, JW_MAX_CU_SOURCE + 5),
                 "no room for more than ");
    free(huge);
}

TEST(a_source_that_does_not_compile)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "bad.cu", "#error no\n"), 86);
    struct made m = make(&o);

    CHECK_NUM(m.err.code, JW_E_FORMAT);
    CHECK_HAS(m.err.msg, "it does not compile: NVRTC 13.0: NVRTC_ERROR_COMPILATION: "
                         "default_program(2): catastrophic error: \\x1b[31m#error directive");
    CHECK_HAS(faked("result=6", "y.cu", kernel).err.msg,
              "it does not compile: NVRTC 12.4: NVRTC_ERROR_COMPILATION");
    CHECK_HAS(faked("result=7", "y.cu", kernel).err.msg, /* without its builtins */
              "no NVRTC that can be used to compile it: NVRTC 12.4: NVRTC_ERROR_OF_A_FAKE");
}

/* Nor is the PTX of an earlier compilation touched. */
TEST(what_is_no_ptx_is_refused)
{
    static const char *const scripts[] = {"ptx=empty", "ptx=rubbish", "ptx=nul", "ptx=huge"};
    struct made good = faked("", "x.cu", kernel);

    for (size_t i = 0; i < JW_COUNT(scripts); i++) {
        CHECK(!faked(scripts[i], "x.cu", kernel).ok);
        CHECK_TEXT(text_of(good.r.ptx), good.ptx);
    }
}

/* A library that ends the process with success has made nothing all the same. */
TEST(an_nvrtc_that_dies_costs_nothing_but_the_ptx)
{
    static const char *const scripts[] = {"crash", "exit=3", "exit=0", "load-crash", "load-exit"};
    static const char *const words[] = {" was ended by ", ": exit 3", ": exit 0", " was ended by ",
                                        ": exit 7"};

    for (size_t i = 0; i < JW_COUNT(scripts); i++) {
        struct made m = faked(scripts[i], "x.cu", kernel);

        CHECK_NUM(m.err.code, JW_E_DRIVER);
        CHECK_HAS(m.err.msg, "no NVRTC that can be used to compile it: NVRTC ");
        CHECK_HAS(m.err.msg, words[i]);
    }
}

TEST(an_nvrtc_that_hangs_is_ended)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "x.cu", kernel), 80);

    o.timeout_ms = 2000;
    set_variable("FAKE_NVRTC", "hang");
    CHECK_HAS(make(&o).err.msg, " ran longer than 2000 ms and was ended");
    set_variable("FAKE_NVRTC", "load-hang");
    CHECK_HAS(make(&o).err.msg, " ran longer than 2000 ms and was ended");
}

/* Not after the half hour that a compilation may take. */
TEST(an_nvrtc_that_hangs_while_it_is_loaded_is_ended_soon)
{
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "z.cu", kernel), 80);

    o.timeout_ms = 0;
    set_variable("JW_TEST_HURRY", "60");
    set_variable("FAKE_NVRTC", "load-hang");
    CHECK_HAS(make(&o).err.msg, "no NVRTC that can be used to compile it: NVRTC ");
    set_variable("JW_TEST_HURRY", NULL);
}

TEST(a_compilation_can_be_interrupted)
{
    atomic_bool stop = true;
    struct jw_nvrtc_options o = with(FAKE_NVRTC, tree_file(&files, "x.cu", kernel), 80);

    o.interrupted = &stop;
    set_variable("FAKE_NVRTC", "hang");
    CHECK_NUM(make(&o).err.code, JW_E_INTERRUPTED);
}

/* ---- which one ---- */

TEST(none_is_found)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), 86);
    struct jw_listing none = {0};

    o.libraries = &none;

    struct made m = make(&o);

    CHECK_NUM(m.err.code, JW_E_DRIVER);
    CHECK_HAS(m.err.msg, "no NVRTC was found to compile it: ");
    o = with(FAKE_EMPTY, o.source, 86);
    CHECK_HAS(make(&o).err.msg, ": it is no NVRTC: it has no nvrtcVersion");
}

/* The first that compiles for this GPU and this driver; one that is broken is passed over. */
TEST(the_first_that_compiles_for_it_is_used)
{
    static const struct {
        uint16_t sm;
        unsigned driver;
        const char *made;
    } all[] = {{90, 0, ".version 9.0\n.target sm_90"},
               {61, 0, ".version 8.4\n.target sm_61"},
               {90, 12040, ".version 8.4\n.target sm_90"},
               {89, 12040, ".version 8.4\n.target sm_75"},
               {89, 0, ".version 9.0\n.target sm_89"}};
    const char *places[] = {tree_file(&files, "libnvrtc.so.14", "no library"),
                            own_library(SIMNVRTC), own_library(FAKE_NVRTC)};
    struct jw_listing three = {places, JW_COUNT(places)};
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), 86);

    o.libraries = &three;
    set_variable("FAKE_NVRTC", "version=12.4 archs=50,61,75,90");
    for (size_t i = 0; i < JW_COUNT(all); i++) {
        o.sm = all[i].sm;
        o.driver_cuda = all[i].driver;
        CHECK_HAS(make(&o).ptx, all[i].made);
    }
}

#ifndef _WIN32
/* What another user owns, where root asks; else what everybody may change. */
static void give_away(const char *path)
{
    if (geteuid() == 0)
        CHECK(lchown(path, 65534, 65534) == 0);
    else
        CHECK(chmod(path, 0777) == 0);
}

static const char *planted(const char *name)
{
    FREED(jw_buf) line = JW_BUF(1 << 14);
    const char *path = tree_path(&files, name);

    (void)tree_dir(&files, jw_path_dir(&files, name));
    jw_buf_printf(&line, "cp '%s' '%s' && chmod 755 '%s'", FAKE_NVRTC, path, path);
    CHECK(system(jw_buf_cstr(&line)) == 0);
    return path;
}

static void is_not_loaded(const char *library, const char *why)
{
    const char *places[] = {library, own_library(SIMNVRTC)};
    struct jw_listing one = {places, 1}, both = {places, 2};
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), 86);
    const char *whole = jw_arena_printf(&files, "NVRTC %s was not loaded: %s", library, why);

    set_variable("FAKE_NVRTC", "version=12.4 noise");
    o.libraries = &one;
    struct made none = make(&o);

    CHECK_NUM(none.err.code, JW_E_TRUST);
    CHECK_HAS(none.err.msg, whole);
    o.libraries = &both;
    struct made second = make(&o);

    CHECK(second.ok);
    CHECK_HAS(second.ptx, ".version 9.0\n.target sm_86");
    CHECK_HAS(second.r.untrusted, whole);
}

TEST(one_that_another_user_can_change_is_not_loaded)
{
    const char *can = geteuid() == 0 ? "belongs to user 65534" : "may be changed by everybody";
    const char *file = planted("planted/file/libnvrtc.so.99");
    const char *below = planted("planted/folder/lib/libnvrtc.so.99");
    const char *beside = planted("planted/beside/libnvrtc.so.99");
    const char *folder = tree_path(&files, "planted/folder");
    const char *builtins = planted("planted/beside/libnvrtc-builtins.so.99.9");

    give_away(file);
    is_not_loaded(file, jw_arena_printf(&files, "it %s", can));
    give_away(folder);
    is_not_loaded(below, jw_arena_printf(&files, "its folder %s %s", folder, can));
    give_away(builtins);
    struct jw_listing one = {&beside, 1};
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), 86);

    o.libraries = &one;
    CHECK_HAS(make(&o).err.msg, jw_arena_printf(&files, "NVRTC %s was not loaded: it ", builtins));
}

/* The library that was checked is loaded, not what a link of another user leads to meanwhile. */
TEST(a_link_is_resolved_before_its_library_is_loaded)
{
    const char *file = planted("safe/libnvrtc.so.12"), *link = tree_path(&files, "links/lib");
    const char *places[] = {tree_path(&files, "links/lib/libnvrtc.so.12")};
    struct jw_listing one = {places, 1};
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), 120);

    (void)tree_dir(&files, "links");
    CHECK(symlink(jw_path_dir(&files, file), link) == 0);
    give_away(tree_path(&files, "links"));
    o.libraries = &one;
    set_variable("FAKE_NVRTC", "version=99.1 archs=130");
    CHECK_HAS(make(&o).err.msg, file);
}
#endif

/* ---- kept ---- */

TEST(one_source_is_one_file_which_is_left_alone_while_its_ptx_is_the_same)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "one/k.cu", kernel), 86);
    const char *one = make(&o).r.ptx;
    struct jw_file_info before, after;

    CHECK(jw_file_stat(one, &before, &err));
    CHECK_TEXT(make(&o).r.ptx, one);
    CHECK(jw_file_stat(one, &after, &err) && after.id.node == before.id.node
          && after.mtime == before.mtime);

    (void)tree_file(&files, "one/k.cu", "__global__ void second(int *p) {}\n");
    struct made edited = make(&o);

    CHECK_TEXT(edited.r.ptx, one);
    CHECK_HAS(edited.ptx, "//k.cu\n//34 bytes\n");
    o.sm = 90;
    CHECK(strcmp(make(&o).r.ptx, one) != 0);
    o.sm = 86;
    o.source = tree_file(&files, "two/k.cu", kernel);
    CHECK(strcmp(make(&o).r.ptx, one) != 0);
}

/* Each allocation and each verb of the system on our side fails in turn. */
TEST(every_step_may_fail)
{
    struct jw_nvrtc_options o = with(SIMNVRTC, tree_file(&files, "x.cu", kernel), 86);
    unsigned long step = check_fault_step(3);

    EACH_FAULT (f, step) {
        struct jw_nvrtc_made r;
        bool ok = FAULTED(f, jw_nvrtc_compile(&o, &files, &r, &err));

        CHECK(ok ? scratch_there(r.ptx) : err.msg[0] && err.code);
    }
}

PLAYS(nvrtc_rig_worker)
