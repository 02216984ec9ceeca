/* Learns what a command loads: runs it once with an empty cache. The entries that the driver puts there are the
 * profile, and are published into the user's cache. */
#include "prime/prime_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "cache/place/cachedir.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "os/process/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_MS = 10 * 1000, INDEX_TRIES = 3 };

#define MOST_OF_A_CACHE 4294967296ULL

char *jw_prime_command(const char *const *argv)
{
    struct jw_buf b = JW_BUF((size_t)4 << 20); /* more than any system allows */
    char *text;

    for (size_t i = 0; argv[i]; i++)
        jw_buf_printf(&b, "%s%s", i ? " " : "", argv[i]);
    text = jw_strdup(jw_buf_cstr(&b));
    jw_buf_free(&b);
    return text;
}

/* Uses a separate root if entries can be placed, otherwise the user's, where only new entries are seen. */
static bool choose_root(struct prime *p, const char **root, struct jw_err *err)
{
    *root = p->here.cache.dir.root;
    if (p->here.driver.probe.state.level < JW_LEVEL_PLACEABLE) {
        prime_note(
            p,
            "this driver's entries cannot be moved: only modules that the command compiles again are seen");
        return true;
    }
    *root = jw_path_join(p->run->a, p->here.cache.work, "profile");
    return jw_make_private_dir(*root, err) || jw_wrap(err, "%s", *root);
}

static bool attend(struct prime *p, const struct jw_child_edit *edits, size_t n, struct jw_err *err)
{
    uint64_t began = jw_time_monotonic_ns();
    bool ok = jw_attend(p->o->run, edits, n, &p->out->run_code, err);

    p->out->run_milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    if (!ok)
        err->code = JW_E_USAGE; /* the user named it */
    return ok;
}

static bool watch_command(struct prime *p, const char *root, struct jw_err *err)
{
    char limit[32];
    const struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", root },
                                           { "CUDA_CACHE_MAXSIZE", limit },
                                           { "CUDA_CACHE_DISABLE", "0" } };

    (void)snprintf(limit, sizeof limit, "%llu",
                   root == p->here.cache.dir.root ? (unsigned long long)p->out->cache.limit
                                                  : MOST_OF_A_CACHE);

    return attend(p, edits, JW_COUNT(edits), err);
}

/* Unchanged entries were found; all others were compiled now. */
static bool compiled(const struct jw_cache_listing *before, const struct jw_cache_file *f)
{
    const struct jw_cache_file *was = jw_cache_file_find(before, f->name);

    return !was || was->mtime != f->mtime || was->size != f->size;
}

struct learned {
    struct prime *p;
    const char *root;
    uint8_t (*ids)[JW_DIGEST];
    size_t n;
    struct jw_pub_entry *publish;
    size_t n_publish;
    uint64_t odd; /* made in a way that jitwarm cannot repeat */
};

static bool learn_entry(struct learned *l, const struct jw_cache_file *f, struct jw_err *err)
{
    struct prime *p = l->p;
    uint16_t sm = prime_arch(&p->here.driver, f->arch);
    struct prime_entry e;
    struct target t;
    const char *why;
    bool ok = prime_entry_read(p->run->a, l->root, f, &e, err);

    if (ok && sm && e.key.kind == JW_CACHE_CUDA) {
        if (prime_entry_job(p->run->a, &p->here.driver, &e, sm, &t, &why)) {
            uint8_t(*slot)[JW_DIGEST] =
                jw_list_add(p->run->a, &l->ids, &l->n, JW_DIGEST, JW_MAX_CACHE_FILES, err);

            ok = slot != NULL;
            if (ok)
                memcpy(*slot, t.key.id, JW_DIGEST);
        } else
            l->odd++;
    }
    prime_entry_free(&e);
    return ok;
}

static bool queue(struct learned *l, const struct jw_cache_file *f, struct jw_err *err)
{
    struct jw_pub_entry *slot =
        jw_list_add(l->p->run->a, &l->publish, &l->n_publish, sizeof *slot, JW_MAX_CACHE_FILES, err);

    if (!slot)
        return false;
    *slot = (struct jw_pub_entry){ .name = f->name,
                                   .size = jw_cache_weight(&f->entry),
                                   .from = jw_path_join(l->p->run->a, l->root, jw_cache_name(f->name).text) };
    return true;
}

/* Publishes only what fits; the rest is planned like other cold modules. */
static bool leave_out_what_is_too_much(struct learned *l, struct jw_err *err)
{
    struct prime *p = l->p;
    struct jw_index_file index = { 0 };
    uint64_t room = p->out->cache.limit;
    size_t kept = 0;

    if (!jw_index_load(p->here.cache.dir.root, INDEX_TRIES, &index, err))
        return false;
    room -= jw_min(room, index.records.total);
    jw_cache_index_free(&index.records);
    for (size_t i = 0; i < l->n_publish; i++)
        if (l->publish[i].size <= room) {
            room -= l->publish[i].size;
            l->publish[kept++] = l->publish[i];
        }
    if (kept < l->n_publish)
        prime_note(
            p,
            "%zu of the modules that the command loads do not fit into the cache, which may grow to %llu MiB",
            l->n_publish - kept, (unsigned long long)p->out->cache.limit >> 20);
    l->n_publish = kept;
    return true;
}

/* Ctrl-C ends the command and this run; what was learned by then is recorded. */
static bool publish(struct learned *l, struct jw_err *err)
{
    struct jw_publisher *publisher = NULL;
    bool ok = l->root == l->p->here.cache.dir.root
              || (leave_out_what_is_too_much(l, err)
                  && (!l->n_publish
                      || (jw_publisher_open(&publisher, l->p->here.cache.dir.root, err)
                          && jw_publisher_add(publisher, l->publish, l->n_publish, l->p->run->a, err)
                          && jw_publisher_flush(publisher, FLUSH_MS, NULL, err))));

    jw_publisher_close(publisher);
    return ok;
}

static bool record_profile(struct learned *l, struct jw_err *err)
{
    struct prime *p = l->p;
    char *key = jw_prime_command(p->o->run);
    struct jw_warm_profile profile = {
        .key = key, .ids = (const uint8_t(*)[32])l->ids, .n = l->n, .when = jw_time_unix()
    };
    bool ok =
        jw_warm_add(p->here.cache.log, &(struct jw_warm_fact){ JW_WARM_PROFILE, .as.profile = profile }, err)
        && jw_warm_sync(p->here.cache.log, err);
    jw_free(key);
    if (l->n)
        qsort(l->ids, l->n, JW_DIGEST, plan_by_digest);
    p->reuse.profile = l->ids ? l->ids : jw_arena_alloc(p->run->a, JW_DIGEST);
    p->reuse.n_profile = l->n;
    p->out->profile_known = true;
    p->out->profile_modules = l->n;
    return ok;
}

static bool take_all(struct learned *l, const struct jw_cache_listing *before, struct jw_err *err)
{
    struct jw_cache_listing after = { 0 };
    bool ok = jw_cachedir_list(l->root, false, l->p->run->a, &after, err);

    for (size_t i = 0; ok && i < after.n; i++) {
        const struct jw_cache_file *f = &after.files[i];

        if (!f->damage && compiled(before, f))
            ok = queue(l, f, err) && learn_entry(l, f, err);
    }
    jw_cache_listing_free(&after);
    return ok;
}

bool prime_learn(struct prime *p, struct jw_err *err)
{
    struct learned l = { .p = p };
    struct jw_cache_listing before = { 0 };

    if (!p->o->run)
        return true;
    if (p->here.driver.probe.state.level < JW_LEVEL_READABLE)
        return prime_end(p, JW_END_STOPPED,
                         "--run: this driver's entries cannot be read, so nothing can be learned from them");
    bool ok = choose_root(p, &l.root, err) && jw_cachedir_list(l.root, false, p->run->a, &before, err)
              && watch_command(p, l.root, err) && take_all(&l, &before, err) && publish(&l, err)
              && record_profile(&l, err);

    jw_cache_listing_free(&before);
    if (ok && p->out->run_code)
        prime_note(p, "the command ended with exit code %d; its profile is what it loaded by then",
                   p->out->run_code);
    if (ok && l.odd)
        prime_note(p, "%llu of its modules were made by the linker, which cannot be done again from here",
                   (unsigned long long)l.odd);
    return ok;
}

/* verify --run: what does the driver compile for this command? */
bool prime_watch(struct prime *p, struct jw_err *err)
{
    const struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", p->here.cache.dir.root },
                                           { "CUDA_CACHE_DISABLE", "0" } };
    struct jw_cache_listing before = { 0 }, after = { 0 };
    struct jw_prime_report *r = p->out;

    prime_notify(p->run, JW_PHASE_VERIFY, p->o->run[0]);
    bool ok = jw_cachedir_walk(p->here.cache.dir.root, false, p->run->interrupted, p->run->a, &before, err)
              && attend(p, edits, p->o->cache ? JW_COUNT(edits) : 0, err)
              && jw_cachedir_walk(p->here.cache.dir.root, false, p->run->interrupted, p->run->a, &after, err);

    for (size_t i = 0; ok && i < after.n; i++)
        if (compiled(&before, &after.files[i])) {
            r->run_entries++;
            r->run_bytes += after.files[i].size;
        }
    jw_cache_listing_free(&before);
    jw_cache_listing_free(&after);
    return ok && prime_end(p, r->run_entries || r->run_code ? JW_END_PARTLY : JW_END_DONE, "%s", "");
}

/* ---- in the report ---- */

#define R struct jw_prime_report

const struct jw_row prime_command_rows[] = {
    { JW_ROW("exit_code", R, run_code), JW_ABOUT("128 and the signal's number for one that a signal ended") },
    { JW_ROW("milliseconds", R, run_milliseconds) },
    { JW_ROW("new_entries", R, run_entries), JW_ABOUT("what the driver compiled for it") },
    { JW_ROW("new_bytes", R, run_bytes) },
    { 0 },
};
