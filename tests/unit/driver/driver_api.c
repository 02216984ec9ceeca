/* Compiled, never run: each row of the table assigned from the type that cudaTypedefs.h gives this name
 * and version. */
#include <cudaTypedefs.h>

#define F(need, field, name, suffix, version, parameters)                                                    \
    extern unsigned(*check_##field) parameters;                                                              \
    unsigned(*check_##field) parameters = (PFN_##name##_v##version)0;
#include "driver/api/driver_api.def"
