#include "driver/probe/driver_known.h"

#include "base/path.h"
#include "driver/worker/identity.h"
#include "formats/elf.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

enum { EM_X86_64 = 62, EM_AARCH64 = 183 };

/* The loader passes over a library of another architecture. */
static bool is_of_other_processor(const char *path)
{
    static const uint8_t magic[] = { 0x7f, 'E', 'L', 'F' };
    uint16_t here = strcmp(jw_os_arch(), "aarch64") == 0 ? EM_AARCH64 : EM_X86_64;
    uint8_t raw[JW_ELF_HEADER] = { 0 };
    struct jw_file file = JW_FILE_CLOSED;
    struct jw_err ignored;
    size_t got = 0;
    bool read =
        jw_file_open(&file, path, &ignored) && jw_file_read(&file, 0, raw, sizeof raw, &got, &ignored);
    struct jw_elf elf = jw_elf_header((struct jw_bytes){ raw, got });

    jw_file_close(&file);
    return read && memcmp(raw, magic, sizeof magic) == 0 && (!elf.ours || elf.machine != here);
}

/* The first that the loader would take. */
static const char *on_loader_path(const struct jw_trace *machine)
{
    for (size_t i = 0; i < machine->n_files; i++) {
        const char *path = machine->files[i].path;

        if (strcmp(jw_path_base(path), "libcuda.so.1") == 0 && jw_is_file(path)
            && !is_of_other_processor(path))
            return path;
    }
    return NULL;
}

/* Windows: where one was met last. Its place is asked again, for an update changes what lies there. */
static const char *where_met(const struct jw_driver_states *met)
{
    for (size_t i = 0; i < met->n; i++)
        if (met->v[i].library)
            return met->v[i].library;
    return NULL;
}

static const char *library_here(const struct jw_driver_states *met, const struct jw_trace *machine)
{
    const char *named = jw_env(machine->a, "JITWARM_DRIVER");

    if (jw_os_is_windows())
        return where_met(met);
    return named && *named ? named : on_loader_path(machine);
}

void jw_driver_file_here(const struct jw_driver_states *met, const struct jw_trace *machine,
                         struct jw_arena *a, struct jw_driver_file *out)
{
    struct jw_err ignored = { 0 };
    const char *library = library_here(met, machine), *build;

    *out = (struct jw_driver_file){ .found = jw_is_file(library) };
    if (!out->found || !jw_identity_of_file(library, a, &build, &ignored))
        return;
    for (size_t i = 0; i < met->n && !out->known; i++)
        if (strcmp(met->v[i].build, build) == 0)
            out->known = &met->v[i];
}
