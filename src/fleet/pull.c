#include "fleet/pull.h"

#include "base/path.h"
#include "base/text.h"
#include "fleet/push.h"
#include "machine/listing.h"
#include "memory/state_folder.h"
#include "os/files/scratch.h"
#include "pack/export/export.h"

#include <stdlib.h>
#include <string.h>

struct pull {
    const struct jw_pull_options *o;
    struct jw_run *run;
    struct jw_import_report *out;
    struct jw_remote *from;
    struct jw_cache_lookup cache; /* as it was before the import */
    char *folder;                 /* of downloads */
    struct jw_oci_doc packs;
};

/* By the names that its pusher wrote. Wrong ones cost a download, or a module that stays cold: never more. */
static bool is_here(const struct pull *p, const struct jw_oci_item *layer)
{
    char name[17] = "";
    const char *at = layer->names ? layer->names : "";

    for (; *at; at += 16) {
        (void)snprintf(name, sizeof name, "%.16s", at);
        if (strspn(name, "0123456789abcdef") != 16
            || !jw_cache_lookup_finds(&p->cache, strtoull(name, NULL, 16), NULL))
            return false;
    }
    return name[0];
}

static bool take_layer(void *ctx, size_t i, struct jw_import_pack *out, struct jw_err *err)
{
    struct pull *p = ctx;
    const struct jw_oci_item *layer = &p->packs.items[i];

    if (is_here(p, layer))
        return true;
    if (p->o->import.dry_run) { /* by the word of its pusher */
        out->path = jw_arena_printf(p->run->a, "%.999s", layer->software);
        out->added = out->entries = layer->names ? strlen(layer->names) / 16 : 0;
        out->why = out->entries ? NULL : "its entries are not known before it is downloaded";
        (void)snprintf(out->signature.key, sizeof out->signature.key, "%s", layer->key ? layer->key : "");
        return true;
    }
    out->path = jw_path_join(p->run->a, p->folder,
                             jw_ref_is_tag(layer->title) ? layer->title : layer->digest + strlen("sha256:"));
    if (!jw_remote_get(p->from, layer, out->path, err))
        return false;
    p->out->fetched_bytes += layer->size;
    return true;
}

static bool list_packs(void *ctx, const struct jw_scope *scope, size_t *n, struct jw_err *err)
{
    struct pull *p = ctx;
    const struct jw_ref *ref = p->o->net.ref;
    const char *tag = NULL;

    if (!scope->stamp || !scope->sms.n)
        return jw_run_end(p->run, JW_END_NO_GPU,
                          "the driver's build or the GPUs of this machine are not known: run jitwarm doctor");
    if (!jw_state_scratch(p->run->a, &p->folder, err)
        || !jw_cache_lookup_open(scope->cache, p->run->a, &p->cache, err)
        || !jw_remote_open(&p->o->net, p->run, &p->from, err))
        return false;
    for (size_t i = scope->sms.n; i--;) {
        const struct jw_pack_manifest here = {
            .os = jw_os_name(), .arch = jw_os_arch(), .stamp = scope->stamp, .sm = scope->sms.v[i]
        };

        tag = jw_fleet_tag(ref, &here, p->run->a, err);
        if (!tag || !jw_remote_manifest(p->from, tag, &p->packs, err))
            return false;
    }
    *n = p->packs.n;
    return *n
           || jw_run_end(p->run, JW_END_UNFIT, "%s has nothing for machines of this kind, %s", ref->text,
                         tag);
}

bool jw_pull(struct jw_run *run, const struct jw_pull_options *o, struct jw_import_report *out,
             struct jw_err *err)
{
    struct pull p = { .o = o, .run = run, .out = out };
    const struct jw_import_remote remote = { list_packs, take_layer, &p };
    struct jw_import_options import = o->import;

    import.from = o->net.ref->path;
    if (import.from && !jw_is_folder(import.from))
        return jw_fail(err, JW_E_USAGE, "%.250s %s", import.from, jw_why_no_folder(import.from));
    import.remote = &remote;
    bool ok = jw_import(run, &import, out, err);

    jw_remote_close(p.from);
    jw_cache_lookup_close(&p.cache);
    jw_scratch_remove(p.folder);
    return ok;
}

/* ---- what prime takes by itself ---- */

enum { ANSWER_MS = 5000, WAIT_S = 60 /* of sources */ };

/* Is it for this turn? Folders are taken first, and a line that means nothing is a note where something is cold. */
static bool parse(struct jw_run *run, const struct jw_conf_item *line, bool cold, struct jw_ref *ref)
{
    struct jw_err why = { 0 };
    bool ok = line->doubt ? jw_fail(&why, JW_E_USAGE, "%s: line ignored: %s", line->origin, line->doubt)
                          : jw_ref_parse(line->value, run->a, ref, &why) || jw_wrap(&why, "%s", line->origin);

    if (ok && ref->path && !(jw_path_absolute(ref->path) && jw_is_folder(ref->path)))
        ok = jw_fail(&why, JW_E_USAGE, "source %s %s", ref->text,
                     jw_path_absolute(ref->path) ? jw_why_no_folder(ref->path) : "is no absolute path");
    if (!ok && cold)
        JW_NOTE(run, "%s", why.msg);
    return ok && cold == !ref->path;
}

/* The registries share the time that silent ones may cost. */
static bool take_one(struct jw_run *run, const struct jw_scope *scope, const struct jw_ref *ref,
                     uint64_t *added, struct jw_err *err)
{
    const struct jw_config *config = jw_session_config(run->session);
    struct jw_pull_options o = {
        .net = { .ref = ref, .answer_ms = ANSWER_MS / (unsigned)(config->source.n + 1) },
        .import = { .for_prime = scope, .yes = true, .as_root = true, .wait_s = ref->path ? 0 : WAIT_S }
    };
    struct jw_run own = *run;
    struct jw_import_report r = { 0 };
    struct jw_err why = { 0 };

    jw_remote_configure(&o.net, config, run->a, &own.notes);
    bool ok = jw_pull(&own, &o, &r, &why);

    run->notes = own.notes;
    *added += r.added;
    if (r.added)
        JW_NOTE(run, "%s imported from %s", JW_N(r.added, "entry was", "entries were"), ref->text);
    if (!ok || (own.why && own.end != JW_END_UNFIT))
        JW_NOTE(run, "source %s: %s", ref->text, ok ? own.why : why.msg);
    jw_import_free(&r);
    return jw_not_interrupted(run->interrupted, err);
}

bool jw_pull_for_prime(struct jw_run *run, const struct jw_scope *scope, bool cold, uint64_t *added,
                       struct jw_err *err)
{
    const struct jw_conf_list *lines = &jw_session_config(run->session)->source;
    const char *own[] = { jw_packs_of_user(run->a), jw_packs_of_system(run->session) };

    if (!scope->stamp || !scope->cache || scope->level < JW_LEVEL_PLACEABLE)
        return true;
    for (size_t i = 0; !cold && i < JW_COUNT(own); i++)
        if (own[i] && jw_is_folder(own[i])
            && !take_one(run, scope, &(struct jw_ref){ .text = own[i], .path = own[i] }, added, err))
            return false;
    for (size_t i = 0; i < lines->n; i++) {
        struct jw_ref ref = { 0 };

        if (parse(run, &lines->v[i], cold, &ref) && !take_one(run, scope, &ref, added, err))
            return false;
    }
    return true;
}
