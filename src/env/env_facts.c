#include "env/env_facts.h"

#include "base/path.h"
#include "cache/place/cacheplace.h"
#include "driver/worker/identity.h"
#include "env/files/env_write.h"
#include "machine/whoami.h"
#include "os/machine/env.h"

#include <string.h>

/* What programs need: the primed modules, or the current entries. */
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

static bool look_at_cache(const struct jw_env_ask *ask, struct jw_arena *a, struct jw_env_state *out,
                          struct jw_err *err)
{
    struct jw_status_options o = { .look = true, .interrupted = ask->interrupted };
    struct jw_env_facts *f = &out->facts;
    struct jw_cache_place place;

    if (!jw_status(&o, a, &out->status, err))
        return false;
    f->dir = &out->status.dir;
    find_need(&out->status, f);
    if (!f->dir->root || !jw_path_absolute(f->dir->root))
        return true;
    jw_cache_place(f->dir->root, a, &place);
    f->disk_known = place.disk_known;
    f->disk = place.disk;
    f->refused = place.unasked ? NULL : why_refused(&place);
    f->writers = place.trust.writers;
    return true;
}

static void find_local(struct jw_arena *a, struct jw_env_facts *f)
{
    struct jw_whoami who;
    const char *base;

    jw_whoami("", a, &who);
    f->roaming = who.roaming != NULL;
    if (!f->windows) {
        jw_env_local_folder(who.user, a, &f->local);
        return;
    }
    base = jw_env_state_user(a);
    f->local = base ? jw_path_join(a, base, "jitwarm/ComputeCache") : NULL;
}

static bool switched_off_elsewhere(const struct jw_env_look *l)
{
    const struct jw_env_var *v = jw_env_var_of(l, "CUDA_CACHE_DISABLE");

    if (!v || (v->here && strcmp(v->here, "0") == 0))
        return false;
    if (v->login && strcmp(v->login, "0") != 0)
        return true;
    for (size_t i = 0; i < v->n_sources; i++)
        if (v->sources[i].exact && v->sources[i].value && strcmp(v->sources[i].value, "1") == 0)
            return true;
    return false;
}

/* A new login in this home has another value. */
static bool here_only(const struct jw_env_state *s, const char *name)
{
    const struct jw_env_var *v = jw_env_var_of(&s->look, name);
    const struct jw_env_value *home = jw_env_set_find(&s->look.login.sets, "HOME");
    bool same_home = s->facts.windows || (home && s->home && strcmp(home->value, s->home) == 0);

    return v && v->here && s->look.login.known && same_home && (!v->login || strcmp(v->login, v->here) != 0);
}

bool jw_env_state(const struct jw_env_ask *ask, struct jw_arena *a, struct jw_env_state *out,
                  struct jw_err *err)
{
    struct jw_env_look_options o = { .sysroot = "", .home = jw_env_home(a), .no_login = ask->no_login };

    *out = (struct jw_env_state){ .home = o.home };
    if (!jw_env_look(&o, a, &out->look, err) || !look_at_cache(ask, a, out, err))
        return false;
    out->facts.windows = jw_os_is_windows();
    out->facts.container = jw_surroundings_here(a).container;
    out->facts.size_here_only = here_only(out, "CUDA_CACHE_MAXSIZE");
    out->facts.place_here_only = here_only(out, "CUDA_CACHE_PATH");
    find_local(a, &out->facts);
    out->facts.off_elsewhere = switched_off_elsewhere(&out->look);
    out->facts.ask_size = ask->size;
    out->facts.ask_place = ask->place;
    jw_env_advise(&out->facts, a, out->advice);
    for (size_t i = 0; i < out->look.n; i++)
        for (size_t k = 0; k < JW_ENV_ADVICES; k++)
            if (strcmp(out->look.v[i].name, out->advice[k].name) == 0)
                out->look.v[i].advice = &out->advice[k];
    return true;
}

void jw_env_state_free(struct jw_env_state *s)
{
    jw_status_free(&s->status);
}

size_t jw_env_settings(const struct jw_env_state *s, struct jw_env_setting out[JW_ENV_ADVICES])
{
    size_t n = 0;

    for (size_t i = 0; i < JW_ENV_ADVICES; i++)
        if (s->advice[i].value)
            out[n++] = (struct jw_env_setting){ s->advice[i].name, s->advice[i].value, s->advice[i].why };
    return n;
}
