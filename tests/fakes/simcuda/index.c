/* The cache's index as this driver keeps it: in place, under record locks, first in first out. */
#include "sim.h"

#include "base/mem.h"

#include <string.h>

#define MAX_PATH_BYTES ((size_t)1 << 16)

void sim_path(const struct sim *s, struct jw_buf *out, const char *below)
{
    jw_buf_clear(out);
    jw_buf_printf(out, "%s%s%s", s->c.cache_root, *below ? "/" : "", below);
    (void)jw_buf_cstr(out);
}

void sim_veil(const struct sim *s, struct jw_buf *file)
{
    for (size_t i = 0; s->c.sw.knowledge == 0 && i < file->n; i++)
        file->p[i] ^= 0x5a;
}

enum sys_result sim_index_open(const struct sim *s, struct sys_file *f, bool change)
{
    struct jw_buf path = JW_BUF(MAX_PATH_BYTES);

    sim_path(s, &path, "index");
    enum sys_result r = sys_open(f, jw_buf_cstr(&path), change ? SYS_CREATE : SYS_CHANGE);

    if (r == SYS_OPENED && !sys_lock(f, change, !s->c.sw.skip_locked)) {
        sys_close(f);
        r = SYS_DENIED;
    }
    jw_buf_free(&path);
    return r;
}

void sim_index_read(const struct sim *s, struct sys_file *f, struct jw_cache_index *out)
{
    struct jw_buf text = JW_BUF(SIM_MAX_INDEX);
    struct jw_err err = { 0 };

    *out = (struct jw_cache_index){ 0 };
    bool sound = sys_read(f, &text);

    sim_veil(s, &text);
    sound = sound && text.n && jw_cache_index_read(jw_buf_bytes(&text), out, &err);
    if (!sound)
        jw_cache_index_free(out);
    jw_buf_free(&text);
}

void sim_index_write(const struct sim *s, struct sys_file *f, const struct jw_cache_index *index)
{
    struct jw_buf text = JW_BUF(SIM_MAX_INDEX);
    struct jw_err err = { 0 };

    if (jw_cache_index_write(index, &text, &err)) {
        sim_veil(s, &text);
        (void)sys_rewrite(f, text.p, text.n);
    }
    jw_buf_free(&text);
}

static void remove_entry(const struct sim *s, uint64_t hash)
{
    struct jw_buf path = JW_BUF(MAX_PATH_BYTES);
    struct jw_cache_name name = jw_cache_name(hash);

    sim_path(s, &path, name.text);
    sys_remove(jw_buf_cstr(&path));
    for (size_t i = 0; i < 2; i++) { /* "4/2", then "4": gone if they are empty */
        name.text[3 - 2 * i] = '\0';
        sim_path(s, &path, name.text);
        sys_rmdir(jw_buf_cstr(&path));
    }
    jw_buf_free(&path);
}

void sim_index_make_room(const struct sim *s, struct jw_cache_index *index, uint64_t size)
{
    size_t gone = 0;

    for (; gone < index->n; gone++) {
        if (index->total + size <= s->c.cache_limit)
            break;
        remove_entry(s, index->list[gone].hash);
        index->total -= index->list[gone].size;
    }
    if (gone)
        memmove(index->list, index->list + gone, (index->n - gone) * sizeof *index->list);
    index->n -= gone;
}
