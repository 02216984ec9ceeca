/*
 * SIMCUDA_GPUS   GPU;GPU;...   each  sm_NN:NAME:MEMORY[:OPTION]...
 *                OPTION is mode=default|exclusive|prohibited
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

struct field {
    const char *p;
    size_t n;
};

static struct field next_field(const char **at, const char *end, char separator)
{
    const char *from = *at,
               *stop = from < end ? memchr(from, separator, (size_t)(end - from)) : NULL;

    if (!stop)
        stop = end;
    *at = stop < end ? stop + 1 : end;
    return (struct field){from, (size_t)(stop - from)};
}

static bool field_is(struct field f, const char *text)
{
    return f.n == strlen(text) && memcmp(f.p, text, f.n) == 0;
}

bool sim_memory(const char *text, uint64_t *bytes)
{
    char *end = NULL;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

    if (end == text || (shift ? end[1] != '\0' : *end != '\0') || n > UINT64_MAX >> shift)
        return false;
    *bytes = (uint64_t)n << shift;
    return true;
}

static void make_uuid(struct sim_gpu *g)
{
    char seed[256];
    int n = snprintf(seed, sizeof seed, "gpu %u sm_%u %s", g->id, g->sm, g->name);
    uint64_t h = jw_fnv1a(JW_FNV_START, seed, (size_t)n);

    for (unsigned i = 0; i < 16; i++) {
        h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL + i;
        g->uuid[i] = (uint8_t)(h >> 40);
    }
}

void sim_uuid_text(const uint8_t uuid[16], char out[40])
{
    size_t n = 0;

    for (unsigned i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out[n++] = '-';
        out[n++] = "0123456789abcdef"[uuid[i] >> 4];
        out[n++] = "0123456789abcdef"[uuid[i] & 15];
    }
    out[n] = '\0';
}

static bool read_option(struct sim_gpu *g, struct field f, struct jw_err *err)
{
    if (field_is(f, "mode=default"))
        g->mode = CU_COMPUTE_DEFAULT;
    else if (field_is(f, "mode=exclusive"))
        g->mode = CU_COMPUTE_EXCLUSIVE;
    else if (field_is(f, "mode=prohibited"))
        g->mode = CU_COMPUTE_PROHIBITED;
    else
        return jw_fail(err, JW_E_USAGE, "SIMCUDA_GPUS: '%.*s' is no option of a GPU", (int)f.n,
                       f.p);
    return true;
}

static bool read_gpu(struct sim_config *c, struct field spec, struct jw_err *err)
{
    const char *at = spec.p, *end = spec.p + spec.n;
    struct field arch = next_field(&at, end, ':'), name = next_field(&at, end, ':'),
                 size = next_field(&at, end, ':');
    struct sim_gpu g = {.id = (unsigned)c->n_gpus};
    char text[24] = "";

    if (arch.n > 3 && arch.n < sizeof text && memcmp(arch.p, "sm_", 3) == 0)
        g.sm = (unsigned)strtoul(arch.p + 3, NULL, 10);
    if (size.n && size.n < sizeof text)
        memcpy(text, size.p, size.n);
    if (g.sm < 10 || g.sm > 999 || !name.n || name.n > 80 || !sim_memory(text, &g.memory))
        return jw_fail(err, JW_E_USAGE,
                       "SIMCUDA_GPUS: '%.*s': write it like 'sm_86:NVIDIA GeForce RTX 3070:8G'",
                       (int)spec.n, spec.p);
    memcpy(g.name, name.p, name.n);
    while (at < end)
        if (!read_option(&g, next_field(&at, end, ':'), err))
            return false;
    if (c->n_gpus == SIM_MAX_GPUS)
        return jw_fail(err, JW_E_LIMIT, "SIMCUDA_GPUS: more than %d devices", SIM_MAX_GPUS);
    make_uuid(&g);
    c->gpus[c->n_gpus++] = g;
    return true;
}

/* ---- which of them a process sees ---- */

/* As the driver reads a number: blanks and a sign may stand before it, and what follows is not
 * read. driver-fact: F103-first-visible */
static bool by_number(const struct sim_gpu *all, size_t n, struct field f,
                      const struct sim_gpu **out)
{
    char *end = NULL;
    long number = strtol(f.p, &end, 10);

    *out = number >= 0 && (size_t)number < n ? &all[number] : NULL;
    return end > f.p && end <= f.p + f.n;
}

/* "GPU-" and as many digits as it takes; NULL when they fit none, or two. */
static const struct sim_gpu *by_uuid(const struct sim_gpu *all, size_t n, struct field f)
{
    const struct sim_gpu *hit = NULL;
    char text[40];

    if (f.n <= 4 || memcmp(f.p, "GPU-", 4) != 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        sim_uuid_text(all[i].uuid, text);
        if (f.n - 4 > strlen(text) || memcmp(text, f.p + 4, f.n - 4) != 0)
            continue;
        if (hit)
            return NULL;
        hit = &all[i];
    }
    return hit;
}

static bool seen_before(const struct sim_config *c, const struct sim_gpu *g)
{
    for (size_t i = 0; i < c->n_gpus; i++)
        if (c->gpus[i].id == g->id)
            return true;
    return false;
}

/* The list ends at the first item that is not valid. */
static void choose_visible(struct sim_config *c, const struct sim_gpu *all, size_t n,
                           const char *visible)
{
    const char *at = visible, *end = visible + strlen(visible);

    while (at < end) {
        struct field f = next_field(&at, end, ',');

        while (f.n && *f.p == ' ') {
            f.p++;
            f.n--;
        }
        while (f.n && f.p[f.n - 1] == ' ')
            f.n--;
        const struct sim_gpu *g;

        if (!by_number(all, n, f, &g))
            g = by_uuid(all, n, f);
        if (!g || seen_before(c, g))
            return;
        c->gpus[c->n_gpus++] = *g;
    }
}

bool sim_gpus_read(struct sim_config *c, const char *spec, const char *visible, struct jw_err *err)
{
    const char *at = spec, *end = spec + strlen(spec);
    struct sim_gpu all[SIM_MAX_GPUS];

    c->n_gpus = 0;
    if (strcmp(spec, "none") == 0)
        return true;
    while (at < end) {
        struct field f = next_field(&at, end, ';');

        if (f.n && !read_gpu(c, f, err))
            return false;
    }
    if (visible) {
        size_t n = c->n_gpus;

        memcpy(all, c->gpus, n * sizeof *all);
        c->n_gpus = 0;
        choose_visible(c, all, n, visible);
    }
    return true;
}
