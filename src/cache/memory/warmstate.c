#include "cache/memory/warmstate.h"
#include "base/buf.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "cache/memory/warmplace.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>
#include <string.h>

enum {
    LOOKS = 3,
    PROGRESS = 40 /* the kind of its record */
};

/* ---- a cache's memory ---- */

/* Room for all that is alive; lists of nothing stay NULL. */
static void make_state_room(const struct jw_warmlog *log, struct jw_arena *a, struct jw_warm_state *out)
{
    size_t counts[JW_WARM_KINDS] = { 0 };

    for (size_t i = 0; i < log->n; i++)
        if (log->list[i].alive && jw_warmlog_known(&log->list[i]))
            counts[log->list[i].is.kind]++;
    jw_modules_reserve(&out->modules, a, counts[JW_WARM_MODULE]);
    out->receipts = jw_arena_alloc(a, counts[JW_WARM_RECEIPT] * sizeof *out->receipts);
    out->receipts += counts[JW_WARM_RECEIPT]; /* they are put in front of each other */
    out->commands = jw_arena_alloc(a, counts[JW_WARM_COMMAND] * sizeof *out->commands);
    out->hints = jw_arena_alloc(a, counts[JW_WARM_COMMAND] * sizeof *out->hints);
    out->imports = jw_arena_alloc(a, counts[JW_WARM_IMPORT] * sizeof *out->imports);
}

static void keep_command(struct jw_warm_command c, struct jw_warm_state *out)
{
    bool hint = !c.recorded && c.n;

    for (size_t i = 0; i < c.n_loads; i++)
        c.loads[i].key = c.key;
    if (hint)
        out->hints[out->n_hints++] = c;
    else
        out->commands[out->n_commands++] = c;
    out->n_recorded += c.recorded || c.n_loads;
}

/* One before the record of its command says nothing: that has it. */
static void keep_start(const struct jw_warm_command *now, struct jw_warm_state *out)
{
    for (size_t i = 0; i < out->n_commands; i++) {
        struct jw_warm_command *c = &out->commands[i];

        if (strcmp(c->key, now->key) != 0)
            continue;
        c->cache = now->cache;
        c->when = now->when;
        c->cold = now->cold;
        c->warm = now->warm;
        return;
    }
}

static void keep_in_state(const struct jw_warm_fact *fact, struct jw_arena *a, struct jw_warm_state *out)
{
    switch (fact->kind) {
    case JW_WARM_MODULE: jw_modules_put(&out->modules, a, &fact->as.module); break;
    case JW_WARM_RECEIPT:
        *--out->receipts = fact->as.receipt;
        out->n_receipts++;
        break;
    case JW_WARM_COMMAND: keep_command(fact->as.command, out); break;
    case JW_WARM_STARTED: keep_start(&fact->as.command, out); break;
    case JW_WARM_IMPORT: out->imports[out->n_imports++] = fact->as.import; break;
    case JW_WARM_LEFT: out->left = fact->as.left; break;
    case JW_WARM_CACHE:
    case JW_WARM_KINDS: break;
    }
}

const char *const *jw_warm_targets(const struct jw_warm_state *s, struct jw_arena *a, size_t *n)
{
    const char **list;
    size_t most = s->left.n + 1;

    for (size_t i = 0; i < s->n_receipts; i++)
        most += s->receipts[i].asked.n_targets;
    list = jw_arena_alloc(a, most * sizeof *list);
    *n = 0;
    for (size_t i = 0; i < s->n_receipts; i++)
        for (size_t k = 0; k < s->receipts[i].asked.n_targets; k++)
            list[(*n)++] = s->receipts[i].asked.targets[k];
    for (size_t i = 0; i < s->left.n; i++)
        if (*s->left.targets[i])
            list[(*n)++] = s->left.targets[i];
    return list;
}

const char *jw_warm_origin(const struct jw_warm_state *s, uint64_t name)
{
    const struct jw_warm_module *m, *last = NULL;

    for (size_t at = 0; (m = jw_modules_named(&s->modules, name, &at));)
        last = *m->origin && m > last ? m : last;
    return last ? last->origin : NULL;
}

static const struct jw_warm_command *command_of(const struct jw_warm_command *list, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].key, key) == 0)
            return &list[i];
    return NULL;
}

const struct jw_warm_command *jw_warm_command(const struct jw_warm_state *s, const char *key)
{
    return command_of(s->commands, s->n_commands, key);
}

enum { ALIAS_DIGITS = 16 };

struct alias {
    char text[JW_MAX_PACK_NAME + 1];
};

/* The words of a command are joined by blanks, so the program is the part before the first. */
static struct alias alias_of(const char *key)
{
    const char *base = key, *end = key;
    char hex[2 * JW_DIGEST + 1];
    uint8_t digest[JW_DIGEST];
    struct alias out;

    for (; *end && *end != ' '; end++)
        if (*end == '/' || *end == '\\' || *end == ':')
            base = end + 1;
    jw_digest(digest, key, strlen(key));
    jw_digest_hex(hex, digest);

    size_t n = jw_min((size_t)(end - base), sizeof out.text - ALIAS_DIGITS - 2);

    while (n && !jw_utf8_valid((struct jw_bytes){ (const uint8_t *)base, n }))
        n--;
    for (size_t i = 0; i < n; i++)
        out.text[i] = (uint8_t)base[i] < 0x20 || base[i] == 0x7f ? '_' : base[i];
    (void)snprintf(out.text + n, sizeof out.text - n, "%s%.*s", n ? " " : "", (int)ALIAS_DIGITS, hex);
    return out;
}

const char *jw_warm_command_alias(const char *key, struct jw_arena *a)
{
    return jw_arena_str(a, alias_of(key).text);
}

bool jw_warm_is_alias(const char *key)
{
    const char *blank = strchr(key, ' ');

    return blank && strlen(blank + 1) == 16 && strspn(blank + 1, "0123456789abcdef") == 16;
}

const struct jw_warm_command *jw_warm_profile(const struct jw_warm_state *s, const char *key)
{
    const struct jw_warm_command *c = jw_warm_command(s, key);

    if (!c || !c->recorded)
        c = jw_warm_command(s, alias_of(key).text);
    return c && c->recorded ? c : NULL;
}

static const struct jw_warm_loads *loads_of(const struct jw_warm_command *c, const char *build)
{
    for (size_t i = 0; c && i < c->n_loads; i++)
        if (strcmp(c->loads[i].build, build) == 0)
            return &c->loads[i];
    return NULL;
}

const struct jw_warm_loads *jw_warm_loads(const struct jw_warm_state *s, const char *key, const char *build)
{
    const struct jw_warm_loads *loads = loads_of(jw_warm_command(s, key), build);

    if (!loads || !loads->n)
        loads = loads_of(jw_warm_command(s, alias_of(key).text), build);
    return loads && loads->n ? loads : NULL;
}

const struct jw_warm_loads *jw_warm_machine(const struct jw_warm_state *s, const char *key, const char *build)
{
    const struct jw_warm_loads *loads = loads_of(jw_warm_command(s, key), build);

    return loads && loads->n_answers ? loads : NULL;
}

const struct jw_warm_command *jw_warm_hint(const struct jw_warm_state *s, const char *key)
{
    return command_of(s->hints, s->n_hints, alias_of(key).text);
}

uint32_t jw_warm_link(const struct jw_warm_state *s, uint64_t sum, size_t n)
{
    const struct jw_warm_module *m;
    uint8_t id[32];

    jw_warm_id_of_name(id, sum);
    m = jw_modules_find(&s->modules, id, 0, "");
    return m && n && m->n_inputs == n ? m->milliseconds : 0;
}

struct jw_warm_links jw_warm_links_of(const struct jw_warm_state *s,
                                      bool (*uses)(const void *ctx, uint64_t name), const void *ctx)
{
    struct jw_warm_links out = { 0 };

    for (size_t i = 0; i < s->modules.n; i++) {
        const struct jw_warm_module *m = &s->modules.list[i];
        size_t k = 0;

        while (k < m->n_inputs && uses(ctx, m->inputs[k]))
            k++;
        if (!k || k < m->n_inputs)
            continue;
        out.failing += !m->milliseconds;
        out.n += m->milliseconds != 0;
        out.milliseconds += m->milliseconds;
    }
    return out;
}

bool jw_warm_imported(const struct jw_warm_state *s, uint64_t name, uint64_t payload)
{
    const struct jw_warm_module *m;
    bool found = false;

    for (size_t at = 0; !found && (m = jw_modules_named(&s->modules, name, &at));)
        found = m->imported && m->payload == payload;
    return found;
}

/* A record that is whole and still makes no sense is a fault of jitwarm, and costs only what it says. */
static void read_records(const struct jw_warm_place *p, const struct jw_warmlog *log, struct jw_arena *a,
                         struct jw_warm_state *out)
{
    make_state_room(log, a, out);
    for (size_t i = 0; i < log->n; i++) {
        struct jw_warm_fact fact;
        struct jw_err why = { 0 };

        if (!log->list[i].alive || !jw_warmlog_known(&log->list[i]))
            continue;
        if (jw_warmlog_get(&log->list[i], a, &fact, &why))
            keep_in_state(&fact, a, out);
        else
            jw_note_failure(&out->notes, a, &why, p->log);
    }
    jw_sort(out->commands, out->n_commands, sizeof *out->commands, jw_by_text);
}

/*
 * While another process adds a record, its beginning can be seen without its end, so a torn record is read
 * again until it stays as it is.
 */
static bool read_until_whole(const struct jw_warm_place *p, struct jw_arena *a, struct jw_warm_image *out,
                             struct jw_err *err)
{
    size_t before = SIZE_MAX;

    for (unsigned i = 0; i < LOOKS; i++) {
        if (!jw_warm_image_read(p, a, out, err))
            return false;
        if (out->log.sound == out->bytes.n || out->bytes.n == before || i + 1 == LOOKS)
            break;
        before = out->bytes.n;
        jw_warmlog_free(&out->log);
    }
    return true;
}

/* Dead weight is taken out when it is more than half, and always before the log could become too long. */
static bool is_heavy(const struct jw_warmlog *log)
{
    size_t dead = log->sound - log->alive_bytes;

    return dead > log->alive_bytes
           || (dead && (log->sound > JW_MAX_WARM_LOG / 2 || log->n > JW_MAX_WARM_RECORDS / 2));
}

/* A lock is made only after the log: where one is, there were records. */
static bool was_kept(const struct jw_warm_place *p)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(p->lock, &info, &ignored) && info.kind == JW_FILE_REGULAR;
}

/* Why not all is known that was kept; NULL: it is. */
static const char *why_lost(const struct jw_warm_place *p, const struct jw_warm_image *image,
                            struct jw_arena *a)
{
    static const char all[] = "what jitwarm remembered of this cache is lost";
    size_t sound = image->log.sound, n = image->bytes.n;

    if (image->file.kind == JW_FILE_NONE)
        return was_kept(p) ? jw_arena_printf(a, "%s is missing: %s", p->log, all) : NULL;
    if (!n)
        return jw_arena_printf(a, "%s is empty: %s", p->log, all);
    if (!sound)
        return jw_arena_printf(a, "%s is damaged from its first byte on: %s", p->log, all);
    if (!image->cache)
        return jw_arena_printf(a, "%s was written by another version of jitwarm: %s", p->log, all);
    if (strcmp(image->cache, p->cache) != 0)
        return jw_arena_printf(a, "%s is about another cache (%.200s): %s", p->log, image->cache, all);
    return sound == n
               ? NULL
               : jw_arena_printf(
                   a, "%s is damaged from byte %zu of %zu on: what jitwarm remembered after that is lost",
                   p->log, sound, n);
}

static void read_image(const struct jw_warm_place *p, const struct jw_warm_image *image, struct jw_arena *a,
                       struct jw_warm_state *out)
{
    out->lost = why_lost(p, image, a);
    if (out->lost)
        jw_note(&out->notes, a, "%s", out->lost);
    if (image->cache && strcmp(image->cache, p->cache) == 0)
        read_records(p, &image->log, a, out);
    if (!out->lost && image->log.n && image->bytes.n == image->file.size && !is_heavy(&image->log))
        out->seen = (struct jw_warm_seen){ p->log, image->file, image->log.n };
}

bool jw_warm_is_current(const struct jw_warm_state *s)
{
    const struct jw_file_info *was = &s->seen.file;
    struct jw_file_info now;
    struct jw_err ignored;

    return s->seen.log && jw_file_stat(s->seen.log, &now, &ignored) && now.kind == was->kind
           && now.size == was->size && now.mtime == was->mtime && now.ctime == was->ctime
           && jw_file_same(now.id, was->id);
}

/* ---- what is left to do ---- */

bool jw_warm_left_add(struct jw_warm_left *left, const char *target, struct jw_arena *a)
{
    const char **now = jw_arena_alloc(a, (left->n + 1) * sizeof *now);
    size_t n = 0;

    if (jw_text_among(target, left->targets, left->n))
        return false;
    for (size_t i = left->n == JW_MAX_WARM_RECEIPTS; i < left->n; i++)
        now[n++] = left->targets[i];
    now[n++] = target;
    left->targets = now;
    left->n = n;
    return true;
}

/* The file for runs that did not get the lock. */
static const char *path_of_refused(const struct jw_warm_place *p, struct jw_arena *a)
{
    return jw_path_join(a, p->dir, "asked");
}

/* Adds their targets. False: there is no such file. A torn record, and what is behind it, says nothing. */
static bool add_refused(const struct jw_warm_place *p, struct jw_arena *a, struct jw_warm_left *left)
{
    struct jw_buf bytes = JW_BUF_IN(a, JW_MAX_WARM_LOG);
    struct jw_warmlog_record record;
    struct jw_warm_fact fact;
    struct jw_err ignored;
    bool found;

    if (!jw_file_slurp(path_of_refused(p, a), &bytes, &found, &ignored) || !found)
        return false;
    for (struct jw_reader r = jw_reader(jw_buf_bytes(&bytes)); jw_record_take(&r, &record.is);)
        if (record.is.kind == JW_WARM_LEFT && jw_warmlog_get(&record, a, &fact, &ignored))
            for (size_t i = 0; i < fact.as.left.n; i++)
                (void)jw_warm_left_add(left, fact.as.left.targets[i], a);
    return true;
}

static void load_place(const struct jw_warm_place *p, struct jw_arena *a, struct jw_warm_state *out)
{
    struct jw_warm_image image = { 0 };
    struct jw_err why = { 0 };

    *out = (struct jw_warm_state){ .dir = p->dir };
    if (jw_warm_place_check(p, a, &why) && read_until_whole(p, a, &image, &why)) {
        read_image(p, &image, a, out);
        (void)add_refused(p, a, &out->left);
    } else {
        jw_note(&out->notes, a, "%s", why.msg);
        out->lost = out->notes.v[0];
    }
    jw_warmlog_free(&image.log);
}

void jw_warm_load(const char *folder, struct jw_arena *a, struct jw_warm_state *out)
{
    struct jw_warm_place p;
    struct jw_err why = { 0 };

    *out = (struct jw_warm_state){ 0 };
    if (jw_warm_place_find(folder, a, &p, &why))
        load_place(&p, a, out);
    else
        jw_note(&out->notes, a, "%s", why.msg);
}

void jw_warm_load_cache(const char *folder, struct jw_arena *a, struct jw_warm_state *out)
{
    struct jw_warm_place p;
    struct jw_err why = { 0 };

    *out = (struct jw_warm_state){ 0 };
    if (jw_warm_place_of_real(folder, a, &p, &why))
        load_place(&p, a, out);
}

/* The names of the folders are digests; each log begins with its cache. */
const char *const *jw_warm_caches(struct jw_arena *a, size_t *n)
{
    struct jw_notes ignored = { 0 };
    struct jw_err why;
    const char *dir = jw_state_path(JW_STATE_CACHES, a, &why);
    struct jw_listing names = { 0 };

    *n = 0;
    if (dir)
        names = jw_listing_read(dir, "*", a, &ignored);
    for (size_t i = 0; i < names.n; i++) {
        const char *log = jw_path_join(a, jw_path_join(a, dir, names.names[i]), "warm.log");
        uint8_t *head = jw_arena_alloc(a, JW_WARMLOG_HEAD);
        const char *folder = NULL;
        struct jw_file f;
        size_t got = 0;
        bool found;

        if (jw_file_open_existing(&f, log, &found, &why) && found
            && jw_file_read(&f, 0, head, JW_WARMLOG_HEAD, &got, &why))
            folder = jw_warmlog_cache((struct jw_bytes){ head, got });
        jw_file_close(&f);
        if (folder)
            names.names[(*n)++] = folder;
    }
    return names.names;
}

/* ---- who works on it ---- */

bool jw_warm_busy(const char *folder, struct jw_arena *a, bool *busy, struct jw_warm_holder *holder,
                  struct jw_err *err)
{
    struct jw_warm_place p;

    *busy = false;
    *holder = (struct jw_warm_holder){ 0 };
    return jw_warm_place_find(folder, a, &p, err) && jw_warm_place_check(&p, a, err)
           && jw_warm_holder_ask(&p, busy, holder, err);
}

#define P struct jw_prime_progress
#define S struct jw_prime_slot

static const struct jw_field slot[] = {
    JW_FIELD(S, what), JW_FIELD(S, ptx_bytes), JW_FIELD(S, seconds), { 0 }
};
static const struct jw_field progress[] = {
    JW_FIELD_UP_TO(P, phase, 4, JW_PHASE_VERIFY),
    JW_FIELD(P, at),
    JW_FIELD(P, done),
    JW_FIELD(P, total),
    JW_FIELD(P, failed),
    JW_FIELD(P, done_bytes),
    JW_FIELD(P, total_bytes),
    JW_FIELD(P, seconds),
    JW_FIELD(P, eta),
    JW_FIELD(P, late),
    JW_FIELD_LIST_UP_TO(P, slots, n_slots, slot, JW_MAX_WORKERS),
    JW_FIELD(P, slowest),
    JW_FIELD(P, slowest_seconds),
    { 0 },
};

bool jw_warm_read_progress(const char *folder, struct jw_arena *a, struct jw_prime_progress *out, bool *found,
                           struct jw_err *err)
{
    struct jw_warm_place p;

    *found = false;
    *out = (struct jw_prime_progress){ 0 };
    if (!jw_warm_place_find(folder, a, &p, err))
        return false;
    if (!jw_trust_load(p.progress, PROGRESS, progress, a, out, found, err))
        return jw_wrap(err, "%s", p.progress);
    if (*found) { /* a record has no NULL */
        out->at = *out->at ? out->at : NULL;
        out->slowest = *out->slowest ? out->slowest : NULL;
    }
    return true;
}

/* The log of one cache while it is held: appended to, and rewritten without what is no longer in the cache. */
enum {
    TRIES = 5,
    PATIENCE_MS = 100 /* a program that asks who works here holds the lock for a moment */
};

struct jw_warm_log {
    struct jw_arena a;
    struct jw_warm_place p;
    struct jw_append lock, log;
    struct jw_buf record;              /* the one that is being added */
    size_t records;                    /* in the log */
    const struct jw_warm_state *known; /* when it was opened */
    struct jw_modules added;           /* since then */
    struct jw_warm_command *commands;  /* the same */
    size_t n_commands;
    struct jw_warm_left left; /* now; borrowed */
    bool held;
};

/* ---- its files ---- */

static bool put_state_file(const char *path, unsigned how, struct jw_bytes bytes, struct jw_err *err)
{
    return jw_file_put(path, JW_OUT_REPLACE | JW_OUT_PRIVATE | how, bytes, err) || jw_wrap(err, "%s", path);
}

static bool remove_state_file(const char *path, struct jw_err *err)
{
    return jw_file_remove(path, err) || jw_wrap(err, "%s", path);
}

/* ---- the lock ---- */

static bool take_lock(struct jw_warm_log *l, struct jw_err *err)
{
    return jw_filelock_take_mark(l->lock.handle, true, PATIENCE_MS, &l->held, err)
           || jw_wrap(err, "%s", l->p.lock);
}

/* A holder may end between the two questions: then both are asked again. */
static bool take_or_ask(struct jw_warm_log *l, struct jw_warm_holder *holder, struct jw_err *err)
{
    bool alive = false;

    if (!jw_append_open(&l->lock, l->p.lock, err))
        return jw_wrap(err, "%s", l->p.lock);
    for (unsigned i = 0; i < TRIES && !l->held && !alive; i++)
        if (!take_lock(l, err) || (!l->held && !jw_warm_holder_ask(&l->p, &alive, holder, err)))
            return false;
    return true;
}

static bool sign_lock(struct jw_warm_log *l, struct jw_err *err)
{
    jw_buf_clear(&l->record);
    jw_warm_holder_put(&l->record, &(struct jw_warm_holder){ jw_process_id(), jw_time_unix() });
    return (jw_append_truncate(&l->lock, 0, err) && jw_append_write(&l->lock, l->record.p, l->record.n, err))
           || jw_wrap(err, "%s", l->p.lock);
}

/* ---- rewriting: the new log takes the old one's name ---- */

struct rewriting {
    struct jw_warm_log *l;
    struct jw_buf to;
    struct jw_arena a; /* of one record */
    size_t records;
    enum jw_warm_fate (*fate)(void *ctx, struct jw_warm_fact *fact,
                              struct jw_arena *a); /* NULL: all is kept */
    void *ctx;
};

/* A record of a kind that is not known is kept. */
static bool keep_alive(struct rewriting *w, const struct jw_warmlog_record *record, struct jw_err *err)
{
    bool asked = w->fate && jw_warmlog_known(record) && record->is.kind != JW_WARM_CACHE;
    enum jw_warm_fate fate = JW_WARM_KEPT;
    struct jw_warm_fact fact;

    if (asked && !jw_warmlog_get(record, &w->a, &fact, err))
        return false;
    if (asked)
        fate = w->fate(w->ctx, &fact, &w->a);
    if (fate == JW_WARM_CHANGED)
        jw_warmlog_put(&w->to, &fact);
    else if (fate == JW_WARM_KEPT)
        jw_buf_add(&w->to, record->is.all.p, record->is.all.n);
    w->records += fate != JW_WARM_DROPPED;
    return jw_buf_ok(&w->to, err);
}

/* A handle that is open on the old file keeps a file without a name. */
static bool put_alive(struct rewriting *w, const struct jw_warmlog *log, struct jw_err *err)
{
    struct jw_warm_log *l = w->l;
    bool ok = true;

    w->to = JW_BUF(JW_MAX_WARM_LOG);
    for (size_t i = 0; ok && i < log->n; i++) {
        ok = !log->list[i].alive || keep_alive(w, &log->list[i], err);
        jw_arena_free(&w->a);
    }
    jw_append_close(&l->log); /* Windows: an open file keeps its name */
    ok = ok && jw_file_put(l->p.log, JW_OUT_REPLACE | JW_OUT_PRIVATE, jw_buf_bytes(&w->to), err);
    jw_buf_free(&w->to);
    l->records = ok ? w->records : l->records;
    return ok || jw_wrap(err, "%s", l->p.log);
}

/* ---- the log at its opening ---- */

static bool put_first(struct jw_warm_log *l, unsigned how, struct jw_err *err)
{
    struct jw_warm_fact first = { .kind = JW_WARM_CACHE, .as.cache = l->p.cache };

    jw_buf_clear(&l->record);
    jw_warmlog_put(&l->record, &first);
    l->records = 1;
    return (jw_buf_ok(&l->record, err)
            && jw_file_put(l->p.log, JW_OUT_PRIVATE | how, jw_buf_bytes(&l->record), err))
           || jw_wrap(err, "%s", l->p.log);
}

static bool begin_again(struct jw_warm_log *l, struct jw_err *err)
{
    return put_first(l, JW_OUT_REPLACE, err);
}

/* Makes the log before its lock, so that a lock without a log shows that the log was lost. There is no lock to hold
 * yet: if two processes come here at once, the log of one stays, and the other uses it. */
static bool make_first_log(struct jw_warm_log *l, struct jw_err *err)
{
    struct jw_file_info lock, log;
    struct jw_err why;

    if (!jw_file_stat(l->p.lock, &lock, err) || !jw_file_stat(l->p.log, &log, err))
        return jw_wrap(err, "%s", l->p.dir);
    if (lock.kind != JW_FILE_NONE || log.kind != JW_FILE_NONE || put_first(l, JW_OUT_NEW, &why))
        return true;
    if (jw_file_stat(l->p.log, &log, err) && log.kind == JW_FILE_REGULAR)
        return true;
    *err = why;
    return false;
}

/* A log of another cache (its folder was copied) is no log. */
static bool mend_log(struct jw_warm_log *l, const struct jw_warm_image *image, struct jw_err *err)
{
    struct rewriting w = { .l = l };
    size_t sound = image->log.sound;

    l->records = image->log.n;
    if (!image->cache || strcmp(image->cache, l->p.cache) != 0) {
        if (!begin_again(l, err))
            return false;
        sound = l->record.n;
    } else if (is_heavy(&image->log)) {
        if (!put_alive(&w, &image->log, err))
            return false;
        sound = image->log.alive_bytes;
    }
    return (jw_append_open(&l->log, l->p.log, err)
            && (l->log.size == sound || jw_append_truncate(&l->log, sound, err)))
           || jw_wrap(err, "%s", l->p.log);
}

static const struct jw_warm_state *read_now(struct jw_warm_log *l, const struct jw_warm_image *image)
{
    struct jw_warm_state *now = jw_arena_alloc(&l->a, sizeof *now);

    read_image(&l->p, image, &l->a, now);
    return now;
}

static bool open_log(struct jw_warm_log *l, const struct jw_warm_state *known, struct jw_err *err)
{
    struct jw_warm_image image;

    l->known = known;
    if (known && known->seen.log && strcmp(known->seen.log, l->p.log) == 0 && jw_warm_is_current(known)) {
        l->records = known->seen.records; /* it was whole: there is nothing to mend */
        return jw_append_open(&l->log, l->p.log, err) || jw_wrap(err, "%s", l->p.log);
    }
    bool ok = jw_warm_image_read(&l->p, &l->a, &image, err) && mend_log(l, &image, err);

    if (ok)
        l->known = read_now(l, &image);
    jw_warmlog_free(&image.log);
    return ok;
}

/* Takes over what runs were asked for that did not get the lock: the record has it now. */
static bool take_refused(struct jw_warm_log *l, struct jw_err *err)
{
    if (l->known)
        l->left = l->known->left;
    l->left.hidden = l->left.hidden ? l->left.hidden : "";
    return !add_refused(&l->p, &l->a, &l->left)
           || (jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_LEFT, .as.left = l->left }, err)
               && jw_warm_sync(l, err) && remove_state_file(path_of_refused(&l->p, &l->a), err));
}

/* The progress that an earlier holder left is not this one's. One that was killed has its name in the lock still. */
static bool begin_holding(struct jw_warm_log *l, const struct jw_warm_state *known, struct jw_err *err)
{
    if (l->lock.size)
        jw_out_sweep(l->p.dir);
    return sign_lock(l, err) && remove_state_file(l->p.progress, err) && open_log(l, known, err)
           && take_refused(l, err);
}

bool jw_warm_open(const char *folder, const struct jw_warm_state *known, struct jw_warm_log **out,
                  struct jw_warm_holder *holder, struct jw_err *err)
{
    struct jw_warm_log *l = jw_alloc(sizeof *l);
    bool ok;

    *out = NULL;
    *holder = (struct jw_warm_holder){ 0 };
    l->lock = l->log = JW_APPEND_CLOSED;
    l->record = JW_BUF(JW_MAX_STATE_RECORD + JW_RECORD_FRAME);
    ok = jw_warm_place_find(folder, &l->a, &l->p, err) && jw_warm_place_make(&l->p, &l->a, err)
         && make_first_log(l, err) && take_or_ask(l, holder, err)
         && (!l->held || begin_holding(l, known, err));
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
        (void)!jw_file_remove(l->p.progress, &ignored);
        (void)!jw_append_truncate(&l->lock, 0, &ignored);
    }
    jw_append_close(&l->lock);
    jw_buf_free(&l->record);
    jw_arena_free(&l->a);
    jw_free(l);
}

/* ---- modules ---- */

struct jw_warm_module jw_warm_recall(const struct jw_warm_log *l, const uint8_t id[32], uint16_t sm,
                                     const char *build)
{
    const struct jw_warm_module *found = jw_modules_find(&l->added, id, sm, build);
    struct jw_warm_module none = {
        .build = build, .sm = sm, .kernel = "", .origin = "", .ban = "", .compiler = ""
    };

    memcpy(none.id, id, sizeof none.id);
    if (!found && l->known)
        found = jw_modules_find(&l->known->modules, id, sm, build);
    return found ? *found : none;
}

static void note_added(struct jw_warm_log *l, struct jw_warm_module m)
{
    const char **const texts[] = { &m.build, &m.kernel, &m.origin, &m.ban, &m.compiler };

    for (size_t i = 0; i < JW_COUNT(texts); i++)
        *texts[i] = *texts[i] && **texts[i] ? jw_arena_str(&l->a, *texts[i]) : "";
    jw_modules_put(&l->added, &l->a, &m);
}

struct jw_warm_command jw_warm_recall_command(const struct jw_warm_log *l, const char *key)
{
    const struct jw_warm_command *known = command_of(l->commands, l->n_commands, key);

    if (!known && l->known)
        known = jw_warm_command(l->known, key);
    return known ? *known : (struct jw_warm_command){ .key = key, .cache = "" };
}

/* The newest first. */
static void note_command(struct jw_warm_log *l, const struct jw_warm_command *c)
{
    struct jw_warm_command *list = jw_arena_alloc(&l->a, (l->n_commands + 1) * sizeof *list);

    list[0] = *c;
    for (size_t i = 0; i < l->n_commands; i++)
        list[i + 1] = l->commands[i];
    l->commands = list;
    l->n_commands++;
}

void jw_warm_put_loads(struct jw_warm_command *c, struct jw_warm_loads loads, struct jw_arena *a)
{
    struct jw_warm_loads *list = jw_arena_alloc(a, (c->n_loads + 1) * sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < c->n_loads; i++)
        if (strcmp(c->loads[i].build, loads.build) != 0)
            list[n++] = c->loads[i];
    list[n++] = loads;
    c->loads = n > JW_MAX_WARM_BUILDS ? list + 1 : list;
    c->n_loads = jw_min(n, (size_t)JW_MAX_WARM_BUILDS);
}

struct jw_warm_left jw_warm_recall_left(const struct jw_warm_log *l)
{
    return l->left;
}

/* ---- adding ---- */

bool jw_warm_add(struct jw_warm_log *l, const struct jw_warm_fact *fact, struct jw_err *err)
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
    if (fact->kind == JW_WARM_MODULE)
        note_added(l, fact->as.module);
    if (fact->kind == JW_WARM_COMMAND || fact->kind == JW_WARM_STARTED)
        note_command(l, &fact->as.command);
    if (fact->kind == JW_WARM_LEFT)
        l->left = fact->as.left;
    return true;
}

bool jw_warm_leave(const char *folder, const char *const *targets, size_t n, struct jw_arena *a,
                   struct jw_err *err)
{
    const struct jw_warm_fact fact = { JW_WARM_LEFT, .as.left = { .targets = targets, .n = n } };
    struct jw_buf record = JW_BUF_IN(a, JW_MAX_STATE_RECORD + JW_RECORD_FRAME);
    struct jw_append f = JW_APPEND_CLOSED;
    struct jw_warm_place p;

    if (!jw_warm_place_find(folder, a, &p, err) || !jw_warm_place_make(&p, a, err))
        return false;
    jw_warmlog_put(&record, &fact);
    bool ok = jw_buf_ok(&record, err) && jw_append_open(&f, path_of_refused(&p, a), err)
              && jw_append_write(&f, record.p, record.n, err);

    jw_append_close(&f);
    return ok;
}

bool jw_warm_sync(struct jw_warm_log *l, struct jw_err *err)
{
    return jw_append_sync(&l->log, err) || jw_wrap(err, "%s", l->p.log);
}

bool jw_warm_write_progress(struct jw_warm_log *l, const struct jw_prime_progress *now, struct jw_err *err)
{
    struct jw_buf record = JW_BUF(JW_MAX_STATE);

    jw_record_put(&record, PROGRESS, progress, now);

    bool ok =
        jw_buf_ok(&record, err) && put_state_file(l->p.progress, JW_OUT_FAST, jw_buf_bytes(&record), err);

    jw_buf_free(&record);
    return ok;
}

/* ---- rewriting it ---- */

bool jw_warm_rewrite(struct jw_warm_log *l,
                     enum jw_warm_fate (*fate)(void *ctx, struct jw_warm_fact *fact, struct jw_arena *a),
                     void *ctx, struct jw_err *err)
{
    struct rewriting w = { .l = l, .fate = fate, .ctx = ctx };
    struct jw_arena a = { 0 };
    struct jw_warm_image image = { .cache = NULL };
    bool ok = jw_warm_image_read(&l->p, &a, &image, err);

    if (ok) {
        ok = put_alive(&w, &image.log, err);
        ok = jw_append_open(&l->log, l->p.log, ok ? err : &(struct jw_err){ 0 }) && ok;
    }
    jw_warmlog_free(&image.log);
    jw_arena_free(&a);
    return ok;
}

/* ---- entries that are no longer in the cache ---- */

struct forgetting {
    const uint64_t *names;
    size_t n;
    bool lost;
};

static bool is_gone(const struct forgetting *f, uint64_t name)
{
    return name && jw_find_u64(f->names, f->n, sizeof *f->names, name);
}

/* True if one of them is gone. */
static bool drop_entries(const struct forgetting *f, const struct jw_warm_entry **entries, size_t *n_entries,
                         struct jw_arena *a)
{
    struct jw_warm_entry *left = jw_arena_alloc(a, (*n_entries + 1) * sizeof *left);
    size_t n = 0;

    for (size_t i = 0; i < *n_entries; i++)
        if (!is_gone(f, (*entries)[i].name))
            left[n++] = (*entries)[i];
    if (n == *n_entries)
        return false;
    *entries = left;
    *n_entries = n;
    return true;
}

static enum jw_warm_fate fate_of_import(const struct forgetting *f, struct jw_warm_import *m,
                                        struct jw_arena *a)
{
    if (f->lost || !drop_entries(f, &m->entries, &m->n_entries, a))
        return JW_WARM_KEPT;
    return m->n_entries ? JW_WARM_CHANGED : JW_WARM_DROPPED;
}

/* A question that is never asked again: the receipt holds no more, and what it was about is remembered all the same. */
static enum jw_warm_fate fate_of_receipt(const struct forgetting *f, struct jw_warm_receipt *r,
                                         struct jw_arena *a)
{
    static const struct jw_warm_answer never = { "entries that were removed", "" };

    if (!drop_entries(f, &r->entries, &r->n_entries, a))
        return JW_WARM_KEPT;
    r->answers = &never;
    r->n_answers = 1;
    r->concluded = (struct jw_warm_conclusions){ 0 };
    return JW_WARM_CHANGED;
}

/* Leaves in `out` all that is true without the entry; false: nothing is. */
static bool without_entry(const struct jw_warm_module *m, struct jw_warm_module *out)
{
    *out = (struct jw_warm_module){ .build = m->build,
                                    .sm = m->sm,
                                    .name = m->imported ? m->name : 0,
                                    .stopped = m->stopped,
                                    .kernel = "",
                                    .origin = "",
                                    .ban = m->ban,
                                    .compiler = m->compiler,
                                    .imported = m->imported,
                                    .payload = m->payload };
    memcpy(out->id, m->id, sizeof out->id);
    return m->imported || m->stopped || *m->ban;
}

static enum jw_warm_fate fate_without(void *ctx, struct jw_warm_fact *fact, struct jw_arena *a)
{
    const struct forgetting *f = ctx;
    struct jw_warm_module was = fact->as.module;

    if (fact->kind == JW_WARM_RECEIPT)
        return fate_of_receipt(f, &fact->as.receipt, a);
    if (fact->kind == JW_WARM_IMPORT)
        return fate_of_import(f, &fact->as.import, a);
    if (fact->kind != JW_WARM_MODULE || !is_gone(f, was.name))
        return JW_WARM_KEPT;
    return without_entry(&was, &fact->as.module) ? JW_WARM_CHANGED : JW_WARM_DROPPED;
}

bool jw_warm_forget(struct jw_warm_log *l, const uint64_t *names, size_t n, bool lost, struct jw_err *err)
{
    struct forgetting f = { .names = names, .n = n, .lost = lost };

    return jw_warm_rewrite(l, fate_without, &f, err);
}

/* ---- bytes that must not be lost ---- */

bool jw_warm_backup_index(struct jw_warm_log *l, const void *p, size_t n, struct jw_err *err)
{
    return n ? put_state_file(l->p.backup, JW_OUT_FAST, (struct jw_bytes){ p, n }, err)
             : remove_state_file(l->p.backup, err);
}

bool jw_warm_read_backup(const struct jw_warm_log *l, struct jw_buf *out, struct jw_err *err)
{
    bool found;

    return jw_file_slurp(l->p.backup, out, &found, err) || jw_wrap(err, "%s", l->p.backup);
}
