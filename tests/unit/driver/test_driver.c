/* The table of entry points, over functions of this test. */
#include "check.h"
#include "driver/api/driver.h"
#include "os/machine/env.h"

/* ---- a device that answers little ---- */

static unsigned count_negative(int *count)
{
    *count = -5;
    return JW_CU_OK;
}

static unsigned count_many(int *count)
{
    *count = 1 << 30;
    return JW_CU_OK;
}

static unsigned device(int *out, int ordinal)
{
    *out = ordinal;
    return JW_CU_OK;
}

static unsigned name(char *out, int room, int which)
{
    (void)which;
    memset(out, 'n', (size_t)room); /* without its NUL */
    return JW_CU_OK;
}

static unsigned attribute(int *value, unsigned which, int of)
{
    static const int values[] = {[33] = 0x41, [34] = 2, [75] = 12, [76] = 1};

    (void)of;
    *value = which < sizeof values / sizeof values[0] ? values[which] : -1;
    return which == 50 ? 1 : JW_CU_OK;
}

static unsigned memory(size_t *bytes, int of)
{
    (void)of;
    *bytes = 5;
    return 999;
}

TEST(a_driver_that_says_little_is_believed_that_much)
{
    struct cu_api api = {.device_count = count_negative,
                         .device = device,
                         .device_name = name,
                         .device_attribute = attribute,
                         .device_memory = memory};
    struct jw_device d;
    unsigned n = 7;

    CHECK_NUM(jw_device_count(&api, &n), 0);
    CHECK_NUM(n, 0);
    api.device_count = count_many;
    CHECK_NUM(jw_device_count(&api, &n), 0);
    CHECK_NUM(n, 256);
    CHECK_NUM(jw_device_read(&api, 0, &d), 0);
    CHECK_NUM(strlen(d.name), sizeof d.name - 1);
    CHECK_TEXT(d.uuid, "");
    CHECK_NUM(d.sm, 121);
    CHECK_NUM(d.memory, 0);
}

TEST(the_driver_behind_its_loader)
{
    static const struct {
        const char *path;
        bool behind;
    } files[] = {
        {"C:\\Windows\\System32\\DriverStore\\FileRepository\\nv_dispi.inf_amd64_"
         "6b1f3c4f1c4f0c2a\\nvcuda64."
         "dll",
         true},
        {"c:\\windows\\system32\\driverstore\\filerepository\\nvlti.inf_amd64_0\\NVCUDA64.DLL",
         true},
        {"C:\\Windows\\System32\\nvcuda.dll", false},
        {"C:\\Windows\\System32\\DriverStore\\FileRepository\\x\\nvcuvid64.dll", false},
        {"/usr/lib/wsl/drivers/nv_dispi.inf_amd64_6b1f/libcuda.so.1.1", true},
        {"/usr/lib/wsl/lib/libcuda.so.1", false},
        {"/usr/lib/x86_64-linux-gnu/libcuda.so.580.126.09", false},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        CHECK(jw_driver_behind_loader(files[i].path) == files[i].behind);
}
