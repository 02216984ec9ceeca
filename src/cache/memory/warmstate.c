#include "cache/memory/warmstate.h"

#include "base/limits.h"
#include "cache/memory/warmplace.h"
#include "os/files/append.h"
#include "os/files/dir.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKS = 3 };

/* ---- a root's memory ---- */

/* Room for all that is alive; lists of nothing stay NULL. */
static void make_room(const struct jw_warmlog *log, struct jw_arena *a, struct jw_warm_state *out)
{
    size_t counts[JW_WARM_KINDS] = { 0 };

    for (size_t i = 0; i < log->n; i++)
        if (log->list[i].alive && jw_warmlog_known(&log->list[i]))
            counts[log->list[i].kind]++;
    out->jobs = jw_arena_alloc(a, counts[JW_WARM_JOB] * sizeof *out->jobs);
    out->bans = jw_arena_alloc(a, counts[JW_WARM_BAN] * sizeof *out->bans);
    out->receipts = jw_arena_alloc(a, counts[JW_WARM_RECEIPT] * sizeof *out->receipts);
    out->profiles = jw_arena_alloc(a, counts[JW_WARM_PROFILE] * sizeof *out->profiles);
    out->origins = jw_arena_alloc(a, counts[JW_WARM_ORIGIN] * sizeof *out->origins);
    out->ledger = jw_arena_alloc(a, counts[JW_WARM_MADE] * sizeof *out->ledger);
    out->strangers = jw_arena_alloc(a, counts[JW_WARM_MADE] * sizeof *out->strangers);
    out->ran = jw_arena_alloc(a, counts[JW_WARM_RAN] * sizeof *out->ran);
}

static void keep(const struct jw_warm_fact *fact, struct jw_warm_state *out)
{
    switch (fact->kind) {
    case JW_WARM_JOB: out->jobs[out->n_jobs++] = fact->as.job; break;
    case JW_WARM_BAN: out->bans[out->n_bans++] = fact->as.ban; break;
    case JW_WARM_RECEIPT: out->receipts[out->n_receipts++] = fact->as.receipt; break;
    case JW_WARM_PROFILE: out->profiles[out->n_profiles++] = fact->as.profile; break;
    case JW_WARM_ORIGIN: out->origins[out->n_origins++] = fact->as.origin; break;
    case JW_WARM_MADE:
        if (fact->as.made.made == JW_MADE_IMPORTED)
            out->strangers[out->n_strangers++] = fact->as.made;
        else if (fact->as.made.made != JW_MADE_HERE)
            out->ledger[out->n_ledger++] = fact->as.made;
        break;
    case JW_WARM_RAN: out->ran[out->n_ran++] = fact->as.ran; break;
    case JW_WARM_ROOT:
    case JW_WARM_LIFT:
    case JW_WARM_KINDS: break;
    }
}

static void newest_first(struct jw_warm_state *s)
{
    for (size_t i = 0; i < s->n_receipts / 2; i++) {
        struct jw_warm_receipt *x = &s->receipts[i], *y = &s->receipts[s->n_receipts - 1 - i], kept = *x;

        *x = *y;
        *y = kept;
    }
}

static int by_entry(const void *a, const void *b)
{
    const struct jw_warm_owned *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

static int by_entry_and_age(const void *a, const void *b)
{
    const struct jw_warm_owned *x = a, *y = b;
    int order = by_entry(a, b);

    return order ? order : x->by < y->by ? -1 : x->by > y->by;
}

const struct jw_warm_job *jw_warm_job(const struct jw_warm_state *s, const uint8_t id[32], uint16_t sm,
                                      const char *build)
{
    for (size_t i = 0; i < s->n_jobs; i++) {
        const struct jw_warm_job *w = &s->jobs[i];

        if (w->sm == sm && memcmp(w->id, id, sizeof w->id) == 0 && strcmp(w->build, build) == 0)
            return w;
    }
    return NULL;
}

const char *jw_warm_origin(const struct jw_warm_state *s, uint64_t name)
{
    const struct jw_warm_owned wanted = { .name = name };
    const struct jw_warm_owned *found =
        s->n_owned ? bsearch(&wanted, s->owned, s->n_owned, sizeof wanted, by_entry) : NULL;

    return found ? found->by->origin : NULL;
}

/* Of several that name an entry the newest counts; when there are too many, the oldest are forgotten. */
static void list_owned(struct jw_warm_state *s, struct jw_arena *a)
{
    size_t first = s->n_origins, most = 0, n = 0, kept = 0;

    while (first && most + s->origins[first - 1].n <= JW_MAX_WARM_OWNED)
        most += s->origins[--first].n;
    s->owned = jw_arena_alloc(a, most * sizeof *s->owned);
    for (size_t i = first; i < s->n_origins; i++)
        for (size_t k = 0; k < s->origins[i].n; k++)
            s->owned[n++] = (struct jw_warm_owned){ s->origins[i].names[k], &s->origins[i] };
    if (n)
        qsort(s->owned, n, sizeof *s->owned, by_entry_and_age);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || s->owned[i].name != s->owned[i + 1].name)
            s->owned[kept++] = s->owned[i];
    s->n_owned = kept;
}

static int by_made(const void *a, const void *b)
{
    const struct jw_warm_ledger *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

static const struct jw_warm_ledger *find_made(const struct jw_warm_ledger *v, size_t n, uint64_t name,
                                              uint64_t payload)
{
    const struct jw_warm_ledger wanted = { .name = name };
    const struct jw_warm_ledger *found = n ? bsearch(&wanted, v, n, sizeof wanted, by_made) : NULL;

    return found && found->payload == payload ? found : NULL;
}

static int by_ran(const void *a, const void *b)
{
    const struct jw_warm_ran *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

const struct jw_warm_ran *jw_warm_ran(const struct jw_warm_state *s, uint64_t name)
{
    const struct jw_warm_ran wanted = { .name = name };

    return s->n_ran ? bsearch(&wanted, s->ran, s->n_ran, sizeof wanted, by_ran) : NULL;
}

const struct jw_warm_ledger *jw_warm_made(const struct jw_warm_state *s, uint64_t name, uint64_t payload)
{
    return find_made(s->ledger, s->n_ledger, name, payload);
}

bool jw_warm_stranger(const struct jw_warm_state *s, uint64_t name, uint64_t payload)
{
    return find_made(s->strangers, s->n_strangers, name, payload) != NULL;
}

/* A record that is whole and still makes no sense is a fault of ours, and costs only what it says. */
static void read_records(const struct jw_warm_place *p, const struct jw_warmlog *log, struct jw_arena *a,
                         struct jw_warm_state *out, struct jw_err *err)
{
    make_room(log, a, out);
    for (size_t i = 0; i < log->n; i++) {
        struct jw_warm_fact fact;

        if (!log->list[i].alive || !jw_warmlog_known(&log->list[i]))
            continue;
        if (jw_warmlog_get(&log->list[i], a, &fact, err))
            keep(&fact, out);
        else
            jw_note_failure(&out->notes, a, err, p->log);
    }
    newest_first(out);
    if (out->n_ledger)
        qsort(out->ledger, out->n_ledger, sizeof *out->ledger, by_made);
    if (out->n_strangers)
        qsort(out->strangers, out->n_strangers, sizeof *out->strangers, by_made);
    if (out->n_ran)
        qsort(out->ran, out->n_ran, sizeof *out->ran, by_ran);
    list_owned(out, a);
}

/*
 * While another process adds a record, its beginning can be seen without its end: what is torn is looked at again until
 * it stays as it is.
 */
static bool read_settled(const struct jw_warm_place *p, struct jw_arena *a, struct jw_warm_image *out,
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

static void read_image(const struct jw_warm_place *p, const struct jw_warm_image *image, struct jw_arena *a,
                       struct jw_warm_state *out, struct jw_err *err)
{
    size_t lost = image->bytes.n - image->log.sound;

    if (image->log.n && (!image->root || strcmp(image->root, p->root) != 0)) {
        jw_note(&out->notes, a, "%s: it speaks of another cache (%.200s)", p->log,
                image->root ? image->root : "none that it names");
        return;
    }
    if (lost)
        jw_note(&out->notes, a, "%s: its last %zu bytes are torn or damaged; what they held is forgotten",
                p->log, lost);
    read_records(p, &image->log, a, out, err);
}

static void note_or_fail(struct jw_warm_state *out, struct jw_arena *a, const struct jw_err *why)
{
    jw_note(&out->notes, a, "%s", why->msg);
}

bool jw_warm_load(const char *root, struct jw_arena *a, struct jw_warm_state *out, struct jw_err *err)
{
    struct jw_warm_place p;
    struct jw_warm_image image = { 0 };
    struct jw_err why = { 0 };
    bool ok;

    *out = (struct jw_warm_state){ 0 };
    if (!jw_warm_place_find(root, a, &p, &why)) {
        note_or_fail(out, a, &why);
        return true;
    }
    out->dir = p.dir;
    if (!jw_warm_place_believe(&p, a, &why) || !read_settled(&p, a, &image, &why)) {
        note_or_fail(out, a, &why);
        return true;
    }
    read_image(&p, &image, a, out, err);
    ok = true;
    jw_warmlog_free(&image.log);
    return ok;
}

/* ---- who works on it ---- */

static bool read_status(const char *path, struct jw_arena *a, const char **status, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    bool found = false, ok = jw_file_slurp(path, &text, &found, err);

    if (ok && found) {
        *status = jw_arena_text(a, (const char *)text.p, text.n);
        ok = true;
    }
    jw_buf_free(&text);
    return ok || jw_wrap(err, "%s", path);
}

bool jw_warm_busy(const char *root, struct jw_arena *a, bool *busy, struct jw_warm_holder *holder,
                  const char **status, struct jw_err *err)
{
    struct jw_warm_place p;

    *busy = false;
    *status = NULL;
    *holder = (struct jw_warm_holder){ 0 };
    return jw_warm_place_find(root, a, &p, err) && jw_warm_place_believe(&p, a, err)
           && jw_warm_holder_ask(&p, busy, holder, err) && (!*busy || read_status(p.status, a, status, err));
}

static bool make_stop(const char *path, struct jw_err *err)
{
    struct jw_append f;
    bool ok = jw_append_open(&f, path, err);

    jw_append_close(&f);
    return ok || jw_wrap(err, "%s", path);
}

bool jw_warm_ask_stop(const char *root, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_warm_place p;
    struct jw_warm_holder holder;
    bool held = false, ok = jw_warm_place_find(root, &a, &p, err) && jw_warm_place_believe(&p, &a, err)
                            && jw_warm_holder_ask(&p, &held, &holder, err)
                            && (!held || make_stop(p.stop, err));

    jw_arena_free(&a);
    return ok;
}
