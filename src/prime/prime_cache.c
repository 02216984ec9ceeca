/* Reads the entries of other driver builds in the cache. They show which modules this user's programs load,
 * and hold the PTX of modules whose file is gone. Copies of lost entries are read in the same way
 * (prime_kept.c). */
#include "facts/gpus.h"
#include "prime/module_index.h"
#include "prime/prime_steps.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compile_time.h"
#include "facts/drivers.h"
#include "formats/fatbin_write.h"
#include "formats/ptx.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

/* ---- one entry ---- */

bool prime_entry_file(const char *path, uint64_t key_size, struct prime_entry *out, struct jw_err *err)
{
    struct jw_file file = JW_FILE_CLOSED;
    struct jw_err gone = { 0 };
    size_t got = 0, n = (size_t)key_size;

    *out = (struct prime_entry){ .bytes = JW_BUF(JW_MAX_CACHE_KEY), .key = { .kind = JW_CACHE_OTHER } };
    if (key_size > JW_MAX_CACHE_KEY || !jw_file_open(&file, path, &gone))
        return true;
    jw_buf_fill(&out->bytes, 0, n);
    if (jw_buf_ok(&out->bytes, err) && jw_file_read(&file, JW_CACHE_HEADER, out->bytes.p, n, &got, &gone)
        && got == n) {
        jw_cache_key_read(jw_buf_bytes(&out->bytes), n, &out->key);
        jw_digest(out->text, out->key.input.p, out->key.input.n);
    }
    jw_file_close(&file);
    return !out->bytes.bad;
}

bool prime_entry_read(struct jw_arena *a, const char *cache, const struct jw_cache_file *f,
                      struct prime_entry *out, struct jw_err *err)
{
    return prime_entry_file(jw_path_join(a, cache, jw_cache_name(f->name).text), f->entry.key_size, out, err);
}

void prime_entry_free(struct prime_entry *e)
{
    jw_buf_free(&e->bytes);
}

bool prime_entry_is_linked(const struct prime_entry *e)
{
    static const char linked[] = " " JW_LINK_OPTION;

    return e->key.kind == JW_CACHE_CUDA && jw_starts(e->key.options, linked);
}

/* ---- by which route its key was made, or could have been ---- */

struct route {
    bool known, text, link;  /* link: through the driver's linker */
    unsigned stored;         /* NULs in a container that is packed */
    const char *options;     /* in the key */
    const char *own_options; /* of a container that has this key */
    const char *why;         /* why the route is unknown */
};

/* A container may store what a program gave as options of a load: the key and the code are the same. The driver's linker
 * puts an option of its own before them. driver-fact: F16-options-in-key, F17-link-options, F90-link-alone
 *
 * One NUL and no options: a text makes the same key as a container that stores none. driver-fact: F13-nuls */
static struct route find_route(const struct prime_entry *e, struct jw_arena *a)
{
    struct route r = { .options = "", .own_options = "" };

    if (e->key.options.n && e->key.options.p[0] == ' ')
        r.options = jw_arena_text(a, (const char *)e->key.options.p + 1, e->key.options.n - 1);
    if (!r.options || !e->key.options.n || e->key.options.p[0] != ' ') {
        r.options = "";
        r.why = "in an unknown format";
    }
    r.link = jw_text_starts(r.options, JW_LINK_OPTION);
    r.own_options = r.options + (r.link ? strlen(JW_LINK_OPTION) : 0);
    r.known = !r.why && e->key.nuls > 0;
    r.text = r.known && e->key.nuls == 1 && !*r.options;
    r.stored = r.known ? e->key.nuls - 1 : 0;
    return r;
}

/* ---- a module of it ---- */

static bool write_image(const struct prime_entry *e, const struct route *route, const struct jw_ptx *ptx,
                        struct jw_buf *out, struct jw_err *err)
{
    struct jw_buf payload = JW_BUF(JW_MAX_CACHE_KEY);
    struct jw_fat_image image = { .kind = JW_KIND_PTX,
                                  .target = ptx->target,
                                  .major = ptx->major,
                                  .minor = ptx->minor,
                                  .packing = JW_FAT_LZ4,
                                  .bare = true,
                                  .options = *route->own_options ? route->own_options : NULL };
    bool ok;

    jw_buf_add(&payload, e->key.input.p, e->key.input.n);
    if (!route->text)
        jw_buf_fill(&payload, 0, route->stored);
    image.payload = jw_buf_bytes(&payload);
    ok = jw_buf_ok(&payload, err);
    if (ok && route->text)
        jw_buf_add(out, payload.p, payload.n);
    else if (ok)
        ok = jw_fat_write(out, &image, 1, err);
    jw_buf_free(&payload);
    return ok && jw_buf_ok(out, err);
}

/* Writes a file that only this run uses, so it is not synced. */
static bool write_module(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    return jw_file_put(path, JW_OUT_REPLACE | JW_OUT_PRIVATE | JW_OUT_FAST, bytes, err)
           || jw_wrap(err, "%s", path);
}

static const char entry_words[] = "cache entry ";

bool prime_place_is_entry(const struct jw_place *at)
{
    return !at->package && jw_text_starts(at->path, entry_words);
}

static bool spool_module(struct jw_arena *a, const char *work, uint64_t entry, struct jw_bytes image,
                         struct jw_place *place, struct jw_err *err)
{
    char name[48], *path;

    (void)snprintf(name, sizeof name, "%s%s", entry_words, jw_cache_name(entry).text);
    place->path = jw_arena_str(a, name);
    place->size = image.n;
    jw_digest(place->digest, image.p, image.n);
    (void)snprintf(name, sizeof name, "%016llx.entry", (unsigned long long)entry);
    path = work ? jw_path_join(a, work, name) : NULL;
    place->disk = path;
    return !path || write_module(path, image, err);
}

static void name_it(struct jw_arena *a, const struct prime_driver *d, const struct prime_entry *e,
                    const struct route *route, struct jw_job *j)
{
    static const uint8_t zeros[16];
    struct module_rules rules = prime_rules(d);
    struct module_name name;
    struct module_key key;
    struct jw_sink sink = module_name_sink(&name);
    struct jw_err ignored;
    enum module_form form = route->text ? MODULE_TEXT : MODULE_PACKED;

    module_name_begin(&name, &rules, &j->sm, 1);
    (void)sink.put(sink.ctx, e->key.input.p, e->key.input.n, &ignored);
    for (unsigned i = 0; i < route->stored && !route->text; i++)
        (void)sink.put(sink.ctx, zeros, 1, &ignored);
    j->module.kernel = jw_arena_str(a, name.kernel);
    module_name_text(&name, j->module.text);
    module_name_end(&name, j->module.text, form, j->module.options, j->sm, 0, &key);
    memcpy(j->id, key.id, sizeof j->id);
    j->name = key.name;
    j->key_size = key.size;
}

bool prime_entry_job(struct jw_arena *a, const struct prime_driver *d, const struct prime_entry *e,
                     uint16_t sm, struct jw_job *out, const char **why)
{
    struct route route = find_route(e, a);

    *out = (struct jw_job){ .module = { .options = route.options, .kernel = "", .ptx_bytes = e->key.input.n },
                            .sm = sm };
    *why = route.why;
    if (route.known)
        name_it(a, d, e, &route, out);
    return route.known;
}

static bool in_profile(const struct prime_reuse *u, const struct jw_job *t)
{
    return !u->profile || jw_digest_set_has(u->profile, t->id);
}

/* `*made` false: the entry holds no PTX. */
static bool make_module(struct jw_arena *a, const char *work, uint64_t name, const struct prime_entry *e,
                        struct jw_job *t, bool *made, struct jw_err *err)
{
    struct route route = find_route(e, a);
    struct jw_buf image = JW_BUF(2 * JW_MAX_CACHE_KEY);
    struct jw_ptx ptx;
    struct jw_err why = { 0 };
    bool ok = true;

    *made = jw_ptx_read(e->key.input, &ptx, &why);
    if (!*made)
        return true;
    memcpy(t->module.target, jw_arch_name("compute_", ptx.target).text, sizeof t->module.target);
    t->module.lazy = jw_isa_is_lazy(ptx.major, ptx.minor);
    t->module.places = jw_arena_alloc(a, sizeof *t->module.places);
    t->module.places->text = route.text;
    t->module.places->link = route.link;
    t->module.n_places = 1;
    ok = write_image(e, &route, &ptx, &image, err)
         && spool_module(a, work, name, jw_buf_bytes(&image), t->module.places, err);
    jw_buf_free(&image);
    return ok;
}

bool prime_entry_module(struct jw_arena *a, const struct prime_driver *d, const char *work, uint64_t name,
                        const struct prime_entry *e, struct jw_job *t, bool *made, struct jw_err *err)
{
    const char *why;
    uint16_t sm = prime_chosen_arch(d, e->key.sm);

    *made = false;
    if (e->key.kind != JW_CACHE_CUDA || !sm || !prime_entry_job(a, d, e, sm, t, &why))
        return true;
    return t->name != name || make_module(a, work, name, e, t, made, err);
}

/* ---- all of them ---- */

struct reading {
    struct run_ctx *h;
    struct prime_reuse *u;
    struct module_index known; /* those of the files, and of entries that were read */
    size_t room;               /* for so many of them */
    uint64_t skipped;
    const char *why;
};

static void add_module(struct reading *x, const struct jw_job *t)
{
    struct scan_jobs *found = &x->h->software.found;

    if (found->n == x->room) {
        x->room = 2 * x->room + 16;
        found->list = jw_realloc(found->list, x->room * sizeof *found->list);
    }
    found->list[found->n++] = *t;
}

/* Is the entry's PTX too new for this driver? Then it is not handed to the driver, as a file of newer PTX is not. */
static bool is_too_new(struct reading *x, const struct prime_entry *e)
{
    const char *driver = x->h->driver.out->version;
    struct jw_driver_version v;
    unsigned major, minor;
    struct jw_ptx ptx;
    struct jw_err ignored = { 0 };

    if (!driver || !jw_driver_parse(driver, &v, &ignored) || !jw_driver_max_isa(&v, &major, &minor)
        || !jw_ptx_read(e->key.input, &ptx, &ignored) || ptx.major < major
        || (ptx.major == major && ptx.minor <= minor))
        return false;
    const char *needs = jw_isa_needs_driver(ptx.major, ptx.minor);

    x->u->too_new++;
    x->u->needs_driver = needs ? needs : "";
    return true;
}

static bool add_one(struct reading *x, uint64_t name, const struct prime_entry *e, struct jw_job *t,
                    struct jw_err *err)
{
    const struct scan_jobs *found = &x->h->software.found;
    uint32_t *known = module_index_find(&x->known, found->list, t);
    bool made;

    if (*known || !in_profile(x->u, t) || is_too_new(x, e))
        return true;
    if (!make_module(x->h->run->a, x->h->cache.work, name, e, t, &made, err))
        return false;
    if (made) {
        add_module(x, t);
        *known = (uint32_t)found->n;
    }
    return true;
}

/* Marks as used what packs say that commands load on machines with other GPUs or drivers. */
static void note_hints(struct reading *x)
{
    const struct jw_warm_state *memory = x->h->cache.memory;

    for (size_t i = 0; i < memory->n_hints; i++)
        jw_digest_set_add_all(&x->u->used, x->h->run->a, memory->hints[i].ids, memory->hints[i].n);
}

uint16_t prime_chosen_arch(const struct prime_driver *d, uint16_t sm)
{
    return jw_sms_have(d->sms, d->n_sms, sm) ? sm : 0;
}

static bool current(const struct reading *x, const struct jw_cache_file *f)
{
    return strcmp(f->stamp, x->h->driver.probe->state.stamp) == 0;
}

static bool reuse_entry(struct reading *x, const struct jw_cache_file *f, uint16_t sm, struct jw_err *err)
{
    struct prime_entry e;
    struct jw_job t;
    const char *why = NULL;
    bool ok = prime_entry_read(x->h->run->a, x->h->cache.folder, f, &e, err);

    if (ok && e.key.kind == JW_CACHE_CUDA) {
        if (!current(x, f))
            jw_digest_set_add(&x->u->used, x->h->run->a, e.text);
        if (x->u->all) {
            if (prime_entry_job(x->h->run->a, &x->h->driver, &e, sm, &t, &why))
                ok = add_one(x, f->name, &e, &t, err);
            else if (!current(x, f)) {
                x->skipped++;
                x->why = why;
            }
        }
    }
    prime_entry_free(&e);
    return ok;
}

/* Lists an entry that the profile has not: a plain prime compiles its PTX all the same. */
static bool note_beside(struct reading *x, const struct prime_entry *e, const struct jw_job *t,
                        struct jw_err *err)
{
    uint64_t *slot;

    if (in_profile(x->u, t) || is_too_new(x, e))
        return true;
    slot =
        jw_list_add(x->h->run->a, &x->u->unprofiled, &x->u->n_unprofiled, sizeof *slot, JW_MAX_LISTED, err);
    if (slot)
        *slot = t->name;
    return slot != NULL;
}

static bool reuse_kept(struct reading *x, const char *path, struct jw_err *err)
{
    struct prime_entry e;
    struct jw_job t;
    const char *why;
    uint16_t sm;
    bool ok = prime_kept_read(path, &e, err);

    if (ok && e.key.kind == JW_CACHE_CUDA && (sm = prime_chosen_arch(&x->h->driver, e.key.sm))
        && prime_entry_job(x->h->run->a, &x->h->driver, &e, sm, &t, &why))
        ok = note_beside(x, &e, &t, err) && add_one(x, t.name, &e, &t, err);
    prime_entry_free(&e);
    return ok;
}

/* True for entries of another build for a chosen architecture, and for entries of this build that a profile may name. */
static bool of_interest(const struct reading *x, const struct jw_cache_file *f, uint16_t *sm)
{
    if (f->damage || f->kind != JW_CACHE_CUDA || !*f->stamp)
        return false;
    if (current(x, f) && !x->u->profile)
        return false;
    *sm = prime_chosen_arch(&x->h->driver, f->sm);
    return *sm != 0;
}

static bool add_from_cache(struct reading *x, struct jw_err *err)
{
    const struct scan_jobs *found = &x->h->software.found;
    const char *const *kept = NULL;
    size_t n_kept = 0;
    bool ok = true;

    if (x->h->driver.probe->state.level < JW_LEVEL_READABLE || !x->h->driver.probe->state.stamp)
        return true;
    if (x->u->all)
        kept = prime_kept_list(x->h->run, x->h->cache.folder, &n_kept);
    x->room = found->n;
    module_index_make(&x->known, found->list, found->n, x->h->cache.listing.n + n_kept, x->h->run->a);
    for (size_t i = 0; ok && i < x->h->cache.listing.n; i++) {
        uint16_t sm;

        if (!jw_not_interrupted(x->h->run->interrupted, err))
            return false;
        if (of_interest(x, &x->h->cache.listing.files[i], &sm))
            ok = reuse_entry(x, &x->h->cache.listing.files[i], sm, err);
    }
    for (size_t i = 0; ok && i < n_kept; i++)
        ok = reuse_kept(x, kept[i], err);
    if (ok && x->skipped)
        JW_NOTE(x->h->run, "%llu entr%s of earlier drivers cannot be made again from the cache (%s)",
                (unsigned long long)x->skipped, x->skipped == 1 ? "y" : "ies", x->why);
    return ok;
}

bool prime_read_cache(struct run_ctx *h, struct prime_reuse *u, struct jw_err *err)
{
    struct prime_cache *c = &h->cache;
    struct reading x = { .h = h, .u = u };

    prime_notify(h->run, JW_PHASE_LOOK, c->folder);
    bool ok = jw_cachedir_walk(c->folder, false, h->run->interrupted, h->run->a, &c->listing, err)
              && add_from_cache(&x, err);

    note_hints(&x);
    jw_digest_set_sort(&u->used);
    return ok;
}
