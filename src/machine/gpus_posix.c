#include "machine/gpus.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/container.h"
#include "machine/gpu_text.h"
#include "machine/paths.h"
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
};

/* A small file below the root; "" where it is not there, or cannot be read. */
static struct jw_bytes read_small(const char *root, const char *name, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_TEXT_FILE);
    bool found;

    (void)!jw_file_slurp(jw_path_join(a, root, name), &text, &found, JW_IGNORED);
    return jw_buf_bytes(&text);
}

static void add_gpu(struct found *f, struct jw_gpu gpu)
{
    struct jw_gpu *slot =
        jw_list_add(f->a, &f->out->gpus, &f->out->n, sizeof *f->out->gpus, JW_MAX_GPUS, JW_IGNORED);

    if (slot)
        *slot = gpu;
}

/* A number such as "0x10de\n" in a device's file `name`. A missing file reads as 0. */
static unsigned read_hex(struct found *f, const char *folder, const char *name)
{
    struct jw_bytes text = read_small(folder, name, f->a);

    return jw_starts(text, "0x")
               ? (unsigned)strtoul(jw_arena_text(f->a, (const char *)text.p, text.n), NULL, 16)
               : 0;
}

static void read_device(struct found *f, const char *folder)
{
    unsigned class, id, sub_id;

    if (read_hex(f, folder, "vendor") != NVIDIA)
        return;
    class = read_hex(f, folder, "class") >> 8;
    if (class != 0x0300 && class != 0x0302) /* VGA, 3D; the others are audio, USB, bridges */
        return;
    id = read_hex(f, folder, "device");
    sub_id = read_hex(f, folder, "subsystem_device");
    add_gpu(f, jw_gpu_of_pci(jw_arena_printf(f->a, sub_id ? "10de:%04x:%04x:%04x" : "10de:%04x", id,
                                             read_hex(f, folder, "subsystem_vendor"), sub_id)));
}

static void find_pci(struct found *f, const char *sysroot)
{
    const char *folder = jw_path_join(f->a, sysroot, "sys/bus/pci/devices");
    struct jw_listing devices = jw_listing_read(folder, "*:*:*.?", f->a, NULL);

    for (size_t i = 0; i < devices.n; i++)
        read_device(f, jw_path_join(f->a, folder, devices.names[i]));
}

/* Containers and sandboxes without sysfs: NVIDIA's kernel driver lists the GPUs by their names. */
static void find_shown(struct found *f, const char *sysroot)
{
    const char *folder = jw_path_join(f->a, sysroot, "proc/driver/nvidia/gpus");
    struct jw_listing names = jw_listing_read(folder, "*", f->a, NULL);

    for (size_t i = 0; i < names.n; i++) {
        const char *gpu = jw_path_join(f->a, folder, names.names[i]);

        add_gpu(f, jw_gpu_of_proc(read_small(gpu, "information", f->a)));
    }
}

/* Linux inside of Windows shows no GPU, and some loaders do not look where its driver is. */
static void find_wsl(struct found *f, const char *sysroot)
{
    const char *path = jw_path_join(f->a, sysroot, "usr/lib/wsl/lib/libcuda.so.1");

    f->out->wsl = !f->out->n && jw_in_wsl(sysroot, f->a);
    f->out->library = f->out->wsl && jw_is_file(path) ? path : NULL;
}

const char *jw_kernel_driver(const char *root, struct jw_arena *a)
{
    struct jw_bytes text = read_small(root, "proc/driver/nvidia/version", a);
    char version[32];

    return jw_driver_of_proc(text, version, sizeof version) ? jw_arena_str(a, version) : NULL;
}

/* Finds who may use the GPUs. The device's node exists once a program asked for it. */
static void find_access(struct found *f, const char *sysroot)
{
    const char *path = jw_path_join(f->a, sysroot, "dev/nvidiactl");
    char text[1024];
    struct group entry, *found = NULL;
    struct stat node;

    f->out->nouveau = access(jw_path_join(f->a, sysroot, "sys/module/nouveau"), F_OK) == 0;
    if (!f->out->driver)
        return;
    f->out->no_nodes = stat(path, &node) != 0;
    f->out->closed = !f->out->no_nodes && access(path, R_OK | W_OK) != 0;
    if (f->out->closed && (node.st_mode & S_IWGRP) && node.st_gid != 0
        && getgrgid_r(node.st_gid, &entry, text, sizeof text, &found) == 0 && found)
        f->out->group = jw_arena_str(f->a, found->gr_name);
}

void jw_host_gpus(const char *sysroot, struct jw_arena *a, struct jw_host_gpus *out)
{
    struct found f = {.a = a, .out = out};
    const char *root = sysroot[0] ? sysroot : "/";

    *out = (struct jw_host_gpus){0};
    find_pci(&f, root);
    if (!out->n)
        find_shown(&f, root);
    find_wsl(&f, root);
    out->driver = jw_kernel_driver(root, a);
    find_access(&f, root);
}
