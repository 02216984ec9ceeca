/* The driver in this process: the product's table, and three entry points that only the lab calls. */
#ifndef TESTS_GPU_DOORS_H
#define TESTS_GPU_DOORS_H

#include "driver/api/driver.h"

struct lab_doors {
    struct jw_driver driver;
    unsigned (*load_fatbinary)(struct CUmod_st **module, const void *image);
    unsigned (*library_kernel)(struct CUkern_st **kernel, struct CUlib_st *library, const char *name);
    unsigned (*kernel_function)(struct CUfunc_st **function, struct CUkern_st *kernel);
};

/* $JITWARM_DRIVER, else the system's. What it does not have is NULL. */
bool lab_doors_open(struct lab_doors *d, struct jw_err *err) JW_MUST;

#endif
