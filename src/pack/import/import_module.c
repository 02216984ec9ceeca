/* Entries as work for a worker: loaded again to see that they are found, or compiled again to see what comes out. */
#include "pack/import/import_work.h"

#include "base/mem.h"

#include <string.h>

/* How long it would take to compile is not known; a busy machine that loads slowly is not taken for one that compiles. */
enum { SLOW_S = 10, BYTES_PER_S = 1100000 };

/* Of the software here: the very bytes that its programs will hand to the driver. */
static const struct target *target_of(const struct import *im, const struct jw_pack_entry *e)
{
    const struct targets *t = &im->p.found;

    for (size_t i = 0; i < t->n; i++)
        if (t->list[i].key.name == e->name && t->list[i].sm == im->manifest->sm && t->list[i].place.disk)
            return &t->list[i];
    return NULL;
}

static bool make_anew(struct import *im, const char *root, const struct jw_pack_entry *e, struct target *t,
                      bool *made, struct jw_err *err)
{
    struct jw_cache_file f = { .name = e->name, .entry = { .key_size = e->key_bytes } };
    struct prime_entry entry = { 0 };
    bool ok = prime_entry_read(&im->p, root, &f, &entry, err)
              && prime_entry_module(&im->p, e->name, &entry, t, made, err);

    prime_entry_free(&entry);
    return ok;
}

bool import_module(struct import *im, const char *root, const struct jw_pack_entry *e, struct jw_job *out,
                   bool *can, struct jw_err *err)
{
    const struct target *here = target_of(im, e);
    struct target t = { 0 };
    struct jw_job_place *place = jw_arena_alloc(im->a, sizeof *place);

    *can = here != NULL;
    if (here)
        t = *here;
    else if (!make_anew(im, root, e, &t, can, err))
        return false;
    *place = t.place;
    *out = (struct jw_job){ .sm = im->manifest->sm,
                            .options = t.options,
                            .kernel = t.kernel,
                            .ptx_bytes = t.ptx_bytes,
                            .predicted = true,
                            .name = e->name,
                            .key_size = e->key_bytes,
                            .places = place,
                            .n_places = 1,
                            .seconds = SLOW_S + (double)t.ptx_bytes / BYTES_PER_S,
                            .state = JW_JOB_WARM,
                            .entry_bytes = import_bytes(e) };
    memcpy(out->id, t.key.id, sizeof out->id);
    memcpy(out->target, t.from, sizeof out->target);
    return true;
}
