#include "os/files/scratch.h"

#include "base/digest.h"
#include "os/machine/procfs.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* EPERM: alive, but of another user. */
bool jw_sys_process_alive(unsigned long pid)
{
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

/* A digest of the boot id and the pid namespace; an unreadable one counts as empty. */
uint32_t jw_sys_system(void)
{
    char text[128] = "";
    uint8_t digest[JW_DIGEST];

    (void)jw_procfs_read("/proc/sys/kernel/random/boot_id", text, 64);
    (void)!readlink("/proc/self/ns/pid", text + 64, 64);
    jw_digest(digest, text, sizeof text);
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 | digest[3];
}
