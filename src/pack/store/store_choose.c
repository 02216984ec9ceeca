/* Which packs make room for another one. */
#include "base/num.h"
#include "pack/store/store_inner.h"

#include <string.h>

static bool may_go(const struct jw_store_pack *p, const struct jw_store_key *key, const char *current)
{
    return p->key.stamp && !p->refused && !store_same(&p->key, key)
           && !(current && !p->key.simulated && strcmp(p->key.stamp, current) == 0);
}

static bool goes_before(const struct jw_store_pack *x, const struct jw_store_pack *y)
{
    return x->older != y->older ? x->older : x->used_at < y->used_at;
}

/* The next one to go; NULL: no more may. */
static const struct jw_store_pack *next(const struct jw_store *s, const struct jw_store_key *key,
                                        const char *current, const bool *goes)
{
    const struct jw_store_pack *best = NULL;

    for (size_t i = 0; i < s->n; i++) {
        const struct jw_store_pack *p = &s->packs[i];

        if (!goes[i] && may_go(p, key, current) && (!best || goes_before(p, best)))
            best = p;
    }
    return best;
}

/* The build's newest one becomes its older one, and what was that goes. Where a crash left an older one alone, that stays. */
static uint64_t replaced(const struct jw_store *s, const struct jw_store_key *key, bool older)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n; i++)
        if (!s->packs[i].refused && store_same(&s->packs[i].key, key) && s->packs[i].older == older)
            sum += s->packs[i].weight;
    return sum;
}

static uint64_t fixed(const struct jw_store *s, const struct jw_store_key *key, const char *current)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct jw_store_pack *p = &s->packs[i];

        if (p->key.stamp && !p->refused && !store_same(&p->key, key) && !may_go(p, key, current))
            sum += p->weight;
    }
    return sum;
}

bool store_choose(const struct jw_store *s, const struct jw_store_key *key, const char *current,
                  uint64_t size, uint64_t cap, bool *goes, bool *keep, uint64_t *least)
{
    uint64_t newest = replaced(s, key, false), older = replaced(s, key, true);
    uint64_t before = newest ? newest : older, now;

    memset(goes, 0, s->n * sizeof *goes);
    if (!jw_add(fixed(s, key, current), size, least) || *least > cap)
        return false;
    *keep = before <= cap - *least;
    now = s->bytes - (newest ? older : 0) - (*keep ? 0 : before) + size;
    while (now > cap) {
        const struct jw_store_pack *p = next(s, key, current, goes);

        if (!p)
            return false;
        goes[p - s->packs] = true;
        now -= p->weight;
    }
    return true;
}
