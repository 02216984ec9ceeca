/* The engine that runs this container: it decides whether what is written in it stays, and how a variable is set for it. */
#ifndef MACHINE_CONTAINER_H
#define MACHINE_CONTAINER_H

#include "base/arena.h"

enum jw_container_engine {
    JW_CONTAINER_UNKNOWN, /* LXC, systemd-nspawn, or no container at all */
    JW_CONTAINER_DOCKER,
    JW_CONTAINER_PODMAN,
    JW_CONTAINER_KUBERNETES,
    JW_CONTAINER_APPTAINER, /* Singularity, too: the host's home is inside */
    JW_CONTAINER_DESKTOP    /* Flatpak, Toolbx, Distrobox: a part of a person's desktop */
};

/* By the files that it leaves inside. `sysroot`: prefix of the system's files for tests, else "". */
enum jw_container_engine jw_container_engine(const char *sysroot, struct jw_arena *a);

#endif
