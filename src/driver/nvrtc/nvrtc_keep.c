#include "driver/nvrtc/nvrtc_keep.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/files/tree.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum { KEY_DIGITS = 32, MAX_NAME = 100 };

static void add(struct jw_digest_state *s, const void *p, size_t n)
{
    uint8_t size[8];

    jw_put64(size, n);
    jw_digest_update(s, size, sizeof size);
    jw_digest_update(s, p, n);
}

/* Two builds of one version differ in their file. */
static void add_library(struct jw_digest_state *s, const char *path)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored;
    char text[64];

    if (!jw_path_absolute(path) || !jw_file_stat(path, &info, &ignored))
        info = (struct jw_file_info){ 0 };
    (void)snprintf(text, sizeof text, "%llu %lld", (unsigned long long)info.size, (long long)info.mtime);
    add(s, path, strlen(path));
    add(s, text, strlen(text));
}

const char *jw_nvrtc_kept_path(struct jw_arena *a, const char *folder, const struct jw_nvrtc_asked *asked)
{
    size_t n = strlen(asked->name);
    char hex[2 * JW_DIGEST + 1], cuda[16];
    uint8_t digest[JW_DIGEST];
    struct jw_digest_state s;

    (void)snprintf(cuda, sizeof cuda, "%u", asked->driver_cuda);
    jw_digest_init(&s);
    add(&s, asked->folder, strlen(asked->folder));
    add(&s, asked->name, n);
    add(&s, asked->arch, strlen(asked->arch));
    add(&s, cuda, strlen(cuda));
    add(&s, asked->source, sizeof asked->source);
    for (size_t i = 0; i < asked->libraries->n; i++)
        add_library(&s, asked->libraries->v[i].path);
    add(&s, &asked->by_loader, sizeof asked->by_loader);
    jw_digest_final(&s, digest);
    jw_digest_hex(hex, digest);
    hex[KEY_DIGITS] = '\0';
    n = n > 3 && n <= MAX_NAME ? n - 3 : 0; /* without ".cu" */
    return jw_path_join(a, folder,
                        jw_arena_printf(a, "%s%s%.*s.ptx", hex, n ? "-" : "", (int)n, asked->name));
}

/* A directive may be broken by a backslash at the end of a line. */
bool jw_nvrtc_stands_alone(struct jw_bytes source)
{
    static const char word[] = "include";
    size_t at = 0, matched = 0;

    while (at < source.n && word[matched]) {
        size_t end = at + 1;

        if (source.p[at] == '\\') {
            while (end < source.n && (source.p[end] == ' ' || source.p[end] == '\t' || source.p[end] == '\r'))
                end++;
            if (end < source.n && source.p[end] == '\n') {
                at = end + 1;
                continue;
            }
        }
        matched = source.p[at] == (uint8_t)word[matched] ? matched + 1 : source.p[at] == (uint8_t)word[0];
        at++;
    }
    return word[matched] != '\0';
}

bool jw_nvrtc_kept(const char *path, struct jw_buf *ptx)
{
    size_t before = ptx->n;
    struct jw_err ignored;
    bool found = false;
    bool ok = jw_file_slurp(path, ptx, &found, &ignored) && found && ptx->n > before;

    if (!ok && !ptx->bad)
        ptx->n = before;
    return ok;
}

static bool holds(const char *path, struct jw_bytes ptx)
{
    struct jw_buf old = JW_BUF(JW_MAX_PLAIN);
    bool same = jw_nvrtc_kept(path, &old) && old.n == ptx.n && memcmp(old.p, ptx.p, ptx.n) == 0;

    jw_buf_free(&old);
    return same;
}

static void sweep(const char *folder, struct jw_arena *a)
{
    static const int64_t age = (int64_t)JW_NVRTC_KEPT_DAYS * 24 * 60 * 60 * 1000000000;
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_notes notes = { 0 };
    struct jw_listing names;
    struct jw_err ignored;

    jw_out_sweep(folder);
    if (!jw_tree_open(&t, folder, &ignored))
        return;
    names = jw_listing_read(folder, "*.ptx", a, &notes);
    for (size_t i = 0; i < names.n; i++) {
        struct jw_file_info info;

        if (jw_tree_stat(&t, names.names[i], &info, &ignored) && info.kind == JW_FILE_REGULAR
            && info.mtime < jw_time_unix_ns() - age)
            (void)!jw_tree_remove(&t, names.names[i], &ignored);
    }
    jw_tree_close(&t);
}

bool jw_nvrtc_keep(const char *path, struct jw_bytes ptx, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_path_dir(a, path);

    if (holds(path, ptx))
        return true;
    const char *state = jw_path_dir(a, folder);

    if (!jw_make_dirs(jw_path_dir(a, state), err) || !jw_make_private_dir(state, err)
        || !jw_make_private_dir(folder, err))
        return jw_wrap(err, "%s", folder);
    sweep(folder, a);
    return jw_file_put(path, JW_OUT_REPLACE, ptx, err) || jw_wrap(err, "%s", path);
}
