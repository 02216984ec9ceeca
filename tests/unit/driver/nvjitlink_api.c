/* Compiled, never run: each row of the table pointed at the function that nvJitLink.h declares. Its handle and its
 * enumerations have other names there, and the same size. */
#include <nvJitLink.h>

_Static_assert(sizeof(nvJitLinkResult) == sizeof(unsigned) && sizeof(nvJitLinkInputType) == sizeof(unsigned),
               "as unsigned");
_Static_assert(NVJITLINK_INPUT_PTX == 2 && NVJITLINK_ERROR_UNRECOGNIZED_OPTION == 1,
               "as src/driver/api/nvjitlink.c has them");

#define unsigned nvJitLinkInputType
#define F(field, name, parameters)                                                                           \
    extern nvJitLinkResult(*check_##field) parameters;                                                       \
    nvJitLinkResult(*check_##field) parameters = name;
#include "driver/api/nvjitlink_api.def"
#undef F
