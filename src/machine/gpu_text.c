#include "machine/gpu_text.h"

#include "base/num.h"
#include "base/text.h"
#include "facts/drivers.h"
#include "facts/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct jw_gpu jw_gpu_of_pci(const char *id)
{
    struct jw_gpu gpu = {0};

    if (!jw_gpu_parse(id, &gpu, JW_IGNORED)) {
        gpu = (struct jw_gpu){0};
        (void)snprintf(gpu.name, sizeof gpu.name, "NVIDIA device %.60s", id);
    }
    return gpu;
}

static struct jw_bytes first_line(struct jw_bytes b)
{
    const uint8_t *end = b.n ? memchr(b.p, '\n', b.n) : NULL;

    return (struct jw_bytes){b.p, end ? (size_t)(end - b.p) : b.n};
}

struct jw_gpu jw_gpu_of_proc(struct jw_bytes text)
{
    struct jw_bytes line = first_line(text);
    struct jw_gpu gpu = {0};
    char name[sizeof gpu.name] = "";

    if (jw_starts(line, "Model:")) {
        struct jw_bytes model = jw_text_trim((struct jw_bytes){line.p + 6, line.n - 6});

        (void)snprintf(name, sizeof name, "%.*s", (int)jw_min(model.n, sizeof name - 1),
                       (const char *)model.p);
    }
    if (!jw_gpu_parse(name, &gpu, JW_IGNORED))
        gpu = (struct jw_gpu){0};
    (void)snprintf(gpu.name, sizeof gpu.name, "%s", name);
    return gpu;
}

bool jw_driver_of_proc(struct jw_bytes text, char *out, size_t room)
{
    struct jw_bytes line = first_line(text);

    for (size_t i = 0, n; jw_starts(text, "NVRM version:") && i < line.n; i += n + 1) {
        for (n = 0; i + n < line.n && !jw_text_blank(line.p[i + n]);)
            n++;
        (void)snprintf(out, room, "%.*s", (int)jw_min(n, room), (const char *)line.p + i);
        if (n < room && strchr(out, '.') && strspn(out, "0123456789.") == n && jw_branch_of(out))
            return true;
    }
    return false;
}

bool jw_driver_of_windows(const char *text, char *out, size_t room)
{
    unsigned long part[4];
    char *end;

    for (unsigned i = 0; i < JW_COUNT(part); i++) {
        part[i] = strtoul(text, &end, 10);
        if (end == text || end - text > 4 || *end != (i < 3 ? '.' : '\0') || *text < '0')
            return false;
        text = end + 1;
    }

    int n = snprintf(out, room, "%lu%02lu.%02lu", part[2] % 10, part[3] / 100, part[3] % 100);

    return part[2] % 10 && n > 0 && (size_t)n < room;
}

bool jw_gpus_are_hidden(const char *visible, size_t listed)
{
    char *end;
    long long first;

    if (strncmp(visible, "GPU-", 4) == 0 || strncmp(visible, "MIG-", 4) == 0)
        return false;
    first = strtoll(visible, &end, 10);
    return end == visible || first < 0 || (listed && (unsigned long long)first >= listed);
}
