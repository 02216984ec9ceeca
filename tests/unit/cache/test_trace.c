#include "cache/memory/trace.h"

#include "base/compiler.h"
#include "check.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#define SECOND 1000000000LL
#define LOOKED (1790000000 * SECOND + 5)

/* Whether a file with these times is trusted to be as it was, though neither of them has changed. */
static bool is_trusted(int64_t mtime, int64_t ctime, int64_t looked)
{
    struct jw_arena a = { 0 };
    struct jw_trace t = { .a = &a, .looked = looked };
    const struct jw_file_info info = { .kind = JW_FILE_REGULAR, .size = 7, .mtime = mtime, .ctime = ctime };
    struct jw_err err = { 0 };

    CHECK(jw_trace_seen(&t, "/a/k.ptx", &info, 0, &err));
    bool trusted = t.files[0].mtime == mtime && t.files[0].ctime == ctime;

    jw_arena_free(&a);
    return trusted;
}

/* As git has it: a file that was changed within the step of its clock before it was looked at may change again, and its times stay. */
TEST(a_file_that_is_as_young_as_the_look)
{
    const int64_t old = LOOKED - 20000000, young = LOOKED - 9000000, whole = 1790000000 * SECOND;

    CHECK(is_trusted(old, old, LOOKED));
    CHECK(!is_trusted(young, young, LOOKED));
    CHECK(!is_trusted(old, young, LOOKED)); /* its time was put back */
    CHECK(!is_trusted(LOOKED + 5, old, LOOKED));
    CHECK(is_trusted(LOOKED + 100 * SECOND, old, LOOKED)); /* set by hand */
    CHECK(!is_trusted(whole, whole, LOOKED));
    CHECK(!is_trusted(whole - SECOND, whole - SECOND, LOOKED));
    CHECK(is_trusted(whole - 2 * SECOND, whole - 2 * SECOND, LOOKED));
    CHECK(is_trusted(young, young, 0)); /* a look whose time is not known */
}

/* A folder of LD_LIBRARY_PATH with other libraries has programs load the same driver. */
TEST_ARENA(folders_that_lead_the_loader_elsewhere)
{
    const char *empty = tree_dir(a, "empty"), *cublas = tree_dir(a, "cublas"),
               *driver = tree_dir(a, "compat"), *level = tree_dir(a, "level");

    if (jw_os_is_windows())
        return;
    tree_file(a, "cublas/libcublas.so.12", "");
    tree_file(a, "compat/libcuda.so.1", "");
    tree_file(a, "compiler/libnvidia-ptxjitcompiler.so.1", "");
    tree_file(a, "other/libnvidia-gpucomp.so.580.126.09", ""); /* of one driver alone, which names it so */
    tree_dir(a, "level/glibc-hwcaps");

    const char *compiler = tree_path(a, "compiler"), *other = tree_path(a, "other");
    const char *all =
        jw_arena_printf(a, "%s:%s:%s::lib:%s:%s:%s:/absent", empty, cublas, driver, level, compiler, driver);

    CHECK_TEXT(jw_trace_folders(all, true, a), jw_arena_printf(a, "%s:.:lib:%s:%s", driver, level, compiler));
    CHECK_TEXT(jw_trace_folders(other, true, a), "");
    CHECK_TEXT(jw_trace_folders(other, false, a), other);
    CHECK_TEXT(jw_trace_folders(all, false, a),
               jw_arena_printf(a, "%s:%s:.:lib:%s:%s", cublas, driver, level, compiler));
    CHECK_TEXT(jw_trace_folders(jw_arena_printf(a, "%s:%s", empty, cublas), true, a), "");
    CHECK_TEXT(jw_trace_folders("", false, a), "");
    CHECK_TEXT(jw_trace_folders(NULL, false, a), "");
}

/* ---- which setting has changed ---- */

#define GPUS "CUDA_VISIBLE_DEVICES"
#define TWO "pci 90 2330\npci 90 2330\n"
#define OTHER_KINDS "pci 90 2330\npci 86 2204\n"

static void add(struct jw_trace *t, const char *question, const char *answer)
{
    struct jw_err err = { 0 };

    CHECK(!answer || jw_trace_answer(t, question, answer, &err));
}

TEST(settings_that_changed)
{
    static const struct {
        const char *gpus, *then[3],
            *now[3];      /* of GPUS, CUDA_CACHE_MAXSIZE, and what the driver says of the GPUs */
        const char *what; /* in words; NULL: the receipt holds */
    } cases[] = {
        { TWO, { NULL, NULL }, { NULL, NULL }, NULL },
        { TWO, { NULL, "1" }, { NULL, "1" }, NULL },
        { TWO, { NULL, "1" }, { NULL, "2" }, "CUDA_CACHE_MAXSIZE" },
        { TWO, { NULL, "1" }, { NULL, NULL }, "CUDA_CACHE_MAXSIZE" },
        { TWO, { NULL, NULL }, { NULL, "1" }, "CUDA_CACHE_MAXSIZE" },
        { TWO, { "0", NULL }, { "1", NULL }, NULL }, /* of one kind, and as many */
        { TWO, { "0", NULL }, { "0,1", NULL }, GPUS },
        { TWO, { "0", NULL }, { NULL, NULL }, GPUS },
        { TWO, { NULL, NULL }, { "0,1", NULL }, NULL },
        { OTHER_KINDS, { "0", NULL }, { "1", NULL }, GPUS },
        { "", { "0", NULL }, { "1", NULL }, GPUS },
        { OTHER_KINDS, { "0", NULL, "sm_90" }, { "1", NULL, "sm_90" }, NULL }, /* the driver says it */
        { OTHER_KINDS, { "0", NULL, "sm_90" }, { "1", NULL, "sm_86" }, JW_TRACE_DRIVERS_GPUS },
        { TWO, { "0", "1" }, { "1", "2" }, "CUDA_CACHE_MAXSIZE" },
    };
    static const char *const questions[] = { JW_TRACE_SETTING GPUS, JW_TRACE_SETTING "CUDA_CACHE_MAXSIZE",
                                             JW_TRACE_DRIVERS_GPUS };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_arena a = { 0 };
        struct jw_trace then = { .a = &a }, now = { .a = &a };
        const char *what;

        add(&then, JW_TRACE_GPUS, cases[i].gpus);
        add(&now, JW_TRACE_GPUS, cases[i].gpus);
        for (size_t k = 0; k < JW_COUNT(questions); k++) {
            add(&then, questions[k], cases[i].then[k]);
            add(&now, questions[k], cases[i].now[k]);
        }

        const struct jw_warm_receipt r = { .answers = then.answers, .n_answers = then.n_answers };
        enum jw_trace_state state = jw_trace_replay(&r, &now, &what);

        printf("case %zu\n", i);
        CHECK(state == (cases[i].what ? JW_TRACE_CHANGED : JW_TRACE_HOLDS));
        CHECK_TEXT(what ? jw_trace_words(what) : "", cases[i].what ? cases[i].what : "");
        jw_arena_free(&a);
    }
}
