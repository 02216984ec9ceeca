#include "machine/gpus.h"

#include "base/limits.h"
#include "base/path.h"
#include "machine/gpu_text.h"
#include "machine/listing.h"
#include "machine/whoami.h"
#include "os/files/file.h"

#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NVIDIA = 0x10de };

struct found {
    struct jw_arena *a;
    struct jw_host_gpus *out;
    struct jw_err err;
};

/* Reads the start of a small file; sysfs and procfs report no true size. `*got` 0: no such file. */
static bool read_start(const char *path, void *dst, size_t room, size_t *got, struct jw_err *err)
{
    struct jw_file f;
    bool found;

    *got = 0;
    bool ok =
        jw_file_open_existing(&f, path, &found, err) && (!found || jw_file_read(&f, 0, dst, room, got, err));

    jw_file_close(&f);
    return ok;
}

static void note_failure(struct found *f, const char *path)
{
    jw_note(&f->out->notes, f->a, "%s: %s", path, f->err.msg);
}

static bool add_gpu(struct found *f, struct jw_gpu gpu)
{
    struct jw_gpu *slot =
        jw_list_add(f->a, &f->out->gpus, &f->out->n, sizeof *f->out->gpus, JW_MAX_GPUS, &f->err);

    if (slot)
        *slot = gpu;
    return slot != NULL;
}

/* A number such as "0x10de\n" in a device's file `name`. A missing file reads as 0. */
static bool read_hex(struct found *f, const char *folder, const char *name, unsigned *out)
{
    char text[32];
    size_t n;

    if (!read_start(jw_path_join(f->a, folder, name), text, sizeof text - 1, &n, &f->err))
        return false;
    text[n] = '\0';
    *out = strncmp(text, "0x", 2) == 0 ? (unsigned)strtoul(text, NULL, 16) : 0;
    return true;
}

static bool read_device(struct found *f, const char *folder)
{
    unsigned vendor, class, id, sub_vendor, sub_id;

    if (!read_hex(f, folder, "vendor", &vendor))
        return false;
    if (vendor != NVIDIA)
        return true;
    if (!read_hex(f, folder, "class", &class) || !read_hex(f, folder, "device", &id)
        || !read_hex(f, folder, "subsystem_vendor", &sub_vendor)
        || !read_hex(f, folder, "subsystem_device", &sub_id))
        return false;
    return (class >> 8 != 0x0300 && class >> 8 != 0x0302) /* VGA, 3D; the others are audio, USB, bridges */
           || add_gpu(f, jw_gpu_of_pci(jw_arena_printf(f->a, sub_id ? "10de:%04x:%04x:%04x" : "10de:%04x", id,
                                                       sub_vendor, sub_id)));
}

static void find_pci(struct found *f, const char *sysroot)
{
    const char *folder = jw_path_join(f->a, sysroot, "sys/bus/pci/devices");
    struct jw_listing devices = jw_listing_read(folder, "*:*:*.?", f->a, &f->out->notes);

    for (size_t i = 0; i < devices.n; i++) {
        const char *device = jw_path_join(f->a, folder, devices.names[i]);

        if (!read_device(f, device))
            note_failure(f, device);
    }
}

/* The start of a small file below the root; "" and a note if it cannot be read. */
static struct jw_bytes read_small(struct found *f, const char *sysroot, const char *name, char *text,
                                  size_t room)
{
    const char *path = jw_path_join(f->a, sysroot, name);
    size_t got = 0;

    if (!read_start(path, text, room, &got, &f->err))
        note_failure(f, path);
    return (struct jw_bytes){ (const uint8_t *)text, got };
}

/* The processor's own GPU, which is on no bus. */
static void find_tegra(struct found *f, const char *sysroot, struct jw_gpu *gpu)
{
    char text[512], more[64];
    struct jw_bytes tree = read_small(f, sysroot, "proc/device-tree/compatible", text, sizeof text), family;

    f->out->tegra = jw_gpu_of_device_tree(tree, gpu);
    if (f->out->tegra)
        return;
    family = read_small(f, sysroot, "sys/devices/soc0/family", text, sizeof text);
    f->out->tegra =
        jw_gpu_of_soc(family, read_small(f, sysroot, "sys/devices/soc0/soc_id", more, sizeof more), gpu);
}

/* JetPack 4 and 5 install it in tegra, later ones in nvidia. ldconfig makes the link libcuda.so.1. */
static void find_tegra_library(struct found *f, const char *sysroot)
{
    static const char *const names[] = { "usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1",
                                         "usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1",
                                         "usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1",
                                         "usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1" };
    struct jw_file_info info;

    for (size_t i = 0; f->out->tegra && !f->out->library && i < JW_COUNT(names); i++) {
        const char *path = jw_path_join(f->a, sysroot, names[i]);

        if (!jw_file_stat(path, &info, &f->err))
            note_failure(f, path);
        else
            f->out->library = info.kind == JW_FILE_REGULAR ? path : NULL;
    }
}

/* Containers and sandboxes without sysfs: NVIDIA's kernel driver lists the GPUs that this one may use, by their names. */
static void find_shown(struct found *f, const char *sysroot)
{
    const char *folder = jw_path_join(f->a, sysroot, "proc/driver/nvidia/gpus");
    struct jw_listing names = jw_listing_read(folder, "*", f->a, &f->out->notes);

    for (size_t i = 0; i < names.n; i++) {
        const char *file = jw_arena_printf(f->a, "proc/driver/nvidia/gpus/%s/information", names.names[i]);
        char text[1024];

        if (!add_gpu(f, jw_gpu_of_proc(read_small(f, sysroot, file, text, sizeof text))))
            note_failure(f, folder);
    }
}

/* Merges the PCI GPUs with those that are no PCI devices. */
static void name_gpus(struct found *f, const char *sysroot)
{
    struct jw_host_gpus *out = f->out;
    struct jw_gpu tegra = { 0 };

    find_tegra(f, sysroot, &tegra);
    find_tegra_library(f, sysroot);

    bool apart = out->tegra;

    for (size_t i = 0; i < out->n; i++)
        apart &= out->gpus[i].sm != tegra.sm; /* Thor's own GPU is a PCI device, too */
    if (apart && !add_gpu(f, tegra))
        note_failure(f, "the processor's GPU");
    if (!out->n)
        find_shown(f, sysroot);
    if (!out->n && jw_in_wsl(sysroot, f->a))
        jw_note(&out->notes, f->a, "WSL: the GPU is not a PCI device here; ask the driver");
}

const char *jw_kernel_driver(const char *root, struct jw_arena *a, struct jw_notes *notes)
{
    const char *path = jw_path_join(a, root, "proc/driver/nvidia/version");
    char text[512], version[32];
    struct jw_err why;
    size_t n;

    if (!read_start(path, text, sizeof text, &n, &why))
        jw_note(notes, a, "%s: %s", path, why.msg);
    else if (n && jw_driver_of_proc((struct jw_bytes){ (const uint8_t *)text, n }, version, sizeof version))
        return jw_arena_str(a, version);
    else if (n)
        jw_note(notes, a, "%s: no driver version was found in it", path);
    return NULL;
}

/* Finds who may use the GPUs. The node is there where NVIDIA's kernel driver was asked for it once. */
static void find_access(struct found *f, const char *sysroot)
{
    const char *path = jw_path_join(f->a, sysroot, "dev/nvidiactl");
    char text[1024];
    struct group entry, *found = NULL;
    struct stat node;

    f->out->nouveau = access(jw_path_join(f->a, sysroot, "sys/module/nouveau"), F_OK) == 0;
    if (!f->out->driver || f->out->tegra)
        return;
    f->out->no_nodes = stat(path, &node) != 0;
    f->out->closed = !f->out->no_nodes && access(path, R_OK | W_OK) != 0;
    if (f->out->closed && (node.st_mode & S_IWGRP) && node.st_gid != 0
        && getgrgid_r(node.st_gid, &entry, text, sizeof text, &found) == 0 && found)
        f->out->group = jw_arena_str(f->a, found->gr_name);
}

void jw_host_gpus(const char *sysroot, struct jw_arena *a, struct jw_host_gpus *out)
{
    struct found f = { .a = a, .out = out };
    const char *root = sysroot[0] ? sysroot : "/";

    *out = (struct jw_host_gpus){ 0 };
    find_pci(&f, root);
    name_gpus(&f, root);
    out->driver = jw_kernel_driver(root, a, &out->notes);
    find_access(&f, root);
}
