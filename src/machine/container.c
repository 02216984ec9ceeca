#include "machine/container.h"

#include "base/compiler.h"
#include "machine/listing.h"

/* The first of these decides: Podman's and Docker's files are in what is built upon them, too. */
enum jw_container_engine jw_container_engine(const char *sysroot, struct jw_arena *a)
{
    static const struct {
        const char *file;
        enum jw_container_engine engine;
    } signs[] = {
        { "/.flatpak-info", JW_CONTAINER_DESKTOP },
        { "/run/.toolboxenv", JW_CONTAINER_DESKTOP },
        { "/usr/bin/distrobox-host-exec", JW_CONTAINER_DESKTOP },
        { "/var/run/secrets/kubernetes.io", JW_CONTAINER_KUBERNETES },
        { "/dev/termination-log", JW_CONTAINER_KUBERNETES },
        { "/.singularity.d", JW_CONTAINER_APPTAINER },
        { "/run/.containerenv", JW_CONTAINER_PODMAN },
        { "/.dockerenv", JW_CONTAINER_DOCKER },
    };

    for (size_t i = 0; i < JW_COUNT(signs); i++)
        if (!jw_is_absent(jw_arena_printf(a, "%s%s", sysroot, signs[i].file)))
            return signs[i].engine;
    return JW_CONTAINER_UNKNOWN;
}
