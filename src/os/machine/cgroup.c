#include "os/machine/cgroup.h"

#include "os/machine/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 256, LISTING = 16384, PATH = 8192, GROUP_PATH = 4096 };

/* Lines are "ID:CONTROLLERS:PATH"; version 2 has the ID 0. */
bool jw_cgroup_path(const char *listing, const char *controller, struct jw_buf *path)
{
    char words[WORDS], word[WORDS];

    (void)snprintf(word, sizeof word, ",%s,", controller ? controller : "-");
    for (size_t n; *listing; listing += n + (listing[n] == '\n')) {
        n = strcspn(listing, "\n");
        const char *from = memchr(listing, ':', n);
        const char *end = listing + n;
        const char *group = from ? memchr(from + 1, ':', (size_t)(end - from - 1)) : NULL;

        if (!group)
            continue;
        (void)snprintf(words, sizeof words, ",%.*s,", (int)(group - from - 1), from + 1);
        if (controller ? !strstr(words, word) : *listing != '0')
            continue;
        jw_buf_add(path, group + 1, (size_t)(end - group - 1));
        return !path->bad;
    }
    return false;
}

unsigned jw_cgroup_cpus(const char *quota, const char *period)
{
    long long q = strtoll(quota, NULL, 10); /* 0 for "max" */

    /* Version 2 has both in one file: "max 100000". */
    if (!period)
        period = strchr(quota, ' ');
    long long p = period ? strtoll(period, NULL, 10) : 0;

    if (q <= 0 || p <= 0)
        return 0;

    long long cpus = q / p + (q % p != 0);

    return cpus > 65536 ? 0 : (unsigned)cpus;
}

/* A number with only a newline after it. Version 1 has no limit where the number is huge. */
uint64_t jw_cgroup_limit(const char *text)
{
    const uint64_t none = (uint64_t)1 << 62;
    char *end;
    unsigned long long n = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;

    return n >= none || (*end && *end != '\n') ? UINT64_MAX : n;
}

uint64_t jw_cgroup_used(const char *usage, const char *stat, const char *inactive)
{
    uint64_t used = jw_cgroup_limit(usage);
    uint64_t idle = 0;

    if (used == UINT64_MAX)
        return 0;
    (void)jw_procfs_number(stat, inactive, &idle);
    return used > idle ? used - idle : 0;
}

bool jw_cgroup_read(const char *folder, const char *name, char *text, size_t room)
{
    char path[PATH];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);

    return n > 0 && (size_t)n < sizeof path && jw_procfs_read(path, text, room);
}

void jw_cgroup_walk(const char *sysroot, const char *mount, const char *controller,
                    void (*look)(void *ctx, const char *folder), void *ctx)
{
    char listing[LISTING], folder[PATH] = "";
    int n = snprintf(folder, sizeof folder - GROUP_PATH, "%s/sys/fs/cgroup%s", sysroot, mount);
    struct jw_buf group = {.p = (uint8_t *)folder + n, .cap = GROUP_PATH, .max = GROUP_PATH - 1};

    if (n < 0 || n >= PATH - GROUP_PATH
        || !jw_cgroup_read(sysroot, "proc/self/cgroup", listing, sizeof listing)
        || !jw_cgroup_path(listing, controller, &group))
        return;
    look(ctx, folder);
    for (char *name; (name = strrchr(folder + n, '/')) != NULL; look(ctx, folder))
        *name = '\0';
}
