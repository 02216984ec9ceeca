/* Is this a container, and of which engine? The engine decides whether what is written in it stays, and how a variable is set for it. */
#ifndef MACHINE_CONTAINER_H
#define MACHINE_CONTAINER_H

#include "base/arena.h"

#include <stdbool.h>

enum jw_container_engine {
    JW_CONTAINER_UNKNOWN, /* LXC, systemd-nspawn, or no container at all */
    JW_CONTAINER_DOCKER,
    JW_CONTAINER_PODMAN,
    JW_CONTAINER_KUBERNETES,
    JW_CONTAINER_APPTAINER, /* Singularity, too: the host's home is inside */
    JW_CONTAINER_DESKTOP    /* Flatpak, Toolbx, Distrobox: a part of a person's desktop */
};

struct jw_container {
    bool inside; /* this is one */
    enum jw_container_engine engine;
};

/* By the files that it leaves inside, the names of its control groups, and for this machine a variable. `sysroot`: prefix of the
 * system's files for tests, else "". Windows: none. */
struct jw_container jw_container_here(const char *sysroot, struct jw_arena *a);

#endif
