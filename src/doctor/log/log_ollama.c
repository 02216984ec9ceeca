#include "base/text.h"
#include "doctor/log/log_lines.h"
#include "facts/archs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The architectures in the builds of Ollama's releases, from its own lists (CMakePresets.json, make/,
 * llama/server/CMakePresets.json at these versions): each row is for this version and newer ones. Those for
 * CUDA 13 hold PTX alone. `linux_alone`: for Windows, the row before still counts.
 */
#define V12_FIRST "60 61 62 70 72 75 80 86 87 89 90 90a"
#define V12_BLACKWELL "50 60 61 70 75 80 86 87 89 90 90a 120"
#define V12_MAXWELL "50 52 60 61 70 75 80 86 87 89 90 90a 120"
#define V12_NO_ORIN "50 52 60 61 70 75 80 86 89 90 90a 120"
#define V13_FIRST "75 80 86 87 89 90 90a 100 110 120 121"
#define V13_ALL "75 80 86 87 89 90 90a 100 103 110 120 121"
static const struct row {
    unsigned version, cuda; /* 512: 0.5.12 */
    const char *sass, *ptx;
    bool linux_alone;
} rows[] = {
    { 507, 12, V12_FIRST, V12_FIRST, false },
    { 513, 12, V12_BLACKWELL, V12_BLACKWELL, false },
    { 1111, 13, "", V13_FIRST, false },
    { 1206, 12, V12_MAXWELL, V12_MAXWELL, false },
    { 1207, 12, V12_NO_ORIN, V12_NO_ORIN, false },
    { 1207, 13, "", V13_ALL, false },
    { 3000, 12, "70 75 80 86 89 90 90a 120", V12_NO_ORIN, false },
    { 3200, 12, "60 61 70 75 80 86 89 90 90a 120", V12_NO_ORIN, true },
};
enum { NEWEST_KNOWN = 3300 };

/* "Listening on [::]:11434 (version 0.5.12)" */
static void see_version(struct jw_log *log, const char *line)
{
    const char *at = jw_log_behind(line, "(version 0.");
    char *end;
    unsigned long minor, patch;

    if (!at || !strstr(line, "istening on "))
        return;
    minor = strtoul(at, &end, 10);
    patch = *end == '.' ? strtoul(end + 1, &end, 10) : 100;
    if (*end != ')' || minor > 99 || patch > 99)
        return;
    log->ollama = (unsigned)(minor * 100 + patch);
}

/* "variant=v12", since 0.12.4 "libdirs=ollama,cuda_v13" */
static unsigned cuda_of_build(const char *line)
{
    const char *at = jw_log_behind(line, "variant=v");

    at = at ? at : jw_log_behind(line, "cuda_v");
    return at ? (unsigned)strtoul(at, NULL, 10) : 0;
}

static const struct row *row_of(const struct jw_log *log, unsigned cuda)
{
    const struct row *found = NULL;

    for (size_t i = 0; i < JW_COUNT(rows) && log->ollama < NEWEST_KNOWN; i++)
        if (rows[i].cuda == cuda && rows[i].version <= log->ollama && !(log->windows && rows[i].linux_alone))
            found = &rows[i];
    return found;
}

static void see_build(struct jw_log *log, const char *line)
{
    const struct row *row =
        log->ollama && !log->sass[0] && !log->ptx[0] ? row_of(log, cuda_of_build(line)) : NULL;

    if (!row)
        return;
    (void)snprintf(log->sass, sizeof log->sass, "%s", row->sass);
    (void)snprintf(log->ptx, sizeof log->ptx, "%s", row->ptx);
    log->made_by = "Ollama";
}

/* 'compute=9.0 driver=12.4 name="NVIDIA H100 80GB HBM3"', since 0.12.4 'compute=8.6 name=CUDA0 description="NVIDIA
 * GeForce RTX 3070"' */
static void see_gpu(struct jw_log *log, const char *line)
{
    const char *compute = jw_log_behind(line, "compute="), *name = jw_log_behind(line, "description=\"");
    unsigned major, minor;

    name = name ? name : jw_log_behind(line, "name=\"");
    if (compute && name && jw_log_capability(compute, &major, &minor))
        (void)jw_log_add_gpu(log, name, strcspn(name, "\""), major, minor);
}

void jw_log_see_ollama(struct jw_log *log, const char *line)
{
    see_version(log, line);
    if (!strstr(line, "inference compute") || !jw_text_find_nocase(line, "library=cuda"))
        return;
    see_gpu(log, line);
    see_build(log, line);
}

static bool is_isolated(unsigned long sm)
{
    const struct jw_arch_fact *arch = jw_arch_find((unsigned)sm);

    return arch && arch->isolated;
}

/* Machine code runs on its own GPUs, and on later ones of the same major number. */
static bool runs_on(unsigned long arch, unsigned sm)
{
    return arch == sm || (arch / 10 == sm / 10 && arch < sm && !is_isolated(arch) && !is_isolated(sm));
}

bool jw_log_ollama_is_native(const struct jw_log *log)
{
    bool all = log->ollama && log->made_by && strcmp(log->made_by, "Ollama") == 0 && log->n_gpus;

    for (size_t i = 0; all && i < log->n_gpus; i++) {
        bool native = false;

        for (const char *at = log->sass; *at && !native; at += strspn(at, " ")) {
            char *end;
            unsigned long arch = strtoul(at, &end, 10);

            native = *end != 'a' && runs_on(arch, log->gpus[i].sm);
            at = end + strcspn(end, " ");
        }
        all = native;
    }
    return all;
}
