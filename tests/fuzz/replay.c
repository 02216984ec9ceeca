/*
 * replay TARGET PATH...
 *
 * Feeds files, those of folders, and TARGET/... of tars to a fuzz target: its corpus as an ordinary
 * test, without libFuzzer.
 */
#include "base/buf.h"
#include "base/text.h"
#include "fuzz.h"
#include "os/files/dir.h"
#include "pack/format/tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 64 << 20, AT_SIZE = 124 /* in a header of tar */ };

static const char *target;

/* The copy has exactly the size of the input, so that a sanitizer sees one byte too many. */
static bool feed_bytes(const void *p, size_t n, struct jw_err *err)
{
    uint8_t *exact = malloc(n ? n : 1);

    if (!exact)
        return jw_fail(err, JW_E_IO, "no memory");
    if (n)
        memcpy(exact, p, n);
    fuzz_target(target)(exact, n);
    free(exact);
    return true;
}

static bool slurp(const char *path, struct jw_buf *out, struct jw_err *err)
{
    bool found = false;

    return jw_file_slurp(path, out, &found, err)
           && (found || jw_fail(err, JW_E_IO, "no such file"));
}

static bool feed(const char *path, struct jw_err *err)
{
    FREED(jw_buf) b = JW_BUF(MAX);
    bool ok = slurp(path, &b, err) && feed_bytes(b.p, b.n, err);

    return ok;
}

/* ---- a tar ---- */

/* The corpus is this project's own: its headers are believed. */
static bool feed_tar(const char *path, unsigned *fed, struct jw_err *err)
{
    FREED(jw_buf) b = JW_BUF(MAX);
    bool ok = slurp(path, &b, err);
    size_t n = strlen(target);

    for (size_t at = 0; ok && at + JW_TAR_BLOCK <= b.n && b.p[at];) {
        const char *name = (const char *)b.p + at;
        size_t size = strtoul(name + AT_SIZE, NULL, 8);

        if (jw_tar_span(size) > b.n - at) {
            ok = jw_fail(err, JW_E_FORMAT, "%s: cut off", path);
            break;
        }
        if (strncmp(name, target, n) == 0 && name[n] == '/') {
            ok = feed_bytes(b.p + at + JW_TAR_BLOCK, size, err);
            ++*fed;
        }
        at += (size_t)jw_tar_span(size);
    }
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
        if (!ok || !more || e.kind != JW_FILE_REGULAR)
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

    target = argc > 1 ? argv[1] : NULL;
    if (!fuzz_target(target)) {
        fprintf(stderr, "replay TARGET PATH...: the targets are in tests/fuzz/targets.def\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        struct jw_file_info info;
        struct jw_err err = {0};
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
