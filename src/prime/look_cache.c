/* Looks into the cache: which of the jobs does the driver find there, and what makes the cache
 * useless? */
#include "prime/carry.h"
#include "prime/look_work.h"

#include "base/sort.h"
#include "cache/place/cache_disk.h"
#include "facts/gpus.h"
#include "machine/trust.h"
#include "os/machine/time.h"

#include <string.h>

/* Remembers these entries, beside those in the file that the index still names. That a fresh
 * process refused an entry counts more than that it is sound. */
static void keep_sound(struct jw_run *run, struct jw_look *look, struct jw_sound_entry *v, size_t n)
{
    jw_sound_load(look->memory, run->a, &look->sound);
    struct jw_sound_entry *all = jw_arena_alloc(run->a, (n + look->sound.n + 1) * sizeof *all);
    size_t kept = n;

    jw_sort_u64(v, n, sizeof *v);
    for (const struct jw_sound_entry *was = look->sound.v; was < look->sound.v + look->sound.n;
         was++) {
        const struct jw_sound_entry *now = jw_find_u64(v, n, sizeof *v, was->name);

        if (now)
            v[now - v].refused |= was->refused && was->identity == now->identity;
        else if (look->cache.trouble
                 || jw_find_u64(look->cache.index.list, look->cache.index.n,
                                sizeof *look->cache.index.list, was->name))
            all[kept++] = *was;
    }
    if (n)
        memcpy(all, v, n * sizeof *v);
    jw_sound_save(look->memory, all, kept);
    look->sound = (struct jw_sound){all, kept};
}

void look_cache_refuse(struct jw_run *run, struct jw_look *look, const struct jw_cache_file *f)
{
    keep_sound(run, look, &(struct jw_sound_entry){f->name, f->identity, true}, 1);
}

struct judging {
    struct jw_look *look;
    struct jw_bans bans;         /* read anew, as this run or another one may have added some */
    int64_t began;               /* by the clock of the file system */
    struct jw_sound_entry *read; /* entries that are sound now */
    size_t n_read, n_new;
};

/* Remembers a sound entry, unless its file is so young that a later change would not show (as in
 * memory/ledger.h). */
static bool remember(struct judging *g, uint64_t name, const struct jw_file_info *info)
{
    bool old = jw_file_change_shows(info, g->began);

    if (old)
        g->read[g->n_read++] = (struct jw_sound_entry){name, jw_cache_identity(info), false};
    return old;
}

/* Is the entry's file whole? Remembers one that is, and marks one that is not. A file that was read
 * before is not opened, as its identity includes that it can be read, and neither is an entry that
 * this run checked and published. */
static bool check_file(struct judging *g, struct jw_job *j, const char *path,
                       struct jw_file_info *info)
{
    struct jw_err why = {0};
    const struct jw_sound_entry *known =
        jw_sound_of(&g->look->sound, j->name, jw_cache_identity(info));
    bool own = (jw_job_is_compiled(j) || j->carried) && g->look->scope.level >= JW_LEVEL_PLACEABLE;
    bool sound = (own && jw_cache_lookup_finds(&g->look->cache, j->name, info))
                 || jw_cache_is_whole(path, j->name, j->key_size, known, info, &why);

    if (sound)
        g->n_new += remember(g, j->name, info) && !known;
    else
        j->damaged = why.code != JW_E_IO; /* an entry that cannot be opened may be whole */
    if (info->kind != JW_FILE_REGULAR)
        g->look->met.entries.not_file = path;
    return sound;
}

/* Finds where a job stands by its entry's file and record. driver-fact: F02-name-is-fnv,
 * F28-index-needed */
static void judge_entry(struct jw_run *run, struct judging *g, struct jw_job *j)
{
    struct jw_look *look = g->look;
    const struct jw_cache_index *index = &look->cache.index;
    const struct jw_cache_record *record =
        jw_find_u64(index->list, index->n, sizeof *record, j->name);
    const char *path = jw_cache_entry_path(look->scope.cache, j->name, run->a);
    struct jw_file_info info;
    bool known = jw_file_stat(path, &info, JW_IGNORED);
    bool there = known && info.kind != JW_FILE_NONE;

    j->damaged = known && !there && record;
    j->entry_bytes = record ? record->size : 0;
    if (there && look->cache.trouble != JW_INDEX_HIDES && check_file(g, j, path, &info)) {
        j->entry_bytes = info.size - JW_CACHE_HEADER;
        jw_job_becomes(j, JW_MODULE_WARM, NULL);
    } else if (jw_job_is_warm(j)) {
        jw_job_becomes(j, JW_MODULE_UNSTORED, "the driver does not find its entry in the cache");
    }
}

static void judge_ban(const struct judging *g, struct jw_job *j)
{
    const struct jw_ban *ban = jw_ban_of(&g->bans, j, &g->look->scope);

    if (!ban)
        return;
    j->stopped = ban->stopped_ms / 1000.0;
    j->banned = ban->how != JW_JOB_TODO;
    if (!j->banned || g->look->want.retry)
        return;
    jw_job_becomes(j, JW_MODULE_BANNED, ban->why);
    j->ended = ban->how;
}

/* Ends jobs whose entry belongs into a folder that is closed, and notes the first such folder. */
static void end_closed(struct jw_run *run, struct jw_look *look)
{
    const char *first = NULL;
    struct jw_trust t;

    if (look->machine->cache.place)
        return;
    for (struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++) {
        if (!j->name || !(jw_job_is_todo(j) || jw_job_is_unstored(j)))
            continue;
        unsigned folder = (unsigned)(j->name >> 56);
        const char *closed = jw_cache_closed_folder(look->scope.cache, folder, run->a);

        if (!closed)
            continue;
        jw_job_becomes(j, JW_MODULE_UNSTORED,
                       jw_arena_printf(run->a, "%s is closed to this user", closed));
        first = first && strcmp(first, closed) < 0 ? first : closed;
    }
    if (first && jw_trust_read(first, run->a, &t, JW_IGNORED)) {
        look->met.entries.closed = first;
        look->met.entries.closed_by = t.owner;
    }
}

void look_cache_measure_disk(struct jw_look *look)
{
    struct jw_disk disk;

    if (jw_disk_look(look->scope.cache, &disk, JW_IGNORED))
        look->seen.free_bytes = disk.few_inodes ? 0 : disk.free;
}

/* Marks the entries that the look found damaged; the listing reads no code. */
static void mark_damaged(struct jw_look *look)
{
    for (const struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++) {
        const struct jw_cache_file *f = j->damaged ? jw_cache_file_find(&look->all, j->name) : NULL;

        if (f && !f->damage)
            look->all.files[f - look->all.files].damage = "its code is not as the driver stored it";
    }
}

bool jw_look_cache_list(struct jw_run *run, struct jw_look *look, struct jw_err *err)
{
    if (!look->scope.cache || look->scope.level == JW_LEVEL_OPAQUE || look->all.found)
        return true;
    if (!jw_cache_list(look->scope.cache, false, run->interrupted, run->a, &look->all, err))
        return false;
    mark_damaged(look);
    return true;
}

/* The latest entry of the driver; NULL: there is none, or one is of this build for these GPUs. */
static const struct jw_cache_file *latest_of_others(const struct jw_look *look)
{
    const struct jw_cache_file *latest = NULL;

    for (const struct jw_cache_file *f = look->all.files; f < look->all.files + look->all.n; f++) {
        if (f->damage || f->kind != JW_CACHE_CUDA)
            continue;
        if (jw_text_same(f->stamp, look->scope.stamp) && jw_sms_have(&look->scope.sms, f->sm))
            return NULL;
        if (!latest || latest->mtime <= f->mtime)
            latest = f;
    }
    return latest;
}

/* If nothing is warm: are all entries of another driver build, as after an update, or of this one
 * for other GPUs? */
static bool find_others(struct jw_run *run, struct jw_look *look, struct jw_err *err)
{
    const struct jw_answer a = jw_look_answer(look);

    if (a.is != JW_COLD || a.warm)
        return true;
    if (!jw_look_cache_list(run, look, err))
        return false;
    const struct jw_cache_file *latest = latest_of_others(look);

    if (!latest)
        return true;
    if (jw_text_same(latest->stamp, look->scope.stamp)) {
        look->met.entries.other_sm = latest->sm;
        return true;
    }
    const char *version = jw_drivers_version(jw_session_drivers(run->session), latest->stamp);

    look->met.entries.other_driver =
        version ? version : jw_arena_str(run->a, jw_stamp_text(latest->stamp).text);
    return true;
}

bool look_cache_judge(struct jw_run *run, struct jw_look *look, struct jw_err *err)
{
    struct judging g = {
        .look = look,
        .began = jw_time_unix_ns(),
        .read = jw_arena_alloc(run->a, (look->n_jobs + 1) * sizeof(struct jw_sound_entry))};

    look->met.entries = (struct jw_facts_entries){0};
    jw_bans_load(look->memory, run->a, &g.bans);
    jw_cache_listing_free(&look->all); /* the list may be an earlier look's */
    jw_cache_lookup_close(&look->cache);
    if (!jw_cache_lookup_open(look->scope.cache, run->a, &look->cache, err))
        return false;
    look->scope.used = look->cache.index.total;
    look_cache_measure_disk(look);
    for (size_t i = 0; i < look->n_jobs && !jw_interrupted(run->interrupted); i++) {
        struct jw_job *j = &look->jobs[i];

        j->damaged = false;
        if (j->name && !look->cache.refusal)
            judge_entry(run, &g, j);
        if (jw_job_is_todo(j))
            judge_ban(&g, j);
    }
    if (g.n_new)
        keep_sound(run, look, g.read, g.n_read);
    end_closed(run, look);
    look->looked = true;
    return find_others(run, look, err) && carry_find(run, look, err);
}
