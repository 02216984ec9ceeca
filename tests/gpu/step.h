/* The process that carries out a step (step.c), and its operations in other files. */
#ifndef TESTS_GPU_STEP_H
#define TESTS_GPU_STEP_H

#include "cache/place/listing.h"
#include "driver/api/driver.h"
#include "os/process/child.h"

struct CUfunc_st;
struct CUstream_st;
struct CUlinkState_st;
struct CUlib_st;
struct CUkern_st;

enum { STEP_ABSENT = -1 };

struct lab_api {
#define F(need, field, name, suffix, version, parameters) unsigned(*field) parameters;
#include "lab_api.def"
#undef F
};

/* The driver in this process: what the product calls, and what only the lab does. */
struct lab_doors {
    struct jw_driver driver;
    struct lab_api lab;
};

/* $JITWARM_DRIVER, else the system's. What it does not have is NULL. */
bool lab_doors_open(struct lab_doors *d, struct jw_err *err) JW_MUST;

struct child {
    struct lab_doors doors;
    const struct cu_api *api;
    const struct lab_api *lab;
    struct jw_parent parent;
    struct jw_context gpu;
    const char *cache;
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

/* False: no operation of this file. `object` may be cut up. */
bool step_more(struct child *c, const char *verb, char *object, int *code);
bool step_tools(struct child *c, const char *verb, char *object, int *code);
bool step_os(struct child *c, const char *verb, char *object, int *code);

#endif
