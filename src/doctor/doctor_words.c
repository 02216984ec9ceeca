#include "doctor/doctor_words.h"

#include "base/command.h"
#include "base/path.h"
#include "base/text.h"
#include "session/lines.h"

#include <string.h>

const char *doctor_variable(const struct jw_doctor_machine *m, const char *name)
{
    const struct jw_env_value *v = jw_env_set_find(&m->env, name);

    return v ? v->value : NULL;
}

bool doctor_gpus_are_hidden(const struct jw_doctor_machine *m)
{
    const char *value = doctor_variable(m, "CUDA_VISIBLE_DEVICES");

    return value && (!*value || strcmp(value, "-1") == 0 || strcmp(value, "NoDevFiles") == 0);
}

const char *doctor_setting(const char *name, const char *value, struct jw_findings *f)
{
    return jw_fmt(f, "%s=%s", name, jw_text_short(value, 200, f->a));
}

const char *doctor_where_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                             struct jw_findings *f)
{
    const struct jw_env_value *login = m->login.known ? jw_env_set_find(&m->login.sets, name) : NULL;

    const char *shown = doctor_setting(name, value, f);

    if (login && login->value && login->origin && strcmp(login->value, value) == 0)
        return jw_fmt(f, "%s; a fresh login has it, too, from %s", shown, login->origin);
    if (m->login.known && !login)
        return jw_fmt(f, "%s, set in this environment only: a fresh login does not have it", shown);
    return shown;
}

const char *doctor_quoted(const struct jw_doctor_machine *m, const char *path, struct jw_findings *f)
{
    return DOCTOR_COMMAND(m, f, path);
}

/* The file that sets this variable at login; NULL: none, or unknown. */
static const char *login_origin(const struct jw_doctor_machine *m, const char *name)
{
    const struct jw_env_value *login = m->login.known ? jw_env_set_find(&m->login.sets, name) : NULL;

    return login && login->value ? login->origin : NULL;
}

const char *doctor_set_in_shell(const struct jw_doctor_machine *m, const char *name, const char *value,
                                struct jw_findings *f)
{
    return jw_shell_set(f->a, m->windows, m->shell, name, value);
}

static const char *limit_command(const struct jw_doctor_machine *m, const char *value, struct jw_findings *f)
{
    struct jw_line_shell at = { .windows = m->windows,
                                .container = m->probe.driver.container,
                                .shell = m->shell,
                                .login = &m->login,
                                .driver = jw_doctor_version(m) };
    uint64_t limit = 0;

    (void)jw_text_u64(value, &limit);
    return jw_line_limit_in(&at, limit, f->a);
}

const char *doctor_set_command(const struct jw_doctor_machine *m, const char *name, const char *value,
                               struct jw_findings *f)
{
    const char *here = doctor_set_in_shell(m, name, value, f);

    if (value && strcmp(name, "CUDA_CACHE_MAXSIZE") == 0)
        return limit_command(m, value, f);
    if (!value && strcmp(name, "CUDA_CACHE_DISABLE") == 0 && login_origin(m, name)
        && !m->probe.driver.container)
        return jw_shell_then(f->a, m->windows, "jitwarm env apply", here);
    if (!value && strcmp(name, "CUDA_CACHE_PATH") == 0 && m->without_path)
        return m->without_path;
    if (m->windows && login_origin(m, name))
        return value ? DOCTOR_COMMAND(m, f, "setx", name, value)
                     : jw_fmt(f, "reg delete HKCU\\Environment /f /v %s", name);
    return here;
}

const char *doctor_how_to_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                              struct jw_findings *f)
{
    const char *origin = login_origin(m, name);
    bool env = strstr(doctor_set_command(m, name, value, f), "jitwarm env apply") != NULL;

    if (env)
        return jw_fmt(f, "%s%sthis sets it for new logins (undo: jitwarm env undo) and in this shell:",
                      origin ? origin : "", origin ? " sets it; " : "");
    if (m->probe.driver.container && value)
        return jw_fmt(f, "permanently: %s; for this shell:", doctor_container_setting(m));
    if (origin)
        return jw_fmt(f,
                      value ? "permanently: change it in %s; for this shell:"
                            : "permanently: remove it from %s; for this shell:",
                      origin);
    return value ? "for this shell:" : "it is set for this shell or program only; remove it there:";
}

const char *doctor_without_folder(const struct jw_doctor_machine *m, const char *word, struct jw_findings *f)
{
    static const char name[] = "LD_LIBRARY_PATH";
    const char *at = doctor_variable(m, name), *kept = "";

    while (at && *at) {
        size_t n = strcspn(at, ":");
        const char *folder = jw_fmt(f, "%.*s", (int)n, at);

        if (*folder && !(*word == '/' ? strcmp(folder, word) == 0 : strstr(folder, word) != NULL))
            kept = jw_fmt(f, "%s%s%s", kept, *kept ? ":" : "", folder);
        at += n + (at[n] == ':');
    }
    return doctor_set_in_shell(m, name, *kept ? kept : NULL, f);
}

const char *doctor_with_folders(const struct jw_doctor_machine *m, const char *folders, struct jw_findings *f)
{
    const char *now = doctor_variable(m, "LD_LIBRARY_PATH");

    return now && *now ? jw_fmt(f, "%s:%s", folders, now) : folders;
}

/* The same for new logins; a container has none. */
static const char *keep_cache(const struct jw_doctor_machine *m, const char *set, struct jw_findings *f)
{
    if (m->probe.driver.container)
        return set;
    return jw_fmt(f, "%s && jitwarm env apply --path \"$%sCUDA_CACHE_PATH\"", set,
                  m->shell == JW_SHELL_POWERSHELL ? "env:" : "");
}

const char *doctor_own_folder(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (m->windows)
        return "jitwarm env apply --path \"%LOCALAPPDATA%\\NVIDIA\\ComputeCache\"";
    return jw_line_new_cache(m->probe.driver.container, m->shell, f->a);
}

/* ---- in a container ---- */

const char *doctor_container_setting(const struct jw_doctor_machine *m)
{
    switch (m->container.engine) {
    case JW_CONTAINER_DOCKER: return "docker run -e, environment: in compose.yaml, or ENV in the image";
    case JW_CONTAINER_PODMAN: return "podman run -e, or ENV in the image";
    case JW_CONTAINER_KUBERNETES: return "env: of the container in the pod's manifest, or ENV in the image";
    case JW_CONTAINER_APPTAINER: return "--env of apptainer, or %environment in the definition file";
    default: return "what starts the container (docker run -e), or in its image";
    }
}

#define VOLUME "/jit-caches"

/* For a command line: the image of this container, whose id is known. */
static const char *same_image(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *id = m->container.id;

    return m->container.engine == JW_CONTAINER_PODMAN
               ? jw_fmt(f, "\"$(podman inspect -f '{{.ImageName}}' %s)\"", id)
               : jw_fmt(f, "\"$(docker inspect -f '{{.Config.Image}}' %s)\"", id);
}

#define CAPABILITIES "NVIDIA_DRIVER_CAPABILITIES=compute,utility"

static const char *start_again(const struct jw_doctor_machine *m, const char *options, struct jw_findings *f)
{
    bool podman = m->container.engine == JW_CONTAINER_PODMAN;
    const char *gpu = m->host.tegra ? "--runtime nvidia"
                      : podman      ? "--device nvidia.com/gpu=all"
                                    : "--gpus all";

    return jw_fmt(f, "%s run -it %s%s%s %s", podman ? "podman" : "docker", gpu, *options ? " " : "", options,
                  same_image(m, f));
}

static const char *kubectl(const struct jw_doctor_machine *m, const char *const *words, size_t n,
                           struct jw_findings *f)
{
    const char **argv = jw_arena_alloc(f->a, (n + 4) * sizeof *argv);
    size_t at = 0;

    argv[at++] = "kubectl";
    if (m->container.space) {
        argv[at++] = "-n";
        argv[at++] = m->container.space;
    }
    memcpy(argv + at, words, n * sizeof *words);
    argv[at + n] = NULL;
    return jw_command_text(f->a, argv, m->windows);
}

#define KUBECTL(m, f, ...)                                                                                   \
    kubectl(m, (const char *const[]){ __VA_ARGS__ },                                                         \
            sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *), f)

/* A person reads this before the manifest is changed by hand. */
static const char *show_pod(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return m->container.pod ? KUBECTL(m, f, "get", "pod", m->container.pod, "-o", "yaml") : NULL;
}

const char *doctor_container_gpu(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_container *c = &m->container;

    switch (c->engine) {
    case JW_CONTAINER_KUBERNETES:
        if (!c->workload)
            return show_pod(m, f);
        return c->name ? KUBECTL(m, f, "set", "resources", c->workload, "-c", c->name,
                                 "--limits=nvidia.com/gpu=1")
                       : KUBECTL(m, f, "set", "resources", c->workload, "--limits=nvidia.com/gpu=1");
    case JW_CONTAINER_APPTAINER:
        return DOCTOR_COMMAND(m, f, c->outside, "shell", "--nv", c->image ? c->image : "IMAGE");
    case JW_CONTAINER_DESKTOP: return jw_fmt(f, "%s jitwarm doctor", c->outside);
    default: return m->container.id ? start_again(m, m->host.tegra ? "" : "-e " CAPABILITIES, f) : NULL;
    }
}

const char *doctor_container_gpu_fix(const struct jw_doctor_machine *m)
{
    switch (m->container.engine) {
    case JW_CONTAINER_KUBERNETES:
        return m->container.workload ? "have Kubernetes give it a GPU; where kubectl works:"
                                     : "its manifest needs the line \"nvidia.com/gpu: 1\" below resources, "
                                       "limits; where kubectl "
                                       "works, this shows the manifest:";
    case JW_CONTAINER_APPTAINER: return "start it with the host's driver (--nv):";
    case JW_CONTAINER_DESKTOP:
        return "this is a part of the desktop that does not hold the driver; ask its host:";
    default:
        return m->container.id ? "start the container with GPU access and all of the driver; on its host:"
               : m->host.tegra
                   ? "what starts this container has to give it the GPU and all of the driver (docker run "
                     "--runtime nvidia)"
                   : "what starts this container has to give it a GPU and all of the driver (docker run "
                     "--gpus all -e " CAPABILITIES ")";
    }
}

/* The finding that has this container started again with a GPU, alone or (where it was said before) with a volume.
 * NULL: none. */
static struct jw_finding *of_the_gpu(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_finding *cache = jw_finding_of(f, "cache-container");
    const char *alone = doctor_container_gpu(m, f);

    if (!alone)
        return NULL;
    for (size_t i = 0; i < f->n; i++)
        if (&f->v[i] != cache
            && (jw_text_same(f->v[i].command, alone)
                || (cache && strcmp(f->v[i].id, "other-caches-lost") != 0
                    && jw_text_same(f->v[i].command, cache->command))))
            return &f->v[i];
    return NULL;
}

/* The strategic merge patch that mounts a folder of the node. */
static const char *volume_patch(const struct jw_doctor_machine *m, const struct doctor_set *sets, size_t n,
                                bool gpu, struct jw_findings *f)
{
    const char *env = "";

    for (size_t i = 0; i < n; i++)
        env = jw_fmt(f, "%s%s{\"name\":\"%s\",\"value\":\"%s/%s\"}", env, i ? "," : "", sets[i].name, VOLUME,
                     sets[i].folder);
    return jw_fmt(f,
                  "{\"spec\":{\"template\":{\"spec\":{\"volumes\":[{\"name\":\"jit-caches\",\"hostPath\":{"
                  "\"path\":\"/var/cache/jit-caches\",\"type\":\"DirectoryOrCreate\"}}],\"containers\":[{"
                  "\"name\":\"%s\",%s\"volumeMounts\":[{\"name\":\"jit-caches\",\"mountPath\":\"" VOLUME
                  "\"}],\"env\":[%s]}]}}}}",
                  m->container.name, gpu ? "\"resources\":{\"limits\":{\"nvidia.com/gpu\":1}}," : "", env);
}

static const char *container_volume(const struct jw_doctor_machine *m, const struct doctor_set *sets,
                                    size_t n, bool gpu, struct jw_findings *f)
{
    const struct jw_container *c = &m->container;
    const char *set = gpu && !m->host.tegra ? " -e " CAPABILITIES : "";

    if (c->engine == JW_CONTAINER_KUBERNETES && c->workload)
        return c->name ? KUBECTL(m, f, "patch", c->workload, "-p", volume_patch(m, sets, n, gpu, f))
                       : KUBECTL(m, f, "edit", c->workload);
    if (c->engine == JW_CONTAINER_KUBERNETES)
        return show_pod(m, f);
    if (!c->id)
        return "jitwarm env --shell docker";
    for (size_t i = 0; i < n; i++)
        set = jw_fmt(f, "%s -e %s=%s/%s", set, sets[i].name, VOLUME, sets[i].folder);
    if (m->who.root)
        return start_again(m, jw_fmt(f, "-v jit-caches:%s%s", VOLUME, set), f);
    /* A fresh named volume belongs to root; this folder to the person. */
    return jw_fmt(f, "mkdir -p ~/.cache/jit-caches && %s",
                  start_again(m, jw_fmt(f, "-v ~/.cache/jit-caches:%s%s", VOLUME, set), f));
}

const char *doctor_container_volume(const struct jw_doctor_machine *m, const struct doctor_set *sets,
                                    size_t n, struct jw_findings *f)
{
    const struct jw_container *c = &m->container;
    bool one_command = c->id || (c->engine == JW_CONTAINER_KUBERNETES && c->workload && c->name);
    struct jw_finding *gpu = one_command ? of_the_gpu(m, f) : NULL,
                      *cache = jw_finding_of(f, "cache-container");
    const char *command = container_volume(m, sets, n, gpu != NULL, f);

    if (gpu) {
        gpu->fix =
            c->engine == JW_CONTAINER_KUBERNETES
                ? "have Kubernetes give it a GPU, and a folder of its node for caches; where kubectl works:"
                : "start the container with GPU access, all of the driver and a volume for its caches; on "
                  "its "
                  "host, with your other options:";
        gpu->command = command;
    }
    if (cache)
        cache->command = command;
    return command;
}

const char *doctor_container_volume_fix(const struct jw_doctor_machine *m)
{
    const struct jw_container *c = &m->container;

    if (c->engine == JW_CONTAINER_KUBERNETES && c->workload)
        return c->name ? "mount a folder of its node; where kubectl works:"
                       : "mount a volume at " VOLUME ", and set CUDA_CACHE_PATH=" VOLUME
                         "/cuda; where kubectl works:";
    if (c->engine == JW_CONTAINER_KUBERNETES)
        return "its manifest needs a volume at " VOLUME " and CUDA_CACHE_PATH=" VOLUME
               "/cuda; where kubectl works, this shows it:";
    if (!c->id)
        return "keep it on a volume; this prints what the image needs:";
    return "start a container of this image with a volume; on its host, with your other options:";
}

const char *doctor_volume_command(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    static const struct doctor_set driver = { "CUDA_CACHE_PATH", "cuda" };

    if (!m->volume)
        return doctor_container_volume(m, &driver, 1, f);
    return keep_cache(
        m, doctor_set_in_shell(m, "CUDA_CACHE_PATH", jw_fmt(f, "%s/.nv/ComputeCache", m->volume), f), f);
}

const char *doctor_volume_fix(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return m->volume ? jw_fmt(f, "keep it on the volume of this container; permanently: %s; for this shell:",
                              doctor_container_setting(m))
                     : doctor_container_volume_fix(m);
}

/* ---- as which user ---- */

const char *doctor_sudo(const struct jw_doctor_machine *m)
{
    return m->who.root ? "" : "sudo ";
}

const char *doctor_reboot(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return m->windows ? "shutdown /r"
                      : jw_fmt(f, "%sreboot", m->probe.driver.container ? "sudo " : doctor_sudo(m));
}

const char *doctor_reboot_fix(const struct jw_doctor_machine *m)
{
    return m->probe.driver.container
               ? "the host of this container has to reboot; if it has done so, start this container again. "
                 "On the host:"
               : "reboot before you warm anything: then both are the new driver:";
}

/* ---- what may be changed ---- */

/* True for a folder of the system, or one with users' homes: nothing in it may be changed for a cache. A path that is
 * not plain ("/x/../usr") counts as one, too. */
static bool is_of_system(const char *path)
{
    static const char *const trees[] = { "bin",           "boot",          "dev",  "etc",     "proc",
                                         "run",           "sbin",          "snap", "sys",     "usr",
                                         "system volume", "program files", "lib",  "windows", "sysroot" };
    static const char *const tops[] = { "home", "media", "mnt",   "opt",        "root",
                                        "srv",  "tmp",   "users", "programdata" };
    const char *at = path;
    char first[16] = "", second[16] = "";
    size_t depth = 0;

    if (((*at | 32) >= 'a' && (*at | 32) <= 'z') && at[1] == ':')
        at += 2;
    for (; *at; depth++) {
        size_t n;

        at += strspn(at, "/\\");
        n = strcspn(at, "/\\");
        if (!n)
            break;
        if (strcspn(at, ".") == 0 && (n == 1 || (n == 2 && at[1] == '.')))
            return true;
        if (depth < 2)
            for (size_t i = 0; i < n && i + 1 < sizeof first; i++)
                (depth ? second : first)[i] =
                    (char)(at[i] >= 'A' && at[i] <= 'Z' ? at[i] - 'A' + 'a' : at[i]);
        at += n;
    }
    if (depth == 0)
        return true;
    for (size_t i = 0; i < JW_COUNT(trees); i++)
        if (jw_text_starts(first, trees[i])
            && (strchr(trees[i], ' ') || strcmp(trees[i], "lib") == 0 || strcmp(first, trees[i]) == 0))
            return true;
    if (strcmp(first, "var") == 0) /* doctor advises /var/tmp/cuda-cache.x; /var/cache is the system's */
        return depth < 3;
    for (size_t i = 0; i < JW_COUNT(tops); i++)
        if (strcmp(first, tops[i]) == 0)
            return depth < (strcmp(first, "home") == 0 || strcmp(first, "users") == 0 ? 3u : 2u);
    return false;
}

/* The default place, in this user's own home. */
static bool is_own_default(const struct jw_doctor_machine *m)
{
    const char *home = doctor_variable(m, "HOME");

    return !m->cache->dir.folder_from.value
           && (m->windows || !home || !m->who.home || strcmp(home, m->who.home) == 0);
}

bool doctor_is_plainly_the_cache(const struct jw_doctor_machine *m)
{
    const struct jw_cache_listing *l = &m->cache->list;
    const char *cache = m->cache->dir.folder;

    return cache && !m->place.trust.sticky
           && (is_own_default(m)
               || (l->index_found && !l->index_damage && !l->index_unread && !is_of_system(cache)));
}

bool doctor_may_rename(const struct jw_doctor_machine *m, const char *path)
{
    const char *set = doctor_variable(m, "HOME"), *home = set && !m->windows ? set : m->who.home;

    return home && !m->cache->dir.folder_from.value && (!m->who.root || is_own_default(m))
           && jw_path_below(path, home);
}

/* True: this environment names the folder, and can be without it. */
static bool is_named_here(const struct jw_doctor_machine *m)
{
    const struct jw_setting_value *from = &m->cache->dir.folder_from;

    return from->value && strcmp(from->origin, "CUDA_CACHE_PATH") == 0
           && doctor_variable(m, "CUDA_CACHE_PATH");
}

const char *doctor_other_place(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return is_named_here(m) ? doctor_set_command(m, "CUDA_CACHE_PATH", NULL, f) : doctor_own_folder(m, f);
}

const char *doctor_other_place_fix(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return is_named_here(m) ? doctor_how_to_set(m, "CUDA_CACHE_PATH", NULL, f)
                            : "give the driver your own folder on a local disk:";
}

static bool is_home_better(const struct jw_doctor_machine *m)
{
    return !m->windows && m->home_cache && is_named_here(m);
}

const char *doctor_local_place(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return is_home_better(m) ? doctor_other_place(m, f) : doctor_own_folder(m, f);
}

const char *doctor_local_place_fix(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (is_home_better(m))
        return jw_fmt(f, "without CUDA_CACHE_PATH the driver takes %s, on a disk of this machine; %s",
                      m->home_cache, doctor_how_to_set(m, "CUDA_CACHE_PATH", NULL, f));
    return doctor_own_folder_fix(m);
}

const char *doctor_own_folder_fix(const struct jw_doctor_machine *m)
{
    return m->windows                  ? "give the driver your own folder on a local disk:"
           : m->probe.driver.container ? "give the driver a new folder on a local disk, for this shell only:"
                                       : "give the driver a new folder of your own on a local disk, for this "
                                         "shell and new logins:";
}

/* Root, or a container of root's, left this in the user's home. Other users' files may be needed as they are: by a lab. */
static bool is_left_by_root(const struct jw_doctor_machine *m)
{
    return m->made_by_root && is_own_default(m) && (m->has_sudo || m->who.root);
}

/* Can it be put aside without rights of root? Programs and prime make a new one then. */
static bool is_put_aside(const struct jw_doctor_machine *m)
{
    return m->aside && is_own_default(m);
}

static const char *give_to_user(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return jw_fmt(f, "%schown -R %lu:%lu %s", doctor_sudo(m), m->who.uid, m->who.gid,
                  doctor_quoted(m, m->cache->dir.folder, f));
}

const char *doctor_right_owner(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return is_put_aside(m)      ? DOCTOR_COMMAND(m, f, "mv", m->of_root, m->aside)
           : is_left_by_root(m) ? give_to_user(m, f)
                                : doctor_other_place(m, f);
}

const char *doctor_right_owner_fix(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (is_put_aside(m))
        return m->has_sudo ? jw_fmt(f, "root made it in your home; rename it (%s would keep what is in it):",
                                    give_to_user(m, f))
                           : "root made it in your home; rename it, and the driver makes a new one:";
    return is_left_by_root(m) ? "root made it in your home; make it yours:" : doctor_other_place_fix(m, f);
}

const char *doctor_open(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return jw_cache_command_to_open(m->closed, f->a);
}

const char *doctor_prime(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *prime = m->windows || !m->who.root || m->probe.driver.container ? "jitwarm prime"
                        : m->who.behind
                            ? JW_COMMAND(f->a, false, "sudo", "-u", m->who.behind, "jitwarm", "prime")
                            : "jitwarm prime --as-root";
    const struct jw_cachedir *dir = m->cache ? &m->cache->dir : NULL;

    return dir && dir->folder && (jw_cachedir_is_named(dir) || jw_login_differs(&m->login_start))
               ? jw_fmt(f, "%s %s", prime, DOCTOR_COMMAND(m, f, "--cache", dir->folder))
               : prime;
}

const char *doctor_install_driver(const struct jw_doctor_machine *m)
{
    static const struct {
        const char *distro, *as_user, *as_root;
    } managers[] = {
        { "ubuntu", "sudo ubuntu-drivers install", "ubuntu-drivers install" },
        { "debian", "sudo apt-get install nvidia-driver", "apt-get install nvidia-driver" },
        { "fedora", "sudo dnf install akmod-nvidia", "dnf install akmod-nvidia" },
        { "arch", "sudo pacman -S nvidia", "pacman -S nvidia" },
    };

    if (m->windows || m->probe.driver.container || m->probe.driver.wsl || !m->who.distro)
        return NULL;
    for (size_t i = 0; i < JW_COUNT(managers); i++)
        if (strcmp(m->who.distro, managers[i].distro) == 0)
            return m->who.root ? managers[i].as_root : managers[i].as_user;
    return NULL;
}

const char *doctor_newer_driver(const struct jw_doctor_machine *m)
{
    return m->who.distro && strcmp(m->who.distro, "debian") == 0 ? NULL : doctor_install_driver(m);
}
