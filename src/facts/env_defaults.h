/*
 * The limit of the driver's cache, as it is documented and measured. The default belongs to the driver's branch, not
 * to the toolkit that a program was built with. driver-fact: F51-default-limit, F52-most
 */
#ifndef FACTS_ENV_DEFAULTS_H
#define FACTS_ENV_DEFAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* The variables by which the driver keeps and compiles, the most telling first: those of a pair stand side by side. */
enum jw_driver_variable {
    JW_VAR_CACHE_PATH,
    JW_VAR_CACHE_DISABLE,
    JW_VAR_CACHE_MAXSIZE,
    JW_VAR_FORCE_PTX_JIT, /* compiles, whatever is kept */
    JW_VAR_FORCE_JIT,
    JW_VAR_DISABLE_PTX_JIT, /* never compiles, which what is kept does not need */
    JW_VAR_DISABLE_JIT,
    JW_DRIVER_VARIABLES
};
extern const char *const jw_driver_variables[JW_DRIVER_VARIABLES]; /* their names */

struct jw_cache_limits {
    uint64_t before; /* drivers of CUDA 6.5 to 11, and all on Jetson */
    uint64_t since;  /* those of CUDA 12 and newer */
    uint64_t max;    /* that CUDA_CACHE_MAXSIZE may say */
};

struct jw_cache_limits jw_cache_limits(void);

/* The largest CUDA_CACHE_MAXSIZE that each driver heeds: one byte more is 0 for 390 and 418. driver-fact: F52-most */
#define JW_CACHE_MOST "4294967295"

/* The folder under CUDA_CACHE_PATH=`value`; NULL: the driver's default place, as without it. driver-fact: F110-path-most */
const char *jw_cache_path_read(const char *value);

/* The default of a driver, "470.256.02": that of the nearest measured branch at or below its own, or the one that is
 * documented for older ones. 0: `driver` is NULL, or names none. */
uint64_t jw_cache_default(const char *driver);

/* The limit under CUDA_CACHE_MAXSIZE=`value`, as this driver reads it: strtoull in base ten, at most `max`. `value`
 * NULL: its default. `driver` NULL: not known. driver-fact: F52-most, F53-plain-bytes */
uint64_t jw_cache_limit_read(const char *value, const char *driver);

/* Below it most modules are larger than the cache, and compiled at each start. */
enum { JW_CACHE_SMALLEST = 16 << 20 };

/* Is a variable of the driver's that is off or on, such as CUDA_CACHE_DISABLE, on? Only where the number at its start
 * is 1, in 32 bits: "1", "01", " 1", "+1", "1x", "4294967297". NULL: it is not set. driver-fact: F58-disable,
 * F81-force-disable */
bool jw_switch_is_on(const char *value);

/* Estimates the size of a module's entry: its PTX, the same again in machine code, and a little more. TensorFlow 2.3.1 takes
 * 1.93 times its PTX in all (sm_86, driver 470), a llama.cpp library 1.44 times (sm_90, 580): too little room costs
 * compiled code. driver-fact: F59-entry-size */
uint64_t jw_cache_bytes_for(uint64_t ptx_bytes);

#endif
