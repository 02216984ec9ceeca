/*
 * E6, lazy and eager: after which call does the entry appear, and does it hold all kernels? One fresh process and one
 * empty folder for each way of loading, door and touch.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { N = 211 };

static const char *const modes[] = { "LAZY", "EAGER", NULL };
static const char *const doors[] = { "data", "fatbinary", "library" };

/* In the order of how much they ask for. */
static const struct touch {
    const char *name, *op; /* op NULL: none */
    bool library_only;
} touches[] = {
    { "none", NULL, false },
    { "enumerate", "enumerate", false },
    { "kernel", "kernel lab_first", true },
    { "get", "get lab_first", false },
    { "funcload", "funcload", false },
    { "launch", "launch lab_first 4", false },
};

static bool holds(struct jw_bytes payload, const char *kernel)
{
    char section[64];

    (void)snprintf(section, sizeof section, ".text.%s", kernel);
    return jw_find(payload, (struct jw_bytes){ (const uint8_t *)section, strlen(section) }) < payload.n;
}

/* The first operation after which there was an entry; NULL: none. */
static const char *appeared_at(const struct lab_done *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->ops[i].fresh)
            return d->ops[i].text;
    return NULL;
}

/* `at`: the verb after which there was an entry, "" for none; `e` NULL: there is none that can be read. */
static void check(struct lab *l, const struct lab_step *s, const struct lab_done *done, const char *at,
                  const struct lab_entry *e)
{
    const struct lab_op *mode = lab_op(done, "mode");
    const char *loading = s->loading ? s->loading : "unset", *touch = s->ops[3];
    bool loads = lab_op(done, at) && lab_op(done, at) - done->ops < 3;

    if (e)
        lab_finds_holds(l, "F23-whole-module",
                        holds(e->payload, "lab_first") && holds(e->payload, "lab_second"),
                        "both kernels are in the entry");
    if (!lab_all_zero(done) || strcmp(s->ops[0], "context") != 0)
        return;
    if (strcmp(loading, "EAGER") == 0 && !touch)
        lab_finds_holds(l, "F21-eager-stores", loads,
                        loads ? "stored by the load" : "not stored by the load");
    if (strcmp(loading, "LAZY") == 0 && touch
        && (strncmp(touch, "get", 3) == 0 || strcmp(touch, "enumerate") == 0))
        lab_finds(l, "F22-lazy-touch", loads ? LAB_CONFIRMED : LAB_CONTRADICTED, "stored by: %s",
                  *at ? at : "nothing of load and touch");
    if (!s->loading && mode && mode->code == 0 && l->m.cuda >= 12020 && !touch)
        lab_finds(l, "F24-lazy-default", mode->value == 2 ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "a program of the driver API without a runtime: mode %llu",
                  (unsigned long long)mode->value);
}

static bool tell(struct lab *l, const struct lab_step *s, const char *name, const char *what,
                 const struct lab_done *done, struct jw_err *err)
{
    struct lab_entry e = { 0 };
    size_t n = 0;
    bool readable = lab_entry_read(l, s->cache, &e, &n, err);
    const char *at = appeared_at(done);
    char verb[16] = "";

    lab_say(l, name, what, done->whole);
    jw_json_text(&l->json, "loading", s->loading ? s->loading : "unset");
    lab_say_done(l, done);
    jw_json_number(&l->json, "entries", n);
    if (at)
        (void)snprintf(verb, sizeof verb, "%.*s", (int)strcspn(at, " "), at);
    jw_json_text(&l->json, "appeared_at", at ? verb : NULL);
    if (n && readable) {
        jw_json_bool(&l->json, "has_first_kernel", holds(e.payload, "lab_first"));
        jw_json_bool(&l->json, "has_second_kernel", holds(e.payload, "lab_second"));
    }
    check(l, s, done, verb, n && readable ? &e : NULL);
    lab_say_end(l);
    lab_entry_free(&e);
    return true;
}

static bool one(struct lab *l, const char *mode, const char *door, const struct touch *touch,
                const char *image, struct jw_err *err)
{
    char name[96];
    struct lab_step s = { .loading = mode,
                          .ops = { "context", "mode", lab_op_text(l, door, image), touch->op } };
    struct lab_done done;

    (void)snprintf(name, sizeof name, "%s-%s-%s", mode ? mode : "unset", door, touch->name);
    return lab_cache(l, name, &s.cache, err) && lab_run(l, &s, &done, err)
           && tell(l, &s, name, "a module of two kernels", &done, err);
}

/* A library can be loaded before there is a context. */
static bool without_context(struct lab *l, const char *image, struct jw_err *err)
{
    struct lab_step s = { .ops = { "init", lab_op_text(l, "library", image), "enumerate" } };
    struct lab_done done;

    for (size_t i = 0; i < JW_COUNT(modes); i++) {
        char name[48];

        (void)snprintf(name, sizeof name, "%s-library-no-context", modes[i] ? modes[i] : "unset");
        s.loading = modes[i];
        if (!lab_cache(l, name, &s.cache, err) || !lab_run(l, &s, &done, err)
            || !tell(l, &s, name, "cuLibraryLoadData without a context", &done, err))
            return false;
    }
    return true;
}

static bool with_variable(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf image = { 0 };
    const char *path = lab_path(l, "variable.fatbin");
    struct lab_step s = { .loading = "LAZY", .ops = { "context", lab_op_text(l, "data", path) } };
    struct lab_done done;
    bool ok = lab_pair(l, &m, N + 2, true, err) && lab_fatbin(l, &m, 0, NULL, &image, err)
              && lab_write(l, path, jw_buf_bytes(&image), err) && lab_cache(l, "variable", &s.cache, err)
              && lab_run(l, &s, &done, err)
              && tell(l, &s, "LAZY-data-variable", "a module with a device variable", &done, err);

    jw_buf_free(&image);
    lab_module_free(&m);
    return ok;
}

static bool all_ways(struct lab *l, const char *image, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(modes); i++)
        for (size_t j = 0; j < JW_COUNT(doors); j++)
            for (size_t k = 0; k < JW_COUNT(touches); k++) {
                if (touches[k].library_only && strcmp(doors[j], "library") != 0)
                    continue;
                if (!one(l, modes[i], doors[j], &touches[k], image, err))
                    return false;
            }
    return true;
}

bool lab_e6(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf image = { 0 };
    const char *path = lab_path(l, "pair.fatbin");
    bool ok = lab_pair(l, &m, N, false, err) && lab_fatbin(l, &m, 0, NULL, &image, err)
              && lab_write(l, path, jw_buf_bytes(&image), err) && all_ways(l, path, err)
              && without_context(l, path, err) && with_variable(l, err);

    jw_buf_free(&image);
    lab_module_free(&m);
    if (!ok)
        return false;
    return lab_not_asked(l, "cudart", "a program of the CUDA runtime is what E16 asks with", NULL);
}
