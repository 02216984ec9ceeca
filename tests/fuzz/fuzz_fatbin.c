/* A range with containers in it: walked in every way, selected for several devices, unpacked. */
#include "base/num.h"
#include "formats/fatbin_find.h"
#include "formats/fatbin_unpack.h"
#include "formats/select.h"
#include "fuzz.h"

enum { MOST_PLAIN = 1 << 16, MOST_ENTRIES = 8 };

static void check_entry(const struct jw_source *src, const struct jw_fat_entry *e)
{
    uint64_t sum = 0;
    struct jw_err err = { 0 };

    FUZZ_CHECK(e->header >= JW_FAT_ENTRY && jw_within(e->at, (uint64_t)e->header + e->stored, src->size));
    FUZZ_CHECK(e->options && e->identifier && jw_fat_kind_name(e->kind) && jw_fat_packing_name(e));
    (void)jw_fat_target_name(e);
    (void)jw_fat_doubt(e);
    (void)jw_fat_relocatable_options(e->options);
    if (jw_fat_plain(e) <= MOST_PLAIN)
        fuzz_error(jw_fat_unpack(src, e, (struct jw_sink){ fuzz_put, &sum }, &err), &err);
}

static void check_container(const struct jw_source *src, const struct jw_fats *f, const struct jw_fat *fat)
{
    static const unsigned devices[] = { 61, 75, 86, 90, 103, 121 };
    static const struct jw_driver_limits unknown, old = { .known = true, .isa_major = 7, .isa_minor = 4 };

    FUZZ_CHECK(fat->first + fat->n <= f->n_entries && jw_within(fat->at, fat->size, src->size));
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct jw_choice c = jw_select(fat, f->entries, devices[i], i % 2 ? &old : &unknown);

        FUZZ_CHECK(!c.entry
                   || (c.entry >= f->entries + fat->first && c.entry < f->entries + fat->first + fat->n));
    }
    for (size_t i = 0; i < fat->n && i < MOST_ENTRIES; i++)
        check_entry(src, &f->entries[fat->first + i]);
}

static void walk(const struct jw_source *src, enum jw_among among, bool deep)
{
    struct jw_arena arena = { .max = 1 << 20 };
    struct jw_fats fats = { .arena = &arena };
    struct jw_problems problems = { .arena = &arena };
    struct jw_range range = { .end = src->size, .section = "", .among = among };
    struct jw_err err = { 0 };
    bool ok = deep ? jw_fat_deep(&fats, src, range, &err) : jw_fat_walk(&fats, src, range, &problems, &err);

    fuzz_error(ok, &err);
    jw_fats_sort(&fats);
    for (size_t i = 0; i < fats.n && i < MOST_ENTRIES; i++)
        if (!deep)
            check_container(src, &fats, &fats.list[i]);
    jw_fats_free(&fats);
    jw_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);

    walk(&src, JW_AMONG_NOTHING, false);
    /* The other ways differ in where they look, not in what they read: one of them each time. */
    if (size)
        walk(&src, data[size - 1] & 1 ? JW_AMONG_TABLES : JW_AMONG_DATA, data[size - 1] & 2);
    return 0;
}
