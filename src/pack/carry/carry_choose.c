#include "pack/carry/carry.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool for_a_gpu(const struct carry_choose_input *in, const char *arch)
{
    char text[16];

    for (size_t i = 0; i < in->n_sms; i++) {
        (void)snprintf(text, sizeof text, "sm_%u", in->sms[i]);
        if (strcmp(text, arch) == 0)
            return true;
    }
    return false;
}

static int by_use(const void *a, const void *b)
{
    const struct jw_carry_entry *x = a, *y = b;
    uint64_t s = jw_cache_stamp_time(x->stamp), t = jw_cache_stamp_time(y->stamp);

    if (x->cuda != y->cuda)
        return x->cuda > y->cuda ? -1 : 1;
    if (s != t)
        return s > t ? -1 : 1;
    if (x->key_bytes != y->key_bytes)
        return x->key_bytes > y->key_bytes ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Above 0: the code is newer than the driver; 0: unknown. */
static int by_compiler(const struct carry_compiler *made, unsigned cuda)
{
    if (!made->cuda || !cuda || (made->least && made->cuda <= cuda))
        return 0;
    return (made->cuda > cuda) - (made->cuda < cuda);
}

static void fill_entry(const struct jw_cache_file *f, unsigned cuda, struct jw_carry_entry *e)
{
    *e = (struct jw_carry_entry){ .from = f->name,
                                  .cuda = cuda,
                                  .key_bytes = f->entry.key_size,
                                  .bytes = jw_cache_weight(&f->entry),
                                  .payload = f->entry.payload_hash };
    memcpy(e->stamp, f->stamp, sizeof e->stamp);
    memcpy(e->arch, f->arch, sizeof e->arch);
}

/* ---- entries that may be of the same module: equal key size and architecture, different builds ---- */

static int by_shape(const void *a, const void *b)
{
    const struct jw_cache_file *x = *(const struct jw_cache_file *const *)a,
                               *y = *(const struct jw_cache_file *const *)b;
    int order;

    if (x->entry.key_size != y->entry.key_size)
        return x->entry.key_size < y->entry.key_size ? -1 : 1;
    order = strcmp(x->arch, y->arch);
    return order ? order : strcmp(x->stamp, y->stamp);
}

static int shape_of(const void *key, const void *element)
{
    const struct jw_carry_entry *e = key;
    const struct jw_cache_file *f = *(const struct jw_cache_file *const *)element;

    if (e->key_bytes != f->entry.key_size)
        return e->key_bytes < f->entry.key_size ? -1 : 1;
    return strcmp(e->arch, f->arch);
}

static bool has_two_builds(const struct jw_cache_file **sorted, size_t n, const struct jw_carry_entry *e)
{
    const struct jw_cache_file **at = bsearch(e, (void *)sorted, n, sizeof *sorted, shape_of), **last = at;

    while (at && at > sorted && shape_of(e, at - 1) == 0)
        at--;
    while (last && last + 1 < sorted + n && shape_of(e, last + 1) == 0)
        last++;
    return at && strcmp((*at)->stamp, (*last)->stamp) != 0;
}

static void find_doubtful(const struct carry_choose_input *in, struct jw_carry_entry *list, size_t n)
{
    const struct jw_cache_file **sorted = jw_alloc((in->cache->n + 1) * sizeof *sorted);
    size_t m = 0;

    for (size_t i = 0; i < in->cache->n; i++)
        if (!in->cache->files[i].damage)
            sorted[m++] = &in->cache->files[i];
    if (m)
        qsort((void *)sorted, m, sizeof *sorted, by_shape);
    for (size_t i = 0; m && i < n; i++)
        list[i].doubtful = has_two_builds(sorted, m, &list[i]);
    jw_free((void *)sorted);
}

void carry_choose(const struct carry_choose_input *in, struct jw_arena *a, struct jw_carry_entry **list,
                  size_t *n, uint64_t *newer)
{
    uint64_t now = jw_cache_stamp_time(in->stamp);

    *n = 0;
    *newer = 0;
    *list = jw_arena_alloc(a, (in->cache->n + 1) * sizeof **list);
    for (size_t i = 0; i < in->cache->n; i++) {
        const struct jw_cache_file *f = &in->cache->files[i];
        uint64_t then = jw_cache_stamp_time(f->stamp);

        if (f->damage || f->kind != JW_CACHE_CUDA || !then || then == now || !for_a_gpu(in, f->arch))
            continue;
        int order = by_compiler(&in->compilers[i], in->cuda);

        if (order ? order > 0 : then > now)
            ++*newer;
        else
            fill_entry(f, in->compilers[i].cuda, &(*list)[(*n)++]);
    }
    if (*n)
        qsort(*list, *n, sizeof **list, by_use);
    find_doubtful(in, *list, *n);
}

/* ---- doubles ---- */

/* The driver may not find an entry without a record in the index: carry it again. */
static bool is_in_cache(const struct jw_cache_listing *cache, uint64_t name)
{
    const struct jw_cache_file *f = jw_cache_file_find(cache, name);

    return f && !f->damage && f->indexed && f->recorded == jw_cache_weight(&f->entry);
}

static int by_new_name(const void *a, const void *b)
{
    const struct jw_carry_entry *x = *(struct jw_carry_entry *const *)a,
                                *y = *(struct jw_carry_entry *const *)b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x < y ? -1 : x > y; /* in the order of the list */
}

void carry_drop_doubles(struct jw_carry_entry *list, size_t n, const struct jw_cache_listing *cache)
{
    struct jw_carry_entry **named = jw_alloc((n + 1) * sizeof *named);
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        if (list[i].name && list[i].state == JW_CARRY_CARRIED)
            named[m++] = &list[i];
    if (m)
        qsort((void *)named, m, sizeof *named, by_new_name);
    for (size_t i = 0; i < m; i++)
        if (is_in_cache(cache, named[i]->name) || (i && named[i - 1]->name == named[i]->name))
            named[i]->state = JW_CARRY_THERE;
    jw_free((void *)named);
}

/* ---- room ---- */

void carry_fit(struct jw_carry_entry *list, size_t n, uint64_t room)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].state != JW_CARRY_CARRIED)
            continue;
        if (list[i].bytes > room)
            list[i].state = JW_CARRY_NO_ROOM;
        else
            room -= list[i].bytes;
    }
    for (size_t i = 0; i < n / 2; i++) {
        struct jw_carry_entry swapped = list[i];

        list[i] = list[n - 1 - i];
        list[n - 1 - i] = swapped;
    }
}
