/* One pack: nothing is decompressed before its raw bytes are checked, nor written before it is
 * compared with this machine. */
#include "pack/import/import_run.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/change/publish.h"
#include "cache/change/restamp.h"
#include "memory/drivers.h"
#include "os/files/disk.h"
#include "os/files/scratch.h"
#include "pack/format/pack_name.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

bool import_end_pack(struct importing *p, enum jw_end end, const char *why)
{
    p->ended = true;
    p->pack->end = end;
    p->pack->why = why && *why ? jw_arena_str(p->im->run->a, why) : NULL;
    return true;
}

/* A fault of the pack is its end, and so is a pack among others that cannot be read; another
 * failure is the import's. */
static bool refuse(struct importing *p, const struct jw_err *why, struct jw_err *err)
{
    bool unread = why->code == JW_E_IO && !p->pack->manifest;

    p->pack->untrusted = why->code == JW_E_TRUST && p->pack->signature.kind != JW_PACK_SIGNED_WRONG;
    if (why->code == JW_E_FORMAT || why->code == JW_E_TRUST || why->code == JW_E_LIMIT)
        return import_end_pack(p, JW_END_REFUSED, why->msg);
    if (unread && p->filter)
        return import_end_pack(p, JW_END_CANNOT_WRITE, why->msg);
    *err = *why;
    if (unread)
        jw_err_becomes(err, JW_E_IO, JW_E_NAMED); /* the user named it */
    return p->pack->manifest ? false : jw_wrap(err, "%s", p->pack->path);
}

/* ---- 1 to 4: open, hash, signature, manifest ---- */

/* Sets p->distrust. With --trust it says which key was given beside the one that is needed. */
static void check_trust(struct importing *p)
{
    const struct jw_import_terms *terms = &p->im->terms;
    const struct jw_pack_verdict *seen = &p->pack->signature;
    char given[17];

    if (jw_pack_check_trust(seen, terms->allow_unsigned, &p->distrust))
        return;
    if (seen->kind != JW_PACK_SIGNED_UNKNOWN || !terms->trust.n)
        return;
    jw_minisign_show_id(given, p->im->keys.v[0].key.id);
    jw_err_set(&p->distrust, JW_E_TRUST, "it is signed with key %s, and --trust gives key %s%s",
               seen->key, given, terms->trust.n > 1 ? " and others" : "");
}

/* What is in a pack that is not trusted is read, too, for a user without a key yet first wants to
 * know whether it fits; but not behind a wrong signature, except in a dry run. */
static bool read_checked(struct importing *p, struct jw_err *err)
{
    struct jw_run *run = p->im->run;
    struct jw_err why = {0};

    if (!jw_pack_open(&p->in, p->pack->path, err)
        || !jw_pack_check(&p->in, &p->im->keys, run, run->a, &p->pack->signature, err))
        return false;
    check_trust(p);
    bool wrong = p->pack->signature.kind == JW_PACK_SIGNED_WRONG && !p->im->terms.dry_run;

    if (!wrong && jw_pack_manifest(&p->in, run->a, &p->pack->manifest, &why))
        return true;
    return jw_pass(err, p->distrust.code ? p->distrust : why);
}

static bool read_pack(struct importing *p, struct jw_err *err)
{
    struct jw_err why = {0};

    return read_checked(p, &why) || refuse(p, &why, err);
}

/* ---- 5: compare ---- */

static const char *say_driver(struct jw_arena *a, const char *version, const char *stamp)
{
    return jw_arena_printf(a, "driver %s (build of %s)", version ? version : "unknown",
                           stamp ? jw_stamp_text(stamp).text : "unknown");
}

static void add(struct jw_buf *made, const char *pack, struct jw_buf *has, const char *machine)
{
    jw_buf_printf(made, "%s%s", made->n ? ", " : "", pack);
    jw_buf_printf(has, "%s%s", has->n ? ", " : "", machine);
}

/* The driver that made a pack, as far as the pack says. */
static struct jw_driver_state maker_of(const struct jw_pack_manifest *m, struct jw_arena *a)
{
    return (struct jw_driver_state){.build = jw_arena_printf(a, "pack:%s", m->stamp),
                                    .code = m->compiler,
                                    .stamp = m->stamp,
                                    .version = m->driver,
                                    .level = JW_LEVEL_PLACEABLE};
}

enum import_fit import_fits(const struct jw_pack_manifest *m, const struct jw_scope *here,
                            struct jw_arena *a, const char **why)
{
    bool same_build = jw_text_same(m->stamp, here->stamp);
    const struct jw_driver_state now = {.stamp = here->stamp, .code = here->code};
    const struct jw_driver_state maker = maker_of(m, a);
    bool same_compiler = jw_drivers_compile_alike(&maker, &now);
    struct jw_buf made = JW_LINE(a);
    struct jw_buf has = JW_LINE(a);
    struct jw_buf sms = JW_LINE(a);
    bool sm = false;

    for (size_t i = 0; i < here->sms.n; i++) {
        sm |= here->sms.v[i] == m->sm;
        jw_buf_printf(&sms, "%ssm_%u", i ? " and " : "", here->sms.v[i]);
    }
    if (strcmp(m->os, jw_os_name()) != 0 || strcmp(m->arch, jw_os_arch()) != 0)
        add(&made, JW_PHRASE("%s %s", m->os, m->arch), &has,
            JW_PHRASE("%s %s", jw_os_name(), jw_os_arch()));
    if (!same_build && !same_compiler)
        add(&made, say_driver(a, m->driver, m->stamp), &has,
            say_driver(a, here->version, here->stamp));
    if (!sm)
        add(&made, JW_PHRASE("sm_%u", m->sm), &has, sms.n ? jw_buf_cstr(&sms) : "no GPU");
    if (made.n) {
        *why = jw_arena_printf(a, "made for %s; this machine has %s", jw_buf_cstr(&made),
                               jw_buf_cstr(&has));
        return IMPORT_UNFIT;
    }
    return same_build ? IMPORT_SAME_BUILD : IMPORT_SAME_COMPILER;
}

static bool compare(struct importing *p, struct jw_err *err)
{
    const char *why;
    enum import_fit fit = import_fits(p->pack->manifest, p->here, p->im->run->a, &why);

    if (fit == IMPORT_UNFIT)
        return import_end_pack(p, JW_END_UNFIT, why);
    if (p->here->level < JW_LEVEL_PLACEABLE)
        return import_end_pack(p, JW_END_UNFIT, JW_PACK_UNPROVEN);
    if (p->distrust.code)
        return refuse(p, &p->distrust, err);
    p->other_build = fit == IMPORT_SAME_COMPILER;
    if (p->other_build && p->pack->signature.kind != JW_PACK_SIGNED)
        return import_end_pack(p, JW_END_UNFIT,
                               "made by another build of this driver's compiler, and no trusted "
                               "key signed it");
    return true;
}

/* ---- the build that made it ---- */

/* Of another build the entries come in as they are, and prime carries them over (prime/carry.h):
 * that needs what is known of the build. */
static bool remember_build(struct importing *p, struct jw_err *err)
{
    struct jw_session *session = p->im->run->session;
    const struct jw_pack_manifest *m = p->pack->manifest;
    const struct jw_driver_state build = maker_of(m, p->im->run->a);

    if (!p->other_build || p->im->terms.dry_run
        || jw_drivers_find(jw_session_drivers(session), m->stamp))
        return true;
    session->drivers = NULL; /* they are read again */
    return jw_driver_save(&build, err);
}

/* ---- 6: lock ---- */

static bool lock(struct importing *p, struct jw_err *err)
{
    return p->im->terms.dry_run || import_begin_changes(p->im, err);
}

/* ---- 7 and 8: what is there, and what fits ---- */

/* `counted`: bytes of its record, which is replaced. */
static void take_if_it_fits(struct importing *p, size_t i, uint64_t counted, uint64_t *room)
{
    const struct jw_pack_entry *e = &p->pack->manifest->entries[i];
    uint64_t bytes = e->key_bytes + e->payload_bytes;
    uint64_t more = bytes - jw_min(bytes, counted);

    p->needed += more;
    p->fresh[i] = more <= *room;
    if (!p->fresh[i]) {
        p->pack->left++;
        p->left_bytes += bytes;
        return;
    }
    *room -= more;
    p->n_fresh++;
    p->disk += (jw_pack_entry_bytes(e) / BLOCK + 1) * BLOCK;
}

static bool may_be_wanted(const struct importing *p, size_t i)
{
    const struct jw_pack_entry *e = &p->pack->manifest->entries[i];

    return import_may_want(p->filter, e->name, e->key_bytes);
}

/* An entry whose record is missing, as a killed run leaves it, is published once more, which gives
 * it one. An entry that cannot be read counts as missing: publishing says why. */
static bool find_fresh(struct importing *p, struct jw_err *err)
{
    struct jw_import *im = p->im;
    struct jw_cache_lookup there;

    p->fresh = jw_arena_alloc(im->run->a, p->pack->manifest->n_entries + 1);
    p->refused = jw_arena_alloc(im->run->a, p->pack->manifest->n_entries + 1);
    if (p->other_build && p->filter && p->filter->only_wanted)
        p->names = jw_arena_alloc(im->run->a, p->pack->manifest->n_entries * sizeof *p->names);
    if (!jw_cache_lookup_open(p->here->cache, im->run->a, &there, err))
        return false;
    uint64_t room = jw_cache_room(p->here->limit, there.index.total);
    bool ok = !there.refusal || jw_fail(err, JW_E_IO, "%s", there.refusal);

    p->needed = there.index.total;
    for (size_t i = 0; ok && i < p->pack->manifest->n_entries; i++) {
        uint64_t name = p->pack->manifest->entries[i].name;
        const struct jw_cache_record *r =
            jw_find_u64(there.index.list, there.index.n, sizeof *r, name);

        ok = jw_not_interrupted(im->run->interrupted, err);
        if ((r || there.trouble) && import_has(im, &there, name, &p->refused[i]))
            p->pack->there++;
        else if (p->names && !may_be_wanted(p, i))
            p->n_unwanted++;
        else
            take_if_it_fits(p, i, r ? r->size : 0, &room);
    }
    jw_cache_lookup_close(&there);
    return ok;
}

/* ---- 8: room ---- */

static bool check_room(struct importing *p, struct jw_err *err)
{
    struct jw_import *im = p->im;
    struct jw_disk disk = {0};

    (void)err;
    if (p->pack->left) {
        im->limit_needed = jw_max(im->limit_needed, p->needed + jw_spare(p->here->limit));
        im->left_bytes += p->left_bytes;
    }
    if (p->pack->left && !p->n_fresh && !p->pack->there)
        return import_end_pack(p, JW_END_CANNOT_WRITE,
                               "no entry fits under the limit of the cache");
    if (im->terms.dry_run || !p->n_fresh || !jw_disk_look(p->here->cache, &disk, JW_IGNORED))
        return true;
    if (p->disk + jw_spare(disk.total) <= disk.free)
        return true;
    im->disk_needed = p->disk;
    im->disk_free = disk.free;
    return import_end_pack(p, JW_END_CANNOT_WRITE, "the disk has no room for its entries");
}

/* ---- 9: unpack and check ---- */

const char *import_staged_folder(const struct jw_import *im)
{
    return jw_path_join(im->run->a, im->hold->work, "staged");
}

static const char *build_of(const struct jw_cache_key *key)
{
    if (*key->stamp)
        return key->stamp;
    return *key->version ? key->version : "unknown";
}

/* The key must be one that the driver here looks up, for the manifest's GPU. */
static bool check_key(const struct importing *p, const struct jw_cache_checked *c, size_t entry,
                      struct jw_err *err)
{
    const struct jw_pack_manifest *m = p->pack->manifest;
    const char *version = p->other_build ? m->driver : p->here->version;
    struct jw_bytes text = {NULL, 0};
    struct jw_cache_key key;

    (void)jw_slice(c->file, JW_CACHE_HEADER, c->entry.key_size, &text);
    jw_cache_key_read(text, c->entry.key_size, &key);
    if (key.kind == JW_CACHE_OTHER)
        return jw_fail(err, JW_E_FORMAT, "is of no compiler that this jitwarm knows");
    if (!jw_cache_serves(key.kind, key.stamp, key.version, m->stamp, version))
        return jw_fail(err, JW_E_FORMAT, "is for another driver build: %s", build_of(&key));
    if (key.sm != m->sm)
        return jw_fail(err, JW_E_FORMAT, "is for %s; the manifest says sm_%u",
                       *key.arch ? key.arch : "no GPU", m->sm);
    if (p->names && key.kind == JW_CACHE_CUDA)
        p->names[entry] = restamp_name(text, p->here->stamp);
    return true;
}

/* Writes an entry beside the cache, if it is fresh and wanted under the name of this build. */
static bool stage(struct importing *p, size_t entry, struct jw_bytes file, struct jw_err *err)
{
    bool wanted = !p->names || import_is_wanted(p->filter, p->names[entry]);

    p->fresh[entry] = p->fresh[entry] && wanted;
    if (!p->fresh[entry] || p->folder.handle == JW_FOLDER_CLOSED.handle)
        return true;
    return jw_stage_entry(&p->folder, p->pack->manifest->entries[entry].name, file, err)
           || jw_wrap(err, "%s", p->im->hold->work);
}

/* Checks every byte, and whom the keys serve. `*bad`: the first that is refused. */
static bool check_entries(struct importing *p, size_t first, struct jw_cache_checked *list,
                          size_t n, size_t *bad, struct jw_err *err)
{
    if (!jw_cache_entries_check(list, n, bad, err))
        return false;
    for (*bad = 0; *bad < n; ++*bad)
        if (!check_key(p, &list[*bad], first + *bad, err))
            return false;
    return true;
}

static bool on_entries(void *ctx, size_t first, size_t n, const struct jw_bytes *files,
                       struct jw_err *err)
{
    struct importing *p = ctx;
    const struct jw_pack_entry *e = &p->pack->manifest->entries[first];
    struct jw_cache_checked *list = jw_alloc(n * sizeof *list);
    size_t bad;

    for (size_t i = 0; i < n; i++)
        list[i] = (struct jw_cache_checked){
            .file = files[i], .name = e[i].name, .key_size = e[i].key_bytes};
    bool ok = check_entries(p, first, list, n, &bad, err);

    jw_free(list);
    if (!ok)
        return jw_wrap(err, "entry %s", jw_cache_name(e[bad].name).text);
    for (size_t i = 0; i < n; i++)
        if (!stage(p, first + i, files[i], err))
            return false;
    return true;
}

/* Some entries turned out to be for other modules. */
static void count_fresh(struct importing *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->pack->manifest->n_entries; i++)
        if (p->fresh[i])
            n++;
    p->n_unwanted += p->n_fresh - n;
    p->n_fresh = n;
}

/* All entries are decompressed and checked, also those that are there: a pack is whole, or nothing
 * of it is taken. */
static bool unpack_all(struct importing *p, struct jw_err *err)
{
    const struct jw_pack_visitor visitor = {on_entries, p};

    return jw_pack_read(&p->in, p->pack->manifest, visitor, 0, p->im->run, err);
}

static bool unpack_into(struct importing *p, const char *folder, struct jw_err *err)
{
    if (!jw_make_private_dir(folder, err) || !jw_folder_open(&p->folder, folder, err))
        return jw_wrap(err, "%s", folder);
    bool ok = unpack_all(p, err) && jw_stage_sync(&p->folder, p->n_fresh, &p->synced, err);

    jw_folder_close(&p->folder);
    return ok;
}

static bool unpack(struct importing *p, struct jw_err *err)
{
    bool adds = p->n_fresh && !p->im->terms.dry_run;
    struct jw_err why = {0};
    bool ok = adds ? unpack_into(p, import_staged_folder(p->im), &why) : unpack_all(p, &why);

    if (!ok)
        return refuse(p, &why, err);
    count_fresh(p);
    return true;
}

/* ---- 10: publish ---- */

static bool publish(struct importing *p, struct jw_err *err)
{
    struct jw_import_pack *pack = p->pack;

    if (p->im->terms.dry_run)
        pack->added = p->n_fresh;
    else if (p->n_fresh && !import_publish(p, err))
        return false;
    if (p->ended)
        return true;
    if (pack->added + pack->there + p->n_unwanted < pack->manifest->n_entries)
        return import_end_pack(p, JW_END_PARTLY, NULL);
    return import_end_pack(p, pack->added ? JW_END_DONE : JW_END_NOTHING, NULL);
}

/* ---- all of it ---- */

typedef bool import_step(struct importing *p, struct jw_err *err);

/* Step 11, the proof, is one for all packs of an import. */
static bool take_pack(struct importing *p, struct jw_err *err)
{
    static import_step *const steps[] = {compare, lock,           find_fresh, check_room,
                                         unpack,  remember_build, publish};

    if (!read_pack(p, err))
        return false;
    for (size_t i = 0; i < JW_COUNT(steps); i++) {
        if (p->ended)
            return true;
        if (p->im->run->ended)
            return import_end_pack(p, p->im->run->end, NULL);
        if (!steps[i](p, err))
            return false;
    }
    return true;
}

bool import_pack(struct jw_import *im, const char *path, const struct jw_import_filter *filter,
                 struct jw_import_pack *out, struct jw_err *err)
{
    struct importing p = {.im = im,
                          .pack = out,
                          .here = &im->look->scope,
                          .filter = filter,
                          .folder = JW_FOLDER_CLOSED};

    *out = (struct jw_import_pack){.path = path, .end = JW_END_NOTHING};
    if (filter && jw_is_absent(path))
        return import_end_pack(&p, JW_END_PARTLY,
                               "the pack disappeared while it was read, perhaps because an export "
                               "replaced it; try again");
    bool ok = take_pack(&p, err);

    jw_publisher_close(p.publisher);
    jw_pack_close(&p.in);
    if (im->hold->work)
        jw_scratch_remove(import_staged_folder(im));
    return ok;
}
