#include "prime/memory/begun.h"

#include "base/command.h"
#include "base/digest.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/warmplace.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "session/lines.h"

#include <string.h>

enum {
    BEGUN = 44,         /* the kind of its record; earlier versions wrote 42 and 43 */
    PATIENCE_MS = 100,  /* a process that asks holds the lock for a moment */
    MAX_BYTES = 1 << 20 /* of a file, before it is emptied */
};

static const struct jw_field a_file[] = { JW_FIELD_ALONE(JW_FIELD_TEXT, sizeof(char *)), { 0 } };
static const struct jw_field fields[] = {
    JW_FIELD(struct prime_begun, key),
    JW_FIELD(struct prime_begun, folder),
    JW_FIELD_LIST_OF(struct prime_begun, files, n_files, a_file),
    JW_FIELD_LIST_OF(struct prime_begun, facts, n_facts, a_file),
    JW_FIELD(struct prime_begun, nowhere),
    JW_FIELD(struct prime_begun, unkept),
    JW_FIELD(struct prime_begun, failed),
    JW_FIELD(struct prime_begun, build),
    JW_FIELD(struct prime_begun, left),
    JW_FIELD(struct prime_begun, unrecorded),
    { 0 },
};

/* The first fields of a record of any version. */
static const struct jw_field of_any_version[] = {
    JW_FIELD(struct prime_begun, key),
    JW_FIELD(struct prime_begun, folder),
    JW_FIELD_LIST_OF(struct prime_begun, files, n_files, a_file),
    { 0 },
};

/* Appends it, for the last record counts: where the disk is full, the one before stays. */
static bool write_begun(struct jw_append *f, const struct prime_begun *b, struct jw_err *err)
{
    struct jw_buf record = JW_BUF(JW_MAX_STATE_RECORD);

    jw_record_put(&record, BEGUN, fields, b);
    bool ok = jw_buf_ok(&record, err) && (f->size < MAX_BYTES || jw_append_truncate(f, 0, err))
              && jw_append_write(f, record.p, record.n, err) && jw_append_sync(f, err);

    jw_buf_free(&record);
    return ok;
}

/* That a command compiles at each start outlasts its recordings, and each knows the same file of it. */
static const char *path_of(const char *dir, const struct prime_begun *b, struct jw_arena *a)
{
    unsigned long long digest = jw_fnv1a(JW_FNV_START, b->key, strlen(b->key));

    return jw_path_join(a, dir,
                        prime_compiles_always(b)
                            ? jw_arena_printf(a, "%016llx.unkept.begun", digest)
                            : jw_arena_printf(a, "%016llx.%lu.begun", digest, jw_process_id()));
}

const char *prime_begun_every(const struct prime_begun *b, struct jw_arena *a)
{
    return prime_keeps_nothing(b) ? jw_arena_printf(
               a, "%.80s has the driver keep nothing (%s), so every start of it compiles", b->key, b->nowhere)
           : prime_compiles_always(b)
               ? jw_arena_printf(a,
                                 "no cache keeps what %s compiles for %.80s, so every start of it compiles",
                                 b->unkept, b->key)
               : NULL;
}

/* Above each kernel of Numba, of which it keeps those with cache=True. */
static const char kernels[] = "@cuda.jit";

const char *prime_begun_setting(const struct prime_begun *b, struct jw_arena *a)
{
    const char *name =
        prime_keeps_nothing(b) ? jw_arena_text(a, b->nowhere, strcspn(b->nowhere, "= ")) : kernels;

    for (size_t i = 0; i < b->n_files && *name && !jw_os_is_windows(); i++) {
        struct jw_buf text = JW_BUF(JW_MAX_CONF);
        struct jw_err ignored;
        bool found = false, has = jw_file_slurp(b->files[i], &text, &found, &ignored) && found
                                  && strstr(jw_buf_cstr(&text), name);

        jw_buf_free(&text);
        if (has)
            return JW_COMMAND(a, false, "grep", "-n", name, b->files[i]);
    }
    return NULL;
}

const char *prime_begun_look(const struct prime_begun *b, struct jw_arena *a)
{
    const char *setting = prime_begun_setting(b, a);

    return setting ? setting
                   : jw_line_start(NULL, "jitwarm verify", "", b->key,
                                   b->folder && *b->folder ? b->folder : NULL, a);
}

const char *prime_begun_look_shows(const char *look)
{
    return !jw_text_starts(look, "grep ") ? "what a start of it does"
           : strstr(look, kernels)        ? "the kernels, of which Numba keeps those with cache=True"
                                          : "the line to take out";
}

/* Returns where the last whole record ends; 0: there is none. */
static uint64_t take_last(struct jw_bytes bytes, struct jw_record *out)
{
    struct jw_reader r = jw_reader(bytes);
    struct jw_record next;

    while (jw_record_take(&r, &next))
        *out = next;
    return r.at;
}

/* Removes half a record that a process left when it was killed: none behind it would be read. */
static bool remove_half(struct jw_append *f, const char *path, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_BYTES + JW_MAX_STATE_RECORD);
    struct jw_record last;
    bool found = false, ok = !f->size
                             || (jw_file_slurp(path, &bytes, &found, err)
                                 && jw_append_truncate(f, take_last(jw_buf_bytes(&bytes), &last), err));

    jw_buf_free(&bytes);
    return ok;
}

bool prime_begin(const char *cache, const struct prime_begun *b, struct jw_arena *a,
                 struct prime_begun_file *out, struct jw_err *err)
{
    struct jw_warm_place place;
    bool taken = false;

    *out = (struct prime_begun_file){ .file = JW_APPEND_CLOSED };
    if (!jw_warm_place_find(cache, a, &place, err) || !jw_warm_place_make(&place, a, err))
        return false;
    out->path = path_of(place.dir, b, a);
    bool ok = jw_append_open(&out->file, out->path, err)
              && jw_filelock_take_mark(out->file.handle, true, PATIENCE_MS, &taken, err)
              && (!taken || (remove_half(&out->file, out->path, err) && write_begun(&out->file, b, err)));

    if (ok && taken)
        return true;
    /* not taken: a process with this number on another system that shares the folder has it */
    jw_append_close(&out->file);
    out->path = NULL;
    return ok;
}

/* Takes only the command from a record of another version: its start counts as not recorded to its end. */
static bool get_begun(const struct jw_record *record, struct jw_arena *a, struct prime_begun *out)
{
    struct jw_reader r = jw_reader(record->body);

    if (record->kind == BEGUN)
        return jw_record_get(record, fields, a, out);
    jw_fields_get(&r, of_any_version, a, out);
    return !r.bad;
}

/* Returns false where the file is held or says nothing. */
static bool read_left(const char *path, struct jw_arena *a, struct prime_begun *out)
{
    struct jw_buf bytes = JW_BUF_IN(a, MAX_BYTES + JW_MAX_STATE_RECORD);
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored;
    struct jw_record record = { 0 };
    bool taken = false;

    *out = (struct prime_begun){ 0 };
    bool ok = jw_file_open(&f, path, &ignored) && jw_filelock_take_mark(f.handle, false, 0, &taken, &ignored)
              && taken && jw_file_read_all(&f, &bytes, &ignored);

    jw_file_close(&f);
    return ok && take_last(jw_buf_bytes(&bytes), &record) && get_begun(&record, a, out);
}

static struct jw_listing list_of(const char *dir, struct jw_arena *a)
{
    struct jw_notes ignored = { 0 };

    return dir ? jw_listing_read(dir, "*.begun", a, &ignored) : (struct jw_listing){ 0 };
}

void prime_begun_end(struct prime_begun_file *f, const struct prime_begun *b, struct jw_arena *a)
{
    const char *dir = f->path ? jw_path_dir(a, f->path) : NULL;
    const struct jw_listing all = list_of(dir, a);
    struct prime_begun one;
    struct jw_err ignored;

    const bool stays = b->left || prime_begun_is_in_vain(b),
               whole = dir && (!stays || write_begun(&f->file, b, &ignored));

    if (dir)
        jw_append_close(&f->file);
    for (size_t i = 0; whole && i < all.n; i++) {
        const char *path = jw_path_join(a, dir, all.names[i]);
        bool this_one = strcmp(path, f->path) == 0;

        if (this_one
                ? !stays
                : read_left(path, a, &one) && strcmp(one.key, b->key) == 0 && !prime_compiles_always(&one))
            (void)!jw_file_remove(path, &ignored);
    }
    f->path = NULL;
}

void prime_begun_leave(struct prime_begun_file *f)
{
    if (f->path)
        jw_append_close(&f->file);
    f->path = NULL;
}

static unsigned whys_of(const struct prime_begun *b)
{
    return (b->failed ? PRIME_BEGUN_FAILED : 0) | (prime_keeps_nothing(b) ? PRIME_BEGUN_NOWHERE : 0)
           | (prime_compiles_always(b) ? PRIME_BEGUN_UNKEPT : 0);
}

void prime_begun_forget(const struct jw_warm_state *memory, const char *key, unsigned whys,
                        struct jw_arena *a)
{
    const struct jw_listing all = list_of(memory->dir, a);
    struct prime_begun one;
    struct jw_err ignored;

    for (size_t i = 0; i < all.n; i++) {
        const char *path = jw_path_join(a, memory->dir, all.names[i]);

        if (read_left(path, a, &one) && strcmp(one.key, key) == 0 && whys_of(&one) & whys)
            (void)!jw_file_remove(path, &ignored);
    }
}

static bool can_start(const struct prime_begun *b)
{
    for (size_t i = 0; i < b->n_files; i++)
        if (jw_is_absent(b->files[i]))
            return false;
    return true;
}

size_t prime_begun_list(const struct jw_warm_state *memory, struct jw_arena *a, struct prime_begun **out)
{
    const struct jw_listing all = list_of(memory->dir, a);
    size_t n = 0;

    *out = jw_arena_alloc(a, (all.n + 1) * sizeof **out);
    for (size_t i = 0; i < all.n; i++) {
        struct prime_begun *now = *out + n;
        size_t k = 0;

        if (!read_left(jw_path_join(a, memory->dir, all.names[i]), a, now) || !can_start(now))
            continue;
        while (strcmp((*out)[k].key, now->key) != 0
               || prime_compiles_always(&(*out)[k]) != prime_compiles_always(now))
            k++;
        n += k == n;
    }
    return n;
}
