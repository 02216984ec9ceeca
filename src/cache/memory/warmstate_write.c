#include "base/limits.h"
#include "base/mem.h"
#include "cache/memory/warmstate_inner.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/lock.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>
#include <string.h>

enum {
    TRIES = 5,
    PATIENCE_MS = 100, /* whoever asks who works here holds the lock for a moment */
    LONGEST_HOLDER = 64
};

/* ---- a file that is written beside and renamed ---- */

bool warm_fresh_open(struct warm_fresh *n, const char *path, struct jw_err *err)
{
    *n = (struct warm_fresh){ .path = path, .temp = JW_BUF(JW_MAX_PATH), .f = JW_APPEND_CLOSED };
    jw_buf_printf(&n->temp, "%s.new", path);
    return jw_buf_ok(&n->temp, err) && jw_append_open(&n->f, jw_buf_cstr(&n->temp), err)
           && jw_append_cut(&n->f, 0, err);
}

bool warm_fresh_write(struct warm_fresh *n, struct jw_bytes bytes, struct jw_err *err)
{
    return jw_append_write(&n->f, bytes.p, bytes.n, err);
}

bool warm_fresh_close(struct warm_fresh *n, bool lasting, bool ok, struct jw_err *err)
{
    struct jw_err ignored;

    ok = ok && jw_append_become(&n->f, jw_buf_cstr(&n->temp), n->path, lasting, err);
    jw_append_close(&n->f);
    if (!ok && !n->temp.bad)
        (void)!jw_append_remove(jw_buf_cstr(&n->temp), &ignored);
    jw_buf_free(&n->temp);
    return ok || jw_wrap(err, "%s", n->path);
}

static bool remove_file(const char *path, struct jw_err *err)
{
    return jw_append_remove(path, err) || jw_wrap(err, "%s", path);
}

/* ---- the lock ---- */

static bool make_folders(const struct jw_warm_place *p, struct jw_err *err)
{
    const char *const folders[] = { p->state, p->roots, p->dir };

    for (size_t i = 0; i < JW_COUNT(folders); i++)
        if (!jw_trust_make(folders[i], err))
            return jw_wrap(err, "%s", folders[i]);
    return true;
}

static bool take_lock(struct jw_warm_log *l, struct jw_err *err)
{
    return jw_filelock_take_mark(l->lock.handle, true, PATIENCE_MS, &l->held, err)
           || jw_wrap(err, "%s", l->p.lock);
}

/* A holder may end between the two questions: then both are asked again. */
static bool take_or_ask(struct jw_warm_log *l, struct jw_warm_holder *holder, struct jw_err *err)
{
    bool theirs = false;

    if (!jw_append_open(&l->lock, l->p.lock, err))
        return jw_wrap(err, "%s", l->p.lock);
    for (unsigned i = 0; i < TRIES && !l->held && !theirs; i++)
        if (!take_lock(l, err) || (!l->held && !jw_warm_holder_ask(&l->p, &theirs, holder, err)))
            return false;
    return true;
}

static bool sign_lock(struct jw_warm_log *l, struct jw_err *err)
{
    char line[LONGEST_HOLDER];
    int n = snprintf(line, sizeof line, "%lu %lld\n", jw_process_id(), (long long)jw_time_unix());

    return (jw_append_cut(&l->lock, 0, err) && jw_append_write(&l->lock, line, (size_t)n, err))
           || jw_wrap(err, "%s", l->p.lock);
}

/* ---- the log at its opening ---- */

/* The records that are alive, those side by side at once. */
static bool write_alive(struct warm_fresh *n, const struct jw_warmlog *log, struct jw_err *err)
{
    for (size_t i = 0; i < log->n;) {
        struct jw_bytes run = log->list[i].all;

        if (!log->list[i++].alive)
            continue;
        for (; i < log->n && log->list[i].alive; i++)
            run.n += log->list[i].all.n;
        if (!warm_fresh_write(n, run, err))
            return false;
    }
    return true;
}

static bool compact(struct jw_warm_log *l, const struct jw_warmlog *log, struct jw_err *err)
{
    struct warm_fresh n;
    bool ok = warm_fresh_open(&n, l->p.log, err) && write_alive(&n, log, err);

    l->records = log->alive;
    return warm_fresh_close(&n, true, ok, err);
}

static bool begin_anew(struct jw_warm_log *l, struct jw_err *err)
{
    struct jw_warm_fact first = { .kind = JW_WARM_ROOT, .as.root = l->p.root };
    struct warm_fresh n;
    bool ok;

    jw_buf_clear(&l->record);
    jw_warmlog_put(&l->record, &first);
    ok = warm_fresh_open(&n, l->p.log, err) && jw_buf_ok(&l->record, err)
         && warm_fresh_write(&n, jw_buf_bytes(&l->record), err);
    l->records = 1;
    return warm_fresh_close(&n, true, ok, err);
}

/* Dead weight is taken out when it is more than half, and always before the log could become too long. */
static bool is_heavy(const struct jw_warmlog *log)
{
    size_t dead = log->sound - log->alive_bytes;

    return dead > log->alive_bytes
           || (dead && (log->sound > JW_MAX_WARM_LOG / 2 || log->n > JW_MAX_WARM_RECORDS / 2));
}

/* A log of another root (its folder was copied) is no log. */
static bool mend_log(struct jw_warm_log *l, const struct jw_warm_image *image, struct jw_err *err)
{
    size_t sound = image->log.sound;

    l->records = image->log.n;
    if (!image->root || strcmp(image->root, l->p.root) != 0) {
        if (!begin_anew(l, err))
            return false;
        sound = l->record.n;
    } else if (is_heavy(&image->log)) {
        if (!compact(l, &image->log, err))
            return false;
        sound = image->log.alive_bytes;
    }
    return (jw_append_open(&l->log, l->p.log, err)
            && (l->log.size == sound || jw_append_cut(&l->log, sound, err)))
           || jw_wrap(err, "%s", l->p.log);
}

static bool open_log(struct jw_warm_log *l, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_warm_image image;
    bool ok = jw_warm_image_read(&l->p, &a, &image, err) && mend_log(l, &image, err);

    jw_warmlog_free(&image.log);
    jw_arena_free(&a);
    return ok;
}

/* What an earlier holder left (status, stop) is not this one's. */
static bool begin(struct jw_warm_log *l, struct jw_err *err)
{
    return sign_lock(l, err) && remove_file(l->p.status, err) && remove_file(l->p.stop, err)
           && open_log(l, err);
}

bool jw_warm_open(const char *root, struct jw_warm_log **out, struct jw_warm_holder *holder,
                  struct jw_err *err)
{
    struct jw_warm_log *l = jw_alloc(sizeof *l);
    bool ok;

    *out = NULL;
    *holder = (struct jw_warm_holder){ 0 };
    l->lock = l->log = JW_APPEND_CLOSED;
    l->record = JW_BUF(JW_MAX_WARM_RECORD + JW_WARMLOG_FRAME);
    ok = jw_warm_place_find(root, &l->a, &l->p, err) && make_folders(&l->p, err)
         && jw_warm_place_believe(&l->p, &l->a, err) && take_or_ask(l, holder, err)
         && (!l->held || begin(l, err));
    if (ok && l->held)
        *out = l;
    else
        jw_warm_close(l);
    return ok;
}

void jw_warm_close(struct jw_warm_log *l)
{
    struct jw_err ignored;

    if (!l)
        return;
    jw_append_close(&l->log);
    if (l->held) {
        (void)!jw_append_remove(l->p.status, &ignored);
        (void)!jw_append_remove(l->p.stop, &ignored);
        (void)!jw_append_cut(&l->lock, 0, &ignored);
    }
    jw_append_close(&l->lock);
    jw_buf_free(&l->record);
    jw_arena_free(&l->a);
    jw_free(l);
}

/* ---- adding ---- */

static bool add(struct jw_warm_log *l, const struct jw_warm_fact *fact, struct jw_err *err)
{
    jw_buf_clear(&l->record);
    jw_warmlog_put(&l->record, fact);
    if (!jw_buf_ok(&l->record, err))
        return jw_wrap(err, "%s", l->p.log);
    if (l->records >= JW_MAX_WARM_RECORDS || l->log.size + l->record.n > JW_MAX_WARM_LOG)
        return jw_fail(err, JW_E_LIMIT, "%s: is full; the next run makes room in it", l->p.log);
    if (!jw_append_write(&l->log, l->record.p, l->record.n, err))
        return jw_wrap(err, "%s", l->p.log);
    l->records++;
    return true;
}

bool jw_warm_add_job(struct jw_warm_log *l, const struct jw_warm_job *j, struct jw_err *err)
{
    return add(l, &(struct jw_warm_fact){ .kind = JW_WARM_JOB, .as.job = *j }, err);
}

bool jw_warm_add_ban(struct jw_warm_log *l, const struct jw_warm_ban *b, struct jw_err *err)
{
    return add(l, &(struct jw_warm_fact){ .kind = JW_WARM_BAN, .as.ban = *b }, err);
}

bool jw_warm_lift_ban(struct jw_warm_log *l, const uint8_t id[32], const char *build, uint16_t sm,
                      struct jw_err *err)
{
    struct jw_warm_fact fact = { .kind = JW_WARM_LIFT, .as.ban = { .build = build, .sm = sm } };

    memcpy(fact.as.ban.id, id, sizeof fact.as.ban.id);
    return add(l, &fact, err);
}

bool jw_warm_add_receipt(struct jw_warm_log *l, const struct jw_warm_receipt *r, struct jw_err *err)
{
    return add(l, &(struct jw_warm_fact){ .kind = JW_WARM_RECEIPT, .as.receipt = *r }, err);
}

bool jw_warm_add_profile(struct jw_warm_log *l, const struct jw_warm_profile *p, struct jw_err *err)
{
    return add(l, &(struct jw_warm_fact){ .kind = JW_WARM_PROFILE, .as.profile = *p }, err);
}

bool jw_warm_add_origin(struct jw_warm_log *l, const struct jw_warm_origin *o, struct jw_err *err)
{
    return add(l, &(struct jw_warm_fact){ .kind = JW_WARM_ORIGIN, .as.origin = *o }, err);
}

bool jw_warm_add_made(struct jw_warm_log *l, const struct jw_warm_ledger *m, struct jw_err *err)
{
    return add(l, &(struct jw_warm_fact){ .kind = JW_WARM_MADE, .as.made = *m }, err);
}

bool jw_warm_add_ran(struct jw_warm_log *l, const struct jw_warm_ran *r, struct jw_err *err)
{
    return add(l, &(struct jw_warm_fact){ .kind = JW_WARM_RAN, .as.ran = *r }, err);
}

bool jw_warm_sync(struct jw_warm_log *l, struct jw_err *err)
{
    return jw_append_sync(&l->log, err) || jw_wrap(err, "%s", l->p.log);
}

bool jw_warm_write_status(struct jw_warm_log *l, const char *json, size_t n, struct jw_err *err)
{
    struct warm_fresh status;
    bool ok = warm_fresh_open(&status, l->p.status, err)
              && warm_fresh_write(&status, (struct jw_bytes){ (const uint8_t *)json, n }, err);

    return warm_fresh_close(&status, false, ok, err);
}

bool jw_warm_stop_asked(const struct jw_warm_log *l)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(l->p.stop, &info, &ignored) && info.kind != JW_FILE_NONE;
}
