/* Compiled, never run: each row of the table pointed at the function that nvrtc.h declares. */
#include <nvrtc.h>

#define F(need, type, field, name, parameters)                                                               \
    extern type(*check_##field) parameters;                                                                  \
    type(*check_##field) parameters = name;
#include "driver/api/nvrtc_api.def"
