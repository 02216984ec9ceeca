#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/paths.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "setup/parts.h"

#include <string.h>

struct jw_step *jw_step_add(struct jw_step_list *list, enum jw_step_kind kind, const char *path,
                            struct jw_arena *a)
{
    struct jw_step *s = jw_list_add(a, &list->v, &list->n, sizeof *s, SIZE_MAX, JW_IGNORED);

    *s = (struct jw_step){.kind = kind, .path = path};
    return s;
}

const struct jw_step *jw_steps_found(const struct jw_step_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].found)
            return &list->v[i];
    return NULL;
}

bool jw_steps_same(const struct jw_step_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!list->v[i].same)
            return false;
    return true;
}

enum { SEAL = sizeof "# As jitwarm wrote it: 0123456789abcdef\n" - 1 };

static const char *sealed(const char *text, size_t n, struct jw_arena *a)
{
    return jw_arena_printf(a, "%.*s# As jitwarm wrote it: %016llx\n", (int)n, text,
                           (unsigned long long)jw_fnv1a(JW_FNV_START, text, n));
}

void jw_step_look(struct jw_step_list *list, enum jw_step_kind kind, const char *path,
                  const char *top, const char *text, struct jw_arena *a)
{
    struct jw_step *s = jw_step_add(list, kind, path, a);
    struct jw_buf now = JW_BUF_IN(a, JW_MAX_CONF);
    struct jw_err why = {.msg = "not as jitwarm wrote it, so it is yours to change or delete"};
    bool is_link = jw_is_link(path), exists;

    s->top = top;
    s->text = text && kind == JW_STEP_FILE ? sealed(text, strlen(text), a) : text;
    if (kind == JW_STEP_LINK) {
        s->found = s->same = is_link;
    } else if (!is_link && jw_file_slurp(path, &now, &exists, &why)) {
        s->found = now.n >= SEAL
                   && strcmp(jw_buf_cstr(&now), sealed(jw_buf_cstr(&now), now.n - SEAL, a)) == 0;
        s->same = s->found && jw_text_same(s->text, jw_buf_cstr(&now));
    }
    if (!s->found && !jw_is_absent(path))
        s->why = jw_arena_printf(a, "%s: %s", path, why.msg);
}

static bool write_one(struct jw_step *s, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_bytes text = {(const uint8_t *)s->text, strlen(s->text)};
    const char *folder = jw_path_dir(a, s->path);

    jw_out_sweep(folder);
    s->done = s->same
              || (jw_make_dirs(folder, err)
                  && (s->kind == JW_STEP_LINK ? jw_make_link(s->path, s->text, err)
                                              : jw_file_put(s->path, JW_OUT_REPLACE, text, err)));
    return s->done || jw_wrap(err, "%.250s", s->path);
}

bool jw_steps_write(const struct jw_step_list *list, bool dry_run, struct jw_arena *a,
                    struct jw_err *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].why)
            return jw_fail(err, JW_E_IO, "%s", list->v[i].why);
    for (size_t i = 0; !dry_run && i < list->n; i++)
        if (list->v[i].kind != JW_STEP_TASK && !write_one(&list->v[i], a, err))
            return false;
    return true;
}

void jw_step_drop_folders(const char *folder, const char *top, struct jw_arena *a)
{
    for (; top && jw_path_below(folder, top); folder = jw_path_dir(a, folder))
        (void)jw_remove_empty_dir(folder, JW_IGNORED); /* a folder that holds anything stays */
}

static void remove_one(struct jw_step *s, struct jw_arena *a)
{
    const char *folder = jw_path_dir(a, s->path);
    struct jw_err why = {.msg = "it is still there"};

    if (s->found && s->kind == JW_STEP_FOLDER) {
        jw_scratch_remove(s->path);
        (void)!jw_remove_empty_dir(s->path, &why);
    } else if (s->found) {
        (void)!jw_file_remove(s->path, &why);
    }
    s->done = s->found && jw_is_absent(s->path);
    if (s->done != s->found)
        s->why = jw_arena_printf(a, "%s was not removed: %s", s->path, why.msg);
    jw_out_sweep(folder);
    jw_step_drop_folders(folder, s->top, a);
}

bool jw_steps_remove(const struct jw_step_list *list, bool dry_run, struct jw_arena *a)
{
    bool all = true;

    for (size_t i = dry_run ? 0 : list->n; i-- > 0;) {
        struct jw_step *s = &list->v[i];

        if (s->kind != JW_STEP_TASK && s->kind != JW_STEP_VALUE)
            remove_one(s, a);
        all &= !s->why;
    }
    return all;
}
