/* The classifier: made-up circumstances in, a word out; the sentences that it becomes. */
#include "base/text.h"
#include "check.h"
#include "doctor/doctor_framework.h"
#include "facts/gpus.h"

#include <string.h>

static struct jw_arena arena;

static struct jw_gpu gpu(const char *name)
{
    struct jw_gpu g;
    struct jw_err err = { 0 };

    CHECK(jw_gpu_parse(name, &g, &err));
    CHECK_TEXT(err.msg, "");
    return g;
}

static struct jw_software table(const struct jw_case *c, const char *text)
{
    struct jw_framework_spec spec;
    struct jw_software s = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_framework_parse(text, &spec, &err));
    jw_software_of_table(c, &spec, &arena, &s);
    CHECK_TEXT(err.msg, "");
    return s;
}

static struct jw_judgement judge(const struct jw_case *c, const char *text)
{
    struct jw_software s = table(c, text);

    return jw_judge(c, &s, 0);
}

static void is(struct jw_judgement j, enum jw_word word, enum jw_word also, const char *from)
{
    CHECK_NUM(j.word, word);
    CHECK_NUM(j.also, also);
    CHECK_TEXT(j.from, from);
}

static struct jw_findings say(const struct jw_case *c, const char *text)
{
    static struct jw_judgement j[8];
    static struct jw_software s;
    struct jw_findings f = JW_FINDINGS(&arena);

    s = table(c, text);
    for (size_t i = 0; i < c->n_gpus; i++)
        j[i] = jw_judge(c, &s, i);
    jw_doctor_frameworks(c, &s, 1, j, &f);
    return f;
}

static const char *fix_of(const struct jw_findings *f, const char *id)
{
    const struct jw_finding *one = jw_finding_of(f, id);

    CHECK(one != NULL);
    return one && one->fix ? one->fix : "";
}

TEST(words_have_names)
{
    CHECK(jw_word_name(JW_WORD_NONE) == NULL);
    CHECK_TEXT(jw_word_name(JW_WORD_NATIVE), "NATIVE");
}

/* What the lists of a row say is what scan's own rules say. */
TEST(lists_are_judged_by_the_rules_of_files)
{
    struct jw_gpu_code c = jw_gpu_code_of_lists("35 37 52 60 61 70", "70", 1001, 86, NULL, false);

    CHECK(c.jit == 1 && c.native == 0 && c.none == 0);
    CHECK_TEXT(c.from, "compute_70");
    c = jw_gpu_code_of_lists("35 37 52 60 61 70", "70", 1001, 75, NULL, false);
    CHECK(c.native == 1);
    CHECK_TEXT(c.from, "sm_70");
    c = jw_gpu_code_of_lists("90a", "90a", 1208, 120, NULL, false);
    CHECK_NUM(c.none, 1);
    c = jw_gpu_code_of_lists("100f", "", 1209, 103, NULL, false);
    CHECK_NUM(c.native, 1);
    c = jw_gpu_code_of_lists("86", "86", 1101, 86, NULL, true);
    CHECK(c.jit == 1 && c.native == 0);
    c = jw_gpu_code_of_lists("", "", 0, 86, NULL, false);
    CHECK(c.native + c.jit + c.none + c.blocked == 0);
    /* PTX of CUDA 12.8 and a driver that ends at 12.4. */
    c = jw_gpu_code_of_lists("75", "75", 1208, 86, "550.54.14", false);
    CHECK_NUM(c.blocked, 1);
    CHECK_TEXT(c.needs_driver, "570");
}

/* Machine code that is packed with zstd: no matter of PTX. */
TEST(what_an_old_driver_cannot_unpack)
{
    struct jw_gpu g = gpu("sm_86");
    struct jw_case c = { .system = JW_CASE_LINUX, .driver = "535.104.05", .gpus = &g, .n_gpus = 1 };
    struct jw_framework_build b = jw_no_framework_build;
    struct jw_software s = table(&c, "torch==2.8");
    struct jw_judgement j;

    b.code = "10z/86/";
    s.code[0] = jw_gpu_code_of_build(&b, 86, c.driver, false);
    CHECK(s.code[0].packed && s.code[0].blocked == 10);
    j = jw_judge(&c, &s, 0);
    CHECK_NUM(j.word, JW_WORD_DRIVER_OLD);
    CHECK_NUM(j.reason, JW_BECAUSE_PACKED);
    CHECK(!jw_gpu_code_of_build(&b, 86, "550.54.14", false).packed);
    b.code = "10/86/";
    CHECK(!jw_gpu_code_of_build(&b, 86, c.driver, false).packed);
}

TEST(a_gpu_that_it_knows_and_one_that_it_does_not)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_case c = { .system = JW_CASE_WINDOWS, .gpus = &g, .n_gpus = 1 };

    is(judge(&c, "tensorflow==2.3.1"), JW_WORD_JIT_FIRST, JW_WORD_NONE, "compute_70");
    is(judge(&c, "tensorflow==2.10.0"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
    is(judge(&c, "tensorflow==2.11"), JW_WORD_CPU_BUILD, JW_WORD_NONE, "");
    is(judge(&c, "torch==2.9+cpu"), JW_WORD_CPU_BUILD, JW_WORD_NONE, "");
    c.system = JW_CASE_WSL;
    is(judge(&c, "tensorflow==2.11"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
}

TEST(aarch64_has_builds_of_its_own)
{
    struct jw_gpu g = gpu("H100"), orin = gpu("sm_87");
    struct jw_case c = { .system = JW_CASE_LINUX, .aarch64 = true, .gpus = &g, .n_gpus = 1 };
    struct jw_findings f;

    CHECK_NUM(jw_case_os(&c), JW_ON_AARCH64);
    is(judge(&c, "tensorflow==2.20"), JW_WORD_CPU_BUILD, JW_WORD_NONE, "");
    f = say(&c, "tensorflow==2.20");
    CHECK(f.n && strstr(f.v[0].text, "for aarch64 has no GPU code"));
    jw_arena_free(&arena);
    is(judge(&c, "onnxruntime-gpu==1.31"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_90a");
    CHECK_NUM(judge(&c, "mxnet==1.9").word, JW_WORD_NONE);
    CHECK_NUM(judge(&c, "mxnet==1.9").reason, JW_BECAUSE_SYSTEM);
    c.gpus = &orin;
    f = say(&c, "mxnet==1.9");
    CHECK(f.n && strstr(f.v[0].text, "what MXNet 1.9 holds on aarch64 is not known")
          && strstr(f.v[0].fix, "Jetson"));
    CHECK(strcmp(f.v[0].id, "build-unknown") == 0 && !strstr(f.v[0].evidence, "confidence"));
    jw_arena_free(&arena);
    c.aarch64 = false;
    CHECK_NUM(jw_case_os(&c), JW_ON_LINUX);
}

TEST(the_cache_decides_whether_it_is_once)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_setting one = { "CUDA_CACHE_DISABLE", "1" };
    struct jw_case c = { .system = JW_CASE_LINUX, .gpus = &g, .n_gpus = 1, .env = &one, .n_env = 1 };
    static const struct {
        const char *name, *value;
        enum jw_every every;
        enum jw_certainty certainty;
    } cases[] = {
        { "CUDA_CACHE_DISABLE", "1", JW_CACHE_OFF, JW_CERTAIN },
        { "CUDA_CACHE_DISABLE", "0", JW_KEPT, 0 },
        { "CUDA_CACHE_DISABLE", "", JW_KEPT, 0 },
        { "CUDA_CACHE_MAXSIZE", "268435456", JW_CACHE_SMALL, JW_AT_RISK },
        { "CUDA_CACHE_MAXSIZE", "33554432", JW_CACHE_SMALL, JW_CERTAIN },
        { "CUDA_CACHE_MAXSIZE", "0", JW_CACHE_SMALL, JW_CERTAIN },
        { "CUDA_CACHE_MAXSIZE", "4G", JW_CACHE_SUFFIX, JW_LIKELY },
        { "CUDA_CACHE_MAXSIZE", "1073741824", JW_KEPT, 0 },
        { "CUDA_CACHE_MAXSIZE", "4294967296", JW_KEPT, 0 },
        { "CUDA_CACHE_MAXSIZE", "99999999999999999999999", JW_CACHE_SUFFIX, JW_LIKELY },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        one = (struct jw_setting){ cases[i].name, cases[i].value };
        struct jw_judgement j = judge(&c, "tensorflow==2.3.1");

        CHECK_NUM(j.every, cases[i].every);
        CHECK_NUM(j.word, cases[i].every == JW_KEPT ? JW_WORD_JIT_FIRST : JW_WORD_JIT_EVERY);
        if (cases[i].every != JW_KEPT)
            CHECK_NUM(j.certainty, cases[i].certainty);
    }
    /* Of a build whose size nobody measured, only the old default is too small for sure enough. */
    g = gpu("sm_61");
    c.cuda = (struct jw_library){ JW_PRESENCE_VERSION, 705, 0 };
    one = (struct jw_setting){ "CUDA_CACHE_MAXSIZE", "268435456" };
    CHECK_NUM(judge(&c, "tensorflow==0.9").every, JW_CACHE_SMALL);
    one = (struct jw_setting){ "CUDA_CACHE_MAXSIZE", "268435457" };
    CHECK_NUM(judge(&c, "tensorflow==0.9").every, JW_KEPT);
}

/* The older of two GPUs does not hide what holds of the newer one, and one cure does not stand for another. */
TEST(two_gpus_are_two_matters)
{
    struct jw_gpu g[2] = { gpu("sm_80"), gpu("sm_86") };
    struct jw_case c = { .gpus = g, .n_gpus = 2, .cuda = { JW_PRESENCE_VERSION, 1100, 0 } };
    struct jw_findings f = say(&c, "tensorflow==2.4.1");
    size_t n = 0;

    CHECK_HAS(jw_finding_of(&f, "ptxas-old")->text, "sm_86");
    CHECK_HAS(jw_finding_of(&f, "not-compat")->text, "GPUs of compute capability 8.0 and 8.6");
    g[0] = gpu("sm_90");
    g[1] = gpu("sm_120");
    f = say(&c, "torch==1.13");
    for (size_t i = 0; i < f.n; i++)
        n += strcmp(f.v[i].id, "framework-no-kernel") == 0;
    CHECK_NUM(n, 1);
    CHECK_TEXT(fix_of(&f, "framework-no-kernel"), "on 9.0: use PyTorch >= 2.1; on 12.0: use PyTorch >= 2.8");
}

/* What doctor found of the cache itself. */
TEST(a_cache_that_keeps_nothing)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_case c = { .gpus = &g, .n_gpus = 1, .not_kept = "the disk that the cache is on is full" };
    struct jw_findings f;

    CHECK_NUM(judge(&c, "tensorflow==2.3").every, JW_CACHE_BROKEN);
    is(judge(&c, "tensorflow==2.3"), JW_WORD_JIT_EVERY, JW_WORD_NONE, "compute_70");
    is(judge(&c, "tensorflow==2.10"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
    f = say(&c, "tensorflow==2.3");
    CHECK_HAS(jw_finding_of(&f, "framework-jit-every")->text, ": the disk that the cache is on is full");
    CHECK(jw_finding_of(&f, "framework-jit-every")->command == NULL);
}

TEST(in_a_container)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_setting path = { "CUDA_CACHE_PATH", "/volume/cache" };
    struct jw_case c = { .gpus = &g, .n_gpus = 1, .container = true };
    struct jw_findings f;

    CHECK_NUM(judge(&c, "tensorflow==2.3").every, JW_CACHE_GONE);
    f = say(&c, "tensorflow==2.3");
    CHECK_HAS(fix_of(&f, "framework-jit-every"), "volume");
    c.env = &path;
    c.n_env = 1;
    is(judge(&c, "tensorflow==2.3"), JW_WORD_JIT_FIRST, JW_WORD_NONE, "compute_70");
}

TEST(a_driver_that_is_too_old_or_too_new)
{
    struct jw_gpu g = gpu("10de:1c03"), pro = gpu("10de:2bb1");
    struct jw_case c = { .gpus = &g, .n_gpus = 1, .driver = "361.62" };

    is(judge(&c, "tensorflow==0.12"), JW_WORD_DRIVER_OLD, JW_WORD_DRIVER_OLD, "compute_52");
    c.driver = "590.44.01";
    is(judge(&c, "torch==2.9+cu126"), JW_WORD_NONE, JW_WORD_NONE, "");
    CHECK_NUM(judge(&c, "torch==2.9+cu126").reason, JW_BECAUSE_DROPPED);
    is(judge(&c, "torch==2.9+cu130"), JW_WORD_NO_KERNEL, JW_WORD_NONE, "");
    c.gpus = &pro;
    c.driver = "570.124.06";
    is(judge(&c, "torch==2.9+cu130"), JW_WORD_DRIVER_OLD, JW_WORD_NONE, "");
    is(judge(&c, "torch==2.8+cu128"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_120");
    /* Windows' branches are numbered otherwise: what Linux knew first is no rule there. */
    g = gpu("10de:24a0");
    c.gpus = &g;
    c.system = JW_CASE_WINDOWS;
    c.driver = "452.39";
    is(judge(&c, "tensorflow==2.10"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
    c.driver = "451.82";
    is(judge(&c, "tensorflow==2.10"), JW_WORD_DRIVER_OLD, JW_WORD_NATIVE, "sm_80");
}

TEST(portable_code_that_the_driver_cannot_read)
{
    struct jw_gpu g = gpu("sm_90");
    struct jw_case c = { .gpus = &g, .n_gpus = 1, .driver = "525.60.13" };
    struct jw_findings f;

    /* CUDA 12 starts on R525 and later; the PTX of 12.2 is read from R535 on. */
    is(judge(&c, "ctranslate2==4.4.0"), JW_WORD_PTX_TOO_NEW, JW_WORD_NONE, "compute_86");
    f = say(&c, "ctranslate2==4.4.0");
    CHECK_HAS(fix_of(&f, "framework-ptx-too-new"), "535");
}

TEST(switches)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_setting one = { "CUDA_DISABLE_PTX_JIT", "1" };
    struct jw_case c = { .gpus = &g, .n_gpus = 1, .env = &one, .n_env = 1 };

    is(judge(&c, "tensorflow==2.3"), JW_WORD_NO_KERNEL, JW_WORD_NONE, "compute_70");
    CHECK_NUM(judge(&c, "tensorflow==2.3").reason, JW_BECAUSE_SWITCHED_OFF);
    is(judge(&c, "tensorflow==2.10"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
    one = (struct jw_setting){ "CUDA_FORCE_PTX_JIT", "1" };
    is(judge(&c, "tensorflow==2.10"), JW_WORD_JIT_FIRST, JW_WORD_NONE, "compute_80");
    is(judge(&c, "torch==2.1"), JW_WORD_NO_KERNEL, JW_WORD_NONE, "");
    one = (struct jw_setting){ "CUDA_VISIBLE_DEVICES", "" };
    CHECK_NUM(judge(&c, "torch==2.1").reason, JW_BECAUSE_HIDDEN);
    one = (struct jw_setting){ "CUDA_VISIBLE_DEVICES", "-1" };
    CHECK_NUM(judge(&c, "torch==2.1").reason, JW_BECAUSE_HIDDEN);
    one = (struct jw_setting){ "CUDA_VISIBLE_DEVICES", "0" };
    is(judge(&c, "torch==2.1"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_86");
}

TEST(libraries)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_case c = {
        .system = JW_CASE_WINDOWS, .gpus = &g, .n_gpus = 1, .cuda = { JW_PRESENCE_NONE, 0, 0 }
    };
    struct jw_findings f;

    is(judge(&c, "tensorflow==2.10"), JW_WORD_LIBS_MISSING, JW_WORD_NATIVE, "sm_80");
    is(judge(&c, "tensorflow==2.3"), JW_WORD_LIBS_MISSING, JW_WORD_JIT_FIRST, "compute_70");
    is(judge(&c, "xgboost==2.1.4"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80"); /* brings them along */
    c.cuda = (struct jw_library){ JW_PRESENCE_VERSION, 1208, 0 };
    is(judge(&c, "tensorflow==2.10"), JW_WORD_LIBS_MISSING, JW_WORD_NATIVE, "sm_80");
    f = say(&c, "tensorflow==2.10");
    CHECK_HAS(jw_finding_of(&f, "framework-libs-missing")->text, "CUDA 12.8 is here");
    c.cuda = (struct jw_library){ JW_PRESENCE_VERSION, 1108, 0 }; /* all of CUDA 11 */
    is(judge(&c, "tensorflow==2.10"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
    /* Seen among the files: only their major versions are known, and several may be there. */
    c.cuda = (struct jw_library){ JW_PRESENCE_VERSION, 1200, 1U << 12 | 1U << 11 };
    is(judge(&c, "tensorflow==2.10"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
    c.cuda.majors = 1U << 12;
    is(judge(&c, "tensorflow==2.10"), JW_WORD_LIBS_MISSING, JW_WORD_NATIVE, "sm_80");
    c.cuda = (struct jw_library){ JW_PRESENCE_VERSION, 1000, 1U << 10 };
    is(judge(&c, "tensorflow==2.3"), JW_WORD_JIT_FIRST, JW_WORD_NONE, "compute_70");
    c.cuda = (struct jw_library){ JW_PRESENCE_VERSION, 1108, 0 };
    c.cudnn = (struct jw_library){ JW_PRESENCE_VERSION, 900, 0 };
    is(judge(&c, "tensorflow==2.10"), JW_WORD_LIBS_MISSING, JW_WORD_NATIVE, "sm_80");
    c = (struct jw_case){ .gpus = &g, .n_gpus = 1, .cuda = { JW_PRESENCE_NONE, 0, 0 } };
    f = say(&c, "tensorflow==2.16.2");
    CHECK_TEXT(jw_finding_of(&f, "framework-libs-missing")->command,
               "pip install 'tensorflow[and-cuda]==2.16.2'");
    is(judge(&c, "tensorflow[and-cuda]==2.16.2"), JW_WORD_NATIVE, JW_WORD_NONE, "sm_80");
}

TEST(pythons)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_case c = { .gpus = &g, .n_gpus = 1 };
    static const struct {
        const char *python, *framework;
        bool fits;
    } cases[] = { { "3.7", "tensorflow==2.10", true },      { "3.7.7", "tensorflow==2.10", true },
                  { "3.10", "tensorflow==2.10", true },     { "3.11", "tensorflow==2.10", false },
                  { "3.6", "tensorflow==2.10", false },     { "2.7", "tensorflow==2.0.0", true },
                  { "3.4", "tensorflow==2.0.0", true },     { "3.8", "tensorflow==2.0.0", false },
                  { "3.99", "onnxruntime-gpu==1.23", true } };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        c.python = cases[i].python;
        CHECK((judge(&c, cases[i].framework).reason == JW_BECAUSE_PYTHON) == !cases[i].fits);
    }
}

TEST(what_is_not_known_gets_no_verdict)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_case c = { .gpus = &g, .n_gpus = 1 };
    struct jw_findings f;

    CHECK_NUM(judge(&c, "v-ray==6").reason, JW_BECAUSE_UNKNOWN);
    CHECK_NUM(judge(&c, "onnxruntime-gpu==1.5").word, JW_WORD_NONE);
    CHECK_NUM(judge(&c, "torch==2.6+cu128").reason, JW_BECAUSE_VARIANT);
    CHECK_NUM(judge(&c, "torch==0.1").reason, JW_BECAUSE_UNKNOWN);
    f = say(&c, "v-ray");
    CHECK_HAS(jw_finding_of(&f, "framework-unknown")->consequence, "compiles its kernels once");
    f = say(&c, "matlab==R2020b");
    CHECK_HAS(fix_of(&f, "framework-unknown"), "use a MATLAB release that is newer than the GPU");
    f = say(&c, "torch==2.6+cu128");
    CHECK_HAS(jw_finding_of(&f, "build-unknown")->text, "+cu128");
}

/* Only what was scanned is told with confidence; a version behind all that is known gets no verdict. */
TEST(how_sure)
{
    struct jw_gpu g = gpu("10de:2484");
    struct jw_case c = { .gpus = &g, .n_gpus = 1 };
    struct jw_findings f = JW_FINDINGS(&arena);
    struct jw_software s = table(&c, "tensorflow==2.3.1");

    CHECK_NUM(s.sure, JW_SURE);
    CHECK_HAS(jw_software_known(&s, &f), "jitwarm scanned version 2.3.1 on 2026-");
    s = table(&c, "tensorflow==2.99");
    CHECK_NUM(s.sure, JW_UNSURE);
    CHECK_NUM(judge(&c, "tensorflow==2.99").word, JW_WORD_NONE);
    CHECK_NUM(judge(&c, "tensorflow==2.99").reason, JW_BECAUSE_UNKNOWN);
    f = say(&c, "tensorflow==2.99");
    CHECK_TEXT(jw_finding_of(&f, "framework-unknown")->command,
               "pip download --no-deps tensorflow==2.99 && jitwarm scan tensorflow*.whl");
    s = table(&c, "tensorflow==2.6.3");
    CHECK_HAS(jw_software_known(&s, &f), "2.6.0 before it and 2.6.5 after it were, and agree");
    s = table(&c, "tensorflow==2.0.3");
    CHECK_NUM(s.sure, JW_FAIRLY_SURE);
    s = (struct jw_software){
        .from_files = true, .path = "/x", .modules = 7, .version = "1", .about = JW_FRAMEWORK_UNKNOWN
    };
    CHECK_TEXT(jw_software_known(&s, &f), "read from its files (7 modules): certain");
}

/* 2.1.0 was not scanned: it is judged for GPUs where 2.0.1 and 2.1.2 get the same verdict, and for no others. */
TEST(scanned_neighbours_answer_where_they_agree)
{
    struct jw_gpu gpus[] = { gpu("10de:2484"), gpu("10de:2331") };
    struct jw_case c = { .gpus = gpus, .n_gpus = 2 };
    struct jw_software s = table(&c, "torch==2.1.0");
    struct jw_findings f = say(&c, "torch==2.1.0");

    CHECK_NUM(s.sure, JW_FAIRLY_SURE);
    CHECK_NUM(jw_judge(&c, &s, 0).word, JW_WORD_NATIVE);
    CHECK_NUM(jw_judge(&c, &s, 1).reason, JW_BECAUSE_UNKNOWN);
    CHECK_HAS(jw_finding_of(&f, "framework-unknown")->evidence,
              "2.0.1 before it and 2.1.2 after it were, and do not agree here");
    /* Below 1.0 a version between two other series is not known. */
    CHECK_NUM(judge(&c, "vllm==0.13.0").reason, JW_BECAUSE_UNKNOWN);
    CHECK_NUM(table(&c, "bitsandbytes==0.43.2").sure, JW_FAIRLY_SURE);
    /* Its package holds no CUDA code, and still it computes on the GPU. */
    CHECK_NUM(judge(&c, "taichi==1.7.2").reason, JW_BECAUSE_UNKNOWN);
    f = say(&c, "taichi==1.7.2");
    CHECK_HAS(jw_finding_of(&f, "framework-unknown")->consequence, "compiled at its first call");
}

TEST(what_would_do_better)
{
    static const struct {
        const char *gpu, *framework, *first;
        unsigned tag;
        bool same, older;
    } cases[] = {
        { "10de:2484", "tensorflow==2.3.1", "2.4", 0, false, false },
        { "10de:2bb1", "torch==2.7", "2.8", 0, false, false },
        { "10de:2bb1", "torch==2.6", "2.8", 0, false, false },
        { "10de:1c03", "torch==2.9+cu130", "2.7", 0, false, true },
        { "10de:2486", "torch==1.9", "1.13", 0, false, false },
        { "sm_50", "tensorflow==2.18", "2.16", 0, false, true },
    };
    struct jw_better b;

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_gpu g = gpu(cases[i].gpu);
        struct jw_case c = { .gpus = &g, .n_gpus = 1 };
        struct jw_software s = table(&c, cases[i].framework);

        jw_better_build(&c, &s, g.sm, &b);
        CHECK(b.found);
        CHECK_TEXT(b.first, cases[i].first);
        CHECK_NUM(b.tag, cases[i].tag);
        CHECK(b.same_version == cases[i].same && b.older == cases[i].older);
    }
    struct jw_gpu g = gpu("sm_20");
    struct jw_case c = { .gpus = &g, .n_gpus = 1 };
    struct jw_software s = table(&c, "tensorflow==2.3");

    jw_better_build(&c, &s, 20, &b);
    CHECK(!b.found);
}

/* Whatever is asked: no sentence is empty, none has a hole in it, none ends with a full stop. */
TEST(every_build_on_every_gpu_is_told_in_whole_sentences)
{
    static const char *const gpus[] = { "sm_35", "sm_61", "sm_86", "sm_120" };
    static const char *const drivers[] = { NULL, "361.62", "470.57.02", "590.44.01" };
    struct jw_framework_build b;
    struct jw_framework about;
    size_t told = 0;

    for (size_t i = 0; jw_framework_build_at(i, &b); i += 3) {
        for (size_t k = 0; k < JW_COUNT(gpus); k++) {
            struct jw_gpu g = gpu(gpus[k]);
            struct jw_case c = { .system = b.os & JW_ON_WINDOWS ? JW_CASE_WINDOWS : JW_CASE_LINUX,
                                 .gpus = &g,
                                 .n_gpus = 1,
                                 .driver = drivers[k],
                                 .container = k == 1,
                                 .cuda = { k == 2 ? JW_PRESENCE_NONE : JW_PRESENCE_UNKNOWN, 0, 0 } };
            char version[24], text[128];

            CHECK(jw_framework_at(b.framework, &about));
            jw_version_text(&b, b.low, b.parts, version);
            (void)snprintf(text, sizeof text, "%s==%s", b.marks & JW_BUILD_JAXLIB ? "jaxlib" : about.name,
                           version);
            struct jw_findings f = say(&c, text);

            for (size_t n = 0; n < f.n; n++, told++) {
                const char *said = f.v[n].text ? f.v[n].text : "";

                CHECK(strlen(said) > 10);
                CHECK(!strstr(said, "(null)") && !strstr(said, "CUDA 0."));
                CHECK(!f.v[n].fix
                      || (*f.v[n].fix && !strstr(f.v[n].fix, "(null)") && !strstr(f.v[n].fix, "  ")));
                CHECK(!f.v[n].consequence || !strstr(f.v[n].consequence, "(null)"));
                CHECK(!jw_text_ends(said, "."));
            }
            jw_arena_free(&arena);
        }
    }
    CHECK(told > 200);
}

int main(int argc, char **argv)
{
    int code = RUN(argc, argv, T(words_have_names), T(lists_are_judged_by_the_rules_of_files),
                   T(what_an_old_driver_cannot_unpack), T(a_gpu_that_it_knows_and_one_that_it_does_not),
                   T(aarch64_has_builds_of_its_own), T(the_cache_decides_whether_it_is_once),
                   T(two_gpus_are_two_matters), T(a_cache_that_keeps_nothing), T(in_a_container),
                   T(a_driver_that_is_too_old_or_too_new), T(portable_code_that_the_driver_cannot_read),
                   T(switches), T(libraries), T(pythons), T(what_is_not_known_gets_no_verdict), T(how_sure),
                   T(scanned_neighbours_answer_where_they_agree), T(what_would_do_better),
                   T(every_build_on_every_gpu_is_told_in_whole_sentences));

    jw_arena_free(&arena);
    return code;
}
