/* Reads the pack: checks digest and signature, compares the manifest with this machine, unpacks. Nothing is
 * decompressed before the raw bytes are checked. */
#include "cache/memory/state_folder.h"
#include "pack/import/import_work.h"
#include "pack/store/store.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/format/jitcache.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

/* ---- the raw bytes ---- */

static bool from_pipe(const struct import *im)
{
    return strcmp(im->o->file, "-") == 0;
}

static bool load_trusted(struct import *im, struct jw_err *err)
{
    const struct jw_config *config = jw_session_config(im->run->session);
    const struct jw_keys_options o = { .conf = config,
                                       .files = im->o->trust.items,
                                       .n_files = im->o->trust.n };

    for (size_t i = 0; i < config->warnings.n; i++)
        JW_NOTE(im->run, "%s", config->warnings.v[i]);
    return jw_keys_load(&o, im->run->a, &im->keys, err);
}

static bool open_pack(struct import *im, struct jw_err *err)
{
    struct jw_pack_open_options o = { .interrupted = im->run->interrupted };

    if (!from_pipe(im))
        return jw_pack_open(&im->pack, im->o->file, &o, err) || jw_pack_open_failed(im->o->file, err);
    jw_run_show(im->run, "reading the pack from standard input", 0, 0);
    if (!jw_state_scratch(JW_STATE_IMPORT, im->run->a, &im->spool, err))
        return false;
    o.spool_dir = im->spool;
    return jw_pack_open(&im->pack, im->o->file, &o, err);
}

static void report_signature(struct import *im)
{
    static const char *const states[] = { [JW_PACK_UNSIGNED] = "unsigned",
                                          [JW_PACK_SIGNED] = "trusted",
                                          [JW_PACK_SIGNED_UNKNOWN] = "unknown",
                                          [JW_PACK_SIGNED_WRONG] = "wrong" };
    struct jw_pack_verdict *v = &im->verdict;

    im->out->signature =
        (struct jw_import_signature){ .state = states[v->kind],
                                      .key = v->key[0] ? jw_arena_str(im->run->a, v->key) : NULL,
                                      .where = v->where };
    if (v->kind != JW_PACK_SIGNED)
        return;
    im->out->signature.comment = v->comment;
    im->out->signature.from = v->by->from;
}

bool import_open(struct import *im, struct jw_err *err)
{
    im->out->pack = from_pipe(im) ? "standard input" : im->o->file;
    if (!load_trusted(im, err) || !open_pack(im, err)
        || (im->o->check && !im->o->check(im->run->ctx, &im->pack.file, err)))
        return false;
    im->out->pack_bytes = im->pack.bytes.size;
    if (!jw_pack_check(&im->pack, &im->keys, im->run, im->run->a, &im->verdict, err))
        return false;
    im->made_here =
        im->o->from_own_store
        && jw_store_is_own(jw_path_dir(im->run->a, im->o->file), im->pack.trailer.digest, im->run->a);
    report_signature(im);
    return jw_pack_check_trust(&im->pack, &im->verdict,
                               im->o->allow_unsigned || import_own(im) ? JW_UNSIGNED_TAKEN
                               : im->o->of_source                      ? JW_UNSIGNED_NEVER
                                                                       : JW_UNSIGNED_REFUSED,
                               err);
}

/* ---- the manifest ---- */

static bool end_unfit(struct import *im)
{
    struct jw_import_report *r = im->out;
    char text[900];
    size_t n = 0;

    for (size_t i = 0; i < r->n_factors && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s (here: %s)", i ? ", " : "",
                              r->factors[i].what, r->factors[i].pack, r->factors[i].machine);
    return import_end(im, JW_END_UNFIT, "the pack is for %s", text);
}

static bool compare_machine(struct import *im, const struct import_machine *here)
{
    import_compare_pack(im->manifest, here, im->out);
    return !im->out->n_factors || end_unfit(im);
}

bool import_read_manifest(struct import *im, struct jw_err *err)
{
    struct import_machine here = { .os = jw_os_name(), .arch = jw_os_arch() };

    if (!jw_pack_manifest(&im->pack, im->run->a, &im->manifest, err))
        return false;
    im->out->manifest = im->manifest;
    return compare_machine(im, &here);
}

bool import_compare(struct import *im, struct jw_err *err)
{
    const struct prime_driver *d = &im->ctx.driver;
    struct import_machine here = { .os = jw_os_name(),
                                   .arch = jw_os_arch(),
                                   .driver_known = d->probe->state.stamp && *d->probe->state.stamp,
                                   .stamp = d->probe->state.stamp,
                                   .driver = d->probe->driver.version,
                                   .sms = d->sms,
                                   .n_sms = d->n_sms };

    (void)err;
    if (!compare_machine(im, &here))
        return false;
    if (im->run->ended) {
        import_hint(im);
        import_withdraw(im);
        return true;
    }
    if (d->probe->no_room)
        return import_end(im, JW_END_CANNOT_WRITE, "%s", d->probe->unproven);
    if (d->probe->state.level < JW_LEVEL_PLACEABLE)
        return import_end(
            im, JW_END_UNFIT,
            "the probe of this driver's cache proved %d of 3 steps, and packs need all; use jitwarm prime "
            "instead",
            (int)d->probe->state.level);
    im->out->entries = jw_arena_alloc(im->run->a, (im->manifest->n_entries + 1) * sizeof *im->out->entries);
    im->out->n_entries = im->manifest->n_entries;
    for (size_t i = 0; i < im->manifest->n_entries; i++) {
        const struct jw_pack_entry *e = &im->manifest->entries[i];

        im->out->entries[i] = (struct jw_import_entry){
            .of = e,
            .bytes = import_bytes(e),
            .origin = e->origin == JW_PACK_NO_ORIGIN ? NULL : im->manifest->origins[e->origin].name
        };
    }
    return true;
}

/*
 * ---- unpacking ----
 *
 * Every entry is decompressed and checked against the manifest and the driver's format before the cache is changed. New
 * entries go to a temporary folder beside the cache.
 */

struct staging {
    struct import *im;
    struct jw_tree folder; /* closed if no entry is written */
};

struct staged_name {
    char text[20]; /* "423e06b9e6ec62aa": one folder for all entries, so that none is made for each */
};

static struct staged_name staged_name(uint64_t name)
{
    struct staged_name s;

    (void)snprintf(s.text, sizeof s.text, "%016llx", (unsigned long long)name);
    return s;
}

const char *import_staged(const struct import *im, uint64_t name)
{
    return jw_path_join(im->run->a, im->staged, staged_name(name).text);
}

static bool is_written(const struct staging *s, size_t i)
{
    enum jw_import_state state = s->im->out->entries[i].state;

    return s->folder.handle != JW_TREE_CLOSED.handle && state == JW_IMPORT_NEW;
}

/* One barrier for all of them, or publishing, syncs the file. */
static bool stage_entry(struct staging *s, uint64_t name, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    bool found;
    bool ok = jw_tree_open_file(&s->folder, staged_name(name).text, JW_TREE_MAKE, &f, &found, err)
              && jw_file_write(&f, 0, bytes.p, bytes.n, err);

    if (ok)
        jw_file_start_writing(&f);
    jw_file_close(&f);
    return ok || jw_wrap(err, "%s", s->im->staged);
}

/* True for entries of NVRTC, nvJitLink and OpenCL, which a command's pack may hold. Only the end of a key
 * shows the compiler. */
static bool is_of_other_compiler(const struct jw_pack_manifest *m, const struct jw_cache_key *key)
{
    return m->command && key->kind != JW_CACHE_CUDA
           && jw_cache_serves(key->kind, key->stamp, key->version, m->stamp, m->driver);
}

/* The key must name the driver build and the GPU of the manifest. */
static bool check_key(const struct jw_pack_manifest *m, const struct jw_pack_entry *e,
                      const struct jw_cache_entry *found, struct jw_bytes file, struct jw_err *err)
{
    struct jw_bytes head = { NULL, 0 };
    struct jw_cache_key key;

    if (found->key_size != e->key_bytes)
        return jw_fail(err, JW_E_FORMAT, "its key has %llu bytes; the manifest says %llu",
                       (unsigned long long)found->key_size, (unsigned long long)e->key_bytes);
    (void)jw_slice(file, JW_CACHE_HEADER, jw_min(found->key_size, JW_CACHE_KEY_HEAD), &head);
    jw_cache_key_read(head, found->key_size, &key);
    if (key.kind != JW_CACHE_CUDA || strcmp(key.stamp, m->stamp) != 0) {
        (void)jw_slice(file, JW_CACHE_HEADER, found->key_size, &head);
        jw_cache_key_read(head, found->key_size, &key);
    }
    if (key.kind != JW_CACHE_CUDA && !is_of_other_compiler(m, &key))
        return jw_fail(err, JW_E_FORMAT, "is not a compiled CUDA module");
    if (key.kind == JW_CACHE_CUDA && strcmp(key.stamp, m->stamp) != 0)
        return jw_fail(err, JW_E_FORMAT, "is for driver build %s; the manifest says %s",
                       *key.stamp ? key.stamp : "unknown", m->stamp);
    return key.sm == m->sm
           || jw_fail(err, JW_E_FORMAT, "is for %s; the manifest says sm_%u", *key.arch ? key.arch : "no GPU",
                      m->sm);
}

static bool check_entries(const struct jw_pack_manifest *m, size_t first, struct jw_cache_checked *list,
                          size_t n, struct jw_err *err)
{
    size_t bad;
    bool ok = jw_cache_entries_check(list, n, &bad, err);

    for (bad = ok ? 0 : bad; ok && bad < n; bad += ok)
        ok = check_key(m, &m->entries[first + bad], &list[bad].entry, list[bad].file, err);
    return ok || jw_wrap(err, "entry %s", jw_cache_name(m->entries[first + bad].name).text);
}

/* Can the driver be asked to compile it again? Else no audit ever compares it. */
static bool can_be_audited(const struct import *im, const struct jw_cache_checked *c)
{
    struct prime_entry e = { .key = { .kind = JW_CACHE_OTHER } };
    struct jw_bytes key = { NULL, 0 };
    struct jw_job t;
    const char *why;

    if (jw_find_u64(im->wants.modules, im->wants.n_modules, sizeof *im->wants.modules, c->name))
        return true; /* from the software here */
    if (jw_slice(c->file, JW_CACHE_HEADER, c->entry.key_size, &key))
        jw_cache_key_read(key, c->entry.key_size, &e.key);
    return e.key.kind == JW_CACHE_CUDA
           && prime_entry_job(im->run->a, &im->ctx.driver, &e, im->manifest->sm, &t, &why)
           && t.name == c->name;
}

static void leave_out_unproven(struct import *im, size_t first, const struct jw_cache_checked *list, size_t n)
{
    for (size_t i = 0; i < n && !import_trusted(im); i++) {
        struct jw_import_entry *e = &im->out->entries[first + i];

        if (e->state == JW_IMPORT_NEW && !can_be_audited(im, &list[i]))
            e->state = JW_IMPORT_UNPROVEN;
    }
}

static bool on_entries(void *ctx, size_t first, size_t n, const struct jw_digest_text *files,
                       struct jw_err *err)
{
    struct staging *s = ctx;
    const struct jw_pack_manifest *m = s->im->manifest;
    struct jw_cache_checked *list = jw_alloc(n * sizeof *list);

    for (size_t i = 0; i < n; i++)
        list[i] = (struct jw_cache_checked){ .file = files[i].bytes, .name = m->entries[first + i].name };
    bool ok = check_entries(m, first, list, n, err) || jw_wrap(err, "%s", s->im->pack.name);

    if (ok)
        leave_out_unproven(s->im, first, list, n);
    for (size_t i = 0; ok && i < n; i++)
        s->im->payloads[first + i] = list[i].entry.payload_hash;
    jw_free(list);
    for (size_t i = 0; ok && i < n; i++)
        ok = !is_written(s, first + i) || stage_entry(s, m->entries[first + i].name, files[i].bytes, err);
    return ok;
}

static bool on_file(void *ctx, size_t file, struct jw_bytes bytes, struct jw_err *err)
{
    return import_stage_kit(((struct staging *)ctx)->im, file, bytes, err);
}

static bool make_staged(struct staging *s, struct jw_err *err)
{
    struct import *im = s->im;

    if (im->o->dry_run || !im->out->counts[JW_IMPORT_NEW])
        return true;
    im->staged = jw_path_join(im->run->a, im->ctx.cache.work, "staged");
    return (jw_make_private_dir(im->staged, err) && jw_tree_open(&s->folder, im->staged, err))
           || jw_wrap(err, "%s", im->staged);
}

/* Below so many files, others' files on the same disk would take longer. */
enum { FEW = 16 };

bool import_stage(struct import *im, struct jw_err *err)
{
    struct staging s = { .im = im, .folder = JW_TREE_CLOSED };
    struct jw_pack_read_options o = { .threads = im->o->threads, .run = im->run };

    im->payloads = jw_arena_alloc(im->run->a, (im->manifest->n_entries + 1) * sizeof *im->payloads);
    bool ok = make_staged(&s, err)
              && jw_pack_read(&im->pack, im->manifest, (struct jw_pack_visitor){ on_entries, &s, on_file },
                              &o, err);

    import_count(im->out);
    if (ok && im->staged && im->out->counts[JW_IMPORT_NEW] >= FEW)
        ok = jw_tree_sync_files(&s.folder, &im->synced, err) || jw_wrap(err, "%s", im->staged);
    jw_tree_close(&s.folder);
    return ok;
}
