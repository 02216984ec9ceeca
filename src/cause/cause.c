#include "cause/rows.h"

#include "base/command.h"
#include "base/num.h"
#include "base/path.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/errors.h"
#include "machine/gpu_text.h"

/* ---- conditions of several rows ---- */

/* Is something not known to be in the cache? */
static bool lacks_some(const struct jw_facts *f)
{
    return jw_answer_cold(&f->answer) || f->answer.unknown || f->found.roots_damaged;
}

/* Is the limit below what some real modules need, whatever this look found? */
static bool is_limit_small(const struct jw_facts *f)
{
    return f->cache.max_size && f->scope.limit < JW_CACHE_SMALLEST;
}

/* Is there a setting here that makes each start compile? */
static bool is_set_here(const struct jw_facts *f)
{
    return f->cache.disable || f->forced || is_limit_small(f);
}

/* ---- the driver and its GPUs ---- */

static bool fails_with(const struct jw_facts *f, int error)
{
    return f->driver.is == JW_DRIVER_FAILS && f->driver.error == error;
}

static bool lacks_library(const struct jw_facts *f)
{
    if (f->driver.is == JW_DRIVER_ABSENT || f->driver.is == JW_DRIVER_UNLOADABLE)
        return true;
    return fails_with(f, JW_CUDA_STUB_LIBRARY) || fails_with(f, JW_CUDA_COMPAT_NOT_SUPPORTED)
           || fails_with(f, JW_CUDA_DRIVER_MISMATCH);
}

/* What is on the bus: " is there", and who drives it. */
static const char *on_bus(const struct jw_facts *f, struct jw_arena *a)
{
    if (f->host.n)
        return jw_arena_printf(a, "%s is there%s", f->gpu,
                               f->host.nouveau ? ", driven by nouveau" : "");
    return f->container.inside ? "no NVIDIA GPU on the bus either: the host may have none"
                               : "no NVIDIA GPU on the bus either";
}

static const char *absent_library(const struct jw_facts *f, struct jw_arena *a)
{
    const char *library = f->windows ? "nvcuda.dll" : "libcuda.so.1";
    const char *says = f->driver.says;

    if (f->scope.library)
        return jw_arena_printf(a, "it is %s, where the loader does not look", f->scope.library);
    if (f->driver.named)
        return says ? says : "JITWARM_DRIVER names no library that is there";
    if (says)
        return jw_arena_printf(a, "no %s; %s; %s", library, on_bus(f, a), says);
    return jw_arena_printf(a, "no %s; %s", library, on_bus(f, a));
}

static const char *unloadable(const struct jw_facts *f, struct jw_arena *a)
{
    if (!f->driver.says)
        return f->scope.library;
    if (!f->driver.hiding_folder)
        return f->driver.says;
    return jw_arena_printf(a, "LD_LIBRARY_PATH leads to %s: %s", f->driver.hiding_folder,
                           f->driver.says);
}

static const char *bad_library(const struct jw_facts *f, struct jw_arena *a)
{
    const char *library = f->scope.library ? f->scope.library : "the library";

    if (f->driver.is == JW_DRIVER_ABSENT)
        return absent_library(f, a);
    if (f->driver.is == JW_DRIVER_UNLOADABLE)
        return unloadable(f, a);
    if (f->driver.error == JW_CUDA_STUB_LIBRARY)
        return jw_arena_printf(a, "%s, the CUDA toolkit's stub", library);
    if (f->driver.error == JW_CUDA_COMPAT_NOT_SUPPORTED)
        return jw_arena_printf(a, "%s, of cuda-compat, which this GPU does not support", library);
    return jw_arena_printf(a, "%s is %s, the kernel's module %s", library,
                           f->scope.version ? f->scope.version : "another version",
                           f->host.driver ? f->host.driver : "unknown");
}

/* Of the library, else of the kernel's module. */
static const char *driver_version(const struct jw_facts *f)
{
    return f->scope.version ? f->scope.version : f->host.driver;
}

struct cause_misfit cause_misfit(const struct jw_facts *f)
{
    struct cause_misfit m = {NULL};

    if (f->driver.n_gpus || !f->host.gpus)
        return m;
    for (size_t i = 0; i < f->host.n; i++) {
        const struct jw_gpu *g = &f->host.gpus[i];
        const struct jw_arch_fact *arch = jw_arch_find(g->sm);
        enum jw_driver_fit fit = jw_driver_support(jw_branch_of(driver_version(f)), g->sm);

        if (fit == JW_DRIVER_FITS)
            return (struct cause_misfit){NULL};
        m.gpu = g->name;
        m.old = fit == JW_DRIVER_TOO_OLD;
        m.branch = m.old ? arch->first_branch : arch->last_branch;
    }
    return m;
}

static const char *unfit(const struct jw_facts *f, struct jw_arena *a)
{
    struct cause_misfit m = cause_misfit(f);

    return jw_arena_printf(a, "%s has driver %s, and %u %s", m.gpu, driver_version(f), m.branch,
                           m.old ? "or newer is needed" : "is the last");
}

static bool hides_all(const struct jw_facts *f)
{
    return f->visible && jw_gpus_are_hidden(f->visible, f->host.n);
}

bool cause_hides_gpus(const struct jw_facts *f)
{
    return hides_all(f) || (f->visible && !f->host.closed);
}

static bool has_no_gpu(const struct jw_facts *f)
{
    if (hides_all(f) || f->driver.prohibited || fails_with(f, JW_CUDA_NO_DEVICE))
        return true;
    return f->ulimit.which == JW_ULIMIT_FILES
           || (f->driver.is == JW_DRIVER_STARTS && !f->driver.n_gpus);
}

/* Of a GPU on the bus. */
static const char *why_not_driven(const struct jw_facts *f)
{
    if (f->host.nouveau)
        return ", driven by nouveau";
    if (f->host.no_nodes)
        return ", /dev/nvidia* are not";
    if (f->container.inside || f->windows || f->host.driver)
        return "";
    return ", NVIDIA's kernel module is not loaded";
}

static const char *no_gpu(const struct jw_facts *f, struct jw_arena *a)
{
    if (f->ulimit.which == JW_ULIMIT_FILES)
        return jw_arena_printf(a, "ulimit -n is %s: too few open files for a driver",
                               JW_NUM(f->ulimit.is));
    if (f->driver.prohibited)
        return "their compute mode is prohibited";
    if (cause_hides_gpus(f))
        return jw_arena_printf(a, "CUDA_VISIBLE_DEVICES=%s%s", f->visible,
                               f->host.n ? JW_PHRASE("; GPUs here: %zu, from 0 on", f->host.n)
                                         : "");
    if (f->host.closed && f->host.group)
        return jw_arena_printf(a,
                               "only the group %s may open /dev/nvidiactl; a new group counts "
                               "from the next login on",
                               f->host.group);
    if (f->host.closed)
        return "/dev/nvidiactl is root's alone";
    if (!f->host.n)
        return "none is on the bus";
    return jw_arena_printf(a, "%s is there%s", f->gpu, why_not_driven(f));
}

static const char *show_not_here(const struct jw_facts *f, struct jw_arena *a)
{
    return jw_arena_printf(a, "--gpu %s; here: %s%s", f->asked.absent_gpu, f->gpu,
                           f->driver.n_gpus > 1 ? JW_PHRASE(" and %zu more", f->driver.n_gpus - 1)
                                                : "");
}

static const char *show_error(struct jw_arena *a, int code)
{
    const char *name = jw_error_name((unsigned)code);

    return jw_arena_printf(a, "error %d%s%s", code, name ? ", " : "", name ? name : "");
}

static const char *show_driver_error(const struct jw_facts *f, struct jw_arena *a)
{
    if (f->driver.is == JW_DRIVER_DIES)
        return f->driver.says;
    if (!f->driver.lacks)
        return show_error(a, f->driver.error);
    return jw_arena_printf(a, "%s: %s is missing%s", show_error(a, f->driver.error),
                           f->driver.lacks,
                           f->driver.preload ? ", and " JW_PRELOAD_VARIABLE " asks for it" : "");
}

static bool is_tested(const struct jw_facts *f)
{
    return f->driver.is == JW_DRIVER_STARTS && f->driver.n_gpus && !f->driver.probe_failed;
}

static bool lacks_compiler(const struct jw_facts *f)
{
    return f->driver.compiler_missing || f->found.no_compiler
           || f->driver.probe_refused == JW_CUDA_JIT_COMPILER_NOT_FOUND;
}

/* ---- settings ---- */

static const char *show_forced(const struct jw_facts *f, struct jw_arena *a)
{
    if (!f->forbidden)
        return f->forced;
    return jw_arena_printf(a, "%s; with %s each load ends with error 223", f->forced, f->forbidden);
}

static bool differs_at_login(const struct jw_facts *f)
{
    bool lacks_one = f->login.here && !f->cache.on && !f->met.primed_in;

    return f->login.harms || f->login.there || lacks_one;
}

static const char *show_login(const struct jw_facts *f, struct jw_arena *a)
{
    const char *name = jw_driver_variables[f->login.which];
    const char *there = f->login.there ? f->login.there : "unset";

    if (f->login.harms)
        return jw_arena_printf(a, "%s=%s: each start there compiles", name, there);
    if (!f->login.there)
        return jw_arena_printf(a, "no %s", name);
    return jw_arena_printf(a, "%s: %s there, %s here", name, there,
                           f->login.here ? f->login.here : "unset");
}

/* ---- the limit and the disk ---- */

/* Is the cache full because of its limit, and not of the disk? */
static bool is_full(const struct jw_facts *f) { return f->start.full && !jw_facts_lack_disk(f); }

static bool is_below_need(const struct jw_facts *f) { return f->found.needed > f->scope.limit; }

static bool is_limit_low(const struct jw_facts *f)
{
    return f->ulimit.which == JW_ULIMIT_FILE_SIZE || is_limit_small(f) || is_full(f)
           || is_below_need(f);
}

static const char *show_limit(const struct jw_facts *f, struct jw_arena *a)
{
    const char *value = f->cache.max_size;

    if (!value)
        return jw_arena_printf(a, "the driver's %s, %s", f->scope.absent ? "largest" : "default",
                               JW_SIZE(f->scope.limit));
    bool has_unit = value[strspn(value, "+-0123456789 ")];

    return jw_arena_printf(a, "CUDA_CACHE_MAXSIZE=%s: %s%s", value, JW_SIZE(f->scope.limit),
                           has_unit ? ", the driver reads no units" : "");
}

static const char *show_low_limit(const struct jw_facts *f, struct jw_arena *a)
{
    if (f->ulimit.which == JW_ULIMIT_FILE_SIZE)
        return jw_arena_printf(a, "ulimit -f: no file may be larger than %s",
                               JW_SIZE(f->ulimit.is));
    if (is_full(f))
        return jw_arena_printf(a, "%s, and the cache is full", show_limit(f, a));
    if (!is_below_need(f))
        return show_limit(f, a);
    return jw_arena_printf(a, f->found.cold_bytes ? "%s; about %s are needed" : "%s; %s are stored",
                           show_limit(f, a), JW_SIZE(f->found.needed));
}

static const char *show_room(const struct jw_facts *f, struct jw_arena *a)
{
    uint64_t need = jw_max(f->found.cold_bytes, f->state.full ? (uint64_t)JW_PROBE_ROOM : 0);
    const char *more = need ? jw_arena_printf(a, ", %s are needed", JW_SIZE(need)) : "";
    const char *disk = f->cache.mount ? f->cache.mount : f->cache.folder;

    if (!f->cache.free && !f->windows)
        return jw_arena_printf(a, "%s: no space or no inode is free, as df and df -i show", disk);
    return jw_arena_printf(a, "%s: %s free, %s stay free%s", disk, JW_SIZE(f->cache.free),
                           JW_SIZE(f->cache.spare), more);
}

/* ---- the cache ---- */

static const char *unwritable(struct jw_arena *a, const char *at, const char *owner)
{
    return owner ? jw_arena_printf(a, "%s belongs to %s", at, owner)
                 : jw_arena_printf(a, "%s cannot be written by this user", at);
}

/* Of the places whose path is shown before it. */
static const char *how_bad(enum jw_place_is place)
{
    switch (place) {
    case JW_PLACE_RELATIVE: return ", so each working folder has its own";
    case JW_PLACE_NOT_FOLDER: return ", where no folder can be";
    case JW_PLACE_READ_ONLY: return ", on a read-only file system";
    default: return "";
    }
}

/* The driver follows links. */
static const char *no_file(struct jw_arena *a, const char *path)
{
    return jw_arena_printf(a,
                           "%s is no file, or a link, which jitwarm does not follow: what programs "
                           "find there is not known",
                           path);
}

static const char *bad_place(const struct jw_facts *f, struct jw_arena *a)
{
    const char *below = f->cache.at ? f->cache.at : f->cache.folder;
    const char *path = f->cache.path ? f->cache.path : below;

    switch (f->cache.place) {
    case JW_PLACE_GOOD:
        if (f->met.entries.closed)
            return unwritable(a, f->met.entries.closed, f->met.entries.closed_by);
        return no_file(a, f->met.entries.not_file);
    case JW_PLACE_UNSET: return f->windows ? "APPDATA is unset" : "HOME is unset or empty";
    case JW_PLACE_EMPTY: return "CUDA_CACHE_PATH is set, and empty";
    case JW_PLACE_NOT_FILE: return no_file(a, f->cache.at);
    case JW_PLACE_UNWRITABLE:
        return jw_arena_printf(a, "%s%s", unwritable(a, f->cache.at, f->cache.owner),
                               jw_path_below(f->cache.folder, f->cache.at)
                                   ? JW_PHRASE(", above %s", f->cache.folder)
                                   : "");
    default:
        return jw_arena_printf(a, "%s%s%s", f->cache.path ? "CUDA_CACHE_PATH=" : "", path,
                               how_bad(f->cache.place));
    }
}

static bool is_of_root(const struct jw_facts *f)
{
    bool of_caller = f->who.behind && !f->cache.path;

    return f->superuser && (f->cache.owner || of_caller);
}

static const char *show_owner(const struct jw_facts *f, struct jw_arena *a)
{
    return f->cache.owner ? unwritable(a, f->cache.at, f->cache.owner)
                          : jw_arena_printf(a, "%s called sudo; root would fill %s", f->who.behind,
                                            f->cache.folder);
}

/* driver-fact: F83-damaged-index */
static const char *show_damage(const struct jw_facts *f, struct jw_arena *a)
{
    if (f->found.index_damaged && f->found.index_miscounts)
        return "its index has a wrong sum: old entries are deleted too early or too late";
    if (f->found.index_damaged)
        return "its index: the next program that compiles deletes all entries";
    return jw_arena_printf(a, "entries gone or damaged: %s", JW_NUM(f->found.damaged));
}

/* Does the cache vanish with the container, or at a reboot, although it holds something, or may? */
static bool is_short_lived(const struct jw_facts *f)
{
    bool lost = f->cache.on == JW_ON_CONTAINER || f->cache.on == JW_ON_MEMORY;

    return lost && (f->answer.modules || !f->answer.found);
}

/* ---- modules, and what was named ---- */

static bool is_of_other(const struct jw_facts *f)
{
    return f->met.entries.other_driver || f->met.entries.other_sm || f->found.emptied;
}

static const char *filled_for(const struct jw_facts *f, struct jw_arena *a)
{
    if (f->found.emptied)
        return "it is empty, and had entries";
    if (f->met.entries.other_sm)
        return jw_arena_printf(a, "entries here for sm_%u, none for sm_%u", f->met.entries.other_sm,
                               f->answer.sms.v[0]);
    return jw_arena_printf(a, "entries of driver %s, now %s", f->met.entries.other_driver,
                           f->scope.version ? f->scope.version : "one of unknown version");
}

static bool is_lost(const struct jw_facts *f) { return f->found.lost || f->met.lost_code; }

static const char *show_lost(const struct jw_facts *f, struct jw_arena *a)
{
    if (!is_lost(f) || f->answer.unread)
        return NULL;
    return jw_command_shown(a, f->found.lost ? *f->found.lost : f->met.lost_code, f->windows);
}

/* ---- the table ---- */

/* Both orders count, as rows are compared by >=. What explains a good answer explains a bad one,
 * too, and what explains a bad one explains a cold one. Each word of `stops` ends more runs than
 * those before it. */
enum explains { EXPLAINS_NONE, EXPLAINS_COLD, EXPLAINS_BAD, EXPLAINS_GOOD, EXPLAINS_ANY };

struct jw_class {
    enum { STOPS_NONE, STOPS_COLD, STOPS_PRIME, STOPS_ALL } stops;
    enum explains explains;
    enum { NOTED_ALL, NOTED_LOOKS, NOTED_CHANGES } noted;
    enum { STANDS_BELOW, STANDS_FIRST } stands;
};

#define CLASS(name, stops, explains, noted, stands, meaning)                                       \
    static const struct jw_class name = {STOPS_##stops, EXPLAINS_##explains, NOTED_##noted,        \
                                         STANDS_##stands};
#include "cause/classes.def"
#undef CLASS

static struct jw_class class_of_limit(const struct jw_facts *f)
{
    bool small = is_limit_small(f) || f->ulimit.which == JW_ULIMIT_FILE_SIZE;

    if (small && lacks_some(f))
        return NO_MORE;
    if (is_full(f))
        return UNDOES;
    return is_below_need(f) ? UNSAFE : NO_MORE;
}

static struct jw_class class_of_login(const struct jw_facts *f)
{
    if (f->login.harms)
        return UNDOES;
    return f->login.there ? UNKEPT : NOTE;
}

#define BY(function, ...) function(f)
#define CAUSE(name, id, class, end, is, seen, text, meaning, remedy)                               \
    static struct jw_class class_##name(const struct jw_facts *f)                                  \
    {                                                                                              \
        (void)f;                                                                                   \
        return class;                                                                              \
    }                                                                                              \
    static bool is_##name(const struct jw_facts *f) { return is; }                                 \
    static const char *seen_##name(const struct jw_facts *f, struct jw_arena *a)                   \
    {                                                                                              \
        (void)f, (void)a;                                                                          \
        return seen;                                                                               \
    }
#include "cause/causes.def"
#undef CAUSE
#undef BY

const struct jw_cause jw_causes[JW_N_CAUSES] = {
#define CAUSE(name, id, class, end, is, seen, text, meaning, remedy)                               \
    {id, class_##name, JW_END_##end, is_##name, seen_##name, text, meaning, remedy},
#include "cause/causes.def"
#undef CAUSE
};

/* ---- what a run says ---- */

const struct jw_purpose jw_to_look = {0};
const struct jw_purpose jw_to_prime = {.strictness = JW_STRICT, .changes = true};
const struct jw_purpose jw_to_try = {.strictness = JW_STRICT};
const struct jw_purpose jw_to_diagnose = {.diagnoses = true};

/* Where nothing was named and nothing was found, prime has nothing to do. To everybody who asks
 * whether something is compiled, "yes" would be a wrong answer. */
static bool is_well(const struct jw_facts *f, const struct jw_purpose *purpose)
{
    bool no_software = f->met.unnamed && !f->answer.found;

    if (no_software && !purpose->changes)
        return false;
    return jw_answer_is_well(f->answer.is);
}

bool jw_cause_stops(const struct jw_cause *c, const struct jw_facts *f,
                    enum jw_strictness strictness)
{
    bool cold = lacks_some(f) || (f->driver.probe_failed && !f->answer.is);

    if (strictness == JW_LENIENT)
        return c->class(f).stops == STOPS_ALL;
    return c->class(f).stops >= (cold ? STOPS_COLD : STOPS_PRIME);
}

const struct jw_cause *jw_cause_to_stop(const struct jw_facts *f, enum jw_strictness strictness)
{
    for (const struct jw_cause *c = jw_causes; c < jw_causes + JW_N_CAUSES; c++)
        if (jw_cause_stops(c, f, strictness) && c->is(f))
            return c;
    return NULL;
}

/* Is the cause mentioned beside an answer to this purpose? */
static bool is_noted(const struct jw_cause *c, const struct jw_facts *f,
                     const struct jw_purpose *purpose)
{
    switch (c->class(f).noted) {
    case NOTED_LOOKS: return !purpose->changes;
    case NOTED_CHANGES: return f->met.filled || purpose->diagnoses;
    default: return true;
    }
}

/* The first row that holds, is noted, and explains answers of this kind, or of a better one. */
static const struct jw_cause *find_cause(const struct jw_facts *f, const struct jw_purpose *purpose,
                                         enum explains least)
{
    for (const struct jw_cause *c = jw_causes; c < jw_causes + JW_N_CAUSES; c++)
        if (c->class(f).explains >= least && is_noted(c, f, purpose) && c->is(f))
            return c;
    return NULL;
}

const struct jw_cause *jw_cause_of(const struct jw_facts *f, const struct jw_purpose *purpose)
{
    if (is_well(f, purpose))
        return find_cause(f, purpose, EXPLAINS_GOOD);
    if (lacks_some(f) || f->answer.is <= JW_NOTHING)
        return find_cause(f, purpose, EXPLAINS_COLD);
    return find_cause(f, purpose, EXPLAINS_BAD);
}

const struct jw_cause *jw_cause_of_start(const struct jw_facts *f)
{
    return find_cause(f, &jw_to_look, EXPLAINS_COLD);
}

/* How the run ends by its answer. Where a step ended with JW_END_UNFIT or a later row, that end
 * stays; else what prime could not store because there is no room makes it CANNOT_WRITE. */
static enum jw_end end_of(const struct jw_facts *f, const struct jw_summary *v, enum jw_end ended)
{
    bool ran_out = v->purpose.changes && ended < JW_END_UNFIT && f->found.no_room;

    if (v->purpose.diagnoses && v->cause)
        return JW_END_PARTLY;
    if (is_well(f, &v->purpose) && !v->leads)
        return ended;
    return jw_end_worse(ended, ran_out ? JW_END_CANNOT_WRITE : JW_END_PARTLY);
}

static void add_notes(struct jw_summary *v, const struct jw_facts *f)
{
    for (const struct jw_cause *c = jw_causes; c < jw_causes + JW_N_CAUSES; c++)
        if (c != v->cause && c->class(f).stands == STANDS_FIRST && is_noted(c, f, &v->purpose)
            && c->is(f))
            v->notes[v->n_notes++] = c;
}

/* Has the text the first note without -v, too? */
static bool shows_note(const struct jw_summary *v, const struct jw_facts *f, bool well)
{
    if (!v->n_notes)
        return false;
    if (!v->cause)
        return well;
    return v->purpose.diagnoses && v->cause->class(f).noted == NOTED_LOOKS;
}

/* The first line and the exit code agree: what leaves a good answer as it is stands below it. */
static bool stands_first(const struct jw_summary *v, const struct jw_facts *f,
                         const struct jw_cause *stop, bool well)
{
    if (!v->cause || v->cause->class(f).stands != STANDS_FIRST)
        return false;
    if (stop || v->purpose.diagnoses)
        return true;
    return well && v->cause->class(f).explains == EXPLAINS_ANY;
}

struct jw_summary jw_summary_of(const struct jw_facts *f, const struct jw_purpose *purpose,
                                const struct jw_cause *stop, enum jw_end ended)
{
    bool well = is_well(f, purpose);
    struct jw_summary v = {.purpose = *purpose, .cause = stop ? stop : jw_cause_of(f, purpose)};

    v.leads = stands_first(&v, f, stop, well);
    if (f->answer.is || f->met.filled) /* else nothing came of it, and a note is noise */
        add_notes(&v, f);
    v.notes_first = shows_note(&v, f, well);
    v.end = end_of(f, &v, ended);
    return v;
}

struct jw_summary jw_summary_of_start(const struct jw_facts *f)
{
    struct jw_summary v = {.purpose = jw_to_diagnose, .end = JW_END_DONE};

    if (jw_start_compiled_nothing(&f->start) && !f->start.failed)
        return v;
    v.end = JW_END_PARTLY;
    v.cause = jw_cause_of_start(f);
    /* Only what keeps a program from a GPU explains that it loads no driver. */
    if (f->start.state == JW_START_UNUSED && v.cause && v.cause->end != JW_END_NO_GPU)
        v.cause = NULL;
    return v;
}
