#include "driver/api/driver.h"

#include "base/path.h"
#include "base/text.h"
#include "facts/errors.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

enum need { MAY, MUST };

static const struct {
    const char *symbol, *name;
    size_t at;
    int version;
    enum need need;
} wanted[] = {
#define F(need, field, name, suffix, version, parameters)                                                    \
    { #name #suffix, #name, offsetof(struct cu_api, field), version, need },
#include "driver/api/driver_api.def"
#undef F
};

static void put(struct cu_api *api, size_t at, jw_lib_fn fn)
{
    memcpy((char *)api + at, &fn, sizeof fn);
}

/* As programs built by NVIDIA's own tools ask; older drivers have neither of the two, or not this entry
 * point. */
static jw_lib_fn ask(const struct cu_api *api, const char *name, int version)
{
    void *p = NULL;
    unsigned status = 0, result = JW_CU_NOT_FOUND;
    jw_lib_fn fn;

    if (api->proc_address)
        result = api->proc_address(name, &p, version, 0, &status);
    else if (api->proc_address_1)
        result = api->proc_address_1(name, &p, version, 0);
    if (result != JW_CU_OK || status)
        p = NULL;
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

bool jw_driver_bind(struct cu_api *api, const struct jw_lib *lib, struct jw_err *err)
{
    struct cu_api by_symbol = { 0 };

    *api = (struct cu_api){ 0 };
    for (size_t i = 0; i < JW_COUNT(wanted); i++)
        put(&by_symbol, wanted[i].at, jw_lib_symbol(lib, wanted[i].symbol));
    for (size_t i = 0; i < JW_COUNT(wanted); i++) {
        jw_lib_fn fn = ask(&by_symbol, wanted[i].name, wanted[i].version);

        if (!fn)
            memcpy(&fn, (char *)&by_symbol + wanted[i].at, sizeof fn);
        if (!fn && wanted[i].need == MUST)
            return jw_fail(err, JW_E_DRIVER, "it is no CUDA driver: it has no %s", wanted[i].symbol);
        put(api, wanted[i].at, fn);
    }
    return true;
}

bool jw_driver_open(struct jw_driver *d, const char *path, struct jw_err *err)
{
    *d = (struct jw_driver){ 0 };
    if (!path)
        path = jw_os_is_windows() ? "nvcuda.dll" : "libcuda.so.1";
    if (!jw_lib_open(&d->lib, path, err))
        return false;
    d->simulated = jw_lib_symbol(&d->lib, JW_CU_SIMULATED) != NULL;
    if (jw_driver_bind(&d->api, &d->lib, err))
        return true;
    err->code = JW_E_DRIVER;
    return false; /* still open, so that its file can be told */
}

void jw_driver_close(struct jw_driver *d)
{
    jw_lib_close(&d->lib);
    *d = (struct jw_driver){ 0 };
}

bool jw_driver_behind_loader(const char *path)
{
    const char *base = jw_path_base(path);

    return (strstr(path, "/wsl/drivers/") && jw_text_starts(base, "libcuda.so"))
           || jw_text_equal_nocase(base, "nvcuda64.dll");
}

bool jw_driver_file(const struct jw_driver *d, struct jw_buf *path, struct jw_err *err)
{
    bool found = false;

    if (!jw_lib_loaded(jw_driver_behind_loader, path, &found, err))
        return false;
    return found || jw_lib_path(&d->lib, path, err);
}

unsigned jw_driver_cuda_version(const struct jw_driver *d)
{
    int version = 0;

    return d->api.driver_version(&version) == JW_CU_OK && version > 0 ? (unsigned)version : 0;
}

struct jw_cu_name jw_cu_name(const struct cu_api *api, unsigned result)
{
    struct jw_cu_name name = { "" };
    const char *known = result ? jw_error_name(result) : "CUDA_SUCCESS";

    /* Where the runtime has another name for it, that stands behind the driver's. */
    if (known && jw_text_starts(known, "CUDA_"))
        (void)snprintf(name.text, sizeof name.text, "%.*s", (int)strcspn(known, " "), known);
    else {
        const char *told = NULL;

        if (api && api->error_name && api->error_name(result, &told) == JW_CU_OK && told && *told)
            (void)snprintf(name.text, sizeof name.text, "%s", told);
        else
            (void)snprintf(name.text, sizeof name.text, "CUresult %u", result);
    }
    return name;
}
