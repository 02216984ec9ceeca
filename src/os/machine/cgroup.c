#include "os/machine/cgroup.h"

#include "os/machine/procfs.h"

#include <stdlib.h>
#include <string.h>

/* Whether `name` is one of the comma-separated words of [p, p + n). */
static bool has_word(const char *p, size_t n, const char *name)
{
    size_t len = strlen(name);

    for (size_t at = 0; at < n;) {
        const char *comma = memchr(p + at, ',', n - at);
        size_t word = comma ? (size_t)(comma - p) - at : n - at;

        if (word == len && memcmp(p + at, name, len) == 0)
            return true;
        at += word + 1;
    }
    return false;
}

/* Lines are "ID:CONTROLLERS:PATH". */
bool jw_cgroup_path(const char *listing, const char *controller, struct jw_buf *path)
{
    while (*listing) {
        size_t line = strcspn(listing, "\n");
        const char *words = memchr(listing, ':', line);
        const char *group = words ? memchr(words + 1, ':', line - (size_t)(words + 1 - listing)) : NULL;

        if (group) {
            size_t n = (size_t)(group - words) - 1;

            if (controller ? has_word(words + 1, n, controller) : n == 0 && *listing == '0') {
                jw_buf_add(path, group + 1, line - (size_t)(group + 1 - listing));
                return !path->bad;
            }
        }
        listing += line + (listing[line] == '\n');
    }
    return false;
}

bool jw_cgroup_up(char *path)
{
    char *name = strrchr(path, '/');

    if (name)
        *name = '\0';
    return name;
}

unsigned jw_cgroup_cpus(const char *quota, const char *period)
{
    long long q = strtoll(quota, NULL, 10), p = strtoll(period, NULL, 10);

    if (q <= 0 || p <= 0)
        return 0;

    long long cpus = q / p + (q % p != 0);

    return cpus > 65536 ? 0 : (unsigned)cpus;
}

unsigned jw_cgroup_cpus2(const char *cpu_max)
{
    const char *blank = strchr(cpu_max, ' ');

    return blank ? jw_cgroup_cpus(cpu_max, blank + 1) : 0; /* "max 100000": strtoll gives 0 for "max" */
}

/* A number with only a newline after it. Version 1 means "no limit" by the largest multiple of a page. */
uint64_t jw_cgroup_limit(const char *text)
{
    const uint64_t none = (uint64_t)1 << 62;
    char *end;
    unsigned long long n = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;

    return n >= none || (*end && *end != '\n') ? UINT64_MAX : n;
}

uint64_t jw_cgroup_used(const char *usage, const char *stat, const char *inactive)
{
    uint64_t used = jw_cgroup_limit(usage), idle = 0;

    if (used == UINT64_MAX)
        return 0;
    (void)jw_procfs_number(stat, inactive, &idle);
    return used > idle ? used - idle : 0;
}
