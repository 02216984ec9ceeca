/* The ledger file: a checked record (base/fields.h) for each known file. Its name is that of the
 * view. It is read up to the first damaged record. */
#include "memory/ledger.h"

#include "base/fields.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "memory/cache_memory.h"
#include "memory/state_folder.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <string.h>

/* A module takes about 100 bytes, so this is four times the largest machine that was seen. Files
 * beyond it are read each time. */
#define MOST_BYTES ((size_t)128 << 20)

struct known {
    uint64_t key; /* FNV-1a of the path; the list is sorted by it */
    const char *path;
    struct jw_file_info info;
    struct jw_bytes value;
};

struct jw_ledger {
    struct jw_arena a;
    const char *path; /* NULL: nothing is remembered */
    int64_t opened;
    struct known *known; /* as read from the file; never changed */
    size_t n_known;
    struct jw_lock *lock; /* guards the fields below */
    struct known *fresh;
    size_t n_fresh;
    struct jw_arena texts; /* holds the texts of `fresh` */
};

static const struct jw_field known_fields[] = {
    JW_FIELD(struct known, path),           JW_FIELD(struct known, info.size),
    JW_FIELD(struct known, info.id.volume), JW_FIELD(struct known, info.id.node),
    JW_FIELD(struct known, info.mtime),     JW_FIELD(struct known, info.ctime),
    JW_FIELD(struct known, value),          {0},
};

static uint64_t key_of(const char *path) { return jw_fnv1a(JW_FNV_START, path, strlen(path)); }

static void take_records(struct jw_ledger *l, struct jw_bytes file)
{
    struct jw_reader r = jw_reader(file);
    struct jw_record record;

    while (jw_record_take(&r, &record) && record.kind == JW_RECORD_FILE) {
        struct known k = {.info.kind = JW_FILE_REGULAR}, *next;

        if (!jw_record_get(&record, known_fields, NULL, &k)
            || !(next = jw_list_add(&l->a, &l->known, &l->n_known, sizeof k, JW_MAX_OWNED,
                                    JW_IGNORED)))
            break;
        *next = k;
        next->key = key_of(k.path);
    }
    jw_sort_u64(l->known, l->n_known, sizeof *l->known);
}

static const char *path_of(const uint8_t view[JW_DIGEST], struct jw_arena *a)
{
    const char *folder = jw_state_own(JW_STATE_LEDGER, a, JW_IGNORED);

    return folder ? jw_arena_printf(a, "%s/%.*s", folder, (int)sizeof JW_STATE_NAMES - 1,
                                    jw_digest_text(view).text)
                  : NULL;
}

struct jw_ledger *jw_ledger_open(const uint8_t view[JW_DIGEST])
{
    struct jw_ledger *l = jw_alloc(sizeof *l);
    struct jw_bytes file;
    bool found;

    *l = (struct jw_ledger){.opened = jw_time_unix_ns(), .lock = jw_lock_new()};
    l->path = path_of(view, &l->a);
    if (l->path && jw_trust_slurp(l->path, MOST_BYTES, &l->a, &file, &found, JW_IGNORED) && found)
        take_records(l, file);
    return l;
}

static const struct known *find_known(const struct known *sorted, size_t n, uint64_t key,
                                      const char *path)
{
    for (size_t i = jw_count_below(sorted, n, sizeof *sorted, key); i < n && sorted[i].key == key;
         i++)
        if (strcmp(sorted[i].path, path) == 0)
            return &sorted[i];
    return NULL;
}

bool jw_ledger_find(const struct jw_ledger *l, const char *path, const struct jw_file_info *info,
                    struct jw_bytes *out)
{
    const struct known *k = find_known(l->known, l->n_known, key_of(path), path);
    bool found = k && jw_file_unchanged(&k->info, info);

    *out = found ? k->value : (struct jw_bytes){NULL, 0};
    return found;
}

void jw_ledger_put(struct jw_ledger *l, const char *path, const struct jw_file_info *info,
                   struct jw_bytes value)
{
    struct known *k;

    if (!l->path || info->kind != JW_FILE_REGULAR || !jw_file_change_shows(info, l->opened))
        return;
    jw_lock_take(l->lock);
    k = jw_list_add(&l->texts, &l->fresh, &l->n_fresh, sizeof *k, JW_MAX_OWNED, JW_IGNORED);
    if (k && jw_arena_has_room(&l->texts, value.n + strlen(path)))
        *k = (struct known){.key = key_of(path),
                            .path = jw_arena_str(&l->texts, path),
                            .info = *info,
                            .value = {jw_arena_copy(&l->texts, value.p, value.n), value.n}};
    else if (k)
        l->n_fresh--;
    jw_lock_drop(l->lock);
}

/* Appends a file's record; leaves out one that is too large, or for which there is no room. */
static void write_one(struct jw_buf *out, const struct known *k)
{
    if (k->value.n + strlen(k->path) + 128 > JW_MAX_STATE_RECORD
        || out->n + k->value.n + strlen(k->path) + 128 > MOST_BYTES)
        return;
    jw_record_put(out, JW_RECORD_FILE, known_fields, k);
}

/* If there are too many views, all other views are removed; they can be computed again. */
static void drop_old_views(const struct jw_ledger *l, const char *folder, struct jw_arena *a)
{
    struct jw_listing names = jw_listing_read(folder, JW_STATE_NAMES, a, NULL);

    if (names.n <= JW_LEDGER_VIEWS)
        return;
    for (size_t i = 0; i < names.n; i++) {
        const char *path = jw_path_join(a, folder, names.names[i]);

        if (strcmp(path, l->path) != 0)
            (void)!jw_file_remove(path, JW_IGNORED);
    }
}

static void write_all(struct jw_ledger *l)
{
    struct jw_buf out = JW_BUF(MOST_BYTES);
    const char *folder = jw_path_dir(&l->a, l->path);

    jw_sort_u64(l->fresh, l->n_fresh, sizeof *l->fresh);
    for (size_t i = 0; i < l->n_fresh; i++)
        write_one(&out, &l->fresh[i]);
    for (size_t i = 0; i < l->n_known; i++)
        if (!find_known(l->fresh, l->n_fresh, l->known[i].key, l->known[i].path)
            && !jw_is_absent(l->known[i].path))
            write_one(&out, &l->known[i]);
    if (!out.bad && jw_state_make(folder, &l->a, JW_IGNORED)
        && jw_trust_put(l->path, jw_buf_bytes(&out), JW_IGNORED))
        drop_old_views(l, folder, &l->a);
    jw_buf_free(&out);
}

void jw_ledger_close(struct jw_ledger *l)
{
    if (!l)
        return;
    if (l->path && l->n_fresh)
        write_all(l);
    jw_lock_free(l->lock);
    jw_arena_free(&l->texts);
    jw_arena_free(&l->a);
    jw_free(l);
}
