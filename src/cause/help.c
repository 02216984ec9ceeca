/* What helps against each cause. */
#include "cause/rows.h"

#include "base/path.h"
#include "base/text.h"
#include "cause/quote.h"
#include "facts/errors.h"
#include "facts/gpus.h"

#include <string.h>

#define IS(r, ...) ((void)(*(r) = (struct jw_remedy){.a = (r)->a, __VA_ARGS__}))
#define RUN(r, ...) IS(r, .kind = JW_REMEDY_RUN, .words = {__VA_ARGS__})

static void set(struct jw_remedy *r, const char *name, const char *value)
{
    IS(r, .kind = JW_REMEDY_SET, .what = name, .value = value);
}

static void unset(struct jw_remedy *r, const char *name) { set(r, name, NULL); }

static void say(struct jw_remedy *r, const char *format, ...) JW_PRINTF(2, 3);
static void say(struct jw_remedy *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    IS(r, .kind = JW_REMEDY_SAY, .what = jw_arena_vprintf(r->a, format, args));
    va_end(args);
}

/* On the host of this container. */
#define say_host(r, ...) (say(r, __VA_ARGS__), (void)((r)->where = JW_REMEDY_HOST))

/* Another remedy beside this one. */
static struct jw_remedy *add(struct jw_remedy *r)
{
    struct jw_remedy *next = jw_arena_alloc(r->a, sizeof *next);

    next->a = r->a;
    return next;
}

/* "jitwarm VERB ..." for the cache that was asked about. */
#define RUN_IN(f, r, verb, ...)                                                                    \
    ((f)->asked.cache ? RUN(r, "jitwarm", verb, "--cache", (f)->asked.cache, __VA_ARGS__)          \
                      : RUN(r, "jitwarm", verb, __VA_ARGS__))

/* Asks the same question again; `option`: first, or NULL. */
static void again(const struct jw_facts *f, struct jw_remedy *r, const char *verb,
                  const char *option)
{
    RUN_IN(f, r, verb, option);
    r->more = f->asked.words;
    r->kind =
        f->scope.absent ? JW_REMEDY_NOTHING : r->kind; /* no other command compiles for them */
}

void help_prime(const struct jw_facts *f, struct jw_remedy *r) { again(f, r, "prime", NULL); }

/* As an administrator; root needs no sudo. */
#define ADMIN(f, r, ...)                                                                           \
    (RUN(r, __VA_ARGS__), (void)((r)->where = (f)->superuser ? JW_REMEDY_HERE : JW_REMEDY_ADMIN))

static void reboot(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->windows)
        RUN(r, "shutdown", "/r", "/t", "0");
    else if (f->host.wsl)
        RUN(r, "wsl.exe", "--shutdown");
    else
        ADMIN(f, r, "reboot");
    if (f->container.inside)
        r->where = JW_REMEDY_HOST;
}

/* The container starts again with the GPU and all parts of the driver; "..." is what its line has
 * already. Manifests of other engines are changed by hand. */
static void give_gpu(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->container.engine == JW_CONTAINER_PODMAN)
        RUN(r, "podman", "run", "--device", "nvidia.com/gpu=all", "...");
    else if (f->container.engine == JW_CONTAINER_APPTAINER)
        RUN(r, "apptainer", "exec", "--nv", "...");
    else if (f->container.engine == JW_CONTAINER_DOCKER
             || f->container.engine == JW_CONTAINER_UNKNOWN)
        RUN(r, "docker", "run", "--gpus", "all", "-e", "NVIDIA_DRIVER_CAPABILITIES=compute,utility",
            "...");
    else
        say(r, "read docs/deploy.md");
    r->where = JW_REMEDY_HOST;
}

/* `which`: "driver 580 or newer". */
static void update_driver(const struct jw_facts *f, struct jw_remedy *r, const char *which)
{
    /* Debian's driver is in a component that a person has to add. */
    bool debian = !f->container.inside && jw_text_same(f->who.distro, "debian");

    if (f->host.wsl) /* a driver for Linux breaks WSL's */
        say(r, "in Windows install %s, and none here: https://www.nvidia.com/drivers", which);
    else if (!f->container.inside && jw_text_same(f->who.distro, "ubuntu"))
        ADMIN(f, r, "ubuntu-drivers", "install");
    else
        say(r, "%s: https://%s", which,
            debian ? "wiki.debian.org/NvidiaGraphicsDrivers" : "www.nvidia.com/drivers");
    if (f->container.inside) /* the host has the container's driver */
        r->where = JW_REMEDY_HOST;
}

/* No driver helps there. A container may have none of its host's. */
static bool lacks_gpu(const struct jw_facts *f)
{
    return !f->host.n && !f->host.driver && !f->host.wsl && !f->container.inside;
}

static const char elsewhere[] =
    "run it where an NVIDIA GPU is; packs are made without one, too: jitwarm help export";

/* A container's library comes from its host. */
static void install_driver(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->container.inside && f->driver.is != JW_DRIVER_UNLOADABLE)
        give_gpu(f, r);
    else if (f->driver.is == JW_DRIVER_ABSENT && lacks_gpu(f))
        say(r, "%s", elsewhere);
    else
        update_driver(f, r, "NVIDIA's driver");
}

/* A container has the driver of its host, so another build of the software comes first there. */
void help_code(const struct jw_facts *f, struct jw_remedy *r)
{
    const char *driver = jw_arena_str(r->a, jw_driver_needed(f->answer.needs).text);

    if (!f->answer.needs)
        say(r, "install a build of the software that has code for this GPU");
    else if (f->answer.needs == JW_BRANCH_TO_COME)
        say(r,
            "install a build for an older CUDA: no driver that this jitwarm knows runs this one");
    else if (f->container.inside)
        say(r, "install a build for an older CUDA, or %s on the host", driver);
    else
        update_driver(f, r, driver);
}

void help_unfit(const struct jw_facts *f, struct jw_remedy *r)
{
    struct cause_misfit m = cause_misfit(f);

    update_driver(
        f, r,
        jw_arena_printf(r->a, "driver %u%s", m.branch, m.old ? " or newer" : ", no newer one"));
}

/* LD_LIBRARY_PATH without this folder. */
static const char *without(const char *list, const char *folder, struct jw_arena *a)
{
    const char *kept = "";

    for (size_t n; list && *list; list += n + (list[n] == ':')) {
        n = strcspn(list, ":");
        if (n && !(strlen(folder) == n && strncmp(list, folder, n) == 0))
            kept = jw_arena_printf(a, "%s%s%.*s", kept, *kept ? ":" : "", (int)n, list);
    }
    return kept;
}

/* The folder in LD_LIBRARY_PATH hides the system's library. */
static void show_library(const struct jw_facts *f, struct jw_remedy *r)
{
    const char *others = without(f->driver.path, f->driver.hiding_folder, r->a);

    set(r, "LD_LIBRARY_PATH", *others ? others : NULL);
}

/* If libcuda is where the loader does not look, a setting names that folder to it. */
void help_library(const struct jw_facts *f, struct jw_remedy *r)
{
    bool absent = f->driver.is == JW_DRIVER_ABSENT;

    if (f->driver.hiding_folder) {
        show_library(f, r);
    } else if (f->driver.error == JW_CUDA_DRIVER_MISMATCH) {
        reboot(f, r);
    } else if (f->driver.named) {
        unset(r, "JITWARM_DRIVER");
    } else if (absent && f->asked.absent_gpu) { /* of an export */
        RUN(r, "jitwarm", "export", "--gpu", f->asked.absent_gpu, "--driver-files", "DIR",
            f->asked.n_paths ? NULL : "PATH");
        r->more = f->asked.words;
    } else if (absent && f->scope.library) {
        const char *folder = jw_path_dir(r->a, f->scope.library);

        set(r, "LD_LIBRARY_PATH",
            f->driver.path ? jw_arena_printf(r->a, "%s:%s", folder, f->driver.path) : folder);
    } else {
        install_driver(f, r);
    }
}

static void raise_limit(const struct jw_facts *f, struct jw_remedy *r, const char *option,
                        const char *to)
{
    RUN(r, "ulimit", option, to);
    if (f->ulimit.hard)
        say(r, "ask in a new shell: the hard limit (ulimit -Ha) is too low, too");
}

/* CUDA_VISIBLE_DEVICES hides them. */
static void show_gpus(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->job)
        say(r, "ask Slurm for a GPU: --gres=gpu:1");
    else if (f->host.n > 1) /* the other GPUs may be somebody else's */
        set(r, "CUDA_VISIBLE_DEVICES", "0");
    else
        unset(r, "CUDA_VISIBLE_DEVICES");
}

static void open_device_files(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->host.group && f->who.user)
        ADMIN(f, r, "usermod", "-aG", f->host.group, f->who.user);
    else
        ADMIN(f, r, "chmod", "a+rw", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0");
}

/* A GPU may be there, and the kernel does not drive it. */
static void start_module(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->windows || f->host.nouveau)
        reboot(f, r);
    else if (f->host.no_nodes)
        ADMIN(f, r, "nvidia-modprobe", "-c", "0", "-u");
    else if (!f->host.driver)
        ADMIN(f, r, "modprobe", "nvidia");
    else
        ADMIN(f, r, "dmesg");
}

void help_no_gpu(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->ulimit.which == JW_ULIMIT_FILES)
        raise_limit(f, r, "-n", "1024");
    else if (f->driver.prohibited)
        ADMIN(f, r, "nvidia-smi", "-c", "0");
    else if (cause_hides_gpus(f))
        show_gpus(f, r);
    else if (f->host.closed)
        open_device_files(f, r);
    else if (f->container.inside)
        give_gpu(f, r);
    else if (f->host.wsl)
        update_driver(f, r, "NVIDIA's driver");
    else if (lacks_gpu(f))
        say(r, "%s", elsewhere);
    else
        start_module(f, r);
}

void help_forced(const struct jw_facts *f, struct jw_remedy *r) { unset(r, f->forced); }

void help_forbidden(const struct jw_facts *f, struct jw_remedy *r) { unset(r, f->forbidden); }

void help_disabled(const struct jw_facts *f, struct jw_remedy *r)
{
    (void)f;
    unset(r, "CUDA_CACHE_DISABLE");
}

void help_setting(const struct jw_facts *f, struct jw_remedy *r)
{
    say(r, "take %s out of the command, which sets it itself", f->start.setting);
}

void help_stores_nothing(const struct jw_facts *f, struct jw_remedy *r)
{
    update_driver(f, r, "another driver");
}

void help_probe(const struct jw_facts *f, struct jw_remedy *r)
{
    (void)f;
    RUN(r, "nvidia-smi");
}

static void install_compiler(const struct jw_facts *f, struct jw_remedy *r, const char *library)
{
    const char *version = f->scope.version ? f->scope.version : "of this version";

    say(r, "install %s of driver %s", library, version);
}

/* cuInit wanted to load a compiler, perhaps by a variable. */
static void help_missing(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->driver.preload)
        unset(r, JW_PRELOAD_VARIABLE);
    else
        install_compiler(f, r, f->driver.lacks);
}

void help_error(const struct jw_facts *f, struct jw_remedy *r)
{
    int error = f->driver.error;
    const char *twice = f->bad_order ? "CUDA_DEVICE_ORDER" : "CUDA_VISIBLE_DEVICES";
    bool names_gpus = f->bad_order || f->visible;

    if (f->driver.lacks)
        help_missing(f, r);
    else if (error == JW_CUDA_INVALID_DEVICE && names_gpus) /* one of them twice */
        unset(r, twice);
    else if (error == JW_CUDA_DEVICE_UNAVAILABLE) /* another program may have it for itself */
        RUN(r, "nvidia-smi");
    else if (error >= JW_CUDA_MPS_FIRST && error <= JW_CUDA_MPS_LAST)
        IS(r, .kind = JW_REMEDY_PASTE, .what = "echo quit | nvidia-cuda-mps-control");
    else if (f->windows)
        reboot(f, r);
    else if (error == JW_CUDA_OUT_OF_MEMORY) /* it reserves an address for each byte of all GPUs */
        raise_limit(f, r, "-v", "unlimited");
    else if (error == JW_CUDA_SYSTEM_NOT_READY)
        ADMIN(f, r, "systemctl", "start", "nvidia-fabricmanager");
    else
        reboot(f, r);
}

/* An old container toolkit on the host does not know the names of new driver files. */
void help_compiler(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->container.inside && f->compute_given) {
        RUN(r, "sudo", "apt-get", "install", "--only-upgrade", "nvidia-container-toolkit");
        r->where = JW_REMEDY_HOST;
    } else if (f->container.inside || f->windows) {
        install_driver(f, r);
    } else {
        install_compiler(f, r, "libnvidia-ptxjitcompiler");
    }
}

void help_limit(const struct jw_facts *f, struct jw_remedy *r)
{
    uint64_t needed = f->found.needed;

    if (f->start.full) /* one size more */
        needed = f->scope.limit + 1;

    if (f->ulimit.which == JW_ULIMIT_FILE_SIZE)
        raise_limit(f, r, "-f", "unlimited");
    else if (needed <= JW_CACHE_MOST) { /* as env apply sets it */
        set(r, "CUDA_CACHE_MAXSIZE", JW_CACHE_MOST_TEXT);
        r->for_good = f->container.inside ? NULL : "jitwarm env apply --size 4GiB";
    } else /* no cache holds that much, so each program gets its own */
        say(r, "read docs/doctor.md");
}

/* Where all is warm, another place would be cold. */
void help_other_place(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->answer.is == JW_WARM)
        return;
    if (f->cache.path && jw_text_starts(f->cache.path, "~/")
        && f->who.home) /* which no shell replaced by the home */
        set(r, "CUDA_CACHE_PATH", jw_path_join(r->a, f->who.home, f->cache.path + 2));
    else if (f->cache.path && !(f->cache.on == JW_ON_MEMORY && f->cache.elsewhere))
        unset(r, "CUDA_CACHE_PATH");
    else if (f->cache.elsewhere)
        set(r, "CUDA_CACHE_PATH", f->cache.elsewhere);
    else
        say(r, "%s",
            f->asked.cache ? "name another folder by --cache"
                           : "set CUDA_CACHE_PATH to a folder on a disk that this user may write");
}

/* The driver's own folder around its usual cache (.nv), named by a variable or not. Only what is in
 * it is moved, or given to this user: a folder of another name may hold anything, and was perhaps
 * named by mistake. NULL: it is none. */
static const char *own_folder(const struct jw_facts *f, struct jw_arena *a)
{
    const char *usual = f->windows ? "\\NVIDIA\\ComputeCache" : "/.nv/ComputeCache";

    return f->cache.folder && jw_text_ends(f->cache.folder, usual) ? jw_path_dir(a, f->cache.folder)
                                                                   : NULL;
}

static void move_away(const struct jw_facts *f, struct jw_remedy *r, const char *path)
{
    RUN(r, f->windows ? "move" : "mv", path, jw_arena_printf(r->a, "%s.old", path));
}

/* To other users. */
static void close_folder(const struct jw_facts *f, struct jw_remedy *r, const char *folder)
{
    if (f->windows) /* Everyone, Authenticated Users, Users, whose names are translated */
        RUN(r, "icacls", folder, "/inheritance:d", "/remove:g", "*S-1-1-0", "*S-1-5-11",
            "*S-1-5-32-545");
    else
        RUN(r, "chmod", "go-w", folder);
}

static void free_disk(const struct jw_facts *f, struct jw_remedy *r, const char *top)
{
    say(r, "free space on %s (%s%s shows what fills it)", top,
        f->windows ? "cleanmgr" : "du -xah -d 1 ", f->windows ? "" : top);
}

void help_disk(const struct jw_facts *f, struct jw_remedy *r)
{
    free_disk(f, r, f->cache.mount ? f->cache.mount : f->cache.folder);
}

void help_state(const struct jw_facts *f, struct jw_remedy *r)
{
    say(r, "set JITWARM_STATE to a folder of this user");
    if (f->state.full)
        free_disk(f, r, f->state.full);
    else if (f->state.open_at)
        close_folder(f, r, f->state.open_at);
    else if (jw_text_same(f->state.named, "JITWARM_STATE"))
        return; /* without it the usual folder may be unusable, too */
    else if (f->state.named)
        unset(r, f->state.named);
    else if (f->state.of_other && f->who.user)
        ADMIN(f, r, "chown", "-R", f->who.user, f->state.of_other);
    else if (f->account_home && (f->state.homeless || !f->cache.elsewhere))
        set(r, "HOME", f->account_home);
    else if (f->cache.elsewhere)
        set(r, "JITWARM_STATE", jw_arena_printf(r->a, "%s.jitwarm", f->cache.elsewhere));
}

static void mount_volume(const struct jw_facts *f, struct jw_remedy *r)
{
    say_host(r, "mount a volume at or above %s", f->cache.folder);
}

/* What keeps the driver from using the cache's folder, and whose it is. */
struct obstacle {
    const char *path;  /* the file or folder that is in the way */
    const char *owner; /* another user who owns it; NULL: this user does */
    /* the driver's own .nv folder around the cache; NULL: the cache is elsewhere */
    const char *nv_folder;
    bool unwritable; /* this user may not write to `path` */
    bool in_cache;   /* `path` is part of the driver's cache, so a remedy may change it */
};

static struct obstacle find_obstacle(const struct jw_facts *f, struct jw_arena *a)
{
    struct obstacle o = {.nv_folder = own_folder(f, a)};

    if (f->met.entries.closed) {
        o.path = f->met.entries.closed;
        o.owner = f->met.entries.closed_by;
        o.unwritable = true;
        o.in_cache = true;
        return o;
    }
    if (f->met.entries.not_file && !f->cache.place) {
        o.path = f->met.entries.not_file;
        o.in_cache = true;
        return o;
    }
    o.path = f->cache.at;
    o.owner = f->cache.owner;
    o.unwritable = f->cache.place == JW_PLACE_UNWRITABLE;
    o.in_cache = o.nv_folder && o.path && jw_text_starts(o.path, o.nv_folder);
    return o;
}

/* A volume that root owns can only be given to this user on the host: a chown inside the container
 * needs root, and jitwarm's state is usually on the same volume. */
static bool is_volume_of_other(const struct jw_facts *f, const struct obstacle *o)
{
    bool has_mount = f->cache.mount && f->cache.mount[1]; /* another one than "/" */

    if (!o->unwritable || !o->owner || !f->container.inside)
        return false;
    if (!has_mount || f->cache.on == JW_ON_MEMORY)
        return false;
    return jw_text_same(f->cache.mount, o->path) || jw_text_same(o->owner, "root");
}

/* The cache follows HOME, and HOME is not this account's home. */
static bool is_wrong_home(const struct jw_facts *f, const struct obstacle *o)
{
    if (!f->account_home || f->cache.path || f->asked.cache)
        return false;
    if (o->unwritable)
        return o->owner != NULL;
    return !o->in_cache && f->cache.place != JW_PLACE_READ_ONLY;
}

/* The owner is changed only below this user's home: elsewhere the files may be anybody's. */
static bool may_take_ownership(const struct jw_facts *f, const struct obstacle *o)
{
    return o->unwritable && o->in_cache && o->owner && f->cache.at_home && f->who.user;
}

static bool may_change_mode(const struct jw_facts *f, const struct obstacle *o)
{
    return o->unwritable && o->in_cache && !o->owner && !f->windows && !f->superuser;
}

/* Docker, Podman or Kubernetes: a volume can be mounted where the image has no writable folder. */
static bool takes_volumes(const struct jw_facts *f)
{
    return f->container.engine && f->container.engine <= JW_CONTAINER_KUBERNETES;
}

static void give_volume(const struct jw_facts *f, struct jw_remedy *r, const struct obstacle *o)
{
    const char *folder = jw_text_starts(o->path, f->cache.folder) ? f->cache.folder : o->path;

    say_host(r, "give %s to this user, by fsGroup or chown -R: docs/deploy.md", folder);
}

/* The state folder is often on the same unusable disk, and needs a remedy of its own. */
static void help_state_too(const struct jw_facts *f, struct jw_remedy *r)
{
    bool local = r->what && !r->where;

    if (!f->state.unusable || !local || jw_text_same(r->what, "HOME"))
        return;
    r->next = add(r);
    help_state(f, r->next);
}

/* Finds a remedy for a cache whose folder cannot be used. A file that is in the way is renamed and
 * never deleted, as it may be somebody's. */
void help_place(const struct jw_facts *f, struct jw_remedy *r)
{
    const struct obstacle o = find_obstacle(f, r->a);
    const char *folder = o.nv_folder ? o.nv_folder : o.path;
    bool read_only = f->cache.place == JW_PLACE_READ_ONLY;

    if (f->cache.place == JW_PLACE_EMPTY)
        unset(r, "CUDA_CACHE_PATH");
    else if (is_volume_of_other(f, &o))
        give_volume(f, r, &o);
    else if (is_wrong_home(f, &o))
        set(r, "HOME", f->account_home);
    else if (o.in_cache && !o.unwritable && !read_only)
        move_away(f, r, o.path);
    else if (may_take_ownership(f, &o))
        ADMIN(f, r, "chown", "-R", f->who.user, folder);
    else if (may_change_mode(f, &o))
        RUN(r, "chmod", "-R", "u+rwX", folder);
    else if (f->cache.path && takes_volumes(f) && (o.unwritable || read_only))
        mount_volume(f, r);
    else
        help_other_place(f, r);
    help_state_too(f, r);
}

/* A cache at root's own home is root's; but a container may have it from its host. The number of
 * another one's owner says which user that is, and that user's HOME may have another cache. */
void help_of_user(const struct jw_facts *f, struct jw_remedy *r)
{
    const char *user = f->who.behind ? f->who.behind : jw_arena_printf(r->a, "#%lu", f->cache.uid);
    const char *cache = f->who.behind ? f->asked.cache : f->cache.folder;
    const char *own = own_folder(f, r->a);
    const char *verb = f->asked.verb ? f->asked.verb : "prime";

    RUN(r, "sudo", "-H", "-u", user, "jitwarm", verb, cache ? "--cache" : NULL, cache);
    r->more = f->asked.verb ? f->asked.typed : f->asked.words;
    if (!f->who.behind
        && f->container.inside) /* often without sudo; what root stores is not trusted */
        say_host(r, "start the container as the owner of its volume: docker run --user UID, "
                    "runAsUser: UID");
    else if (!f->who.behind && f->cache.at_home && own && f->who.user)
        RUN(r, "chown", "-R", f->who.user, own);
}

void help_open(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->cache.open_at)
        close_folder(f, r, f->cache.open_at);
    else if (f->cache.owner && jw_text_same(f->who.user, "root") && !f->cache.path
             && !f->asked.cache)
        help_of_user(f, r); /* HOME's, in a container: it stays its user's */
    else if (f->cache.open_other && f->container.inside && f->cache.mount && f->cache.mount[1])
        say_host(r, "as root: chown UID, chmod go-w %s; or docker run --user as its owner",
                 f->cache.open_other);
    else
        help_other_place(f, r);
}

void help_roots(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->found.roots_at && f->windows)
        close_folder(f, r, f->found.roots_at);
    else if (f->met.roots_of_other && f->who.user)
        ADMIN(f, r, "chown", "-R", f->who.user, f->found.roots_at);
    else if (f->found.roots_at)
        RUN(r, "chmod", "-R", "u+rwX,go-w", f->found.roots_at);
    else /* a list that prime replaces */
        again(f, r, "prime", "PATH");
}

/* env can write a path, and the limit that all remedies name. */
static void set_for_logins(const struct jw_facts *f, struct jw_remedy *r)
{
    struct jw_buf line = JW_LINE(r->a);

    if (f->login.line)
        IS(r, .kind = JW_REMEDY_PASTE, .what = f->login.line);
    else if (f->login.which == JW_VAR_CACHE_MAXSIZE)
        RUN(r, "jitwarm", "env", "apply", "--size", "4GiB");
    else if (f->login.which == JW_VAR_CACHE_PATH
             && jw_env_put(JW_ENVIRONMENT_D, "CUDA_CACHE_PATH", f->login.here, &line, JW_IGNORED))
        RUN(r, "jitwarm", "env", "apply", "--path", f->login.here);
    else
        unset(r, jw_driver_variables[f->login.which]);
}

/* A login's path is set here, too, unless all is warm; other variables are to go from the login. */
void help_login(const struct jw_facts *f, struct jw_remedy *r)
{
    const char *profile = f->windows ? "" : ": ~/.profile, or a file like it";

    if (!f->login.harms && !f->login.there)
        set_for_logins(f, r);
    else if (f->login.harms || f->login.which != JW_VAR_CACHE_PATH)
        say(r, "take %s out of what a login sets%s", jw_driver_variables[f->login.which], profile);
    else if (f->answer.is != JW_WARM)
        set(r, "CUDA_CACHE_PATH", f->login.there);
    else
        RUN(r, "jitwarm", "env");
}

/* A number or UUID names a GPU of this machine, or none. */
void help_absent(const struct jw_facts *f, struct jw_remedy *r)
{
    if (jw_gpu_is_of_machine(f->asked.absent_gpu)) {
        RUN(r, "nvidia-smi", "-L");
        return;
    }
    RUN(r, "jitwarm", "export", "--gpu", f->asked.absent_gpu, f->asked.n_paths ? NULL : "PATH");
    r->more = f->asked.words;
    while (r->more && r->more[f->asked.n_paths]) /* export has not the options before the paths */
        r->more++;
}

/* Settings leave out nothing that was named. */
static void replace_file(const struct jw_facts *f, struct jw_remedy *r)
{
    const char *closed = f->found.files_closed;
    const char *file = closed ? closed : f->answer.first;
    const char *mend = jw_arena_printf(r->a, "replace %s", file);

    if (closed)
        mend = "ask its owner to open it";
    else if (jw_text_ends(file, ".cu"))
        mend = jw_arena_printf(r->a, "mend what keeps %s from being compiled", file);
    if (f->found.unread_named)
        say(r, "%s", mend);
    else
        say(r, "%s; or leave it out, by exclude = %s in %s", mend, file, f->config);
}

void help_unread(const struct jw_facts *f, struct jw_remedy *r)
{
    bool unbounded = f->found.unbounded && jw_text_same(f->found.unbounded, f->answer.first);

    if (f->found.files_closed_own && !f->windows)
        RUN(r, "chmod", "u+rX", f->found.files_closed);
    else if (unbounded && !f->found.files_closed)
        RUN_IN(f, r, "prime", "--run", f->found.program ? f->answer.first : "CMD");
    else
        replace_file(f, r);
}

/* Another attempt gives another result only where the driver had no error to give. */
void help_refused(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->found.crashed)
        again(f, r, "prime", "--retry");
    else
        say(r, "replace %s by another build of it", f->answer.first);
    if (f->found.first_is_root) {
        r->next = add(r);
        RUN_IN(f, r->next, "forget", f->answer.first);
        r->next->instead = true;
    }
}

void help_busy(const struct jw_facts *f, struct jw_remedy *r)
{
    if (!f->windows && f->cache.folder)
        RUN(r, "fuser", "-v", jw_path_join(r->a, f->cache.folder, "index"));
}

/* doctor loads the modules where the driver can be kept from compiling them, and once is enough. */
void help_names(const struct jw_facts *f, struct jw_remedy *r)
{
    bool may_load = jw_variable_heeded(JW_VAR_DISABLE_PTX_JIT, f->scope.version);

    again(f, r, may_load && !f->answer.proven ? "doctor" : "prime", NULL);
}

void help_lost(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->found.lost) {
        RUN_IN(f, r, "forget", NULL);
        r->more = *f->found.lost;
        r->then = f->found.lost + 1;
    } else if (f->met.lost_code) {
        RUN_IN(f, r, "prime", "--run");
        r->more = f->met.lost_code;
        r->folder = f->met.lost_in;
    } else if (!f->asked.n_paths) {
        RUN_IN(f, r, "forget", f->answer.first);
    }
}

void help_own_cache(const struct jw_facts *f, struct jw_remedy *r)
{
    RUN(r, "jitwarm", "prime", "--cache", f->start.cache);
    r->more = f->asked.words;
}

void help_not_primed(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->asked.n_paths)
        again(f, r, "prime", NULL);
    else
        say(r, "unset CUDA_CACHE_PATH, or name the paths for this cache, too: jitwarm prime PATH");
}

void help_short_lived(const struct jw_facts *f, struct jw_remedy *r)
{
    if (f->cache.on == JW_ON_CONTAINER)
        mount_volume(f, r);
    else
        help_other_place(f, r);
}

void help_makes_code(const struct jw_facts *f, struct jw_remedy *r)
{
    say(r, f->start.own_compilers
               ? "start it again: if that compiles, too, each start does, and no cache helps "
                 "(docs/run.md)"
               : "read docs/run.md, Other compilers");
}
