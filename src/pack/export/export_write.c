/* Writes packs. Each is written in a temporary folder beside its place and then moved: its name always has the old pack
 * or the whole new one. The next export removes temporary folders that were left behind. */
#include "pack/export/export_work.h"

#include "base/mem.h"
#include "base/path.h"
#include "cache/memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/files/tree.h"
#include "pack/file/pack_write.h"
#include "pack/format/pack_layout.h"

#include <stdio.h>
#include <string.h>

#define WORK_PREFIX ".jitwarm-export"
#define NEW_PACK "pack"
#define NEW_SIGNATURE "signature"

enum { ATTEMPTS = 5, MOVES = 8, COPY = 256 << 10 };

struct writing {
    struct export *x;
    size_t pack;
    char *work;         /* temporary folder */
    atomic_bool unread; /* an entry could not be read */
};

/* ---- entries ---- */

static char *entry_path(const struct export *x, uint64_t name)
{
    size_t room = strlen(x->dir.folder) + sizeof(struct jw_cache_name) + 2;
    char *path = jw_alloc(room);

    (void)snprintf(path, room, "%s/%s", x->dir.folder, jw_cache_name(name).text);
    return path;
}

static bool open_entry(const struct export *x, uint64_t name, struct jw_file *f, struct jw_file_info *info,
                       struct jw_err *err)
{
    char *path = entry_path(x, name);
    bool ok = jw_file_open(f, path, err) && jw_file_info(f, info, err);

    jw_free(path);
    return ok;
}

/* From several threads at once. */
static bool read_cache_entry(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err)
{
    struct writing *w = ctx;
    const struct export_job *job = &w->x->jobs[w->pack];
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    size_t got = 0;
    bool ok = open_entry(w->x, job->entries[entry].name, &f, &info, err)
              && jw_file_read(&f, 0, dst, n, &got, err)
              && ((got == n && info.size == n) || jw_fail(err, JW_E_FORMAT, "its size has changed"));

    jw_file_close(&f);
    if (!ok && err->code != JW_E_INTERRUPTED)
        atomic_store(&w->unread, true);
    return ok || jw_wrap(err, "%s", jw_cache_name(job->entries[entry].name).text);
}

static bool read_kit_file(void *ctx, size_t file, uint8_t *dst, size_t n, struct jw_err *err)
{
    return export_read_kit(((struct writing *)ctx)->x, file, dst, n, err);
}

/* Is the entry still valid, and as it was listed? */
static void check_again(struct export *x, const struct jw_cache_file *listed, enum jw_export_why *why,
                        bool *sound)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    struct jw_cache_entry entry;
    struct jw_err fault = { 0 };
    bool opened = open_entry(x, listed->name, &f, &info, &fault);
    bool same = opened && info.size == listed->size && info.mtime == listed->mtime;
    struct jw_source src = jw_file_source(&f, info.size);

    *sound = opened && info.size == listed->size && jw_cache_entry_check(&src, listed->name, &entry, &fault)
             && entry.key_size == listed->entry.key_size && entry.payload_size == listed->entry.payload_size;
    jw_file_close(&f);
    *why = !same && (opened || fault.code == JW_E_IO) ? JW_EXPORT_CHANGED
           : fault.code == JW_E_IO                    ? JW_EXPORT_UNREAD
                                                      : JW_EXPORT_DAMAGED;
}

/* After a failed read: checks every entry again and drops invalid ones. */
static bool drop_invalid(struct export *x, size_t pack, struct jw_err *err)
{
    struct export_choice *c = &x->jobs[pack].choice;
    size_t kept = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct jw_cache_file *f = c->list[i].file;
        enum jw_export_why why;
        bool sound;

        if (!jw_not_interrupted(x->run->interrupted, err))
            return false;
        check_again(x, f, &why, &sound);
        if (sound) {
            c->list[kept++] = c->list[i];
            continue;
        }
        c->left_out[why].entries++;
        c->left_out[why].bytes += jw_cache_weight(&f->entry);
    }
    c->n = kept;
    x->out->packs[pack].content[0] = '\0';
    if (kept)
        export_fill_job(x, pack);
    return true;
}

/* ---- bytes ---- */

/* Copies the finished pack, so that a failed export writes nothing to the stream. */
static bool put_stream(struct writing *w, struct jw_err *err)
{
    struct jw_sink to = *w->x->o->stream;
    struct jw_file f = JW_FILE_CLOSED;
    uint8_t *part = jw_alloc(COPY);
    size_t got = 1;
    bool ok = jw_file_open(&f, jw_path_join(w->x->run->a, w->work, NEW_PACK), err);

    for (uint64_t at = 0; ok && got; at += got)
        ok = jw_not_interrupted(w->x->run->interrupted, err) && jw_file_read(&f, at, part, COPY, &got, err)
             && (!got || to.put(to.ctx, part, got, err));
    jw_file_close(&f);
    jw_free(part);
    return ok;
}

static bool write_bytes(struct writing *w, struct jw_sink to, struct jw_pack_written *out, struct jw_err *err)
{
    struct export *x = w->x;
    struct export_job *job = &x->jobs[w->pack];
    struct jw_pack_write_options o = { .threads = x->o->threads, .key = x->o->key, .run = x->run };

    return jw_pack_write(to, &job->manifest, job->entries,
                         (struct jw_pack_content){ read_cache_entry, w, read_kit_file }, &o, out, err);
}

static bool write_new_file(struct writing *w, struct jw_pack_written *written, struct jw_err *err)
{
    char *path = jw_path_join(w->x->run->a, w->work, NEW_PACK);
    struct jw_out out;
    bool ok = jw_out_open(&out, path, JW_OUT_REPLACE, err) && write_bytes(w, jw_out_sink(&out), written, err);

    return jw_out_close(&out, ok, err);
}

/* Drops entries that changed during the export, and tries again. */
static bool write_pack(struct writing *w, struct jw_pack_written *written, struct jw_err *err)
{
    struct export *x = w->x;

    for (unsigned i = 1;; i++) {
        struct jw_err why = { 0 };

        atomic_store(&w->unread, false);
        if (write_new_file(w, written, &why))
            return !x->o->stream || put_stream(w, err);
        if (i == ATTEMPTS || (why.code != JW_E_FORMAT && !atomic_load(&w->unread))) {
            *err = why;
            return false;
        }
        if (!drop_invalid(x, w->pack, err))
            return false;
        if (!x->jobs[w->pack].choice.n && !x->kit.n_files)
            return export_end(x, JW_END_NOTHING,
                              "all of these entries are damaged or unreadable; see jitwarm status --check");
    }
}

/* ---- into place ---- */

static bool move_replacing(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                           const char *new_name, struct jw_err *err)
{
    enum jw_swap_result swapped;
    enum jw_move_result moved;

    for (unsigned i = 0; i < MOVES; i++) {
        if (!jw_tree_swap(from, name, to, new_name, &swapped, err))
            return false;
        if (swapped != JW_SWAP_NOTHING)
            return true;
        if (!jw_tree_move(from, name, to, new_name, &moved, err))
            return false;
        if (moved == JW_MOVED)
            return true;
        if (moved == JW_MOVE_ELSEWHERE)
            return jw_fail(err, JW_E_IO, "the folder is on two file systems");
    }
    return jw_fail(err, JW_E_IO, "another program keeps creating and deleting this file");
}

static bool write_signature(struct writing *w, const struct jw_pack_written *written, struct jw_err *err)
{
    struct export *x = w->x;
    char *path = jw_path_join(x->run->a, w->work, NEW_SIGNATURE);
    struct jw_buf text = JW_BUF(JW_MAX_SIGNATURE);
    bool ok = jw_pack_minisig(&text, written, &x->jobs[w->pack].manifest, x->o->key, err)
              && jw_file_put(path, JW_OUT_REPLACE, jw_buf_bytes(&text), err);

    jw_buf_free(&text);
    return ok;
}

/* Removes the old pack's signature first, so that it is never beside the new pack. */
static bool place_pack(struct writing *w, struct jw_err *err)
{
    struct export *x = w->x;
    struct jw_export_pack *p = &x->out->packs[w->pack];
    const char *name = x->jobs[w->pack].name;
    struct jw_tree from = JW_TREE_CLOSED, to = JW_TREE_CLOSED;
    char signature[sizeof err->msg];
    bool ok;

    (void)snprintf(signature, sizeof signature, "%.300s.minisig", name);
    ok = jw_tree_open(&from, w->work, err) && jw_tree_open(&to, x->folder, err)
         && jw_tree_remove(&to, signature, err) && move_replacing(&from, NEW_PACK, &to, name, err);
    p->written = ok;
    ok = ok && (!x->o->key || move_replacing(&from, NEW_SIGNATURE, &to, signature, err))
         && jw_tree_sync(&to, err);
    if (ok && x->o->key)
        p->signature = jw_path_join(x->run->a, x->folder, signature);
    jw_tree_close(&to);
    jw_tree_close(&from);
    return ok;
}

static bool make_work(struct writing *w, struct jw_err *err)
{
    struct export *x = w->x;

    return x->o->stream ? jw_state_scratch(JW_STATE_EXPORT, x->run->a, &w->work, err)
                        : jw_scratch_make(x->folder, WORK_PREFIX, x->run->a, &w->work, err);
}

static bool write_one_pack(struct writing *w, struct jw_err *err)
{
    struct export *x = w->x;
    struct jw_export_pack *p = &x->out->packs[w->pack];
    struct jw_pack_written written = { 0 };
    bool ok = make_work(w, err) && write_pack(w, &written, err);

    if (ok && !x->run->ended) {
        p->packed = written.bytes;
        memcpy(p->manifest_digest, written.manifest, sizeof p->manifest_digest);
        memcpy(p->body_digest, written.body, sizeof p->body_digest);
        p->written = x->o->stream != NULL;
        ok = x->o->stream || ((!x->o->key || write_signature(w, &written, err)) && place_pack(w, err));
    }
    jw_scratch_remove(w->work);
    return ok || (p->path && err->code != JW_E_INTERRUPTED ? jw_wrap(err, "%.200s", p->path) : false);
}

static bool is_complete(const struct export *x)
{
    uint64_t lost = x->missing + x->unread;

    for (size_t i = 0; i < x->out->n_packs; i++)
        for (size_t k = 0; k < JW_EXPORT_WHYS; k++)
            lost += x->out->packs[i].left_out[k].entries;
    return !lost;
}

/* The content's digest: of the manifest and of the hashes that the driver stores in its entries. */
static bool is_needed(struct export *x, size_t pack, bool *yes, struct jw_err *err)
{
    const struct export_choice *c = &x->jobs[pack].choice;
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST];

    *yes = true;
    if (!x->o->needs)
        return true;
    bool ok = jw_pack_manifest_write(&text, &x->jobs[pack].manifest, err);

    jw_digest_init(&s);
    jw_digest_update(&s, text.p, text.n);
    for (size_t i = 0; i < c->n; i++)
        jw_digest_update(&s, &c->list[i].file->entry.payload_hash, sizeof(uint64_t));
    if (x->o->key)
        jw_digest_update(&s, x->o->key->id, sizeof x->o->key->id);
    jw_digest_final(&s, digest);
    jw_digest_hex(x->out->packs[pack].content, digest);
    jw_buf_free(&text);
    return ok && x->o->needs(x->o->needs_ctx, &x->out->packs[pack], yes, err);
}

bool export_write(struct export *x, struct jw_err *err)
{
    for (size_t i = 0; !x->o->dry_run && !x->run->ended && i < x->out->n_packs; i++) {
        struct writing w = { .x = x, .pack = i };
        bool yes;

        if (!is_needed(x, i, &yes, err))
            return false;
        if (yes
            && (!write_one_pack(&w, err) || (!x->run->ended && is_complete(x) && !export_store(x, i, err))))
            return false;
    }
    return x->run->ended || export_end(x, is_complete(x) ? JW_END_DONE : JW_END_PARTLY, "%s", "");
}
