/* Who runs a container, by the files that it leaves inside. */
#include "check.h"
#include "machine/container.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

TEST_ARENA(each_engine_is_known_by_its_files)
{
    static const struct {
        const char *file, *text;
        bool inside;
        enum jw_container_engine engine;
    } rows[] = {
        {"none/etc/hostname", "", false, JW_CONTAINER_UNKNOWN},
        {"host/proc/1/cgroup", "0::/init.scope\n", false, JW_CONTAINER_UNKNOWN},
        {"group/proc/1/cgroup", "0::/kubepods/burstable/pod1\n", true, JW_CONTAINER_UNKNOWN},
        {"docker/.dockerenv", "", true, JW_CONTAINER_DOCKER},
        {"podman/run/.containerenv", "", true, JW_CONTAINER_PODMAN},
        {"kube/var/run/secrets/kubernetes.io/serviceaccount/namespace", "", true,
         JW_CONTAINER_KUBERNETES},
        {"image/.singularity.d/runscript", "", true, JW_CONTAINER_APPTAINER},
        {"editor/.flatpak-info", "", true, JW_CONTAINER_DESKTOP},
        {"docker/dev/termination-log", "", true, JW_CONTAINER_KUBERNETES},
        {"podman/usr/bin/distrobox-host-exec", "", true, JW_CONTAINER_DESKTOP},
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        char root[16];

        scratch_put(rows[i].file, rows[i].text);
        (void)snprintf(root, sizeof root, "%.*s", (int)strcspn(rows[i].file, "/"), rows[i].file);
        struct jw_container c = jw_container_here(scratch(root), a);

        CHECK_NUM(c.engine, rows[i].engine);
        CHECK(c.inside == rows[i].inside);
    }
}

TEST_ARENA(a_container_manager_names_itself_to_what_it_starts)
{
    set_variable("container", "podman");
    CHECK(jw_container_here("", a).inside);
    CHECK(!jw_container_here(scratch("none"), a)
               .inside); /* another machine than that of this process */
}
