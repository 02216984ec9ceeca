/* The driver's settings by variables, as documented and measured, and how much its cache may hold.
 * A default belongs to the driver's branch, not to the toolkit that a program was built with.
 * driver-fact: F51-default-limit, F52-most */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdint.h>

/* The variables by which the driver caches and compiles, and behind them those that choose the GPUs
 * and the driver. Of a pair side by side the second counts only if the first is not set.
 * driver-fact: F81-force-disable */
enum jw_driver_variable {
    JW_VAR_CACHE_PATH,
    JW_VAR_CACHE_MAXSIZE,
    JW_VAR_CACHE_DISABLE,
    JW_VAR_FORCE_PTX_JIT, /* compiles, whatever is cached */
    JW_VAR_FORCE_JIT,
    JW_VAR_DISABLE_PTX_JIT, /* never compiles; what is cached needs no compiling */
    JW_VAR_DISABLE_JIT,
    JW_DRIVER_VARIABLES,
    JW_VAR_VISIBLE_DEVICES = JW_DRIVER_VARIABLES,
    JW_VAR_LIBRARY_PATH,
    JW_ALL_VARIABLES
};
extern const char *const jw_driver_variables[JW_ALL_VARIABLES]; /* their names */
/* Does this driver ("470.256.02") read it? Of NULL, and of one that is not known: true. */
bool jw_variable_heeded(enum jw_driver_variable variable, const char *driver);

/* Limits of a cache: the default before branch 525, the default since, and the largest that all
 * drivers heed. All but 390 and 418 heed one byte more, which is 0 to these, so jitwarm sets and
 * advises JW_CACHE_MOST. driver-fact: F51-default-limit, F52-most */
#define JW_CACHE_DEFAULT_BEFORE ((uint64_t)256 << 20)
#define JW_CACHE_DEFAULT ((uint64_t)1 << 30)
#define JW_CACHE_MOST ((uint64_t)UINT32_MAX)
#define JW_CACHE_MOST_TEXT "4294967295"
#define JW_CACHE_HEEDED (JW_CACHE_MOST + 1)
#define JW_CACHE_UNKNOWN UINT64_MAX /* a limit that is not known; 0 is one: nothing is stored */

/* The folder under CUDA_CACHE_PATH=`value`; NULL: the driver's default place, as without it.
 * driver-fact: F110-path-most */
const char *jw_cache_path_read(const char *value);
/* Refuses the value of an option that the driver would not heed; NULL is none. */
bool jw_cache_path_check(const char *option, const char *value, struct jw_err *err) JW_MUST;

/* The default of a driver, "470.256.02"; UNKNOWN: `driver` is NULL, or names none. */
uint64_t jw_cache_default(const char *driver);

/* The limit under CUDA_CACHE_MAXSIZE=`value`, as this driver reads it: strtoll in base ten, and
 * what is below 0 is the most. `value` NULL: its default. `driver` NULL: not known, as is its
 * default then. driver-fact: F52-most, F53-plain-bytes */
uint64_t jw_cache_limit_read(const char *value, const char *driver);

/* How much jitwarm may add to a cache that holds `used`. With a full one, the next program that
 * stores anything would make the driver delete what came in first. driver-fact: F56-fifo */
uint64_t jw_cache_room(uint64_t limit, uint64_t used);

/* Below it most modules are larger than the cache, and compiled at each start. */
enum { JW_CACHE_SMALLEST = 16 << 20 };

/* Is a variable of the driver's that is off or on, such as CUDA_CACHE_DISABLE, on? Only where the
 * number at its start is 1, in 32 bits: "1", "01", " 1", "+1", "1x", "4294967297". NULL: it is not
 * set. driver-fact: F58-disable, F81-force-disable */
bool jw_switch_is_on(const char *value);

/* Under this variable cuInit loads the driver's compilers, whether anything is compiled or not.
 * With 0 it does not; unset, each driver decides. driver-fact: F120-preload */
#define JW_PRELOAD_VARIABLE "CUDA_FORCE_PRELOAD_LIBRARIES"
bool jw_preload_is_on(const char *value);

/* Are these two values of a variable (NULL: unset) the same to this driver (NULL: not known)? */
bool jw_setting_same(enum jw_driver_variable variable, const char *a, const char *b,
                     const char *driver);

/* Do CUDA runtimes that can load lazily do so with this driver (NULL: not known) and this value of
 * CUDA_MODULE_LOADING, or NULL? False in doubt, as before 535, where a program has to ask for it.
 * driver-fact: F24-lazy-default, F113-runtime-loads */
bool jw_loads_lazily(const char *driver, const char *loading);
