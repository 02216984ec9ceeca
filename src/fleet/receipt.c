/*
 * FOLDER/HEX.done:
 *   jitwarm layer 1
 *   ROOT of the cache
 *   SIZE NAME of each entry's file
 */
#include "fleet/receipt.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "cache/memory/state.h"
#include "machine/trust.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "jitwarm layer 1\n"

const char *fleet_folder(struct jw_arena *a, struct jw_err *err)
{
    const char *state = jw_state_dir(a, err), *folder = state ? jw_path_join(a, state, "layers") : NULL;

    return folder && jw_trust_make(folder, err) && jw_trust_believe(folder, "folder", a, err) ? folder : NULL;
}

static const char *receipt_path(const char *folder, const char *digest, struct jw_arena *a)
{
    char name[80];

    (void)snprintf(name, sizeof name, "%.64s.done", digest + 7);
    return jw_path_join(a, folder, name);
}

static bool entry_there(const char *root, const char *name, uint64_t size, struct jw_buf *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    jw_buf_clear(path);
    jw_buf_printf(path, "%s/%s", root, name);
    return jw_file_stat(jw_buf_cstr(path), &info, &ignored) && info.kind == JW_FILE_REGULAR
           && info.size == size;
}

/* `text`: the lines after the root. */
static bool all_there(const char *text, const char *root)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool ok = *text != '\0';

    while (ok && *text) {
        char *at, name[40] = "";
        unsigned long long size = strtoull(text, &at, 10);
        size_t n = *at == ' ' ? strspn(at + 1, "0123456789abcdef/") : 0;

        ok = n > 0 && n < sizeof name && at[1 + n] == '\n';
        if (ok) {
            memcpy(name, at + 1, n);
            ok = entry_there(root, name, size, &path);
            text = at + n + 2;
        }
    }
    jw_buf_free(&path);
    return ok;
}

bool fleet_receipt_holds(const char *folder, const char *digest, const char *root, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    const char *path = receipt_path(folder, digest, a), *at;
    struct jw_err ignored;
    size_t n = strlen(root);
    bool found, ok = path && jw_file_slurp(path, &text, &found, &ignored) && found;

    at = ok ? jw_buf_cstr(&text) : "";
    ok = ok && strncmp(at, HEAD, strlen(HEAD)) == 0;
    at += ok ? strlen(HEAD) : 0;
    ok = ok && strncmp(at, root, n) == 0 && at[n] == '\n' && all_there(at + n + 1, root);
    jw_buf_free(&text);
    return ok;
}

void fleet_receipt_write(const char *folder, const char *digest, const char *root,
                         const struct jw_import_report *r, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    const char *path = receipt_path(folder, digest, a);
    struct jw_out out = { .handle = -1 };
    struct jw_err ignored;

    jw_buf_printf(&text, HEAD "%s\n", root);
    for (size_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].state != JW_IMPORT_CANARY)
            jw_buf_printf(&text, "%llu %s\n", (unsigned long long)jw_pack_entry_bytes(r->entries[i].of),
                          jw_cache_name(r->entries[i].of->name).text);
    if (path && jw_buf_ok(&text, &ignored) && jw_out_open(&out, path, true, &ignored)
        && jw_out_write(&out, text.p, text.n, &ignored))
        (void)!jw_out_commit(&out, &ignored);
    jw_out_close(&out);
    jw_buf_free(&text);
}
