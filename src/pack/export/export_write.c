/* The output of an export, and its bytes. */
#include "pack/export/export_run.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "pack/file/pack_read.h"
#include "pack/file/pack_write.h"
#include "pack/format/pack_name.h"

#include <string.h>

enum { LONGEST_NAME = 247 /* with .minisig 255, the limit of file systems */, ATTEMPTS = 5 };

/* ---- the output ---- */

/* Other users who may make files in a folder, as in /tmp, may have made a link there: a pack that
 * goes where it leads would replace a file that its maker chose. Each link on the way to the output
 * is looked at. */
static bool check_links(const char *path, struct jw_arena *a, struct jw_err *err)
{
    for (const char *at = path, *above; strcmp(above = jw_path_dir(a, at), at) != 0; at = above) {
        struct jw_trust t;

        if (!jw_is_link(at))
            continue;
        if (!jw_trust_read(above, a, &t, err))
            return jw_wrap(err, "%s", above);
        if (t.sticky || t.writers)
            return jw_fail(
                err, JW_E_USAGE,
                "%s is a link, and other users can make links in %s: name the file itself", at,
                above);
    }
    return true;
}

/* Never makes the folder: its name may be a typing error. */
static bool find_folder(struct export *x, const char *path, struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_file_stat(path, &info, err))
        return jw_wrap(err, "%s", path);
    if (info.kind != JW_FILE_DIR)
        return jw_fail(err, JW_E_USAGE, "%s: no such folder", path);
    return jw_real_path(path, x->run->a, &x->folder, err) || jw_wrap(err, "%s", path);
}

static bool find_file(struct export *x, const char *path, const struct jw_file_info *info,
                      struct jw_err *err)
{
    if (!*path || (info->kind == JW_FILE_NONE && !jw_text_ends(path, JW_PACK_ENDING)))
        return jw_fail(err, JW_E_USAGE,
                       *path ? "%s: no such folder, and a new file has to end in " JW_PACK_ENDING
                             : "-o: the name is empty%s",
                       path);
    if (info->kind == JW_FILE_OTHER)
        return jw_fail(err, JW_E_USAGE, "%s is not a regular file", path);
    if (info->kind == JW_FILE_NONE && jw_is_link(path))
        return jw_fail(err, JW_E_USAGE, "%s is a link that leads to no file", path);
    x->file = jw_path_base(path);
    if (strlen(x->file) > LONGEST_NAME)
        return jw_fail(err, JW_E_USAGE, "-o: the name is longer than %d bytes", LONGEST_NAME);
    return find_folder(x, jw_path_dir(x->run->a, path), err);
}

bool export_find_output(struct export *x, struct jw_err *err)
{
    const char *output = x->o->output ? x->o->output : ".";
    struct jw_file_info info = {.kind = JW_FILE_NONE};

    if (!check_links(output, x->run->a, err))
        return false;
    if (*output && !jw_file_stat(output, &info, err))
        return jw_wrap(err, "%s", output);
    return info.kind == JW_FILE_DIR ? find_folder(x, output, err)
                                    : find_file(x, output, &info, err);
}

/* Machines that trust the key of a signed pack would refuse an unsigned one in its place. */
static bool may_replace(struct export *x, const char *path)
{
    const struct jw_trusted_keys none = {0};
    struct jw_pack_peeked old;
    struct jw_err why = {0};
    bool pack = jw_pack_peek(path, &none, x->run->a, &old, &why) || why.code == JW_E_TRUST;
    const char *question =
        jw_arena_printf(x->run->a, "%.250s exists and is not a pack; replace it?", path);

    if (why.code == JW_E_IO) /* it may be signed */
        return jw_run_end(x->run, JW_END_CANNOT_WRITE, "%.250s is there and cannot be read: %s",
                          path, why.msg);
    if (pack && old.key[0] && !x->o->key)
        return jw_run_end(
            x->run, JW_END_REFUSED,
            "%.250s is signed by key %s, and the new pack is not: --sign KEY, or delete it first",
            path, old.key);
    return pack || jw_run_ask(x->run, question, false)
           || jw_run_end(x->run, JW_END_CONSENT, "%s", question);
}

struct jw_texts jw_export_paths(const struct jw_look *l, struct jw_arena *a)
{
    const struct jw_roots *r = &l->roots;
    bool one = !l->want.paths.n && r->n == 1 && r->v->kind == JW_ROOT_NAMED;
    struct jw_texts paths = one ? (struct jw_texts){&r->v->path, 1} : l->want.paths;

    paths.v = jw_arena_copy(a, paths.v, paths.n * sizeof *paths.v);
    for (size_t i = 0; i < paths.n; i++)
        (void)!jw_root_path(paths.v[i], a, &paths.v[i], JW_IGNORED);
    return paths;
}

static bool name_pack(struct export *x, struct jw_export_pack *p, struct jw_err *err)
{
    const struct jw_texts of =
        x->o->whole ? (struct jw_texts){0} : jw_export_paths(x->out->primed.look, x->run->a);
    const char *name = of.n == 1 ? jw_path_base(of.v[0]) : "";
    struct jw_file_info info;

    name = x->file ? x->file : jw_pack_file_name(&p->manifest, name, x->signer, x->run->a);
    p->path = jw_path_join(x->run->a, x->folder, name);
    if (!check_links(p->path, x->run->a, err))
        return false;
    if (!jw_file_stat(p->path, &info, err))
        return jw_wrap(err, "%s", p->path);
    if (info.kind != JW_FILE_NONE
        && (info.kind != JW_FILE_REGULAR || !jw_real_path(p->path, x->run->a, &p->path, err)))
        return jw_fail(err, JW_E_USAGE, "%s exists and is not a file", p->path);
    return !info.size || x->o->dry_run || may_replace(x, p->path);
}

bool export_output_takes(const struct export *x, size_t packs, struct jw_err *err)
{
    return packs <= 1 || !x->file
           || jw_fail(
               err, JW_E_USAGE,
               "several GPUs make several packs: make a folder for them (mkdir packs) and use -o "
               "packs, or choose one GPU (--gpu sm_86)");
}

bool export_name_packs(struct export *x, struct jw_err *err)
{
    if (!export_output_takes(x, x->out->n_packs, err))
        return false;
    for (size_t i = 0; !x->run->ended && i < x->out->n_packs; i++)
        if (!name_pack(x, &x->out->packs[i], err))
            return false;
    return true;
}

/* ---- entries ---- */

struct writing {
    struct export *x;
    struct jw_export_pack *pack;
    atomic_bool unread; /* an entry could not be read */
};

/* From several threads at once. One that became longer does not fit its header. */
static bool read_entry(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err)
{
    struct writing *w = ctx;
    struct jw_buf path = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&path, "%s/%s", w->x->cache,
                  jw_cache_name(w->pack->manifest.entries[entry].name).text);
    bool ok = jw_buf_ok(&path, err) && jw_file_read_part(jw_buf_cstr(&path), 0, dst, n, err);

    jw_buf_free(&path);
    if (!ok && err->code != JW_E_INTERRUPTED)
        atomic_store(&w->unread, true);
    return ok;
}

static bool is_sound(const struct export *x, const struct jw_cache_file *listed, struct jw_err *why)
{
    const char *path = jw_cache_entry_path(x->cache, listed->name, x->run->a);
    struct jw_file_info info = {.kind = JW_FILE_REGULAR, .size = listed->size};

    return jw_cache_is_whole(path, listed->name, listed->entry.key_size, NULL, &info, why)
           && info.size == listed->size;
}

/* After a failed read: a program evicted an entry meanwhile, or its damage shows only when all its
 * bytes are read. Without it the pack may get another name; if the user keeps the file that has
 * this name, the run ends. */
static bool drop_invalid(struct writing *w, struct jw_err *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->pack->n_files; i++) {
        struct jw_err why = {0};

        if (!jw_not_interrupted(w->x->run->interrupted, err))
            return false;
        if (is_sound(w->x, w->pack->files[i], &why))
            w->pack->files[kept++] = w->pack->files[i];
        else
            (*(why.code == JW_E_IO ? &w->pack->missing : &w->pack->damaged))++;
    }
    w->pack->n_files = kept;
    if (!kept)
        return jw_run_end(w->x->run, JW_END_EMPTY, EXPORT_UNREAD);
    export_describe(w->x, w->pack);
    return w->x->file || name_pack(w->x, w->pack, err);
}

/* ---- bytes ---- */

static bool write_file(struct writing *w, struct jw_err *err)
{
    const struct jw_pack_write_options o = {.key = w->x->o->key, .run = w->x->run};
    const struct jw_pack_content from = {read_entry, w};
    const char *path = w->pack->path;
    const char *beside = jw_arena_printf(w->x->run->a, "%s" JW_PACK_SIGNATURE, path);
    struct jw_out out;

    jw_out_sweep(jw_path_dir(w->x->run->a, path));
    /* Another user may have put a link there since check_links, while the pack before this one was
     * written. The signature of an older file goes when the new one is whole, and before it has the
     * name: so it is never beside another one. */
    bool ok =
        jw_out_open(&out, path, JW_OUT_REPLACE, err)
        && (strcmp(out.path, path) == 0 || jw_fail(err, JW_E_USAGE, "a link was put in its place"))
        && jw_pack_write(jw_out_sink(&out), &w->pack->manifest, from, &o, &w->pack->packed, err)
        && (jw_file_remove(beside, err)
            || jw_wrap(err, "its older signature, *" JW_PACK_SIGNATURE));

    return jw_out_close(&out, ok, err);
}

/* Writes the pack without entries that change while they are read. */
static bool write_pack(struct export *x, struct jw_export_pack *pack, struct jw_err *err)
{
    struct writing w = {.x = x, .pack = pack};
    bool ok = true;

    for (unsigned i = 1; ok && !x->run->ended; i++) {
        struct jw_err why = {0};

        atomic_store(&w.unread, false);
        pack->written = write_file(&w, &why);
        if (pack->written)
            break;
        bool entry = why.code == JW_E_FORMAT || atomic_load(&w.unread); /* is at fault */

        ok = entry && i < ATTEMPTS ? drop_invalid(&w, err) : jw_pass(err, why);
    }
    return ok || (err->code != JW_E_INTERRUPTED && jw_wrap(err, "%.200s", pack->path));
}

bool export_write(struct export *x, struct jw_err *err)
{
    uint64_t lost = x->unread;
    size_t n = x->o->dry_run ? 0 : x->out->n_packs;

    for (size_t i = 0; i < n && !x->run->ended; i++)
        if (!write_pack(x, &x->out->packs[i], err))
            return false;
    for (const struct jw_export_pack *p = x->out->packs; p < x->out->packs + x->out->n_packs; p++) {
        if (p->missing + p->damaged)
            JW_NOTE(x->run, "not packed for sm_%u: %llu missing%s%s", (unsigned)p->manifest.sm,
                    (unsigned long long)p->missing,
                    p->lacks ? jw_arena_printf(x->run->a, " (one of %s)", p->lacks) : "",
                    p->damaged ? JW_PHRASE(", %llu damaged", (unsigned long long)p->damaged) : "");
        lost += p->missing + p->damaged;
        x->out->entries += p->manifest.n_entries;
    }
    lost += !jw_end_is_good(x->out->compiled);
    return x->run->ended || jw_run_done(x->run, lost ? JW_END_PARTLY : JW_END_DONE);
}
