/* The page table that UVM would keep: the memory behind a GPU address. One table for all GPUs,
 * because a process has one address space. The newest range that covers an address wins. */
#include "phantom/phantom.h"

struct range {
    uint64_t base, length, offset;
    struct ph_memory *memory; /* NULL: the program's own address */
};

static struct range *ranges;
static size_t n_ranges, room;

static void add_range(struct range r)
{
    struct range *list = ph_room(ranges, sizeof *ranges, n_ranges, &room);

    if (!list)
        return;
    ranges = list;
    ranges[n_ranges++] = r;
}

static bool inside(const struct range *r, uint64_t base, uint64_t length)
{
    return r->base >= base && r->base - base < (length ? length : 1);
}

/* Removes ranges that begin inside; with length 0, ranges that begin exactly there. */
void ph_space_unmap(uint64_t base, uint64_t length)
{
    size_t n = 0;

    for (size_t i = 0; i < n_ranges; i++) {
        if (inside(&ranges[i], base, length))
            ph_memory_drop(ranges[i].memory);
        else
            ranges[n++] = ranges[i];
    }
    n_ranges = n;
}

void ph_space_map(uint64_t base, uint64_t length, struct ph_memory *m, uint64_t offset)
{
    add_range((struct range){
        .base = base, .length = length, .offset = offset, .memory = ph_memory_keep(m)});
}

void ph_space_program(uint64_t base, uint64_t length)
{
    add_range((struct range){.base = base, .length = length});
}

void *ph_space_at(uint64_t address, uint64_t length)
{
    for (size_t i = n_ranges; i > 0; i--) {
        const struct range *r = &ranges[i - 1];
        uint64_t at = address - r->base;
        char *map;

        if (address < r->base || at >= r->length || length > r->length - at)
            continue;
        if (!r->memory) {
            void *here = (void *)(uintptr_t)address;

            return ph_is_mapped(here) ? here : NULL;
        }
        map = ph_memory_map(r->memory);
        if (map && r->offset + at + length <= r->memory->size)
            return map + r->offset + at;
    }
    return NULL;
}
