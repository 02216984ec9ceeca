#include "machine/trust.h"

#include "base/buf.h"
#include "machine/whoami.h"
#include "os/files/file.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The attribute system.posix_acl_access of Linux: u32 version 2, then for each entry u16 tag, u16
 * rights, u32 id, little-endian. With an ACL, the group bits of the mode are its mask: an upper
 * bound for all but owner and others. */
enum { ACL_VERSION = 2, ACL_HEAD = 4, ACL_ENTRY = 8, ACL_MAX = 4096, ACL_WRITE = 2 };
enum { ACL_USER = 0x02, ACL_GROUP_OF_FILE = 0x04, ACL_GROUP = 0x08, ACL_MASK = 0x10 };

static unsigned word(const uint8_t *p) { return p[0] | (unsigned)p[1] << 8; }

/* Is the user the only one with this primary group? The group's own list does not have these
 * members. A directory that does not list its accounts, the user's among them, proves nothing. */
static bool is_only_primary(gid_t gid, const struct jw_account *user)
{
    static pthread_mutex_t walk = PTHREAD_MUTEX_INITIALIZER; /* getpwent has one place for all */
    const struct passwd *entry;
    bool listed = !user->name;
    bool others = false;

    (void)pthread_mutex_lock(&walk);
    setpwent();
    while ((entry = getpwent()) != NULL) {
        bool same = entry->pw_uid == user->uid;

        listed |= same;
        others |= !same && entry->pw_uid != 0 && entry->pw_gid == gid;
    }
    endpwent();
    (void)pthread_mutex_unlock(&walk);
    return listed && !others;
}

/* Is it the user's private group? It has the user's name or number, and no other member. One
 * without an entry (fsGroup) has the user's number. */
static bool is_private_of(const struct group *group, gid_t gid, uid_t uid, struct jw_arena *a)
{
    struct jw_account user = {0};

    if (!jw_account_find(NULL, uid, a, &user))
        user = (struct jw_account){.uid = uid};
    bool named = group && user.name && strcmp(group->gr_name, user.name) == 0;

    if (!named && gid != uid)
        return false;
    for (char **member = group ? group->gr_mem : NULL; member && *member; member++)
        if (!user.name || strcmp(*member, user.name) != 0)
            return false;
    return is_only_primary(gid, &user);
}

/* The name of a file's group; NULL: the private group of the owner or of this user. */
static const char *shared_group(const struct stat *st, struct jw_arena *a)
{
    enum { ENTRY_ROOM = 1 << 16 };
    struct jw_arena own = {0};
    struct group entry, *group = NULL;
    const char *shared = NULL;

    int why = getgrgid_r(st->st_gid, &entry, jw_arena_alloc(&own, ENTRY_ROOM), ENTRY_ROOM, &group);

    bool unknown = why && why != ENOENT && why != ESRCH; /* else there is no such group */

    if (unknown
        || (!is_private_of(group, st->st_gid, st->st_uid, &own)
            && !is_private_of(group, st->st_gid, geteuid(), &own)))
        shared = group ? jw_arena_printf(a, "group %s", group->gr_name) : "its group";
    jw_arena_free(&own);
    return shared;
}

/* Finds the first entry of an ACL with write access that is neither the owner nor root. */
static void read_list(const uint8_t *p, size_t n, const struct stat *st, struct jw_arena *a,
                      struct jw_trust *out)
{
    for (size_t i = ACL_HEAD; i + ACL_ENTRY <= n; i += ACL_ENTRY) {
        unsigned tag = word(p + i);
        unsigned long id = word(p + i + 4) | (unsigned long)word(p + i + 6) << 16;

        if (!(word(p + i + 2) & ACL_WRITE))
            continue;
        bool other_user = tag == ACL_USER && id != st->st_uid && id != geteuid();

        if (id && (tag == ACL_GROUP || other_user)) {
            out->writers = jw_arena_printf(a, "%s %lu", tag == ACL_USER ? "user" : "group", id);
            return;
        }
        if (tag == ACL_GROUP_OF_FILE)
            out->writers = shared_group(st, a);
    }
}

/* Reads the attribute by `fd`, or by its /proc path if the descriptor is O_PATH. */
static ssize_t get_list(int fd, uint8_t *list, size_t max)
{
    static const char name[] = "system.posix_acl_access";
    struct jw_buf path = JW_BUF(64);
    ssize_t n = fgetxattr(fd, name, list, max);

    if (n < 0 && errno == EBADF) {
        jw_buf_printf(&path, "/proc/self/fd/%d", fd);
        n = getxattr(jw_buf_cstr(&path), name, list, max);
        jw_buf_free(&path);
    }
    return n;
}

/* Finds who can write by the group bits of the mode, or by the ACL behind them. */
static void check_group(int fd, const struct stat *st, struct jw_arena *a, struct jw_trust *out)
{
    uint8_t list[ACL_MAX];
    ssize_t n = get_list(fd, list, sizeof list);

    if (n >= ACL_HEAD && word(list) == ACL_VERSION)
        read_list(list, (size_t)n, st, a, out);
    else
        out->writers = n < 0 && errno == ERANGE ? "its group" : shared_group(st, a);
}

static bool check_open(int fd, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct stat st;

    *out = (struct jw_trust){0};
    if (fstat(fd, &st) != 0)
        return jw_sys_fail(err, errno);
    out->exists = true;
    out->uid = st.st_uid;
    out->sticky = S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX);
    if (st.st_mode & S_IWOTH)
        out->writers = "everybody";
    else if (st.st_mode & S_IWGRP)
        check_group(fd, &st, a, out);
    if (st.st_uid != geteuid())
        out->owner = st.st_uid ? jw_arena_printf(a, "user %lu", (unsigned long)st.st_uid) : "root";
    return true;
}

/* O_PATH needs no read permission and has no side effects. */
static bool read_path(const char *path, int flags, struct jw_arena *a, struct jw_trust *out,
                      struct jw_err *err)
{
    int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC | flags);

    *out = (struct jw_trust){0};
    if (fd < 0)
        return jw_sys_is_not_found(errno) || jw_sys_fail(err, errno);
    bool ok = check_open(fd, a, out, err);

    (void)close(fd);
    return ok;
}

bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    return read_path(path, 0, a, out, err);
}

bool jw_trust_read_open(const struct jw_folder *folder, struct jw_arena *a, struct jw_trust *out,
                        struct jw_err *err)
{
    return check_open((int)folder->handle, a, out, err);
}

bool jw_trust_file(const struct jw_file *f, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err)
{
    return check_open((int)f->handle, a, out, err);
}

/* The mode answers each question alike. A real path has no links: one that is there now is open to
 * all. */
bool jw_trust_step(const char *path, enum jw_trust_ask ask, struct jw_arena *a,
                   struct jw_trust *out, struct jw_err *err)
{
    (void)ask;
    return read_path(path, O_NOFOLLOW, a, out, err);
}
