#include "phantom/phantom.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

static _Atomic unsigned char kinds[PH_MAX_FDS];
static struct aim {
    unsigned minor;
    struct ph_memory *memory;
    uint64_t offset;
} aims[PH_MAX_FDS];

enum ph_kind ph_fd_kind(int fd)
{
    return fd >= 0 && fd < PH_MAX_FDS
               ? (enum ph_kind)atomic_load_explicit(&kinds[fd], memory_order_relaxed)
               : PH_NONE;
}

int ph_device_of(const char *path, enum ph_kind *kind)
{
    static const char stem[] = "/dev/nvidia";
    static const char cap[] = "-caps/nvidia-cap";
    char *end = NULL;
    unsigned long minor;

    if (strncmp(path, stem, sizeof stem - 1) != 0)
        return -1;
    path += sizeof stem - 1;
    *kind = strcmp(path, "ctl") == 0 ? PH_CTL : strcmp(path, "-uvm") == 0 ? PH_UVM : PH_NONE;
    if (*kind == PH_NONE && strcmp(path, "-uvm-tools") == 0)
        *kind = PH_UVM_TOOLS;
    if (*kind != PH_NONE)
        return 0;
    if (strncmp(path, cap, sizeof cap - 1) == 0) {
        minor = strtoul(path + sizeof cap - 1, &end, 10);
        *kind = PH_CAP;
        return end == path + sizeof cap - 1 || *end || !ph_capability_known(minor) ? -2
                                                                                   : (int)minor;
    }
    minor = strtoul(path, &end, 10);
    if (end == path || *end || minor >= ph_options()->n_gpus)
        return -2;
    *kind = PH_GPU;
    return (int)minor;
}

/* An eventfd without writer never polls readable. A memory file would, and drivers would spin. */
int ph_fd_open(const char *path, enum ph_kind kind, unsigned minor)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (fd >= PH_MAX_FDS) {
        (void)ph_sys_close(fd);
        errno = EMFILE;
        return -1;
    }
    if (fd < 0)
        return -1;
    (void)pthread_mutex_lock(&ph_lock);
    ph_memory_drop(aims[fd].memory);
    aims[fd] = (struct aim){.minor = minor};
    atomic_store(&kinds[fd], (unsigned char)kind);
    (void)pthread_mutex_unlock(&ph_lock);
    ph_log("open %s: descriptor %d", path, fd);
    return fd;
}

unsigned ph_fd_minor(int fd) { return ph_fd_kind(fd) == PH_GPU ? aims[fd].minor : 0; }

/* Needs no lock, because a child between fork and exec also closes. The next open drops its
 * memory. */
void ph_fd_closed(int fd)
{
    if (fd >= 0 && fd < PH_MAX_FDS)
        atomic_store_explicit(&kinds[fd], PH_NONE, memory_order_relaxed);
}

void ph_fd_aim(int fd, struct ph_memory *m, uint64_t offset)
{
    if (ph_fd_kind(fd) == PH_NONE)
        return;
    ph_memory_drop(aims[fd].memory);
    aims[fd].memory = m ? ph_memory_keep(m) : NULL;
    aims[fd].offset = offset;
}

void *ph_fd_mmap(int fd, void *at, size_t n, int prot, int flags, off_t offset)
{
    const struct aim *aim = &aims[fd];
    void *got;

    (void)pthread_mutex_lock(&ph_lock);
    if (ph_fd_kind(fd) != PH_UVM && aim->memory && aim->memory->fd >= 0) {
        got = ph_sys_mmap(at, n, prot, flags, aim->memory->fd,
                          (off_t)(aim->offset & ~(uint64_t)4095));
    } else {
        /* Registers, doorbells, and addresses shared by CPU and GPU: plain memory, read at most by
         * the engines. */
        flags = (flags & ~(MAP_SHARED | MAP_SHARED_VALIDATE)) | MAP_PRIVATE | MAP_ANONYMOUS
                | MAP_NORESERVE;
        got = ph_sys_mmap(at, n, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (got != MAP_FAILED && ph_fd_kind(fd) == PH_UVM)
            ph_space_program((uint64_t)(uintptr_t)got, n);
    }
    (void)pthread_mutex_unlock(&ph_lock);
    ph_log("mmap descriptor %d: %zx bytes at %p, offset %lx", fd, n, got, (long)offset);
    return got;
}
