/* Is this a container or WSL? The engine decides whether files stay, and how a variable is set. */
#pragma once

#include "base/arena.h"

enum jw_container_engine {
    JW_CONTAINER_UNKNOWN, /* LXC, systemd-nspawn, or no container at all */
    JW_CONTAINER_DOCKER,
    JW_CONTAINER_PODMAN,
    JW_CONTAINER_KUBERNETES,
    JW_CONTAINER_APPTAINER, /* Singularity, too: the host's home is inside */
    JW_CONTAINER_DESKTOP    /* Flatpak, Toolbx, Distrobox: a part of a person's desktop */
};

struct jw_container {
    bool inside; /* this machine is a container */
    enum jw_container_engine engine;
};

/* Decides by files inside, names of control groups, and (for this machine) a variable. `sysroot`:
 * prefix of the system's files in tests, else "". Windows: no container. */
struct jw_container jw_container_here(const char *sysroot, struct jw_arena *a);

/* Is this Linux inside of Windows, whose GPU is no PCI device? `root`: "/" except in tests. */
bool jw_in_wsl(const char *root, struct jw_arena *a);
