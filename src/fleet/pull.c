#include "fleet/pull.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "fleet/push.h"
#include "machine/listing.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

#include <string.h>

struct pull {
    const struct jw_pull_options *o;
    struct jw_run *run;
    struct jw_pull_report *out;
    struct jw_remote *from;
    struct jw_cache_lookup cache; /* as it was before the first import */
    const char *staging;          /* for downloads */
    const char *missing;          /* a tag under which there is nothing */
};

/* ---- is it here already? ---- */

/* By the names that its pusher wrote beside it. Wrong ones cost a download, or a module that stays cold: never more. */
static bool is_here(struct pull *p, const struct jw_oci_doc *doc, const struct jw_oci_item *layer, bool *here,
                    struct jw_err *err)
{
    const struct jw_oci_item *names = jw_oci_names_of(doc, layer->digest);
    struct jw_buf bytes = JW_BUF(JW_MAX_PACK_ENTRIES * 8);
    const char *path;
    bool found = false, ok;

    *here = false;
    if (!names || names->size > bytes.max || names->size % 8 || !names->size)
        return true;
    ok = jw_remote_get(p->from, names, p->staging, &path, err)
         && (jw_file_slurp(path, &bytes, &found, err) || jw_wrap(err, "%.250s", path));
    *here = ok && found;
    for (size_t at = 0; *here && at + 8 <= bytes.n; at += 8)
        *here = jw_cache_finds_name(&p->cache, jw_le64(bytes.p + at), NULL);
    jw_buf_free(&bytes);
    return ok;
}

/* ---- layers ---- */

/* How bad an end is: the worst of the layers is the run's. */
static unsigned badness(enum jw_end end)
{
    static const enum jw_end order[] = { JW_END_NOTHING, JW_END_DONE,    JW_END_PARTLY,       JW_END_UNFIT,
                                         JW_END_CONSENT, JW_END_REFUSED, JW_END_CANNOT_WRITE, JW_END_BUSY };
    unsigned i = 0;

    while (i < JW_COUNT(order) && order[i] != end)
        i++;
    return i;
}

static void take_end(struct pull *p, enum jw_end end, const char *why)
{
    if (badness(end) > badness(p->run->end)) {
        p->run->end = end;
        p->run->why = why;
    }
}

/* The name of the temporary file says nothing. */
static const char *without_path(struct pull *p, const char *why, const char *path, const char *software)
{
    return why && jw_text_starts(why, path)
               ? jw_arena_printf(p->run->a, "the pack of %.100s%s", software, why + strlen(path))
               : why;
}

static bool import_layer(struct pull *p, struct jw_pull_layer *l, const char *path, struct jw_err *err)
{
    struct jw_import_options o = p->o->import;
    struct jw_import_report r = { 0 };
    struct jw_run run = *p->run;

    o.from = path;
    bool ok = jw_import(&run, &o, &r, err);

    if (ok) {
        const struct jw_import_pack *pack = r.n_packs ? &r.packs[0] : NULL;
        const char *why = without_path(p, pack && pack->why ? pack->why : run.why, path, l->software);

        l->end = run.end;
        l->why = why ? jw_arena_str(p->run->a, why) : NULL;
        l->entries = pack ? pack->entries : 0;
        l->added = r.added;
        l->key = pack && pack->signature.by ? jw_arena_str(p->run->a, pack->signature.key) : NULL;
        p->out->added += r.added;
        p->out->added_bytes += r.added_bytes;
        take_end(p, l->end, l->why);
    }
    jw_import_free(&r);
    return ok;
}

static bool take_layer(struct pull *p, uint16_t sm, const struct jw_oci_doc *doc,
                       const struct jw_oci_item *item, struct jw_pull_layer *l, struct jw_err *err)
{
    const char *software = jw_oci_note(item, JW_OCI_ORIGIN), *path;

    *l = (struct jw_pull_layer){
        .sm = sm, .software = software ? software : "unknown", .digest = item->digest, .size = item->size
    };
    if (!is_here(p, doc, item, &l->here, err))
        return false;
    if (l->here || p->o->import.dry_run)
        return true;
    if (!jw_remote_get(p->from, item, p->staging, &path, err))
        return false;
    l->fetched = true;
    p->out->fetched_bytes += item->size;

    bool ok = import_layer(p, l, path, err);
    struct jw_err ignored;

    (void)!jw_file_remove(path, &ignored);
    return ok;
}

/* What is under the key of one architecture. `*found`: something is. */
static bool pull_key(struct pull *p, uint16_t sm, bool *found, struct jw_err *err)
{
    const struct jw_ref *ref = p->o->net.ref;
    struct jw_pull_report *out = p->out;
    struct jw_arena *a = p->run->a;
    struct jw_oci_doc doc = { 0 };
    const char *tag = jw_fleet_tag(ref, jw_os_name(), jw_os_arch(), out->scope.stamp, sm, a, err);
    char ignored[72];
    bool there;

    if (!tag || !jw_remote_manifest(p->from, tag, &doc, ignored, &there, err))
        return false;
    if (!there && !*found)
        p->missing = tag;
    *found |= there;

    struct jw_pull_layer *all = jw_arena_alloc(a, (out->n + doc.n) * sizeof *all);

    for (size_t i = 0; i < out->n; i++)
        all[i] = out->layers[i];
    out->layers = all;
    for (size_t i = 0; i < doc.n; i++)
        if (strcmp(doc.items[i].media, JW_OCI_PACK) == 0
            && !take_layer(p, sm, &doc, &doc.items[i], &all[out->n++], err))
            return false;
    return true;
}

/* ---- a folder of packs ---- */

static bool pull_folder(struct pull *p, struct jw_err *err)
{
    struct jw_import_options o = p->o->import;
    struct jw_pull_report *out = p->out;
    struct jw_import_report r = { 0 };

    o.from = p->o->net.ref->path;
    if (!jw_is_folder(o.from))
        return jw_fail(err, JW_E_NET, "%.250s %s", o.from, jw_why_no_folder(o.from));
    bool ok = jw_import(p->run, &o, &r, err);

    out->stopped = r.stopped;
    out->added = r.added;
    out->added_bytes = r.added_bytes;
    out->layers = jw_arena_alloc(p->run->a, (r.n_packs + 1) * sizeof *out->layers);
    for (; ok && out->n < r.n_packs; out->n++) {
        const struct jw_import_pack *pack = &r.packs[out->n];

        out->layers[out->n] = (struct jw_pull_layer){ .sm = pack->manifest ? pack->manifest->sm : 0,
                                                      .software = jw_path_base(pack->path),
                                                      .size = pack->size,
                                                      .here = pack->left_alone,
                                                      .fetched = !o.dry_run && !pack->left_alone,
                                                      .end = pack->end,
                                                      .why = pack->why,
                                                      .key = pack->signature.by ? pack->signature.key : NULL,
                                                      .entries = pack->entries,
                                                      .added = pack->added };
    }
    out->look = r.look; /* `scope` lives in it */
    out->scope = r.scope;
    r.look = (struct jw_look){ 0 };
    jw_import_free(&r);
    return ok;
}

/* ---- the run ---- */

static bool pull_all(struct pull *p, struct jw_err *err)
{
    const struct jw_scope *scope = &p->out->scope;
    struct jw_remote_options net = p->o->net;
    bool found = false, ok = true;

    net.run = p->run;
    if (!jw_remote_open(&net, p->run->a, &p->from, err))
        return false;
    for (size_t i = 0; ok && i < scope->n_sms; i++)
        ok = pull_key(p, scope->sms[i], &found, err);
    p->out->answered = jw_remote_answered(p->from);
    jw_remote_close(p->from);
    if (ok && !found)
        jw_run_end(p->run, JW_END_UNFIT, "%s has nothing under the key of this machine, %s", net.ref->text,
                   p->missing);
    return ok;
}

bool jw_pull(struct jw_run *run, const struct jw_pull_options *o, struct jw_pull_report *out,
             struct jw_err *err)
{
    const struct jw_want want = { .as_root = o->import.as_root };
    struct pull p = { .o = o, .run = run, .out = out };
    char *scratch = NULL;

    *out = (struct jw_pull_report){ .run = run };
    if (o->net.ref->path)
        return pull_folder(&p, err);
    if (!jw_look_scope(run, &want, JW_ASKS_PRIME, &out->look, err))
        return false;
    out->stopped = out->look.stopped;
    out->scope = out->look.scope;
    if (run->ended)
        return true;
    if (!out->scope.stamp || !out->scope.n_sms)
        return jw_run_end(run, JW_END_NO_GPU,
                          "the driver's build or the GPUs of this machine are not known: run jitwarm doctor");
    run->end = JW_END_NOTHING;

    bool ok = jw_state_scratch(JW_STATE_IMPORT, run->a, &scratch, err)
              && jw_cache_lookup_open(out->scope.cache, run->a, &p.cache, err);

    p.staging = scratch;
    ok = ok && pull_all(&p, err);
    jw_cache_lookup_close(&p.cache);
    jw_scratch_remove(scratch);
    return ok;
}

void jw_pull_free(struct jw_pull_report *r)
{
    jw_look_free(&r->look);
}
