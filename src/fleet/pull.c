#include "fleet/pull.h"

#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "memory/state_folder.h"
#include "os/files/scratch.h"
#include "pack/format/pack_name.h"

#include <stdlib.h>
#include <string.h>

struct pull {
    const struct jw_remote_options *net;
    const struct jw_import_options *import;
    struct jw_run *run;
    struct jw_import_report *out;
    struct jw_remote *from;       /* NULL: it was not asked yet */
    struct jw_cache_lookup cache; /* of this machine */
    char *folder;                 /* of the download */
    struct jw_oci_manifest packs;
    size_t next; /* of them */
};

/* Is all of it here, by the names that its pusher wrote? Wrong ones cost a download, or leave a
 * module cold: never more. */
static bool is_here(const struct pull *p, const struct jw_oci_layer *layer)
{
    char name[17] = "";
    const char *at = layer->names ? layer->names : "";

    for (; *at; at += 16) {
        (void)snprintf(name, sizeof name, "%.16s", at);
        if (jw_interrupted(p->run->interrupted) || strspn(name, "0123456789abcdef") != 16
            || jw_import_needs(p->import, &p->out->look, &p->cache, strtoull(name, NULL, 16)))
            return false;
    }
    return name[0];
}

static bool list_packs(struct pull *p, struct jw_err *err)
{
    const struct jw_scope *scope = &p->out->look.facts.scope;
    const struct jw_ref *ref = p->net->ref;
    const char *tag = NULL;

    if (!scope->stamp || !scope->sms.n)
        return jw_run_end(
            p->run, JW_END_NO_GPU,
            "the driver's build or the GPUs of this machine are not known: run jitwarm doctor");
    if (!jw_state_scratch(p->run->a, &p->folder, err)
        || !jw_cache_lookup_open(scope->cache, p->run->a, &p->cache, err)
        || !jw_remote_open(p->net, p->run, &p->from, err))
        return false;
    for (size_t i = scope->sms.n; i--;) {
        const struct jw_pack_kind kind = jw_pack_kind(NULL, scope->stamp, scope->sms.v[i]);

        tag = jw_ref_tag_of(ref, jw_os_name(), jw_os_arch(), kind.text, p->run->a, err);
        if (!tag || !jw_remote_manifest(p->from, tag, &p->packs, err))
            return false;
    }
    if (!p->packs.n)
        p->out->unfit =
            jw_arena_printf(p->run->a, "%s has nothing for this kind (%s)", ref->text, tag);
    return true;
}

/* Downloads the next one that is not in the cache. */
static bool bring(void *ctx, const char **file, struct jw_err *err)
{
    struct pull *p = ctx;

    *file = NULL;
    if (!p->from && !list_packs(p, err))
        return false;
    while (p->next < p->packs.n && !*file) {
        const struct jw_oci_layer *layer = &p->packs.layers[p->next++];

        if (is_here(p, layer))
            continue;
        *file = jw_path_join(p->run->a, p->folder,
                             jw_ref_is_tag(layer->title) ? layer->title
                                                         : layer->digest + strlen("sha256:"));
        if (!jw_remote_get(p->from, layer, *file, err))
            return false;
        p->out->fetched_bytes += layer->size;
    }
    return true;
}

bool jw_pull(struct jw_run *run, const struct jw_remote_options *net,
             struct jw_import_options import, struct jw_import_report *out, struct jw_err *err)
{
    struct pull p = { .net = net, .import = &import, .run = run, .out = out };

    import.from = NULL;
    import.bring = bring;
    import.ctx = &p;
    bool ok = jw_import(run, &import, out, err);

    jw_remote_close(p.from);
    jw_cache_lookup_close(&p.cache);
    jw_scratch_remove(p.folder);
    return ok;
}

/* ---- what prime takes by itself ---- */

enum { ANSWER_MS = 5000 /* of sources */ };

/* Is it for this turn? Folders are taken first, and a line that means nothing is a note of the
 * second. */
static bool parse(struct jw_run *run, const struct jw_conf_item *line, bool registries,
                  struct jw_ref *ref)
{
    struct jw_err why = { 0 };
    bool ok =
        line->doubt
            ? jw_fail(&why, JW_E_USAGE, "%s: line ignored: %s", line->origin, line->doubt)
            : jw_ref_parse(line->value, run->a, ref, &why) || jw_wrap(&why, "%s", line->origin);

    if (ok && ref->path && !(jw_path_absolute(ref->path) && jw_is_folder(ref->path)))
        ok = jw_fail(&why, JW_E_USAGE, "source %s %s", ref->text,
                     jw_path_absolute(ref->path) ? jw_why_no_folder(ref->path)
                                                 : "is no absolute path");
    if (!ok && registries)
        JW_NOTE(run, "%s", why.msg);
    return ok && registries == !ref->path;
}

/* The registries share the time that silent ones may cost. */
static bool take_one(struct jw_run *run, struct jw_import_options import, const struct jw_ref *ref,
                     uint64_t *added, struct jw_err *err)
{
    const struct jw_config *config = jw_session_config(run->session);
    struct jw_remote_options net = { .ref = ref,
                                     .source_ms = ANSWER_MS / (unsigned)(config->source.n + 1) };
    struct jw_run own = *run;
    struct jw_import_report r = { 0 };
    struct jw_err why = { 0 };

    import.from = ref->path;
    jw_remote_configure(&net, config, run->a, &own.notes);
    bool ok =
        ref->path ? jw_import(&own, &import, &r, &why) : jw_pull(&own, &net, import, &r, &why);

    run->notes = own.notes;
    *added += r.added;
    if (r.added)
        JW_NOTE(run, "%s imported from %s", JW_N(r.added, "entry was", "entries were"), ref->text);
    if (!ok || (own.why && own.end != JW_END_UNFIT))
        JW_NOTE(run, "source %s: %s", ref->text, ok ? own.why : why.msg);
    jw_import_free(&r);
    return jw_not_interrupted(run->interrupted, err);
}

bool jw_pull_for_prime(struct jw_run *run, const struct jw_look *look, struct jw_hold *hold,
                       bool registries, uint64_t *added, struct jw_err *err)
{
    const struct jw_conf_list *lines = &jw_session_config(run->session)->source;
    const char *own[] = { jw_packs_of_user(run->a),
                          jw_packs_of_system(jw_session_sysroot(run->session), run->a) };
    uint64_t *wanted = jw_arena_alloc(run->a, (look->n_jobs + 1) * sizeof *wanted);
    struct jw_import_options import = { .wanted = wanted, .hold = hold };

    if (look->facts.scope.level < JW_LEVEL_PLACEABLE)
        return true;
    for (const struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++)
        if (!jw_job_is_warm(j))
            wanted[import.n_wanted++] = j->name;
    jw_sort_u64(wanted, import.n_wanted, sizeof *wanted);
    for (size_t i = 0; !registries && i < JW_COUNT(own); i++)
        if (own[i] && jw_is_folder(own[i])
            && !take_one(run, import, &(struct jw_ref){ .text = own[i], .path = own[i] }, added,
                         err))
            return false;
    for (size_t i = 0; i < lines->n; i++) {
        struct jw_ref ref = { 0 };

        if (parse(run, &lines->v[i], registries, &ref) && !take_one(run, import, &ref, added, err))
            return false;
    }
    return true;
}
