/* The simulated driver's compiler library: a file to be opened, which says which compiler it is. */
const char sim_compiler_name[] = "jitwarm-simcompiler-0000";

int sim_compiler_library(void);

int sim_compiler_library(void) { return sim_compiler_name[0]; }
