#include "driver/worker/identity.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/source.h"
#include "base/text.h"
#include "facts/drivers.h"
#include "formats/elf.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

enum {
    PHDR = 56, /* the 64-bit program header */
    PHDRS = 32 /* more than libraries have */
};

/* The section table is the last thing in a library. */
static const char *why_truncated(struct jw_elf elf, uint64_t size, struct jw_arena *a)
{
    static const char not_whole[] = "is not a whole library";
    uint64_t end = elf.shoff + (uint64_t)elf.shnum * elf.shentsize;

    if (!elf.ours || end < elf.shoff)
        return not_whole;
    return end > size
               ? jw_arena_printf(a, "%s (%s of %s bytes)", not_whole, JW_NUM(size), JW_NUM(end))
               : NULL;
}

/* Leaves `out` empty when the segment is outside the file, or has no build id. */
static bool read_notes(const struct jw_source *src, uint64_t at, uint64_t size, struct jw_buf *out)
{
    uint8_t notes[4096];
    char hex[2 * JW_MAX_BUILD_ID + 1];
    struct jw_bytes id;

    if (!jw_within(at, size, src->size) || size > JW_MAX_BUILD_NOTES)
        return true;
    /* A longer segment is read up to here. */
    size = jw_min(size, sizeof notes);
    if (!jw_source_read(src, at, notes, (size_t)size, JW_IGNORED))
        return false;
    if (jw_elf_build_id((struct jw_bytes){notes, (size_t)size}, &id))
        jw_buf_printf(out, "gnu:%s", sodium_bin2hex(hex, sizeof hex, id.p, id.n));
    return true;
}

static bool elf_identity(const struct jw_source *src, struct jw_elf elf, struct jw_buf *out)
{
    uint8_t raw[PHDRS * PHDR];
    size_t n = jw_min(elf.phnum, PHDRS) * PHDR;

    if (elf.phentsize != PHDR || !jw_within(elf.phoff, n, src->size))
        return true;
    if (!jw_source_read(src, elf.phoff, raw, n, JW_IGNORED))
        return false;
    for (const uint8_t *p = raw; p < raw + n && !out->n; p += PHDR)
        if (jw_le32(p) == JW_PT_NOTE && !read_notes(src, jw_le64(p + 8), jw_le64(p + 32), out))
            return false;
    return true;
}

/* In a PE file the u32 at 0x3c is the offset of "PE\0\0", then the COFF header (20 bytes) and the
 * optional header. */
static bool pe_identity(const struct jw_source *src, struct jw_bytes head, struct jw_buf *out)
{
    uint8_t pe[24 + 60];
    uint64_t at = jw_le32(head.p + 0x3c);

    if (!jw_within(at, sizeof pe, src->size))
        return true;
    if (!jw_source_read(src, at, pe, sizeof pe, JW_IGNORED))
        return false;
    if (memcmp(pe, "PE\0\0", 4) == 0)
        jw_buf_printf(out, "pe:%08X%x", (unsigned)jw_le32(pe + 8), (unsigned)jw_le32(pe + 24 + 56));
    return true;
}

/* Names a library without a build id, as those of branch 390, by its bytes. */
static bool digest_identity(const struct jw_source *src, struct jw_buf *out)
{
    struct jw_digest_state s;
    uint8_t part[1 << 14], digest[JW_DIGEST];

    jw_digest_init(&s);
    for (uint64_t at = 0, n; at < src->size; at += n) {
        n = jw_min(src->size - at, sizeof part);
        if (!jw_source_read(src, at, part, (size_t)n, JW_IGNORED))
            return false;
        jw_digest_update(&s, part, (size_t)n);
    }
    jw_digest_final(&s, digest);
    jw_buf_printf(out, "b2:%s", jw_digest_text(digest).text);
    return true;
}

static void read_identity(const struct jw_source *src, struct jw_arena *a,
                          struct jw_library_head *out)
{
    uint8_t raw[JW_ELF_HEADER] = {0};
    struct jw_bytes head = {raw, (size_t)jw_min(src->size, sizeof raw)};
    struct jw_buf text = JW_BUF_IN(a, 256);

    if (!jw_source_read(src, 0, raw, head.n, JW_IGNORED))
        return;

    struct jw_elf elf = jw_elf_header(head);
    bool ok = true;

    if (elf.ours && !jw_elf_is_for(elf, jw_os_arch()))
        out->foreign = jw_elf_is_for(elf, "aarch64") ? "aarch64" : "another processor";
    out->truncated = why_truncated(elf, src->size, a);
    if (elf.ours)
        ok = elf_identity(src, elf, &text);
    else if (head.n == sizeof raw && raw[0] == 'M' && raw[1] == 'Z')
        ok = pe_identity(src, head, &text);
    if (ok && !text.n)
        ok = digest_identity(src, &text);
    if (ok && !text.bad)
        out->build = jw_buf_cstr(&text);
}

struct jw_library_head jw_library_look(const char *path, struct jw_arena *a)
{
    struct jw_library_head l = {.truncated = "cannot be read"};
    struct jw_file f;
    struct jw_file_info info;
    struct jw_err why;

    if (!jw_file_open(&f, path, &why)) {
        l.truncated = jw_arena_printf(a, "cannot be read: %s", why.msg);
        return l;
    }
    if (jw_file_info(&f, &info, JW_IGNORED)) {
        struct jw_source src = jw_file_source(&f, info.size);

        read_identity(&src, a, &l);
    }
    jw_file_close(&f);
    return l;
}

const char *jw_identity_version_in_name(const char *path, struct jw_arena *a)
{
    const char *base = jw_path_base(path);
    const char *version = base + strlen("libcuda.so.");

    /* The 1 of "libcuda.so.1" is no version, and neither is WSL's "1.1". */
    if (!jw_text_starts(base, "libcuda.so.") || strcspn(version, ".") < 3)
        return NULL;
    return strchr(version, '.') && jw_branch_of(version) ? jw_arena_str(a, version) : NULL;
}

/* The system's driver lies there, also where LD_LIBRARY_PATH names the folder: NixOS and container
 * engines do. */
static bool is_folder_of_system(const char *folder)
{
    static const char *const trees[] = {"/usr/lib",          "/lib",
                                        "/usr/local/nvidia", "/run/opengl-driver",
                                        "/.singularity.d/",  "/nix/store"};

    for (size_t i = 0; i < JW_COUNT(trees); i++)
        if (jw_text_starts(folder, trees[i]))
            return true;
    return false;
}

const char *jw_identity_put_before(const char *library, const char *folders, struct jw_arena *a)
{
    for (const char *at = folders; at && *at;) {
        size_t n = strcspn(at, ":");
        const char *folder = jw_arena_text(a, at, n), *real;

        if (*folder && jw_real_path(jw_path_join(a, folder, "libcuda.so.1"), a, &real, JW_IGNORED)
            && strcmp(real, library) == 0)
            return is_folder_of_system(folder) ? NULL : folder;
        at += n + (at[n] == ':');
    }
    return NULL;
}
