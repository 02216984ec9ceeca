#include "cause/cause.h"

#include "base/command.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/env_defaults.h"
#include "facts/errors.h"
#include "facts/gpus.h"
#include "machine/gpu_text.h"

#include <string.h>

typedef const struct jw_facts facts;

/* ---- conditions that several causes have ---- */

static bool fails_with(facts *f, int error)
{
    return f->driver.is == JW_DRIVER_FAILS && f->driver.error == error;
}

static bool sees_no_gpu(facts *f)
{
    return fails_with(f, JW_CUDA_NO_DEVICE) || (f->driver.is == JW_DRIVER_STARTS && !f->driver.gpus);
}

static bool hides_all(facts *f)
{
    return f->visible && jw_gpus_are_hidden(f->visible, f->here.tegra ? 0 : f->here.n);
}

/* No other reason is known for which the GPUs are hidden, so it is the variable. */
static bool hides_gpus(facts *f)
{
    return hides_all(f) || (f->visible && !f->here.closed);
}

/* ---- does the driver drive the GPUs that are here? ---- */

static const char *version_of(facts *f)
{
    return f->scope.version ? f->scope.version : f->here.driver;
}

struct misfit {
    const char *gpu;
    unsigned branch; /* the first that drives it, or the last one */
    bool old;        /* the driver is older */
};

/* A GPU on the bus that this driver does not drive. None, if it shows one or drives one, since programs run on that one. */
static struct misfit misfit(facts *f)
{
    struct misfit m = { NULL };

    for (size_t i = 0; !f->driver.gpus && f->here.gpus && i < f->here.n; i++) {
        const struct jw_gpu *g = &f->here.gpus[i];
        const struct jw_arch_fact *arch = jw_arch_find(g->sm);
        enum jw_driver_fit fit = jw_driver_support(jw_branch_of(version_of(f)), g->sm);

        if (fit == JW_DRIVER_FITS)
            return (struct misfit){ NULL };
        m.gpu = g->name;
        m.old = fit == JW_DRIVER_TOO_OLD;
        m.branch = m.old ? arch->first_branch : arch->last_branch;
    }
    return m;
}

/* ---- what is seen ---- */

static const char *absent(facts *f, struct jw_arena *a)
{
    const char *wanted = f->windows ? "nvcuda.dll" : "libcuda.so.1";

    if (f->scope.library)
        return jw_arena_printf(a, "it is %s, where the loader does not look", f->scope.library);
    if (f->driver.named)
        return "JITWARM_DRIVER names no library that is there";
    return jw_arena_printf(a, "no %s; %s%s", wanted, f->here.n ? f->gpu : "no NVIDIA GPU on the bus either",
                           !f->here.n        ? f->container.inside ? ": the host may have none" : ""
                           : f->here.nouveau ? " is there, driven by nouveau"
                                             : " is there");
}

static const char *versions(facts *f, struct jw_arena *a)
{
    return jw_arena_printf(
        a, "%s is %s, the kernel's module %s", f->scope.library ? f->scope.library : "the library",
        f->scope.version ? f->scope.version : "another version", f->here.driver ? f->here.driver : "unknown");
}

static const char *front(facts *f, struct jw_arena *a)
{
    return jw_arena_printf(a, "%s, %s", f->scope.library,
                           f->driver.error == JW_CUDA_STUB_LIBRARY
                               ? "the CUDA toolkit's stub"
                               : "of cuda-compat, which this GPU does not support");
}

static const char *unfit(facts *f, struct jw_arena *a)
{
    struct misfit m = misfit(f);

    return jw_arena_printf(a, "%s has driver %s, and %u %s", m.gpu, version_of(f), m.branch,
                           m.old ? "or newer is needed" : "is the last");
}

static const char *not_here(facts *f, struct jw_arena *a)
{
    return jw_arena_printf(a, "--gpu %s; this machine has %s%s", f->asked.gpu, f->gpu,
                           f->driver.gpus > 1 ? JW_PHRASE(" and %zu more", f->driver.gpus - 1) : "");
}

static const char *assigned(struct jw_arena *a, const char *name, const char *value)
{
    return jw_arena_printf(a, "%s=%s", name, value);
}

static const char *no_gpu(facts *f, struct jw_arena *a)
{
    const char *why = f->here.nouveau    ? ", driven by nouveau"
                      : f->here.no_nodes ? ", /dev/nvidia* are not"
                      : f->container.inside || f->windows || f->here.driver
                          ? ""
                          : ", NVIDIA's kernel module is not loaded";

    if (f->here.few_files)
        return jw_arena_printf(a, "ulimit -n is %u: too few open files for a driver", f->here.few_files);
    if (hides_gpus(f))
        return jw_arena_printf(a, "CUDA_VISIBLE_DEVICES=%s%s", f->visible,
                               f->here.n ? JW_PHRASE("; GPUs here: %zu, from 0 on", f->here.n) : "");
    if (f->here.closed)
        return f->here.group ? jw_arena_printf(a, "only the group %s may open /dev/nvidiactl", f->here.group)
                             : "/dev/nvidiactl is root's alone";
    return f->here.n ? jw_arena_printf(a, "%s is there%s", f->gpu, why) : "none is on the bus";
}

static const char *error(struct jw_arena *a, int code)
{
    const char *name = jw_error_name((unsigned)code);

    return jw_arena_printf(a, "error %d%s%s", code, name ? ", " : "", name ? name : "");
}

static const char *not_started(facts *f, struct jw_arena *a)
{
    if (f->driver.is == JW_DRIVER_DIES)
        return jw_arena_printf(a, "%s ends or holds up every process that loads it",
                               f->scope.library ? f->scope.library : "libcuda.so.1");
    return error(a, f->driver.error);
}

static const char *unloadable(facts *f, struct jw_arena *a)
{
    if (f->driver.says && f->driver.put_before)
        return jw_arena_printf(a, "LD_LIBRARY_PATH leads to %s: %s", f->driver.put_before, f->driver.says);
    return f->driver.says ? f->driver.says : f->scope.library;
}

static const char *compiler(facts *f, struct jw_arena *a)
{
    return f->driver.compiler_missing ? f->driver.compiler_missing : error(a, JW_CUDA_JIT_COMPILER_NOT_FOUND);
}

static const char *limit(facts *f, struct jw_arena *a)
{
    const char *size = JW_SIZE(f->scope.limit);

    return f->cache.max_size
               ? jw_arena_printf(a, "CUDA_CACHE_MAXSIZE=%s (%s)", f->cache.max_size, size)
               : jw_arena_printf(a, "the driver's %s, %s", f->scope.absent ? "largest" : "default", size);
}

static const char *unwritable(struct jw_arena *a, const char *at, const char *owner)
{
    return owner ? jw_arena_printf(a, "%s belongs to %s", at, owner)
                 : jw_arena_printf(a, "%s cannot be written by this user", at);
}

static const char *bad_place(facts *f, struct jw_arena *a)
{
    static const char *const how[] = { [JW_PLACE_RELATIVE] = ", a relative path",
                                       [JW_PLACE_NOT_FOLDER] = ", where no folder can be",
                                       [JW_PLACE_READ_ONLY] = ", on a read-only file system" };
    const char *at = f->cache.path ? assigned(a, "CUDA_CACHE_PATH", f->cache.path)
                     : f->cache.at ? f->cache.at
                                   : f->cache.folder;

    if (f->cache.place == JW_PLACE_UNSET)
        return f->windows ? "APPDATA is unset" : "HOME is unset";
    if (f->cache.place == JW_PLACE_EMPTY)
        return "CUDA_CACHE_PATH is set, and empty";
    if (f->cache.place == JW_PLACE_NOT_FILE)
        return jw_arena_printf(a, "%s is no file", f->cache.at);
    if (f->cache.place < JW_PLACE_UNWRITABLE)
        return jw_arena_printf(a, "%s%s", at, how[f->cache.place]);
    return jw_arena_printf(
        a, "%s%s", unwritable(a, f->cache.at, f->cache.owner),
        jw_path_below(f->cache.folder, f->cache.at) ? JW_PHRASE(", above %s", f->cache.folder) : "");
}

static const char *whose(facts *f, struct jw_arena *a)
{
    return f->cache.owner
               ? unwritable(a, f->cache.at, f->cache.owner)
               : jw_arena_printf(a, "%s called sudo; root would fill %s", f->who.behind, f->cache.folder);
}

static const char *room(facts *f, struct jw_arena *a)
{
    const char *more =
        f->found.cold_bytes ? jw_arena_printf(a, ", %s are needed", JW_SIZE(f->found.cold_bytes)) : "";

    return jw_arena_printf(a, "%s: %s free, %s stay free%s",
                           f->cache.mount ? f->cache.mount : f->cache.folder, JW_SIZE(f->cache.free),
                           JW_SIZE(f->cache.spare), more);
}

static const char *login(facts *f, struct jw_arena *a)
{
    return jw_arena_printf(a, "%s: %s there, %s here", f->login.name,
                           f->login.there ? f->login.there : "unset",
                           f->login.here ? f->login.here : "unset");
}

static const char *other_driver(facts *f, struct jw_arena *a)
{
    return jw_arena_printf(a, "entries of driver %s, now %s", f->others.driver,
                           f->scope.version ? f->scope.version : "one of unknown version");
}

static const char *other_gpu(facts *f, struct jw_arena *a)
{
    return jw_arena_printf(a, "entries here for sm_%u, none for sm_%u", f->others.sm, f->answer.sms.v[0]);
}

/* driver-fact: F83-damaged-index */
static const char *damage(facts *f, struct jw_arena *a)
{
    if (f->found.index_damaged)
        return "its index: the next compile deletes all else";
    return jw_arena_printf(a, "entries gone or damaged: %s", JW_NUM(f->found.damaged));
}

/* ---- remedies ---- */

static void set(struct jw_remedy *r, const char *name, const char *value)
{
    *r = (struct jw_remedy){ .kind = JW_REMEDY_SET, .what = name, .value = value };
}

static void unset(struct jw_remedy *r, const char *name)
{
    *r = (struct jw_remedy){ .kind = JW_REMEDY_UNSET, .what = name };
}

static void say(struct jw_remedy *r, const char *what)
{
    *r = (struct jw_remedy){ .kind = JW_REMEDY_SAY, .what = what };
}

#define RUN(r, ...) ((void)(*(r) = (struct jw_remedy){ .kind = JW_REMEDY_RUN, .words = { __VA_ARGS__ } }))

/* Behind "jitwarm VERB". */
static void add_word(struct jw_remedy *r, const char *word)
{
    enum { VERB_ENDS = 2 };

    memmove(r->words + VERB_ENDS + 1, r->words + VERB_ENDS,
            sizeof r->words - (VERB_ENDS + 1) * sizeof *r->words);
    r->words[VERB_ENDS] = word;
}

/* Adds --cache, if this run asked about another cache. */
static void in_cache(facts *f, struct jw_remedy *r)
{
    if (!f->asked.cache)
        return;
    add_word(r, f->asked.cache);
    add_word(r, "--cache");
}

#define RUN_IN(f, r, ...) (RUN(r, __VA_ARGS__), in_cache(f, r))
#define RUN_MORE(f, r, words, ...) (RUN_IN(f, r, __VA_ARGS__), (void)((r)->more = (words)))

/* A prime of the same question. */
static void again(facts *f, struct jw_remedy *r)
{
    in_cache(f, r);
    if (f->working)
        add_word(r, "--wait");
    r->more = f->asked.words;
    r->kind = f->scope.absent ? JW_REMEDY_NOTHING : r->kind; /* no other command compiles for them */
}

#define AGAIN(f, r, ...) (RUN(r, __VA_ARGS__), again(f, r))

/* As an administrator; root needs no sudo. */
static void as_admin(facts *f, struct jw_remedy *r)
{
    r->where = f->superuser ? JW_REMEDY_HERE : JW_REMEDY_ADMIN;
}

#define ADMIN(f, r, ...) (RUN(r, __VA_ARGS__), as_admin(f, r))

static void reboot(facts *f, struct jw_remedy *r)
{
    if (f->windows)
        RUN(r, "shutdown", "/r", "/t", "0");
    else
        ADMIN(f, r, "reboot");
    if (f->container.inside)
        r->where = JW_REMEDY_HOST;
}

/* The container starts again with the GPU and all parts of the driver; "..." is what its line has already. Manifests of other engines are
 * changed by hand. */
static void give_gpu(facts *f, struct jw_remedy *r)
{
    if (f->container.engine == JW_CONTAINER_PODMAN)
        RUN(r, "podman", "run", "--device", "nvidia.com/gpu=all", "...");
    else if (f->container.engine == JW_CONTAINER_APPTAINER)
        RUN(r, "apptainer", "exec", "--nv", "...");
    else if (f->container.engine == JW_CONTAINER_DOCKER || f->container.engine == JW_CONTAINER_UNKNOWN)
        RUN(r, "docker", "run", "--gpus", "all", "-e", "NVIDIA_DRIVER_CAPABILITIES=compute,utility", "...");
    else
        say(r, "docs/deploy.md");
    r->where = JW_REMEDY_HOST;
}

/* `which`: "driver 580 or newer". */
static void update_driver(facts *f, struct jw_arena *a, struct jw_remedy *r, const char *which)
{
    /* Debian's driver is in a component that a person has to add. */
    bool debian = !f->container.inside && jw_text_same(f->who.distro, "debian");

    if (!f->container.inside && jw_text_same(f->who.distro, "ubuntu"))
        ADMIN(f, r, "ubuntu-drivers", "install");
    else
        say(r, jw_arena_printf(a, "%s: https://%s", which,
                               debian ? "wiki.debian.org/NvidiaGraphicsDrivers" : "www.nvidia.com/drivers"));
    if (f->container.inside) /* the host has the container's driver */
        r->where = JW_REMEDY_HOST;
}

/* A library that cannot be loaded is installed again where it came from; that of a container came from its host. */
static void install_driver(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (f->driver.is == JW_DRIVER_UNLOADABLE && !f->container.inside && jw_text_same(f->who.distro, "debian"))
        ADMIN(f, r, "apt-get", "install", "--reinstall", "libcuda1");
    else if (f->container.inside && f->driver.is != JW_DRIVER_UNLOADABLE)
        give_gpu(f, r);
    else
        update_driver(f, a, r, "NVIDIA's driver");
}

/* A container has the driver of its host, so another build of the software comes first there. */
static void help_code(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    const char *driver = jw_arena_str(a, jw_driver_needed(f->answer.needs).text);

    if (f->answer.needs == JW_BRANCH_TO_COME)
        say(r, "install a build for an older CUDA: no driver runs this one yet");
    else if (f->container.inside)
        say(r, jw_arena_printf(a, "install a build for an older CUDA, or %s on the host", driver));
    else
        update_driver(f, a, r, driver);
}

static void help_unfit(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    struct misfit m = misfit(f);

    update_driver(f, a, r,
                  jw_arena_printf(a, "driver %u%s", m.branch, m.old ? " or newer" : ", no newer one"));
}

/* If libcuda is where the loader does not look, a setting names that folder to it. */
static void help_library(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    const char *library = f->driver.is == JW_DRIVER_ABSENT ? f->scope.library : NULL;
    const char *name = library ? strrchr(library, '/') : NULL;

    if (f->driver.named)
        unset(r, "JITWARM_DRIVER");
    else if (name)
        set(r, "LD_LIBRARY_PATH", jw_arena_text(a, library, (size_t)(name - library)));
    else
        install_driver(f, a, r);
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

static void help_front(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    const char *others = f->driver.put_before ? without(f->driver.path, f->driver.put_before, a) : "";

    if (*others)
        set(r, "LD_LIBRARY_PATH", others);
    else if (f->driver.put_before)
        unset(r, "LD_LIBRARY_PATH");
    else if (f->driver.error == JW_CUDA_DRIVER_MISMATCH)
        reboot(f, r);
    else
        help_library(f, a, r);
}

static void help_no_gpu(facts *f, struct jw_remedy *r)
{
    if (f->here.few_files)
        RUN(r, "ulimit", "-n", "1024");
    else if (hides_gpus(f) && f->job)
        say(r, "ask Slurm for a GPU: --gres=gpu:1");
    else if (hides_gpus(f) && f->here.n > 1) /* the other GPUs may be somebody else's */
        set(r, "CUDA_VISIBLE_DEVICES", "0");
    else if (hides_gpus(f))
        unset(r, "CUDA_VISIBLE_DEVICES");
    else if (f->here.closed && f->here.group && f->who.user)
        ADMIN(f, r, "usermod", "-aG", f->here.group, f->who.user);
    else if (f->here.closed)
        ADMIN(f, r, "chmod", "a+rw", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0");
    else if (f->container.inside)
        give_gpu(f, r);
    else if (f->windows || f->here.nouveau)
        reboot(f, r);
    else if (f->here.no_nodes)
        ADMIN(f, r, "nvidia-modprobe", "-c", "0", "-u");
    else if (!f->here.driver)
        ADMIN(f, r, "modprobe", "nvidia");
    else
        ADMIN(f, r, "dmesg");
}

static void help_error(facts *f, struct jw_remedy *r)
{
    if (f->driver.error == JW_CUDA_OUT_OF_MEMORY && !f->windows)
        RUN(r, "ulimit", "-v", "unlimited"); /* the driver reserves an address for each byte of all GPUs */
    else if (f->driver.error == JW_CUDA_SYSTEM_NOT_READY && !f->windows)
        ADMIN(f, r, "systemctl", "start", "nvidia-fabricmanager");
    else if (f->driver.error == JW_CUDA_INVALID_DEVICE && f->bad_order)
        unset(r, "CUDA_DEVICE_ORDER");
    else if (f->driver.error == JW_CUDA_INVALID_DEVICE && f->visible) /* the variable names one GPU twice */
        unset(r, "CUDA_VISIBLE_DEVICES");
    else
        reboot(f, r);
}

/* The toolkit on the host lists the driver's files by name, and an older toolkit does not know new ones. */
static void help_compiler(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (f->container.inside && f->compute_given) {
        RUN(r, "sudo", "apt-get", "install", "--only-upgrade", "nvidia-container-toolkit");
        r->where = JW_REMEDY_HOST;
    } else if (f->container.inside || f->windows) {
        install_driver(f, a, r);
    } else {
        say(r, jw_arena_printf(a, "install libnvidia-ptxjitcompiler of driver %s",
                               f->scope.version ? f->scope.version : "of this version"));
    }
}

static void help_limit(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    uint64_t better = jw_cache_limit_for(f->found.needed, f->cache.max_size, version_of(f));

    if (better)
        set(r, "CUDA_CACHE_MAXSIZE", jw_arena_printf(a, "%llu", (unsigned long long)better));
    else /* no cache holds that much, so each program gets its own */
        say(r, "docs/doctor.md");
}

/* Unsets the variable that names an unusable place; else names another place. Where all is warm, another place would be cold. */
static void other_place(facts *f, struct jw_remedy *r)
{
    if (f->answer.is == JW_WARM)
        return;
    if (f->cache.path)
        unset(r, "CUDA_CACHE_PATH");
    else if (f->cache.elsewhere)
        set(r, "CUDA_CACHE_PATH", f->cache.elsewhere);
    else
        say(r, f->asked.cache ? "name another folder by --cache"
                              : "set CUDA_CACHE_PATH to a folder that this user may write");
}

static void move_away(facts *f, struct jw_arena *a, struct jw_remedy *r, const char *path)
{
    RUN(r, f->windows ? "move" : "mv", path, jw_arena_printf(a, "%s.old", path));
}

/* The file in its way may be somebody's, so it is renamed, and nothing is deleted. Only the driver's own place is changed, the cache and
 * the folder around it (.nv), and its owner only at this user's home: another one, or what is above, may hold anything. A volume that is
 * root's is given its user on the host, since without it programs would use the container's own files, which are lost with it. */
static void help_place(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    const char *at = f->found.shut ? f->found.shut : f->cache.at;
    const char *owner = f->found.shut ? f->found.shut_by : f->cache.owner;
    bool own = !f->cache.path, shut = f->found.shut || f->cache.place == JW_PLACE_UNWRITABLE;
    bool volume = f->container.inside && f->cache.mount && f->cache.mount[1]
                  && (jw_text_same(f->cache.mount, at)
                      || (jw_text_same(f->cache.folder, at) && jw_text_same(owner, "root")));
    const char *around = f->cache.folder ? jw_path_dir(a, f->cache.folder) : NULL;
    const char *below = at && f->cache.folder ? jw_path_below(at, f->cache.folder) : NULL;
    bool inside = below || (own && at && around && jw_text_starts(at, around));
    const char *all = own && below ? f->cache.folder : at;

    if (f->cache.place == JW_PLACE_EMPTY)
        unset(r, "CUDA_CACHE_PATH");
    else if (own && !f->asked.cache && f->home && (!inside || (shut && owner)))
        set(r, "HOME", f->home);
    else if (shut && owner && !own && volume)
        *r = (struct jw_remedy){ .kind = JW_REMEDY_SAY,
                                 .where = JW_REMEDY_HOST,
                                 .what = jw_arena_printf(
                                     a, "give %s to this user, by fsGroup or chown: docs/deploy.md", at) };
    else if (f->cache.place == JW_PLACE_NOT_FILE || (f->cache.place == JW_PLACE_NOT_FOLDER && inside))
        move_away(f, a, r, at);
    else if (shut && owner && inside && f->cache.at_home && f->who.user)
        ADMIN(f, r, "chown", "-R", f->who.user, all);
    else if (shut && inside && !f->windows && !owner && !f->superuser)
        RUN(r, "chmod", "-R", "u+rwX", all);
    else
        other_place(f, r);
}

/* A cache at root's own home is root's; but a container may have it from its host. The number of another one's owner says which user that
 * is, and that user's HOME may have another cache. */
static void help_of_user(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    const char *user = f->who.behind ? f->who.behind : jw_arena_printf(a, "#%lu", f->cache.uid);
    const char *cache = f->who.behind ? f->asked.cache : f->cache.folder;

    RUN(r, "sudo", "-H", "-u", user, "jitwarm", "prime", cache ? "--cache" : NULL, cache);
    r->more = f->asked.words;
    if (!f->who.behind && f->cache.at_home && f->who.user && !f->container.inside)
        RUN(r, "chown", "-R", f->who.user,
            f->cache.path || f->asked.cache ? f->cache.folder : jw_path_dir(a, f->cache.folder));
}

/* To other users. */
static void close_folder(facts *f, struct jw_remedy *r, const char *folder)
{
    if (f->windows) /* Everyone, Authenticated Users, Users, whose names are translated */
        RUN(r, "icacls", folder, "/inheritance:d", "/remove:g", "*S-1-1-0", "*S-1-5-11", "*S-1-5-32-545");
    else
        RUN(r, "chmod", "go-w", folder);
}

static void help_open(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (f->cache.open_at)
        close_folder(f, r, f->cache.open_at);
    else if (f->cache.owner && f->who.user
             && strcmp(f->who.user, "root") == 0) /* in a container: it stays its user's */
        help_of_user(f, a, r);
    else if (f->cache.owner && f->who.user && f->cache.at_home)
        ADMIN(f, r, "chown", "-R", f->who.user, f->cache.folder);
    else
        other_place(f, r);
}

static void help_full(facts *f, struct jw_remedy *r)
{
    if (f->cache.free_usual > f->found.cold_bytes && f->answer.is != JW_WARM)
        unset(r, "CUDA_CACHE_PATH");
    else if (f->cache.elsewhere && f->cache.free_elsewhere > f->found.cold_bytes && f->answer.is != JW_WARM)
        set(r, "CUDA_CACHE_PATH", f->cache.elsewhere);
    else if (f->windows)
        RUN(r, "cleanmgr");
    else
        RUN(r, "du", "-xah", "-d", "1", f->cache.mount ? f->cache.mount : f->cache.folder);
}

static void help_state(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (f->state.at)
        close_folder(f, r, f->state.at);
    else if (f->state.lost && f->who.user)
        ADMIN(f, r, "chown", "-R", f->who.user, f->state.lost);
    else if (f->state.named)
        unset(r, f->state.named);
    else if (f->home)
        set(r, "HOME", f->home);
    else if (jw_facts_lack_disk(f) && !f->cache.free_elsewhere)
        help_full(f, r);
    else if (f->cache.elsewhere)
        set(r, "JITWARM_STATE", jw_arena_printf(a, "%s.jitwarm", f->cache.elsewhere));
}

static void help_roots(facts *f, struct jw_remedy *r)
{
    if (f->found.roots_at && f->windows)
        close_folder(f, r, f->found.roots_at);
    else if (f->found.roots_at)
        RUN(r, "chmod", "-R", "u+rwX,go-w", f->found.roots_at);
    else /* a list that prime replaces */
        AGAIN(f, r, "jitwarm", "prime", "PATH");
}

static void help_volume(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (jw_text_same(f->who.user, "root") /* of the container, too; a new volume is root's */
        && (f->container.engine == JW_CONTAINER_DOCKER || f->container.engine == JW_CONTAINER_PODMAN))
        RUN(r, f->container.engine == JW_CONTAINER_DOCKER ? "docker" : "podman", "run", "-v",
            jw_arena_printf(a, "jit:%s", f->cache.folder), "...");
    else if (f->container.engine == JW_CONTAINER_APPTAINER)
        RUN(r, "apptainer", "exec", "--bind", jw_arena_printf(a, "FOLDER:%s", f->cache.folder), "...");
    else
        say(r, jw_arena_printf(a, "mount a volume at %s", f->cache.folder));
    r->where = JW_REMEDY_HOST;
}

/* A path that logins set is set here, too, unless all is warm here; other variables are to be taken out of what a login sets. */
static void help_login(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (f->login.harms || strcmp(f->login.name, "CUDA_CACHE_PATH") != 0)
        say(r, jw_arena_printf(a, "take %s out of what a login sets%s", f->login.name,
                               f->windows ? "" : ": ~/.profile, or a file like it"));
    else if (f->answer.is != JW_WARM)
        set(r, f->login.name, f->login.there);
    else
        say(r, "jitwarm env shows both");
}

/* Also sets it for logins, if it is meant to last. */
static void help_shell(facts *f, struct jw_remedy *r)
{
    if (strcmp(f->login.name, "CUDA_CACHE_PATH") == 0)
        RUN(r, "jitwarm", "env", "apply", "--path", f->login.here);
    else if (strcmp(f->login.name, "CUDA_CACHE_MAXSIZE") == 0)
        RUN(r, "jitwarm", "env", "apply", "--size", f->login.here);
    else
        unset(r, f->login.name);
}

/* A number or UUID names a GPU of this machine, or none. */
static void help_absent(facts *f, struct jw_remedy *r)
{
    if (jw_gpu_is_of_machine(f->asked.gpu)) {
        RUN(r, "nvidia-smi", "-L");
        return;
    }
    RUN(r, "jitwarm", "prime", "--gpu", f->asked.gpu, "--pack", "OUT", f->asked.paths ? NULL : "PATH");
    r->more = f->asked.paths ? f->asked.words : NULL;
}

/* Another attempt gives another result only where the driver had no error to give. */
static void help_refused(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (f->found.crashed)
        AGAIN(f, r, "jitwarm", "prime", "--retry");
    else
        say(r, jw_arena_printf(a, "replace %s by another build of it", f->answer.first));
}

/* Which process has its index. */
static void help_busy(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (!f->windows && f->cache.folder)
        RUN(r, "fuser", "-v", jw_path_join(a, f->cache.folder, "index"));
}

static void help_closed(facts *f, struct jw_arena *a, struct jw_remedy *r)
{
    if (f->found.closed_own && !f->windows)
        RUN(r, "chmod", "u+rX", f->found.closed);
    else
        say(r,
            jw_arena_printf(a, "ask its owner to open it, or --exclude FILE; for good: exclude = FILE in %s",
                            f->config));
}

/* ---- the table ---- */

enum {
    PRIME = JW_ASKS_PRIME,
    VERIFY = JW_ASKS_VERIFY,
    LOOK = JW_ASKS_LOOK,
    DOCTOR = JW_ASKS_DOCTOR,
    START = JW_ASKS_START,
    ALL = PRIME | VERIFY | LOOK | DOCTOR | START
};

#define CAUSE(name, id, end, stops, when_cold, concerns, is, seen, text, meaning, remedy)                    \
    static bool is_##name(facts *f)                                                                          \
    {                                                                                                        \
        return is;                                                                                           \
    }                                                                                                        \
    static const char *seen_##name(facts *f, struct jw_arena *a)                                             \
    {                                                                                                        \
        (void)f, (void)a;                                                                                    \
        return seen;                                                                                         \
    }                                                                                                        \
    static void help_##name##_by(facts *f, struct jw_arena *a, struct jw_remedy *r)                          \
    {                                                                                                        \
        (void)f, (void)a;                                                                                    \
        remedy;                                                                                              \
    }
#include "cause/causes.def"
#undef CAUSE

const struct jw_cause jw_causes[] = {
#define CAUSE(name, id, end, stops, when_cold, concerns, is, seen, text, meaning, remedy)                    \
    { id, end, stops, when_cold, concerns, is_##name, seen_##name, text, meaning, help_##name##_by },
#include "cause/causes.def"
#undef CAUSE
};
const size_t jw_n_causes = JW_COUNT(jw_causes);

static unsigned stopped_by(const struct jw_cause *c, facts *f)
{
    bool looked = f->answer.is, cold = jw_answer_cold(&f->answer) || f->answer.unknown;

    return c->stops
           | (cold || f->found.roots_damaged || (f->driver.probe_failed && !looked) ? c->when_cold : 0)
           | (c->end == JW_END_NO_GPU ? JW_ASKS_DRIVER : 0);
}

bool jw_cause_stops(const struct jw_cause *c, const struct jw_facts *f, unsigned who)
{
    return stopped_by(c, f) & who;
}

/* Returns the first row that holds and stops `who`. `concerned`: only of the rows that concern these askers; 0: of all. */
static const struct jw_cause *first_of(facts *f, unsigned who, unsigned concerned)
{
    for (const struct jw_cause *c = jw_causes; c < jw_causes + jw_n_causes; c++)
        if (jw_cause_stops(c, f, who) && (!concerned || c->concerns & concerned) && c->is(f))
            return c;
    return NULL;
}

const struct jw_cause *jw_cause_of(const struct jw_facts *f, unsigned who)
{
    if (f->answer.is > JW_WARM && !(who & PRIME))
        who |= DOCTOR | (f->answer.is == JW_COLD ? PRIME : 0);
    const struct jw_cause *c = first_of(f, who, 0);

    return c || f->answer.is <= JW_WARM ? c : first_of(f, DOCTOR, PRIME);
}

const struct jw_cause *jw_cause_next(const struct jw_facts *f, unsigned who, const struct jw_cause *after)
{
    for (size_t i = after ? (size_t)(after - jw_causes) + 1 : 0; i < jw_n_causes; i++)
        if ((stopped_by(&jw_causes[i], f) | jw_causes[i].concerns) & who && jw_causes[i].is(f))
            return &jw_causes[i];
    return NULL;
}
