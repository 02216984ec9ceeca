#include "machine/container.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/paths.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

bool jw_in_wsl(const char *root, struct jw_arena *a)
{
    return !jw_is_absent(jw_path_join(a, root, "dev/dxg"));
}

static bool names_container(const char *sysroot, struct jw_arena *a)
{
    static const char *const words[] = {"/docker", "/kubepods", "/lxc", "containerd", "libpod"};
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_TEXT_FILE);
    bool found = false;
    bool names = false;

    if (!jw_file_slurp(jw_arena_printf(a, "%s/proc/1/cgroup", sysroot), &text, &found, JW_IGNORED))
        return false;
    for (size_t i = 0; i < JW_COUNT(words); i++)
        names |= strstr(jw_buf_cstr(&text), words[i]) != NULL;
    return names;
}

/* The order matters: what is built upon Podman or Docker has their files, too. Kubernetes with
 * containerd shows no group's name and has no .dockerenv. Podman, nspawn and LXC set the
 * variable. */
struct jw_container jw_container_here(const char *sysroot, struct jw_arena *a)
{
    static const struct {
        const char *file;
        enum jw_container_engine engine;
    } signs[] = {
        {"/.flatpak-info", JW_CONTAINER_DESKTOP},
        {"/run/.toolboxenv", JW_CONTAINER_DESKTOP},
        {"/usr/bin/distrobox-host-exec", JW_CONTAINER_DESKTOP},
        {"/var/run/secrets/kubernetes.io", JW_CONTAINER_KUBERNETES},
        {"/dev/termination-log", JW_CONTAINER_KUBERNETES},
        {"/.singularity.d", JW_CONTAINER_APPTAINER},
        {"/run/.containerenv", JW_CONTAINER_PODMAN},
        {"/.dockerenv", JW_CONTAINER_DOCKER},
    };

    const char *named = *sysroot ? NULL : jw_env(a, "container");

    if (jw_os_is_windows())
        return (struct jw_container){0};
    for (size_t i = 0; i < JW_COUNT(signs); i++)
        if (!jw_is_absent(jw_arena_printf(a, "%s%s", sysroot, signs[i].file)))
            return (struct jw_container){true, signs[i].engine};
    return (struct jw_container){.inside = names_container(sysroot, a)
                                           || (named && *named && !jw_in_wsl("/", a))};
}
