#include "gen/traps.h"

#include "gen/traps_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct gen_trap gen_traps[] = {
#define TRAP(name, file, outcome, containers, says)                                                          \
    { #name, file, trap_##name, GEN_##outcome, containers, says },
#include "gen/traps.def"
#undef TRAP
};
const size_t gen_traps_n = sizeof gen_traps / sizeof *gen_traps;

const struct gen_trap *gen_trap(const char *name)
{
    for (size_t i = 0; i < gen_traps_n; i++)
        if (strcmp(gen_traps[i].name, name) == 0)
            return &gen_traps[i];
    fprintf(stderr, "gen: no trap %s\n", name);
    exit(3);
}
