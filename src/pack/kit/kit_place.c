/* Files are staged in a folder of their own inside of the cache's, so that each comes to its place by one rename. */
#include "base/path.h"
#include "base/text.h"
#include "machine/trust.h"
#include "os/files/disk.h"
#include "os/files/scratch.h"
#include "pack/kit/kit.h"

#include <string.h>

struct target {
    struct jw_tree tree, staged;
    char *work;
    uint64_t need; /* bytes that are not there yet */
};

struct jw_kit_place {
    const struct jw_kit *kit;
    struct jw_arena *a;
    bool stage, replace;
    struct target *targets; /* of each cache */
    struct jw_kit_sum *sums;
    bool *is_staged; /* of each file */
};

#define STAGED_NAME(file) jw_path_base(jw_kit_member(file).text)

static bool ends_in(const char *path, const char *const *ends, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jw_text_ends(path, ends[i]))
            return true;
    return false;
}

static bool begins(struct jw_bytes bytes, const char *with)
{
    return bytes.n >= strlen(with) && memcmp(bytes.p, with, strlen(with)) == 0;
}

/* A cubin is an ELF file, too. */
static bool is_machine_code(struct jw_bytes bytes)
{
    enum { MACHINE_AT = 18, CUDA = 190 };

    return begins(bytes, "MZ") || begins(bytes, "#!")
           || (begins(bytes, "\177ELF") && bytes.n > MACHINE_AT + 1
               && (bytes.p[MACHINE_AT] | bytes.p[MACHINE_AT + 1] << 8) != CUDA);
}

/* A name may lie, so the first bytes of a file count, too. */
static void count_kind(struct jw_kit_sum *s, const char *path, struct jw_bytes bytes)
{
    static const char *const programs[] = { ".so", ".pyd", ".dll", ".exe" }, *const python[] = {
        ".py", ".pyc", ".nbi", ".nbc", ".pkl"
    };
    bool pickle = bytes.n > 1 && bytes.p[0] == 0x80 && bytes.p[1] >= 2 && bytes.p[1] <= 5;

    s->programs +=
        ends_in(path, programs, JW_COUNT(programs)) || strstr(path, ".so.") || is_machine_code(bytes);
    s->python += ends_in(path, python, JW_COUNT(python)) || pickle;
}

static void count_files(struct jw_kit_place *p)
{
    for (size_t i = 0; i < p->kit->n_files; i++) {
        const struct jw_kit_file *f = &p->kit->files[i];

        p->sums[f->cache].files++;
        p->sums[f->cache].bytes += f->bytes;
    }
}

static bool is_placed(const struct jw_kit_place *p, size_t cache)
{
    return p->sums[cache].folder && !p->sums[cache].left;
}

/* Only this cache is left alone: of Numba the folder beside a program that is another user's. */
static bool leave(struct jw_kit_place *p, size_t cache, struct jw_err *err)
{
    if (err->code != JW_E_TRUST)
        return false;
    p->sums[cache].left = jw_arena_str(p->a, err->msg);
    *err = (struct jw_err){ 0 };
    return true;
}

static bool open_folder(struct jw_kit_place *p, size_t cache, struct jw_err *err)
{
    const char *path = p->sums[cache].folder;

    return !path || jw_kit_open_folder(path, p->a, &p->targets[cache].tree, err);
}

static bool is_open(const struct jw_tree *t)
{
    return t->handle != JW_TREE_CLOSED.handle;
}

static bool make_staged(struct jw_kit_place *p, size_t cache, struct jw_err *err)
{
    const char *path = p->sums[cache].folder;
    struct target *t = &p->targets[cache];

    if (!is_placed(p, cache))
        return true;
    if (!is_open(&t->tree) && !jw_trust_make(path, err))
        return jw_wrap(err, "%s", path);
    return (is_open(&t->tree) || open_folder(p, cache, err))
           && ((jw_scratch_make(path, JW_KIT_STAGED, p->a, &t->work, err)
                && jw_tree_open(&t->staged, t->work, err))
               || jw_wrap(err, "%s", path));
}

static struct jw_kit_folder cache_folder_of(const struct jw_kit_place *p, const struct jw_kit_file *f)
{
    return (struct jw_kit_folder){ &p->targets[f->cache].tree, p->sums[f->cache].folder };
}

static bool reach(struct jw_kit_place *p, const struct jw_kit_file *f, struct jw_kit_at *at,
                  struct jw_err *err)
{
    const struct jw_kit_folder folder = cache_folder_of(p, f);

    return jw_kit_reach(&folder, f->path, true, at, p->a, err) || jw_wrap(err, "%s/%s", folder.path, f->path);
}

/* The file that has its name now; a folder or a link is an error. It may be another user's, who gave it the name that
 * the engine will look for. */
static bool look(struct jw_kit_place *p, const struct jw_kit_file *f, bool *there, bool *same,
                 struct jw_err *err)
{
    const struct jw_kit_folder folder = cache_folder_of(p, f);
    struct jw_file file = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    uint8_t digest[JW_DIGEST];

    *same = false;
    bool ok = jw_kit_open_file(&folder, f->path, &file, there, p->a, err);

    if (ok && *there && (ok = jw_file_info(&file, &info, err)) && info.size == f->bytes) {
        struct jw_source bytes = jw_file_source(&file, info.size);

        ok = jw_digest_source(digest, &bytes, err);
        *same = ok && memcmp(digest, f->digest, JW_DIGEST) == 0;
    }
    jw_file_close(&file);
    return ok;
}

/* Before a byte of it is read: its folders, and the room that it will need. */
static bool look_ahead(struct jw_kit_place *p, const struct jw_kit_file *f, struct jw_err *err)
{
    bool there, same, ok = look(p, f, &there, &same, err);

    p->targets[f->cache].need += ok && !same && (!there || p->replace) ? f->bytes : 0;
    return ok;
}

/* Caches on one file system share its room. */
static bool check_room(struct jw_kit_place *p, struct jw_err *err)
{
    size_t n = p->kit->n_caches;
    struct jw_disk *disks = jw_arena_alloc(p->a, (n + 1) * sizeof *disks);

    for (size_t i = 0; i < n; i++) {
        const char *folder = p->sums[i].folder;
        uint64_t need = p->targets[i].need;

        if (!is_placed(p, i) || !jw_disk_look(folder, &disks[i], &(struct jw_err){ 0 }))
            continue;
        for (size_t k = 0; k < i; k++)
            need += is_placed(p, k) && disks[k].volume == disks[i].volume ? p->targets[k].need : 0;
        if (need && need + jw_disk_spare(&disks[i]) > disks[i].free)
            return jw_fail(err, JW_E_LIMIT,
                           "not enough disk space: %s needed, %s free in %s (%s stay reserved)",
                           JW_SIZE(need), JW_SIZE(disks[i].free), folder, JW_SIZE(jw_disk_spare(&disks[i])));
    }
    return true;
}

bool jw_kit_place_begin(struct jw_kit_place **out, const struct jw_kit *kit, bool stage, bool replace,
                        struct jw_arena *a, struct jw_err *err)
{
    struct jw_kit_place *p = *out = jw_arena_alloc(a, sizeof *p);
    bool ok = true;

    *p = (struct jw_kit_place){ .kit = kit, .a = a, .stage = stage, .replace = replace };
    p->targets = jw_arena_alloc(a, (kit->n_caches + 1) * sizeof *p->targets);
    p->sums = jw_arena_alloc(a, (kit->n_caches + 1) * sizeof *p->sums);
    p->is_staged = jw_arena_alloc(a, kit->n_files + 1);
    for (size_t i = 0; i < kit->n_caches; i++) {
        p->targets[i] = (struct target){ JW_TREE_CLOSED, JW_TREE_CLOSED, NULL, 0 };
        p->sums[i].name = kit->caches[i].name;
        p->sums[i].folder = jw_kit_folder_here(&kit->caches[i], a);
    }
    count_files(p);
    for (size_t i = 0; ok && i < kit->n_caches; i++)
        ok = open_folder(p, i, err) || leave(p, i, err);
    for (size_t i = 0; ok && i < kit->n_files; i++)
        ok = !is_placed(p, kit->files[i].cache) || look_ahead(p, &kit->files[i], err)
             || leave(p, kit->files[i].cache, err);
    ok = ok && check_room(p, err);
    for (size_t i = 0; ok && stage && i < kit->n_caches; i++)
        ok = make_staged(p, i, err);
    return ok;
}

static bool write_staged(struct jw_kit_place *p, size_t file, struct jw_bytes bytes, struct jw_err *err)
{
    const struct jw_kit_file *f = &p->kit->files[file];
    struct jw_file out = JW_FILE_CLOSED;
    bool found = false;
    bool ok =
        jw_tree_open_file(&p->targets[f->cache].staged, STAGED_NAME(file), JW_TREE_MAKE, &out, &found, err)
        && (!bytes.n || jw_file_write(&out, 0, bytes.p, bytes.n, err))
        && jw_file_set_attributes(&out, f->mode, f->mtime_us, err) && jw_file_sync(&out, err);

    jw_file_close(&out);
    p->is_staged[file] = ok;
    return ok || jw_wrap(err, "%s", p->targets[f->cache].work);
}

bool jw_kit_place_file(struct jw_kit_place *p, size_t file, struct jw_bytes bytes, struct jw_err *err)
{
    const struct jw_kit_file *f = &p->kit->files[file];
    struct jw_kit_sum *s = &p->sums[f->cache];
    bool there, same;

    count_kind(s, f->path, bytes);
    if (!is_placed(p, f->cache))
        return true;
    if (!look(p, f, &there, &same, err))
        return false;
    s->present += same;
    s->kept += there && !same && !p->replace;
    return same || (there && !p->replace) || !p->stage || write_staged(p, file, bytes, err);
}

/* Between the look and now another import may have placed it, or an engine made it: that one stays. */
static bool move(struct jw_kit_place *p, size_t file, struct jw_err *err)
{
    const struct jw_kit_file *f = &p->kit->files[file];
    struct jw_kit_sum *s = &p->sums[f->cache];
    const struct jw_tree *staged = &p->targets[f->cache].staged;
    enum jw_swap_result swapped = JW_SWAP_NOTHING;
    enum jw_move_result moved = JW_MOVE_TAKEN;
    struct jw_kit_at at;
    bool there, same;
    bool ok =
        reach(p, f, &at, err) && jw_tree_move(staged, STAGED_NAME(file), at.folder, at.name, &moved, err);

    if (ok && moved == JW_MOVE_TAKEN && p->replace)
        ok = jw_tree_swap(staged, STAGED_NAME(file), at.folder, at.name, &swapped, err);
    jw_tree_close(&at.entered);
    if (!ok)
        return jw_wrap(err, "%s/%s", s->folder, f->path);
    if (moved == JW_MOVED || swapped != JW_SWAP_NOTHING) {
        s->placed++;
        return true;
    }
    ok = look(p, f, &there, &same, err);
    s->present += ok && same;
    s->kept += ok && !same;
    return ok;
}

/* Steps that can fail for want of room come before the first file is moved. */
bool jw_kit_place_all(struct jw_kit_place *p, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < p->kit->n_files; i++) {
        struct jw_kit_at at = { .entered = JW_TREE_CLOSED };

        ok = !p->is_staged[i] || reach(p, &p->kit->files[i], &at, err);
        jw_tree_close(&at.entered);
    }
    for (size_t i = 0; ok && i < p->kit->n_files; i++)
        ok = !p->is_staged[i] || move(p, i, err);
    return ok;
}

const struct jw_kit_sum *jw_kit_place_sums(const struct jw_kit_place *p, size_t *n)
{
    *n = p->kit->n_caches;
    return p->sums;
}

void jw_kit_place_end(struct jw_kit_place *p)
{
    for (size_t i = 0; p && i < p->kit->n_caches; i++) {
        jw_tree_close(&p->targets[i].staged);
        jw_tree_close(&p->targets[i].tree);
        jw_scratch_remove(p->targets[i].work);
    }
}
