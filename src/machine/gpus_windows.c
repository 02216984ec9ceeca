#include "machine/gpus.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "machine/gpu_text.h"

#include <windows.h>

#include <cfgmgr32.h>
#include <stdio.h>
#include <string.h>

/* The device class "display": the plug-and-play manager lists present adapters without waking them. */
#define DISPLAY_CLASS L"{4d36e968-e325-11ce-bfc1-08002be10318}"
#define CLASS_KEY L"SYSTEM\\CurrentControlSet\\Control\\Class\\"
#define ENUM_KEY L"SYSTEM\\CurrentControlSet\\Enum\\"

enum { KEY_ROOM = 512, VALUE_ROOM = 256 };

/* A registry text; non-ASCII characters become '?', because only ids, locations and versions are read. */
static bool read_registry(const wchar_t *key, const wchar_t *name, char *out, size_t room)
{
    wchar_t value[VALUE_ROOM];
    DWORD bytes = sizeof value;
    size_t n = 0;

    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, value, &bytes) != ERROR_SUCCESS)
        return false;
    for (; n + 1 < room && value[n]; n++)
        out[n] = value[n] < 0x80 ? (char)value[n] : '?';
    out[n] = '\0';
    return true;
}

static bool join_key(wchar_t *out, const wchar_t *head, const wchar_t *tail)
{
    size_t n = wcslen(head), m = wcslen(tail);

    if (n + m >= KEY_ROOM)
        return false;
    memcpy(out, head, n * sizeof *out);
    memcpy(out + n, tail, (m + 1) * sizeof *out);
    return true;
}

/* The adapter's key holds "{class}\0000", the path of its driver's key. */
static bool driver_version(const wchar_t *adapter, char *version, size_t room)
{
    wchar_t link[VALUE_ROOM], key[KEY_ROOM];
    DWORD bytes = sizeof link;
    char text[64];

    return RegGetValueW(HKEY_LOCAL_MACHINE, adapter, L"Driver", RRF_RT_REG_SZ, NULL, link, &bytes)
               == ERROR_SUCCESS
           && join_key(key, CLASS_KEY, link) && read_registry(key, L"DriverVersion", text, sizeof text)
           && jw_driver_of_windows(text, version, room);
}

bool jw_adapter_read(const wchar_t *id, struct jw_gpu *gpu, char *driver, size_t room)
{
    char text[KEY_ROOM];
    wchar_t key[KEY_ROOM];
    size_t i = 0;

    driver[0] = '\0';
    for (; i + 1 < sizeof text && id[i]; i++)
        text[i] = id[i] < 0x80 ? (char)id[i] : '?';
    text[i] = '\0';
    if (strncmp(text, "PCI\\VEN_10DE&", 13) != 0)
        return false;
    *gpu = jw_gpu_of_pci(text);
    if (!join_key(key, ENUM_KEY, id) || !driver_version(key, driver, room))
        driver[0] = '\0';
    return true;
}

static void add_adapter(const wchar_t *id, struct jw_arena *a, struct jw_host_gpus *out)
{
    char driver[32];
    struct jw_gpu gpu, *slot;
    struct jw_err why;

    if (!jw_adapter_read(id, &gpu, driver, sizeof driver))
        return;
    if (!out->driver && driver[0])
        out->driver = jw_arena_str(a, driver);
    slot = jw_list_add(a, &out->gpus, &out->n, sizeof *out->gpus, JW_MAX_GPUS, &why);
    if (slot)
        *slot = gpu;
    else
        jw_note(&out->notes, a, "%s", why.msg);
}

/* The instance ids of present adapters, NUL-separated, with an empty one at the end. On failure a note. */
static void list_adapters(wchar_t **names, size_t *n, struct jw_arena *a, struct jw_host_gpus *out)
{
    const ULONG what = CM_GETIDLIST_FILTER_PRESENT | CM_GETIDLIST_FILTER_CLASS;
    ULONG length = 0;
    CONFIGRET rc = CM_Get_Device_ID_List_SizeW(&length, DISPLAY_CLASS, what);

    *names = NULL;
    *n = 0;
    if (rc == CR_SUCCESS && length > 0 && length <= JW_MAX_LINE) {
        *names = jw_alloc((length + 1) * sizeof **names);
        rc = CM_Get_Device_ID_ListW(DISPLAY_CLASS, *names, length, what);
        *n = rc == CR_SUCCESS ? length : 0;
    }
    if (rc != CR_SUCCESS)
        jw_note(&out->notes, a, "Windows did not list the display adapters (code %lu)", rc);
}

const char *jw_kernel_driver(const char *root, struct jw_arena *a, struct jw_texts *notes)
{
    (void)notes;
    (void)root;
    (void)a;
    return NULL;
}

void jw_host_gpus(const char *sysroot, struct jw_arena *a, struct jw_host_gpus *out)
{
    wchar_t *names = NULL;
    size_t chars = 0;

    *out = (struct jw_host_gpus){ 0 };
    if (sysroot[0]) {
        jw_note(&out->notes, a, "the registry has no other root");
        return;
    }
    list_adapters(&names, &chars, a, out);
    for (size_t at = 0; at < chars && names[at]; at += wcslen(names + at) + 1)
        add_adapter(names + at, a, out);
    jw_free(names);
}
