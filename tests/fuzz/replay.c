/* Feeds files, and those of folders, to a fuzz target: its corpus as an ordinary test, without libFuzzer. */
#include "fuzz.h"
#include "os/files/dir.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64 << 20 };

/* The copy has exactly the size of the file, so that a sanitizer sees one byte too many. */
static bool feed(const char *path, struct jw_err *err)
{
    struct jw_buf b = JW_BUF(MOST);
    bool found = false, ok = jw_file_slurp(path, &b, &found, err);
    uint8_t *exact = ok && found ? malloc(b.n ? b.n : 1) : NULL;

    if (exact) {
        if (b.n)
            memcpy(exact, b.p, b.n);
        (void)LLVMFuzzerTestOneInput(exact, b.n);
    } else if (ok) {
        ok = jw_fail(err, JW_E_IO, "no such file");
    }
    free(exact);
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

    for (int i = 1; i < argc; i++) {
        struct jw_file_info info;
        struct jw_err err = { 0 };
        bool ok = jw_file_stat(argv[i], &info, &err);

        if (ok && info.kind == JW_FILE_DIR) {
            ok = feed_folder(argv[i], &fed, &err);
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
