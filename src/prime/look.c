#include "prime/look_work.h"

#include "base/compiler.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/place/cache_disk.h"
#include "facts/gpus.h"
#include "machine/trust.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

void look_unread(struct jw_look *l, const char *path, const char *sentence)
{
    l->first_unread = l->first_unread ? l->first_unread : path;
    jw_note(&l->unread, &l->a, "%s", sentence);
}

void look_lost(struct jw_look *l, const struct jw_root *command)
{
    struct jw_facts_found *f = &l->facts.found;

    if (jw_path_absolute(command->words[0]) && jw_is_absent(command->words[0]))
        f->lost_root = f->lost_root ? f->lost_root : command->words;
    else
        f->lost_command = f->lost_command ? f->lost_command : command->words;
}

void look_lost_path(struct jw_look *l, const char *path)
{
    if (path && l->n_lost < JW_COUNT(l->lost) - 1)
        l->lost[l->n_lost++] = path;
    if (l->n_lost && !l->facts.found.lost_root)
        l->facts.found.lost_root = l->lost;
}

void look_block(struct jw_look *l, const char *path, uint16_t needs)
{
    if (!l->files.left_out[JW_OUT_IS_BLOCKED]++)
        l->files.first_out[JW_OUT_IS_BLOCKED] = path;
    l->files.needs = needs > l->files.needs ? needs : l->files.needs;
}

void look_add(struct looking *x, const struct jw_job *j)
{
    if (x->n == x->room) {
        x->room = 2 * x->room + 64;
        x->list = jw_realloc(x->list, x->room * sizeof *x->list);
    }
    x->list[x->n++] = *j;
}

/* ---- each module once ---- */

static int by_id(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a, *y = *(const struct jw_job *const *)b;
    int d = memcmp(x->id, y->id, sizeof x->id);

    return d ? d : (x > y) - (x < y); /* in the order in which they were found */
}

/* Joins equal modules to one job. Its place is the first one that a worker can read. */
static struct jw_job merge(const struct looking *x, const struct jw_job *const *group, size_t n)
{
    struct jw_job j = *group[0];
    const struct jw_place *first = j.place;

    for (size_t i = 0; i < n; i++) {
        j.used |= group[i]->used;
        if (!first->disk)
            first = group[i]->place->disk ? group[i]->place : first;
    }
    j.kept = first->entry != NULL;
    j.place =
        jw_arena_copy(&x->look->a, first, sizeof *first); /* a copy, because look_spool may give it a file */
    j.used |= jw_digest_set_has(&x->used, j.text);
    if (x->look->facts.scope.level < JW_LEVEL_PREDICTABLE)
        j.name = j.key_size = 0;
    return j;
}

static void merge_all(struct looking *x)
{
    struct jw_look *l = x->look;
    const struct jw_job **sorted = jw_alloc((x->n + 1) * sizeof *sorted);

    for (size_t i = 0; i < x->n; i++)
        sorted[i] = &x->list[i];
    jw_sort(sorted, x->n, sizeof *sorted, by_id);
    l->jobs = jw_arena_alloc(&l->a, (x->n + 1) * sizeof *l->jobs);
    for (size_t i = 0, next; i < x->n; i = next) {
        for (next = i + 1; next < x->n && memcmp(sorted[next]->id, sorted[i]->id, sizeof sorted[i]->id) == 0;)
            next++;
        l->jobs[l->n_jobs++] = merge(x, &sorted[i], next - i);
    }
    jw_sort(l->jobs, l->n_jobs, sizeof *l->jobs, scan_jobs_by_place);
    jw_free(sorted);
}

/* ---- what the driver finds ---- */

/* Remembers these entries as sound, and what was known of others, as far as the index still names them. */
static void keep_sound(struct jw_look *l, struct jw_sound_entry *v, size_t n)
{
    struct jw_sound_entry *all = jw_arena_alloc(&l->a, (n + l->sound.n + 1) * sizeof *all);
    size_t kept = n;

    jw_sort_u64(v, n, sizeof *v);
    if (n)
        memcpy(all, v, n * sizeof *v);
    for (size_t i = 0; i < l->sound.n; i++) {
        uint64_t name = l->sound.v[i].name;

        if (!jw_find_u64(v, n, sizeof *v, name)
            && (l->cache.trouble
                || jw_find_u64(l->cache.index.list, l->cache.index.n, sizeof *l->cache.index.list, name)))
            all[kept++] = l->sound.v[i];
    }
    jw_sound_save(l->memory, all, kept);
    l->sound = (struct jw_sound){ all, kept };
}

struct judging {
    struct jw_look *l;
    int64_t began;               /* by the clock of the file system */
    struct jw_sound_entry *read; /* entries that are sound now */
    size_t n_read, n_new;
};

/* Remembers a sound entry, unless its file is so young that a later change would not show (as in memory/ledger.h). */
static bool remember(struct judging *g, uint64_t name, const struct jw_file_info *info)
{
    bool old = jw_file_change_shows(info, g->began);

    if (old)
        g->read[g->n_read++] = (struct jw_sound_entry){ name, jw_cache_identity(info) };
    return old;
}

/* Is the entry's file whole? Reads all of it, once for each file, because the driver does not check what it holds. Remembers one that is, and
 * marks one that is not. driver-fact: F34-payload-unchecked */
static bool check_file(struct judging *g, struct jw_job *j, const char *path, struct jw_file_info *info)
{
    struct jw_cache_entry entry;
    struct jw_err why = { 0 };
    uint64_t identity = jw_cache_identity(info);
    /* A fresh process may have refused it, which no check of its bytes shows. */
    const struct jw_ban *ban = jw_ban_of(&g->l->bans, j, &g->l->facts.scope);
    bool banned = ban && ban->how == JW_JOB_UNSTORED && ban->entry == identity;
    bool known = jw_sound_has(&g->l->sound, j->name, identity);
    bool sound =
        !banned && info->kind == JW_FILE_REGULAR && info->size > j->key_size + JW_CACHE_HEADER
        && (known
            || (jw_cache_file_check(path, j->name, &entry, info, &why) && entry.key_size == j->key_size));

    if (sound)
        g->n_new += remember(g, j->name, info) && !known;
    else
        j->damaged = why.code != JW_E_IO; /* one that cannot be opened may be whole */
    if (info->kind != JW_FILE_REGULAR)
        g->l->facts.found.not_file = path;
    return sound;
}

/* A file that was read before is not opened: its identity includes that it can be read; and what this run
 * published was checked before. driver-fact: F02-name-is-fnv, F28-index-needed */
static void judge_entry(struct judging *g, struct jw_job *j)
{
    struct jw_look *l = g->l;
    const struct jw_cache_index *index = &l->cache.index;
    const struct jw_cache_record *record = jw_find_u64(index->list, index->n, sizeof *record, j->name);
    const char *path = jw_path_join(&l->a, l->facts.scope.cache, jw_cache_name(j->name).text);
    struct jw_file_info info;

    if (j->state == JW_JOB_WARMED && jw_cache_lookup_finds(&l->cache, j->name, &info)) {
        g->n_new += l->facts.scope.level >= JW_LEVEL_PLACEABLE && remember(g, j->name, &info);
        return;
    }
    if (jw_job_is_warm(j)) {
        j->state = JW_JOB_UNSTORED;
        j->why = "the driver does not find its entry in the cache";
    }
    j->entry_bytes = record ? record->size : 0;
    if (!jw_file_stat(path, &info, JW_IGNORED))
        return;
    j->damaged = info.kind == JW_FILE_NONE && record;
    if (info.kind == JW_FILE_NONE || l->cache.trouble == JW_INDEX_HIDES || !check_file(g, j, path, &info))
        return;
    j->entry_bytes = info.size - JW_CACHE_HEADER;
    j->state = JW_JOB_WARM;
    j->why = NULL;
}

static void judge_ban(const struct jw_look *l, struct jw_job *j)
{
    const struct jw_ban *ban = jw_ban_of(&l->bans, j, &l->facts.scope);

    if (!ban)
        return;
    j->stopped = ban->stopped_ms / 1000.0;
    if (ban->how == JW_JOB_TODO || ban->how == JW_JOB_UNSTORED || l->retry)
        return;
    j->state = JW_JOB_SKIPPED;
    j->before = ban->how;
    j->why = ban->why;
}

void look_ban(struct jw_look *l, const struct jw_job *j, uint64_t entry)
{
    struct jw_ban ban = { .sm = j->sm,
                          .build = l->facts.scope.build,
                          .compiler = l->facts.scope.compiler,
                          .how = j->state,
                          .why = j->why,
                          .stopped_ms = (uint32_t)(j->stopped * 1000),
                          .entry = entry };

    if (!ban.build)
        return;
    memcpy(ban.id, j->id, sizeof ban.id);
    jw_ban_put(&l->bans, &ban, &l->a);
    (void)!jw_bans_save(l->memory, &l->bans, JW_IGNORED);
}

/* In a cache that can be used, entries whose folder this user may not change stay cold: ends them, and notes the first such folder. */
static void find_closed(struct jw_look *l)
{
    const char *closed[UINT8_MAX + 1] = { NULL };
    unsigned first = UINT8_MAX + 1;
    bool asked[UINT8_MAX + 1] = { false };
    struct jw_trust t;

    for (struct jw_job *j = l->jobs; !l->facts.cache.place && j < l->jobs + l->n_jobs; j++) {
        unsigned n = (unsigned)(j->name >> 56);

        if (!j->name || (j->state != JW_JOB_TODO && j->state != JW_JOB_UNSTORED))
            continue;
        if (!asked[n])
            closed[n] = jw_cache_closed_folder(l->facts.scope.cache, n, &l->a);
        asked[n] = true;
        if (!closed[n])
            continue;
        j->state = JW_JOB_UNSTORED;
        j->why = jw_arena_printf(&l->a, "%s is closed to this user", closed[n]);
        first = n < first ? n : first;
    }
    if (first <= UINT8_MAX && jw_trust_read(closed[first], &l->a, &t, JW_IGNORED)) {
        l->facts.found.cache_closed = closed[first];
        l->facts.found.cache_closed_by = t.owner;
    }
}

/* The last stage: which of the jobs does the driver find in the cache as it was opened? And the answer. */
static void judge_all(const struct jw_run *run, struct jw_look *l)
{
    struct judging g = { .l = l,
                         .began = jw_time_unix_ns(),
                         .read = jw_arena_alloc(&l->a, (l->n_jobs + 1) * sizeof(struct jw_sound_entry)) };

    l->facts.found.not_file = l->facts.found.cache_closed = NULL;
    for (size_t i = 0; i < l->n_jobs && !jw_interrupted(run->interrupted); i++) {
        struct jw_job *j = &l->jobs[i];

        j->damaged = false;
        if (j->name && !l->cache.refusal)
            judge_entry(&g, j);
        if (j->state == JW_JOB_TODO)
            judge_ban(l, j);
    }
    if (g.n_new)
        keep_sound(l, g.read, g.n_read);
    find_closed(l);
    jw_look_answer(l);
}

void look_at_disk(struct jw_look *l)
{
    struct jw_disk disk;

    if (jw_disk_look(l->facts.scope.cache, &disk, JW_IGNORED))
        l->facts.cache.free = disk.free;
}

bool jw_look_list(struct jw_run *run, struct jw_look *l, bool check, struct jw_err *err)
{
    if (!l->facts.scope.cache || l->facts.scope.level == JW_LEVEL_OPAQUE || (l->all.found && !check))
        return true;
    jw_cache_listing_free(&l->all);
    return jw_cache_list(l->facts.scope.cache, check, run->interrupted, &l->a, &l->all, err);
}

/* If nothing is warm: are all entries of another driver build, as after an update, or of this one for other GPUs? */
static bool find_others(struct jw_run *run, struct jw_look *l, struct jw_err *err)
{
    const struct jw_cache_file *latest = NULL, *f;

    if (l->facts.answer.is != JW_COLD || l->facts.answer.warm)
        return true;
    if (!jw_look_list(run, l, false, err))
        return false;
    for (f = l->all.files; f < l->all.files + l->all.n; f++) {
        if (f->damage || f->kind != JW_CACHE_CUDA)
            continue;
        if (jw_text_same(f->stamp, l->facts.scope.stamp) && jw_sms_have(&l->facts.scope.sms, f->sm))
            return true;
        latest = latest && latest->mtime > f->mtime ? latest : f;
    }
    if (!latest)
        return true;

    const struct jw_driver_state *d = jw_drivers_of_stamp(jw_session_drivers(run->session), latest->stamp);

    if (jw_text_same(latest->stamp, l->facts.scope.stamp))
        l->facts.found.other_sm = latest->sm;
    else
        l->facts.found.other_driver =
            d && d->version ? d->version : jw_arena_str(&l->a, jw_stamp_text(latest->stamp).text);
    return true;
}

/* Where there are roots prime takes them alone, and first. Once they are warm, cold software that was found has to be named. */
static void name_found(const struct jw_discovery *d, struct jw_look *l)
{
    const char **words = jw_arena_alloc(&l->a, (l->n_jobs + 1) * sizeof *words);
    size_t n = 0;

    for (size_t i = 0; i < l->n_jobs && l->roots.n; i++) {
        const struct jw_job *j = &l->jobs[i];
        const char *folder = NULL;

        if (jw_job_is_warm(j))
            continue;
        for (size_t k = 0; k < l->roots.n; k++)
            if (j->used || (l->roots.v[k].path && jw_is_in(j->place->path, l->roots.v[k].path)))
                return;
        for (size_t k = 0; k < d->n_folders; k++)
            folder = jw_is_in(j->place->path, d->folders[k].path) ? d->folders[k].path : folder;
        if (folder && (!n || words[n - 1] != folder)) /* jobs are in the order of their paths */
            words[n++] = folder;
    }
    l->facts.asked.words = n ? words : l->facts.asked.words;
}

/* ---- all ---- */

void jw_look_load_roots(struct jw_run *run, struct jw_look *l, bool changes)
{
    struct jw_facts_found *f = &l->facts.found;
    const char *list = l->memory->unusable ? NULL : jw_path_join(&l->a, l->memory->dir, JW_ROOTS_FILE);
    struct jw_trust t;

    jw_roots_load(l->memory, &l->a, &l->roots);
    bool closed = l->roots.closed, counts = !l->facts.asked.paths || (changes && closed);

    f->roots_damaged = counts ? l->roots.damaged : NULL;
    f->roots_at = closed ? l->memory->dir : NULL;
    f->roots_lost = closed && jw_trust_read(list ? list : l->memory->dir, &l->a, &t, JW_IGNORED) && t.owner;
    if (f->roots_damaged && !changes)
        look_unread(l, list, l->roots.damaged);
    if (changes && l->roots.damaged && !closed)
        JW_NOTE(run, "what was named and recorded before is lost: %s", l->roots.damaged);
}

static bool open_cache(struct jw_look *l, struct jw_err *err)
{
    bool ok = jw_cache_lookup_open(l->facts.scope.cache, &l->a, &l->cache, err);

    l->facts.scope.used = l->cache.index.total;
    return ok;
}

/* The modules that the driver would compile, each once. May end the run. */
static bool find_modules(struct looking *x, struct jw_err *err)
{
    struct jw_look *l = x->look;
    struct jw_answer *a = &l->facts.answer;

    if (!look_files(x, err) || (!x->want->paths.n && !(look_commands(x, err) && look_kept(x, err))))
        return false;
    merge_all(x);
    jw_look_answer(l);
    /* With machine code alone no setting of the cache matters; else there is no answer beside it. */
    if (!(l->facts.cache.disable || l->facts.cache.place) || (!a->modules && a->found))
        return true;
    a->is = JW_NOT_LOOKED;
    return jw_look_stop(x->run, l, JW_ASKS_PRIME);
}

bool jw_look(struct jw_run *run, const struct jw_want *want, struct jw_look *l, struct jw_err *err)
{
    struct looking x = { .run = run, .want = want, .look = l };

    if (run->ended)
        return true;
    l->retry = want->retry;
    jw_look_load_roots(run, l, false);
    jw_bans_load(l->memory, &l->a, &l->bans);
    jw_sound_load(l->memory, &l->a, &l->sound);
    bool ok = open_cache(l, err) && find_modules(&x, err);

    for (size_t i = 0; i < JW_COUNT(x.memos); i++)
        jw_ledger_close(x.memos[i].ctx);
    jw_free(x.list);
    if (!ok || run->ended)
        return ok;
    judge_all(run, l);
    if (l->without_code.n && !l->facts.answer.empty) /* the answer is then about the other paths */
        JW_NOTE(run, "no CUDA code is in %s%s", l->without_code.v[0],
                l->without_code.n > 1 ? ", nor in others" : "");
    if (want->search && !want->paths.n)
        name_found(jw_session_software(run->session), l);
    return find_others(run, l, err) && jw_not_interrupted(run->interrupted, err);
}

bool look_again(struct jw_run *run, struct jw_look *l, struct jw_err *err)
{
    jw_cache_lookup_close(&l->cache);
    jw_cache_listing_free(&l->all); /* the listing is older than the look */
    if (!open_cache(l, err))
        return false;
    judge_all(run, l);
    return true;
}

void jw_look_free(struct jw_look *l)
{
    scan_jobs_free(&l->files);
    scan_jobs_free(&l->of_commands);
    jw_cache_lookup_close(&l->cache);
    jw_cache_listing_free(&l->all);
    jw_arena_free(&l->a);
    *l = (struct jw_look){ 0 };
}
