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
#include "pack/format/pack_key.h"

#include <string.h>

struct pull {
    const struct jw_pull_options *o;
    struct jw_run *run;
    struct jw_import_report *out;
    struct jw_remote *from;
    struct jw_cache_lookup cache; /* as it was before the import */
    const char *folder;           /* for downloads: packs, and lists of names */
    uint64_t fetched;             /* bytes of packs */
    const char *missing;          /* a tag under which there is nothing */
};

/* By the names that its pusher wrote beside it. Wrong ones cost a download, or a module that stays cold: never more. */
static bool is_here(struct pull *p, const struct jw_oci_doc *doc, const struct jw_oci_item *layer, bool *here,
                    struct jw_err *err)
{
    const struct jw_oci_item *names = jw_oci_names_of(doc, layer->digest);
    struct jw_buf bytes = JW_BUF(JW_MAX_PACK_ENTRIES * 8);
    bool found = false, ok;

    *here = false;
    if (!names || names->size > bytes.max || names->size % 8 || !names->size)
        return true;

    const char *path = jw_path_join(p->run->a, p->folder, names->digest + strlen("sha256:"));

    ok = jw_remote_get(p->from, names, path, err)
         && (jw_file_slurp(path, &bytes, &found, err) || jw_wrap(err, "%.250s", path));
    *here = ok && found;
    for (size_t at = 0; *here && at + 8 <= bytes.n; at += 8)
        *here = jw_cache_finds_name(&p->cache, jw_le64(bytes.p + at), NULL);
    jw_buf_free(&bytes);
    return ok;
}

/* A dry run lists it, by the word of its pusher. */
static void list_layer(struct pull *p, const struct jw_oci_item *layer)
{
    struct jw_import_pack *pack = &p->out->packs[p->out->n_packs++];

    *pack = (struct jw_import_pack){ .path = layer->software ? layer->software : layer->digest,
                                     .size = layer->size,
                                     .end = JW_END_DONE };
    (void)!jw_text_u64(layer->entries ? layer->entries : "", &pack->entries);
    pack->added = pack->entries;
    (void)snprintf(pack->signature.key, sizeof pack->signature.key, "%s", layer->key ? layer->key : "");
}

static bool take_layer(struct pull *p, const struct jw_oci_doc *doc, const struct jw_oci_item *layer,
                       struct jw_err *err)
{
    const char *path =
        jw_arena_printf(p->run->a, "%s/%s" JW_PACK_ENDING, p->folder, layer->digest + strlen("sha256:"));
    bool here;

    if (!is_here(p, doc, layer, &here, err))
        return false;
    if (!here && p->o->import.dry_run)
        list_layer(p, layer);
    if (here || p->o->import.dry_run)
        return true;
    if (!jw_remote_get(p->from, layer, path, err))
        return false;
    p->fetched += layer->size;
    return true;
}

/* What is under the key of one architecture. `*found`: something is. */
static bool pull_key(struct pull *p, const struct jw_scope *scope, uint16_t sm, bool *found,
                     struct jw_err *err)
{
    struct jw_import_report *out = p->out;
    struct jw_oci_doc doc = { 0 };
    const char *tag =
        jw_fleet_tag(p->o->net.ref, jw_os_name(), jw_os_arch(), scope->stamp, sm, p->run->a, err);
    char ignored[72];
    bool there;

    if (!tag || !jw_remote_manifest(p->from, tag, &doc, ignored, &there, err))
        return false;
    if (!there && !p->missing)
        p->missing = tag;
    *found |= there;

    struct jw_import_pack *all = jw_arena_alloc(p->run->a, (out->n_packs + doc.n + 1) * sizeof *all);

    for (size_t i = 0; i < out->n_packs; i++)
        all[i] = out->packs[i];
    out->packs = all;
    for (size_t i = 0; i < doc.n; i++)
        if (strcmp(doc.items[i].media, JW_OCI_PACK) == 0 && !take_layer(p, &doc, &doc.items[i], err))
            return false;
    return true;
}

static bool fetch(struct pull *p, const struct jw_scope *scope, struct jw_err *err)
{
    struct jw_remote_options net = p->o->net;
    bool found = false, ok = true;

    net.run = p->run;
    if (!jw_remote_open(&net, p->run->a, &p->from, err))
        return false;
    for (size_t i = 0; ok && i < scope->n_sms; i++)
        ok = pull_key(p, scope, scope->sms[i], &found, err);
    jw_remote_close(p->from);
    if (ok && !found)
        jw_run_end(p->run, JW_END_UNFIT, "%s has nothing under the key of this machine, %s", net.ref->text,
                   p->missing);
    else if (ok && !p->fetched)
        p->run->end = p->out->n_packs ? JW_END_DONE : JW_END_NOTHING;
    return ok;
}

static const char *renamed(struct pull *p, const char *text, const char *path, const char *name)
{
    return text && jw_text_starts(text, path) ? jw_arena_printf(p->run->a, "%s%s", name, text + strlen(path))
                                              : text;
}

/* The names of the files say nothing: a pack is called as its own manifest says. */
static bool import_fetched(struct pull *p, struct jw_err *err)
{
    struct jw_import_options o = p->o->import;

    o.from = p->folder;
    bool ok = jw_import(p->run, &o, p->out, err);

    p->out->fetched_bytes = p->fetched;
    for (size_t i = 0; ok && i < p->out->n_packs; i++) {
        struct jw_import_pack *pack = &p->out->packs[i];
        const char *name =
            pack->manifest ? jw_pack_file_name(pack->manifest, false, p->run->a) : jw_path_base(pack->path);

        pack->why = renamed(p, pack->why, pack->path, name);
        p->run->why = renamed(p, p->run->why, pack->path, name);
        pack->path = name;
    }
    return ok;
}

/* What came whole before a failure is imported; after Ctrl-C nothing is. */
static bool pull_registry(struct pull *p, struct jw_err *err)
{
    const struct jw_scope scope = p->out->look.scope;
    struct jw_look look = p->out->look; /* `scope` lives in it */
    struct jw_err why = { 0 };
    char *folder = NULL;
    bool ok = jw_state_scratch(JW_STATE_IMPORT, p->run->a, &folder, err)
              && jw_cache_lookup_open(scope.cache, p->run->a, &p->cache, err);

    p->folder = folder;
    ok = ok && fetch(p, &scope, err);
    jw_cache_lookup_close(&p->cache);
    if (p->fetched && (ok || err->code != JW_E_INTERRUPTED)) {
        bool imported = import_fetched(p, ok ? err : &why);

        jw_look_free(&look);
        ok = ok && imported;
    }
    jw_scratch_remove(folder);
    return ok;
}

bool jw_pull(struct jw_run *run, const struct jw_pull_options *o, struct jw_import_report *out,
             struct jw_err *err)
{
    const struct jw_want want = { .as_root = o->import.as_root };
    struct pull p = { .o = o, .run = run, .out = out };
    struct jw_import_options import = o->import;

    import.from = o->net.ref->path;
    *out = (struct jw_import_report){ .run = run };
    if (import.from)
        return jw_is_folder(import.from)
                   ? jw_import(run, &import, out, err)
                   : jw_fail(err, JW_E_NET, "%.250s %s", import.from, jw_why_no_folder(import.from));
    if (!jw_look_scope(run, &want, JW_ASKS_PRIME, &out->look, err))
        return false;
    out->stopped = out->look.stopped;
    out->scope = out->look.scope;
    if (run->ended)
        return true;
    if (!out->scope.stamp || !out->scope.n_sms)
        return jw_run_end(run, JW_END_NO_GPU,
                          "the driver's build or the GPUs of this machine are not known: run jitwarm doctor");
    return pull_registry(&p, err);
}
