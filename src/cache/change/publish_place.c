#include "cache/change/publish_place.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "cache/place/cache_disk.h"
#include "cache/place/lookup.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "os/machine/env.h"

#include <string.h>

enum {
    MANY = 8,    /* folders, from where on one barrier is faster */
    LEVEL_0 = 1, /* bytes of "4/2/3e06b9e6ec62aa" up to each folder */
    LEVEL_1 = 3
};

static const char HEX[] = "0123456789abcdef";

/* A file that is being moved in. */
struct placing {
    struct publish_folder *folder;
    struct jw_publish_entry *e;
    const char *to;        /* its name in `home` */
    struct jw_folder home; /* the folder of the second level */
    struct jw_folder from; /* its folder */
    const char *name;      /* in `from` */
    struct jw_cache_entry entry;
};

/* Puts "ROOT/4/2: " before the message; `n` bytes of the name. */
static bool wrap_below(const struct publish_folder *folder, uint64_t hash, int n,
                       struct jw_err *err)
{
    return jw_wrap(err, "%s/%.*s", folder->path, n, jw_cache_name(hash).text);
}

static bool wrap_file(const struct placing *p, struct jw_err *err)
{
    return wrap_below(p->folder, p->e->name, (int)sizeof(struct jw_cache_name), err);
}

/* ---- folders ---- */

/* How a person takes away the right of others to write. */
static const char *way_to_close(const struct jw_trust *t, struct jw_arena *a)
{
    if (jw_os_is_windows())
        return jw_arena_printf(a, "icacls FOLDER /inheritance:d /remove:g \"%s\"", t->writers);
    return t->sticky ? "name another folder" : "chmod go-w";
}

bool publish_check_owner(const struct jw_folder *folder, struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_trust t;
    bool ok = jw_trust_read_open(folder, &a, &t, err);

    if (ok && jw_trust_foreign(&t))
        ok = jw_fail(
            err, JW_E_FORMAT,
            "is owned by %s, not by you: the owner can replace the GPU code that your programs run",
            t.owner);
    else if (ok && t.writers)
        ok = jw_fail(err, JW_E_FORMAT,
                     "%s may write to it, and so replace the GPU code that your programs run. To "
                     "fix it: %.250s",
                     t.writers, way_to_close(&t, &a));
    jw_arena_free(&a);
    return ok;
}

static bool enter(const struct jw_folder *above, const char *name, bool make, struct jw_folder *out,
                  bool *found, struct jw_err *err)
{
    if (jw_folder_enter(above, name, make, out, found, err))
        return !*found || publish_check_owner(out, err);
    const struct jw_err why = *err;

    return why.code == JW_E_FORMAT
           && jw_fail(err, JW_E_FORMAT, "%s: put a folder there, jitwarm stores nothing behind it",
                      why.msg);
}

/* Opens the folder of an entry. Refuses links and other users' folders with JW_E_FORMAT. */
static bool open_home(const struct publish_folder *folder, uint64_t hash, bool make,
                      struct jw_folder *home, bool *found, struct jw_err *err)
{
    const char h0[] = {HEX[hash >> 60], '\0'};
    const char h1[] = {HEX[hash >> 56 & 15], '\0'};
    struct jw_folder first = JW_FOLDER_CLOSED;
    bool ok = enter(&folder->open, h0, make, &first, found, err)
              || wrap_below(folder, hash, LEVEL_0, err);

    if (ok && *found)
        ok = enter(&first, h1, make, home, found, err) || wrap_below(folder, hash, LEVEL_1, err);
    jw_folder_close(&first);
    return ok;
}

/* The folder of this digit, behind those below it that changed: a bit of `below` for each. */
static bool sync_folder(const struct jw_folder *above, unsigned digit, unsigned below,
                        struct jw_err *err)
{
    struct jw_folder folder = JW_FOLDER_CLOSED;
    bool found = false;
    bool ok = jw_folder_enter(above, (char[]){HEX[digit], '\0'}, false, &folder, &found, err);

    for (unsigned k = 0; ok && found && k < 16; k++)
        ok = !(below >> k & 1) || sync_folder(&folder, k, 0, err);
    ok = ok && (!found || jw_folder_sync(&folder, err));
    jw_folder_close(&folder);
    return ok || jw_wrap(err, "%c", HEX[digit]);
}

static unsigned touched_folders(const struct publish_folder *folder)
{
    unsigned n = 0;

    for (unsigned h0 = 0; h0 < JW_COUNT(folder->touched); h0++)
        for (unsigned homes = folder->touched[h0]; homes; homes &= homes - 1)
            n++;
    return n;
}

bool publish_sync(struct publish_folder *folder, struct jw_err *err)
{
    bool any = false;
    bool done = false;

    if (touched_folders(folder) > MANY && !jw_folder_sync_files(&folder->open, &done, err))
        return jw_wrap(err, "%s", folder->path);
    if (done) {
        memset(folder->touched, 0, sizeof folder->touched);
        return true;
    }
    for (unsigned h0 = 0; h0 < JW_COUNT(folder->touched); h0++) {
        if (!folder->touched[h0])
            continue;
        if (!sync_folder(&folder->open, h0, folder->touched[h0], err))
            return jw_wrap(err, "%s", folder->path);
        folder->touched[h0] = 0;
        any = true;
    }
    return !any || jw_folder_sync(&folder->open, err) || jw_wrap(err, "%s", folder->path);
}

bool publish_stat(const struct publish_folder *folder, uint64_t hash, struct jw_folder *home,
                  struct jw_file_info *info, struct jw_err *err)
{
    bool found = false;

    *info = (struct jw_file_info){.kind = JW_FILE_NONE};
    return open_home(folder, hash, false, home, &found, err)
           && (!found || jw_folder_stat(home, jw_cache_name(hash).text + PUBLISH_FILE, info, err)
               || wrap_below(folder, hash, (int)sizeof(struct jw_cache_name), err));
}

bool publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                   bool *there, struct jw_err *err)
{
    struct jw_err why = {0};
    struct jw_file_info info;
    struct jw_folder home = JW_FOLDER_CLOSED;
    bool ok = publish_stat(folder, record->hash, &home, &info, &why);

    *there = ok && info.kind == JW_FILE_REGULAR && info.size == JW_CACHE_HEADER + record->size;
    jw_folder_close(&home);
    if (ok || publish_is_unsound(&why)) /* a link, or another user's folder */
        return true;
    return jw_pass(err, why);
}

/* ---- files ---- */

struct seen {
    bool there, sound;
    struct jw_cache_entry entry;
};

/* Checks every byte, or for `hash` 0 the head alone; syncs a file that is open for writing.
 * JW_E_FORMAT, JW_E_LIMIT: it is damaged. */
static bool check_file(const struct jw_folder *folder, const char *name, enum jw_folder_use use,
                       uint64_t hash, struct seen *out, struct jw_err *err)
{
    struct jw_file f;
    struct jw_file_info info;

    *out = (struct seen){.there = false};
    if (!jw_folder_open_file(folder, name, use, &f, &out->there, err))
        return false;
    if (!out->there)
        return true;

    bool ok =
        (jw_cache_check_open(&f, hash, &info, &out->entry, err) || jw_wrap(err, "cache entry"))
        && (use == JW_FOLDER_READ || jw_file_sync(&f, err));
    jw_file_close(&f);
    return ok;
}

/* A file that this user cannot open: programs cannot either. */
static bool is_closed(const struct jw_folder *folder, const char *name, const struct jw_err *why)
{
    struct jw_file_info info;

    return why->code == JW_E_IO && jw_folder_stat(folder, name, &info, JW_IGNORED)
           && info.kind == JW_FILE_REGULAR;
}

/* A link that leads nowhere. Programs find no entry there, and a move replaces the link itself. */
static bool is_dead_link(const struct placing *p)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_file_info info;

    jw_buf_printf(&path, "%s/%s", p->folder->path, jw_cache_name(p->e->name).text);
    bool is = jw_folder_stat(&p->home, p->to, &info, JW_IGNORED) && info.kind == JW_FILE_LINK
              && jw_buf_ok(&path, JW_IGNORED) && jw_is_absent(jw_buf_cstr(&path));

    jw_buf_free(&path);
    return is;
}

/* If the file at the target cannot be asked, only this entry fails. */
static bool look_at_target(const struct placing *p, struct seen *out, struct jw_err *err)
{
    struct jw_err why = {0};
    bool whole = check_file(&p->home, p->to, JW_FOLDER_READ, p->e->name, out, &why);

    out->sound = whole && out->there && !p->e->replaces;
    if (whole || is_dead_link(p))
        return true;
    if (out->there ? publish_is_unsound(&why) : is_closed(&p->home, p->to, &why))
        return true;
    *err = why;
    jw_err_becomes_all(err, JW_E_FORMAT);
    return wrap_file(p, err);
}

static bool open_from(struct placing *p, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_path_dir(a, p->e->from);
    /* The size of one that is synced; else the file says it. */
    struct seen seen = {.entry.payload_size = p->e->size};

    p->name = jw_path_base(p->e->from);
    if (!jw_folder_open(&p->from, folder, err))
        return false;
    if (!p->e->synced
        && !check_file(&p->from, p->name, JW_FOLDER_CHANGE, p->e->checked ? 0 : p->e->name, &seen,
                       err))
        return false;
    if (!p->e->synced && !seen.there)
        return jw_fail(err, JW_E_IO, "no such file");
    p->entry = seen.entry;
    return true;
}

/* ---- moving ---- */

static void arrived(struct placing *p, enum jw_published result, const struct jw_cache_entry *file)
{
    unsigned folder = (unsigned)(p->e->name >> 56);

    p->e->result = result;
    p->e->size = jw_cache_weight(file);
    p->folder->touched[folder / 16] |= 1U << folder % 16;
}

/* What is damaged, or of no use, is replaced. A program that is still writing it writes the same
 * code, because its name is a hash of what makes the code. driver-fact: F39-deterministic */
static bool move_in(struct placing *p, struct jw_err *err)
{
    struct seen there;
    bool moved;

    if (!jw_folder_move(&p->from, p->name, &p->home, p->to, false, &moved, err))
        return wrap_file(p, err);
    if (moved) {
        arrived(p, JW_PUBLISH_PLACED, &p->entry);
        return true;
    }
    if (!look_at_target(p, &there, err))
        return false;
    if (there.sound) {
        arrived(p, JW_PUBLISH_THERE, &there.entry);
        return true;
    }
    if (!jw_folder_move(&p->from, p->name, &p->home, p->to, true, &moved, err))
        return wrap_file(p, err);
    arrived(p, JW_PUBLISH_REPLACED, &p->entry);
    return true;
}

/* `*is`: the file is in its place already. */
static bool at_home(const struct placing *p, bool *is, struct jw_err *err)
{
    struct jw_file_info here = {0};
    struct jw_file_info home = {0};
    bool ok =
        jw_folder_stat(&p->from, ".", &here, err) && jw_folder_stat(&p->home, ".", &home, err);

    *is = ok && here.kind == JW_FILE_DIR && jw_file_same(here.id, home.id)
          && strcmp(p->name, p->to) == 0;
    return ok || jw_wrap(err, "%s", p->folder->path);
}

static void clean_up(struct placing *p, struct jw_arena *a)
{
    struct jw_err why = {0};

    if (jw_folder_remove(&p->from, p->name, &why))
        return;
    jw_err_wrap(&why, "%s: cannot be removed", p->e->from);
    p->e->why = jw_arena_str(a, why.msg);
}

static bool place_file(struct placing *p, struct jw_arena *a, struct jw_err *err)
{
    bool found = false;
    bool is = false;

    if (!open_home(p->folder, p->e->name, true, &p->home, &found, err)
        || (!p->e->synced && !at_home(p, &is, err)))
        return false;
    if (is) {
        arrived(p, JW_PUBLISH_THERE, &p->entry);
        return true;
    }
    if (!move_in(p, err))
        return false;
    if (p->e->result == JW_PUBLISH_THERE) /* the file is not needed */
        clean_up(p, a);
    return true;
}

/* Only its record is missing. */
static bool find_placed(struct placing *p, struct jw_err *err)
{
    struct seen seen = {.there = false};
    struct jw_err why = {0};
    bool found = false;

    if (!open_home(p->folder, p->e->name, false, &p->home, &found, err))
        return false;

    bool ok = !found || check_file(&p->home, p->to, JW_FOLDER_READ, p->e->name, &seen, &why);

    if (ok && seen.there) {
        arrived(p, JW_PUBLISH_THERE, &seen.entry);
        return true;
    }
    if (ok)
        (void)jw_fail(&why, JW_E_FORMAT, "no such file");
    *err = why;
    jw_err_becomes_all(err, JW_E_FORMAT);
    return wrap_file(p, err);
}

static void refuse_entry(struct jw_publish_entry *e, const struct jw_err *why, struct jw_arena *a)
{
    e->result = JW_PUBLISH_REFUSED;
    e->size = 0;
    e->why = jw_arena_str(a, why->msg);
}

bool publish_place(struct publish_folder *folder, struct jw_publish_entry *e, struct jw_arena *a,
                   struct jw_err *err)
{
    const struct jw_cache_name name = jw_cache_name(e->name);
    struct placing p = {.folder = folder,
                        .e = e,
                        .to = name.text + PUBLISH_FILE,
                        .home = JW_FOLDER_CLOSED,
                        .from = JW_FOLDER_CLOSED};
    struct jw_err why = {0};

    e->why = NULL;

    bool fault_of_file = e->from && !open_from(&p, a, &why);
    bool ok = !fault_of_file && (e->from ? place_file(&p, a, &why) : find_placed(&p, &why));

    jw_folder_close(&p.from);
    jw_folder_close(&p.home);
    /* Where the index can be written, a closed folder keeps out its own entries alone. */
    bool closed = !ok && jw_cache_closed_folder(folder->path, (unsigned)(e->name >> 56), a)
                  && jw_cache_index_opens(folder->path, false, JW_IGNORED);

    if (!ok && (fault_of_file || publish_is_unsound(&why) || closed)) {
        refuse_entry(e, &why, a);
        return true;
    }
    return ok || jw_pass(err, why);
}
