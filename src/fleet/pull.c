#include "fleet/pull.h"

#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "facts/compile_time.h"
#include "memory/state_folder.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "pack/format/pack_name.h"

#include <stdlib.h>
#include <string.h>

struct pull {
    struct jw_import *im;
    const struct jw_remote_options *net;
    const struct jw_import_filter *filter;
    struct jw_remote *from;
    struct jw_cache_lookup cache; /* of this machine */
    char *folder;                 /* of the download */
    struct jw_oci_manifest packs; /* for this kind of machine */
};

/* Is there nothing in it to take, by the names that its pusher wrote? Wrong ones cost a download,
 * or leave a module cold: never more. */
static bool is_of_no_use(const struct pull *p, const struct jw_oci_layer *layer)
{
    const struct jw_stamp_text here = jw_stamp_text(p->im->look->scope.stamp);
    bool other_build = layer->build && strcmp(layer->build, here.text) != 0;
    char digits[JW_OCI_DIGITS + 1] = "";
    const char *at = layer->names ? layer->names : "";

    if (p->filter->only_wanted && p->filter->other_builds != other_build)
        return true;
    for (; *at; at += JW_OCI_DIGITS) {
        (void)snprintf(digits, sizeof digits, "%.*s", JW_OCI_DIGITS, at);
        if (jw_interrupted(p->im->run->interrupted)
            || strspn(digits, "0123456789abcdef") != JW_OCI_DIGITS)
            return false;
        uint64_t key_size = strtoull(digits + 16, NULL, 16);

        digits[16] = 0;
        if (jw_import_needs(p->im, p->filter, &p->cache, strtoull(digits, NULL, 16), key_size))
            return false;
    }
    return digits[0];
}

static bool list_packs(struct pull *p, struct jw_err *err)
{
    const struct jw_scope *scope = &p->im->look->scope;
    const struct jw_ref *ref = p->net->ref;
    struct jw_arena *a = p->im->run->a;
    const char *tag = NULL;

    for (size_t i = scope->sms.n; i--;) {
        const struct jw_pack_kind kind = jw_pack_kind(scope->code, scope->stamp, scope->sms.v[i]);

        tag = jw_ref_tag_of(ref, jw_os_name(), jw_os_arch(), kind.text, a, err);
        if (!tag || !jw_remote_manifest(p->from, tag, &p->packs, err))
            return false;
    }
    if (!p->packs.n)
        p->im->unfit = jw_arena_printf(a, "%s has nothing for this kind (%s)", ref->text, tag);
    return true;
}

/* The name of its pack, if it is one that a file can have. */
static const char *name_of(const struct jw_oci_layer *layer)
{
    return jw_ref_is_tag(layer->title) ? layer->title : layer->digest + strlen("sha256:");
}

/* Each file is deleted before the next one comes, and others may change the cache in between. */
static bool take_layer(struct pull *p, const struct jw_oci_layer *layer, struct jw_err *err)
{
    struct jw_import *im = p->im;
    const char *file = jw_path_join(im->run->a, p->folder, name_of(layer));
    size_t tried = im->n_packs;

    if (!jw_remote_get(p->from, layer, file, err))
        return false;
    im->fetched_bytes += layer->size;
    bool ok = jw_import_take(im, file, p->filter, err);

    if (im->n_packs > tried)
        im->packs[tried].path = name_of(layer);
    jw_import_pause(im);
    (void)!jw_file_remove(file, JW_IGNORED);
    return ok;
}

static bool take_layers(struct pull *p, struct jw_err *err)
{
    for (size_t i = 0; i < p->packs.n; i++) {
        if (p->im->run->ended)
            return true;
        if (!is_of_no_use(p, &p->packs.layers[i]) && !take_layer(p, &p->packs.layers[i], err))
            return false;
    }
    return true;
}

bool jw_pull(struct jw_import *im, const struct jw_remote_options *net,
             const struct jw_import_filter *filter, struct jw_err *err)
{
    struct pull p = {.im = im, .net = net, .filter = filter};
    const struct jw_scope *scope = &im->look->scope;
    struct jw_run *run = im->run;

    if (!scope->stamp || !scope->sms.n)
        return jw_run_end(
            run, JW_END_NO_GPU,
            "the driver's build or the GPUs of this machine are not known: run jitwarm doctor");
    bool ok = jw_state_scratch(run->a, &p.folder, err)
              && jw_cache_lookup_open(scope->cache, run->a, &p.cache, err)
              && jw_remote_open(net, run, &p.from, err) && list_packs(&p, err)
              && take_layers(&p, err);

    jw_remote_close(p.from);
    jw_cache_lookup_close(&p.cache);
    jw_scratch_remove(p.folder);
    return ok;
}

/* ---- what prime takes by itself ---- */

enum {
    ANSWER_MS = 5000, /* for which registries may be silent, all of them together */
    MOST_MS = 3600 * 1000
};

/* Parses a `source` line. Called twice for each of them, first for folders, then for registries;
 * an invalid line is a note of the second time. */
static bool parse(struct jw_run *run, const struct jw_conf_item *line, bool registries,
                  struct jw_ref *ref)
{
    struct jw_err why = {0};
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

struct sources {
    struct jw_import im;
    struct jw_import_filter filter; /* what prime lacks */
    uint64_t until;                 /* then registries end: to compile would have been as quick */
    struct jw_ref *v;
    size_t n;
};

static void add_source(struct sources *s, struct jw_run *run, struct jw_ref ref)
{
    struct jw_ref *to = jw_list_add(run->a, &s->v, &s->n, sizeof *to, SIZE_MAX, JW_IGNORED);

    if (to)
        *to = ref;
}

/* Folders: first the packs/ of the user and of the system, then those of `source` lines. */
static void list_sources(struct sources *s, struct jw_run *run, bool registries)
{
    const struct jw_conf_list *lines = &jw_session_config(run->session)->source;
    const char *own[] = {jw_packs_of_user(run->a),
                         jw_packs_of_system(jw_session_sysroot(run->session), run->a)};

    for (size_t i = 0; i < JW_COUNT(own) && !registries; i++)
        if (own[i] && jw_is_folder(own[i]))
            add_source(s, run, (struct jw_ref){.text = own[i], .path = own[i]});
    for (size_t i = 0; i < lines->n; i++) {
        struct jw_ref ref = {0};

        if (parse(run, &lines->v[i], registries, &ref))
            add_source(s, run, ref);
    }
}

/* Entries that the look lacks; and until when others may bring them, which is as long as this
 * machine would compile them on all its processors. What is carried over needs no pack of another
 * build. */
static void list_wanted(struct sources *s, const struct jw_prime *p, bool other_builds)
{
    const struct jw_look *look = p->look;
    unsigned branch = jw_branch_of(look->scope.version);
    double seconds = 0;
    struct jw_import_wanted *wanted =
        jw_arena_alloc(p->run->a, (look->n_jobs + 1) * sizeof *wanted);
    uint64_t *sizes = jw_arena_alloc(p->run->a, (look->n_jobs + 1) * sizeof *sizes);
    size_t n = 0;

    for (const struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++) {
        if (jw_job_is_warm(j) || (other_builds && j->old))
            continue;
        sizes[n] = j->key_size;
        wanted[n++] = (struct jw_import_wanted){.name = j->name};
        seconds += jw_compile_seconds(branch, j->ptx_bytes, j->kernels);
    }
    jw_sort_u64(wanted, n, sizeof *wanted);
    jw_sort_u64(sizes, n, sizeof *sizes);
    s->filter = (struct jw_import_filter){.only_wanted = true,
                                          .other_builds = other_builds,
                                          .wanted = wanted,
                                          .key_sizes = sizes,
                                          .n_wanted = n};
    seconds *= look->slowness > 0 ? look->slowness : 1;
    uint64_t ms = (uint64_t)(1000 * seconds) / jw_cpu_count();

    s->until = jw_time_after_ms((unsigned)jw_max(ANSWER_MS, jw_min(ms, MOST_MS)));
}

/* The registries share the time that silent ones may cost. A source that fails is a note; that it
 * has nothing for this machine is usual, and none. */
static bool take_source(struct sources *s, const struct jw_ref *ref)
{
    struct jw_run *run = s->im.run;
    const struct jw_config *config = jw_session_config(run->session);
    struct jw_remote_options net = {
        .ref = ref, .answer_ms = ANSWER_MS / (unsigned)(config->source.n + 1), .until = s->until};
    size_t before = s->im.n_added;
    struct jw_err why = {0};

    jw_remote_configure(&net, config, run->a, &run->notes);
    bool ok = ref->path ? jw_import_folder(&s->im, ref->path, &s->filter, &why)
                        : jw_pull(&s->im, &net, &s->filter, &why);

    if (s->im.n_added > before)
        JW_NOTE(run, "%s imported from %s",
                JW_N(s->im.n_added - before, "entry was", "entries were"), ref->text);
    if (!ok)
        JW_NOTE(run, "source %s: %s", ref->text, why.msg);
    return ok;
}

/* Packs of this build first: what others made has to be compared. */
static bool take_sources(struct sources *s, struct jw_prime *p, bool other_builds,
                         struct jw_err *err)
{
    size_t before = s->im.n_added;
    size_t kept = 0;

    if (!jw_prime_takes_packs(p))
        return true;
    list_wanted(s, p, other_builds);
    if (!s->filter.n_wanted)
        return true;
    for (size_t i = 0; i < s->n && !jw_interrupted(p->run->interrupted); i++)
        if (take_source(s, &s->v[i]))
            s->v[kept++] = s->v[i];
    s->n = kept; /* one that failed is not asked again */
    return jw_prime_added(p, s->im.n_added - before, err);
}

static bool pull_from(struct jw_prime *p, bool registries, struct jw_err *err)
{
    const struct jw_import_terms terms = {0};
    struct sources s = {0};
    struct jw_err why = {0};

    if (!jw_prime_takes_packs(p))
        return true;
    list_sources(&s, p->run, registries);
    if (!s.n)
        return true;
    if (!jw_import_begin(&s.im, p->run, p->look, &p->hold, &terms, &why)) {
        JW_NOTE(p->run, "no pack is taken: %s", why.msg);
        return true;
    }
    bool ok = take_sources(&s, p, false, err) && take_sources(&s, p, true, err);

    for (const struct jw_import_pack *pack = s.im.packs; pack < s.im.packs + s.im.n_packs; pack++)
        if (pack->why)
            JW_NOTE(p->run, "not imported: %s: %s", pack->path, pack->why);
    jw_import_end(&s.im);
    return ok;
}

bool jw_pull_for_prime(struct jw_prime *p, struct jw_err *err)
{
    return pull_from(p, false, err) && pull_from(p, true, err);
}
