/* For the files that traps are made in; others include gen/traps.h. */
#ifndef TESTS_GEN_TRAPS_MAKE_H
#define TESTS_GEN_TRAPS_MAKE_H

#include "gen/traps.h"

#define MAKE(name) void trap_##name(struct jw_buf *b)

#define TRAP(name, file, outcome, containers, says) MAKE(name);
#include "gen/traps.def"
#undef TRAP

/* A container of exactly 0x80 bytes with one entry of raw PTX, whose header has 80. */
void gen_small(struct jw_buf *b, unsigned sm);
struct gen_fat_image gen_small_image(unsigned sm, char text[40]);

#endif
