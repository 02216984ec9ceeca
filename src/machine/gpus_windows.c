#include "machine/gpus.h"

#include "base/limits.h"
#include "base/text.h"
#include "machine/gpu_text.h"

#include <windows.h>

#include <cfgmgr32.h>
#include <stdio.h>

/* The device class "display": the plug-and-play manager lists present adapters without waking them.
 * Their ids, keys and versions are ASCII. */
#define DISPLAY_CLASS "{4d36e968-e325-11ce-bfc1-08002be10318}"
#define CLASS_KEY "SYSTEM\\CurrentControlSet\\Control\\Class\\"
#define ENUM_KEY "SYSTEM\\CurrentControlSet\\Enum\\"

enum { KEY_ROOM = 512, VALUE_ROOM = 256, IDS_ROOM = 1 << 14 };

/* A text of the machine's registry, "" where it is not there. */
static bool read_registry(const char *head, const char *tail, const char *name,
                          char value[VALUE_ROOM])
{
    char key[KEY_ROOM];
    DWORD bytes = VALUE_ROOM;

    value[0] = '\0';
    return (size_t)snprintf(key, sizeof key, "%s%s", head, tail) < sizeof key
           && RegGetValueA(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, value, &bytes)
                  == ERROR_SUCCESS;
}

bool jw_adapter_read(const char *id, struct jw_gpu *gpu, char *driver, size_t room)
{
    char key[VALUE_ROOM], version[VALUE_ROOM];

    if (!jw_text_starts(id, "PCI\\VEN_10DE&"))
        return false;
    *gpu = jw_gpu_of_pci(id);
    /* The adapter's key holds "{class}\0000", the path of its driver's key. */
    if (!read_registry(ENUM_KEY, id, "Driver", key)
        || !read_registry(CLASS_KEY, key, "DriverVersion", version)
        || !jw_driver_of_windows(version, driver, room))
        driver[0] = '\0';
    return true;
}

static void add_adapter(const char *id, struct jw_arena *a, struct jw_host_gpus *out)
{
    char driver[32];
    struct jw_gpu gpu, *slot;

    if (!jw_adapter_read(id, &gpu, driver, sizeof driver))
        return;
    if (!out->driver && driver[0])
        out->driver = jw_arena_str(a, driver);
    slot = jw_list_add(a, &out->gpus, &out->n, sizeof *out->gpus, JW_MAX_GPUS, JW_IGNORED);
    if (slot)
        *slot = gpu;
}

const char *jw_kernel_driver(const char *root, struct jw_arena *a)
{
    (void)root, (void)a;
    return NULL;
}

void jw_host_gpus(const char *sysroot, struct jw_arena *a, struct jw_host_gpus *out)
{
    const ULONG what = CM_GETIDLIST_FILTER_PRESENT | CM_GETIDLIST_FILTER_CLASS;
    char ids[IDS_ROOM]; /* one behind the other, and an empty one at the end */
    CONFIGRET rc = CM_Get_Device_ID_ListA(DISPLAY_CLASS, ids, sizeof ids, what);

    (void)sysroot;
    *out = (struct jw_host_gpus){0};
    for (const char *id = ids; rc == CR_SUCCESS && *id; id += strlen(id) + 1)
        add_adapter(id, a, out);
}
