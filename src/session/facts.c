#include "session/session.h"

#include "base/num.h"
#include "base/path.h"
#include "cache/place/cache_disk.h"
#include "cache/place/lookup.h"
#include "driver/worker/identity.h"
#include "facts/errors.h"
#include "facts/libraries.h"
#include "machine/trust.h"
#include "memory/state_folder.h"

#include <string.h>

/* ---- who asks, and where ---- */

/* In a container root is the user, but not of the cache in another user's home. */
static bool is_superuser(struct jw_session *s, const struct jw_facts *f)
{
    if (jw_session_is_root(s))
        return true;
    if (!f->account_home || !jw_process_elevated())
        return false;
    return !jw_session_cache(s)->named && !jw_env(s->a, "CUDA_CACHE_PATH");
}

static void find_asker(struct jw_session *s, struct jw_facts *f)
{
    const char *home = jw_env(s->a, "HOME");
    const char *config = jw_env_config_user(s->a);

    f->windows = jw_os_is_windows();
    f->who = *jw_session_user(s);
    f->container = *jw_session_container(s);
    f->config = config ? jw_path_join(s->a, config, "jitwarm/jitwarm.conf") : "jitwarm.conf";
    if (!f->windows && f->who.home && jw_path_absolute(f->who.home)
        && !jw_text_same(f->who.home, home) && jw_is_folder(f->who.home))
        f->account_home = f->who.home;
    f->superuser = !s->as_root && !s->absent_gpus && is_superuser(s, f);
}

/* ---- GPUs and driver ---- */

static void find_gpus(struct jw_session *s, struct jw_facts *f)
{
    const char *given = jw_env(s->a, "NVIDIA_DRIVER_CAPABILITIES");
    const char *order = jw_env(s->a, "CUDA_DEVICE_ORDER");

    f->host = *jw_session_gpus(s);
    f->ulimit = jw_ulimit_too_low();
    f->gpu = f->host.n ? f->host.gpus[0].name : NULL;
    f->visible = jw_env(s->a, "CUDA_VISIBLE_DEVICES");
    f->bad_order = order && strcmp(order, "PCI_BUS_ID") != 0 && strcmp(order, "FASTEST_FIRST") != 0;
    f->job = jw_env(s->a, "SLURM_JOB_ID");
    f->compute_given = given && (strstr(given, "compute") || strstr(given, "all"));
}

/* `state`: what is remembered of this build; NULL: nothing. */
static void take_state(struct jw_session *s, struct jw_scope *to,
                       const struct jw_driver_state *state)
{
    to->compiler = jw_session_compiler(s)->id;
    to->level = state ? state->level : JW_LEVEL_NONE;
    to->stamp = state ? state->stamp : NULL;
    to->code = state ? state->code : NULL;
    to->version = state && state->version ? state->version : to->version;
}

/* Files show whether a library is there and whole. On Windows only the process that loads a library
 * sees it. */
static void find_driver(struct jw_session *s, struct jw_facts *f)
{
    const struct jw_driver_file *file = jw_session_driver_file(s);
    const struct jw_compiler_file *compiler = jw_session_compiler(s);
    const char *library = file->found ? file->real : jw_session_gpus(s)->library;

    f->driver.named = s->driver || jw_env(s->a, "JITWARM_DRIVER");
    f->driver.says = file->truncated;
    if (!file->found && !f->windows)
        f->driver.is = JW_DRIVER_ABSENT;
    else if (file->truncated)
        f->driver.is = JW_DRIVER_UNLOADABLE;
    f->scope = (struct jw_scope){.library = library,
                                 .build = file->build,
                                 .version = file->found ? jw_identity_version_in_name(library, s->a)
                                                        : NULL};
    take_state(s, &f->scope, file->known);
    if (file->found && jw_driver_lacks_compiler(file, compiler))
        f->driver.compiler_missing = compiler->path
                                         ? jw_arena_printf(s->a, "%s is damaged", compiler->path)
                                         : JW_DRIVER_COMPILER_FILE " is missing";
}

static enum jw_driver_is how_it_started(const struct jw_probe_report *p,
                                        const struct jw_driver_file *file)
{
    if (p->broken && !file->truncated)
        return JW_DRIVER_DIES;
    if (p->broken || p->driver.init_result < 0)
        return file->found ? JW_DRIVER_UNLOADABLE : JW_DRIVER_ABSENT;
    return p->driver.init_result ? JW_DRIVER_FAILS : JW_DRIVER_STARTS;
}

static void take_probe(struct jw_session *s, struct jw_facts *f)
{
    const struct jw_driver_file *file = jw_session_driver_file(s);
    const struct jw_probe_report *p = s->probe;
    struct jw_scope *scope = &f->scope;

    f->driver.is = how_it_started(p, file);
    f->driver.error = p->driver.init_result;
    f->driver.says =
        p->broken || f->driver.is == JW_DRIVER_ABSENT ? p->broken : p->driver.init_name;
    *scope =
        (struct jw_scope){.library = p->driver.library ? p->driver.library : scope->library,
                          .build = p->driver.build && *p->driver.build ? p->driver.build : NULL,
                          .version = p->driver.version ? p->driver.version : scope->version};
    take_state(s, scope, &p->state);
    f->driver.n_gpus = p->n_devices;
    f->driver.prohibited = p->n_devices;
    for (size_t i = 0; i < p->n_devices; i++)
        f->driver.prohibited &= !jw_device_is_open(&p->devices[i]);
    f->gpu = p->n_devices ? p->devices[0].name : f->gpu;
    f->driver.probe_failed = f->driver.is == JW_DRIVER_STARTS && p->n_devices ? p->unproven : NULL;
    f->driver.probe_refused = p->refused;
    if (f->driver.error == JW_CUDA_JIT_COMPILER_NOT_FOUND)
        f->driver.lacks = jw_driver_lacks_preload(s->a);
    f->driver.preload = jw_preload_is_on(jw_env(s->a, JW_PRELOAD_VARIABLE));
}

/* ---- the cache ---- */

static void find_settings(struct jw_session *s, struct jw_facts *f)
{
    struct jw_cache_env env = *jw_session_cache(s);
    const char *driver = f->scope.version ? f->scope.version : f->host.driver;

    f->cache.folder = env.folder;
    f->cache.path = env.named ? NULL : jw_cache_path_read(jw_env(s->a, "CUDA_CACHE_PATH"));
    f->cache.disable = env.disable;
    f->cache.max_size = env.max_size;
    f->scope.limit = jw_cache_limit_read(env.max_size, driver);
    f->forced = jw_cache_forced_by(s->a, driver);
    f->forbidden = jw_cache_forbidden_by(s->a, driver);
    if (env.nameless)
        f->cache.place = JW_PLACE_EMPTY;
    else if (!env.folder)
        f->cache.place = JW_PLACE_UNSET;
    else if (!jw_path_absolute(env.folder))
        f->cache.place = JW_PLACE_RELATIVE;
}

/* `at`: the index, if its folder can be written; else the nearest folder. */
static enum jw_place_is place_of(const struct jw_cache_disk *p, const char *at)
{
    if (!p->nearest_folder || (p->disk_known && p->disk.kind == JW_DISK_KERNEL))
        return p->hidden ? JW_PLACE_UNWRITABLE : JW_PLACE_NOT_FOLDER;
    if (p->disk_known && p->disk.read_only)
        return JW_PLACE_READ_ONLY;
    if (p->folder ? jw_cache_index_opens(p->path, false, JW_IGNORED) : p->may_write)
        return JW_PLACE_GOOD;
    return at == p->nearest || (!jw_is_link(at) && (jw_is_file(at) || jw_is_absent(at)))
               ? JW_PLACE_UNWRITABLE
               : JW_PLACE_NOT_FILE;
}

static enum jw_place_on place_on(const struct jw_facts *f, const struct jw_cache_disk *p)
{
    if (!p->disk_known || p->disk.read_only)
        return JW_ON_DISK;
    if (p->disk.kind == JW_DISK_MEMORY)
        return JW_ON_MEMORY;
    /* LXC and systemd-nspawn usually keep their containers */
    if (f->container.inside && p->mount && !p->mount[1]
        && f->container.engine != JW_CONTAINER_UNKNOWN)
        return JW_ON_CONTAINER;
    return p->disk.kind == JW_DISK_NETWORK ? JW_ON_NETWORK : JW_ON_DISK;
}

/* One folder for each user, so that all shells that set it share it. Another one in memory would be
 * no better. */
static const char *other_folder(struct jw_session *s)
{
    const char *path;
    struct jw_cache_disk p;
    struct jw_trust t;

    if (jw_os_is_windows()) {
        const char *local = jw_env(s->a, "LOCALAPPDATA");

        return local ? jw_arena_printf(s->a, "%s\\NVIDIA\\ComputeCache", local) : NULL;
    }
    path = jw_arena_printf(s->a, "%s/var/tmp/cuda-cache-%lu", jw_session_sysroot(s),
                           jw_session_user(s)->uid);
    jw_cache_disk(path, s->a, &p);
    if (!p.may_write || p.disk.kind == JW_DISK_MEMORY)
        return NULL;
    if (!jw_trust_read(path, s->a, &t, JW_IGNORED) || t.owner || t.writers)
        return NULL;
    return path;
}

/* Which folder, this one or one on the way to it, may others change, and who? They choose what is
 * in it. It is `*own`, if this user's, else `*other`; a device, which is everybody's and stays it,
 * is neither. */
static const char *open_of(struct jw_session *s, const char *folder, const char **own,
                           const char **other)
{
    const char *at;
    struct jw_trust t;
    struct jw_err ignored, open = {0};

    if (!jw_trust_check_place(folder, s->a, &at, &t, &ignored) || !at || jw_trust_own(&t, &open))
        return NULL;
    *(t.owner ? other : own) = jw_is_folder(at) ? at : NULL;
    return jw_arena_printf(s->a, "%s %s", at, open.msg);
}

static void find_place(struct jw_session *s, struct jw_facts *f)
{
    struct jw_facts_cache *c = &f->cache;
    struct jw_cache_disk p;
    struct jw_trust t;

    c->elsewhere = jw_session_cache(s)->named ? NULL : other_folder(s);
    if (!c->folder || c->place)
        return;
    jw_cache_disk(c->folder, s->a, &p);
    c->at = p.may_write && p.folder ? jw_path_join(s->a, c->folder, "index") : p.nearest;
    c->place = place_of(&p, c->at);
    c->on = place_on(f, &p);
    if (!c->place && !(f->superuser && !p.folder)) /* root would make it in a user's */
        c->at = c->folder;
    (void)!jw_trust_read(c->at, s->a, &t, JW_IGNORED);
    c->at_home = !f->windows && jw_is_inside(c->at, f->who.home, s->a);
    c->owner = t.owner;
    c->uid = t.uid;
    c->mount = p.mount;
    if (!p.disk.read_only) {
        c->open = open_of(s, c->folder, &c->open_at, &c->open_other);
        c->free = p.disk.few_inodes ? 0 : p.disk.free;
        c->spare = jw_spare(p.disk.total);
    }
}

/* The variable that names the state folder, or a folder above it; NULL: none does. */
static const char *variable_of_state(struct jw_session *s, const struct jw_facts *f)
{
    const char *xdg = f->windows ? NULL : jw_env(s->a, "XDG_STATE_HOME");

    if (jw_env(s->a, "JITWARM_STATE"))
        return "JITWARM_STATE";
    return xdg && *xdg == '/' ? "XDG_STATE_HOME" : NULL;
}

/* Can jitwarm write there, and has the disk room? */
static void check_state_disk(struct jw_session *s, struct jw_facts *f, const char *folder,
                             const struct jw_cache_disk *p)
{
    if (!p->may_write || p->disk.read_only) {
        f->state.unusable = jw_arena_printf(s->a, "%s: read-only for this user", folder);
    } else if (p->disk.total && p->disk.free < JW_PROBE_ROOM) {
        f->state.full = p->mount ? p->mount : folder;
        f->state.unusable = jw_arena_printf(s->a, "%s: %s free, %s are needed", f->state.full,
                                            JW_SIZE(p->disk.free), JW_SIZE(JW_PROBE_ROOM));
    }
}

static void find_state(struct jw_session *s, struct jw_facts *f)
{
    struct jw_err why = {0};
    const char *folder = jw_state_path(s->a, &why);
    struct jw_cache_disk p = {0};
    struct jw_trust t = {0};

    f->state.named = variable_of_state(s, f);
    f->state.homeless = !folder;
    if (!folder) {
        f->state.unusable = jw_arena_str(s->a, why.msg);
        return;
    }
    jw_cache_disk(folder, s->a, &p);
    if (p.nearest && !f->windows && jw_trust_read(p.nearest, s->a, &t, JW_IGNORED) && t.owner
        && jw_is_inside(p.nearest, f->who.home, s->a))
        f->state.of_other = p.nearest;
    if (jw_state_own(JW_STATE_CACHES, s->a, &why)) {
        check_state_disk(s, f, folder, &p);
        return;
    }
    f->state.unusable = jw_arena_str(s->a, why.msg);
    if (!f->windows) /* its check does not say which folder on the way to it is open */
        (void)open_of(s, jw_path_join(s->a, folder, jw_state_names[JW_STATE_CACHES]),
                      &f->state.open_at, &(const char *){NULL});
}

/* No program's variables apply to a cache of absent GPUs, and its packs are what lasts. */
static void take_absent_gpus(struct jw_facts *f)
{
    f->scope.absent = true;
    f->scope.limit = JW_CACHE_MOST;
    f->cache.disable = NULL;
    f->cache.max_size = NULL;
    f->cache.on = JW_ON_DISK;
    f->forced = NULL;
    f->forbidden = NULL;
}

const struct jw_facts *jw_session_facts(struct jw_session *s)
{
    struct jw_facts *f;

    if (s->facts)
        return s->facts;
    f = jw_arena_alloc(s->a, sizeof *f);
    find_asker(s, f);
    find_gpus(s, f);
    find_driver(s, f);
    if (s->probe)
        take_probe(s, f);
    f->driver.path = jw_env(s->a, "LD_LIBRARY_PATH");
    if ((f->driver.is == JW_DRIVER_FAILS || f->driver.is == JW_DRIVER_UNLOADABLE)
        && f->scope.library)
        f->driver.hiding_folder = jw_identity_put_before(f->scope.library, f->driver.path, s->a);
    find_settings(s, f);
    find_place(s, f);
    find_state(s, f);
    if (s->absent_gpus)
        take_absent_gpus(f);
    return s->facts = f;
}
