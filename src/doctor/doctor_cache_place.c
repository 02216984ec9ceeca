#include "base/path.h"
#include "base/text.h"
#include "doctor/doctor_words.h"

#include <string.h>

#define PATH "CUDA_CACHE_PATH"

static const char kept_nowhere[] = "nothing is cached: programs compile at every start";

static const char *cache_of(const struct jw_doctor_machine *m)
{
    return m->cache->dir.folder;
}

/* "CUDA_CACHE_PATH=/x", or the default place. */
static const char *where(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_setting_value *from = &m->cache->dir.folder_from;

    if (from->value && strcmp(from->origin, PATH) == 0)
        return doctor_where_set(m, PATH, from->value, f);
    if (from->value)
        return jw_fmt(f, "the cache is %s (%s)", cache_of(m), from->origin);
    return jw_fmt(f, "the cache is %s, the driver's default place", cache_of(m));
}

/* ---- the value ---- */

static void no_home(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *name = m->windows ? "APPDATA" : "HOME";
    const char *home = m->who.home ? m->who.home : m->who.root ? "/root" : NULL;
    bool service = !m->windows && (m->who.service || !home); /* its home may be one that does not exist */

    JW_FINDING(
        f, .id = "cache-no-home", .severity = JW_WARNING, .subject = name,
        .text = jw_fmt(f, "the driver has no place for its cache: %s is not set", name),
        .evidence = jw_fmt(f, "%s is not set, and neither is " PATH, name), .consequence = kept_nowhere,
        .fix = m->windows ? "log in as a user, or name a folder:"
               : service  ? "name a folder where the service is started (systemd: Environment= in its unit):"
                          : "set HOME where the program or service is started:",
        .command = m->windows         ? doctor_own_folder(m, f)
                   : m->prime_command ? m->prime_command
                   : service          ? doctor_own_folder(m, f)
                                      : doctor_set_command(m, "HOME", home, f));
}

static const char relative_path[] = "the path of the cache is relative",
                  many_caches[] =
                      "programs started in different folders have different caches, and compile again";

static void relative(const struct jw_doctor_machine *m, const char *path, struct jw_findings *f)
{
    bool tilde = path[0] == '~';

    JW_FINDING(f, .id = "cache-path-relative", .severity = JW_WARNING, .subject = PATH,
               .text = tilde ? "the path of the cache begins with ~, which only shells understand"
                             : relative_path,
               .evidence = doctor_where_set(m, PATH, path, f), .consequence = many_caches,
               .fix = doctor_how_to_set(m, PATH, NULL, f), .command = doctor_other_place(m, f));
}

static void value(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *set = doctor_variable(m, PATH);

    if (!cache_of(m)) {
        no_home(m, f);
        return;
    }
    if (!set || jw_cachedir_is_named(&m->cache->dir))
        return;
    if (!*set || !jw_utf8_valid((struct jw_bytes){ (const uint8_t *)set, strlen(set) }))
        JW_FINDING(
            f, .id = "cache-path-junk", .severity = JW_WARNING, .subject = PATH,
            .text = *set ? PATH " is not valid text" : PATH " is set, but empty",
            .evidence = doctor_where_set(m, PATH, set, f),
            .consequence = *set ? "it is not known where the driver puts its cache then" : kept_nowhere,
            .fix = doctor_how_to_set(m, PATH, NULL, f), .command = doctor_set_command(m, PATH, NULL, f));
    else if (!jw_path_absolute(set))
        relative(m, set, f);
}

/* ---- the folder ---- */

void doctor_cache_finding(const struct jw_doctor_machine *m, struct jw_findings *f, struct jw_finding one)
{
    one.subject = cache_of(m);
    one.evidence = one.evidence ? one.evidence : where(m, f);
    jw_finding_add(f, one);
}

/* True: the path is not a folder, and was reported. */
static bool a_file(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_cache_place *p = &m->place;

    if (p->nearest_folder)
        return false;

    bool rename = doctor_may_rename(m, p->nearest);

    CACHE_FINDING(m, f, .id = "cache-path-file", .severity = JW_WARNING,
                  .text = jw_fmt(f, "the cache's path is not a folder: %s", p->nearest),
                  .consequence = kept_nowhere, .fix = rename ? "rename it:" : doctor_other_place_fix(m, f),
                  .command = rename ? DOCTOR_COMMAND(m, f, m->windows ? "move" : "mv", p->nearest,
                                                     jw_fmt(f, "%s.old", p->nearest))
                                    : doctor_other_place(m, f));
    return true;
}

/* True: no file can be made there, whatever the rights say, and that was reported. */
static bool of_the_kernel(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_cache_place *p = &m->place;

    if (!p->disk_known || p->disk.kind != JW_DISK_KERNEL)
        return false;
    CACHE_FINDING(
        m, f, .id = "cache-path-unwritable", .severity = JW_WARNING,
        .text = jw_fmt(
            f, "the cache's path is in %s, where the kernel shows itself%s%s%s: no file can be made there",
            p->mount ? p->mount : p->nearest, p->type ? " (" : "", p->type ? p->type : "",
            p->type ? ")" : ""),
        .consequence = kept_nowhere, .fix = doctor_other_place_fix(m, f),
        .command = doctor_other_place(m, f));
    return true;
}

static void cannot_write(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_cache_place *p = &m->place;
    const char *folder = p->nearest;
    struct jw_finding one = {
        .id = "cache-path-unwritable",
        .severity = JW_WARNING,
        .text = p->exists ? jw_fmt(f, "you may not write to the cache's folder %s", folder)
                : p->hidden
                    ? jw_fmt(f, "you may not look into %s, where the cache is", folder)
                    : jw_fmt(f, "the cache's folder does not exist, and you may not make it in %s", folder),
        .consequence = !p->exists         ? kept_nowhere
                       : p->finds_nothing ? "the driver opens the cache's index for writing, too, and finds "
                                            "nothing where it may not: programs compile at every start"
                                          : "existing entries are used, but nothing new is cached: programs "
                                            "compile the rest at every start"
    };

    if (m->closed && (p->hidden || m->cache->list.refused)) {
        one.fix = "it is yours; open it for yourself:";
        one.command = doctor_open(m, f);
    } else if (p->disk_known && p->disk.read_only) {
        one.id = "cache-path-readonly";
        one.text = jw_fmt(f, "the cache is on a read-only file system (%s)", folder);
        one.fix = doctor_local_place_fix(m, f);
        one.command = doctor_local_place(m, f);
    } else if (p->exists && p->trust.owner && !m->windows) {
        one.evidence = jw_fmt(f, "%s; it belongs to %s", where(m, f), p->trust.owner);
        one.fix = doctor_right_owner_fix(m, f);
        one.command = doctor_right_owner(m, f);
    } else if (p->exists && !doctor_is_plainly_the_cache(m)) {
        one.fix = doctor_other_place_fix(m, f);
        one.command = doctor_other_place(m, f);
    } else if (p->exists && m->who.root) {
        one.fix = "root may not write there: an attribute or a security policy forbids it; chattr -i removes "
                  "the attribute that this shows as i:";
        one.command = DOCTOR_COMMAND(m, f, "lsattr", "-d", folder);
    } else if (p->exists && !m->windows) {
        one.fix = "open it for yourself:";
        one.command = DOCTOR_COMMAND(m, f, "chmod", "-R", "u+rwX", folder);
    } else {
        one.fix = doctor_local_place_fix(m, f);
        one.command = doctor_local_place(m, f);
    }
    doctor_cache_finding(m, f, one);
}

/* The driver makes ComputeCache and what is above it, as far as was tried; a path of one's own with a typing error is
 * made, too. */
/* Linux' drivers make the folder, and those above it. driver-fact: F32-delete-is-safe */
static void missing(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_cache_place *p = &m->place;

    if (!m->windows || p->exists || !m->cache->dir.folder_from.value || m->cache->primed.emptied
        || !jw_path_absolute(cache_of(m)))
        return;
    CACHE_FINDING(m, f, .id = "cache-path-missing", .severity = JW_NOTE,
                  .text = jw_fmt(f, "the cache's folder %s does not exist yet", cache_of(m)),
                  .consequence =
                      "the driver may create it at the first start; it is not known whether it also "
                      "creates parent folders",
                  .fix = "make it:", .command = DOCTOR_COMMAND(m, f, "mkdir", cache_of(m)));
}

static void network(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_cache_place *p = &m->place;

    CACHE_FINDING(
        m, f, .id = "cache-path-network", .severity = JW_WARNING,
        .text = jw_fmt(f, "the cache is on a network file system%s%s%s", p->type ? " (" : "",
                       p->type ? p->type : "", p->type ? ")" : ""),
        .consequence =
            "starts wait for the network, and machines with other drivers or GPUs share the cache's limit",
        .fix = doctor_local_place_fix(m, f), .command = doctor_local_place(m, f));
}

static void memory(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    CACHE_FINDING(m, f, .id = "cache-path-memory", .severity = JW_WARNING,
                  .text = jw_fmt(f, "the cache is in memory (%s)", m->place.type ? m->place.type : "tmpfs"),
                  .consequence =
                      "it is lost when the machine or container restarts, and it uses memory until then",
                  .fix = doctor_local_place_fix(m, f), .command = doctor_local_place(m, f));
}

/* `small`: for what is needed, even if it were empty. */
static void full_disk(const struct jw_doctor_machine *m, const char *text, bool small, struct jw_findings *f)
{
    const struct jw_cache_place *p = &m->place;

    CACHE_FINDING(m, f, .id = "cache-disk-full", .of_status = true, .severity = JW_WARNING, .text = text,
                  .consequence = "newly compiled code is not cached, or is cut off",
                  .fix = small ? doctor_own_folder_fix(m) : "free space; this shows what fills the disk:",
                  .command = m->windows ? NULL
                             : small    ? doctor_own_folder(m, f)
                                        : jw_fmt(f, "du -xh -d 2 %s | sort -h | tail",
                                                 doctor_quoted(m, p->mount ? p->mount : p->nearest, f)));
}

void jw_doctor_room(const struct jw_doctor_machine *m, uint64_t need, struct jw_findings *f)
{
    const struct jw_disk *d = &m->place.disk;
    uint64_t spare = jw_disk_spare(d), room = d->free > spare ? d->free - spare : 0;

    if (m->place.path && m->place.disk_known && d->total && !d->read_only && need > room
        && !jw_finding_of(f, "cache-disk-full"))
        full_disk(m,
                  jw_fmt(f,
                         "the disk of the cache has no room for all that is to be compiled: that is %s, and "
                         "%s of %s are free",
                         JW_SIZE(need), JW_SIZE(d->free), JW_SIZE(d->total)),
                  jw_cache_fits_elsewhere(d, need, m->room_elsewhere), f);
}

static void disk(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_disk *d = &m->place.disk;

    if (!m->place.disk_known)
        return;
    if (d->free < jw_disk_spare(d) && d->total && !d->read_only)
        full_disk(m,
                  jw_fmt(f, "the disk of the cache is full: %s of %s are free", JW_SIZE(d->free),
                         JW_SIZE(d->total)),
                  false, f);
    if (d->kind == JW_DISK_NETWORK)
        network(m, f);
    if (d->kind == JW_DISK_MEMORY && !d->read_only)
        memory(m, f);
}

/* ---- whose it is ---- */

/* The owner's name as sudo takes it: "#1000" for a user without one. */
static const char *as_owner(const struct jw_trust *t, struct jw_findings *f)
{
    return jw_text_starts(t->owner, "user ") ? jw_fmt(f, "#%s", t->owner + 5) : t->owner;
}

/* Root does not take a user's cache away: it works in its own home, or as that user. */
static const char *as_its_owner(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *home = doctor_variable(m, "HOME");

    if (!m->cache->dir.folder_from.value && home && m->who.home && strcmp(home, m->who.home) != 0)
        return doctor_set_in_shell(m, "HOME", m->who.home, f);
    return DOCTOR_COMMAND(m, f, "sudo", "-H", "-u", as_owner(&m->place.trust, f), "jitwarm", "doctor");
}

static void trust(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_trust *t = &m->place.trust;
    const char *folder = doctor_quoted(m, cache_of(m), f);
    bool ours = doctor_is_plainly_the_cache(m), for_user = m->who.root && !m->windows;

    if (t->owner && m->place.may_write)
        CACHE_FINDING(m, f, .id = "cache-owner", .severity = JW_WARNING,
                      .text = jw_fmt(f, "the cache's folder belongs to %s, not to you", t->owner),
                      .consequence =
                          "the owner of this folder controls the GPU code that your programs run, and "
                          "you may be unable to read files that the owner creates",
                      .fix = for_user ? "root has its own cache; with that of a user, work as that user:"
                             : m->windows && ours ? "make it yours, if no other user needs it:"
                                                  : doctor_right_owner_fix(m, f),
                      .command = for_user               ? as_its_owner(m, f)
                                 : !m->windows || !ours ? doctor_right_owner(m, f)
                                 : t->fix_command && !t->writers && !m->who.root
                                     ? t->fix_command
                                     : jw_fmt(f, "icacls %s /setowner \"%%USERNAME%%\" /T", folder));
    if (t->writers && !(m->place.disk_known && m->place.disk.read_only))
        CACHE_FINDING(
            m, f, .id = "cache-writable-by-others", .of_status = true, .severity = JW_WARNING,
            .text = jw_fmt(f, "%s may write to the cache's folder", t->writers),
            .consequence = "anyone who can put a file there controls the GPU code that your programs run",
            .fix = ours ? "close it:" : doctor_other_place_fix(m, f),
            /* Everyone, Authenticated Users, Users: by SID, because their names are localized. */
            .command = !ours            ? doctor_other_place(m, f)
                       : t->fix_command ? t->fix_command
                       : m->windows     ? jw_fmt(
                                 f, "icacls %s /inheritance:d /remove:g *S-1-1-0 *S-1-5-11 *S-1-5-32-545", folder)
                                    : jw_fmt(f, "chmod go-w %s", folder));
}

/* sudo or a service may leave another user's HOME. */
static void home(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *set = doctor_variable(m, "HOME"), *recorded = m->who.home;
    bool of_home = !m->cache->dir.folder_from.value;

    if (m->windows || !of_home || !set || !*set || !recorded || *recorded != '/'
        || strcmp(set, recorded) == 0)
        return;
    if (m->who.behind_home && strcmp(set, m->who.behind_home) == 0)
        return; /* sudo -E: root_user() reports it */
    if (!m->home_there)
        return; /* a service's account: it has none */
    if (!jw_path_absolute(set)) {
        JW_FINDING(f, .id = "cache-path-relative", .severity = JW_WARNING, .subject = "HOME",
                   .evidence = jw_fmt(f, "HOME=%s", set), .text = relative_path, .consequence = many_caches,
                   .fix = "for this shell:", .command = doctor_set_command(m, "HOME", recorded, f));
        return;
    }
    CACHE_FINDING(m, f, .id = "cache-home-differs", .severity = JW_NOTE,
                  .evidence = jw_fmt(f, "HOME=%s; the user database says %s", set, recorded),
                  .text = "HOME is not this user's home, and the cache follows HOME",
                  .consequence = "programs that this user starts after a login have another cache",
                  .fix = "if that is not meant, for this shell:",
                  .command = doctor_set_command(m, "HOME", recorded, f));
}

static void root_user(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *home_set = doctor_variable(m, "HOME");
    bool of_caller = home_set && m->who.behind_home && strcmp(home_set, m->who.behind_home) == 0;

    if (!m->who.root || !m->who.behind || m->cache->dir.folder_from.value)
        return;
    CACHE_FINDING(
        m, f, .id = "cache-root-user", .severity = JW_WARNING,
        .evidence = jw_fmt(f, "this is root, called by %s; HOME=%s", m->who.behind, home_set ? home_set : ""),
        .text = of_caller ? jw_fmt(f, "root uses the cache of %s", m->who.behind)
                          : jw_fmt(f, "this is root's cache, and not that of %s", m->who.behind),
        .consequence = of_caller ? jw_fmt(f, "%s cannot read files that root creates there", m->who.behind)
                                 : jw_fmt(f, "programs of %s do not use what root compiles", m->who.behind),
        .fix = "run it as that user:",
        .command = jw_fmt(f, "sudo -H -u %s jitwarm doctor", doctor_quoted(m, m->who.behind, f)));
}

static void service_user(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (!m->who.service || m->cache->dir.folder_from.value)
        return;
    CACHE_FINDING(m, f, .id = "cache-service-user", .severity = JW_NOTE, .evidence = m->who.service,
                  .text = "this is the cache of a service, not of a user who logs in",
                  .consequence = "the service and users do not share compiled code",
                  .fix = m->windows
                             ? "set CUDA_CACHE_PATH for the service; for all services (as administrator):"
                             : "warm it as that user, or set CUDA_CACHE_PATH in the unit of the service "
                               "(systemctl edit, with its name)",
                  .command = m->windows ? "setx /M CUDA_CACHE_PATH %ProgramData%\\ComputeCache" : NULL);
}

/* ---- places that do not last ---- */

static void windows(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    bool by_default = !m->cache->dir.folder_from.value;

    if (m->who.roaming && by_default)
        CACHE_FINDING(
            m, f, .id = "cache-roaming", .severity = JW_WARNING, .evidence = m->who.roaming,
            .text = "the cache is in a roaming profile",
            .consequence = "login and logout copy the cache over the network, and other machines get code "
                           "for other GPUs",
            .fix = "keep it on this machine, and restart programs:", .command = doctor_own_folder(m, f));
    for (size_t i = 0; i < m->n_store_pythons && by_default; i++)
        JW_FINDING(f, .id = "cache-store-python", .severity = JW_WARNING, .subject = m->store_pythons[i],
                   .evidence = m->store_pythons[i],
                   .text = "Python from the Microsoft Store has its own cache",
                   .consequence = "it does not find what other programs or jitwarm compiled",
                   .fix = "use a folder outside of AppData\\Roaming:",
                   .command = "setx " PATH " %USERPROFILE%\\ComputeCache");
}

void jw_doctor_cache_place(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (!m->cache)
        return;
    value(m, f);
    if (!cache_of(m))
        return;
    root_user(m, f);
    home(m, f);
    service_user(m, f);
    windows(m, f);
    if (!m->place.path || a_file(m, f) || of_the_kernel(m, f))
        return;
    if (!m->place.may_write)
        cannot_write(m, f);
    else
        missing(m, f);
    disk(m, f);
    trust(m, f);
}

void jw_doctor_container(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (!m->cache || !cache_of(m) || !m->place.path || !m->place.nearest_folder)
        return;
    if (!m->probe.driver.container || !m->place.disk_known || !m->place.with_system
        || m->place.disk.kind != JW_DISK_LOCAL)
        return;
    const char *fix = doctor_volume_fix(m, f), *command = doctor_volume_command(m, f);

    /* LXC and systemd-nspawn keep their containers, as a rule. */
    CACHE_FINDING(m, f, .id = "cache-container",
                  .severity = m->container.engine == JW_CONTAINER_UNKNOWN ? JW_NOTE : JW_WARNING,
                  .evidence = jw_fmt(f, "%s is on the file system of the container itself", cache_of(m)),
                  .text = "the cache is inside this container, not on a volume",
                  .consequence = "each new container compiles everything again", .fix = fix,
                  .command = command);
}

/* ---- would prime begin? ---- */

static struct jw_finding *first_warning(const struct jw_findings *f, const char *const *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct jw_finding *one = jw_finding_of(f, ids[i]);

        if (one && one->severity >= JW_WARNING)
            return one;
    }
    return NULL;
}

struct jw_finding *jw_doctor_not_kept(const struct jw_findings *f)
{
    static const char *const ids[] = { "cache-no-home",       "cache-path-file",       "cache-path-missing",
                                       "cache-path-readonly", "cache-path-unwritable", "cache-disk-full" };
    struct jw_finding *path = jw_finding_of(f, "cache-path-junk");

    return path && path->consequence == kept_nowhere ? path : first_warning(f, ids, JW_COUNT(ids));
}

/* Each has the remedy for what prime would stop at. */
static bool is_said(const struct jw_doctor_machine *m, const struct jw_findings *f)
{
    static const char *const ids[] = {
        "cache-disabled",  "cache-path-junk",          "cache-path-relative",
        "cache-root-user", "setting-forces-compiling", "setting-forbids-compiling",
        "compiling-off",   "setting-differs-at-login"
    };

    if (m->closed && jw_finding_of(f, "cache-unreadable"))
        return true;
    if (m->prime_blocked) /* the findings above have another remedy */
        return jw_finding_of(f, "cache-no-home") || jw_finding_of(f, "cache-disk-full")
               || jw_finding_of(f, "cache-writable-by-others");
    return first_warning(f, ids, JW_COUNT(ids)) || jw_doctor_not_kept(f);
}

void jw_doctor_prime(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (m->prime_runs)
        JW_FINDING(f, .id = "prime-running", .severity = JW_NOTE, .subject = "jitwarm prime",
                   .text = "a prime works on this cache now", .evidence = m->prime_stops,
                   .consequence = "modules that it has not compiled yet are still compiled at a start",
                   .fix = "let it end; this shows how far it is:", .command = "jitwarm status");
    else if (m->prime_stops && !is_said(m, f))
        JW_FINDING(f, .id = "prime-stops", .of_status = true, .severity = JW_PROBLEM,
                   .subject = "jitwarm prime",
                   .text = jw_fmt(f, "jitwarm prime would stop at its first step: %s", m->prime_stops),
                   .consequence = "nothing can be compiled ahead of time until this is mended",
                   .fix = m->prime_command ? NULL : "mend that first", .command = m->prime_command);
}
