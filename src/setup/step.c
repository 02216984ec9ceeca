#include "setup/step.h"

#include "base/limits.h"
#include "base/path.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "setup/step_system.h"

#include <string.h>

enum { MAX_STEPS = 64 };

const char *const jw_step_kind_names[] = { "file", "link", "lines", "value", "task", "folder", "command" };

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

bool jw_steps_done(const struct jw_step_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].done)
            return true;
    return false;
}

void jw_step_look(struct jw_step *s, const char *mark, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err why = { 0 };
    bool exists = false;

    if (setup_is_link(s->path))
        s->why = jw_arena_printf(a, "%s is a link, which jitwarm did not make; it is not changed", s->path);
    else if (!jw_file_slurp(s->path, &text, &exists, &why))
        s->why = jw_arena_printf(a, "%s: %s", s->path, why.msg);
    else if (exists && !jw_starts(jw_buf_bytes(&text), mark))
        s->why = jw_arena_printf(a, "%s was not written by jitwarm; it is not changed", s->path);
    s->found = exists && !s->why;
    s->same = s->found && s->text && strlen(s->text) == text.n && memcmp(s->text, text.p, text.n) == 0;
    jw_buf_free(&text);
}

bool jw_step_write(struct jw_step *s, bool for_all, struct jw_arena *a, struct jw_err *err)
{
    s->done = setup_put_file(s->path, (struct jw_bytes){ (const uint8_t *)s->text, strlen(s->text) }, for_all,
                             a, err);
    return s->done;
}

void jw_step_drop_folders(const char *folder, const char *top, struct jw_arena *a)
{
    for (; jw_path_below(folder, top); folder = jw_path_dir(a, folder))
        jw_sys_rmdir(folder); /* one that has something in it stays */
}

bool jw_step_remove(struct jw_step *s, const char *top, struct jw_arena *a, struct jw_err *err)
{
    if (!setup_put_file(s->path, (struct jw_bytes){ NULL, 0 }, false, a, err))
        return false;
    jw_step_drop_folders(jw_path_dir(a, s->path), top, a);
    s->done = true;
    return true;
}
