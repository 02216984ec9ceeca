#include "driver/worker/identity.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/source.h"
#include "base/text.h"
#include "formats/elf.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

enum {
    PHDR = 56,  /* the 64-bit program header */
    PHDRS = 32, /* read at once */
    PT_NOTE = 4,
    NT_GNU_BUILD_ID = 3,
    MAX_BUILD_ID = 64,
    SMALL_FILE = 1 << 16
};

static void put_hex(struct jw_buf *out, struct jw_bytes b)
{
    for (size_t i = 0; i < b.n; i++)
        jw_buf_printf(out, "%02x", b.p[i]);
}

/* The section table is the last thing in a library. */
static const char *why_truncated(struct jw_elf elf, uint64_t size, struct jw_arena *a)
{
    static const char not_whole[] = "is not a whole library";
    uint64_t end = 0;

    if (!elf.ours || !jw_add(elf.shoff, (uint64_t)elf.shnum * elf.shentsize, &end))
        return not_whole;
    return end > size ? jw_arena_printf(a, "%s (%s of %s bytes)", not_whole, JW_NUM(size), JW_NUM(end))
                      : NULL;
}

/* ELF notes: {u32 name size, u32 descriptor size, u32 type, name, descriptor}, padded to 4 bytes. */

static bool build_id_in(struct jw_bytes notes, struct jw_buf *out)
{
    struct jw_reader r = jw_reader(notes);

    while (!r.bad && r.at < notes.n) {
        uint32_t name_size = jw_u32(&r), size = jw_u32(&r), type = jw_u32(&r);
        struct jw_bytes name = jw_take(&r, jw_align(name_size, 4));
        struct jw_bytes id = jw_take(&r, size);

        if (!r.bad && type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name.p, "GNU", 4) == 0 && size
            && size <= MAX_BUILD_ID) {
            jw_buf_text(out, "gnu:");
            put_hex(out, id);
            return true;
        }
        (void)jw_take(&r, jw_align(size, 4) - size);
    }
    return false;
}

/* Leaves `out` empty when the segment is outside the file. */
static bool read_notes(const struct jw_source *src, uint64_t at, uint64_t size, struct jw_buf *out,
                       struct jw_err *err)
{
    uint8_t notes[4096];

    if (!jw_within(at, size, src->size) || size > JW_MAX_BUILD_NOTES)
        return true;
    /* A longer segment is read up to here. */
    size = jw_min(size, sizeof notes);
    if (!jw_source_read(src, at, notes, (size_t)size, err))
        return false;
    (void)build_id_in((struct jw_bytes){ notes, (size_t)size }, out);
    return true;
}

static bool elf_identity(const struct jw_source *src, struct jw_elf elf, struct jw_buf *out,
                         struct jw_err *err)
{
    uint8_t raw[PHDRS * PHDR];

    for (size_t i = 0; i < elf.phnum && i < JW_MAX_SEGMENTS && !out->n; i += PHDRS) {
        size_t n = jw_min(elf.phnum - i, PHDRS);
        uint64_t at;

        if (elf.phentsize != PHDR || !jw_add(elf.phoff, i * (uint64_t)PHDR, &at)
            || !jw_within(at, n * PHDR, src->size))
            return true;
        if (!jw_source_read(src, at, raw, n * PHDR, err))
            return false;
        for (const uint8_t *p = raw; p < raw + n * PHDR && !out->n; p += PHDR)
            if (jw_le32(p) == PT_NOTE && !read_notes(src, jw_le64(p + 8), jw_le64(p + 32), out, err))
                return false;
    }
    return true;
}

/* PE: the u32 at 0x3c is the offset of "PE\0\0", then the COFF header (20 bytes) and the optional header. */

static bool pe_identity(const struct jw_source *src, struct jw_bytes head, struct jw_buf *out,
                        struct jw_err *err)
{
    uint8_t pe[24 + 60];
    uint64_t at = jw_le32(head.p + 0x3c);

    if (!jw_within(at, sizeof pe, src->size))
        return true;
    if (!jw_source_read(src, at, pe, sizeof pe, err))
        return false;
    if (memcmp(pe, "PE\0\0", 4) == 0)
        jw_buf_printf(out, "pe:%08X%x", (unsigned)jw_le32(pe + 8), (unsigned)jw_le32(pe + 24 + 56));
    return true;
}

static bool digest_identity(const struct jw_source *src, struct jw_buf *out, struct jw_err *err)
{
    uint8_t digest[JW_DIGEST];

    if (!jw_digest_source(digest, src, err))
        return false;
    jw_buf_text(out, "b2:");
    put_hex(out, (struct jw_bytes){ digest, sizeof digest });
    return true;
}

/* `cut` may be NULL. */
static bool read_identity(const struct jw_source *src, bool digest, struct jw_arena *a, const char **out,
                          const char **truncated, struct jw_err *err)
{
    uint8_t raw[JW_ELF_HEADER] = { 0 };
    struct jw_bytes head = { raw, (size_t)jw_min(src->size, sizeof raw) };
    struct jw_buf text = JW_BUF(256);

    *out = NULL;
    if (!jw_source_read(src, 0, raw, head.n, err))
        return false;

    struct jw_elf elf = jw_elf_header(head);
    bool ok = true;

    if (truncated)
        *truncated = why_truncated(elf, src->size, a);
    if (elf.ours)
        ok = elf_identity(src, elf, &text, err);
    else if (head.n == sizeof raw && raw[0] == 'M' && raw[1] == 'Z')
        ok = pe_identity(src, head, &text, err);
    if (ok && !text.n && digest)
        ok = digest_identity(src, &text, err);
    ok = ok && jw_buf_ok(&text, err);
    if (ok)
        *out = jw_arena_text(a, (const char *)text.p, text.n);
    jw_buf_free(&text);
    return ok;
}

static bool identity_of_file(const char *path, bool digest, struct jw_arena *a, const char **out,
                             const char **truncated, struct jw_err *err)
{
    struct jw_file f;
    struct jw_file_info info;

    *out = NULL;
    if (!jw_file_open(&f, path, err))
        return jw_wrap(err, "%s", path);
    bool ok = jw_file_info(&f, &info, err);
    struct jw_source src = jw_file_source(&f, info.size);
    ok = ok && read_identity(&src, digest, a, out, truncated, err);
    jw_file_close(&f);
    return ok || jw_wrap(err, "%s", path);
}

bool jw_identity_of_file(const char *path, struct jw_arena *a, const char **out, struct jw_err *err)
{
    return identity_of_file(path, true, a, out, NULL, err);
}

struct jw_library_head jw_library_look(const char *path, bool digest, struct jw_arena *a)
{
    struct jw_library_head l = { .truncated = "cannot be read" };
    struct jw_err ignored = { 0 };

    (void)!identity_of_file(path, digest, a, &l.build, &l.truncated, &ignored);
    return l;
}

/* A version: two or three numbers separated by dots. */

static size_t version_length(const char *text)
{
    size_t n = strspn(text, "0123456789."), dots = 0;

    while (n && text[n - 1] == '.')
        n--;
    for (size_t i = 0; i < n; i++)
        dots += text[i] == '.';
    /* Not the "64" of "x86_64", the 1 of "libcuda.so.1", or a date. */
    return n >= 5 && n <= 20 && dots >= 1 && dots <= 2 && *text >= '1' && text[1] >= '0' && text[1] <= '9'
                   && text[2] >= '0' && text[2] <= '9' && text[3] == '.'
               ? n
               : 0;
}

const char *jw_identity_version_in_name(const char *path, struct jw_arena *a)
{
    const char *base = jw_path_base(path);
    size_t n = 0;

    if (jw_text_starts(base, "libcuda.so."))
        n = version_length(base + strlen("libcuda.so."));
    return n ? jw_arena_text(a, base + strlen("libcuda.so."), n) : NULL;
}

const char *jw_identity_version_in_text(const char *text, struct jw_arena *a)
{
    for (const char *at = text; *at && *at != '\n'; at++) {
        size_t n = at == text || at[-1] == ' ' || at[-1] == '\t' ? version_length(at) : 0;

        if (n)
            return jw_arena_text(a, at, n);
    }
    return NULL;
}

/* "" when there is no such file. */
static const char *small_file(const char *root, const char *path, struct jw_buf *text)
{
    struct jw_buf full = JW_BUF(4096);
    struct jw_err ignored;
    bool found = false;

    jw_buf_clear(text);
    jw_buf_text(&full, root);
    jw_buf_text(&full, path);
    if (!jw_file_slurp(jw_buf_cstr(&full), text, &found, &ignored) || !found)
        jw_buf_clear(text);
    jw_buf_free(&full);
    return jw_buf_cstr(text);
}

const char *jw_identity_kernel_version(const char *root, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(SMALL_FILE);
    const char *version =
        jw_identity_version_in_text(small_file(root, "/sys/module/nvidia/version", &text), a);

    if (!version)
        version = jw_identity_version_in_text(small_file(root, "/proc/driver/nvidia/version", &text), a);
    jw_buf_free(&text);
    return version;
}

static bool there(const char *root, const char *path)
{
    struct jw_buf full = JW_BUF(JW_MAX_PATH);
    struct jw_file_info info;
    struct jw_err ignored;

    jw_buf_text(&full, root);
    jw_buf_text(&full, path);
    bool yes = jw_file_stat(jw_buf_cstr(&full), &info, &ignored) && info.kind != JW_FILE_NONE;
    jw_buf_free(&full);
    return yes;
}

static bool names_container(const char *cgroups)
{
    static const char *const words[] = { "/docker", "/kubepods", "/lxc", "containerd", "libpod" };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (strstr(cgroups, words[i]))
            return true;
    return false;
}

struct jw_surroundings jw_surroundings_look(const char *root)
{
    struct jw_surroundings s = { 0 };
    struct jw_buf text = JW_BUF(SMALL_FILE);

    s.wsl = jw_text_find_nocase(small_file(root, "/proc/sys/kernel/osrelease", &text), "microsoft") != NULL;
    /* Kubernetes with containerd shows no cgroup's name and has no .dockerenv. */
    s.container = there(root, "/.dockerenv") || there(root, "/run/.containerenv")
                  || there(root, "/var/run/secrets/kubernetes.io") || there(root, "/dev/termination-log")
                  || names_container(small_file(root, "/proc/1/cgroup", &text));
    jw_buf_free(&text);
    return s;
}

/* Podman, systemd-nspawn and LXC set it for what they start. */
#define CONTAINER_VARIABLE "container"

struct jw_surroundings jw_surroundings_here(struct jw_arena *a)
{
    const char *root = jw_env(a, "JITWARM_SYSROOT"), *named = jw_env(a, CONTAINER_VARIABLE);

    if (jw_os_is_windows())
        return (struct jw_surroundings){ 0 };
    struct jw_surroundings s = jw_surroundings_look(root ? root : "");

    s.container |= !root && named && *named && !s.wsl;
    return s;
}

/* The system's driver lies there, also where LD_LIBRARY_PATH names the folder: NixOS and container engines do. */
static bool is_folder_of_system(const char *folder)
{
    static const char *const trees[] = { "/usr/lib",          "/lib",
                                         "/usr/local/nvidia", "/run/opengl-driver",
                                         "/.singularity.d/",  "/nix/store" };

    for (size_t i = 0; i < JW_COUNT(trees); i++)
        if (jw_text_starts(folder, trees[i]))
            return true;
    return false;
}

const char *jw_identity_put_before(const char *library, const char *folders, struct jw_arena *a)
{
    for (const char *at = folders; at && *at;) {
        size_t n = strcspn(at, ":");
        const char *folder = jw_arena_printf(a, "%.*s", (int)(n < 4096 ? n : 4096), at), *real;
        struct jw_err ignored;

        if (*folder && jw_real_path(jw_path_join(a, folder, "libcuda.so.1"), a, &real, &ignored)
            && strcmp(real, library) == 0)
            return is_folder_of_system(folder) ? NULL : folder;
        at += n + (at[n] == ':');
    }
    return NULL;
}
