/* Which cache a running process uses, by its environment as the driver reads it. */
#include "driver/witness/witness.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "facts/driver_settings.h"
#include "formats/elf.h"
#include "os/process/running.h"

#include <stdlib.h>
#include <string.h>

/* ELF, 64 bits, little-endian: read in the memory of the process, where the loader has put it. */
enum {
    PROGRAM_HEADER = 56,
    MAX_PROGRAM_HEADERS = 64,
    SYMBOL = 24,
    MAX_SYMBOLS = 1 << 16,
    DYNAMIC = 16,
    MAX_DYNAMIC = 512,
    MAX_NAMES = 4 << 20,
    MAX_VARIABLES = 4096,
    VALUE_ROOM = 4096,
    PT_DYNAMIC_ = 2,
    DT_STRTAB_ = 5,
    DT_SYMTAB_ = 6,
    DT_STRSZ_ = 10
};

struct image {
    unsigned long pid;
    uint64_t at, bias; /* its address in the process; added to addresses in the file */
    uint64_t symbols, names, names_size;
};

static bool find_dynamic(struct image *m, uint64_t *at, uint64_t *size)
{
    uint8_t head[JW_ELF_HEADER], row[PROGRAM_HEADER];

    if (!jw_running_memory(m->pid, m->at, head, sizeof head))
        return false;
    const struct jw_elf elf = jw_elf_header((struct jw_bytes){head, sizeof head});

    m->bias = elf.type == JW_ET_EXEC ? 0 : m->at;
    for (unsigned i = 0; i < elf.phnum && i < MAX_PROGRAM_HEADERS; i++) {
        if (!jw_running_memory(m->pid, m->at + elf.phoff + i * sizeof row, row, sizeof row))
            return false;
        if (jw_le32(row) == PT_DYNAMIC_) {
            *at = m->bias + jw_le64(row + 16);
            *size = jw_le64(row + 40);
            return true;
        }
    }
    return false;
}

static bool find_tables(struct image *m)
{
    uint64_t at, size;
    uint8_t row[DYNAMIC];

    if (!find_dynamic(m, &at, &size))
        return false;
    for (unsigned i = 0; i < MAX_DYNAMIC && i * sizeof row < size; i++) {
        if (!jw_running_memory(m->pid, at + i * sizeof row, row, sizeof row) || jw_le64(row) == 0)
            break;
        uint64_t value = jw_le64(row + 8); /* glibc's loader has written addresses there */

        switch (jw_le64(row)) {
        case DT_SYMTAB_: m->symbols = value; break;
        case DT_STRTAB_: m->names = value; break;
        case DT_STRSZ_: m->names_size = value; break;
        default: break;
        }
    }
    return m->symbols && m->names > m->symbols && m->names_size && m->names_size <= MAX_NAMES;
}

/* Linkers put the names right behind the symbols, and nothing else says how many there are. */
static uint64_t find_symbol(const struct image *m, const char *name)
{
    uint64_t n = jw_min((m->names - m->symbols) / SYMBOL, MAX_SYMBOLS);
    uint64_t found = 0;
    uint8_t *symbols = jw_alloc((size_t)n * SYMBOL + 1);
    char *names = jw_alloc((size_t)m->names_size + 1);
    bool ok = jw_running_memory(m->pid, m->symbols, symbols, (size_t)n * SYMBOL)
              && jw_running_memory(m->pid, m->names, names, (size_t)m->names_size);

    for (uint64_t i = 0; ok && i < n && !found; i++) {
        const uint8_t *s = symbols + i * SYMBOL;
        uint32_t at = jw_le32(s);

        if (jw_le16(s + 6) && at < m->names_size && strcmp(names + at, name) == 0)
            found = m->bias + jw_le64(s + 8);
    }
    jw_free(symbols);
    jw_free(names);
    return found;
}

static uint64_t environ_of(unsigned long pid, uint64_t at)
{
    struct image m = {.pid = pid, .at = at};

    return find_tables(&m) ? find_symbol(&m, "environ") : 0;
}

/* Finds where the beginning of a file is mapped. `in_path`: a piece of its line in `maps` that no
 * other file's has. */
static bool first_mapping(const char *maps, const char *in_path, uint64_t *at)
{
    const char *line = strstr(maps, in_path);

    while (line && line > maps && line[-1] != '\n')
        line--;
    *at = line ? strtoull(line, NULL, 16) : 0;
    return line;
}

/* A program that names `environ` itself may hold it; else the C library does. */
static uint64_t find_environ(unsigned long pid, const char *maps)
{
    static const char *const libraries[] = {"/libc.so.6\n", "/libc-2."};
    struct jw_buf exe = JW_BUF(VALUE_ROOM);
    uint64_t at, found = 0;

    jw_buf_text(&exe, " ");
    bool known = jw_running_link(pid, "exe", &exe);

    jw_buf_text(&exe, "\n");
    if (known && first_mapping(maps, jw_buf_cstr(&exe), &at))
        found = environ_of(pid, at);
    jw_buf_free(&exe);
    for (size_t i = 0; !found && i < JW_COUNT(libraries); i++)
        if (first_mapping(maps, libraries[i], &at))
            found = environ_of(pid, at);
    return found;
}

/* Reads page by page, as the text may end in the last page that can be read. */
static void read_text(unsigned long pid, uint64_t at, char *text, size_t room)
{
    enum { PAGE = 4096 };
    size_t n = 0;

    while (n < room - 1) {
        size_t piece = (size_t)jw_min(PAGE - (at + n) % PAGE, room - 1 - n);

        if (!jw_running_memory(pid, at + n, text + n, piece))
            break;
        if (memchr(text + n, '\0', piece))
            return;
        n += piece;
    }
    text[n] = '\0';
}

static void take_variable(const char *text, struct jw_arena *a, struct jw_variable *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(v[i].name);

        if (!v[i].value && strncmp(text, v[i].name, length) == 0 && text[length] == '=')
            v[i].value = jw_arena_str(a, text + length + 1);
    }
}

bool jw_variables_now(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_variable *v, size_t n)
{
    uint64_t where = find_environ(pid, maps), list, text;
    char one[VALUE_ROOM];

    if (!where || !jw_running_memory(pid, where, &list, sizeof list) || !list)
        return false;
    for (size_t i = 0; i < n; i++)
        v[i].value = NULL;
    for (size_t i = 0; i < MAX_VARIABLES; i++) {
        if (!jw_running_memory(pid, list + i * sizeof text, &text, sizeof text))
            return false;
        if (!text)
            break;
        read_text(pid, text, one, sizeof one);
        take_variable(one, a, v, n);
    }
    return true;
}

enum { HOME = JW_DRIVER_VARIABLES, PRELOAD, VARIABLES };

/* A relative path is below the working folder of the process. driver-fact: F63-path-is-root,
 * F99-empty-path */
static const char *cache_of(unsigned long pid, const char *path, const char *home,
                            struct jw_arena *a)
{
    struct jw_buf folder = JW_BUF_IN(a, JW_MAX_PATH);

    if (path && (!*path || jw_path_absolute(path)))
        return *path ? path : NULL;
    if (!path)
        return home && jw_path_absolute(home) ? jw_path_join(a, home, ".nv/ComputeCache") : NULL;
    return jw_running_link(pid, "cwd", &folder) ? jw_path_join(a, jw_buf_cstr(&folder), path)
                                                : NULL;
}

/* The setting, if the limit is so small that entries of usual size are never kept; else NULL. */
static const char *small_limit(const char *limit, struct jw_arena *a)
{
    return limit && jw_cache_limit_read(limit, NULL) < JW_CACHE_SMALLEST
               ? jw_arena_printf(a, "CUDA_CACHE_MAXSIZE=%.40s", limit)
               : NULL;
}

bool jw_settings_read(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_witness_process *out)
{
    static const char library[] = "/libcuda.so."; /* NVIDIA puts the version behind this */
    struct jw_variable v[VARIABLES] = {
        [HOME] = {.name = "HOME"}, [PRELOAD] = {.name = JW_PRELOAD_VARIABLE}};
    const char *path, *limit, *name = strstr(maps, library);
    const char *version = name ? name + sizeof library - 1 : "";
    const char *driver = jw_arena_text(a, version, strcspn(version, "\n"));

    for (unsigned i = 0; i < JW_DRIVER_VARIABLES; i++)
        v[i].name = jw_driver_variables[i];
    if (!jw_variables_now(pid, maps, a, v, VARIABLES))
        return false;
    path = jw_cache_path_read(v[JW_VAR_CACHE_PATH].value);
    limit = v[JW_VAR_CACHE_MAXSIZE].value;
    out->cache = cache_of(pid, path, v[HOME].value, a);
    if (jw_switch_is_on(v[JW_VAR_CACHE_DISABLE].value))
        out->no_cache =
            jw_arena_printf(a, "CUDA_CACHE_DISABLE=%.40s", v[JW_VAR_CACHE_DISABLE].value);
    else if (path && !*path)
        out->no_cache = "CUDA_CACHE_PATH=";
    else
        out->no_cache = small_limit(limit, a);
    if (v[PRELOAD].value)
        out->preload = jw_preload_is_on(v[PRELOAD].value) ? JW_PRELOAD_ON : JW_PRELOAD_OFF;
    enum jw_driver_variable i =
        v[JW_VAR_FORCE_PTX_JIT].value ? JW_VAR_FORCE_PTX_JIT : JW_VAR_FORCE_JIT;

    if (jw_switch_is_on(v[i].value) && jw_variable_heeded(i, driver))
        out->forced = jw_arena_printf(a, "%s=%.40s", v[i].name, v[i].value);
    return true;
}
