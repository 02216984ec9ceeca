#include "pack/import/import_folder.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "cache/place/cachedir.h"
#include "machine/config.h"
#include "machine/gpus.h"
#include "machine/list.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "pack/import/import.h"
#include "pack/keys/keys.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PACKS = 1024, SEEN = 38 };

struct seen {
    uint8_t digest[JW_DIGEST];
    bool filled; /* the cache had an index */
};

static const struct jw_field fields[] = { JW_FIELD(struct seen, digest),
                                          JW_FIELD(struct seen, filled),
                                          { 0 } };

struct pack {
    const char *name;
    struct jw_file_info info;
};

struct packs {
    const struct jw_packs_options *o;
    struct jw_arena *a;
    struct jw_packs_report *out;
    struct pack *v;
    size_t n;
    uint8_t digest[JW_DIGEST];
    const char *file;     /* of the pack that is imported */
    struct jw_file_id id; /* of the listed file */
    const char *state;    /* folder of packs-seen, or NULL */
};

/* ---- what is there ---- */

static bool add_pack(struct packs *p, struct jw_dir *dir, const char *name, struct jw_err *err)
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
    slot = jw_list_add(p->a, &p->v, &p->n, sizeof *slot, MOST_PACKS, err);
    if (!slot)
        return false;
    slot->name = jw_arena_str(p->a, name);
    slot->info = info;
    return true;
}

static int packs_by_name(const void *a, const void *b)
{
    return strcmp(((const struct pack *)a)->name, ((const struct pack *)b)->name);
}

/* Refuses a folder that other users can change, itself or by a folder above it. `*dir` NULL: no folder. */
static bool open_packs(struct packs *p, struct jw_tree *held, struct jw_dir **dir, struct jw_err *err)
{
    const char *at = NULL;
    struct jw_trust t;

    if (!jw_trust_way(p->o->folder, p->a, held, &at, &t, err))
        return false;
    if (at && !jw_trust_own(&t, err)) {
        if (strcmp(at, p->o->folder) != 0)
            jw_err_wrap(err, "%.250s", at);
        return jw_wrap(err, "nothing was imported from this folder");
    }
    return !t.exists || jw_dir_open_held(dir, held, err);
}

static bool list(struct packs *p, struct jw_err *err)
{
    struct jw_entry e;
    struct jw_dir *dir = NULL;
    struct jw_tree held;
    bool ok = open_packs(p, &held, &dir, err), more = dir != NULL;

    while (ok && more)
        ok = jw_dir_next(dir, &e, &more, err) && (!more || add_pack(p, dir, e.name, err));
    jw_dir_close(dir);
    jw_tree_close(&held);
    if (p->n)
        qsort(p->v, p->n, sizeof *p->v, packs_by_name);
    return ok || jw_wrap(err, "%.250s", p->o->folder);
}

/* ---- what is remembered ---- */

/* Appends the trusted keys, or why there are none. */
static void say_keys(struct packs *p, struct jw_buf *out)
{
    struct jw_config config = { 0 };
    struct jw_keys_options o = { .conf = &config };
    struct jw_trusted_keys keys = { 0 };
    struct jw_err why = { 0 };

    jw_config_load(p->a, &config);
    if (!jw_keys_load(&o, p->a, &keys, &why))
        jw_buf_printf(out, "keys: %s\n", why.msg);
    for (size_t i = 0; i < keys.n; i++) {
        jw_buf_text(out, "key ");
        jw_buf_add(out, &keys.v[i].key, sizeof keys.v[i].key);
        jw_buf_text(out, "\n");
    }
}

/* Where one was, and is none now, the cache was cleared: what packs hold is not in it any more. */
static bool has_index(struct packs *p)
{
    struct jw_cachedir dir = { 0 };
    struct jw_file_info info = { 0 };
    struct jw_err ignored;

    jw_cachedir_find(p->o->cache, p->a, &dir);
    return dir.root && jw_file_stat(jw_path_join(p->a, dir.root, "index"), &info, &ignored)
           && info.kind == JW_FILE_REGULAR;
}

/* A digest of all small files that the result of the imports depends on. */
static bool digest_of(struct packs *p, struct jw_err *err)
{
    struct jw_host_gpus here;
    struct jw_buf b = JW_BUF(JW_MAX_STATE);

    jw_host_gpus(p->o->sysroot ? p->o->sysroot : "", p->a, &here);
    jw_buf_printf(&b, "jitwarm %s\nfolder %s\ncache %s\ndriver %s %s\n", JITWARM_VERSION, p->o->folder,
                  p->o->cache ? p->o->cache : "", here.driver ? here.driver : "",
                  p->o->driver ? p->o->driver : "");
    for (size_t i = 0; i < here.n; i++)
        jw_buf_printf(&b, "gpu %u %04x\n", here.gpus[i].sm, here.gpus[i].device_id);
    for (size_t i = 0; i < p->n; i++)
        jw_buf_printf(&b, "%s %llu %lld %llu\n", p->v[i].name, (unsigned long long)p->v[i].info.size,
                      (long long)p->v[i].info.mtime, (unsigned long long)p->v[i].info.id.node);
    say_keys(p, &b);
    bool ok = jw_buf_ok(&b, err);

    jw_digest(p->digest, b.p, b.n);
    jw_buf_free(&b);
    return ok;
}

static const char *seen_file(struct packs *p)
{
    return jw_path_join(p->a, p->state, "packs-seen");
}

static bool was_seen(struct packs *p)
{
    struct seen last = { .filled = false };
    struct jw_bytes file = { NULL, 0 };
    struct jw_record record;
    struct jw_err ignored = { 0 };
    bool found = false;

    p->state = jw_state_dir(p->a, &ignored);
    if (!p->state || !jw_trust_believe(p->state, "folder", p->a, &ignored)
        || !jw_trust_slurp(seen_file(p), JW_MAX_STATE, p->a, &file, &found, &ignored))
        return false;

    struct jw_reader r = jw_reader(file);

    return jw_record_take(&r, &record) && record.kind == SEEN && jw_record_get(&record, fields, NULL, &last)
           && memcmp(last.digest, p->digest, JW_DIGEST) == 0 && (!last.filled || has_index(p));
}

/* On failure the next run tries again. */
static void remember_packs(struct packs *p)
{
    struct seen now = { .filled = has_index(p) };
    struct jw_buf record = JW_BUF(JW_MAX_STATE);
    struct jw_err ignored;

    memcpy(now.digest, p->digest, JW_DIGEST);
    jw_record_put(&record, SEEN, fields, &now);
    (void)!(p->state && jw_trust_make(p->state, &ignored)
            && jw_trust_put(seen_file(p), jw_buf_bytes(&record), &ignored));
    jw_buf_free(&record);
}

/* ---- importing ---- */

static void say_first(struct packs *p, const char *name, const char *why)
{
    if (!p->out->why && why)
        p->out->why = jw_arena_printf(p->a, "%s: %s", name, why);
}

/* Ends that are not about the pack stop the run; the next run tries again. */
static bool judge_import(struct packs *p, const char *name, const struct jw_import_report *r, bool *go_on,
                         struct jw_err *err)
{
    struct jw_packs_report *out = p->out;

    out->entries += r->counts[JW_IMPORT_IMPORTED];
    switch (r->run->end) {
    case JW_END_DONE:
    case JW_END_NOTHING: out->imported++; return true;
    case JW_END_PARTLY:
        out->imported += r->counts[JW_IMPORT_IMPORTED] || r->counts[JW_IMPORT_PRESENT];
        out->unfit += !(r->counts[JW_IMPORT_IMPORTED] || r->counts[JW_IMPORT_PRESENT]);
        return true;
    case JW_END_UNFIT: out->unfit++; return true;
    case JW_END_CONSENT: /* older than an imported one, and there is no user to ask */
    case JW_END_REFUSED:
        out->refused++;
        say_first(p, name, r->run->why);
        return true;
    case JW_END_INTERRUPTED: return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    default:
        *go_on = false;
        out->again = true;
        say_first(p, name, r->run->why);
        return true;
    }
}

/* Checks the open file, so that replacing it meanwhile has no effect. */
static bool judge_pack(void *ctx, const struct jw_file *pack, struct jw_err *err)
{
    struct packs *p = ctx;
    struct jw_file_info info;
    struct jw_trust t;

    if (jw_trust_file(pack, p->file, p->a, &t, err) && jw_trust_own(&t, err) && jw_file_info(pack, &info, err)
        && (jw_file_same(info.id, p->id) || jw_fail(err, JW_E_TRUST, "it was replaced by another file")))
        return true;
    p->out->again = true; /* fixing that does not change the digest */
    return false;
}

static bool import(struct packs *p, const struct pack *pack, bool *go_on, struct jw_err *err)
{
    struct jw_import_report report = { 0 };
    struct jw_arena a = { 0 };
    struct jw_run run = { .a = &a, .interrupted = p->o->interrupted, .ctx = p };
    struct jw_err why = { 0 };
    struct jw_import_options o = { .file = jw_path_join(p->a, p->o->folder, pack->name),
                                   .cache = p->o->cache,
                                   .exe = p->o->exe,
                                   .driver = p->o->driver,
                                   .as_root = p->o->as_root,
                                   .threads = 1,
                                   .yes = true,
                                   .judge = judge_pack };
    bool ok;

    p->file = o.file;
    p->id = pack->info.id;
    p->out->packs++;
    ok = jw_import(&run, &o, &report, &why);
    if (ok)
        ok = judge_import(p, pack->name, &report, go_on, err);
    else if (why.code == JW_E_INTERRUPTED)
        *err = why;
    else { /* it could not even be opened */
        p->out->refused++;
        say_first(p, pack->name, why.msg);
        ok = true;
    }
    jw_arena_free(&a);
    return ok;
}

const char *jw_packs_folder(struct jw_arena *a)
{
    const char *made = jw_env(a, "JITWARM_SYSROOT"), *base; /* of a made-up machine */

    if (jw_os_is_windows())
        base = jw_env_config_system(a);
    else
        base = jw_path_join(a, made ? made : "/", "var/lib");
    return base ? jw_path_join(a, base, "jitwarm/packs") : NULL;
}

bool jw_packs_import(const struct jw_packs_options *o, struct jw_arena *a, struct jw_packs_report *out,
                     struct jw_err *err)
{
    struct packs p = { .o = o, .a = a, .out = out };
    bool go_on = true;

    *out = (struct jw_packs_report){ 0 };
    if (!list(&p, err) || !p.n || !digest_of(&p, err))
        return !p.n && err->code == JW_OK;
    if (was_seen(&p))
        return true;
    out->changed = true;
    for (size_t i = 0; i < p.n && go_on; i++)
        if (jw_text_ends(p.v[i].name, ".tar.zst") && !import(&p, &p.v[i], &go_on, err))
            return false;
    if (!out->again)
        remember_packs(&p);
    return true;
}
