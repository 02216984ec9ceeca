#include "cache/memory/modules.h"

#include "base/digest.h"

#include <string.h>

enum { FIRST_ROOM = 32 };

static size_t id_hash(const uint8_t id[32], uint16_t sm, const char *build)
{
    uint64_t h = jw_fnv1a(JW_FNV_START, id, 32);

    h = jw_fnv1a(h, &sm, sizeof sm);
    return (size_t)jw_fnv1a(h, build, strlen(build));
}

static size_t name_hash(uint64_t name)
{
    return (size_t)jw_fnv1a(JW_FNV_START, &name, sizeof name);
}

static bool is_module(const struct jw_warm_module *m, const uint8_t id[32], uint16_t sm, const char *build)
{
    return m->sm == sm && memcmp(m->id, id, sizeof m->id) == 0 && strcmp(m->build, build) == 0;
}

/* The place of this module, or the empty one where it belongs. */
static uint32_t *id_place(const struct jw_modules *t, const uint8_t id[32], uint16_t sm, const char *build)
{
    size_t mask = t->places - 1, at = id_hash(id, sm, build) & mask;

    while (t->by_id[at] && !is_module(&t->list[t->by_id[at] - 1], id, sm, build))
        at = (at + 1) & mask;
    return &t->by_id[at];
}

static void index_name(struct jw_modules *t, size_t i)
{
    size_t mask = t->places - 1, at = name_hash(t->list[i].name) & mask;

    if (!t->list[i].name)
        return;
    while (t->by_name[at])
        at = (at + 1) & mask;
    t->by_name[at] = (uint32_t)i + 1;
    t->names++;
}

/* Makes room for so many, and at least twice as many places in the tables. */
static void grow(struct jw_modules *t, struct jw_arena *a, size_t room)
{
    const struct jw_warm_module *old = t->list;

    t->room = room;
    for (t->places = 1; t->places < room * 2;)
        t->places *= 2;
    t->list = jw_arena_alloc(a, room * sizeof *t->list);
    t->by_id = jw_arena_alloc(a, t->places * sizeof *t->by_id);
    t->by_name = jw_arena_alloc(a, t->places * sizeof *t->by_name);
    t->names = 0;
    for (size_t i = 0; i < t->n; i++) {
        t->list[i] = old[i];
        *id_place(t, old[i].id, old[i].sm, old[i].build) = (uint32_t)i + 1;
        index_name(t, i);
    }
}

void jw_modules_reserve(struct jw_modules *t, struct jw_arena *a, size_t n)
{
    if (n)
        grow(t, a, n);
}

void jw_modules_put(struct jw_modules *t, struct jw_arena *a, const struct jw_warm_module *m)
{
    if (t->n == t->room || t->names >= t->places / 4 * 3)
        grow(t, a, t->room ? t->room * 2 : FIRST_ROOM);

    uint32_t *place = id_place(t, m->id, m->sm, m->build);
    bool is_new = !*place;
    size_t i = is_new ? t->n++ : *place - 1;
    bool renamed = is_new || t->list[i].name != m->name;

    *place = (uint32_t)i + 1;
    t->list[i] = *m;
    if (renamed)
        index_name(t, i);
}

const struct jw_warm_module *jw_modules_find(const struct jw_modules *t, const uint8_t id[32], uint16_t sm,
                                             const char *build)
{
    uint32_t found = t->n ? *id_place(t, id, sm, build) : 0;

    return found ? &t->list[found - 1] : NULL;
}

const struct jw_warm_module *jw_modules_named(const struct jw_modules *t, uint64_t name, size_t *at)
{
    size_t mask = t->places - 1, first = name_hash(name);

    while (t->n && name && t->by_name[(first + *at) & mask]) {
        const struct jw_warm_module *m = &t->list[t->by_name[(first + (*at)++) & mask] - 1];

        if (m->name == name)
            return m;
    }
    return NULL;
}

bool jw_module_is_banned(const struct jw_warm_module *m, const char *compiler)
{
    return *m->ban && strcmp(m->compiler, compiler) == 0;
}
