#include "pack/store/ages.h"

#include "base/digest.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "pack-ages"

enum { MADE = 35, TAKEN, LINE = 16, MOST = 8192 };

struct age {
    uint8_t line[LINE];
    uint16_t kind;
    uint64_t content; /* MADE */
    struct jw_pack_age is;
};

static const struct jw_field made[] = { JW_FIELD(struct age, line),
                                        JW_FIELD_UP_TO(struct age, is.date, 8, JW_MAX_PACK_DATE),
                                        JW_FIELD(struct age, is.counter),
                                        JW_FIELD(struct age, content),
                                        { 0 } };
static const struct jw_field taken[] = { JW_FIELD(struct age, line),
                                         JW_FIELD_UP_TO(struct age, is.date, 8, JW_MAX_PACK_DATE),
                                         JW_FIELD(struct age, is.counter),
                                         { 0 } };

struct ages {
    const char *folder, *path;
    struct age *v; /* the newest first */
    size_t n;
};

bool jw_pack_older(struct jw_pack_age a, struct jw_pack_age b)
{
    return a.date < b.date || (a.date == b.date && a.counter < b.counter);
}

/* ---- the file ---- */

static bool take_record(struct ages *ages, const struct jw_record *record)
{
    struct age *age = &ages->v[ages->n];

    *age = (struct age){ .kind = record->kind };
    if ((record->kind != MADE && record->kind != TAKEN)
        || !jw_record_get(record, record->kind == MADE ? made : taken, NULL, age))
        return false;
    ages->n += ages->n < MOST;
    return true;
}

/* What is wrong is `lost`. */
static void load_ages(struct ages *ages, struct jw_arena *a, struct jw_err *lost)
{
    struct jw_bytes file = { NULL, 0 };
    struct jw_record record;
    struct jw_err why = { 0 };
    bool found = false, sound = true;

    *lost = (struct jw_err){ 0 };
    *ages = (struct ages){ .folder = jw_state_dir(a, &why) };
    if (!ages->folder)
        return;
    ages->path = jw_path_join(a, ages->folder, FILE_NAME);
    if (!jw_trust_believe(ages->folder, "folder", a, &why)
        || !jw_trust_slurp(ages->path, JW_MAX_STATE, a, &file, &found, &why)) {
        (void)jw_fail(lost, JW_E_IO, "%s cannot be read: %s", ages->path, why.msg);
        return;
    }

    struct jw_reader r = jw_reader(file);

    ages->v = jw_arena_alloc(a, (MOST + 1) * sizeof *ages->v);
    while (jw_record_take(&r, &record))
        sound &= take_record(ages, &record);
    if (!sound || r.at != file.n)
        (void)jw_fail(lost, JW_E_FORMAT, "%s is damaged", ages->path);
}

static void put_age(struct jw_buf *out, const struct age *age)
{
    jw_record_put(out, age->kind, age->kind == MADE ? made : taken, age);
}

static const struct age *find_age(const struct age *v, size_t n, uint16_t kind, const uint8_t line[LINE])
{
    for (size_t i = 0; i < n; i++)
        if (v[i].kind == kind && memcmp(v[i].line, line, LINE) == 0)
            return &v[i];
    return NULL;
}

/* Sorts new records first, so that the oldest are dropped. */
static bool save(const struct ages *ages, const struct age *fresh, size_t n, struct jw_err *err)
{
    struct jw_buf records = JW_BUF(JW_MAX_STATE);
    size_t left = n < MOST ? MOST - n : 0;

    for (size_t i = 0; i < n; i++)
        put_age(&records, &fresh[i]);
    for (size_t i = 0; i < ages->n && left; i++)
        if (!find_age(fresh, n, ages->v[i].kind, ages->v[i].line)) {
            put_age(&records, &ages->v[i]);
            left--;
        }
    bool ok = (ages->path || jw_fail(err, JW_E_IO, "there is no state folder")) && jw_buf_ok(&records, err)
              && jw_trust_make(ages->folder, err) && jw_trust_put(ages->path, jw_buf_bytes(&records), err);

    jw_buf_free(&records);
    return ok;
}

/* ---- what is made here ---- */

static void begin_line(struct jw_digest_state *s, const struct jw_pack_manifest *m, const char *kind)
{
    char head[160];
    int n = snprintf(head, sizeof head, "%s\n%s\n%u\n", kind, m->stamp, (unsigned)m->sm);

    jw_digest_init(s);
    jw_digest_update(s, head, (size_t)n < sizeof head ? (size_t)n : sizeof head);
}

static void end_age_line(struct jw_digest_state *s, uint8_t out[LINE])
{
    uint8_t digest[JW_DIGEST];

    jw_digest_final(s, digest);
    memcpy(out, digest, LINE);
}

static uint64_t now(struct jw_arena *a)
{
    const char *date = jw_env(a, "SOURCE_DATE_EPOCH");
    int64_t clock = jw_time_unix();
    uint64_t at;

    if (date && jw_text_u64(date, &at) && at && at <= JW_MAX_PACK_DATE)
        return at;
    return clock > 0 ? (uint64_t)clock : 1;
}

void jw_pack_date(struct jw_pack_manifest *m, uint64_t content, struct jw_err *lost)
{
    struct age mine = { .kind = MADE, .content = content };
    struct jw_arena a = { 0 };
    struct jw_digest_state s;
    struct jw_err ignored = { 0 };
    struct ages ages;

    load_ages(&ages, &a, lost);
    begin_line(&s, m, "made");
    for (size_t i = 0; i < m->n_origins; i++)
        jw_digest_update(&s, m->origins[i].name, strlen(m->origins[i].name) + 1);
    end_age_line(&s, mine.line);

    const struct age *last = find_age(ages.v, ages.n, MADE, mine.line);

    if (last && last->content == content)
        mine.is = last->is;
    else {
        mine.is = (struct jw_pack_age){ now(&a), last ? last->is.counter + 1 : 1 };
        if (last && mine.is.date < last->is.date)
            mine.is.date = last->is.date;
        (void)!save(&ages, &mine, 1, &ignored);
    }
    m->date = mine.is.date;
    m->counter = mine.is.counter;
    jw_arena_free(&a);
}

/* ---- what was imported ---- */

/* Entries without a named software count as one more software. */
static const char *software_of(const struct jw_pack_manifest *m, size_t i)
{
    return i < m->n_origins ? m->origins[i].name : "";
}

static size_t count_software(const struct jw_pack_manifest *m)
{
    for (size_t i = 0; i < m->n_entries; i++)
        if (m->entries[i].origin == JW_PACK_NO_ORIGIN)
            return m->n_origins + 1;
    return m->n_origins;
}

static void taken_line(const struct jw_pack_manifest *m, bool vouched, const char *software,
                       uint8_t out[LINE])
{
    struct jw_digest_state s;

    begin_line(&s, m, vouched ? "taken vouched" : "taken");
    jw_digest_update(&s, software, strlen(software));
    end_age_line(&s, out);
}

static bool counts(const struct jw_pack_ages *of, const char *software)
{
    return !of->counts || of->counts(of->ctx, *software ? software : NULL);
}

static void newer_of(const struct ages *ages, const uint8_t line[LINE], struct jw_pack_age *out)
{
    const struct age *age = find_age(ages->v, ages->n, TAKEN, line);

    if (age && jw_pack_older(*out, age->is))
        *out = age->is;
}

void jw_pack_newest(const struct jw_pack_ages *of, struct jw_pack_age *out, struct jw_err *lost)
{
    const struct jw_pack_manifest *m = of->manifest;
    struct jw_arena a = { 0 };
    struct ages ages;

    load_ages(&ages, &a, lost);
    *out = (struct jw_pack_age){ 0 };
    for (size_t i = 0; i < count_software(m); i++) {
        const char *software = software_of(m, i);
        uint8_t line[LINE];

        if (!counts(of, software))
            continue;
        taken_line(m, true, software, line);
        newer_of(&ages, line, out);
        if (of->vouched)
            continue;
        taken_line(m, false, software, line);
        newer_of(&ages, line, out);
    }
    jw_arena_free(&a);
}

bool jw_pack_taken(const struct jw_pack_ages *of, struct jw_err *err)
{
    const struct jw_pack_manifest *m = of->manifest;
    struct jw_pack_age age = { m->date, m->counter };
    struct jw_arena a = { 0 };
    struct jw_err why = { 0 }; /* by jw_pack_newest */
    struct ages ages;
    size_t most = count_software(m), n = 0;
    struct age *fresh = jw_arena_alloc(&a, (most + 1) * sizeof *fresh);

    load_ages(&ages, &a, &why);
    for (size_t i = 0; age.date && i < most; i++) {
        const struct age *last;

        if (!counts(of, software_of(m, i)))
            continue;
        fresh[n].kind = TAKEN;
        fresh[n].is = age;
        taken_line(m, of->vouched, software_of(m, i), fresh[n].line);
        last = find_age(ages.v, ages.n, TAKEN, fresh[n].line);
        n += !last || jw_pack_older(last->is, age);
    }

    bool ok = !n || save(&ages, fresh, n, err);

    jw_arena_free(&a);
    return ok;
}
