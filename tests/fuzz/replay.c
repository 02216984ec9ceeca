/*
 * replay TARGET PATH...
 *
 * Feeds files, those of folders, and TARGET/... of tars to a fuzz target: its corpus as an ordinary test, without
 * libFuzzer.
 */
#include "base/buf.h"
#include "base/compiler.h"
#include "base/text.h"
#include "fuzz.h"
#include "os/files/dir.h"
#include "pack/format/tar.h"

#include <stdio.h>
#include <string.h>

enum { MAX = 64 << 20 };

static const struct target {
    const char *name;
    void (*feed)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(file, name) { #name, fuzz_##name },
#include "targets.def"
#undef TARGET
};
static const struct target *target;

/* The copy has exactly the size of the input, so that a sanitizer sees one byte too many. */
static bool feed_bytes(const void *p, size_t n, struct jw_err *err)
{
    uint8_t *exact = malloc(n ? n : 1);

    if (!exact)
        return jw_fail(err, JW_E_IO, "no memory");
    if (n)
        memcpy(exact, p, n);
    target->feed(exact, n);
    free(exact);
    return true;
}

static bool slurp(const char *path, struct jw_buf *out, struct jw_err *err)
{
    bool found = false;

    return jw_file_slurp(path, out, &found, err) && (found || jw_fail(err, JW_E_IO, "no such file"));
}

static bool feed(const char *path, struct jw_err *err)
{
    struct jw_buf b = JW_BUF(MAX);
    bool ok = slurp(path, &b, err) && feed_bytes(b.p, b.n, err);

    jw_buf_free(&b);
    return ok;
}

/* ---- a tar ---- */

static bool feed_tar(const char *path, unsigned *fed, struct jw_err *err)
{
    struct jw_buf b = JW_BUF(MAX);
    struct jw_tar_member member;
    bool more = true, ok = slurp(path, &b, err);
    struct jw_tar_reader r = { .in = jw_buf_bytes(&b) };
    size_t n = strlen(target->name);

    while (ok && (ok = jw_tar_next(&r, &member, &more, err)) && more) {
        if (strncmp(member.name, target->name, n) != 0 || member.name[n] != '/')
            continue; /* another target's */
        ok = feed_bytes(member.data.p, member.data.n, err);
        ++*fed;
    }
    ok = ok && jw_tar_end(&r, err);
    jw_buf_free(&b);
    return ok;
}

static bool feed_folder(const char *path, unsigned *fed, struct jw_err *err)
{
    struct jw_dir *dir = NULL;
    bool more = true, ok = jw_dir_open(&dir, path, err);

    while (ok && more) {
        struct jw_entry e;
        char file[4096];

        ok = jw_dir_next(dir, &e, &more, err);
        if (!ok || !more || e.type != JW_ENTRY_FILE)
            continue;
        (void)snprintf(file, sizeof file, "%s/%s", path, e.name);
        ok = feed(file, err);
        *fed += ok;
    }
    jw_dir_close(dir);
    return ok;
}

int main(int argc, char **argv)
{
    unsigned fed = 0;

    for (size_t i = 0; argc > 1 && i < JW_COUNT(targets); i++)
        if (strcmp(argv[1], targets[i].name) == 0)
            target = &targets[i];
    if (!target) {
        fprintf(stderr, "replay TARGET PATH...: the targets are in tests/fuzz/targets.def\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        struct jw_file_info info;
        struct jw_err err = { 0 };
        bool ok = jw_file_stat(argv[i], &info, &err);

        if (ok && info.kind == JW_FILE_DIR) {
            ok = feed_folder(argv[i], &fed, &err);
        } else if (ok && jw_text_ends(argv[i], ".tar")) {
            ok = feed_tar(argv[i], &fed, &err);
        } else if (ok) {
            ok = feed(argv[i], &err);
            fed += ok;
        }
        if (!ok) {
            fprintf(stderr, "%s: %s\n", argv[i], err.msg);
            return 1;
        }
    }
    printf("%u inputs\n", fed);
    return fed ? 0 : 1;
}
