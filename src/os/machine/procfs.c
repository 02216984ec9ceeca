#include "os/machine/procfs.h"

#include <stdio.h>
#include <string.h>

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static const char *past_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* A number of digits only; false for none or too many. */
static bool number_at(const char **at, uint64_t *out)
{
    const char *p = *at;

    *out = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');

        if (*out > (UINT64_MAX - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    if (p == *at)
        return false;
    *at = p;
    return true;
}

bool jw_procfs_number(const char *text, const char *name, uint64_t *out)
{
    size_t n = strlen(name);

    for (const char *at = text; *at; at = next_line(at)) {
        const char *value = at + n;

        if (strncmp(at, name, n) != 0 || (*value != ':' && *value != ' '))
            continue;
        value = past_blanks(value + 1);
        if (!number_at(&value, out))
            return false;
        if (strncmp(past_blanks(value), "kB", 2) != 0)
            return true;
        if (*out > UINT64_MAX / 1024)
            return false;
        *out *= 1024;
        return true;
    }
    return false;
}

bool jw_procfs_pressure(const char *text, unsigned *out)
{
    static const char begin[] = "some avg10=";
    uint64_t whole, cents;

    for (const char *at = text; *at; at = next_line(at)) {
        if (strncmp(at, begin, sizeof begin - 1) != 0)
            continue;
        at += sizeof begin - 1;
        if (!number_at(&at, &whole) || whole > 100 || *at++ != '.' || !number_at(&at, &cents) || cents > 99)
            return false;
        *out = (unsigned)(whole * 100 + cents);
        return true;
    }
    return false;
}

/* "PID (NAME) STATE ..."; the name may hold blanks and parentheses, and the 22nd field is the beginning. */
bool jw_procfs_stat(const char *text, char *state, uint64_t *began)
{
    enum { STATE = 3, BEGAN = 22 };
    const char *at = strrchr(text, ')');

    if (!at || at[1] != ' ' || !at[2])
        return false;
    *state = at[2];
    at += 2;
    for (unsigned field = STATE; field < BEGAN; field++) {
        at = strchr(at, ' ');
        if (!at++)
            return false;
    }
    return number_at(&at, began);
}

bool jw_procfs_cpu(const char *text, uint64_t *hundredths)
{
    enum { STATE = 3, USER = 14 };
    const char *at = strrchr(text, ')');
    uint64_t user, system;

    if (!at || at[1] != ' ' || !at[2])
        return false;
    at += 2;
    for (unsigned field = STATE; field < USER; field++) {
        at = strchr(at, ' ');
        if (!at++)
            return false;
    }
    if (!number_at(&at, &user) || *at++ != ' ' || !number_at(&at, &system))
        return false;
    *hundredths = user + system; /* Linux shows them so, whatever its own clock is */
    return true;
}

bool jw_procfs_parent(const char *text, unsigned long *pid)
{
    const char *at = strrchr(text, ')');
    uint64_t number;

    if (!at || at[1] != ' ' || !at[2] || at[3] != ' ')
        return false;
    at += 4;
    if (!number_at(&at, &number))
        return false;
    *pid = (unsigned long)number;
    return true;
}

/* "36 35 98:0 /root /mount options optional... - TYPE source options" */
/* The n-th field of a line, with blanks between them; its length. */
static size_t field_of(const char *line, unsigned n, const char **at)
{
    for (*at = line; n; n--) {
        *at += strcspn(*at, " \n");
        *at += **at == ' ';
    }
    return strcspn(*at, " \n");
}

static bool is_of_system(const char *point)
{
    static const char *const tops[] = { "/proc", "/sys", "/dev", "/etc", "/run", "/usr" };

    if (strcmp(point, "/") == 0)
        return true;
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        size_t n = strlen(tops[i]);

        if (strncmp(point, tops[i], n) == 0 && (point[n] == '/' || !point[n]))
            return true;
    }
    return false;
}

/* Nothing that a program writes there lies on a disk. A tmpfs may be a volume, which its reader judges. */
static bool is_of_kernel(const char *type)
{
    static const char *const types[] = { "overlay", "proc",       "sysfs",   "devtmpfs",  "devpts",
                                         "mqueue",  "cgroup",     "cgroup2", "hugetlbfs", "securityfs",
                                         "debugfs", "bpf",        "tracefs", "configfs",  "fusectl",
                                         "autofs",  "nsfs",       "pstore",  "efivarfs",  "rpc_pipefs",
                                         "ramfs",   "binfmt_misc" };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

/* "36 35 98:0 /source /point rw,noatime master:1 - ext3 /dev/root rw" */
void jw_procfs_volumes(const char *text,
                       void (*see)(void *ctx, const char *point, const char *type, bool writable), void *ctx)
{
    enum { POINT = 4, OPTIONS = 5, ROOM = 4096 };

    for (const char *line = text; *line; line = next_line(line)) {
        char point[ROOM], type[64];
        const char *at, *dash = strstr(line, " - ");
        size_t n = field_of(line, POINT, &at), all = strcspn(line, "\n");

        if (!dash || dash >= line + all || n == 0 || n >= sizeof point || memchr(at, '\\', n))
            continue; /* a blank is written as \040 */
        (void)snprintf(point, sizeof point, "%.*s", (int)n, at);
        (void)snprintf(type, sizeof type, "%.*s", (int)strcspn(dash + 3, " \n"), dash + 3);
        (void)field_of(line, OPTIONS, &at);
        if (!is_of_system(point) && !is_of_kernel(type))
            see(ctx, point, type, strncmp(at, "rw", 2) == 0);
    }
}

bool jw_procfs_mount_type(const char *text, unsigned major, unsigned minor, struct jw_buf *type)
{
    char device[32];

    (void)snprintf(device, sizeof device, " %u:%u ", major, minor);
    for (const char *at = text; *at; at = next_line(at)) {
        size_t n = strcspn(at, "\n");
        const char *number = strstr(at, device), *dash = strstr(at, " - ");
        size_t before = strcspn(at, " ");

        /* The two first fields must precede it; elsewhere it is part of another field. */
        before += before < n ? 1 + strcspn(at + before + 1, " ") : 0;
        if (number != at + before || !dash || dash >= at + n)
            continue;
        dash += 3;
        jw_buf_add(type, dash, strcspn(dash, " \n"));
        return !type->bad;
    }
    return false;
}
