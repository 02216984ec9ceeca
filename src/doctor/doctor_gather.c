#include "doctor/doctor_gather.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/place/cachedir.h"
#include "cache/place/cacheplace.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/machine/procfs.h"
#include "os/process/process.h"
#include "session/blocker.h"
#include "session/login_start.h"

#include <stdlib.h>
#include <string.h>

/* Could it be a variable of CUDA, or one that was meant to be? */
static bool interesting(const char *name)
{
    static const char *const words[] = { "CUDA", "CACHE", "DEVICE", "NVIDIA" };
    static const char *const names[] = { "HOME", "APPDATA", "LD_LIBRARY_PATH" };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (jw_text_find_nocase(name, words[i]))
            return true;
    return jw_text_among(name, names, JW_COUNT(names));
}

static bool gather_env(struct jw_arena *a, struct jw_env_set *out, struct jw_err *err)
{
    const char *const *all = NULL;
    size_t n = 0;

    if (!jw_env_all(a, &all, &n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(all[i], "=");
        const char *name = jw_arena_text(a, all[i], length);

        if (all[i][length] && interesting(name)
            && !jw_env_set_put(out, name, all[i] + length + 1, NULL, a, err))
            return false;
    }
    jw_sort(out->v, out->n, sizeof *out->v, jw_by_text); /* as two equal machines have them */
    return true;
}

/* The library that the user, and not the system, says is the driver. */
static const char *asked_for(struct jw_arena *a)
{
    const char *path = jw_os_is_windows() ? NULL : jw_env(a, "JITWARM_DRIVER");

    return path && *path ? path : NULL;
}

/* The place that programs take without CUDA_CACHE_PATH, if it serves. */
static const char *better_home(const char *cache, struct jw_arena *a)
{
    const char *why, *home = jw_cachedir_default(a, &why);
    struct jw_cache_place p;

    if (!home || jw_text_same(home, cache))
        return NULL;
    jw_cache_place(home, a, &p);
    bool serves = p.nearest_folder && p.may_write && !p.hidden && !p.finds_nothing && p.disk_known
                  && p.disk.kind == JW_DISK_LOCAL && !p.disk.read_only
                  && p.disk.free >= jw_disk_spare(&p.disk);

    return serves ? home : NULL;
}

static bool gather_cache(struct jw_session *s, struct jw_doctor_machine *out, struct jw_status_report *cache,
                         struct jw_err *err)
{
    const struct jw_status_options options = { .check = false };
    struct jw_arena *a = s->a;
    const char *local = jw_os_is_windows() ? jw_env(a, "LOCALAPPDATA") : NULL;

    if (!jw_status(s, &options, cache, err))
        return false;
    out->cache = cache;
    if (cache->dir.folder)
        jw_cache_place(cache->dir.folder, a, &out->place);
    if (out->place.disk_known && !s->cache)
        out->room_elsewhere = jw_cache_room_elsewhere(&out->place.disk);
    out->home_cache = better_home(cache->dir.folder, a);
    if (local)
        jw_cache_store_pythons(local, a, &out->store_pythons, &out->n_store_pythons);
    return true;
}

/* ---- what outlives a container ---- */

struct volumes {
    const char *path; /* whether it is on one of them */
    bool holds_path;
    const char *first; /* that programs may use */
    const char **v;
    size_t n;
    struct jw_arena *a;
};

/* A disk of the host, or a file server's. FUSE, a tmpfs and what is below /tmp end with the program or the person that
 * mounted them. */
static bool is_surely_lasting(const char *point, const char *type)
{
    static const char *const disks[] = { "ext2", "ext3", "ext4", "xfs",    "btrfs", "zfs",    "f2fs",
                                         "jfs",  "nfs",  "nfs4", "lustre", "ceph",  "beegfs", "gpfs" };
    bool passing = jw_text_starts(point, "/tmp") && (point[4] == '/' || !point[4]);

    return !passing && jw_text_among(type, disks, JW_COUNT(disks));
}

static void see_volume(void *ctx, const char *point, const char *type, bool writable)
{
    struct volumes *v = ctx;
    size_t n = strlen(point);

    struct jw_err full;
    const char **slot = jw_list_add(v->a, &v->v, &v->n, sizeof *slot, JW_MAX_LISTED, &full);

    if (slot)
        *slot = jw_arena_str(v->a, point);
    if (v->path && strncmp(v->path, point, n) == 0 && (v->path[n] == '/' || !v->path[n]))
        v->holds_path = true;
    bool may = false;

    if (!v->first && writable && is_surely_lasting(point, type) && jw_dir_may_add(point, &may, &full) && may)
        v->first = jw_arena_str(v->a, point);
}

/* The disk of a made machine is as its list says. */
static void gather_volumes(const char *sysroot, struct jw_arena *a, struct jw_doctor_machine *out)
{
    struct jw_buf list = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_err ignored;
    struct volumes v = { .path = out->place.nearest, .a = a };
    bool found = false;

    if (jw_file_slurp(jw_arena_printf(a, "%s/proc/self/mountinfo", sysroot), &list, &found, &ignored)
        && found)
        jw_procfs_volumes(jw_buf_cstr(&list), see_volume, &v);
    jw_buf_free(&list);
    out->volume = v.first;
    out->volumes = v.v;
    out->n_volumes = v.n;
    bool as_listed = *sysroot && found && out->place.path;

    /* A folder that is mounted outlives the container, even on the disk of /. */
    out->place.with_system = (out->place.with_system || as_listed) && !v.holds_path;
    if (as_listed)
        out->place.disk.kind = JW_DISK_LOCAL;
}

/* The first of the cache's files that cannot be read, or its folder; NULL: all can be. */
static const char *unread(const struct jw_doctor_machine *m, struct jw_arena *a)
{
    const struct jw_cache_listing *l = &m->cache->list;

    if (l->refused)
        return m->cache->dir.folder;
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].unread)
            return jw_path_join(a, m->cache->dir.folder, jw_cache_name(l->files[i].name).text);
    return NULL;
}

/* This user's own file or folder, whose mode keeps the user out of the cache, or of a part of it: chmod mends it.
 * NULL: there is none. */
static const char *closed_by_mode(const struct jw_doctor_machine *m, struct jw_arena *a)
{
    const char *path = m->who.root || !m->cache->dir.folder ? NULL : jw_cache_closed(&m->place, a);

    if (path || m->who.root || !m->cache->dir.folder)
        return path;
    path = unread(m, a);
    return path && jw_cache_is_closed(path, a) ? path : NULL;
}

static bool made_by_root(const struct jw_doctor_machine *m, struct jw_arena *a)
{
    const char *cache = m->cache->dir.folder;
    const char *const parts[] = { cache, cache ? jw_path_join(a, cache, "index") : NULL,
                                  cache ? unread(m, a) : NULL };
    struct jw_trust trust;
    struct jw_err ignored;

    for (size_t i = 0; i < JW_COUNT(parts); i++)
        if (parts[i] && jw_trust_read(parts[i], a, &trust, &ignored) && trust.exists
            && jw_text_same(trust.owner, "root"))
            return true;
    return false;
}

/* Finds the folder in the user's home that holds root's cache. A mounted one cannot be renamed. */
static void find_aside(struct jw_doctor_machine *m, struct jw_arena *a)
{
    const char *cache = m->cache->dir.folder, *folder = cache ? jw_path_dir(a, cache) : NULL;
    bool in_home = folder && m->who.home && strcmp(jw_path_dir(a, folder), m->who.home) == 0, may = false;
    const char *aside = in_home ? jw_arena_printf(a, "%s.of-root", folder) : NULL;
    const char *mount = m->place.mount;
    struct jw_err ignored;

    if (!in_home || !m->made_by_root || m->who.root || m->windows || !jw_is_absent(aside)
        || (mount && (strcmp(mount, folder) == 0 || jw_path_below(mount, folder)))
        || !jw_dir_may_add(m->who.home, &may, &ignored) || !may)
        return;
    m->of_root = folder;
    m->aside = aside;
}

static bool has_line(const char *text, const char *line)
{
    size_t n = strlen(line);

    for (const char *at = strstr(text, line); at; at = strstr(at + n, line))
        if ((at == text || at[-1] == '\n') && (at[n] == '\n' || !at[n]))
            return true;
    return false;
}

/* The package that dpkg has for this file: NVIDIA's and CUDA's are asked. NULL: none of them. */
static const char *package_of(const char *path, const char *sysroot, struct jw_arena *a)
{
    static const char *const names[] = { "*nvidia*.list", "*cuda*.list" };
    const char *folder = jw_arena_printf(a, "%s/var/lib/dpkg/info", sysroot), *package = NULL;
    struct jw_notes unread = { 0 };
    struct jw_err ignored;

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const struct jw_listing lists = jw_listing_read(folder, names[i], a, &unread);

        for (size_t k = 0; k < lists.n && !package; k++) {
            struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
            bool found = false;

            if (jw_file_slurp(jw_path_join(a, folder, lists.names[k]), &text, &found, &ignored) && found
                && has_line(jw_buf_cstr(&text), path))
                package = jw_arena_text(a, lists.names[k], strlen(lists.names[k]) - strlen(".list"));
            jw_buf_free(&text);
        }
    }
    return package;
}

static const char *package_of_truncated(const struct jw_doctor_machine *m, const char *sysroot,
                                        struct jw_arena *a)
{
    const char *path = m->probe.truncated          ? m->probe.driver.library
                       : m->probe.compiler.lacking ? m->probe.compiler.path
                                                   : NULL,
               *real;
    struct jw_err ignored;

    return path && !m->windows && jw_real_path(path, a, &real, &ignored) ? package_of(real, sysroot, a)
                                                                         : NULL;
}

/* GPUs that only programs of a fresh login see are of this machine, too. */
static bool add_login_gpus(struct jw_session *s, struct jw_doctor_machine *out, struct jw_err *err)
{
    struct jw_probe_report *probe = &out->probe;
    const struct jw_login_gpus *there;
    struct jw_device *all;

    if (!jw_session_login_gpus(s, &there, err))
        return false;
    out->login_gpus = *there;
    all = jw_arena_alloc(s->a, (probe->n_devices + there->n + 1) * sizeof *all);
    if (probe->n_devices)
        memcpy(all, probe->devices, probe->n_devices * sizeof *all);
    for (size_t i = 0; i < there->n; i++)
        all[probe->n_devices++] = there->v[i];
    probe->devices = all;
    out->shows = there->shown;
    return true;
}

bool jw_doctor_gather(struct jw_session *s, struct jw_doctor_machine *out, struct jw_status_report *cache,
                      struct jw_err *err)
{
    const char *sysroot = jw_session_sysroot(s);
    const struct jw_probe_report *probe;
    const struct jw_login_env *login;
    struct jw_arena *a = s->a;

    *cache = (struct jw_status_report){ 0 };
    *out = (struct jw_doctor_machine){ .windows = jw_os_is_windows(),
                                       .shell = jw_shell_here(a),
                                       .asked = asked_for(a),
                                       .who = *jw_session_user(s),
                                       .host = *jw_session_gpus(s) };
    out->no_proc = !out->windows && !jw_is_folder("/proc/self");
    out->home_there = out->who.home && jw_is_folder(out->who.home);
    if (!out->windows)
        jw_container_look(sysroot, out->who.host, a, &out->container);
    jw_session_login_begin(s);
    if (!(jw_session_driver(s, &probe, err) && gather_env(a, &out->env, err)
          && gather_cache(s, out, cache, err) && jw_session_login(s, &login, err)))
        return false;
    out->closed = closed_by_mode(out, a);
    out->made_by_root = made_by_root(out, a);
    find_aside(out, a);
    out->has_sudo = !out->windows && jw_doctor_has_program("sudo");
    out->probe = *probe;
    if (!add_login_gpus(s, out, err))
        return false;
    out->package = package_of_truncated(out, sysroot, a);
    out->login = *login;
    out->without_path = jw_env_has("CUDA_CACHE_PATH") ? jw_session_without_path(s, a) : NULL;
    jw_login_compare(&out->login, a, &out->differs, &out->n_differs);
    if (!out->probe.driver.container)
        out->login_start = jw_login_start_of(&out->login, out->differs, out->n_differs, out->who.root, a);
    for (size_t i = 0; i < out->n_differs; i++) /* the same folder by another name */
        if (out->login_start.is == JW_LOGIN_AS_HERE && !out->probe.driver.container
            && strcmp(out->differs[i].name, "CUDA_CACHE_PATH") == 0 && !out->differs[i].terminal_agrees)
            out->differs[i--] = out->differs[--out->n_differs];
    if (s->cache && out->login_start.is != JW_LOGIN_KEEPS_NOTHING) /* no login is asked about that one */
        out->login_start = (struct jw_login_start){ 0 };
    jw_toolkits(sysroot, a, out->toolkits, &out->n_toolkits);
    if (out->probe.driver.container)
        gather_volumes(sysroot, a, out);
    return true;
}

/* ---- what can be run ---- */

bool jw_doctor_has_program(const char *name)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_err ignored;
    bool found = false;
    bool ok = jw_process_find(name, &path, &found, &ignored);

    jw_buf_free(&path);
    return !ok || found;
}

/* ---- what was looked at ---- */

static void note_cache(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_doctor_checked *out)
{
    const struct jw_status_report *r = m->cache;

    if (!r || !r->dir.folder) {
        jw_note(&out->unchecked, a, "the cache's folder: there is none");
        return;
    }
    if (m->place.unasked)
        jw_note(&out->unchecked, a, "all of the cache's folder: %s", m->place.unasked);
    jw_note(&out->checked, a, "the cache: %s by %s first bytes (jitwarm status --check reads all)",
            JW_N(r->files.entries, "entry", "entries"), r->files.entries == 1 ? "its" : "their");
}

void jw_doctor_checked(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_doctor_checked *out)
{
    jw_note(&out->checked, a, "the driver: its library, its start, a test of its compiler and cache");
    jw_note(&out->checked, a, "the GPUs: whether the driver drives each, and who may use them");
    jw_note(&out->checked, a, "the settings of this environment");
    note_cache(m, a, out);
    if (m->login.known)
        jw_note(&out->checked, a, "the settings of a fresh login%s%s", m->login.shell ? ", by " : "",
                m->login.shell ? m->login.shell : "");
    else
        jw_note(&out->unchecked, a, "the settings of a fresh login%s%s", m->login.why ? ": " : "",
                m->login.why ? m->login.why : "");
    if (m->login.silent == JW_SILENT_TERMINAL)
        jw_note(&out->unchecked, a, "the settings of a new terminal: %s", m->login.why_silent);
}
