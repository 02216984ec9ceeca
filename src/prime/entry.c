#include "prime/entry.h"

#include "cache/format/module_name.h"
#include "facts/compile_time.h"
#include "formats/fatbin_write.h"
#include "formats/ptx.h"
#include "formats/select.h"
#include "os/files/file.h"

#include <string.h>

struct entry {
    const struct jw_scope *scope;
    struct jw_arena *a;
    struct jw_buf bytes;     /* the key's */
    struct jw_cache_key key; /* points into `bytes` */
    struct jw_ptx ptx;
    /* how the driver got the module, as its key shows: */
    bool text, link; /* text: as PTX alone, without a container; link: as an input of its linker */
    struct jw_bytes payload; /* the PTX, and in a packed container the NULs behind it */
    const char *options;     /* options in the key */
    const char *own_options; /* options in the container that has this key */
};

/* Finds out from the key how the driver got the module. Options that a program gave to a load are
 * treated as options in a container: key and code are the same. The driver's linker puts an option
 * of its own before them. A key with one NUL and no options is made by PTX text, and also by a
 * container without NULs. driver-fact: F13-nuls, F16-options-in-key, F17-link-options,
 * F90-link-alone */
static bool find_route(struct entry *e)
{
    const struct jw_bytes *o = &e->key.options;

    if (e->key.kind != JW_CACHE_CUDA || !o->n || o->p[0] != ' ' || !e->key.nuls)
        return false;
    e->options = jw_arena_text(e->a, (const char *)o->p + 1, o->n - 1);
    e->link = jw_text_starts(e->options, JW_LINK_OPTION);
    e->own_options = e->options + (e->link ? strlen(JW_LINK_OPTION) : 0);
    e->text = e->key.nuls == 1 && !*e->options;
    e->payload = (struct jw_bytes){e->key.input.p, e->key.input.n + e->key.nuls - 1};
    return true;
}

/* Programs remove entries at any time, so a file that cannot be read is no error. */
static bool read_entry(struct entry *e, const char *path, uint64_t key_size)
{
    jw_buf_fill(&e->bytes, 0, (size_t)key_size);
    if (e->bytes.bad || !key_size
        || !jw_file_read_part(path, JW_CACHE_HEADER, e->bytes.p, e->bytes.n, JW_IGNORED))
        return false;
    jw_cache_key_read(jw_buf_bytes(&e->bytes), key_size, &e->key);
    return find_route(e) && jw_ptx_read(e->key.input, &e->ptx, JW_IGNORED);
}

static void name_it(struct entry *e, struct jw_job *j)
{
    const struct module_rules rules = {
        e->scope->level >= JW_LEVEL_PREDICTABLE ? e->scope->stamp : NULL,
        jw_driver_is_before(e->scope->version, JW_NULS_FIRST_BRANCH)};
    struct module_name name;
    struct jw_sink sink = module_name_sink(&name);

    module_name_begin(&name, &rules, &j->sm, 1);
    (void)sink.put(sink.ctx, e->payload.p, e->payload.n, JW_IGNORED);
    j->kernel = jw_arena_str(e->a, name.kernel);
    j->options = e->options;
    module_name_job(&name, e->text ? MODULE_TEXT : MODULE_PACKED, 0, j);
}

/* Would the driver get this PTX for this architecture, if a file had it? */
static bool is_for(const struct entry *e, uint16_t sm, uint16_t *needs)
{
    const struct jw_fat_entry item = {.kind = JW_KIND_PTX,
                                      .major = e->ptx.major,
                                      .minor = e->ptx.minor,
                                      .target = e->ptx.target,
                                      .options = ""};
    const struct jw_driver_limits driver = jw_driver_limits(e->scope->version);
    const struct jw_choice c = jw_select(&(struct jw_fat){.n = 1}, &item, sm, &driver, e->link);

    if (c.outcome == JW_SELECTED_BLOCKED && needs)
        *needs = (uint16_t)jw_needed(&item, &driver).branch;
    return c.outcome == JW_SELECTED_JIT;
}

/* ---- the PTX in a form that a worker loads ---- */

static bool write_image(const struct entry *e, struct jw_buf *out, struct jw_err *err)
{
    const struct jw_fat_ptx image = {.target = e->ptx.target,
                                     .major = e->ptx.major,
                                     .minor = e->ptx.minor,
                                     .packing = JW_FAT_LZ4,
                                     .bare = true,
                                     .options = e->own_options,
                                     .payload = e->payload};

    if (!e->text)
        return jw_fat_write(out, &image, err);
    jw_buf_add(out, e->payload.p, e->payload.n);
    return jw_buf_ok(out, err);
}

/* Only this run uses the file, so it is not synced to disk. */
static bool spool(const struct entry *e, const char *work, const uint8_t id[JW_DIGEST],
                  struct jw_place *place, struct jw_err *err)
{
    struct jw_buf image = JW_BUF(2 * JW_MAX_CACHE_KEY);
    const char *path = jw_arena_printf(e->a, "%s/%.16s.entry", work, jw_digest_text(id).text);
    bool ok = write_image(e, &image, err)
              && (jw_file_put(path, JW_OUT_REPLACE | JW_OUT_PRIVATE | JW_OUT_FAST,
                              jw_buf_bytes(&image), err)
                  || jw_wrap(err, "%s", path));

    place->disk = path;
    place->size = image.n;
    jw_digest(place->digest, image.p, image.n);
    jw_buf_free(&image);
    return ok;
}

/* ---- all ---- */

static void describe(const struct entry *e, const char *path, const struct jw_job *asked,
                     struct jw_job *j)
{
    struct jw_place *place = jw_arena_alloc(e->a, sizeof *place);

    j->place = place;
    place->path = asked->name
                      ? jw_arena_printf(e->a, "cache entry %s", jw_cache_name(asked->name).text)
                      : jw_arena_printf(e->a, "PTX of %s, in no file", j->kernel);
    place->entry = path;
    place->entry_key = asked->key_size;
    place->text = e->text;
    place->link = e->link;
}

bool jw_entry_job(struct jw_arena *a, const struct jw_scope *scope, const char *path,
                  uint16_t *needs, struct jw_job *j)
{
    struct entry e = {.scope = scope, .a = a, .bytes = JW_BUF(JW_MAX_CACHE_KEY)};
    const struct jw_job asked = *j;

    if (read_entry(&e, path, asked.key_size)) {
        name_it(&e, j);
        if ((!asked.name || j->name == asked.name)
            && (is_for(&e, j->sm, needs) || (needs && *needs)))
            describe(&e, path, &asked, j);
    }
    jw_buf_free(&e.bytes);
    return j->place != NULL;
}

bool jw_entry_spool(struct jw_arena *a, const char *work, const struct jw_job *j,
                    struct jw_err *err)
{
    struct entry e = {.a = a, .bytes = JW_BUF(JW_MAX_CACHE_KEY)};
    bool ok = !read_entry(&e, j->place->entry, j->place->entry_key)
              || spool(&e, work, j->id, j->place, err);

    jw_buf_free(&e.bytes);
    return ok;
}
