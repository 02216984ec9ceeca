#include "base/text.h"
#include "cache/format/jitcache.h"
#include "doctor/doctor_words.h"

#include <stdio.h>
#include <string.h>

enum { MAX_BUILDS = 16 };

/* A jitwarm command, with --cache where doctor had it. */
static const char *ours(const struct jw_doctor_machine *m, const char *command, struct jw_findings *f)
{
    return jw_cachedir_is_named(&m->cache->dir)
               ? jw_fmt(f, "%s --cache %s", command, doctor_quoted(m, m->cache->dir.folder_from.value, f))
               : command;
}

const char *doctor_list_gone(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return ours(m, "jitwarm prune --gone", f);
}

/* ---- who uses it ---- */

struct build {
    const char *stamp;
    int64_t first, last; /* when its entries were written */
};

static size_t find_builds(const struct jw_cache_listing *l, struct build out[MAX_BUILDS])
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *file = &l->files[i];
        size_t at = 0;

        if (file->damage || file->kind != JW_CACHE_CUDA || !file->stamp[0])
            continue;
        while (at < n && strcmp(out[at].stamp, file->stamp) != 0)
            at++;
        if (at == MAX_BUILDS)
            continue;
        if (at == n)
            out[n++] = (struct build){ file->stamp, file->mtime, file->mtime };
        out[at].first = file->mtime < out[at].first ? file->mtime : out[at].first;
        out[at].last = file->mtime > out[at].last ? file->mtime : out[at].last;
    }
    return n;
}

/* True if both builds wrote in turn; after an update the old one never writes again. Then another machine or a container
 * uses it, or a driver was taken back: no entry is to be deleted. */
static bool written_alternately(const struct build *a, const struct build *b)
{
    return a->last > b->first && b->last > a->first;
}

static void outdated(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;

    if (!r->outdated.entries)
        return;
    CACHE_FINDING(m, f, .id = "cache-builds-outdated", .severity = JW_NOTE,
                  .text = jw_fmt(f, "the cache holds %s (%s) of other drivers than the one that is here",
                                 JW_N(r->outdated.entries, "entry", "entries"), JW_SIZE(r->outdated.bytes)),
                  .evidence = jw_fmt(f, "jitwarm status lists the %s of %s by driver, kind and GPU",
                                     JW_N(r->files.entries, "entry", "entries"), r->dir.folder),
                  .consequence =
                      "this driver cannot use them, but they count against the limit until they are evicted",
                  .fix = "you may leave them; to free the space now (they are saved as a pack first):",
                  .command = ours(m, "jitwarm prune --outdated --yes", f));
}

static void builds(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    struct build v[MAX_BUILDS];
    size_t n = find_builds(&m->cache->list, v);

    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (written_alternately(&v[i], &v[k]))
                return;
    outdated(m, f);
}

/* ---- damage ---- */

static const struct jw_cache_file *first_of(const struct jw_cache_listing *l, bool unread)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].damage && l->files[i].unread == unread)
            return &l->files[i];
    return NULL;
}

static const char *path_of_entry(const struct jw_status_report *r, const struct jw_cache_file *file,
                                 struct jw_findings *f)
{
    return jw_fmt(f, "%s/%s", r->dir.folder, jw_cache_name(file->name).text);
}

static void damaged(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;
    const struct jw_cache_file *file = first_of(&r->list, false);

    if (!file)
        return;

    const char *path = path_of_entry(r, file, f);
    bool back = jw_prime_last_is_brought_back(&m->primed->last);

    CACHE_FINDING(
        m, f, .id = "cache-damaged", .of_status = true, .severity = JW_WARNING,
        .text = jw_fmt(f, "%s damaged",
                       JW_N(r->damaged.entries, "entry of the cache is", "entries of the cache are")),
        .evidence = jw_fmt(f, "%s: %s", path, file->damage),
        .consequence = "a program was killed while writing, or the disk was full; at best the driver "
                       "compiles such an entry again",
        .fix = back ? r->damaged.entries == 1 ? "prime compiles it again:" : "prime compiles them again:"
                    : "remove the damaged entries; the driver compiles them again:",
        .command = back ? doctor_prime(m, f) : ours(m, "jitwarm prune --damaged --yes", f));
}

static void unreadable(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;
    const struct jw_cache_file *file = first_of(&r->list, true);
    const char *why = r->list.refused        ? jw_fmt(f, "%s: %s", r->dir.folder, r->list.refused)
                      : r->list.index_unread ? jw_fmt(f, "%s/index: %s", r->dir.folder, r->list.index_damage)
                      : file                 ? jw_fmt(f, "%s: %s", path_of_entry(r, file, f), file->damage)
                      : r->finds_nothing && m->closed ? r->finds_nothing
                      : r->list.notes.n               ? r->list.notes.v[0]
                                                      : NULL;

    if (!why || (m->place.exists && !m->place.folder)) /* already reported: not a folder */
        return;

    CACHE_FINDING(m, f, .id = "cache-unreadable", .severity = JW_WARNING,
                  .text = "not all of the cache could be read", .evidence = why,
                  .consequence = "your programs cannot read it either, and compile again",
                  .fix = m->closed    ? "it is yours, and closed by its mode; open it for yourself:"
                         : m->windows ? "look at who owns it:"
                                      : doctor_right_owner_fix(m, f),
                  .command = m->closed    ? doctor_open(m, f)
                             : m->windows ? jw_fmt(f, "icacls %s", doctor_quoted(m, r->dir.folder, f))
                                          : doctor_right_owner(m, f));
}

static void index_of(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;

    if (r->list.index_trouble)
        CACHE_FINDING(
            m, f, .id = "cache-index-damaged", .of_status = true,
            .severity = r->list.index_lost ? JW_PROBLEM : JW_WARNING,
            .text =
                r->list.index_found ? "the cache's index is damaged" : "the cache has entries, but no index",
            .evidence = r->list.index_damage ? jw_fmt(f, "%s/index: %s", r->dir.folder, r->list.index_damage)
                                             : jw_fmt(f, "%s/index is missing or empty", r->dir.folder),
            .consequence = r->list.index_trouble == JW_INDEX_HIDES
                               ? "programs find nothing in the cache: the next one that compiles something "
                                 "deletes all else"
                           : r->list.index_lost ? "programs still find what is there, until one compiles "
                                                  "something: that deletes all else in the cache"
                                                : "programs still find what is there, but the driver "
                                                  "miscounts it, and may evict entries too early or too late",
            .fix = r->finds_nothing
                       ? "make the cache writable first; then jitwarm status --repair rebuilds it"
                       : "rebuild it, before a CUDA program starts:",
            .command = r->finds_nothing ? NULL : ours(m, "jitwarm status --repair", f));
    bool back = jw_prime_last_is_brought_back(&m->primed->last);

    if (r->unindexed.entries)
        CACHE_FINDING(m, f, .id = "cache-unindexed", .severity = JW_NOTE,
                      .text = jw_fmt(f, "the cache's index does not know %s (%s)",
                                     JW_N(r->unindexed.entries, "of its files", "of its files"),
                                     JW_SIZE(r->unindexed.bytes)),
                      .evidence = jw_fmt(f, "%s/index has %llu records, the folder %llu files", r->dir.folder,
                                         (unsigned long long)r->recorded.entries,
                                         (unsigned long long)r->files.entries),
                      .consequence = "the driver does not find them, and no limit counts their disk space",
                      .fix = back ? "add the entries that jitwarm warmed to the index:"
                                  : "nothing: no program is slower for it",
                      .command = back ? doctor_prime(m, f) : NULL);
    if (r->list.missing && !back && !m->primed->start
        && !m->primed->last.facts.imported) /* else it is compiled again, which gives it a file */
        CACHE_FINDING(
            m, f, .id = "cache-file-missing", .severity = JW_NOTE,
            .text = jw_fmt(f, "%s of the cache's index (%s) %s no file",
                           JW_N(r->list.missing, "record", "records"), JW_SIZE(r->list.missing_bytes),
                           r->list.missing == 1 ? "has" : "have"),
            .evidence = jw_fmt(f, "%s/index has %llu records, the folder %llu files", r->dir.folder,
                               (unsigned long long)r->recorded.entries, (unsigned long long)r->files.entries),
            .consequence = "a program that needs it compiles it again, and the index counts it "
                           "against the limit until then",
            .fix = "remove what has no file from the index:", .command = ours(m, "jitwarm prune --yes", f));
}

/* ---- what the driver could not compile ---- */

static void refused(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_prime_last *l = &m->primed->last;

    if (l->facts.refused && !l->driver.other)
        JW_FINDING(
            f, .id = "modules-refused", .severity = JW_WARNING, .subject = "software",
            .evidence = l->facts.refusal,
            .text = jw_fmt(f, "this driver cannot compile %s", JW_N(l->facts.refused, "module", "modules")),
            .consequence = "programs that load it fail, and another prime does not help",
            .fix = l->facts.refused > 1 ? DOCTOR_REFUSED_FIX "; all of them:" : DOCTOR_REFUSED_FIX,
            .command = l->facts.refused > 1 ? ours(m, "jitwarm verify", f) : NULL);
}

static void command_is_cold(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_prime_last *l = &m->primed->last;

    if (!m->primed->start || l->primed_cache.path) /* which has a finding of its own */
        return;
    if (!l->commands.again)
        JW_FINDING(f, .id = "command-cold", .of_status = true, .severity = JW_WARNING, .subject = "software",
                   .text = m->primed->not_warm, .consequence = "no prime makes it start faster",
                   .fix = strstr(m->primed->start, "@cuda.jit")
                              ? "give its kernels cache=True, and Numba keeps them; this shows their lines:"
                          : jw_text_starts(m->primed->start, "grep ")
                              ? "take that out of what it starts, if it is not meant; this shows the line:"
                              : "mend the program, and start it once under prime (jitwarm prime --run, and "
                                "its words); this shows what a start does:",
                   .command = m->primed->start);
    else
        JW_FINDING(
            f, .id = "command-cold", .of_status = true, .severity = JW_WARNING, .subject = "software",
            .text = m->primed->not_warm, .consequence = "its next start may compile",
            .fix = l->commands.loads > l->commands.found
                       ? "start it once under prime, so that the driver stores again what it makes itself:"
                       : "start it once under prime, which records what it loads here:",
            .command = m->primed->start);
}

static void moved_away(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_prime_last *l = &m->primed->last;

    if (l->gone || l->commands.gone)
        JW_FINDING(f, .id = "primed-gone", .of_status = true, .severity = JW_WARNING, .subject = "software",
                   .text = l->gone ? l->nothing : l->commands.unsure,
                   .consequence = "whether its next start compiles something is not known",
                   .fix = "if it is elsewhere now, name it: jitwarm prime PATH. If it will not come back, "
                          "this lists it, and asks "
                          "in a terminal whether to forget it (--yes: at once):",
                   .command = doctor_list_gone(m, f));
}

/* ---- another cache ---- */

/* Programs of a fresh login are started with it, too: it is not to be taken out of this shell. */
static bool is_path_of_login(const struct jw_doctor_machine *m)
{
    const struct jw_env_value *here = jw_env_set_find(&m->env, "CUDA_CACHE_PATH"),
                              *login =
                                  m->login.known ? jw_env_set_find(&m->login.sets, "CUDA_CACHE_PATH") : NULL;

    return here && login && jw_text_same(here->value, login->value);
}

/* Lets programs of this shell use it. NULL: it is gone, --cache named this one, each login does, or this one holds
 * what a pack brought. */
static const char *use_other(const struct jw_doctor_machine *m, const struct prime_primed_cache *other,
                             struct jw_findings *f)
{
    return other->there && !jw_cachedir_is_named(&m->cache->dir) && !is_path_of_login(m)
                   && !m->primed->last.compiled
               ? doctor_set_in_shell(m, "CUDA_CACHE_PATH", other->usual ? NULL : other->path, f)
               : NULL;
}

static void primed_elsewhere(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct prime_primed_cache *other = &m->primed->last.primed_cache;
    const char *use = other->path ? use_other(m, other, f) : NULL;
    bool moved = !other->there && !other->named.n && !other->command; /* to where it is looked at now */

    if (other->path)
        CACHE_FINDING(m, f, .id = "cache-not-primed", .of_status = true,
                      .severity = moved ? JW_NOTE : JW_WARNING, .text = other->words,
                      .consequence =
                          moved ? "which of it is warm, jitwarm status does not know before the next prime"
                                : "programs that use this cache compile what was compiled for the other one",
                      .fix = use ? "prime this one, or use the other one in this shell:" : "prime this one",
                      .command = use);
}

/* ---- evicted entries ---- */

static void evicted(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_primed *p = &m->cache->primed;
    bool gone = p->compared && p->gone.entries;

    if (!p->known || (!p->emptied && !gone) || !jw_primed_misses(m->primed)
        || m->primed->start) /* all that is gone is of commands then */
        return;
    CACHE_FINDING(
        m, f, .id = "cache-evicted", .of_status = true, .severity = JW_WARNING,
        .text = p->emptied ? "all that jitwarm warmed is gone: the cache was emptied"
                           : jw_fmt(f, "gone from the cache: %s that jitwarm warmed (%s)",
                                    JW_N(p->gone.entries, "entry", "entries"), JW_SIZE(p->gone.bytes)),
        .evidence = jw_fmt(f, "warmed for this driver: %s, %s in all",
                           JW_N(p->recorded.entries, "entry", "entries"), JW_SIZE(p->recorded.bytes)),
        .consequence = m->probe.cannot_compile
                           ? "programs that need it fail, because the driver cannot compile it"
                           : "programs compile that again at their next start",
        .fix = p->emptied ? "warm it again:"
                          : "the driver evicted them, or someone deleted them. If the cache is too small, "
                            "fix that first, then:",
        .command = doctor_prime(m, f));
}

/* Packs brought entries for software that is not known here, and they are gone. */
static void import_gone(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_prime_last *l = &m->primed->last;
    bool again = l->packs.again != NULL;

    if (l->facts.imported)
        CACHE_FINDING(
            m, f, .id = "import-gone", .of_status = true, .severity = JW_WARNING, .text = l->facts.imported,
            .consequence = "a program that needs it compiles it again at its next start",
            .fix = again ? "where the driver evicted it because the cache is too small, fix that first. Then:"
                         : "if nothing needs it any more, this lists it, and asks in a terminal whether to "
                           "forget it:",
            .command = again ? ours(m, l->packs.again, f) : doctor_list_gone(m, f));
}

/* A run that cannot begin is a finding already. */
static void records(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (m->cache->memory.lost && !m->prime_stops)
        CACHE_FINDING(
            m, f, .id = "records-damaged", .of_status = true, .severity = JW_WARNING,
            .text = m->cache->memory.lost,
            .consequence = "what was warmed here before is not known, nor whether it still is",
            .fix = "look at all software here, and remember it again:", .command = doctor_prime(m, f));
}

void jw_doctor_cache_files(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    index_of(m, f);
    damaged(m, f);
    builds(m, f);
    evicted(m, f);
}

void jw_doctor_cache_content(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (!m->cache || !m->cache->dir.folder)
        return;
    unreadable(m, f);
    jw_doctor_cache_files(m, f);
    primed_elsewhere(m, f);
    records(m, f);
    import_gone(m, f);
    refused(m, f);
    command_is_cold(m, f);
    moved_away(m, f);
}
