#include "base/text.h"
#include "doctor/log/log_lines.h"
#include "facts/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool jw_log_add_gpu(struct jw_log *log, const char *name, size_t n, unsigned major, unsigned minor)
{
    struct jw_gpu g = { .sm = (uint16_t)(major * 10 + minor), .source = JW_GPU_OPTION };

    if (major < 2 || major > 99 || minor > 9)
        return false;
    while (n && (name[n - 1] == ' ' || name[n - 1] == ','))
        n--;
    (void)snprintf(g.name, sizeof g.name, "%.*s", (int)(n < sizeof g.name ? n : sizeof g.name - 1), name);
    for (size_t i = 0; i < log->n_gpus; i++)
        if (log->gpus[i].sm == g.sm && strcmp(log->gpus[i].name, g.name) == 0)
            return true;
    if (log->n_gpus < JW_LOG_GPUS)
        log->gpus[log->n_gpus++] = g;
    return true;
}

bool jw_log_capability(const char *at, unsigned *major, unsigned *minor)
{
    char *end;
    unsigned long v = strtoul(at, &end, 10);

    if (end == at || *end != '.' || end[1] < '0' || end[1] > '9')
        return false;
    *major = (unsigned)v;
    *minor = (unsigned)(end[1] - '0');
    return true;
}

/* "name: GeForce RTX 3070 computeCapability: 8.6", "name: Tesla T4, pci bus id: ..., compute capability: 7.5" */
static void see_tensorflow_gpu(struct jw_log *log, const char *line)
{
    const char *name = jw_log_behind(line, "name: "), *cc = jw_log_behind(line, "computeCapability: ");
    unsigned major, minor;

    cc = cc ? cc : jw_log_behind(line, "compute capability: ");
    if (!cc || !name || name > cc || !jw_log_capability(cc, &major, &minor))
        return;
    const char *end = jw_text_find_nocase(name, " computeCapability"), *comma = strchr(name, ',');

    if (comma && (!end || comma < end))
        end = comma;
    if (end && end > name)
        (void)jw_log_add_gpu(log, name, (size_t)(end - name), major, minor);
}

/* The oldest: "name: GeForce GTX 1080", and on the same line or the next one "major: 6 minor: 1". */
static void see_old_gpu(struct jw_log *log, const char *line)
{
    const char *major = jw_log_behind(line, "major: "), *minor = jw_log_behind(line, "minor: "),
               *name = jw_log_behind(line, "name: ");
    const char *end = name ? jw_text_find_nocase(name, "major: ") : NULL;

    if (name)
        (void)snprintf(log->name, sizeof log->name, "%.*s", (int)(end ? (size_t)(end - name) : strlen(name)),
                       name);
    if (!major || !minor)
        return;
    (void)jw_log_add_gpu(log, log->name, strlen(log->name), (unsigned)strtoul(major, NULL, 10),
                         (unsigned)strtoul(minor, NULL, 10));
    log->name[0] = '\0';
}

/* "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation." */
static void see_pytorch_gpu(struct jw_log *log, const char *line)
{
    static const char words[] = "capability sm_", with[] = " with CUDA ";
    const char *at = strstr(line, words), *name;

    if (!at)
        return;
    log->pytorch = true;
    unsigned sm = (unsigned)strtoul(at + sizeof words - 1, NULL, 10);

    at = at - line >= (ptrdiff_t)(sizeof with - 1) && jw_text_starts(at - (sizeof with - 1), with)
             ? at - (sizeof with - 1)
             : line; /* cut off */
    for (name = at; name > line && name[-1] != ':'; name--)
        ;
    name += strspn(name, " \t");
    if (name > at)
        name = at;
    (void)jw_log_add_gpu(log, name, (size_t)(at - name), sm / 10, sm % 10);
}

/* The kernel module's "The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b81)" */
static void see_pci_gpu(struct jw_log *log, const char *line)
{
    const char *id = jw_log_behind(line, "(PCI ID: 10de:");
    struct jw_gpu gpu;

    if (id && jw_gpu_by_pci((unsigned)strtoul(id, NULL, 16), 0, 0, &gpu) && gpu.sm)
        (void)jw_log_add_gpu(log, gpu.name, strlen(gpu.name), gpu.sm / 10U, gpu.sm % 10U);
}

/* "Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes" */
static void see_ggml_gpu(struct jw_log *log, const char *line)
{
    const char *name = jw_log_behind(line, "Device "),
               *cc = jw_text_find_nocase(line, ", compute capability ");
    unsigned major, minor;

    if (!cc || !name || name > cc
        || !jw_log_capability(jw_log_behind(cc, ", compute capability "), &major, &minor))
        return;
    name += strspn(name, "0123456789");
    if (*name == ':' && name < cc)
        (void)jw_log_add_gpu(log, name + 2, (size_t)(cc - name - 2), major, minor);
}

/* "Your Tesla T4 GPU has compute capability 7.5", "but your device is of CUDA capability 6.1", "your current GPU is
 * 120", "Compute Capability detected: 5.2", "not built with CUDA kernel binaries compatible with compute capability
 * 12.0" */
static void see_bare_gpu(struct jw_log *log, const char *line)
{
    static const char *const before[] = { "GPU has compute capability ", "your device is of CUDA capability ",
                                          "Compute Capability detected: ",
                                          "binaries compatible with compute capability ",
                                          "ptxas does not support CC " };
    const char *at, *comma;
    unsigned major, minor;
    unsigned long sm = 0;

    if (log->n_gpus)
        return;
    for (size_t i = 0; i < JW_COUNT(before); i++)
        if ((at = jw_log_behind(line, before[i])) && jw_log_capability(at, &major, &minor)
            && jw_log_add_gpu(log, "", 0, major, minor))
            return;
    if ((at = jw_log_behind(line, "your GPU has capability (")) && (comma = strchr(at, ','))
        && jw_log_add_gpu(log, "", 0, (unsigned)strtoul(at, NULL, 10),
                          (unsigned)strtoul(comma + 1, NULL, 10)))
        return;
    if ((at = jw_log_behind(line, "compatible with CUDA arch ")))
        sm = strtoul(at, NULL, 10) / 10;
    else if ((at = jw_log_behind(line, "your current GPU is ")))
        sm = strtoul(at, NULL, 10);
    if (sm < 1000)
        (void)jw_log_add_gpu(log, "", 0, (unsigned)sm / 10, (unsigned)sm % 10);
}

/* The longest of a line's words from here on that are the name of one kind of GPU; its length, 0: none. */
static size_t product_at(const char *at, size_t first, struct jw_gpu *out)
{
    enum { WORDS_MAX = 6 };
    size_t ends[WORDS_MAX] = { 0 }, n = 0, end = first;

    while (n < WORDS_MAX && at[end] && at[end] != ' ') {
        end += strcspn(at + end, " \t,;:()[]'\"\n");
        ends[n++] = end;
        end += at[end] == ' ';
    }
    while (n--) {
        struct jw_err unknown;
        char name[sizeof out->name];

        if (ends[n] >= sizeof name)
            continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)ends[n], at);
        if (jw_gpu_parse(name, out, &unknown))
            return ends[n];
    }
    return 0;
}

/* A product's name, where the log says no compute capability: "Device: cuda:0 NVIDIA GeForce RTX 5090 :
 * cudaMallocAsync". If two names differ, neither is taken. The table is asked about 100 lines at most,
 * because logs are long. */
static void see_named_gpu(struct jw_log *log, const char *line)
{
    static const char *const begins[] = { "NVIDIA ", "GeForce ", "Tesla ", "Quadro " };
    enum { ENOUGH = 100 };

    for (size_t i = 0; i < JW_COUNT(begins) && log->n_named < ENOUGH; i++) {
        const char *at = strstr(line, begins[i]);
        struct jw_gpu gpu;
        size_t n;

        if (!at)
            continue;
        if (log->named.sm && jw_text_starts(at, log->named_as)
            && !jw_is_name_letter(at[strlen(log->named_as)]))
            return;
        log->n_named++;
        n = product_at(at, strlen(begins[i]), &gpu);
        if (!n)
            continue;
        log->names_differ |= log->named.sm && log->named.sm != gpu.sm;
        if (!log->named.sm) {
            log->named = gpu;
            (void)snprintf(log->named_as, sizeof log->named_as, "%.*s", (int)n, at);
        }
        return;
    }
}

void jw_log_see_gpus(struct jw_log *log, const char *line)
{
    see_tensorflow_gpu(log, line);
    see_old_gpu(log, line);
    see_pytorch_gpu(log, line);
    see_ggml_gpu(log, line);
    see_bare_gpu(log, line);
    see_pci_gpu(log, line);
    see_named_gpu(log, line);
}
