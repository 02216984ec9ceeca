#include "prime/memory/next_start.h"

#include "base/limits.h"
#include "check.h"

/* Each fact alone, beside modules that are all warm; and which of two decides. */
static const struct row {
    struct jw_next_start_facts facts;
    enum jw_next_start answer;
    const char *says, *why; /* NULL: nothing is to be added */
} rows[] = {
    { { .modules = 0 }, JW_NEXT_START_WARM, "no module has to be compiled", NULL },
    { { .modules = 1, .warm = 1 }, JW_NEXT_START_WARM, "the one module is warm", NULL },
    { { .modules = 2, .warm = 2 }, JW_NEXT_START_WARM, "both modules are warm", NULL },
    { { .modules = 1143, .warm = 1143 }, JW_NEXT_START_WARM, "all 1,143 modules are warm", NULL },
    { { .modules = 1 }, JW_NEXT_START_COMPILES, "0 of 1 module is warm", NULL },
    { { .modules = 143, .warm = 1 }, JW_NEXT_START_COMPILES, "1 of 143 modules is warm", NULL },
    { { .modules = 143, .warm = 93 }, JW_NEXT_START_COMPILES, "93 of 143 modules are warm", NULL },

    { { .modules = 2, .warm = 2, .setting = "CUDA_CACHE_DISABLE turns off the cache" },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "CUDA_CACHE_DISABLE turns off the cache" },
    { { .modules = 2, .warm = 1, .forbidden = "CUDA_DISABLE_PTX_JIT is set", .setting = "a" },
      JW_NEXT_START_UNKNOWN,
      "1 of 2 modules is warm",
      "CUDA_DISABLE_PTX_JIT is set" },
    { { .modules = 2, .warm = 2, .other_driver = true },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "the driver has changed since the last prime" },
    { { .modules = 2, .warm = 2, .obstacle = "a fresh login uses another cache" },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "a fresh login uses another cache" },
    { { .modules = 2, .warm = 2, .refuted = true },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "not all could be verified" },
    { { .modules = 2, .warm = 2, .other_caches = true },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "not all is warm in caches that recorded commands chose" },
    { { .modules = 2, .warm = 2, .lost = 1 },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "1 entry that recorded commands load is not in the cache" },
    { { .modules = 2, .warm = 2, .sourceless = 3 },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "the command loads 3 more modules that no known file has" },

    { { .modules = 2, .warm = 2, .changed = "/opt/lib.so" },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "changed since the last run: /opt/lib.so" },
    { { .modules = 2, .warm = 2, .stored = 2, .limit = { 1, true } },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "the cache holds more than its limit: what is stored next evicts some" },
    { { .modules = 2, .warm = 2, .needed = 2, .limit = { 1, true }, .changed = "/opt/lib.so" },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "the cache holds more than its limit: what is stored next evicts some" },
    { { .modules = 2, .warm = 2, .stored = 2, .limit = { .login_lower = true, .login = 1 } },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "the cache holds more than its limit in a fresh login: what is stored next evicts some" },
    { { .modules = 2, .warm = 2, .stored = 1, .needed = 1, .limit = { 1, true } },
      JW_NEXT_START_WARM,
      "both modules are warm",
      NULL },
    { { .modules = 2, .warm = 2, .stored = 1 }, JW_NEXT_START_WARM, "both modules are warm", NULL },
    { { .modules = 2, .warm = 2, .gpus_unknown = true },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "only the driver knows which GPU is here, and it is not asked now" },
    { { .modules = 2, .warm = 2, .gpus_unknown = true, .gpus = "Tesla V100 (sm_70)" },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "only the driver knows which GPU is here, and it is not asked now; the last run found Tesla V100 "
      "(sm_70)" },
    { { .modules = 2, .warm = 2, .no_driver = true, .changed = "GPUs" },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "the driver is not found where it was at the last prime" },
    { { .modules = 2, .warm = 2, .commands = "1 recorded command was started with other GPUs" },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "1 recorded command was started with other GPUs" },
    { { .modules = 2, .warm = 2, .failing = 1 },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "programs that link them fail at their start" },
    { { .modules = 3, .warm = 2, .refused = 1, .refusal = "/opt/a.so: the driver refused it" },
      JW_NEXT_START_UNKNOWN,
      "2 of 3 modules are warm",
      "this driver cannot compile 1 module, and another prime does not help: /opt/a.so: the driver refused "
      "it" },
    { { .modules = 3, .warm = 2, .refused = 1, .refusal = "/opt/a.so: it crashed", .gpus_unknown = true },
      JW_NEXT_START_UNKNOWN,
      "2 of 3 modules are warm",
      "this driver cannot compile 1 module, and another prime does not help: /opt/a.so: it crashed" },
    { { .modules = 3, .warm = 2, .cannot_compile = "this driver cannot compile here: why" },
      JW_NEXT_START_COMPILES,
      "2 of 3 modules are warm",
      "this driver cannot compile here: why" },
    { { .modules = 2, .warm = 2, .cannot_compile = "this driver cannot compile here: why" },
      JW_NEXT_START_WARM,
      "both modules are warm",
      NULL },
    { { .modules = 4, .warm = 2, .refused = 2, .refusal = "/opt/a.so: it crashed", .doubtful = 1 },
      JW_NEXT_START_UNKNOWN,
      "2 of 4 modules are warm",
      "this driver cannot compile 2 modules, and another prime does not help: the first is in /opt/a.so: it "
      "crashed" },
    { { .modules = 4, .warm = 2, .refused = 1, .refusal = "/opt/a.so: it crashed" },
      JW_NEXT_START_COMPILES,
      "2 of 4 modules are warm",
      NULL },
    { { .modules = 2, .warm = 2, .unread = 1 },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "1 file could not be read" },
    { { .modules = 2, .warm = 2, .blocked = 1 },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "not all can be loaded here" },
    { { .modules = 2,
        .warm = 2,
        .lacking = "x.ptx has no code for sm_86: programs that load it fail",
        .gpus_unknown = true },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "x.ptx has no code for sm_86: programs that load it fail" },
    { { .modules = 2, .warm = 2, .lto = 2 },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "2 inputs have link-time code (LTO) alone; whether the driver compiles that is not known" },
    { { .modules = 2, .warm = 2, .doubtful = 1 },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "1 module is damaged or of an unknown form; whether the driver compiles it is not known" },
    { { .pieces = 1 },
      JW_NEXT_START_UNKNOWN,
      "no module has to be compiled",
      "the PTX in it is in pieces; what is made of them is not known before it runs" },
    { { .unasked = "nothing was primed here yet" },
      JW_NEXT_START_UNKNOWN,
      "no module has to be compiled",
      "nothing was primed here yet" },

    /* What lets every start compile comes before what is missing, and that before what is not known. */
    { { .modules = 2, .warm = 1, .setting = "S", .other_driver = true, .unasked = "U" },
      JW_NEXT_START_COMPILES,
      "1 of 2 modules is warm",
      "S" },
    { { .modules = 2, .warm = 1, .other_driver = true, .unasked = "U" },
      JW_NEXT_START_COMPILES,
      "1 of 2 modules is warm",
      "the driver has changed since the last prime" },
    { { .modules = 2, .warm = 1, .changed = "/a", .unread = 1 },
      JW_NEXT_START_UNKNOWN,
      "1 of 2 modules is warm",
      "changed since the last run: /a" },
    { { .modules = 2, .warm = 2, .lost = 2, .changed = "/a" },
      JW_NEXT_START_COMPILES,
      "both modules are warm",
      "2 entries that recorded commands load are not in the cache" },
    { { .modules = 2, .warm = 2, .changed = "/a", .unread = 1, .unasked = "U" },
      JW_NEXT_START_UNKNOWN,
      "both modules are warm",
      "changed since the last run: /a" },
};

TEST(each_fact_has_its_answer)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct row given = rows[i], *r = &given;

        r->facts.asked = JW_ASKED_ALL;
        struct jw_buf says = JW_BUF(JW_MAX_LINE), why = JW_BUF(JW_MAX_LINE);

        CHECK_NUM(jw_next_start_of(&r->facts), r->answer);
        jw_next_start_say(&says, &r->facts);
        CHECK_TEXT(jw_buf_cstr(&says), r->says);
        CHECK_NUM(jw_next_start_say_why(&why, &r->facts), r->why != NULL);
        CHECK_TEXT(jw_buf_cstr(&why), r->why ? r->why : "");
        jw_buf_free(&says);
        jw_buf_free(&why);
    }
}

/* What is found counts as found, and is never called warm. */
TEST(a_damaged_index)
{
    static const struct {
        enum jw_index_trouble trouble;
        enum jw_next_start answer;
        const char *why;
    } each[] = {
        { JW_INDEX_WHOLE, JW_NEXT_START_WARM, "" },
        { JW_INDEX_MISCOUNTS, JW_NEXT_START_UNKNOWN,
          "the cache's index is damaged: programs still find what is there, but the driver miscounts it" },
        { JW_INDEX_LOST, JW_NEXT_START_UNKNOWN,
          "the cache's index is missing or damaged: programs still find what is there, but the next one that "
          "compiles something deletes all else" },
        { JW_INDEX_HIDES, JW_NEXT_START_COMPILES,
          "the cache's index is damaged, and programs find nothing in the cache" },
    };

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct jw_next_start_facts f = { .asked = JW_ASKED_ALL, .modules = 2, .warm = 2 };
        struct jw_buf why = JW_BUF(JW_MAX_LINE);

        jw_next_start_take_index(&f, each[i].trouble);
        CHECK_NUM(jw_next_start_of(&f), each[i].answer);
        (void)jw_next_start_say_why(&why, &f);
        CHECK_TEXT(jw_buf_cstr(&why), each[i].why);
        jw_buf_free(&why);
    }
}

/* What was not looked at is never warm, and named. */
TEST(what_was_not_looked_at)
{
    static const struct {
        unsigned but;
        const char *why;
    } left_out[] = {
        { JW_ASKED_ALL, "which modules there are was not looked at" },
        { JW_ASKED_MODULES, "which modules there are was not looked at" },
        { JW_ASKED_FILES, "the files were not looked at" },
        { JW_ASKED_SETTINGS, "the settings were not looked at" },
        { JW_ASKED_PLACE, "the cache's place was not looked at" },
        { JW_ASKED_DRIVER, "the driver was not looked at" },
        { JW_ASKED_LIMIT, "the cache's limit was not looked at" },
        { JW_ASKED_COMMANDS, "recorded commands were not looked at" },
        { JW_ASKED_CHANGES, "what has changed was not looked at" },
    };

    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        const struct jw_next_start_facts f = { .asked = JW_ASKED_ALL & ~left_out[i].but,
                                               .modules = 2,
                                               .warm = 2 };
        struct jw_buf why = JW_BUF(JW_MAX_LINE);

        CHECK_NUM(jw_next_start_of(&f), JW_NEXT_START_UNKNOWN);
        CHECK(jw_next_start_say_why(&why, &f));
        CHECK_TEXT(jw_buf_cstr(&why), left_out[i].why);
        jw_buf_free(&why);
    }
    CHECK_NUM(jw_next_start_of(&(struct jw_next_start_facts){ 0 }), JW_NEXT_START_UNKNOWN);
}

/* Warm needs no word of why, and what is neither warm nor short of modules has one. */
TEST(every_other_answer_has_a_reason)
{
    for (unsigned bits = 0; bits < 1U << 18; bits++) {
        const struct jw_next_start_facts f = {
            .asked = JW_ASKED_ALL,
            .modules = 4,
            .warm = bits & 1 ? 3 : 4,
            .setting = bits & 2 ? "S" : NULL,
            .obstacle = bits & 4 ? "E" : NULL,
            .other_driver = bits & 8,
            .refuted = bits & 16,
            .other_caches = bits & 32,
            .lost = bits & 64,
            .sourceless = bits & 128,
            .blocked = bits & 256,
            .pieces = bits & 512,
            .unread = bits & 1024,
            .changed = bits & 2048 ? "C" : NULL,
            .gpus_unknown = bits & 4096,
            .commands = bits & 8192 ? "R" : NULL,
            .no_driver = bits & 16384,
            .stored = 1,
            .limit.known = bits & 32768,
            .doubtful = bits & 65536,
            .index = bits & 131072 ? "I" : NULL,
        };
        struct jw_buf why = JW_BUF(JW_MAX_LINE);
        bool said = jw_next_start_say_why(&why, &f);

        CHECK_NUM(jw_next_start_of(&f) == JW_NEXT_START_WARM, bits == 0);
        CHECK(said || bits == 0 || f.warm < f.modules);
        jw_buf_free(&why);
    }
}
