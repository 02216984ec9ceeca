#include "phantom/phantom.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The files of a loaded kernel module. ModifyDeviceFiles 0 keeps the driver from creating device
 * nodes. */
static const char params[] =
    "ModifyDeviceFiles: 0\nDeviceFileUID: 0\nDeviceFileGID: 0\nDeviceFileMode: 438\n"
    "InitializeSystemMemoryAllocations: 1\nEnableUserNUMAManagement: 1\nEnableStreamMemOPs: 0\n"
    "EnableGpuFirmware: 18\nRegistryDwords: \"\"\n";
static const char modules[] = "nvidia 61693952 1 nvidia_uvm, Live 0x0000000000000000 (OE)\n"
                              "nvidia_uvm 2039808 0 - Live 0x0000000000000000 (OE)\n";
static const char devices[] =
    "Character devices:\n  1 mem\n195 nvidia\n195 nvidiactl\n510 nvidia-uvm\n511 "
    "nvidia-caps\n\nBlock devices:\n";

static const struct file {
    const char *path, *text;
    const char *head; /* start of a line that ends with the driver's version */
} files[] = {
    {"/proc/modules", modules, NULL},
    {"/proc/devices", devices, NULL},
    {"/proc/driver/nvidia/params", params, NULL},
    {"/proc/driver/nvidia/version", NULL, "NVRM version: phantom of NVIDIA UNIX Kernel Module  "},
    {"/sys/module/nvidia/version", NULL, ""},
    {"/sys/module/nvidia/initstate", "live\n", NULL},
    {"/sys/module/nvidia_uvm/initstate", "live\n", NULL},
};

/* Hides everything else below these paths. */
static const char *const hidden[] = {"/proc/driver/nvidia", "/sys/module/nvidia"};

static const struct file *find_file(const char *path)
{
    for (size_t i = 0; i < PH_COUNT(files); i++)
        if (strcmp(path, files[i].path) == 0 && (files[i].text || ph_options()->version[0]))
            return &files[i];
    return NULL;
}

static bool is_hidden(const char *path)
{
    for (size_t i = 0; i < PH_COUNT(hidden); i++)
        if (strncmp(path, hidden[i], strlen(hidden[i])) == 0)
            return true;
    return false;
}

bool ph_file_known(const char *path)
{
    return find_file(path) != NULL || ph_capability_of(path) >= 0;
}

int ph_file_open(const char *path)
{
    const struct file *f = find_file(path);
    char line[128];
    const char *text = line;
    int fd, saved, capability = ph_capability_of(path);

    if (!f && capability < 0) {
        if (is_hidden(path))
            ph_log("file %s: hidden", path);
        return is_hidden(path) ? -2 : -1;
    }
    if (!f)
        (void)snprintf(line, sizeof line,
                       "DeviceFileMinor: %d\nDeviceFileMode: 438\nDeviceFileModify: 0\n",
                       capability);
    else if (f->text)
        text = f->text;
    else
        (void)snprintf(line, sizeof line, "%s%s\n", f->head, ph_options()->version);
    fd = ph_memory_file("phantom-file", 0);
    if (fd < 0)
        return -2;
    ph_log("file %s", path);
    saved = errno;
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || lseek(fd, 0, SEEK_SET) != 0) {
        (void)ph_sys_close(fd);
        return -2;
    }
    errno = saved;
    return fd;
}
