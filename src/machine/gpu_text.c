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
    struct jw_gpu gpu = { 0 };

    if (!jw_gpu_parse(id, &gpu, JW_IGNORED)) {
        gpu = (struct jw_gpu){ 0 };
        (void)snprintf(gpu.name, sizeof gpu.name, "NVIDIA device %.60s", id);
    }
    return gpu;
}

/* Chips with an integrated GPU, by device-tree name and soc_id. */
static const struct chip {
    const char *tree, *number, *name;
    uint16_t sm;
} chips[] = {
    { "nvidia,tegra210", "33", "NVIDIA Tegra X1", 53 },
    { "nvidia,tegra186", "24", "NVIDIA Tegra X2", 62 },
    { "nvidia,tegra194", "25", "NVIDIA Jetson Xavier", 72 },
    { "nvidia,tegra234", "35", "NVIDIA Jetson Orin", 87 },
    { "nvidia,tegra264", "38", "NVIDIA Jetson Thor", 110 },
};

static bool equals(struct jw_bytes b, const char *text)
{
    return b.n == strlen(text) && memcmp(b.p, text, b.n) == 0;
}

/* `of_tree`: by its name there, else by its number. */
static bool find_chip(struct jw_bytes word, bool of_tree, struct jw_gpu *out)
{
    for (size_t i = 0; i < JW_COUNT(chips); i++)
        if (equals(word, of_tree ? chips[i].tree : chips[i].number)) {
            *out = (struct jw_gpu){ .sm = chips[i].sm };
            (void)snprintf(out->name, sizeof out->name, "%s", chips[i].name);
            return true;
        }
    return false;
}

bool jw_gpu_of_device_tree(struct jw_bytes compatible, struct jw_gpu *out)
{
    for (size_t at = 0, n; at < compatible.n; at += n + 1) {
        const uint8_t *end = memchr(compatible.p + at, 0, compatible.n - at);

        n = end ? (size_t)(end - compatible.p) - at : compatible.n - at;
        if (find_chip((struct jw_bytes){ compatible.p + at, n }, true, out))
            return true;
    }
    return false;
}

static struct jw_bytes first_line(struct jw_bytes b)
{
    const uint8_t *end = b.n ? memchr(b.p, '\n', b.n) : NULL;

    return (struct jw_bytes){ b.p, end ? (size_t)(end - b.p) : b.n };
}

bool jw_gpu_of_soc(struct jw_bytes family, struct jw_bytes number, struct jw_gpu *out)
{
    return equals(first_line(family), "Tegra") && find_chip(first_line(number), false, out);
}

struct jw_gpu jw_gpu_of_proc(struct jw_bytes text)
{
    struct jw_bytes line = first_line(text);
    struct jw_gpu gpu = { 0 };
    char name[sizeof gpu.name] = "";

    if (jw_starts(line, "Model:")) {
        struct jw_bytes model = jw_text_trim((struct jw_bytes){ line.p + 6, line.n - 6 });

        (void)snprintf(name, sizeof name, "%.*s", (int)jw_min(model.n, sizeof name - 1),
                       (const char *)model.p);
    }
    if (!jw_gpu_parse(name, &gpu, JW_IGNORED))
        gpu = (struct jw_gpu){ 0 };
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
