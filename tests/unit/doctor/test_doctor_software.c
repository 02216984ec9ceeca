/* What software does on a GPU: made-up circumstances in, a verdict out; the sentences that it becomes. */
#include "check.h"
#include "doctor/doctor.h"
#include "doctor/doctor_software.h"
#include "facts/gpus.h"

#include <string.h>

static struct jw_arena arena;

static struct jw_gpu gpu(const char *name)
{
    struct jw_gpu g;
    struct jw_err err = { 0 };

    CHECK_OK(jw_gpu_parse(name, &g, &err), err);
    return g;
}

static struct jw_software table(const struct jw_software_case *c, const char *text)
{
    struct jw_release r;
    struct jw_software s = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_release_parse(text, &r));
    CHECK_OK(jw_software_of_release(c, &r, &arena, &s, &err), err);
    return s;
}

static const char *verdict(const struct jw_software_case *c, const char *text)
{
    struct jw_software s = table(c, text);
    const char *name = jw_software_verdict_names[jw_check_software(c, &s, 0).verdict];

    return name ? name : "unknown";
}

static struct jw_findings findings(const struct jw_software_case *c, const struct jw_software *s)
{
    struct jw_software_check k[8];
    struct jw_findings f = JW_FINDINGS(&arena);

    for (size_t i = 0; i < c->n_gpus; i++)
        k[i] = jw_check_software(c, s, i);
    jw_doctor_software(c, s, 1, k, &f);
    return f;
}

static struct jw_findings say(const struct jw_software_case *c, const char *text)
{
    struct jw_software *s = jw_arena_alloc(&arena, sizeof *s);

    *s = table(c, text);
    return findings(c, s);
}

static const struct jw_finding *found(const struct jw_findings *f, const char *id)
{
    static const struct jw_finding none = { .text = "", .consequence = "", .fix = "", .command = "" };
    const struct jw_finding *one = jw_finding_of(f, id);

    CHECK(one != NULL);
    return one ? one : &none;
}

TEST(verdicts_of_the_table)
{
    static const struct {
        const char *gpu, *software, *driver, *verdict;
        enum jw_build_system system;
    } cases[] = {
        { "10de:2484", "tensorflow==2.3.1", NULL, "JIT_FIRST", JW_BUILD_WINDOWS },
        { "10de:1427", "tensorflow==2.3.1", NULL, "NATIVE", JW_BUILD_WINDOWS },
        { "10de:2484", "tensorflow==2.10.0", NULL, "NATIVE", JW_BUILD_WINDOWS },
        { "10de:24a0", "tensorflow==2.11", NULL, "CPU_BUILD", JW_BUILD_WINDOWS },
        { "10de:1b80", "tensorflow==2.0.0", NULL, "NATIVE", JW_BUILD_LINUX },
        { "10de:1c03", "torch==2.9.1", NULL, "NO_KERNEL", JW_BUILD_LINUX },
        { "10de:2bb1", "torch==2.6", NULL, "NO_KERNEL", JW_BUILD_LINUX },
        { "10de:2bb1", "torch==2.8", "570.124.06", "NATIVE", JW_BUILD_LINUX },
        { "10de:2bb1", "torch==2.11", "570.124.06", "DRIVER_OLD", JW_BUILD_LINUX },
        { "10de:1c03", "tensorflow==1.3", "361.62", "DRIVER_OLD", JW_BUILD_LINUX },
        { "10de:2484", "tensorflow-cpu==2.3.1", NULL, "CPU_BUILD", JW_BUILD_LINUX },
        { "10de:2484", "tensorflow==2.24", NULL, "unknown", JW_BUILD_LINUX },
        { "10de:2484", "tensorflow==2.30", NULL, "unknown", JW_BUILD_LINUX },
        { "10de:2486", "torch==1.10", NULL, "NO_KERNEL", JW_BUILD_LINUX },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_gpu g = gpu(cases[i].gpu);
        const struct jw_software_case c = {
            .system = cases[i].system, .driver = cases[i].driver, .gpus = &g, .n_gpus = 1
        };

        CHECK_TEXT(verdict(&c, cases[i].software), cases[i].verdict);
    }
}

/* Software known from its files: ready code, libraries to install and PTX to compile do not help a driver that is too old. */
TEST(a_toolkit_newer_than_the_driver)
{
    static const struct {
        const char *driver;
        unsigned cuda;
        const char *verdict, *needs;
    } cases[] = {
        { "450.248.02", 1202, "DRIVER_OLD", "525.60.13" }, { "470.256.02", 1200, "DRIVER_OLD", "525.60.13" },
        { "525.147.05", 1202, "LIBS_MISSING", NULL },      { "470.256.02", 1100, "LIBS_MISSING", NULL },
        { "418.226.00", 1100, "DRIVER_OLD", "450.51.05" }, { NULL, 1202, "LIBS_MISSING", NULL },
        { "450.248.02", 0, "LIBS_MISSING", NULL },
    };
    static const struct jw_gpu_code kinds[] = { { .native = 3 }, { .jit = 3 }, { .warm = 3 } };
    struct jw_gpu g = gpu("sm_80");

    for (size_t i = 0; i < JW_COUNT(cases); i++)
        for (size_t k = 0; k < JW_COUNT(kinds); k++) {
            struct jw_gpu_code code = kinds[k];
            const struct jw_software_case c = {
                .system = JW_BUILD_LINUX, .driver = cases[i].driver, .gpus = &g, .n_gpus = 1
            };
            const struct jw_software s = { .title = "CTranslate2",
                                           .version = "4.4.0",
                                           .from = JW_FROM_FILES,
                                           .product = JW_NO_PRODUCT,
                                           .modules = 3,
                                           .libraries = { .looked = true,
                                                          .missing = "libcublas.so.12",
                                                          .install = "",
                                                          .unseen = "",
                                                          .folders = "" },
                                           .code = &code };
            struct jw_findings f;

            jw_block_by_toolkit(&c, cases[i].cuda, &code);
            CHECK_TEXT(jw_software_verdict_names[jw_check_software(&c, &s, 0).verdict], cases[i].verdict);
            f = findings(&c, &s);
            if (!cases[i].needs) {
                CHECK(!jw_finding_of(&f, "framework-driver-old"));
                continue;
            }
            CHECK_HAS(found(&f, "framework-driver-old")->text, cases[i].needs);
            CHECK_HAS(found(&f, "framework-driver-old")->text,
                      cases[i].cuda >= 1200 ? "CUDA 12, which" : "CUDA 11, which");
            CHECK(!jw_finding_of(&f, "framework-libs-missing"));
        }
}

/* Installing its libraries helps only where some of its code runs. */
TEST(libraries_of_software_that_the_driver_cannot_read)
{
    static const struct {
        struct jw_gpu_code code;
        const char *verdict;
        bool install;
    } cases[] = { { { .blocked = 34, .isa_major = 8, .isa_minor = 7 }, "PTX_TOO_NEW", false },
                  { { .blocked = 1, .jit = 33, .isa_major = 8, .isa_minor = 7 }, "LIBS_MISSING", true } };
    struct jw_gpu g = gpu("sm_90");
    struct jw_doctor_machine m = { .probe.driver.cuda_version = 12040 };
    const struct jw_software_case c = {
        .machine = &m, .system = JW_BUILD_LINUX, .driver = "550.163.01", .gpus = &g, .n_gpus = 1
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_gpu_code code = cases[i].code;
        const struct jw_software s = { .title = "CTranslate2",
                                       .version = "4.8.5",
                                       .from = JW_FROM_FILES,
                                       .package = "ctranslate2",
                                       .product = JW_NO_PRODUCT,
                                       .modules = 34,
                                       .libraries = { .looked = true,
                                                      .missing = "libcublas.so.12",
                                                      .install = "pip install nvidia-cublas-cu12",
                                                      .unseen = "",
                                                      .folders = "" },
                                       .code = &code };
        struct jw_findings f = findings(&c, &s);

        CHECK_TEXT(jw_software_verdict_names[jw_check_software(&c, &s, 0).verdict], cases[i].verdict);
        CHECK(!jw_finding_of(&f, "framework-libs-missing") == !cases[i].install);
        CHECK_HAS(found(&f, "framework-ptx-too-new")->fix,
                  "install a version of CTranslate2 that is built with CUDA 12.4 or older (jitwarm scan "
                  "ctranslate2==VERSION shows what it holds)");
    }
}

/* One cause, one command: that of the finding about the machine, which comes first. */
TEST(what_has_the_driver_keep_nothing_comes_first)
{
    static const struct {
        const char *name, *value, *cause;
    } cases[] = { { "CUDA_CACHE_DISABLE", "1", "cache-disabled" },
                  { "CUDA_CACHE_MAXSIZE", "4G", "cache-limit-junk" },
                  { "CUDA_CACHE_MAXSIZE", "1048576", "cache-limit-small" },
                  { "HOME", "/home/ada", "cache-path-unwritable" } };
    struct jw_gpu g = gpu("sm_90");
    struct jw_doctor_machine m = { 0 };
    struct jw_gpu_code code = { .jit = 24, .ptx_bytes = 24 << 20, .from = "compute_86" };
    const struct jw_software s = { .title = "CTranslate2",
                                   .version = "4.4.0",
                                   .from = JW_FROM_FILES,
                                   .product = JW_NO_PRODUCT,
                                   .code = &code };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_variable set = { cases[i].name, cases[i].value };
        const struct jw_software_case c = { .machine = &m,
                                            .system = JW_BUILD_LINUX,
                                            .env = &set,
                                            .n_env = 1,
                                            .gpus = &g,
                                            .n_gpus = 1,
                                            .not_kept = i == JW_COUNT(cases) - 1 ? "the cause" : NULL };
        struct jw_software_check check = jw_check_software(&c, &s, 0);
        struct jw_findings f = JW_FINDINGS(&arena);

        JW_FINDING(&f, .id = "cache-evicted", .severity = JW_WARNING, .text = "another", .cost_s = 1);
        JW_FINDING(&f, .id = cases[i].cause, .severity = JW_WARNING, .text = "the cause", .command = "mend");
        jw_doctor_software(&c, &s, 1, &check, &f);
        jw_findings_sort(&f);
        CHECK_TEXT(f.v[0].id, cases[i].cause);
        CHECK(!found(&f, "framework-jit-every")->command);
        CHECK_HAS(found(&f, "framework-jit-every")->fix, cases[i].cause);
        CHECK(!strstr(found(&f, "framework-jit-every")->text, "probably"));
    }
}

/* What was seen of this machine's mounts is certain, and what a log says of a container is not. */
TEST(a_container_that_was_seen)
{
    struct jw_gpu g = gpu("sm_90");
    struct jw_doctor_machine m = { .windows = false };
    struct jw_gpu_code code = { .jit = 24, .ptx_bytes = 24 << 20 };
    const struct jw_software s = {
        .title = "CTranslate2", .from = JW_FROM_FILES, .product = JW_NO_PRODUCT, .code = &code
    };
    struct jw_software_case c = {
        .machine = &m, .system = JW_BUILD_LINUX, .container = true, .gpus = &g, .n_gpus = 1
    };

    CHECK_NUM(jw_check_software(&c, &s, 0).certainty, JW_CERTAIN);
    c.machine = NULL;
    CHECK_NUM(jw_check_software(&c, &s, 0).certainty, JW_LIKELY);
}

TEST(a_cache_that_keeps_nothing)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_variable set = { "CUDA_CACHE_DISABLE", "1" };
    struct jw_software_case c = {
        .system = JW_BUILD_WINDOWS, .gpus = &g, .n_gpus = 1, .env = &set, .n_env = 1
    };
    struct jw_findings f;

    CHECK_TEXT(verdict(&c, "tensorflow==2.3.1"), "JIT_EVERY");
    f = say(&c, "tensorflow==2.3.1");
    CHECK_HAS(found(&f, "framework-jit-every")->text, "CUDA_CACHE_DISABLE=1 switches the driver's cache off");
    CHECK_TEXT(found(&f, "framework-jit-every")->command, "setx CUDA_CACHE_DISABLE 0");
    CHECK_HAS(found(&f, "framework-jit-every")->fix,
              "switch the cache on again, and set CUDA_CACHE_MAXSIZE=");
    CHECK(!strstr(found(&f, "framework-jit-every")->fix, "CUDA_CACHE_DISABLE")); /* the command says it */
    set = (struct jw_variable){ "CUDA_CACHE_MAXSIZE", "4G" };
    f = say(&c, "tensorflow==2.3.1");
    CHECK_HAS(found(&f, "framework-jit-every")->text, "digits only");
    CHECK_HAS(found(&f, "framework-jit-every")->command, "jitwarm env apply --max-size ");
    set.value = "4294967296";
    CHECK_TEXT(verdict(&c, "tensorflow==2.3.1"), "JIT_FIRST");
    set.value = "4294967296B"; /* the digits count */
    CHECK_TEXT(verdict(&c, "tensorflow==2.3.1"), "JIT_FIRST");
    set = (struct jw_variable){ "CUDA_DISABLE_PTX_JIT", "1" };
    f = say(&c, "tensorflow==2.3.1");
    CHECK_HAS(found(&f, "framework-no-kernel")->text, "forbids that");
    c.n_env = 0;
    c.not_kept = "the folder is gone";
    f = say(&c, "tensorflow==2.3.1");
    CHECK_HAS(found(&f, "framework-jit-every")->text, "the folder is gone");
    c.not_kept = NULL;
    c.container = true;
    f = say(&c, "tensorflow==2.3.1");
    CHECK_HAS(found(&f, "framework-jit-every")->command, "jitwarm env --shell docker");
    CHECK_HAS(found(&f, "framework-jit-every")->text, "at the first start in each container: ");
    CHECK_HAS(found(&f, "framework-jit-every")->consequence,
              "the first start in each container seems to hang");
}

TEST(the_first_start_and_a_version_that_needs_none)
{
    struct jw_gpu g = gpu("10de:2484");
    const struct jw_software_case c = { .system = JW_BUILD_WINDOWS, .gpus = &g, .n_gpus = 1 };
    struct jw_findings f = say(&c, "tensorflow==2.3.1");
    const struct jw_finding *one = found(&f, "framework-jit-first");

    CHECK_HAS(one->text, "compiles its PTX (compute_70) at the first start");
    CHECK_HAS(one->consequence, "3 min 56 s");
    /* 2.4 has it, too, but its ptxas of CUDA 11.0 does not know the GPU. */
    CHECK_HAS(one->fix, "To avoid compiling: TensorFlow 2.5 to 2.6 (CUDA 11.2) has machine code for it");
    CHECK_HAS(one->evidence, "table of frameworks: TensorFlow 2.3, CUDA 10.1");
    CHECK_HAS(one->command, "jitwarm env apply --max-size ");
    f = say(&c, "tensorflow==2.4.0");
    CHECK_HAS(found(&f, "not-compat")->text, "the driver compiles nothing");
    CHECK_HAS(found(&f, "ptxas-old")->text, "ptxas of CUDA 11.0 does not know sm_86");
}

TEST(what_was_reported)
{
    struct jw_gpu g = gpu("10de:2bb1");
    const struct jw_software_case c = {
        .system = JW_BUILD_LINUX, .driver = "580.142", .gpus = &g, .n_gpus = 1
    };
    struct jw_findings f = say(&c, "tensorflow==2.19");

    CHECK_HAS(found(&f, "framework-jit-fails")->text, "CUDA_ERROR_INVALID_PTX");
    CHECK_HAS(found(&f, "driver-known-bad")->text, "hang for ever");
}

TEST(libraries_that_are_not_there)
{
    struct jw_gpu g = gpu("10de:24a0");
    struct jw_software_case c = { .system = JW_BUILD_WINDOWS,
                                  .gpus = &g,
                                  .n_gpus = 1,
                                  .cuda = { .looked = true },
                                  .cudnn = { .looked = true } };
    struct jw_findings f = say(&c, "tensorflow==2.10.0");

    CHECK_HAS(found(&f, "framework-libs-missing")->text, "the libraries of CUDA 11.2");
    CHECK_HAS(found(&f, "framework-libs-missing")->command, "cudatoolkit=11.2");
    c.cuda.majors = 1U << 11;
    c.cudnn.majors = 1U << 8;
    CHECK_TEXT(verdict(&c, "tensorflow==2.10.0"), "NATIVE");
    c.cuda.majors = 1U << 12;
    CHECK_TEXT(verdict(&c, "tensorflow==2.10.0"), "LIBS_MISSING");
}

TEST(ptx_that_is_too_new)
{
    static const struct {
        const char *driver, *path, *error, *fix;
        unsigned cuda;
    } cases[] = { { "390.157", "/opt/k.ptx", "error 218", "make k with CUDA 9.1 or older", 9010 },
                  { "470.256.02", "/opt/libk.so", "error 222", "a version of k that is built", 11040 } };
    struct jw_gpu g = gpu("sm_70");

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_gpu_code code = { .blocked = 1, .isa_major = 8, .isa_minor = 7, .needs_driver = "570" };
        struct jw_doctor_machine m = { .who.distro = "debian", .probe.driver.cuda_version = cases[i].cuda };
        const struct jw_software_case c = {
            .machine = &m, .system = JW_BUILD_LINUX, .driver = cases[i].driver, .gpus = &g, .n_gpus = 1
        };
        const struct jw_software s = { .title = "k",
                                       .version = "",
                                       .from = JW_FROM_FILES,
                                       .path = cases[i].path,
                                       .is_ptx = strstr(cases[i].path, ".ptx") != NULL,
                                       .product = JW_NO_PRODUCT,
                                       .modules = 1,
                                       .code = &code };
        struct jw_findings f = findings(&c, &s);

        CHECK_HAS(found(&f, "framework-ptx-too-new")->consequence, cases[i].error);
        CHECK_HAS(found(&f, "framework-ptx-too-new")->fix, cases[i].fix);
        CHECK(!found(&f, "framework-ptx-too-new")->command); /* Debian's own may be too old, too */
    }
}

/* As status and prime count them. */
TEST(what_the_driver_refused_or_must_compile_each_time)
{
    static const struct jw_variable forced = { "CUDA_FORCE_PTX_JIT", "1" };
    static const struct {
        struct jw_gpu_code code;
        const char *verdict, *id, *text;
        bool forced;
    } cases[] = {
        { { .refused = 1 }, "REFUSED", "modules-refused", "cannot compile 1 module of Solver", false },
        { { .refused = 2, .warm = 3 }, "REFUSED", "modules-refused", "2 modules of Solver", false },
        { { .refused = 1, .jit = 1, .ptx_bytes = 900 },
          "JIT_FIRST",
          "framework-jit-little",
          "the first start",
          false },
        { { .jit = 1, .warm = 2, .damaged = 1, .ptx_bytes = 900 },
          "JIT_FIRST",
          "framework-jit-little",
          "compiles 1 of 3 modules of Solver for",
          false },
        { { .jit = 1, .warm = 2, .damaged = 1, .ptx_bytes = 900 },
          "JIT_FIRST",
          "framework-jit-little",
          "; 2 modules are warm already; 1 entry of it in the cache is damaged",
          false },
        { { .jit = 1, .ptx_bytes = 900 }, "JIT_EVERY", "framework-jit-little", "at every start", true },
        { { .none = 2 },
          "NO_KERNEL",
          "framework-no-kernel",
          "machine code, and Solver has no PTX for",
          true },
        { { .none = 2, .jit = 1 },
          "NO_KERNEL",
          "framework-no-kernel",
          "and most of Solver has no PTX",
          true },
        { { .none = 2 },
          "NO_KERNEL",
          "framework-no-kernel",
          "Solver cannot run on a GPU of compute capability 9.0: it has neither machine code nor PTX",
          false },
        { { .none = 2, .native = 1 },
          "NO_KERNEL",
          "framework-no-kernel",
          "most of Solver cannot run on a GPU of compute capability 9.0: that part has neither machine code "
          "nor PTX",
          false },
    };
    struct jw_gpu g = gpu("sm_90");
    struct jw_doctor_machine m = { .over_limit = true };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_gpu_code code = cases[i].code;
        const struct jw_software_case c = { .machine = &m,
                                            .system = JW_BUILD_LINUX,
                                            .gpus = &g,
                                            .n_gpus = 1,
                                            .env = &forced,
                                            .n_env = cases[i].forced };
        const struct jw_software s = { .title = "Solver",
                                       .version = "",
                                       .from = JW_FROM_FILES,
                                       .product = JW_NO_PRODUCT,
                                       .modules = 3,
                                       .code = &code };
        struct jw_findings f = findings(&c, &s);

        CHECK_TEXT(jw_software_verdict_names[jw_check_software(&c, &s, 0).verdict], cases[i].verdict);
        CHECK_HAS(found(&f, cases[i].id)->text, cases[i].text);
    }
    struct jw_gpu_code warm = { .warm = 3 };
    const struct jw_software_case c = { .machine = &m, .system = JW_BUILD_LINUX, .gpus = &g, .n_gpus = 1 };
    const struct jw_software s = { .title = "Solver",
                                   .version = "",
                                   .from = JW_FROM_FILES,
                                   .product = JW_NO_PRODUCT,
                                   .modules = 3,
                                   .code = &warm };
    struct jw_findings f = findings(&c, &s);

    CHECK_HAS(found(&f, "framework-warm")->consequence, "more than its limit");
}

/* driver-fact: F101-newer-text */
TEST(the_error_of_code_for_newer_gpus)
{
    static const struct {
        const char *path, *error;
    } cases[] = { { "/opt/k.ptx", "(218)" }, { "/opt/libk.so", "(error 209)" } };
    struct jw_gpu g = gpu("sm_86");
    struct jw_gpu_code code = { .none = 1 };
    const struct jw_software_case c = { .system = JW_BUILD_LINUX, .gpus = &g, .n_gpus = 1 };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        const struct jw_software s = { .title = "k",
                                       .version = "",
                                       .from = JW_FROM_FILES,
                                       .is_ptx = strstr(cases[i].path, ".ptx") != NULL,
                                       .path = cases[i].path,
                                       .product = JW_NO_PRODUCT,
                                       .modules = 1,
                                       .code = &code };
        struct jw_findings f = findings(&c, &s);

        CHECK_HAS(found(&f, "framework-no-kernel")->consequence, cases[i].error);
        CHECK_HAS(found(&f, "framework-no-kernel")->fix, "for compute capability 8.6");
    }
}

TEST(its_own_message)
{
    struct jw_gpu g = gpu("sm_120");
    const struct jw_software_case c = { .system = JW_BUILD_LINUX, .gpus = &g, .n_gpus = 1 };
    struct jw_software s;
    struct jw_findings f;
    struct jw_err err = { 0 };

    CHECK(jw_software_of_message(&c, "PyTorch", "50 60 70 75 80 86 90", "", &arena, &s, &err));
    f = findings(&c, &s);
    CHECK_HAS(found(&f, "framework-no-kernel")->evidence, "its own message");
    CHECK(jw_software_of_message(&c, "PyTorch", "50 60", "90", &arena, &s, &err));
    CHECK_NUM(jw_check_software(&c, &s, 0).verdict, JW_SOFTWARE_JIT_FIRST);
    CHECK_TEXT(s.code[0].from, "compute_90");
}

TEST(drivers)
{
    struct jw_gpu g = gpu("10de:1c03");
    struct jw_software_case c = { .system = JW_BUILD_LINUX, .driver = "361.62", .gpus = &g, .n_gpus = 1 };
    struct jw_findings f = say(&c, "tensorflow==1.4");

    CHECK_HAS(found(&f, "driver-old-for-gpu")->text, "needs 367 or newer");
    c.driver = "590.44.01";
    f = say(&c, "tensorflow==1.4");
    CHECK_HAS(found(&f, "gpu-dropped")->text, "R580 is the last that does");
    g = gpu("10de:2bb1");
    c.driver = "570.124.06";
    c.container = true;
    f = say(&c, "torch==2.11");
    CHECK_HAS(found(&f, "framework-driver-old")->text, "CUDA 13.0, which needs driver >= 580");
    CHECK_HAS(found(&f, "framework-driver-old")->fix, "inside a container it cannot be changed");
}

TEST(equal_gpus_are_one_finding)
{
    struct jw_gpu two[2] = { gpu("10de:2484"), gpu("10de:2484") };
    const struct jw_software_case c = { .system = JW_BUILD_LINUX, .gpus = two, .n_gpus = 2 };

    CHECK_NUM(say(&c, "tensorflow==2.3.1").n, 1);
}

TEST(what_is_warm_or_small)
{
    struct jw_gpu g = gpu("10de:2484");
    const struct jw_software_case c = { .system = JW_BUILD_LINUX, .gpus = &g, .n_gpus = 1 };
    struct jw_gpu_code code = { .jit = 2, .ptx_bytes = 1 << 16, .from = "compute_70" };
    struct jw_software s = { .title = "app",
                             .version = "1",
                             .from = JW_FROM_FILES,
                             .path = "a.so",
                             .modules = 2,
                             .product = JW_NO_PRODUCT,
                             .code = &code };
    struct jw_findings f = findings(&c, &s);

    CHECK_NUM(found(&f, "framework-jit-little")->severity, JW_NOTE);
    code = (struct jw_gpu_code){ .warm = 2 };
    f = findings(&c, &s);
    CHECK_HAS(found(&f, "framework-warm")->text, "all 2 modules");
    CHECK_TEXT(found(&f, "framework-warm")->consequence, "the next start compiles nothing");

    const struct jw_primed primed = { .last.on_use = 180 };
    const struct jw_doctor_machine m = { .primed = &primed };
    const struct jw_software_case primed_here = {
        .machine = &m, .system = JW_BUILD_LINUX, .gpus = &g, .n_gpus = 1
    };

    f = findings(&primed_here, &s);
    CHECK_HAS(found(&f, "framework-warm")->consequence,
              "of its own files; 180 modules of NVIDIA's own libraries are compiled when a program uses them "
              "(jitwarm prime --all warms them, too)");
    code = (struct jw_gpu_code){ .blocked = 1, .packed = true, .needs_driver = "555" };
    CHECK_NUM(jw_check_software(&c, &s, 0).verdict, JW_SOFTWARE_DRIVER_OLD);
    code = (struct jw_gpu_code){ .blocked = 1, .cuda_13 = true, .needs_driver = "580" };
    CHECK_NUM(jw_check_software(&c, &s, 0).verdict, JW_SOFTWARE_DRIVER_OLD);
    f = findings(&c, &s);
    CHECK_HAS(found(&f, "framework-driver-old")->text, "of CUDA 13; drivers before 580");
    code = (struct jw_gpu_code){ .blocked = 1, .isa_major = 8, .isa_minor = 7, .needs_driver = "570" };
    f = findings(&c, &s);
    CHECK_HAS(found(&f, "framework-ptx-too-new")->text, "version 8.7");
    s.from = JW_FROM_NOTHING;
    f = findings(&c, &s);
    CHECK_HAS(found(&f, "framework-unknown")->text, "not known");
    s.package = "torch";
    s.version = "2.0$(reboot)"; /* of a METADATA that anybody wrote */
    f = findings(&c, &s);
    CHECK_HAS(found(&f, "framework-unknown")->command, "jitwarm scan 'torch==2.0$(reboot)' --gpu sm_");
}
