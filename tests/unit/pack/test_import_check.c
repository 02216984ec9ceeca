#include "check.h"
#include "pack/import/import_check.h"

enum { N = 4 };

static const struct jw_pack_entry four[N] = { { .name = 10, .key_bytes = 6, .payload_bytes = 4 },
                                              { .name = 20, .key_bytes = 15, .payload_bytes = 5 },
                                              { .name = 30, .key_bytes = 20, .payload_bytes = 10 },
                                              { .name = 40, .key_bytes = 30, .payload_bytes = 10 } };

struct given {
    struct jw_pack_entry entries[N];
    struct jw_pack_manifest manifest;
    struct jw_import_entry checked[N];
    bool present[N];
    struct import_wants wants;
    struct jw_import_report report;
};

static const struct jw_run ran = { .end = JW_END_DONE };

static void begin(struct given *g)
{
    *g = (struct given){ .manifest = { .os = "linux",
                                       .arch = "x86_64",
                                       .driver = "580.126.09",
                                       .stamp = "Jan  7 202622:51:46",
                                       .sm = 86,
                                       .entries = g->entries,
                                       .n_entries = N },
                         .wants = { .present = g->present, .everything = true, .room = UINT64_MAX },
                         .report = {
                             .run = &ran, .manifest = &g->manifest, .entries = g->checked, .n_entries = N } };
    memcpy(g->entries, four, sizeof four);
    for (size_t i = 0; i < N; i++)
        g->checked[i] = (struct jw_import_entry){ .of = &g->entries[i],
                                                  .bytes = four[i].key_bytes + four[i].payload_bytes };
}

static void states_are(struct given *g, const char *want)
{
    static const char letters[] = "NIPFXR";
    char got[N + 1] = "";

    import_check_entries(&g->wants, &g->report);
    import_count(&g->report);
    for (size_t i = 0; i < N; i++)
        got[i] = letters[g->checked[i].state];
    CHECK_TEXT(got, want);
}

/* ---- entries ---- */

TEST(everything_is_new)
{
    struct given g;

    begin(&g);
    states_are(&g, "NNNN");
    CHECK_NUM(g.report.need, 100);
    CHECK_NUM(g.report.counts[JW_IMPORT_NEW], 4);
    CHECK_NUM(g.report.bytes[JW_IMPORT_NEW], 100);
}

TEST(only_of_the_software_here)
{
    static uint64_t modules[] = { 5, 20, 35, 40 };
    struct given g;

    begin(&g);
    g.wants.everything = false;
    states_are(&g, "FFFF");
    g.wants.modules = modules;
    g.wants.n_modules = 4;
    states_are(&g, "FNFN");
    CHECK_NUM(g.report.need, 60);
    g.present[0] = true; /* what is there is there, whosever it is */
    states_are(&g, "PNFN");
}

TEST(as_far_as_there_is_room)
{
    struct given g;

    begin(&g);
    g.wants.room = 55;
    states_are(&g, "NNXX");
    CHECK_NUM(g.report.need, 100);
    g.wants.room = 50;
    states_are(&g, "NNXX");
    g.present[1] = true; /* counts as used already */
    states_are(&g, "NPNX");
    g.wants.room = 0;
    states_are(&g, "XPXX");
    g.report.dry_run = true;
    CHECK(import_end_of(&g.report) == JW_END_PARTLY);
}

/* ---- how it ends ---- */

static enum jw_end end_with(enum jw_import_state a, enum jw_import_state b, enum jw_import_state c,
                            enum jw_import_state d, struct jw_verify_pass *pass, uint64_t records)
{
    struct given g;

    begin(&g);
    g.report.verify =
        (struct jw_verify_report){ .done = pass != NULL, .passes = pass, .n_passes = pass != NULL };
    g.checked[0].state = a;
    g.checked[1].state = b;
    g.checked[2].state = c;
    g.checked[3].state = d;
    g.report.records = records;
    import_count(&g.report);
    return import_end_of(&g.report);
}

TEST(ends)
{
    const enum jw_import_state I = JW_IMPORT_IMPORTED, P = JW_IMPORT_PRESENT, F = JW_IMPORT_FOREIGN,
                               X = JW_IMPORT_NO_ROOM;
    struct jw_verify_pass good = { .loaded = 4, .hits = 4 }, miss = { .hits = 3, .misses = 1 },
                          failed = { .hits = 3, .failed = 1 }, made = { .hits = 4, .new_entries = 1 },
                          seen = { .hits = 4, .compiled = JW_WITNESS_COMPILED };

    CHECK(end_with(I, I, I, I, &good, 0) == JW_END_DONE);
    CHECK(end_with(I, I, I, I, NULL, 0) == JW_END_DONE);
    CHECK(end_with(I, P, F, F, &good, 0) == JW_END_DONE);
    CHECK(end_with(P, P, P, P, NULL, 0) == JW_END_NOTHING);
    CHECK(end_with(P, F, F, F, NULL, 0) == JW_END_NOTHING);
    CHECK(end_with(F, F, F, F, NULL, 0) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, X, &good, 0) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, JW_IMPORT_REJECTED, &good, 0) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, JW_IMPORT_NEW, NULL, 0) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, I, &good, 2) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, I, &miss, 0) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, I, &failed, 0) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, I, &made, 0) == JW_END_PARTLY);
    CHECK(end_with(I, I, I, I, &seen, 0) == JW_END_PARTLY);
}

/* ---- the machine ---- */

static void factors_are(const struct given *g, const struct import_machine *here, const char *want)
{
    struct jw_import_report r = { 0 };
    char got[120] = "";

    import_compare_pack(&g->manifest, here, &r);
    for (size_t i = 0; i < r.n_factors; i++)
        (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "", r.factors[i].name);
    CHECK_TEXT(got, want);
}

static const uint16_t sms[] = { 75, 86 };

static struct import_machine same(void)
{
    return (struct import_machine){ .os = "linux",
                                    .arch = "x86_64",
                                    .driver_known = true,
                                    .stamp = "Jan  7 202622:51:46",
                                    .driver = "580.126.09",
                                    .sms = sms,
                                    .n_sms = 2 };
}

TEST(each_factor_is_named)
{
    struct import_machine here = same();
    struct given g;

    begin(&g);
    factors_are(&g, &here, "");
    here.n_sms = 1;
    factors_are(&g, &here, "sm");
    here.n_sms = 0; /* no GPU: none that fits */
    factors_are(&g, &here, "sm");
    here = same();
    here.stamp = "Jan  7 202622:51:47";
    factors_are(&g, &here, "stamp");
    here.os = "windows";
    here.arch = "aarch64";
    here.n_sms = 1;
    factors_are(&g, &here, "os arch stamp sm");
    here.driver_known = false; /* what is not known does not differ */
    factors_are(&g, &here, "os arch");
}

TEST(factors_tell_both_values)
{
    struct import_machine here = same();
    struct jw_import_report r = { 0 };
    struct given g;

    begin(&g);
    here.stamp = "Feb 18 202601:02:03";
    here.driver = NULL;
    here.n_sms = 1;
    import_compare_pack(&g.manifest, &here, &r);
    CHECK_NUM(r.n_factors, 2);
    CHECK_TEXT(r.factors[0].pack, "Jan  7 2026 22:51:46, version 580.126.09");
    CHECK_TEXT(r.factors[0].machine, "Feb 18 2026 01:02:03");
    CHECK_TEXT(r.factors[1].pack, "sm_86");
    CHECK_TEXT(r.factors[1].machine, "sm_75");
    CHECK(import_fits_later(&r));
    here.os = "windows";
    import_compare_pack(&g.manifest, &here, &r);
    CHECK(!import_fits_later(&r));
}

TEST(more_architectures_than_a_sentence_holds)
{
    uint16_t many[32];
    struct import_machine here = same();
    struct jw_import_report r = { 0 };
    struct given g;

    begin(&g);
    for (size_t i = 0; i < 32; i++)
        many[i] = (uint16_t)(100 + i);
    here.sms = many;
    here.n_sms = 32;
    import_compare_pack(&g.manifest, &here, &r);
    CHECK(r.n_factors == 1 && strlen(r.factors[0].machine) < sizeof r.factors[0].machine);
    CHECK_HAS(r.factors[0].machine, "sm_100, sm_101");
}
