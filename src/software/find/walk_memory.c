#include "software/find/walk_memory.h"

#include "base/digest.h"
#include "base/fields.h"
#include "base/path.h"
#include "machine/trust.h"

#include <string.h>

enum { RECORD = 37, NAME_DIGITS = 16, MAX_FOLDERS = 1 << 16 };

static const struct jw_field a_path[] = { JW_FIELD_ALONE(JW_FIELD_TEXT, sizeof(char *)), { 0 } };
static const struct jw_field folder[] = { JW_FIELD(struct walked_folder, kind),
                                          JW_FIELD(struct walked_folder, mtime),
                                          JW_FIELD(struct walked_folder, id.volume),
                                          JW_FIELD(struct walked_folder, id.node),
                                          JW_FIELD_UP_TO(struct walked_folder, children, 4, MAX_FOLDERS),
                                          JW_FIELD(struct walked_folder, name),
                                          { 0 } };
static const struct jw_field fields[] = {
    JW_FIELD(struct walk_memory, looked),
    JW_FIELD_LIST_UP_TO(struct walk_memory, running.names, running.n, a_path, MAX_FOLDERS),
    JW_FIELD_LIST_UP_TO(struct walk_memory, v, n, folder, MAX_FOLDERS),
    { 0 },
};

static const char *file_of(const char *in, const char *top, struct jw_arena *a)
{
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];

    jw_digest(digest, top, strlen(top));
    jw_digest_hex(hex, digest);
    hex[NAME_DIGITS] = '\0';
    return jw_path_join(a, in, hex);
}

/* The children of each folder follow those of the folder before it. */
static bool place_children(struct walk_memory *m, const char *top)
{
    size_t next = 1;

    for (size_t i = 0; i < m->n; i++) {
        m->v[i].first = next;
        next += m->v[i].children;
        if (next > m->n || m->v[i].first <= i)
            return false;
    }
    return m->n && next == m->n && strcmp(m->v[0].name, top) == 0;
}

void walk_memory_load(const char *in, const char *top, struct jw_arena *a, struct walk_memory *out)
{
    struct jw_err ignored = { 0 };
    bool found = false;

    *out = (struct walk_memory){ 0 };
    if (!jw_trust_load(file_of(in, top, a), RECORD, fields, a, out, &found, &ignored) || !found
        || !place_children(out, top))
        *out = (struct walk_memory){ 0 };
}

void walk_memory_save(const char *in, const struct walk_memory *m, struct jw_arena *a)
{
    struct jw_err why = { 0 };

    (void)!(m->n && jw_trust_save(file_of(in, m->v[0].name, a), RECORD, fields, m, &why));
}
