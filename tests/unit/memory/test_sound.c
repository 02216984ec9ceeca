#include "check.h"
#include "memory/sound.h"
#include "rigs/memory.h"

TEST_ARENA(entries_that_were_found_whole)
{
    struct jw_cache_memory f = memory_begin(a, "round");
    struct jw_sound_entry v[] = {{9, 90, true}, {3, 30, false}, {5, 0, false}};
    struct jw_sound s;

    jw_sound_load(&f, a, &s);
    CHECK(s.n == 0 && !jw_sound_of(&s, 3, 30));
    jw_sound_save(&f, v, 3);
    jw_sound_load(&f, a, &s);
    CHECK(s.n == 3 && !jw_sound_of(&s, 3, 30)->refused && jw_sound_of(&s, 9, 90)->refused);
    CHECK(!jw_sound_of(&s, 3, 31) && !jw_sound_of(&s, 4, 30) && !jw_sound_of(&s, 5, 0));
    jw_sound_save(&f, v, 1);
    jw_sound_load(&f, a, &s);
    CHECK(s.n == 1 && jw_sound_of(&s, 3, 30));
}
