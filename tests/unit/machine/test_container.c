/* Who runs a container, by the files that it leaves inside. */
#include "check.h"
#include "machine/container.h"
#include "rigs/scratch.h"

TEST_ARENA(each_engine_is_known_by_its_files)
{
    static const struct {
        const char *file;
        enum jw_container_engine engine;
    } rows[] = {
        { "none/etc/hostname", JW_CONTAINER_UNKNOWN },
        { "docker/.dockerenv", JW_CONTAINER_DOCKER },
        { "podman/run/.containerenv", JW_CONTAINER_PODMAN },
        { "kube/var/run/secrets/kubernetes.io/serviceaccount/namespace", JW_CONTAINER_KUBERNETES },
        { "image/.singularity.d/runscript", JW_CONTAINER_APPTAINER },
        { "editor/.flatpak-info", JW_CONTAINER_DESKTOP },
        { "docker/dev/termination-log", JW_CONTAINER_KUBERNETES },
        { "podman/usr/bin/distrobox-host-exec", JW_CONTAINER_DESKTOP },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        char root[16];

        scratch_put(rows[i].file, "");
        (void)snprintf(root, sizeof root, "%.*s", (int)strcspn(rows[i].file, "/"), rows[i].file);
        CHECK_NUM(jw_container_engine(scratch(root), a), rows[i].engine);
    }
}
