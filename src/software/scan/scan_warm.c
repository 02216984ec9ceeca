/* Finds out which jit modules are in the driver's cache, by the names of their entries. */
#include "base/limits.h"
#include "base/sort.h"
#include "cache/format/jitcache.h"
#include "facts/drivers.h"
#include "formats/fatbin_unpack.h"
#include "software/scan/scan_work.h"

#include <string.h>

/* One file, and the GPUs that have entries in the cache. */
struct warm {
    struct scan_worker *w;
    const struct scan_subject *subject;
    struct jw_image *image;
    struct jw_scan_verdict *verdicts;
    size_t gpus[JW_MAX_SMS];
    bool links[JW_MAX_SMS]; /* this image, on each of them */
    size_t n_gpus;
};

static bool has_any(const struct jw_scan_cache *c, unsigned sm)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->names[i].sm == sm)
            return true;
    for (size_t i = 0; i < c->n_refused; i++)
        if (c->refused[i].sm == sm)
            return true;
    return false;
}

static bool is_refused(const struct jw_scan_cache *c, const struct module_key *key, unsigned sm)
{
    for (size_t i = 0; i < c->n_refused; i++)
        if (c->refused[i].sm == sm && memcmp(c->refused[i].id, key->id, JW_DIGEST) == 0)
            return true;
    return false;
}

/* Decides as a driver does, which compiles the module of a damaged entry again. */
static bool holds_its_bytes(const struct jw_scan_cache *c, uint64_t name)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_cache_entry entry;
    struct jw_file_info info;
    struct jw_err ignored;

    jw_buf_printf(&path, "%s/%s", c->folder, jw_cache_name(name).text);
    bool whole =
        !path.bad && jw_file_open(&f, jw_buf_cstr(&path), &ignored) && jw_file_info(&f, &info, &ignored);

    if (whole) {
        struct jw_source all = jw_file_source(&f, info.size);

        whole = jw_cache_entry_check(&all, name, &entry, &ignored);
    }
    jw_file_close(&f);
    jw_buf_free(&path);
    return whole;
}

/* One that is there and damaged counts in `damaged`. */
static bool is_cached(const struct jw_scan_cache *c, const struct module_key *key, uint64_t *damaged)
{
    struct jw_scan_entry_name wanted = { key->name, 0, 0 };
    const struct jw_scan_entry_name *found =
        key->size ? jw_search(&wanted, c->names, c->n, sizeof wanted, jw_by_u64) : NULL;

    if (!found || found->key_bytes != key->size)
        return false;
    bool whole = holds_its_bytes(c, key->name);

    *damaged += !whole;
    return whole;
}

static void count_warm(struct warm *m, const struct scan_wanted *c, const struct module_name *name)
{
    const struct jw_scan_cache *cache = m->w->scan->o->cache;
    const struct jw_fat_entry *e = c->entry;
    uint8_t text[JW_DIGEST];

    module_name_text(name, text);
    for (size_t i = 0; i < c->n; i++) {
        struct jw_scan_verdict *v = &m->verdicts[c->gpus[i]];
        struct module_key key;

        module_name_end(name, text, scan_module_form(e), scan_options(c, m->w->results), c->sms[i], i, &key);
        v->named += c->input;
        v->name_sum += c->input ? key.name : 0;
        if (is_cached(cache, &key, &v->damaged_entries))
            v->warm++;
        else if (is_refused(cache, &key, c->sms[i]))
            v->refused++;
        else
            continue;
        v->jit--;
        v->ptx_modules--;
        v->jit_ptx_bytes -= jw_fat_plain(e);
    }
}

/* A payload that cannot be decoded has no name and is not warm. A read error is reported. */
static bool look_up(struct warm *m, const struct scan_wanted *c, struct jw_err *err)
{
    const struct jw_scan_options *o = m->w->scan->o;
    const struct module_rules rules = { o->cache->stamp, jw_driver_ends_ptx_at_nul(o->cache->driver) };
    struct module_name name;
    struct jw_err why = { 0 };

    module_name_begin(&name, &rules, c->sms, c->n);
    if (jw_fat_unpack(&m->subject->src, c->entry, module_name_sink(&name), &why)) {
        if (!name.broken && name.bytes)
            count_warm(m, c, &name);
        return true;
    }
    if (why.code == JW_E_IO)
        jw_problem(&m->image->problems, "is it warm? %s", why.msg);
    if (why.code != JW_E_INTERRUPTED)
        return true;
    *err = why;
    return false;
}

static bool look_up_module(struct warm *m, const struct jw_fat *fat, struct jw_err *err)
{
    const struct scan *s = m->w->scan;
    struct scan_wanted list[JW_MAX_SMS];
    size_t n = 0;

    for (size_t i = 0; i < m->n_gpus; i++) {
        unsigned sm = s->o->gpus[m->gpus[i]].sm;
        bool input = m->links[i] && jw_is_link_input(fat);
        struct jw_choice c = scan_choose(s, m->image, fat, sm, m->links[i]);

        if (c.outcome != JW_SELECTED_JIT || c.entry->kind != JW_KIND_PTX || (!input && scan_is_ignored(&c)))
            continue;
        scan_want(s, list, &n, c.entry, m->gpus[i], input);
    }
    for (size_t i = 0; i < n; i++)
        if (!jw_not_interrupted(s->o->interrupted, err) || !look_up(m, &list[i], err))
            return false;
    return true;
}

bool scan_count_warm(struct scan_worker *w, const struct scan_subject *subject, struct jw_image *image,
                     struct jw_scan_file *file, struct jw_err *err)
{
    const struct jw_scan_options *o = w->scan->o;
    struct warm m = {
        .w = w, .subject = subject, .image = image, .verdicts = (struct jw_scan_verdict *)file->verdicts
    };

    for (size_t i = 0; i < o->n_gpus && m.n_gpus < JW_MAX_SMS; i++)
        if (m.verdicts[i].jit && has_any(o->cache, o->gpus[i].sm))
            m.gpus[m.n_gpus++] = i;
    for (size_t i = 0; i < m.n_gpus; i++)
        m.links[i] = m.verdicts[m.gpus[i]].links != 0;
    for (size_t i = 0; m.n_gpus && i < image->fats.n; i++)
        if (image->fats.list[i].role != JW_ROLE_LAZY && !look_up_module(&m, &image->fats.list[i], err))
            return false;
    for (size_t i = 0; i < m.n_gpus; i++) {
        struct jw_scan_verdict *v = &m.verdicts[m.gpus[i]];

        if (v->verdict == JW_VERDICT_JIT && !v->jit && v->warm)
            v->verdict = JW_VERDICT_WARM;
    }
    return true;
}
