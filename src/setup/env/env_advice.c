#include "setup/env/env_advice.h"

#include "base/path.h"
#include "base/text.h"
#include "cache/place/cacheplace.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <string.h>

const char *const jw_env_names[JW_ENV_VARIABLES] = { "CUDA_CACHE_MAXSIZE", "CUDA_CACHE_PATH",
                                                     "CUDA_CACHE_DISABLE" };

static const char *const whats[JW_ENV_VARIABLES] = {
    "maximum size of the cache in bytes; a larger module is compiled at every start",
    "folder of the driver's cache",
    "1: the driver caches nothing, and compiles at every start",
};

struct adviser {
    const struct jw_env_facts *f;
    struct jw_arena *a;
};

static const char *decimal_text(struct adviser *k, uint64_t n)
{
    return jw_arena_printf(k->a, "%llu", (unsigned long long)n);
}

/* ---- CUDA_CACHE_MAXSIZE ---- */

/* Half of the free space, as a power of two; the maximum if the disk is unknown. */
static uint64_t disk_allows(const struct jw_env_facts *f)
{
    uint64_t max = jw_cache_limits().max, size = max;

    if (!f->disk_known)
        return max;
    while (size > jw_cache_limits().before && size > f->dir->usual && size / 2 > (f->disk.free + f->need) / 4)
        size /= 2;
    return size;
}

static void advise_unmeasured(struct adviser *k, struct jw_env_advice *out)
{
    out->value = decimal_text(k, jw_cache_limit_for(k->f->need, jw_cachedir_least(k->f->dir)));
    out->why = "jitwarm has not measured yet what your programs need (run jitwarm prime --dry-run); this is "
               "only a limit, and "
               "takes no space until it is used";
}

static void advise_measured(struct adviser *k, struct jw_env_advice *out)
{
    uint64_t size = jw_cache_limit_for(k->f->need, jw_cachedir_least(k->f->dir));

    if (size) {
        out->value = decimal_text(k, size);
        out->why = jw_arena_printf(
            k->a, "your programs need %s of compiled code; this leaves a quarter more for new code",
            JW_SIZE(k->f->need));
        return;
    }
    out->value = decimal_text(k, jw_cache_limits().max);
    out->why = jw_arena_printf(
        k->a,
        "your programs need %s of compiled code, more than one cache can hold: start the largest one "
        "with its own cache (CUDA_CACHE_PATH)",
        JW_SIZE(k->f->need));
}

/* A limit is set, and it is a valid number. */
static void advise_set_size(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_env_facts *f = k->f;
    uint64_t limit = f->dir->limit, max = jw_cache_limits().max;
    bool fits = limit >= f->need + f->need / 4 || limit >= max;
    bool large = limit >= jw_cache_limits().since || limit >= disk_allows(f);

    if (f->need_known ? !fits || !jw_cache_limit_for(f->need, f->dir->usual) : !large) {
        out->wrong = (f->need_known && limit < f->need) || limit < JW_CACHE_SMALLEST;
        return;
    }
    out->value = NULL;
    if (f->need_known)
        out->why = jw_arena_printf(k->a, "it is enough: your programs need %s", JW_SIZE(f->need));
    else
        out->why = "it is large enough for most programs";
}

/* Without the variable, a driver's known default is in force. */
static void advise_default(struct adviser *k, struct jw_env_advice *out)
{
    const char *usual = JW_SIZE(k->f->dir->usual);

    if (jw_cache_limit_for(k->f->need, k->f->dir->usual) != k->f->dir->usual) {
        out->why = jw_arena_printf(k->a, "%s; the default of this driver is %s", out->why, usual);
        return;
    }
    out->value = NULL;
    out->why = k->f->need_known
                   ? jw_arena_printf(k->a, "the default of this driver is %s, and your programs need %s",
                                     usual, JW_SIZE(k->f->need))
                   : jw_arena_printf(k->a,
                                     "the default of this driver is %s; jitwarm has not measured yet what "
                                     "your programs need (run jitwarm prime --dry-run)",
                                     usual);
}

static void advise_size(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_cachedir *d = k->f->dir;

    *out = (struct jw_env_advice){ 0 };
    if (k->f->ask_size) {
        out->value = decimal_text(k, k->f->ask_size);
        out->why = "set by --max-size";
        if (k->f->need_known && k->f->ask_size < k->f->need)
            out->why = jw_arena_printf(
                k->a, "set by --max-size; your programs need %s, so every start compiles some of it again",
                JW_SIZE(k->f->need));
        return;
    }
    if (k->f->need_known)
        advise_measured(k, out);
    else
        advise_unmeasured(k, out);
    if (d->limit_from.value && d->limit) {
        advise_set_size(k, out);
    } else if (d->limit_from.value) {
        out->wrong = true;
    } else if (d->usual) {
        advise_default(k, out);
    } else {
        out->why = jw_arena_printf(
            k->a, "%s; the default of drivers is 256 MiB to 1 GiB, which is too small for some frameworks",
            out->why);
    }
}

/* ---- CUDA_CACHE_PATH ---- */

static bool in_tmp(const char *path)
{
    static const char *const open_to_all[] = { "/tmp/", "/var/tmp/", "/dev/shm/" };

    for (size_t i = 0; i < JW_COUNT(open_to_all); i++)
        if (jw_text_starts(path, open_to_all[i]))
            return true;
    return false;
}

/* jitwarm does not choose another folder: the user knows which disk is local and stays. */
static void needs_path(struct adviser *k, struct jw_env_advice *out, const char *because)
{
    out->wrong = true;
    out->why = jw_arena_printf(k->a, "%s. Name a folder of yours on a local disk with --path", because);
}

static void advise_place(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_env_facts *f = k->f;
    const char *set = f->dir->folder_from.value;

    *out = (struct jw_env_advice){ 0 };
    if (f->ask_place) {
        out->value = f->ask_place;
        out->why = "set by --path";
    } else if (f->dir->nameless) {
        out->wrong = true;
        out->why = "it is set, but empty: the driver caches nothing, and compiles at every start. Unset it";
    } else if (f->disk_known && f->disk.kind == JW_DISK_KERNEL) {
        needs_path(k, out,
                   jw_arena_printf(k->a, "%.200s is where the kernel shows itself: no file can be made there",
                                   f->dir->folder));
    } else if (!f->dir->folder) {
        needs_path(k, out, "the driver has no folder for its cache (is HOME unset?), and caches nothing");
    } else if (set && !jw_path_absolute(set)) {
        needs_path(k, out,
                   "it is not an absolute path: programs started in different folders use different caches");
    } else if (f->refused) {
        needs_path(
            k, out,
            jw_arena_printf(k->a, "the driver cannot write to %.200s: %s", f->dir->folder, f->refused));
    } else if (f->disk_known && f->disk.kind == JW_DISK_NETWORK) {
        needs_path(k, out,
                   jw_arena_printf(
                       k->a,
                       "%.200s is on a network disk: slow at every start, with locks that other machines "
                       "may not see, "
                       "and shared by machines with other drivers",
                       f->dir->folder));
    } else if (f->writers) {
        out->wrong = true;
        out->why = jw_arena_printf(
            k->a,
            "%s may write to %.200s, and so replace the GPU code that your programs run: run chmod 700 on it",
            f->writers, f->dir->folder);
    } else if (f->roaming && !set) {
        needs_path(k, out,
                   "Windows copies this profile, and the cache in it, over the network at every logon");
    } else if (f->disk_known && f->disk.kind == JW_DISK_MEMORY) {
        out->why = jw_arena_printf(k->a, "%.200s is in memory: the cache is lost when the machine restarts",
                                   f->dir->folder);
        out->wrong = true;
    } else if (f->container && !set && f->disk_known) {
        out->why = jw_arena_printf(
            k->a,
            "the default is fine if a volume is mounted at %.200s; else the cache is lost with the "
            "container",
            f->dir->folder);
    } else if (set && in_tmp(set)) {
        out->why =
            "it is in a temporary folder of all users: make sure that you own it, and that nothing deletes "
            "it";
    } else {
        out->why = set ? "it is on a local disk" : "the default is on a local disk";
    }
}

/* ---- CUDA_CACHE_DISABLE ---- */

static void advise_off(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_cachedir *d = k->f->dir;

    *out = (struct jw_env_advice){ 0 };
    if ((d->disabled && !d->nameless)
        || (d->disabled_from.value && strcmp(d->disabled_from.value, "0") != 0)) {
        out->value = "0";
        out->wrong = true;
        out->why = d->disabled ? "with 1 the driver caches nothing, and compiles at every start"
                               : "it is not the number 1: the driver still uses its cache";
    } else {
        out->why = "the driver caches what it compiles";
    }
}

void jw_env_advise(const struct jw_env_facts *f, struct jw_arena *a,
                   struct jw_env_advice out[JW_ENV_VARIABLES])
{
    struct adviser k = { f, a };

    advise_size(&k, &out[JW_ENV_SIZE]);
    advise_place(&k, &out[JW_ENV_PLACE]);
    advise_off(&k, &out[JW_ENV_OFF]);
}

/* ---- the facts ---- */

/* Programs need the primed modules, or the current entries. */
static void find_need(const struct jw_status_report *r, struct jw_env_facts *f)
{
    uint64_t alive = r->used > r->outdated.bytes ? r->used - r->outdated.bytes : 0;
    uint64_t primed = r->primed.known ? r->primed.need.bytes : 0;

    f->need = primed > alive ? primed : alive;
    f->need_known = primed > 0;
}

/* Why nothing can be written there, or NULL. */
static const char *why_refused(const struct jw_cache_place *p)
{
    if (p->disk_known && p->disk.read_only)
        return "its file system is mounted read-only";
    if (p->exists && !p->folder)
        return "a file has that name";
    if (!p->nearest_folder)
        return "part of the path is a file";
    if (!p->may_write)
        return p->trust.owner ? "another user owns it" : "you have no right to write there";
    return NULL;
}

static bool look_at_cache(struct jw_session *of, struct jw_env_state *s, struct jw_err *err)
{
    const struct jw_cache_variables in_force = { .path = s->variables[JW_ENV_PLACE].value,
                                                 .max_size = s->variables[JW_ENV_SIZE].value,
                                                 .disable = s->variables[JW_ENV_OFF].value };
    struct jw_status_options o = { .variables = &in_force };
    struct jw_env_facts *f = &s->facts;
    struct jw_cache_place place;

    if (!jw_status(of, &o, &s->status, err))
        return false;
    f->dir = &s->status.dir;
    find_need(&s->status, f);
    if (!f->dir->folder || !jw_path_absolute(f->dir->folder))
        return true;
    jw_cache_place(f->dir->folder, of->a, &place);
    f->disk_known = place.disk_known;
    f->disk = place.disk;
    f->refused = place.unasked ? NULL : why_refused(&place);
    f->writers = place.trust.writers;
    return true;
}

bool jw_env_same_home(const struct jw_login_env *login, const char *home)
{
    const struct jw_env_value *theirs = jw_env_set_find(&login->sets, "HOME");

    return jw_os_is_windows() || (home && theirs && strcmp(theirs->value, home) == 0);
}

static bool find_values(struct jw_session *of, const struct jw_env_ask *ask, struct jw_env_state *s,
                        struct jw_err *err)
{
    const struct jw_login_env *login = &s->login; /* not asked */

    if (!ask->no_login && !jw_session_login(of, &login, err))
        return false;
    s->login = *login;
    s->by_login = s->login.known && jw_env_same_home(&s->login, s->home);
    for (size_t i = 0; i < JW_ENV_VARIABLES; i++) {
        struct jw_env_variable *v = &s->variables[i];
        const struct jw_env_value *set = jw_env_set_find(&s->login.sets, jw_env_names[i]);

        *v = (struct jw_env_variable){ .name = jw_env_names[i], .what = whats[i] };
        v->current = jw_env(of->a, v->name);
        v->value = !s->by_login ? v->current : set ? set->value : NULL;
        v->from = s->by_login && set ? set->origin : NULL;
    }
    return true;
}

bool jw_env_state(struct jw_session *of, const struct jw_env_ask *ask, struct jw_env_state *out,
                  struct jw_err *err)
{
    struct jw_env_advice advice[JW_ENV_VARIABLES];
    struct jw_arena *a = of->a;

    *out = (struct jw_env_state){ .n_variables = JW_ENV_VARIABLES, .home = jw_env_home(a) };
    out->facts = (struct jw_env_facts){ .container = jw_session_surroundings(of)->container,
                                        .ask_size = ask->size,
                                        .ask_place = ask->place,
                                        .roaming = jw_session_user(of)->roaming != NULL };
    if (!find_values(of, ask, out, err) || !look_at_cache(of, out, err))
        return false;
    jw_env_advise(&out->facts, a, advice);
    for (size_t i = 0; i < JW_ENV_VARIABLES; i++)
        out->variables[i].advice = advice[i];
    return true;
}

void jw_env_state_free(struct jw_env_state *s)
{
    jw_status_free(&s->status);
}

size_t jw_env_settings(const struct jw_env_state *s, struct jw_env_setting out[JW_ENV_VARIABLES])
{
    const bool asked[JW_ENV_VARIABLES] = { s->facts.ask_size > 0, s->facts.ask_place != NULL, false };
    size_t n = 0;

    for (size_t i = 0; i < JW_ENV_VARIABLES; i++) {
        const struct jw_env_variable *v = &s->variables[i];

        if (v->advice.value)
            out[n++] = (struct jw_env_setting){ v->name, v->advice.value, v->advice.why, asked[i] };
    }
    return n;
}
