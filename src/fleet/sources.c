#include "fleet/sources.h"

#include "base/path.h"
#include "fleet/folder_reply.h"
#include "machine/listing.h"
#include "os/machine/time.h"
#include "pack/keys/keys.h"

#define MS ((uint64_t)1000000)

/* A source that answers gets as long as compiling would take, within these limits. */
enum { MIN_S = 60, MAX_S = 3600 };

struct asking {
    struct jw_session *session;
    const struct jw_sources_options *o;
    struct jw_arena *a;
    const struct jw_conf_item *line;
    struct jw_ref ref;
    struct jw_pack_source *out;
    unsigned answer_ms;
};

/* ---- what came of it ---- */

static void end_source(struct asking *s, enum jw_pack_source_state state, const char *why)
{
    s->out->state = state;
    s->out->why = why ? jw_arena_str(s->a, why) : "";
}

static enum jw_pack_source_state state_of_end(enum jw_end end)
{
    switch (end) {
    case JW_END_DONE:
    case JW_END_NOTHING:
    case JW_END_PARTLY:
    case JW_END_UNFIT: return JW_SOURCE_NOTHING;
    case JW_END_REFUSED: return JW_SOURCE_REFUSED;
    default: return JW_SOURCE_FAILED;
    }
}

/* Entries that came are said even where the rest was refused. */
static void end_by_import(struct asking *s, enum jw_end end, const char *why, const char *key,
                          uint64_t entries, uint64_t bytes)
{
    enum jw_pack_source_state state = state_of_end(end);
    bool bad = state != JW_SOURCE_NOTHING;

    s->out->entries = entries;
    s->out->bytes = bytes;
    s->out->key = entries && key ? key : "";
    s->out->gave = entries ? s->out->asked : 0;
    end_source(s, entries && !bad ? JW_SOURCE_GAVE : state, bad || !entries ? why : NULL);
}

static bool end_by_error(struct asking *s, bool answered, const struct jw_err *why, struct jw_err *err)
{
    if (why->code == JW_E_INTERRUPTED) {
        *err = *why;
        return false;
    }
    end_source(s, why->code == JW_E_NET && !answered ? JW_SOURCE_SILENT : JW_SOURCE_FAILED, why->msg);
    return true;
}

static struct jw_import_options import_options(const struct asking *s)
{
    enum { WAIT_S = 60 };

    return (struct jw_import_options){ .paths = s->o->paths,
                                       .as_root = s->o->as_root,
                                       .wait_s = WAIT_S,
                                       .yes = true,
                                       .no_store = true,
                                       .no_verify = true, /* the prime proves all of it */
                                       .entries_only = true,
                                       .of_source = true };
}

/* ---- a folder with pack files ---- */

static bool is_of_packs(struct asking *s)
{
    return s->ref.kind == JW_REF_FOLDER && jw_is_folder(s->ref.path)
           && !jw_is_file(jw_path_join(s->a, s->ref.path, "index.json"));
}

static bool take_packs(struct asking *s, struct jw_err *err)
{
    const struct jw_import_options o = import_options(s);
    struct jw_run run = jw_session_run(s->session);
    struct jw_import_files files = { NULL, 0 };
    struct jw_import_set set = { .end = JW_END_NOTHING };
    struct jw_err why = { 0 };
    const char *reason = NULL, *key = NULL;
    uint64_t entries = 0, bytes = 0;

    if (!jw_import_list(s->ref.path, s->a, &files, &why)) {
        end_source(s, why.code == JW_E_USAGE ? JW_SOURCE_NOTHING : JW_SOURCE_SILENT, why.msg);
        return true;
    }
    if (!jw_import_all(&run, &o, &files, &set, &why))
        return end_by_error(s, true, &why, err);
    for (size_t i = 0; i < set.n; i++) {
        const struct jw_import_report *r = &set.packs[i];

        if (r->run->end == JW_END_INTERRUPTED)
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        entries += r->counts[JW_IMPORT_IMPORTED];
        bytes += r->bytes[JW_IMPORT_IMPORTED];
        key = r->counts[JW_IMPORT_IMPORTED] ? r->signature.key : key;
        reason = r->run->end == set.end && r->run->why ? r->run->why : reason;
    }
    end_by_import(s, set.end, set.n ? reason : "no pack fits this machine", key, entries, bytes);
    return true;
}

/* ---- a registry, a web server, or a folder that push filled ---- */

static struct jw_remote_options net_of(const struct asking *s)
{
    struct jw_remote_options net = { .deadline_s = s->o->deadline_s, .answer_ms = s->answer_ms };
    struct jw_notes ignored = { 0 };

    jw_remote_configure(&net, &s->ref, jw_session_config(s->session), s->session->a, &ignored);
    return net;
}

static const char *key_of(const struct jw_pull_report *r)
{
    for (size_t k = 0; k < r->n; k++)
        for (size_t i = 0; i < r->kinds[k].n; i++)
            if (r->kinds[k].layers[i].counts[JW_IMPORT_IMPORTED] && r->kinds[k].layers[i].key)
                return r->kinds[k].layers[i].key;
    return NULL;
}

static bool take_remote(struct asking *s, struct jw_err *err)
{
    const struct jw_import_options import = import_options(s);
    struct jw_run run = jw_session_run(s->session);
    const struct jw_pull_options o = { .net = net_of(s),
                                       .ref = &s->ref,
                                       .import = &import,
                                       .run = &run,
                                       .same_login = true /* the prime has asked */ };
    struct jw_pull_report r = { 0 };
    struct jw_err why = { 0 };

    run.progress = s->o->progress;
    run.ctx = s->o->ctx;
    if (!jw_pull(&o, s->a, &r, &why)) {
        end_by_import(s, JW_END_NOTHING, NULL, key_of(&r), r.counts[JW_IMPORT_IMPORTED],
                      r.bytes[JW_IMPORT_IMPORTED]);
        return end_by_error(s, r.answered, &why, err);
    }
    if (r.end == JW_END_INTERRUPTED)
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    end_by_import(s, r.end, jw_pull_fits_none(&r) ? "no pack fits this machine" : r.why, key_of(&r),
                  r.counts[JW_IMPORT_IMPORTED], r.bytes[JW_IMPORT_IMPORTED]);
    return true;
}

/* ---- one source ---- */

/* Without one all that it has would be refused; then it need not be asked. */
static bool has_key(struct asking *s, struct jw_err *why)
{
    const struct jw_keys_options o = { .conf = jw_session_config(s->session) };
    struct jw_trusted_keys keys = { 0 };

    return jw_keys_load(&o, s->a, &keys, why)
           && (keys.n || jw_fail(why, JW_E_TRUST, "no key is trusted here (trust = KEY in jitwarm.conf)"));
}

static bool was_silent(const struct asking *s, const struct jw_pack_sources *known)
{
    const struct jw_pack_source *before = jw_pack_source_find(known, s->out->from);

    return s->o->hurried && before && before->state == JW_SOURCE_SILENT && before->asked <= s->out->asked
           && s->out->asked - before->asked < JW_SOURCES_SILENT_S;
}

/* False: as for jw_sources_take. */
static bool take_source(struct asking *s, const struct jw_pack_sources *known, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (s->line->doubt)
        end_source(s, JW_SOURCE_REFUSED,
                   jw_arena_printf(s->a, "%s: line ignored: %s", s->line->origin, s->line->doubt));
    else if (!jw_ref_parse(s->line->value, s->a, &s->ref, &why) || !has_key(s, &why))
        end_source(s, JW_SOURCE_REFUSED, why.msg);
    else if (was_silent(s, known)) {
        s->out->asked = jw_pack_source_find(known, s->out->from)->asked;
        s->out->postponed = true;
        end_source(s, JW_SOURCE_SILENT, jw_pack_source_find(known, s->out->from)->why);
    } else if (s->ref.kind == JW_REF_FOLDER && !jw_folder_replies(s->ref.path, s->answer_ms))
        end_source(s, JW_SOURCE_SILENT, "its file system did not reply");
    else
        return is_of_packs(s) ? take_packs(s, err) : take_remote(s, err);
    return true;
}

/* The time that is left is divided, so that one that is silent leaves something for the next. */
bool jw_sources_take(struct jw_session *session, const struct jw_sources_options *o,
                     struct jw_pack_sources *out, struct jw_err *err)
{
    const struct jw_conf_list *lines = &jw_session_config(session)->source;
    struct jw_arena *a = session->a;
    uint64_t left = o->answer_ms ? o->answer_ms : JW_SOURCES_ANSWER_MS;
    struct jw_pack_sources known;
    bool ok = true;

    out->v = jw_arena_alloc(a, (lines->n + 1) * sizeof *out->v);
    out->n = 0;
    jw_pack_source_memory_load(a, &known);
    for (size_t i = 0; ok && i < lines->n; i++) {
        struct jw_pack_source *s = &out->v[out->n];
        struct asking asking = { .session = session,
                                 .o = o,
                                 .a = a,
                                 .line = &lines->v[i],
                                 .out = s,
                                 .answer_ms = (unsigned)(left / (lines->n - i)) + 1 };
        uint64_t began = jw_time_monotonic_ns(), took;

        *s = (struct jw_pack_source){
            .from = lines->v[i].value, .asked = jw_time_unix(), .key = "", .why = ""
        };
        if (jw_pack_source_find(out, s->from))
            continue;
        out->n++;
        ok = take_source(&asking, &known, err);
        took = (jw_time_monotonic_ns() - began) / MS;
        if (s->state == JW_SOURCE_SILENT)
            left = took < left ? left - took : 0;
    }
    jw_pack_source_memory_keep(out, a);
    return ok;
}

void jw_sources_known(const struct jw_config *config, struct jw_arena *a, struct jw_pack_sources *out)
{
    struct jw_pack_sources known;

    out->v = jw_arena_alloc(a, (config->source.n + 1) * sizeof *out->v);
    out->n = 0;
    jw_pack_source_memory_load(a, &known);
    for (size_t i = 0; i < config->source.n; i++) {
        const char *from = config->source.v[i].value;
        const struct jw_pack_source *s = jw_pack_source_find(&known, from);

        if (!jw_pack_source_find(out, from))
            out->v[out->n++] = s ? *s : (struct jw_pack_source){ .from = from, .key = "", .why = "" };
    }
}

/* ---- before a prime compiles ---- */

/* Not more than is left. */
static unsigned deadline(const struct jw_prime_report *report, unsigned left_s)
{
    double s = report->seconds < MIN_S ? MIN_S : report->seconds > MAX_S ? MAX_S : report->seconds;

    return left_s && left_s < (unsigned)s ? left_s : (unsigned)s;
}

/* Seconds left of a time limit after this run; at least one. */
static unsigned left_of_limit(const struct jw_prime_options *o, const struct jw_run *run)
{
    uint64_t took = run->milliseconds / 1000;

    return !o->time_limit_s ? 0 : took < o->time_limit_s ? o->time_limit_s - (unsigned)took : 1;
}

static bool take_for(const struct jw_run *run, const struct jw_prime_options *o, bool hurried,
                     const struct jw_prime_report *report, struct jw_pack_sources *took, struct jw_err *err)
{
    struct jw_session *session = run->session;
    const char *given = session->cache;
    const struct jw_sources_options take = {
        .paths = o->paths,
        .as_root = o->as_root,
        .deadline_s = deadline(report, left_of_limit(o, run)),
        .hurried = hurried,
        .progress = run->progress,
        .ctx = run->ctx,
    };

    if (report->own_cache)
        session->cache = jw_arena_str(session->a, report->cache.folder);
    bool ok = jw_sources_take(session, &take, took, err);

    session->cache = given;
    return ok || err->code == JW_E_INTERRUPTED; /* the prime ends by that, with its report */
}

bool jw_prime_with_sources(struct jw_run *run, struct jw_prime_options *o, bool hurried,
                           struct jw_prime_report *report, struct jw_prime_memory **memory,
                           struct jw_pack_sources *took, struct jw_err *err)
{
    *took = (struct jw_pack_sources){ NULL, 0 };
    /* Running a command compiles what it loads. */
    o->ask_first = jw_session_config(run->session)->source.n && !o->run && !o->dry_run && !o->verify_only;
    if (!jw_prime(run, o, report, memory, err))
        return false;
    if (!report->would_compile)
        return true;
    if (!take_for(run, o, hurried, report, took, err))
        return false;

    unsigned left = left_of_limit(o, run);

    jw_prime_free(*memory);
    *memory = NULL;
    o->ask_first = false;
    o->time_limit_s = left;
    return jw_prime(run, o, report, memory, err);
}
