#include "pack/store/ages.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "machine/list.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "pack-ages.txt"
#define MADE "made"
#define TAKEN "taken"

enum { LINE = 32, WORDS = 5, MOST = 8192 };

struct age {
    char line[LINE + 1];
    bool made;
    uint64_t content; /* MADE */
    struct jw_pack_age is;
};

struct ages {
    struct jw_arena *a;
    const char *folder, *path;
    struct age *v; /* the newest first */
    size_t n;
};

bool jw_pack_older(struct jw_pack_age a, struct jw_pack_age b)
{
    return a.date < b.date || (a.date == b.date && a.counter < b.counter);
}

/* ---- the file ---- */

/* Words with one blank between them; false: not so many. */
static bool split(char *text, char *words[WORDS], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        words[i] = text;
        text += strcspn(text, " ");
        if (!*text)
            return i + 1 == n;
        *text++ = '\0';
    }
    return false;
}

static bool read_line(char *text, struct age *out)
{
    char *w[WORDS] = { NULL };

    *out = (struct age){ .made = jw_text_starts(text, MADE " ") };
    if (!split(text, w, out->made ? WORDS : WORDS - 1) || strlen(w[1]) != LINE
        || (!out->made && strcmp(w[0], TAKEN) != 0))
        return false;
    memcpy(out->line, w[1], LINE);
    return (!out->made || jw_text_u64(w[2], &out->content))
           && jw_text_u64(w[out->made ? 3 : 2], &out->is.date)
           && jw_text_u64(w[out->made ? 4 : 3], &out->is.counter) && out->is.date <= JW_MAX_PACK_DATE;
}

/* A last line without an end was cut off, maybe inside of a number. */
static bool read_lines(struct ages *ages, char *text, struct jw_err *lost, struct jw_err *err)
{
    for (unsigned n = 1; *text; n++) {
        char *line = text;
        struct age age;
        bool whole;

        text += strcspn(text, "\n");
        whole = *text == '\n';
        if (whole)
            *text++ = '\0';
        if (!whole || !read_line(line, &age)) {
            if (!lost->code)
                (void)jw_fail(lost, JW_E_FORMAT, "%s is damaged in line %u", ages->path, n);
            continue;
        }
        if (ages->n == MOST)
            continue;
        struct age *slot = jw_list_add(ages->a, &ages->v, &ages->n, sizeof *slot, MOST, err);

        if (!slot)
            return false;
        *slot = age;
    }
    return true;
}

/* What is wrong is `lost`. */
static bool load(struct ages *ages, struct jw_arena *a, struct jw_err *lost, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_err why = { 0 };
    bool found = false, ok;

    *lost = (struct jw_err){ 0 };
    *ages = (struct ages){ .a = a, .folder = jw_state_dir(a, &why) };
    ages->path = ages->folder ? jw_path_join(a, ages->folder, FILE_NAME) : NULL;
    if (!ages->path)
        return true;
    ok = jw_trust_believe(ages->folder, "folder", a, &why) && jw_trust_believe(ages->path, "file", a, &why)
         && jw_file_slurp(ages->path, &text, &found, &why);
    char *copy = ok && found ? jw_arena_text(a, (const char *)text.p, text.n) : NULL;
    size_t n = text.n;

    jw_buf_free(&text);
    if (!ok) {
        (void)jw_fail(lost, JW_E_IO, "%s cannot be read: %s", ages->path, why.msg);
        return true;
    }
    if (copy && strlen(copy) != n)
        (void)jw_fail(lost, JW_E_FORMAT, "%s is damaged: it holds a zero byte", ages->path);
    return !copy || read_lines(ages, copy, lost, err);
}

static void write_line(struct jw_buf *out, const struct age *age)
{
    jw_buf_printf(out, "%s %s ", age->made ? MADE : TAKEN, age->line);
    if (age->made)
        jw_buf_printf(out, "%llu ", (unsigned long long)age->content);
    jw_buf_printf(out, "%llu %llu\n", (unsigned long long)age->is.date, (unsigned long long)age->is.counter);
}

static bool among(const struct age *v, size_t n, const struct age *age)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].made == age->made && strcmp(v[i].line, age->line) == 0)
            return true;
    return false;
}

/* Sorts new records first, so that the oldest are dropped. */
static bool save(const struct ages *ages, const struct age *fresh, size_t n, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_out out = { 0 };
    size_t left = n < MOST ? MOST - n : 0;

    for (size_t i = 0; i < n; i++)
        write_line(&text, &fresh[i]);
    for (size_t i = 0; i < ages->n && left; i++)
        if (!among(fresh, n, &ages->v[i])) {
            write_line(&text, &ages->v[i]);
            left--;
        }
    bool ok = (ages->path || jw_fail(err, JW_E_IO, "there is no state folder")) && jw_buf_ok(&text, err)
              && jw_trust_make(ages->folder, err) && jw_out_open(&out, ages->path, true, err)
              && jw_out_write(&out, text.p, text.n, err) && jw_out_commit(&out, err);

    jw_out_close(&out);
    jw_buf_free(&text);
    return ok;
}

static const struct age *find(const struct ages *ages, bool made, const char *line)
{
    for (size_t i = 0; i < ages->n; i++)
        if (ages->v[i].made == made && strcmp(ages->v[i].line, line) == 0)
            return &ages->v[i];
    return NULL;
}

/* ---- what is made here ---- */

static void begin_line(struct jw_digest_state *s, const struct jw_pack_manifest *m, const char *kind)
{
    char head[160];
    int n = snprintf(head, sizeof head, "%s\n%s\n%u\n", kind, m->stamp, (unsigned)m->sm);

    jw_digest_init(s);
    jw_digest_update(s, head, (size_t)n < sizeof head ? (size_t)n : sizeof head);
}

static void end_line(struct jw_digest_state *s, char out[LINE + 1])
{
    char digits[2 * JW_DIGEST + 1];
    uint8_t digest[JW_DIGEST];

    jw_digest_final(s, digest);
    jw_digest_hex(digits, digest);
    memcpy(out, digits, LINE);
    out[LINE] = '\0';
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

bool jw_pack_date(struct jw_pack_manifest *m, uint64_t content, struct jw_err *lost, struct jw_err *err)
{
    struct age mine = { .made = true, .content = content };
    struct jw_arena a = { 0 };
    struct jw_digest_state s;
    struct jw_err ignored = { 0 };
    struct ages ages;

    if (!load(&ages, &a, lost, err)) {
        jw_arena_free(&a);
        return false;
    }
    begin_line(&s, m, MADE);
    for (size_t i = 0; i < m->n_origins; i++)
        jw_digest_update(&s, m->origins[i].name, strlen(m->origins[i].name) + 1);
    end_line(&s, mine.line);

    const struct age *last = find(&ages, true, mine.line);

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
    return true;
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
                       char out[LINE + 1])
{
    struct jw_digest_state s;

    begin_line(&s, m, vouched ? TAKEN " vouched" : TAKEN);
    jw_digest_update(&s, software, strlen(software));
    end_line(&s, out);
}

static bool counts(const struct jw_pack_ages *of, const char *software)
{
    return !of->counts || of->counts(of->ctx, *software ? software : NULL);
}

static void newer_of(const struct ages *ages, const char *line, struct jw_pack_age *out)
{
    const struct age *age = find(ages, false, line);

    if (age && jw_pack_older(*out, age->is))
        *out = age->is;
}

bool jw_pack_newest(const struct jw_pack_ages *of, struct jw_pack_age *out, struct jw_err *lost,
                    struct jw_err *err)
{
    const struct jw_pack_manifest *m = of->manifest;
    struct jw_arena a = { 0 };
    struct ages ages;
    bool ok = load(&ages, &a, lost, err);

    *out = (struct jw_pack_age){ 0 };
    for (size_t i = 0; ok && i < count_software(m); i++) {
        const char *software = software_of(m, i);
        char line[LINE + 1];

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
    return ok;
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
    bool ok = load(&ages, &a, &why, err);

    for (size_t i = 0; ok && age.date && i < most; i++) {
        const struct age *last;

        if (!counts(of, software_of(m, i)))
            continue;
        fresh[n].is = age;
        taken_line(m, of->vouched, software_of(m, i), fresh[n].line);
        last = find(&ages, false, fresh[n].line);
        n += !last || jw_pack_older(last->is, age);
    }
    ok = ok && (!n || save(&ages, fresh, n, err));
    jw_arena_free(&a);
    return ok;
}
