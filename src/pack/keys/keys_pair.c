#include "pack/keys/keys.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/append.h"
#include "os/files/own.h"
#include "os/files/scratch.h"
#include "os/files/tree.h"
#include "os/machine/env.h"

#include <string.h>

#define SUFFIX ".key"
#define PREFIX ".jitwarm-keygen"
#define DRAFT "key"

const char *jw_key_usual_path(struct jw_arena *a)
{
    const char *config = jw_env_config_user(a);

    return config ? jw_path_join(a, config, "jitwarm/jitwarm" SUFFIX) : NULL;
}

const char *jw_key_public_path(const char *secret, struct jw_arena *a)
{
    size_t n = strlen(secret);
    char *out;

    if (jw_text_ends(secret, SUFFIX) && n > sizeof SUFFIX - 1)
        n -= sizeof SUFFIX - 1;
    out = jw_arena_alloc(a, n + sizeof ".pub");
    if (out) {
        memcpy(out, secret, n);
        memcpy(out + n, ".pub", sizeof ".pub");
    }
    return out;
}

struct saving {
    struct jw_arena a;
    const char *path;   /* of the secret key */
    const char *folder; /* that it goes to */
    char *draft_folder; /* where it is written, on the same file system */
    struct jw_out public;
};

static bool write_draft(struct saving *s, const struct jw_minisign_secret_text *text, struct jw_err *err)
{
    struct jw_append f = JW_APPEND_CLOSED;
    const char *draft = jw_path_join(&s->a, s->draft_folder, DRAFT);
    bool ok = jw_append_open(&f, draft, err) && jw_own_file(draft, err)
              && jw_append_write(&f, text->p, text->n, err) && jw_append_sync(&f, err);
    jw_append_close(&f);
    return ok || jw_wrap(err, "%s", s->path);
}

static bool give_name(struct saving *s, struct jw_err *err)
{
    struct jw_tree from = JW_TREE_CLOSED, to = JW_TREE_CLOSED;
    enum jw_moved how = JW_MOVED;
    bool ok = jw_tree_open(&from, s->draft_folder, err) && jw_tree_open(&to, s->folder, err)
              && jw_tree_move(&from, DRAFT, &to, jw_path_base(s->path), &how, err)
              && (how != JW_MOVED || jw_tree_sync(&to, err));

    jw_tree_close(&from);
    jw_tree_close(&to);
    if (ok && how != JW_MOVED)
        ok = jw_fail(err, JW_E_IO, "already exists");
    return ok || jw_wrap(err, "%s", s->path);
}

static bool commit(struct saving *s, const char *public_path, struct jw_err *err)
{
    struct jw_err ignored = { 0 };

    if (!give_name(s, err))
        return false;
    if (jw_out_commit(&s->public, err))
        return true;
    /* A secret key without its other half is of no use. */
    if (!jw_append_remove(s->path, &ignored))
        return jw_wrap(err, "%s is left over, and %s", s->path, public_path);
    return jw_wrap(err, "%s", public_path);
}

bool jw_key_pair_save(const char *secret_path, const struct jw_minisign_secret_text *secret,
                      const char *public_path, struct jw_bytes public, struct jw_err *err)
{
    struct saving s = { .path = secret_path };
    struct jw_file_info info;
    bool ok;

    s.folder = jw_path_dir(&s.a, secret_path);
    ok = true;
    ok = ok && (jw_file_stat(secret_path, &info, err) || jw_wrap(err, "%s", secret_path));
    if (ok && info.kind != JW_FILE_NONE)
        ok = jw_fail(err, JW_E_IO, "%s: already exists", secret_path);
    ok = ok && jw_scratch_make(s.folder, PREFIX, &s.a, &s.draft_folder, err) && write_draft(&s, secret, err)
         && ((jw_out_open(&s.public, public_path, false, err)
              && jw_out_write(&s.public, public.p, public.n, err))
             || jw_wrap(err, "%s", public_path))
         && commit(&s, public_path, err);
    jw_out_close(&s.public);
    jw_scratch_remove(s.draft_folder);
    jw_arena_free(&s.a);
    return ok;
}
