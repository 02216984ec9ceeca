/* The simulated driver's compiler library: a file to be opened. */
int sim_compiler_library(void);

int sim_compiler_library(void)
{
    return 0;
}
