#include "fleet/receipt.h"

#include "base/buf.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "cache/memory/state.h"
#include "machine/trust.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

enum { LAYER = 45 /* the kind of its record */ };
#define MOST_BYTES (JW_MAX_STATE_RECORD + JW_RECORD_FRAME)

struct entry_file {
    uint64_t name, size;
};

/* FOLDER/HEX.done */
struct layer {
    const char *root; /* of the cache */
    struct entry_file *v;
    size_t n;
};

static const struct jw_field entry_fields[] = { JW_FIELD(struct entry_file, name),
                                                JW_FIELD(struct entry_file, size),
                                                { 0 } };
static const struct jw_field layer_fields[] = { JW_FIELD(struct layer, root),
                                                JW_FIELD_LIST_OF(struct layer, v, n, entry_fields),
                                                { 0 } };

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

static bool entry_there(const char *root, const struct entry_file *f, struct jw_buf *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    jw_buf_clear(path);
    jw_buf_printf(path, "%s/%s", root, jw_cache_name(f->name).text);
    return jw_file_stat(jw_buf_cstr(path), &info, &ignored) && info.kind == JW_FILE_REGULAR
           && info.size == f->size;
}

bool fleet_receipt_holds(const char *folder, const char *digest, const char *root, struct jw_arena *a)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_bytes file = { NULL, 0 };
    struct jw_record record;
    struct layer l = { 0 };
    struct jw_err ignored;
    bool found = false;

    (void)!jw_trust_slurp(receipt_path(folder, digest, a), MOST_BYTES, a, &file, &found, &ignored);

    struct jw_reader r = jw_reader(file);
    bool ok = jw_record_take(&r, &record) && r.at == file.n && record.kind == LAYER
              && jw_record_get(&record, layer_fields, a, &l) && strcmp(l.root, root) == 0 && l.n;

    for (size_t i = 0; ok && i < l.n; i++)
        ok = entry_there(root, &l.v[i], &path);
    jw_buf_free(&path);
    return ok;
}

void fleet_receipt_write(const char *folder, const char *digest, const char *root,
                         const struct jw_import_report *r, struct jw_arena *a)
{
    struct layer l = { .root = root, .v = jw_arena_alloc(a, (r->n_entries + 1) * sizeof *l.v) };
    struct jw_buf record = JW_BUF(MOST_BYTES);
    struct jw_err ignored;

    for (size_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].state != JW_IMPORT_CANARY)
            l.v[l.n++] = (struct entry_file){ r->entries[i].of->name, jw_pack_entry_bytes(r->entries[i].of) };
    jw_record_put(&record, LAYER, layer_fields, &l);
    (void)!(jw_buf_ok(&record, &ignored)
            && jw_trust_put(receipt_path(folder, digest, a), jw_buf_bytes(&record), &ignored));
    jw_buf_free(&record);
}
