#include "cache/memory/warmplace.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "cache/memory/state_folder.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <string.h>

enum {
    HOLDER = 39, /* the kind of its record */
    LONGEST_HOLDER = 64,
    HOLDER_TRIES = 20, /* between taking the lock and saying who has it there is a moment */
    HOLDER_NAP_MS = 5
};

static const char too_large[] = "is larger than it can have become";

static void jw_warm_digest(const char *real, char out[JW_WARM_DIGEST + 1])
{
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];

    jw_digest(digest, real, strlen(real));
    jw_digest_hex(hex, digest);
    memcpy(out, hex, JW_WARM_DIGEST);
    out[JW_WARM_DIGEST] = '\0';
}

bool jw_warm_place_find(const char *folder, struct jw_arena *a, struct jw_warm_place *out, struct jw_err *err)
{
    const char *real;

    *out = (struct jw_warm_place){ 0 };
    return jw_real_path(folder, a, &real, err) ? jw_warm_place_of_real(real, a, out, err)
                                               : jw_wrap(err, "%s", folder);
}

bool jw_warm_place_of_real(const char *real, struct jw_arena *a, struct jw_warm_place *out,
                           struct jw_err *err)
{
    char digest[JW_WARM_DIGEST + 1];

    *out = (struct jw_warm_place){ .cache = real };
    jw_warm_digest(real, digest);
    out->state = jw_state_dir(a, err);
    if (!out->state)
        return false;
    out->roots = jw_path_join(a, out->state, jw_state_rows[JW_STATE_CACHES].name);
    out->dir = out->roots ? jw_path_join(a, out->roots, digest) : NULL;
    out->log = jw_path_join(a, out->dir, "warm.log");
    out->lock = jw_path_join(a, out->dir, "lock");
    out->progress = jw_path_join(a, out->dir, "progress");
    out->backup = jw_path_join(a, out->dir, "index.backup");
    return true;
}

bool jw_warm_place_check(const struct jw_warm_place *p, struct jw_arena *a, struct jw_err *err)
{
    const char *const folders[] = { p->state, p->roots, p->dir };

    for (size_t i = 0; i < JW_COUNT(folders); i++)
        if (!jw_trust_check_own(folders[i], "folder", a, err))
            return jw_wrap(err, "%s", folders[i]);
    return jw_trust_check_own(p->log, "file", a, err) || jw_wrap(err, "%s", p->log);
}

bool jw_warm_place_make(const struct jw_warm_place *p, struct jw_arena *a, struct jw_err *err)
{
    const char *const folders[] = { p->state, p->roots, p->dir };

    for (size_t i = 0; i < JW_COUNT(folders); i++)
        if (!jw_trust_make(folders[i], err))
            return jw_wrap(err, "%s", folders[i]);
    return jw_warm_place_check(p, a, err);
}

static const char *wrong_kind(const char *path, bool folder, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_file_stat(path, &info, &ignored) || info.kind == JW_FILE_NONE
        || info.kind == (folder ? JW_FILE_DIR : JW_FILE_REGULAR))
        return NULL;
    return jw_arena_printf(a, "%s is not a %s", path, folder ? "folder" : "file");
}

/* It is opened only where its rights are in doubt. */
static const char *wrong_log(const char *path, struct jw_arena *a)
{
    enum { OWN = 0600 };
    struct jw_file_info info;
    struct jw_err why = { 0 };
    struct jw_file f = JW_FILE_CLOSED;
    bool found;

    if (!jw_file_stat(path, &info, &why) || info.kind != JW_FILE_REGULAR)
        return NULL;
    if (info.size > JW_MAX_WARM_LOG)
        return jw_arena_printf(a, "%s %s", path, too_large);
    if (jw_os_is_windows() || (info.mode & OWN) == OWN || jw_file_open_existing(&f, path, &found, &why)) {
        jw_file_close(&f);
        return NULL;
    }
    return jw_arena_printf(a, "%s: %s", path, why.msg);
}

/* Checks what belongs to the cache: its folder, and the files in it. */
static const char *wrong_in_cache(const char *folder, struct jw_arena *a, const char **path)
{
    struct jw_warm_place p;
    struct jw_err ignored;
    const char *why = NULL;

    if (!jw_warm_place_find(folder, a, &p, &ignored))
        return NULL;

    const char *const paths[] = { p.dir, p.lock, p.progress, p.backup, p.log };

    for (size_t i = 0; i < JW_COUNT(paths) && !why; i++) {
        *path = paths[i];
        why = wrong_kind(*path, i == 0, a);
    }
    return why ? why : wrong_log(p.log, a);
}

const char *jw_warm_blocked(const char *folder, struct jw_arena *a, const char **path)
{
    struct jw_err ignored;
    const char *state = jw_state_dir(a, &ignored), *why = state ? wrong_kind(state, true, a) : NULL;

    *path = state;
    for (size_t i = 0; state && i < JW_STATE_PLACES && !why; i++) {
        enum jw_state_form form = jw_state_rows[i].form;

        if (form == JW_STATE_SCRATCH)
            continue;
        *path = jw_path_join(a, state, jw_state_rows[i].name);
        why = wrong_kind(*path, form != JW_STATE_FILE, a);
    }
    return why || !folder ? why : wrong_in_cache(folder, a, path);
}

/* ---- the log ---- */

static bool read_open(struct jw_file *f, struct jw_arena *a, struct jw_warm_image *out, struct jw_err *err)
{
    uint8_t *room;

    if (!jw_file_info(f, &out->file, err))
        return false;
    if (out->file.size > JW_MAX_WARM_LOG)
        return jw_fail(err, JW_E_LIMIT, "%s", too_large);
    room = jw_arena_alloc(a, (size_t)out->file.size + 1);
    out->bytes.p = room;
    return jw_file_read(f, 0, room, (size_t)out->file.size, &out->bytes.n, err);
}

static bool read_whole(const char *path, struct jw_arena *a, struct jw_warm_image *out, struct jw_err *err)
{
    struct jw_file f;
    bool found;

    bool ok = jw_file_open_existing(&f, path, &found, err) && (!found || read_open(&f, a, out, err));

    jw_file_close(&f);
    return ok;
}

bool jw_warm_image_read(const struct jw_warm_place *p, struct jw_arena *a, struct jw_warm_image *out,
                        struct jw_err *err)
{
    *out = (struct jw_warm_image){ 0 };
    if (!read_whole(p->log, a, out, err) || !jw_warmlog_scan(out->bytes, &out->log, err))
        return jw_wrap(err, "%s", p->log);
    out->cache = jw_warmlog_cache(out->bytes);
    return true;
}

/* ---- the lock ---- */

static const struct jw_field holder_fields[] = {
    JW_FIELD_UP_TO(struct jw_warm_holder, pid, 8, UINT32_MAX),
    JW_FIELD_UP_TO(struct jw_warm_holder, since, 8, INT64_MAX),
    { 0 },
};

void jw_warm_holder_put(struct jw_buf *out, const struct jw_warm_holder *holder)
{
    jw_record_put(out, HOLDER, holder_fields, holder);
}

/* Until it is written whole, the holder is unknown. */
static bool read_holder(struct jw_file *f, struct jw_warm_holder *out, struct jw_err *err)
{
    uint8_t bytes[LONGEST_HOLDER];
    struct jw_record record;
    size_t got;

    for (unsigned i = 0; i < HOLDER_TRIES; i++) {
        struct jw_warm_holder read = { 0 };

        if (!jw_file_read(f, 0, bytes, sizeof bytes, &got, err))
            return false;

        struct jw_reader r = jw_reader((struct jw_bytes){ bytes, got });

        if (jw_record_take(&r, &record) && record.kind == HOLDER
            && jw_record_get(&record, holder_fields, NULL, &read)) {
            *out = read;
            return true;
        }
        jw_time_sleep_ms(HOLDER_NAP_MS);
    }
    return true;
}

/* A read lock blocks only a writer, which retries. */
static bool ask_holder(struct jw_file *f, bool *held, struct jw_warm_holder *holder, struct jw_err *err)
{
    bool taken = false;

    if (!jw_filelock_take_mark(f->handle, false, 0, &taken, err))
        return false;
    *held = !taken;
    return taken || read_holder(f, holder, err);
}

bool jw_warm_holder_ask(const struct jw_warm_place *p, bool *held, struct jw_warm_holder *holder,
                        struct jw_err *err)
{
    struct jw_file f;
    bool found;

    *held = false;
    *holder = (struct jw_warm_holder){ 0 };
    bool ok =
        jw_file_open_existing(&f, p->lock, &found, err) && (!found || ask_holder(&f, held, holder, err));

    jw_file_close(&f);
    return ok || jw_wrap(err, "%s", p->lock);
}
