#include "check.h"
#include "machine/gpus.h"

#include <windows.h>

TEST_ARENA(this_machine)
{
    struct jw_host_gpus gpus;

    jw_host_gpus("", a, &gpus);
    for (size_t i = 0; i < gpus.n; i++)
        CHECK(gpus.gpus[i].name[0]);
    printf("%zu GPUs, driver %s\n", gpus.n, gpus.driver ? gpus.driver : "none");
}

#define ID "PCI\\VEN_10DE&DEV_2484&SUBSYS_146910DE&REV_A1\\jitwarm-test"
#define ADAPTER "SYSTEM\\CurrentControlSet\\Enum\\" ID
#define DRIVER "{4d36e968-e325-11ce-bfc1-08002be10318}\\jitwarm-test"
#define DRIVER_KEY "SYSTEM\\CurrentControlSet\\Control\\Class\\" DRIVER

static bool set(const char *key, const char *name, const char *value)
{
    return RegSetKeyValueA(HKEY_LOCAL_MACHINE, key, name, REG_SZ, value, (DWORD)strlen(value) + 1)
           == ERROR_SUCCESS;
}

TEST(an_adapter_in_the_registry)
{
    struct jw_gpu gpu;
    char driver[32];

    if (!GetProcAddress(GetModuleHandleA("ntdll.dll"), "wine_get_version"))
        SKIP("writes to the registry: under Wine only");
    CHECK(set(ADAPTER, "Driver", DRIVER));
    CHECK(set(DRIVER_KEY, "DriverVersion", "32.0.15.8129"));
    CHECK(jw_adapter_read(ID, &gpu, driver, sizeof driver));
    CHECK_NUM(gpu.sm, 86);
    CHECK_TEXT(driver, "581.29");

    CHECK(jw_adapter_read("PCI\\VEN_10DE&DEV_1E30\\absent", &gpu, driver, sizeof driver));
    CHECK_TEXT(driver, "");
    CHECK(!jw_adapter_read("PCI\\VEN_8086&DEV_9BC4\\x", &gpu, driver, sizeof driver));
    CHECK(!jw_adapter_read("ROOT\\BasicRender\\0000", &gpu, driver, sizeof driver));
    (void)RegDeleteTreeA(HKEY_LOCAL_MACHINE, ADAPTER);
    (void)RegDeleteTreeA(HKEY_LOCAL_MACHINE, DRIVER_KEY);
}
