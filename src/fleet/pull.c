#include "fleet/pull.h"

#include "base/path.h"
#include "base/text.h"
#include "fleet/push.h"
#include "machine/listing.h"
#include "memory/state_folder.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

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
        out->size = layer->size;
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
        tag = jw_fleet_tag(ref, jw_os_name(), jw_os_arch(), scope->stamp, scope->sms.v[i], p->run->a, err);
        if (!tag || !jw_remote_manifest(p->from, tag, &p->packs, err))
            return false;
    }
    *n = p->packs.n;
    return *n
           || jw_run_end(p->run, JW_END_UNFIT, "%s has nothing under the key of this machine, %s", ref->text,
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
