#include "check.h"
#include "memory/sound.h"
#include "rigs/memory.h"

TEST_ARENA(entries_that_were_found_whole)
{
    struct jw_cache_memory f = memory_begin(a, "round");
    struct jw_sound_entry v[] = { { 9, 90 }, { 3, 30 }, { 5, 0 } };
    struct jw_sound s;

    jw_sound_load(&f, a, &s);
    CHECK(s.n == 0 && !jw_sound_has(&s, 3, 30));
    jw_sound_save(&f, v, 3);
    jw_sound_load(&f, a, &s);
    CHECK(s.n == 3 && jw_sound_has(&s, 3, 30) && jw_sound_has(&s, 9, 90));
    CHECK(!jw_sound_has(&s, 3, 31) && !jw_sound_has(&s, 4, 30) && !jw_sound_has(&s, 5, 0));
    jw_sound_save(&f, v, 1);
    jw_sound_load(&f, a, &s);
    CHECK(s.n == 1 && jw_sound_has(&s, 3, 30));
}

static void is_empty(const struct jw_cache_memory *f)
{
    struct jw_arena a = { 0 };
    struct jw_sound s;

    jw_sound_load(f, &a, &s);
    CHECK_NUM(s.n, 0);
    jw_arena_free(&a);
}

TEST_ARENA(a_damaged_file_is_empty)
{
    struct jw_cache_memory f = memory_begin(a, "damaged");
    struct jw_sound_entry v[] = { { 3, 30 }, { 9, 90 } };

    jw_sound_save(&f, v, 2);
    memory_spoil(&f, "sound", is_empty);
    f.unusable = "/d: the folder belongs to ada";
    is_empty(&f);
    jw_sound_save(&f, v, 2);
}
