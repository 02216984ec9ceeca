#include "setup/step.h"

#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/files/scratch.h"

#include <string.h>

enum { MAX_STEPS = 64 };

struct jw_step *jw_step_add(struct jw_step_list *list, enum jw_step_kind kind, const char *path,
                            struct jw_arena *a)
{
    if (!list->v)
        list->v = jw_arena_alloc(a, MAX_STEPS * sizeof *list->v);

    struct jw_step *s = &list->v[list->n < MAX_STEPS ? list->n++ : MAX_STEPS - 1];

    *s = (struct jw_step){ .kind = kind, .path = path };
    return s;
}

bool jw_steps_found(const struct jw_step_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].found)
            return true;
    return false;
}

bool jw_steps_same(const struct jw_step_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!list->v[i].same)
            return false;
    return true;
}

static void look_at_file(struct jw_step *s, const char *mark, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err why = { 0 };
    bool exists = false;

    if (!jw_file_slurp(s->path, &text, &exists, &why))
        s->why = jw_arena_printf(a, "%s: %s", s->path, why.msg);
    else if (exists && !jw_starts(jw_buf_bytes(&text), mark))
        s->why = jw_arena_printf(a, "%s was not written by jitwarm; it is not changed", s->path);
    s->found = exists && !s->why;
    s->same = s->found && s->text && strlen(s->text) == text.n && memcmp(s->text, text.p, text.n) == 0;
    jw_buf_free(&text);
}

void jw_step_look(struct jw_step *s, const char *mark, struct jw_arena *a)
{
    bool is_link = jw_is_link(s->path);

    if (s->kind == JW_STEP_LINK) {
        s->found = s->same = is_link;
        if (!is_link && !jw_is_absent(s->path))
            s->why = jw_arena_printf(a, "%s is not jitwarm's; it is not changed", s->path);
    } else if (is_link)
        s->why = jw_arena_printf(a, "%s is a link, which jitwarm did not make; it is not changed", s->path);
    else
        look_at_file(s, mark, a);
}

bool jw_step_write(struct jw_step *s, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_bytes text = { (const uint8_t *)s->text, strlen(s->text) };

    s->done = (jw_make_dirs(jw_path_dir(a, s->path), err)
               && (s->kind == JW_STEP_LINK ? jw_make_link(s->path, s->text, err)
                                           : jw_file_put(s->path, JW_OUT_REPLACE, text, err)))
              || jw_wrap(err, "%.250s", s->path);
    return s->done;
}

void jw_step_drop_folders(const char *folder, const char *top, struct jw_arena *a)
{
    for (; top && jw_path_below(folder, top); folder = jw_path_dir(a, folder))
        jw_remove_empty_dir(folder); /* one that has something in it stays */
}

bool jw_step_remove(struct jw_step *s, struct jw_arena *a, struct jw_err *err)
{
    s->done = jw_file_remove(s->path, err) || jw_wrap(err, "%.250s", s->path);
    if (s->done)
        jw_step_drop_folders(jw_path_dir(a, s->path), s->top, a);
    return s->done;
}
