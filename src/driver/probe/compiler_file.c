#include "driver/probe/compiler_file.h"

#include "facts/compilers.h"

#include "base/path.h"
#include "driver/worker/identity.h"
#include "formats/elf.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

enum { EM_X86_64 = 62, EM_AARCH64 = 183 };

static const uint8_t elf_magic[] = { 0x7f, 'E', 'L', 'F' };

struct head {
    bool is_elf;
    struct jw_elf elf;
};

static struct head read_head(const char *path)
{
    uint8_t raw[JW_ELF_HEADER] = { 0 };
    struct jw_file file = JW_FILE_CLOSED;
    struct jw_err ignored;
    struct head h;
    size_t got = 0;
    bool read =
        jw_file_open(&file, path, &ignored) && jw_file_read(&file, 0, raw, sizeof raw, &got, &ignored);

    /* One without a whole header is no library of another processor: the loader ends with it. */
    h.is_elf = read && got == sizeof raw && memcmp(raw, elf_magic, sizeof elf_magic) == 0;
    h.elf = jw_elf_header((struct jw_bytes){ raw, got });
    jw_file_close(&file);
    return h;
}

/* The loader passes over a library of another architecture. */
static bool is_of_other_processor(const char *path)
{
    uint16_t here = strcmp(jw_os_arch(), "aarch64") == 0 ? EM_AARCH64 : EM_X86_64;
    struct head h = read_head(path);

    return h.is_elf && (!h.elf.ours || h.elf.machine != here);
}

const char *jw_loader_takes(const struct jw_trace *search, const char *library)
{
    for (size_t i = 0; i < search->n_files; i++) {
        const char *path = search->files[i].path;

        if (strcmp(jw_path_base(path), library) == 0 && jw_is_file(path) && !is_of_other_processor(path))
            return path;
    }
    return NULL;
}

static const char *on_loader_path(const struct jw_trace *machine, struct jw_arena *a)
{
    struct jw_trace search = { .a = a,
                               .loader_cache = machine ? machine->loader_cache : (struct jw_bytes){ 0 } };
    struct jw_err ignored;

    return jw_trace_loader(&search, JW_DRIVER_COMPILER_FILE, jw_env(a, "LD_LIBRARY_PATH"), &ignored)
               ? jw_loader_takes(&search, JW_DRIVER_COMPILER_FILE)
               : NULL;
}

/* If libcuda has a search path of its own, it is usually that folder. */
static const char *beside(const char *libcuda, struct jw_arena *a)
{
    const char *real = NULL, *path;
    struct jw_err ignored;

    if (!jw_real_path(libcuda, a, &real, &ignored))
        return NULL;
    path = jw_path_join(a, jw_path_dir(a, real), JW_DRIVER_COMPILER_FILE);
    return jw_is_file(path) ? path : NULL;
}

const char *jw_compiler_fails(const struct jw_compiler_file *c, struct jw_arena *a)
{
    return jw_arena_printf(a, "the driver's compiler, %.200s, has changed since it last compiled, and fails",
                           c->path);
}

void jw_compiler_file_of(const char *libcuda, const struct jw_trace *machine, struct jw_arena *a,
                         struct jw_compiler_file *out)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored;
    struct jw_library_head seen;

    *out = (struct jw_compiler_file){ .id = "" };
    if (jw_os_is_windows() || !libcuda)
        return;
    out->path = on_loader_path(machine, a);
    out->path = out->path ? out->path : beside(libcuda, a);
    if (!out->path && jw_surroundings_here(a).wsl)
        return;
    if (!out->path) {
        out->id = "missing";
        out->lacking = "the driver's compiler, " JW_DRIVER_COMPILER_FILE ", is missing";
        return;
    }
    seen = jw_library_look(out->path, false, a);
    if (seen.truncated)
        out->lacking = jw_arena_printf(a, "the driver's compiler, %.200s, %s", out->path, seen.truncated);
    if (seen.build && jw_file_stat(out->path, &info, &ignored))
        out->id = jw_arena_printf(a, "%s %llu bytes %lld", seen.build, (unsigned long long)info.size,
                                  (long long)info.mtime);
}
