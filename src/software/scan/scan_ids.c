#include "software/scan/scan_ids.h"

#include "base/mem.h"

static bool empty(struct jw_file_id id) { return id.volume == 0 && id.node == 0; }

static size_t slot_of(const struct scan_id *slots, size_t cap, struct jw_file_id id)
{
    uint64_t h = (id.node ^ id.volume * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
    size_t i = (size_t)(h >> 20) & (cap - 1);

    while (!empty(slots[i].id) && !jw_file_same(slots[i].id, id))
        i = (i + 1) & (cap - 1);
    return i;
}

static void grow(struct scan_ids *ids)
{
    size_t cap = ids->cap ? ids->cap * 2 : 256;
    struct scan_id *slots = jw_alloc(cap * sizeof *slots);

    for (size_t i = 0; i < ids->cap; i++)
        if (!empty(ids->slots[i].id))
            slots[slot_of(slots, cap, ids->slots[i].id)] = ids->slots[i];
    jw_free(ids->slots);
    ids->slots = slots;
    ids->cap = cap;
}

bool scan_ids_add(struct scan_ids *ids, struct jw_file_id id, unsigned round, unsigned *seen)
{
    *seen = round;
    if (empty(id)) /* no id: never equal to another file */
        return true;
    if (ids->n * 2 >= ids->cap)
        grow(ids);
    struct scan_id *slot = &ids->slots[slot_of(ids->slots, ids->cap, id)];
    bool fresh = empty(slot->id);

    if (fresh) {
        *slot = (struct scan_id){id, round};
        ids->n++;
    }
    *seen = slot->round;
    return fresh;
}

void scan_ids_free(struct scan_ids *ids)
{
    jw_free(ids->slots);
    *ids = (struct scan_ids){0};
}
