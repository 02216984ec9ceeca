/* Variables of the test's own process, its program, and what CMake names. */
#pragma once

void set_variable(const char *name, const char *value); /* NULL unsets it */

char *own_program(void); /* its path: it can be its own child */

const char *built_path(
    const char *built); /* of a file that CMake names, as this system spells it */
