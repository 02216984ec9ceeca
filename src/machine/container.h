/* The engine that runs this container, and the container's name there: for the commands that a person runs outside of it. */
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

/* NULL: unknown, or the engine has none. */
struct jw_container {
    enum jw_container_engine engine;
    const char *id;       /* Docker, Podman: a name for `inspect` */
    const char *pod;      /* Kubernetes: its name, ... */
    const char *space;    /* ... its namespace, ... */
    const char *workload; /* ... its controller ("deployment/app"), ... */
    const char *name;     /* ... and the container's name in it */
    const char *image;    /* Apptainer: the file */
    const char *outside;  /* Apptainer: its program; Desktop: the one that runs a command on the host */
};

/* `sysroot`: prefix of the system's files for tests, else "". `host`: this system's name. */
void jw_container_look(const char *sysroot, const char *host, struct jw_arena *a, struct jw_container *out);

/* ---- pure parts, for tests ---- */

/* The id of Docker or Podman, and the name of Kubernetes, in /proc/self/mountinfo: both mount files of their own, from
 * folders with these names. NULL: there is none. */
const char *jw_container_id(const char *mountinfo, struct jw_arena *a);
const char *jw_container_name(const char *mountinfo, struct jw_arena *a);

/* "deployment/app" of the pod "app-5d4f8c7b9d-x2k4p", "statefulset/app" of "app-0"; NULL: not known. */
const char *jw_container_workload(const char *pod, struct jw_arena *a);

#endif
