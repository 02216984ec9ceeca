#include "machine/gpu_text.h"

#include "base/compiler.h"
#include "base/num.h"
#include "base/text.h"
#include "facts/drivers.h"
#include "facts/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool digit_of(char c, unsigned base, unsigned *digit)
{
    if (c >= '0' && c <= '9')
        *digit = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *digit = (unsigned)(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
        *digit = (unsigned)(c - 'A' + 10);
    else
        return false;
    return *digit < base;
}

/* Reads 1 to 8 digits (hexadecimal) or 9 (decimal) and advances `*at`. */
static bool read_digits(const char **at, unsigned base, uint32_t *out)
{
    unsigned digit, n = 0, max = base == 16 ? 8 : 9;
    uint32_t value = 0;

    while (n < max && digit_of(**at, base, &digit)) {
        value = value * base + digit;
        (*at)++;
        n++;
    }
    *out = value;
    return n > 0 && !digit_of(**at, base, &digit);
}

static bool skip_text(const char **at, const char *text)
{
    size_t n = strlen(text);

    if (strncmp(*at, text, n) != 0)
        return false;
    *at += n;
    return true;
}

static int order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

int jw_pci_compare(const void *a, const void *b)
{
    const struct jw_pci *x = a, *y = b;
    int by = order(x->domain, y->domain);

    by = by ? by : order(x->bus, y->bus);
    by = by ? by : order(x->device, y->device);
    return by ? by : order(x->function, y->function);
}

bool jw_pci_address(const char *text, struct jw_pci *out)
{
    return read_digits(&text, 16, &out->domain) && skip_text(&text, ":") && read_digits(&text, 16, &out->bus)
           && skip_text(&text, ":") && read_digits(&text, 16, &out->device) && skip_text(&text, ".")
           && read_digits(&text, 16, &out->function) && *text == '\0';
}

bool jw_pci_instance(const char *text, struct jw_pci *out)
{
    uint32_t vendor, id, subsystem;

    if (!skip_text(&text, "PCI\\VEN_") || !read_digits(&text, 16, &vendor) || !skip_text(&text, "&DEV_")
        || !read_digits(&text, 16, &id) || vendor > 0xffff || id > 0xffff)
        return false;
    out->vendor = (uint16_t)vendor;
    out->id = (uint16_t)id;
    out->sub_vendor = out->sub_id = 0;
    if (skip_text(&text, "&SUBSYS_") && read_digits(&text, 16, &subsystem)) {
        out->sub_id = (uint16_t)(subsystem >> 16);
        out->sub_vendor = (uint16_t)subsystem;
    }
    return true;
}

struct jw_gpu jw_gpu_of_pci(const struct jw_pci *pci)
{
    struct jw_gpu gpu = { 0 };

    if (!jw_gpu_by_pci(pci->id, pci->sub_vendor, pci->sub_id, &gpu)) {
        gpu = (struct jw_gpu){ 0 };
        (void)snprintf(gpu.name, sizeof gpu.name, "NVIDIA device 10de:%04x", pci->id);
    }
    gpu.device_id = pci->id;
    gpu.source = JW_GPU_HERE;
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

static struct jw_gpu gpu_of_chip(const struct chip *c)
{
    struct jw_gpu gpu = { .sm = c->sm, .source = JW_GPU_HERE };

    (void)snprintf(gpu.name, sizeof gpu.name, "%s", c->name);
    return gpu;
}

bool jw_gpu_of_device_tree(struct jw_bytes compatible, struct jw_gpu *out)
{
    size_t at = 0;

    while (at < compatible.n) {
        const uint8_t *end = memchr(compatible.p + at, 0, compatible.n - at);
        size_t n = end ? (size_t)(end - compatible.p) - at : compatible.n - at;

        for (size_t i = 0; i < JW_COUNT(chips); i++) {
            if (!equals((struct jw_bytes){ compatible.p + at, n }, chips[i].tree))
                continue;
            *out = gpu_of_chip(&chips[i]);
            return true;
        }
        at += n + 1;
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
    if (!equals(first_line(family), "Tegra"))
        return false;
    for (size_t i = 0; i < JW_COUNT(chips); i++) {
        if (!equals(first_line(number), chips[i].number))
            continue;
        *out = gpu_of_chip(&chips[i]);
        return true;
    }
    return false;
}

struct jw_gpu jw_gpu_of_proc(struct jw_bytes text)
{
    struct jw_bytes line = first_line(text);
    struct jw_gpu gpu = { 0 };
    struct jw_err ignored;
    char name[sizeof gpu.name] = "";

    if (jw_starts(line, "Model:")) {
        struct jw_bytes model = jw_text_trim((struct jw_bytes){ line.p + 6, line.n - 6 });

        (void)snprintf(name, sizeof name, "%.*s", (int)jw_min(model.n, sizeof name - 1),
                       (const char *)model.p);
    }
    if (!jw_gpu_parse(name, &gpu, &ignored))
        gpu = (struct jw_gpu){ 0 };
    (void)snprintf(gpu.name, sizeof gpu.name, "%s", name);
    gpu.source = JW_GPU_HERE;
    return gpu;
}

bool jw_driver_of_proc(struct jw_bytes text, char *out, size_t room)
{
    struct jw_bytes line = first_line(text);
    struct jw_driver_version v;
    struct jw_err ignored;

    for (size_t i = 0, n; jw_starts(text, "NVRM version:") && i < line.n; i += n + 1) {
        for (n = 0; i + n < line.n && !jw_text_blank(line.p[i + n]);)
            n++;
        (void)snprintf(out, room, "%.*s", (int)jw_min(n, room), (const char *)line.p + i);
        if (n < room && strchr(out, '.') && strspn(out, "0123456789.") == n
            && jw_driver_parse(out, &v, &ignored))
            return true;
    }
    return false;
}

bool jw_driver_of_windows(const char *text, char *out, size_t room)
{
    uint32_t parts[4];

    for (size_t i = 0; i < 4; i++) {
        if ((i > 0 && !skip_text(&text, ".")) || !read_digits(&text, 10, &parts[i]))
            return false;
    }
    if (*text != '\0' || parts[3] > 9999 || parts[2] == 0)
        return false;

    uint32_t last = parts[2] % 10 * 10000 + parts[3];
    int n = snprintf(out, room, "%u.%02u", (unsigned)(last / 100), (unsigned)(last % 100));

    return last >= 10000 && n > 0 && (size_t)n < room;
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
