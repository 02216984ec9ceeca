#include "phantom/phantom.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE_OF_GPU = 2 << 20 };

static struct ph_object **objects;
static size_t n_objects, room;
static uint32_t next_handle = 0xcaf00001;

struct ph_object *ph_object_find(uint32_t client, uint32_t handle)
{
    for (size_t i = n_objects; i > 0; i--)
        if (objects[i - 1]->handle == handle && objects[i - 1]->client == client)
            return objects[i - 1];
    return NULL;
}

const struct ph_slice *ph_object_slice(uint32_t client, const struct ph_gpu *gpu)
{
    for (size_t i = 0; i < n_objects; i++)
        if (objects[i]->client == client && objects[i]->gpu == gpu && objects[i]->slice)
            return objects[i]->slice;
    return NULL;
}

void *ph_room(void *list, size_t each, size_t n, size_t *room_of)
{
    size_t more = *room_of ? *room_of * 2 : 256;

    if (n < *room_of)
        return list;
    void *grown = realloc(list, more * each);

    if (grown)
        *room_of = more;
    return grown;
}

/* A client is its own client and parent. An object inherits its GPU from its parent. */
struct ph_object *ph_object_add(uint32_t client, uint32_t parent, uint32_t *handle, uint32_t cls)
{
    struct ph_object *o, *above, **list;

    if (*handle == 0)
        *handle = next_handle++;
    list = ph_room(objects, sizeof *objects, n_objects, &room);
    if (!list)
        return NULL;
    objects = list;
    if (!(o = calloc(1, sizeof *o)))
        return NULL;
    if (cls == 0x0000 || cls == 0x0001 || cls == 0x0041)
        client = parent = *handle;
    above = ph_object_find(client, parent);
    *o = (struct ph_object){.client = client, .handle = *handle, .parent = parent, .cls = cls};
    o->gpu = above ? above->gpu : NULL;
    objects[n_objects++] = o;
    return o;
}

static void let_go(size_t at)
{
    struct ph_object *o = objects[at];

    objects[at] = objects[--n_objects];
    if (o->is_channel)
        ph_channel_remove(o);
    ph_memory_drop(o->memory);
    free(o);
}

static bool take_child(uint32_t client, uint32_t parent, uint32_t *child)
{
    for (size_t i = 0; i < n_objects; i++)
        if (objects[i]->client == client && objects[i]->parent == parent
            && objects[i]->handle != parent) {
            *child = objects[i]->handle;
            return true;
        }
    return false;
}

/* Frees the object with its children, deepest first. */
void ph_object_free(uint32_t client, uint32_t handle)
{
    uint32_t child;

    while (take_child(client, handle, &child))
        ph_object_free(client, child);
    for (size_t i = 0; i < n_objects; i++)
        if (objects[i]->client == client && objects[i]->handle == handle) {
            let_go(i);
            return;
        }
}

bool ph_object_back(struct ph_object *o, uint64_t size)
{
    struct ph_memory *m = o->memory ? NULL : calloc(1, sizeof *m);

    if (!m)
        return o->memory != NULL;
    m->users = 1;
    m->size = size == 0 ? PAGE_OF_GPU : (size + PAGE_OF_GPU - 1) & ~(uint64_t)(PAGE_OF_GPU - 1);
    m->fd = ph_memory_file("phantom-memory", m->size);
    if (m->fd < 0) {
        free(m);
        return false;
    }
    o->memory = m;
    return true;
}

struct ph_memory *ph_memory_keep(struct ph_memory *m)
{
    m->users++;
    return m;
}

void ph_memory_drop(struct ph_memory *m)
{
    if (!m || --m->users > 0)
        return;
    if (m->fd >= 0) {
        if (m->map)
            (void)munmap(m->map, m->size);
        (void)ph_sys_close(m->fd);
    }
    free(m);
}

char *ph_memory_map(struct ph_memory *m)
{
    void *got;

    if (m->map || m->fd < 0)
        return m->map;
    got = ph_sys_mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m->fd, 0);
    m->map = got == MAP_FAILED ? NULL : got;
    return m->map;
}
