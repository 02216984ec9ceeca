/* Modules whose PTX no file has: those that are kept for a recorded command, and those that another driver build compiled. Entries of other
 * builds also show which modules programs load. */
#include "prime/look_work.h"

#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "facts/gpus.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "prime/kept.h"

#include <string.h>

static void take(struct looking *x, struct jw_job *j)
{
    j->used = true;
    look_add(x, j);
}

/* ---- modules that are kept for a command ---- */

static bool take_kept(struct looking *x, const struct jw_root *r, size_t module, struct jw_err *err)
{
    struct jw_look *l = x->look;
    const char *path =
        jw_kept_path(l->roots.from ? l->roots.from : l->memory, r->modules[module].text, &l->a);
    struct jw_file_info info;
    struct jw_err gone = { 0 };
    bool there = jw_file_stat(path, &info, &gone) && info.size > JW_CACHE_HEADER, any = false, made;

    for (size_t i = 0; there && i < l->facts.scope.sms.n; i++) {
        uint16_t needs = 0;
        const struct jw_entry_ask ask = { .path = path,
                                          .key_size = info.size - JW_CACHE_HEADER,
                                          .sm = l->facts.scope.sms.v[i],
                                          .needs = &needs };
        struct jw_job j;

        if (!jw_entry_job(&l->a, &l->facts.scope, &ask, &j, &made, err))
            return false;
        if (made)
            take(x, &j);
        if (needs)
            look_block(l, j.place->path, needs);
        any |= made || needs;
    }
    if (!any) {
        l->sourceless++;
        look_lost(l, r);
    }
    return true;
}

static bool look_kept(struct looking *x, struct jw_err *err)
{
    const struct jw_roots *roots = &x->look->roots;

    for (size_t i = 0; i < roots->n; i++)
        for (size_t k = 0; look_wants_root(x, &roots->v[i]) && k < roots->v[i].n_modules; k++)
            if (!roots->v[i].modules[k].file && !take_kept(x, &roots->v[i], k, err))
                return false;
    return true;
}

/* ---- entries of other driver builds ---- */

/* What the ledger has about an entry. */
struct known_entry {
    uint8_t text[JW_DIGEST]; /* zeros: the entry is no module of another build for these architectures */
    uint64_t name;           /* the name of the module's entry with this driver */
};

static const struct known_entry nothing;

struct entry {
    const char *path;
    struct jw_file_info info;
    uint64_t key_size;
    uint16_t sm;
    bool of_other_build;
};

/* Is this the key of an entry that another build of the driver made, for an architecture of this look? */
static bool is_of_other_build(const struct jw_scope *scope, const char *stamp, uint16_t sm,
                              enum jw_cache_kind kind)
{
    return *stamp && kind == JW_CACHE_CUDA && jw_sms_have(&scope->sms, sm)
           && !jw_text_same(stamp, scope->stamp);
}

/* Reads the head of an entry: who made it, and for which architecture. */
static struct entry read_head(const struct looking *x, const char *path)
{
    struct entry e = { .path = path };
    uint8_t head[JW_CACHE_HEADER + JW_CACHE_KEY_HEAD];
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_cache_entry entry;
    struct jw_cache_key key;
    size_t got = 0;

    if (jw_file_open(&f, path, JW_IGNORED) && jw_file_info(&f, &e.info, JW_IGNORED)
        && jw_file_read(&f, 0, head, sizeof head, &got, JW_IGNORED) && got == sizeof head
        && jw_cache_entry_read((struct jw_bytes){ head, got }, e.info.size, &entry, JW_IGNORED)) {
        jw_cache_key_read((struct jw_bytes){ head + JW_CACHE_HEADER, JW_CACHE_KEY_HEAD }, entry.key_size,
                          &key);
        e.key_size = entry.key_size;
        e.sm = key.sm;
        e.of_other_build = is_of_other_build(&x->look->facts.scope, key.stamp, key.sm, key.kind);
    }
    jw_file_close(&f);
    return e;
}

static void remember(const struct looking *x, const struct entry *e, const struct known_entry *k)
{
    jw_ledger_put(x->memos[OF_FILES].ctx, e->path, &e->info,
                  (struct jw_bytes){ (const uint8_t *)k, sizeof *k });
}

/* Does the ledger say all that is needed: that the entry gives no module, or that a file has it? */
static bool is_known(struct looking *x, const char *path, const uint64_t *names, size_t n)
{
    struct known_entry k;
    struct jw_file_info info;
    struct jw_bytes value;

    if (!jw_file_stat(path, &info, JW_IGNORED) || !jw_ledger_find(x->memos[OF_FILES].ctx, path, &info, &value)
        || value.n != sizeof k)
        return false;
    memcpy(&k, value.p, sizeof k);
    if (memcmp(&k, &nothing, sizeof k) == 0)
        return true;
    jw_digest_set_add(&x->used, &x->look->a, k.text);
    return jw_find_u64(names, n, sizeof *names, k.name) != NULL;
}

/* Takes the module of an entry, unless a file has it, too. That another build compiled it shows that programs load it. */
static bool take_entry(struct looking *x, const struct entry *e, const uint64_t *names, size_t n,
                       struct jw_err *err)
{
    struct jw_look *l = x->look;
    const struct jw_entry_ask ask = { .path = e->path, .key_size = e->key_size, .sm = e->sm };
    struct known_entry known = { 0 };
    struct jw_job j;
    bool made;

    if (!jw_entry_job(&l->a, &l->facts.scope, &ask, &j, &made, err))
        return false;
    if (made) {
        memcpy(known.text, j.text, sizeof known.text);
        known.name = j.name;
        jw_digest_set_add(&x->used, &l->a, known.text);
    }
    remember(x, e, &known);
    if (made && !(j.name && jw_find_u64(names, n, sizeof *names, j.name)))
        take(x, &j);
    return true;
}

static bool look_entry(struct looking *x, const char *path, const uint64_t *names, size_t n,
                       struct jw_err *err)
{
    struct entry e;

    if (is_known(x, path, names, n))
        return true;
    e = read_head(x, path);
    if (e.of_other_build)
        return take_entry(x, &e, names, n, err);
    if (e.key_size)
        remember(x, &e, &nothing);
    return true;
}

/* Names of entries whose modules were found in files: these entries need not be read. */
static uint64_t *found_names(const struct looking *x)
{
    uint64_t *names = jw_arena_alloc(&x->look->a, (x->n + 1) * sizeof *names);

    for (size_t i = 0; i < x->n; i++)
        names[i] = x->list[i].name;
    jw_sort_u64(names, x->n, sizeof *names);
    return names;
}

bool look_entries(struct looking *x, struct jw_err *err)
{
    struct jw_look *l = x->look;
    const struct jw_cache_index *index = &l->cache.index;
    const uint64_t *names;
    size_t n;

    if (!look_kept(x, err))
        return false;
    x->n_asked = x->n;
    if (x->want->paths.n || x->want->command.n)
        return true;
    names = found_names(x);
    n = x->n;
    for (size_t i = 0; i < index->n; i++) {
        uint64_t name = index->list[i].hash;
        const struct jw_cache_file *listed = jw_cache_file_find(&l->all, name); /* the listing has its key */

        if (jw_find_u64(names, n, sizeof *names, name)
            || (listed && !is_of_other_build(&l->facts.scope, listed->stamp, listed->sm, listed->kind)))
            continue;
        if (!jw_not_interrupted(x->run->interrupted, err)
            || !look_entry(x, jw_path_join(&l->a, l->facts.scope.cache, jw_cache_name(name).text), names, n,
                           err))
            return false;
    }
    return true;
}

bool jw_look_at_entries(struct jw_run *run, struct jw_look *l, const struct jw_entry_ask *asks, size_t n,
                        struct jw_err *err)
{
    bool made = false;

    if (!jw_cache_lookup_open(l->facts.scope.cache, &l->a, &l->cache, err))
        return false;
    l->jobs = jw_arena_alloc(&l->a, (n + 1) * sizeof *l->jobs);
    for (size_t i = 0; i < n; i++) {
        struct jw_job *j = &l->jobs[l->n_jobs];

        if (!jw_not_interrupted(run->interrupted, err)
            || !jw_entry_job(&l->a, &l->facts.scope, &asks[i], j, &made, err))
            return false;
        j->state = JW_JOB_WARM;
        l->n_jobs += made;
    }
    jw_look_answer(l);
    return true;
}

/* ---- files for workers ---- */

static bool spool_entries(struct jw_look *l, const char *work, bool (*wanted)(const struct jw_job *j),
                          struct jw_err *err)
{
    for (size_t i = 0; i < l->n_jobs; i++) {
        struct jw_job *j = &l->jobs[i], made;
        bool whole;

        if (!wanted(j) || j->place->disk || !j->place->entry)
            continue;
        const struct jw_entry_ask ask = {
            .path = j->place->entry, .key_size = j->place->entry_key, .sm = j->sm, .work = work
        };

        if (!jw_entry_job(&l->a, &l->facts.scope, &ask, &made, &whole, err))
            return false;
        if (whole) {
            made.place->path = j->place->path;
            *j->place = *made.place;
        }
    }
    return true;
}

static int by_job(const void *a, const void *b)
{
    return memcmp(((const struct jw_job *)a)->id, ((const struct jw_job *)b)->id, JW_DIGEST);
}

/* Unpacks members of wheels that a worker has to read. The wheels are read a second time for that. */
static bool spool_members(struct jw_run *run, struct jw_look *l, const char *work,
                          bool (*wanted)(const struct jw_job *j), struct jw_err *err)
{
    struct jw_scan_folder *wheels = jw_arena_alloc(&l->a, (l->n_jobs + 1) * sizeof *wheels);
    struct scan_jobs members = { 0 };
    char *folder = NULL;
    size_t n = 0;

    for (size_t i = 0; i < l->n_jobs; i++) {
        const struct jw_place *at = l->jobs[i].place;

        if (wanted(&l->jobs[i]) && !at->disk && at->packed_in && !jw_named_above(wheels, n, at->packed_in)
            && jw_is_file(at->packed_in))
            wheels[n++] = (struct jw_scan_folder){ .path = at->packed_in, .named = true };
    }
    if (!n)
        return true;
    struct scan_jobs_options o = look_scan(run->session, &l->facts.scope, wheels, n);

    o.all = true;
    bool ok = jw_scratch_make(work, "wheels", &l->a, &folder, err);

    o.spool = folder;
    ok = ok && scan_jobs_find(&o, &members, err);

    jw_sort(members.list, members.n, sizeof *members.list, by_job);
    for (size_t i = 0; ok && i < l->n_jobs; i++) {
        struct jw_place *at = l->jobs[i].place;
        const struct jw_job *found =
            at->disk ? NULL : jw_search(&l->jobs[i], members.list, members.n, sizeof *members.list, by_job);

        if (found) {
            const struct jw_place was = *at;

            *at = *found->place;
            at->path = was.path;
            at->package = was.package;
            at->disk = jw_arena_str(&l->a, at->disk);
        }
    }
    scan_jobs_free(&members);
    return ok;
}

bool look_spool(struct jw_run *run, struct jw_look *l, const char *work,
                bool (*wanted)(const struct jw_job *j), struct jw_err *err)
{
    return spool_entries(l, work, wanted, err) && spool_members(run, l, work, wanted, err);
}
