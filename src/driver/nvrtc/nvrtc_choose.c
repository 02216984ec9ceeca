#include "driver/nvrtc/nvrtc_choose.h"

#include <stdio.h>
#include <string.h>

static void fit(const struct jw_nvrtc_library *lib, struct jw_target wanted, struct jw_nvrtc_offer *o)
{
    if (!lib->n_archs) {
        o->fit = JW_FIT_UNTOLD;
        o->target = wanted;
    }
    for (size_t i = 0; i < lib->n_archs && o->fit != JW_FIT_EXACTLY; i++) {
        /* Code for one architecture alone has no older one in its place. */
        bool older = !wanted.suffix && lib->archs[i] < wanted.sm && lib->archs[i] > o->target.sm;

        if (lib->archs[i] == wanted.sm) {
            o->fit = JW_FIT_EXACTLY;
            o->target = wanted;
        } else if (older) {
            o->fit = JW_FIT_OLDER;
            o->target.sm = lib->archs[i];
        }
    }
}

struct jw_nvrtc_offer jw_nvrtc_offer(const struct jw_nvrtc_library *lib, struct jw_nvrtc_wish wish)
{
    struct jw_nvrtc_offer o = { .fit = JW_FIT_NONE };

    fit(lib, wish.target, &o);
    o.too_new = wish.driver_cuda && lib->major * 1000 + lib->minor * 10 > wish.driver_cuda;
    return o;
}

bool jw_nvrtc_better(struct jw_nvrtc_offer a, const struct jw_nvrtc_library *la, struct jw_nvrtc_offer b,
                     const struct jw_nvrtc_library *lb)
{
    if (a.too_new != b.too_new)
        return b.too_new;
    if (a.fit != b.fit)
        return a.fit > b.fit;
    if (a.target.sm != b.target.sm)
        return a.target.sm > b.target.sm;
    return la->major != lb->major ? la->major > lb->major : la->minor > lb->minor;
}

/* ---- the tried ones ---- */

struct chooser {
    const struct jw_toolkit_places *places;
    struct jw_nvrtc_wish wish;
    const struct jw_nvrtc_worker_options *options;
    struct jw_arena *a;
    struct jw_nvrtc_choice *out;
    struct jw_err *err;
};

static void outcome(struct chooser *c, struct jw_nvrtc_tried *t, const char *text)
{
    t->outcome = jw_arena_str(c->a, text);
}

static bool knows_too_little(struct chooser *c, struct jw_nvrtc_tried *t, const struct jw_nvrtc_library *lib)
{
    struct jw_target lowest = { lib->archs[0], 0 }, highest = lowest;
    char text[160];

    for (size_t i = 0; i < lib->n_archs; i++) {
        lowest.sm = lib->archs[i] < lowest.sm ? lib->archs[i] : lowest.sm;
        highest.sm = lib->archs[i] > highest.sm ? lib->archs[i] : highest.sm;
    }
    (void)snprintf(text, sizeof text, "compiles for %s to %s, not for %s",
                   jw_target_name("compute_", lowest).text, jw_target_name("compute_", highest).text,
                   jw_target_name("compute_", c->wish.target).text);
    outcome(c, t, text);
    return true;
}

static bool is_too_new(struct chooser *c, struct jw_nvrtc_tried *t)
{
    char text[160];

    (void)snprintf(text, sizeof text, "makes PTX that the driver here, of CUDA %u.%u, does not compile",
                   c->wish.driver_cuda / 1000, c->wish.driver_cuda % 1000 / 10);
    outcome(c, t, text);
    return true;
}

/* Can this one not beat the choice, by what its name says? */
static bool settled(const struct jw_nvrtc_choice *c, const struct jw_toolkit_place *place)
{
    return c->worker && c->offer.fit == JW_FIT_EXACTLY && !c->offer.too_new
           && ((place->major && place->major < jw_nvrtc_worker_library(c->worker)->major)
               || (c->place->builtins && !place->builtins));
}

/* Compares it with the choice so far; the worker of the worse one is stopped. */
static bool weigh(struct chooser *c, const struct jw_toolkit_place *place, struct jw_nvrtc_worker *w,
                  struct jw_nvrtc_tried *t)
{
    const struct jw_nvrtc_library *lib = jw_nvrtc_worker_library(w);
    struct jw_nvrtc_offer offer = jw_nvrtc_offer(lib, c->wish);
    struct jw_nvrtc_choice *best = c->out;

    t->major = lib->major;
    t->minor = lib->minor;

    bool usable = offer.fit != JW_FIT_NONE;
    bool ok = !usable ? knows_too_little(c, t, lib) : !offer.too_new || is_too_new(c, t);

    if (usable
        && (!best->worker
            || jw_nvrtc_better(offer, lib, best->offer, jw_nvrtc_worker_library(best->worker)))) {
        struct jw_nvrtc_worker *worse = best->worker;

        best->worker = w;
        best->place = place;
        best->offer = offer;
        w = worse;
    }
    jw_nvrtc_worker_stop(w);
    return ok;
}

static bool ask(struct chooser *c, const struct jw_toolkit_place *place, struct jw_nvrtc_tried *t)
{
    struct jw_nvrtc_worker_options o = *c->options;
    struct jw_nvrtc_worker *w = NULL;
    struct jw_err why = { 0 };

    o.library = place->path;
    if (jw_nvrtc_worker_start(&w, &o, &why))
        return weigh(c, place, w, t);
    if (why.code == JW_E_DRIVER) {
        outcome(c, t, why.msg);
        return true;
    }
    *c->err = why;
    return false;
}

/* What is left to say of those that could have been used. */
static void close_tried(struct jw_nvrtc_choice *c, const struct jw_toolkit_places *places)
{
    for (size_t i = 0; i < c->n_tried; i++)
        if (c->place == &places->v[i])
            c->tried[i].outcome = "used";
        else if (!c->tried[i].outcome)
            c->tried[i].outcome = c->tried[i].major ? "not needed: another is as good or better"
                                                    : "not asked: a newer one compiles for this GPU";
}

bool jw_nvrtc_choose(const struct jw_toolkit_places *places, struct jw_nvrtc_wish wish,
                     const struct jw_nvrtc_worker_options *o, struct jw_arena *a, struct jw_nvrtc_choice *out,
                     struct jw_err *err)
{
    struct chooser c = { places, wish, o, a, out, err };

    *out = (struct jw_nvrtc_choice){ .tried = jw_arena_alloc(a, (places->n + 1) * sizeof *out->tried),
                                     .n_tried = places->n };
    for (size_t i = 0; i < places->n; i++)
        out->tried[i] = (struct jw_nvrtc_tried){ .path = places->v[i].path, .how = places->v[i].how };
    for (size_t i = 0; i < places->n; i++)
        if (!settled(out, &places->v[i]) && !ask(&c, &places->v[i], &out->tried[i])) {
            jw_nvrtc_worker_stop(out->worker);
            out->worker = NULL;
            return false;
        }
    close_tried(out, places);
    return true;
}
