/* Which entry runs: the ranking of compatible ones, and what each outcome means. */
#include "formats/select.h"
#include "scanned.h"

static const struct jw_driver_limits any_driver;

static struct jw_choice choose(const struct scanned *s, unsigned sm,
                               const struct jw_driver_limits *driver)
{
    return jw_select(&s->image.fats.list[0], s->image.fats.entries, sm, driver, false);
}

/* The name of the chosen entry with its kind before it: "P compute_80"; "-" when there is none. */
static const char *chosen(const struct scanned *s, unsigned sm, char text[40])
{
    struct jw_choice c = choose(s, sm, &any_driver);

    if (!c.entry)
        return "-";
    (void)snprintf(text, 40, "%s #%zu", jw_fat_arch_name(c.entry).text,
                   (size_t)(c.entry - s->image.fats.entries));
    return text;
}

static void picks(const char *words, unsigned sm, const char *want)
{
    FREED(scanned) s = {.buf = GEN_BUF};
    char text[40];

    scan_words(&s, words);
    CHECK(s.ok && s.image.fats.n == 1);
    if (s.image.fats.n == 1)
        CHECK_TEXT(chosen(&s, sm, text), want);
}

static void outcome(const char *words, unsigned sm, enum jw_selected want)
{
    FREED(scanned) s = {.buf = GEN_BUF};

    scan_words(&s, words);
    struct jw_choice c = choose(&s, sm, &any_driver);

    CHECK_NUM(c.outcome, want);
}

TEST(machine_code_beats_ptx_however_old)
{
    picks("P89 E86", 89, "sm_86 #1");
    picks("E86 P89", 89, "sm_86 #0");
    picks("P86 E80", 86, "sm_80 #1");
    picks("E120f P121", 121, "sm_120f #0");
    picks("P121 E120f", 121, "sm_120f #1");
}

TEST(the_highest_compatible_target_wins_in_any_order)
{
    picks("E80 E86", 86, "sm_86 #1");
    picks("E86 E80", 86, "sm_86 #0");
    picks("E80 E86 E89", 86, "sm_86 #1");
    picks("E89 E80 E86", 88, "-");
    picks("P75 P80 P90", 86, "compute_80 #1");
    picks("P90 P80 P75", 86, "compute_80 #1");
    picks("P80 P75", 100, "compute_80 #0");
}

TEST(a_beats_f_beats_plain_in_any_order)
{
    picks("E90 E90a", 90, "sm_90a #1");
    picks("E90a E90", 90, "sm_90a #0");
    picks("E100 E100f E100a", 100, "sm_100a #2");
    picks("E100a E100f E100", 100, "sm_100a #0");
    picks("E100a E100f E100", 103, "sm_100f #1");
    picks("E100 E100f E100a", 103, "sm_100f #1");
    picks("P90 P90a", 90, "compute_90a #1");
    picks("P90a P90", 90, "compute_90a #0");
    picks("P120a P120f P120", 121, "compute_120f #1");
    picks("P120 P120f P120a", 120, "compute_120a #2");
}

TEST(of_equal_machine_code_the_one_without_attributes_then_the_first)
{
    FREED(scanned) s = {.buf = GEN_BUF};
    char text[40];

    scan_words(&s, "E120 E120 E120");
    CHECK_TEXT(chosen(&s, 120, text), "sm_120 #0");
    s.image.fats.entries[1].flags &= ~(uint64_t)JW_FAT_COMPAT;
    CHECK_TEXT(chosen(&s, 120, text), "sm_120 #1");
    s.image.fats.entries[2].flags &= ~(uint64_t)JW_FAT_COMPAT;
    CHECK_TEXT(chosen(&s, 120, text), "sm_120 #1");
    s.image.fats.entries[0].flags &= ~(uint64_t)JW_FAT_COMPAT;
    CHECK_TEXT(chosen(&s, 120, text), "sm_120 #0");
    picks("E86 E86", 86, "sm_86 #0");
}

TEST(of_equal_ptx_the_last_for_this_very_device_else_the_first)
{
    picks("P86 P86 P86", 86, "compute_86 #2");
    picks("P86 P86 P86", 89, "compute_86 #0");
    picks("P80 P86 P80 P86", 89, "compute_86 #1");
}

TEST(real_mixes)
{
    static const char ggml[] = "P75 P80 E86 E89 P90 E120a E121a";

    picks(ggml, 75, "compute_75 #0");
    picks(ggml, 80, "compute_80 #1");
    picks(ggml, 86, "sm_86 #2");
    picks(ggml, 87, "compute_80 #1");
    picks(ggml, 90, "compute_90 #4");
    picks(ggml, 100, "compute_90 #4");
    picks(ggml, 120, "sm_120a #5");
    picks(ggml, 61, "-");
    picks("P75 P80 E86 E89 P90 E120a", 121, "compute_90 #4"); /* `a` serves nobody else */
    picks("E75 E80 E90 E100 P120 E120 E110", 121, "sm_120 #5");
}

TEST(outcomes)
{
    outcome("P75 E86", 86, JW_SELECTED_NATIVE);
    outcome("P75 E86", 80, JW_SELECTED_JIT);
    outcome("P75 E86", 70, JW_SELECTED_NONE);
    outcome("S75", 86, JW_SELECTED_STUB);
    outcome("E75", 86, JW_SELECTED_NONE);
    outcome("E75", 75, JW_SELECTED_NATIVE);
    outcome("N75", 86, JW_SELECTED_LTO);
    outcome("N75 P75 E80", 86, JW_SELECTED_NATIVE);
    outcome("N75 P90", 86, JW_SELECTED_LTO);
}

/* Machine code only, but 4 KB of it in all: no stub any more. */
TEST(a_stub_is_small)
{
    static uint8_t code[4096];
    struct gen_fat_image m = {.kind = JW_KIND_ELF, .target = {75, '\0'}, .payload = {code, 4088}};
    struct scanned s = {.buf = GEN_BUF};

    gen_fat_images(&s.buf, &m, 1);
    scan_it(&s, "x.fatbin", false);
    CHECK_NUM(choose(&s, 86, &any_driver).outcome, JW_SELECTED_STUB);
    s.image.fats.list[0].wrapper = 1; /* registered as ordinary code */
    CHECK_NUM(choose(&s, 86, &any_driver).outcome, JW_SELECTED_NONE);
    s.image.fats.list[0].wrapper = 2;
    CHECK_NUM(choose(&s, 86, &any_driver).outcome, JW_SELECTED_STUB);
    scanned_free(&s);
    s.buf = GEN_BUF;
    memcpy(code + 2000, ".text._Z1kPi", 12); /* a small library, linked by the device linker */
    gen_fat_images(&s.buf, &m, 1);
    scan_it(&s, "x.fatbin", false);
    s.image.fats.list[0].wrapper = 2;
    CHECK_NUM(choose(&s, 86, &any_driver).outcome, JW_SELECTED_NONE);
    scanned_free(&s);
    s.buf = GEN_BUF;
    m.payload.n = 4096;
    gen_fat_images(&s.buf, &m, 1);
    scan_it(&s, "x.fatbin", false);
    CHECK_NUM(choose(&s, 86, &any_driver).outcome, JW_SELECTED_NONE);
    scanned_free(&s);
}

TEST(blocked_by_an_old_driver)
{
    struct scanned s = {.buf = GEN_BUF};

    scan_words(&s, "P120:l P75:s"); /* ISA 9.1 and 8.4 */
    struct jw_driver_limits d = {.branch = 590};
    CHECK_NUM(choose(&s, 120, &d).outcome, JW_SELECTED_JIT);
    d.branch = 580; /* ISA 9.0 */
    CHECK_NUM(choose(&s, 120, &d).outcome,
              JW_SELECTED_BLOCKED); /* it does not fall back to compute_75 */
    CHECK_TEXT(jw_fat_arch_name(choose(&s, 120, &d).entry).text, "compute_120");
    d.branch = 550;
    CHECK_NUM(choose(&s, 86, &d).outcome, JW_SELECTED_JIT);
    d.branch = 545; /* ISA 8.3, and no zstd */
    CHECK_NUM(choose(&s, 86, &d).outcome, JW_SELECTED_BLOCKED);
    d.branch = JW_BRANCH_TO_COME;
    CHECK_NUM(choose(&s, 120, &d).outcome, JW_SELECTED_JIT);
    scanned_free(&s);

    s.buf = GEN_BUF;
    scan_words(&s, "P86 E86:s E90");
    d = (struct jw_driver_limits){.branch = 535};
    CHECK_NUM(choose(&s, 86, &d).outcome, JW_SELECTED_BLOCKED);
    CHECK_TEXT(jw_needed(choose(&s, 86, &d).entry, &d).packing, "zstd");
    CHECK_NUM(choose(&s, 90, &d).outcome,
              JW_SELECTED_NATIVE); /* the PTX that it compiles does not matter */
    scanned_free(&s);
}

/* driver-fact: F111-unnamed */
TEST(an_architecture_that_the_driver_does_not_know_is_passed_over)
{
    static const struct {
        const char *words;
        unsigned isa, sm; /* of the driver; of what is chosen */
        enum jw_selected outcome;
    } cases[] = {{"P50 P88", 85, 50, JW_SELECTED_JIT},
                 {"P50 P88", 90, 88, JW_SELECTED_JIT},
                 {"P88", 85, 88, JW_SELECTED_BLOCKED},
                 {"P50 P55", 90, 50, JW_SELECTED_JIT}, /* a number that no architecture has */
                 {"P50 P55", 0, 55, JW_SELECTED_JIT},
                 {"P13", 85, 13, JW_SELECTED_JIT},
                 {"P14", 85, 0, JW_SELECTED_NONE}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_driver_limits d = {.branch = 580, .isa = cases[i].isa};
        FREED(scanned) s = {.buf = GEN_BUF};

        scan_words(&s, cases[i].words);
        struct jw_choice c = choose(&s, 90, &d);

        CHECK_NUM(c.outcome, cases[i].outcome);
        CHECK_NUM(c.entry ? c.entry->target.sm : 0, cases[i].sm);
    }
}

TEST(what_no_driver_takes_is_not_chosen)
{
    FREED(scanned) s = {.buf = GEN_BUF};
    char text[40];

    scan_words(&s, "E86 E80");
    s.image.fats.entries[0].flags &= ~(uint64_t)JW_FAT_64BIT; /* which no driver looks at */
    CHECK_TEXT(chosen(&s, 86, text), "sm_86 #0");
    s.image.fats.entries[0].target.sm = 0;
    CHECK_TEXT(chosen(&s, 86, text), "sm_80 #1");
    s.image.fats.entries[1].target.sm = 0;
    CHECK_TEXT(chosen(&s, 86, text), "-");
}
