/* The process that carries out a step (step.c), and its operations in other files. */
#ifndef TESTS_GPU_STEP_H
#define TESTS_GPU_STEP_H

#include "cache/place/cachedir.h"
#include "driver/api/driver.h"
#include "os/process/child.h"

enum { STEP_ABSENT = -1 };

/* The driver in this process: the product's table, and three entry points that only the lab calls. */
struct lab_doors {
    struct jw_driver driver;
    unsigned (*load_fatbinary)(struct CUmod_st **module, const void *image);
    unsigned (*library_kernel)(struct CUkern_st **kernel, struct CUlib_st *library, const char *name);
    unsigned (*kernel_function)(struct CUfunc_st **function, struct CUkern_st *kernel);
};

/* $JITWARM_DRIVER, else the system's. What it does not have is NULL. */
bool lab_doors_open(struct lab_doors *d, struct jw_err *err) JW_MUST;

struct child {
    struct lab_doors doors;
    const struct cu_api *api;
    struct jw_parent parent;
    struct jw_context gpu;
    const char *root;
    struct jw_arena arena;
    struct jw_cache_listing seen;
    struct CUmod_st *module;
    struct CUlib_st *library;
    int lock;       /* the index, locked; 0: not */
    uint64_t value; /* of the operation at hand */
};

bool step_read_image(const char *path, struct jw_image_room *image); /* it is never freed */
int step_load(struct child *c, const char *door, const char *path);
int step_launch(struct child *c, const char *kernel, uint32_t x); /* c->value: the number that it wrote */

/* False: no operation of theirs. `object` may be cut up. */
bool step_more(struct child *c, const char *verb, char *object, int *code);
bool step_tools(struct child *c, const char *verb, char *object, int *code);
bool step_os(struct child *c, const char *verb, char *object, int *code);

#endif
