/* One module: its PTX out of its file, through the compiler, into an entry under the key that the driver will look for. */
#include "pack/compile/offline_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "driver/probe/forge.h"
#include "formats/cubin.h"
#include "formats/fatbin_unpack.h"
#include "formats/image.h"
#include "formats/ptx.h"
#include "formats/select.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/files/scratch.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NULS = 9, MOST_CANARY = 32 * 1024 };

/* One at work. What goes wrong with its module is `why`; what ends it all is the error of its steps. */
struct compiling {
    struct offline *x;
    const char *folder;
    struct jw_arena a;
    struct jw_buf ptx, cubin, key;
    const char *options;
    char why[512];
};

static void lose(struct compiling *c, const char *what, const char *detail)
{
    (void)snprintf(c->why, sizeof c->why, "%s%s", what, detail);
}

static bool is_lost(const struct compiling *c)
{
    return *c->why != '\0';
}

/* What is the module's own trouble; false hands on what is not. */
static bool lose_by(struct compiling *c, const struct jw_err *why, struct jw_err *err)
{
    if (why->code != JW_E_INTERRUPTED) {
        lose(c, why->msg, "");
        return true;
    }
    *err = *why;
    return false;
}

/* ---- the PTX ---- */

static bool slurp_place(const struct target *t, struct jw_buf *out, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    size_t got = 0;

    if (t->place.size > JW_MAX_PLAIN)
        return jw_fail(err, JW_E_LIMIT, "it is larger than %llu bytes", (unsigned long long)JW_MAX_PLAIN);
    jw_buf_fill(out, 0, (size_t)t->place.size);
    bool ok = jw_buf_ok(out, err) && jw_file_open(&f, t->place.disk, err)
              && jw_file_read(&f, t->place.at, out->p, out->n, &got, err)
              && (got == out->n || jw_fail(err, JW_E_FORMAT, "its file became shorter"));
    uint8_t digest[JW_DIGEST];

    jw_file_close(&f);
    if (!ok)
        return false;
    jw_digest(digest, out->p, out->n);
    return memcmp(digest, t->place.digest, JW_DIGEST) == 0
           || jw_fail(err, JW_E_FORMAT, "its file was changed meanwhile");
}

static bool unpack(const struct target *t, struct jw_bytes container, struct jw_buf *ptx, struct jw_err *err)
{
    struct jw_source src = jw_source_memory(&container);
    struct jw_driver_limits any = { .force_jit = true };
    struct jw_image image = { 0 };
    bool ok = jw_image_scan(&src, "module.fatbin", (struct jw_image_options){ 0 }, &image, err);

    if (ok && image.fats.n == 1) {
        struct jw_choice c = jw_select(&image.fats.list[0], image.fats.entries, t->sm, &any);

        ok = c.entry ? jw_fat_unpack(&src, c.entry, jw_sink_buf(ptx), err)
                     : jw_fail(err, JW_E_FORMAT, "nothing in its container is for sm_%u", t->sm);
    } else if (ok)
        ok = jw_fail(err, JW_E_FORMAT, "its container cannot be separated from what is around it");
    jw_image_free(&image);
    return ok;
}

static bool read_ptx(struct compiling *c, const struct target *t, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(JW_MAX_PLAIN);
    bool ok = slurp_place(t, &bytes, err);

    if (ok && t->place.text)
        jw_buf_add(&c->ptx, bytes.p, bytes.n);
    else if (ok)
        ok = unpack(t, jw_buf_bytes(&bytes), &c->ptx, err);
    jw_buf_free(&bytes);
    while (ok && c->ptx.n && c->ptx.p[c->ptx.n - 1] == '\0')
        c->ptx.n--;
    return ok && jw_buf_ok(&c->ptx, err);
}

/* The name was foretold while the files were read; how many NULs that was with, the name itself tells. */
static bool make_key(struct compiling *c, const struct target *t, struct jw_err *err)
{
    char arch[16];

    (void)snprintf(arch, sizeof arch, "sm_%u", t->sm);
    for (unsigned nuls = 0; nuls <= MOST_NULS; nuls++) {
        jw_buf_clear(&c->key);
        jw_cache_key_make(&c->key, c->x->o->stamp, arch, jw_buf_bytes(&c->ptx), nuls, t->options);
        if (!jw_buf_ok(&c->key, err))
            return false;
        if (jw_fnv1a(JW_FNV_START, c->key.p, c->key.n) == t->key.name)
            return true;
    }
    return jw_fail(err, JW_E_FORMAT, "it is not what was found in its file before");
}

/* ---- the compiler ---- */

static const char *in_folder(struct compiling *c, const char *name)
{
    const char *path = jw_path_join(&c->a, c->folder, name);

    return path;
}

/* Not synced: it lives as long as this run. */
static bool put_file(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_append out = JW_APPEND_CLOSED;
    bool ok = jw_append_open(&out, path, err) && jw_append_cut(&out, 0, err)
              && jw_append_write(&out, bytes.p, bytes.n, err);

    jw_append_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool fits_compiler(struct compiling *c, struct jw_err *err)
{
    const struct jw_compiler *by = &c->x->out->compiler;
    struct jw_ptx head;

    if (!jw_ptx_read(jw_buf_bytes(&c->ptx), &head, err))
        return false;
    return head.major < by->isa_major || (head.major == by->isa_major && head.minor <= by->isa_minor)
           || jw_fail(err, JW_E_FORMAT,
                      "its PTX is of ISA %u.%u, and %s %s reads up to %u.%u: a newer toolkit is needed",
                      head.major, head.minor, by->name, by->version, by->isa_major, by->isa_minor);
}

/* Machine code for this very architecture, that is loaded as it is. */
static bool check_cubin(struct compiling *c, struct jw_err *err)
{
    struct jw_bytes bytes = jw_buf_bytes(&c->cubin);
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_elf elf = jw_elf_header(bytes);
    struct jw_sections sections = { 0 };
    struct jw_cubin cubin;
    const char *by = c->x->out->compiler.name;

    if (!elf.ours || elf.machine != JW_EM_CUDA)
        return jw_fail(err, JW_E_FORMAT, "what %s made of it is no machine code of a GPU", by);
    bool ok =
        jw_cubin_read(&src, &elf, &c->a, &cubin, err) && jw_elf_sections(&src, &elf, &c->a, &sections, err);

    jw_sections_free(&sections);
    if (!ok)
        return jw_wrap(err, "what %s made of it", by);
    if (cubin.target.sm != c->x->o->sm || cubin.relocatable)
        return jw_fail(err, JW_E_FORMAT, "what %s made of it is for sm_%u%s, and sm_%u is wanted", by,
                       cubin.target.sm, cubin.relocatable ? ", to be linked" : "", c->x->o->sm);
    return true;
}

static bool compile(struct compiling *c, struct jw_err *err)
{
    const char *in = in_folder(c, "in.ptx"), *out = in ? in_folder(c, "out.cubin") : NULL;
    struct jw_err ignored;
    bool found = false;

    if (!out || !put_file(in, jw_buf_bytes(&c->ptx), err))
        return false;
    (void)!jw_append_remove(out, &ignored);

    struct offline_call call = { in, out, c->options, &c->a };
    struct jw_err why = { 0 };

    if (!fits_compiler(c, &why) || !offline_compiler_run(c->x, &call, &why)
        || !jw_file_slurp(out, &c->cubin, &found, &why))
        return lose_by(c, &why, err);
    if (!found) {
        lose(c, "nothing came out of it", "");
        return true;
    }
    return check_cubin(c, &why) || lose_by(c, &why, err);
}

/* ---- the entry ---- */

static bool make_home(struct compiling *c, const char *name, struct jw_err *err)
{
    char first[2] = { name[0] }, second[4] = { name[0], '/', name[2] };
    const char *a = jw_path_join(&c->a, c->x->root, first), *b = jw_path_join(&c->a, c->x->root, second);

    return jw_make_private_dir(a, err) && jw_make_private_dir(b, err);
}

static bool write_entry(struct compiling *c, struct jw_err *err)
{
    struct jw_buf file = JW_BUF(JW_CACHE_HEADER + (size_t)JW_MAX_CACHE_KEY + (size_t)JW_MAX_CACHE_PAYLOAD);
    struct jw_cache_name name;
    const char *path;
    uint64_t hash;
    bool ok = jw_cache_entry_write(&file, jw_buf_bytes(&c->key), jw_buf_bytes(&c->cubin), &hash, err);

    name = jw_cache_name(hash);
    path = ok ? jw_path_join(&c->a, c->x->root, name.text) : NULL;
    ok = ok && make_home(c, name.text, err) && put_file(path, jw_buf_bytes(&file), err);
    jw_buf_free(&file);
    return ok;
}

/* ---- one ---- */

static bool open_folder(struct compiling *c, unsigned worker, struct jw_err *err)
{
    char name[24];

    (void)snprintf(name, sizeof name, "worker%u", worker);
    c->folder = jw_path_join(&c->a, c->x->work, name);
    return jw_make_private_dir(c->folder, err);
}

static bool close_one(struct compiling *c, bool ok, const char **why)
{
    if (ok && is_lost(c)) {
        jw_lock_take(c->x->lock);
        *why = jw_arena_str(c->x->a, c->why);
        jw_lock_drop(c->x->lock);
        ok = true;
    }
    jw_buf_free(&c->ptx);
    jw_buf_free(&c->cubin);
    jw_buf_free(&c->key);
    jw_arena_free(&c->a);
    return ok;
}

static struct compiling begin(struct offline *x, const char *options)
{
    return (struct compiling){ .x = x,
                               .ptx = JW_BUF(JW_MAX_PLAIN),
                               .cubin = JW_BUF((size_t)JW_MAX_CACHE_PAYLOAD),
                               .key = JW_BUF((size_t)JW_MAX_CACHE_KEY),
                               .options = options };
}

bool offline_compile(struct offline *x, const struct target *t, unsigned worker, const char **why,
                     struct jw_err *err)
{
    struct compiling c = begin(x, t->options);
    struct jw_err own = { 0 };
    bool ok = offline_interrupted(x, err) && open_folder(&c, worker, err);

    *why = NULL;
    if (ok && (!read_ptx(&c, t, &own) || !make_key(&c, t, &own)))
        ok = lose_by(&c, &own, err);
    ok = ok && (is_lost(&c) || compile(&c, err)) && (is_lost(&c) || write_entry(&c, err));
    return close_one(&c, ok, why);
}

bool offline_canary(struct offline *x, const char **why, struct jw_err *err)
{
    struct compiling c = begin(x, "");
    struct jw_buf text = JW_BUF(MOST_CANARY);
    uint64_t name;

    *why = NULL;
    bool ok = open_folder(&c, 0, err) && forge_canary(&text, FORGE_OTHER, err);

    jw_buf_add(&c.ptx, text.p, ok ? text.n : 0);
    jw_buf_free(&text);
    ok = ok && jw_buf_ok(&c.ptx, err) && compile(&c, err)
         && (is_lost(&c)
             || (forge_canary_key(x->o->stamp, x->o->sm, &c.key, &name, err) && write_entry(&c, err)));
    return close_one(&c, ok, why);
}
