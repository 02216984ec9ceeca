/*
 * Compiled, never run: each row of a table of entry points against the type that NVIDIA's header
 * gives this name. DRIVER or NVRTC is defined.
 */
#ifdef DRIVER
#define __CUDA_API_VERSION_INTERNAL /* old variants, too */
#include <cudaTypedefs.h>

#define F(need, field, name, suffix, version, parameters)                                          \
    extern unsigned(*check_##field) parameters;                                                    \
    unsigned(*check_##field) parameters = (PFN_##name##_v##version)0;
#include "driver_api.def"
#undef F
#endif

#ifdef NVRTC
#include <nvrtc.h>

#define F(need, type, field, name, parameters)                                                     \
    extern type(*check_##field) parameters;                                                        \
    type(*check_##field) parameters = name;
#include "nvrtc_api.def"
#endif
