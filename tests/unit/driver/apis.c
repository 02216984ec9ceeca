/*
 * Compiled, never run: each row of a table of entry points against the type that NVIDIA's header gives this name.
 * Exactly one of DRIVER, NVJITLINK and NVRTC is defined.
 */
#ifdef DRIVER
#include <cudaTypedefs.h>

#define F(need, field, name, suffix, version, parameters)                                                    \
    extern unsigned(*check_##field) parameters;                                                              \
    unsigned(*check_##field) parameters = (PFN_##name##_v##version)0;
#include "driver_api.def"
#endif

#ifdef NVJITLINK
#include <nvJitLink.h>

/* Its handle and its enumerations have other names there, and the same size. */
_Static_assert(sizeof(nvJitLinkResult) == sizeof(unsigned) && sizeof(nvJitLinkInputType) == sizeof(unsigned),
               "as unsigned");
_Static_assert(NVJITLINK_INPUT_PTX == 2 && NVJITLINK_ERROR_UNRECOGNIZED_OPTION == 1,
               "as src/driver/api/nvjitlink.c has them");

#define unsigned nvJitLinkInputType
#define F(field, name, parameters)                                                                           \
    extern nvJitLinkResult(*check_##field) parameters;                                                       \
    nvJitLinkResult(*check_##field) parameters = name;
#include "nvjitlink_api.def"
#endif

#ifdef NVRTC
#include <nvrtc.h>

#define F(need, type, field, name, parameters)                                                               \
    extern type(*check_##field) parameters;                                                                  \
    type(*check_##field) parameters = name;
#include "nvrtc_api.def"
#endif
