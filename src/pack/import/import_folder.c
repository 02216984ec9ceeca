#include "pack/import/import_folder.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "cache/memory/state_folder.h"
#include "machine/gpus.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "pack/import/import_check.h"
#include "pack/keys/keys.h"
#include "pack/store/store.h"

#include <string.h>

enum { MAX_PACKS = 1024, MAX_SEEN = 16, SEEN = 50 };

struct seen {
    uint8_t digest[JW_DIGEST];
    bool filled; /* the cache had an index */
};

struct seen_list {
    struct seen *v;
    size_t n;
};

static const struct jw_field seen_fields[] = { JW_FIELD(struct seen, digest),
                                               JW_FIELD(struct seen, filled),
                                               { 0 } };
static const struct jw_field fields[] = { JW_FIELD_LIST_UP_TO(struct seen_list, v, n, seen_fields, MAX_SEEN),
                                          { 0 } };

struct pack {
    const char *path;
    bool from_own_store; /* of this user's store */
    struct jw_file_info info;
};

struct packs {
    struct jw_session *s;
    const struct jw_packs_options *o;
    struct jw_arena *a;
    struct jw_packs_report *out;
    struct pack *v;
    size_t n;
    struct import_machine machine;
    const struct pack *at; /* the pack that is imported */
    const char *state;     /* folder of packs-seen, or NULL */
    struct seen_list seen; /* content of packs-seen */
};

/* ---- what is there ---- */

static void say_first(struct packs *p, const char *path, const char *why)
{
    if (!p->out->why && why)
        p->out->why =
            jw_text_starts(why, path) ? jw_arena_str(p->a, why) : jw_arena_printf(p->a, "%s: %s", path, why);
}

static bool add_pack(struct packs *p, struct jw_dir *dir, const char *folder, const char *name,
                     bool own_store, struct jw_err *err)
{
    struct jw_file_info info;
    struct pack *slot;
    struct jw_err why = { 0 };
    size_t got;
    char none[1];

    if (!jw_text_ends(name, ".tar.zst") && !jw_text_ends(name, ".minisig"))
        return true;
    if (!jw_dir_peek(dir, name, none, 0, &got, &info, &why)) /* a link, or removed */
        return true;
    if (info.kind != JW_FILE_REGULAR)
        return true;
    slot = jw_list_add(p->a, &p->v, &p->n, sizeof *slot, MAX_PACKS, err);
    if (!slot)
        return false;
    *slot = (struct pack){ jw_path_join(p->a, folder, name), own_store, info };
    return true;
}

/* Refuses a folder that other users can change, itself or by a folder above it. `*dir` NULL: no folder. */
static bool open_folder(struct packs *p, const char *folder, struct jw_tree *held, struct jw_dir **dir,
                        struct jw_err *err)
{
    const char *at = NULL;
    struct jw_trust t;

    if (!jw_trust_check_path(folder, p->a, held, &at, &t, err))
        return false;
    if (at && !jw_trust_own(&t, err)) {
        if (strcmp(at, folder) != 0)
            jw_err_wrap(err, "%.250s", at);
        return jw_wrap(err, "nothing was imported from this folder");
    }
    return !t.exists || jw_dir_open_tree(dir, held, err);
}

/* A folder that cannot be used does not keep the other one from being used. */
static void list_folder(struct packs *p, const char *folder, bool own_store)
{
    struct jw_entry e;
    struct jw_dir *dir = NULL;
    struct jw_tree held;
    struct jw_err why = { 0 };
    bool ok = open_folder(p, folder, &held, &dir, &why), more = dir != NULL;

    while (ok && more)
        ok =
            jw_dir_next(dir, &e, &more, &why) && (!more || add_pack(p, dir, folder, e.name, own_store, &why));
    jw_dir_close(dir);
    jw_tree_close(&held);
    if (!ok)
        say_first(p, folder, why.msg);
}

/* Packs of the machine's folder come first, then those in the store, the newest first. */
static int packs_in_order(const void *a, const void *b)
{
    const struct pack *x = a, *y = b;

    if (x->from_own_store != y->from_own_store)
        return x->from_own_store - y->from_own_store;
    if (x->from_own_store && x->info.mtime != y->info.mtime)
        return x->info.mtime > y->info.mtime ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void list(struct packs *p)
{
    struct jw_err none = { 0 };
    const char *store = jw_store_dir(p->a, &none);

    if (p->o->folder)
        list_folder(p, p->o->folder, false);
    if (store)
        list_folder(p, store, true);
    jw_sort(p->v, p->n, sizeof *p->v, packs_in_order);
}

/* ---- what is remembered ---- */

/* Appends the trusted keys, or why there are none. */
static void say_keys(struct packs *p, struct jw_buf *out)
{
    const struct jw_keys_options o = { .conf = jw_session_config(p->s) };
    struct jw_trusted_keys keys = { 0 };
    struct jw_err why = { 0 };

    if (!jw_keys_load(&o, p->a, &keys, &why))
        jw_buf_printf(out, "keys: %s\n", why.msg);
    for (size_t i = 0; i < keys.n; i++) {
        jw_buf_text(out, "key ");
        jw_buf_add(out, &keys.v[i].key, sizeof keys.v[i].key);
        jw_buf_text(out, "\n");
    }
}

/* A cache without its index was cleared: the entries of packs are not in it any more. */
static bool has_index(struct packs *p)
{
    const char *cache = jw_session_cache(p->s)->folder;
    struct jw_file_info info = { 0 };
    struct jw_err ignored;

    return cache && jw_file_stat(jw_path_join(p->a, cache, "index"), &info, &ignored)
           && info.kind == JW_FILE_REGULAR;
}

static void say_path(struct packs *p, const char *path, struct jw_buf *out)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored;

    if (jw_real_path(path, p->a, &path, &ignored) && jw_file_stat(path, &info, &ignored))
        jw_buf_printf(out, "%s %llu %lld\n", path, (unsigned long long)info.size, (long long)info.mtime);
}

/* The build of the driver that programs load here, or what the kernel says. */
static void say_driver(struct packs *p, struct jw_buf *out)
{
    const struct jw_host_gpus *here = jw_session_gpus(p->s);
    const struct jw_driver_state *known = jw_session_driver_file(p->s)->known;

    jw_buf_printf(out, "driver %s %s %s\n", here->driver ? here->driver : "",
                  p->s->driver ? p->s->driver : "", known ? known->build : "");
    for (size_t i = 0; i < here->n; i++)
        jw_buf_printf(out, "gpu %u %04x\n", here->gpus[i].sm, here->gpus[i].device_id);
}

/* A digest of all small files that the result of the imports depends on. */
static bool digest_of(struct packs *p, uint8_t digest[JW_DIGEST], struct jw_err *err)
{
    struct jw_buf b = JW_BUF_IN(p->a, JW_MAX_STATE);

    jw_buf_printf(&b, "jitwarm %s\ncache %s\n", JITWARM_VERSION, p->s->cache ? p->s->cache : "");
    for (size_t i = 0; i < p->o->paths.n; i++)
        say_path(p, p->o->paths.items[i], &b);
    say_driver(p, &b);
    for (size_t i = 0; i < p->n; i++)
        jw_buf_printf(&b, "%s %llu %lld %llu\n", p->v[i].path, (unsigned long long)p->v[i].info.size,
                      (long long)p->v[i].info.mtime, (unsigned long long)p->v[i].info.id.node);
    say_keys(p, &b);
    bool ok = jw_buf_ok(&b, err);

    jw_digest(digest, b.p, b.n);
    return ok;
}

static const char *seen_file(struct packs *p)
{
    return jw_path_join(p->a, p->state, jw_state_rows[JW_STATE_PACKS_SEEN].name);
}

static bool was_seen(struct packs *p)
{
    uint8_t digest[JW_DIGEST];
    struct jw_err ignored = { 0 };
    bool found = false;

    p->state = jw_state_dir(p->a, &ignored);
    if (!p->state || !jw_trust_check_own(p->state, "folder", p->a, &ignored)
        || !jw_trust_load(seen_file(p), SEEN, fields, p->a, &p->seen, &found, &ignored) || !found)
        p->seen.n = 0;
    if (p->seen.n && digest_of(p, digest, &ignored))
        for (size_t i = 0; i < p->seen.n; i++)
            if (memcmp(p->seen.v[i].digest, digest, JW_DIGEST) == 0)
                return !p->seen.v[i].filled || has_index(p);
    return false;
}

/* On failure the next run tries again. The driver's build is known by now. */
static void remember_packs(struct packs *p)
{
    struct seen v[MAX_SEEN] = { { .filled = has_index(p) } };
    struct seen_list now = { v, 1 };
    struct jw_err ignored;

    if (!p->state || !digest_of(p, v[0].digest, &ignored))
        return;
    for (size_t i = 0; i < p->seen.n && now.n < MAX_SEEN; i++)
        if (memcmp(p->seen.v[i].digest, v[0].digest, JW_DIGEST) != 0)
            v[now.n++] = p->seen.v[i];
    (void)!jw_trust_save(seen_file(p), SEEN, fields, &now, &ignored);
}

/* ---- importing ---- */

/* Ends that are not about the pack stop the run; the next run tries again. */
static bool note_end(struct packs *p, const struct jw_import_report *r, bool *go_on, struct jw_err *err)
{
    struct jw_packs_report *out = p->out;

    out->entries += r->counts[JW_IMPORT_IMPORTED];
    switch (r->run->end) {
    case JW_END_DONE:
    case JW_END_NOTHING: out->imported++; return true;
    case JW_END_PARTLY: /* a later run has the rest: no room, or not yet in the index */
        out->again |= r->records || r->counts[JW_IMPORT_NO_ROOM];
        out->imported += r->counts[JW_IMPORT_IMPORTED] || r->counts[JW_IMPORT_PRESENT];
        out->unfit += !(r->counts[JW_IMPORT_IMPORTED] || r->counts[JW_IMPORT_PRESENT]);
        return true;
    case JW_END_UNFIT: out->unfit++; return true;
    case JW_END_REFUSED:
        out->refused++;
        say_first(p, p->at->path, r->run->why);
        return true;
    case JW_END_INTERRUPTED: return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    default:
        *go_on = false;
        out->again = true;
        say_first(p, p->at->path, r->run->why);
        return true;
    }
}

/* Checks the open file, so that replacing it meanwhile has no effect. */
static bool check_file(void *ctx, const struct jw_file *pack, struct jw_err *err)
{
    struct packs *p = ctx;
    struct jw_file_info info;
    struct jw_trust t;

    if (jw_trust_file(pack, p->at->path, p->a, &t, err) && jw_trust_own(&t, err)
        && jw_file_info(pack, &info, err)
        && (jw_file_same(info.id, p->at->info.id)
            || jw_fail(err, JW_E_TRUST, "it was replaced by another file")))
        return true;
    p->out->again = true; /* fixing that does not change the digest */
    return false;
}

static bool import(struct packs *p, bool *go_on, struct jw_err *err)
{
    struct jw_import_report report = { 0 };
    struct jw_arena a = { 0 };
    struct jw_run run = jw_session_run(p->s);
    struct jw_err why = { 0 };
    struct jw_import_options o = { .file = p->at->path,
                                   .from_own_store = p->at->from_own_store,
                                   .paths = p->o->paths,
                                   .as_root = p->o->as_root,
                                   .threads = 1,
                                   .entries_only = true,
                                   .of_source = true,
                                   .yes = true,
                                   .no_store = true,
                                   .check = check_file };

    run.a = &a;
    run.ctx = p;
    bool ok = jw_import(&run, &o, &report, &why);

    if (ok)
        ok = note_end(p, &report, go_on, err);
    else if (why.code == JW_E_INTERRUPTED)
        *err = why;
    else if (why.code == JW_E_USAGE) { /* a path is wrong; prime says so */
        p->out->again = true;
        *go_on = false;
        ok = true;
    } else { /* it could not even be opened */
        p->out->refused++;
        say_first(p, p->at->path, why.msg);
        ok = true;
    }
    jw_arena_free(&a);
    return ok;
}

static bool import_fitting(struct packs *p, struct jw_err *err)
{
    bool go_on = true;

    for (size_t i = 0; i < p->n && go_on; i++) {
        p->at = &p->v[i];
        if (!jw_text_ends(p->at->path, ".tar.zst"))
            continue;
        p->out->packs++;
        if (!import_fits(&p->machine, p->at->path, p->a))
            p->out->unfit++;
        else if (!import(p, &go_on, err))
            return false;
    }
    return true;
}

const char *jw_packs_folder(struct jw_session *s)
{
    const char *base = jw_os_is_windows() ? jw_env_config_system(s->a)
                                          : jw_arena_printf(s->a, "%s/var/lib", jw_session_sysroot(s));

    return base ? jw_path_join(s->a, base, "jitwarm/packs") : NULL;
}

bool jw_packs_import(struct jw_session *s, const struct jw_packs_options *o, struct jw_packs_report *out,
                     struct jw_err *err)
{
    struct packs p = { .s = s, .o = o, .a = s->a, .out = out };
    struct jw_err why = { 0 };

    *out = (struct jw_packs_report){ 0 };
    list(&p);
    if (!p.n || was_seen(&p))
        return true;
    out->changed = true;
    if (!import_ask_machine(s, &p.machine, &why)) {
        if (why.code == JW_E_INTERRUPTED)
            *err = why;
        else
            say_first(&p, "packs", why.msg);
        return why.code != JW_E_INTERRUPTED;
    }
    if (!import_fitting(&p, err))
        return false;
    if (!out->again)
        remember_packs(&p);
    return true;
}
