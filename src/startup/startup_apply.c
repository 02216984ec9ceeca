#include "startup/startup_work.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/append.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <string.h>

enum { COMMAND_MS = 20000 };

/* ---- temporary files ---- */

static bool is_left(const char *name)
{
    return jw_text_starts(name, ".jitwarm-startup.") && jw_text_ends(name, ".tmp") && strstr(name, ".jw-");
}

/* Ignores errors. */
static void sweep_folder(struct startup *s, const char *folder)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err ignored;
    bool more = true;

    if (!jw_dir_open(&dir, folder, &ignored))
        return;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        const char *path = is_left(e.name) ? jw_path_join(s->a, folder, e.name) : NULL;

        if (path)
            (void)!jw_append_remove(path, &ignored);
    }
    jw_dir_close(dir);
}

void startup_sweep(struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        const struct jw_startup_step *step = &s->out->steps[i];
        const char *folder = step->act == JW_STARTUP_FILE || step->act == JW_STARTUP_LINK
                                 ? jw_path_dir(s->a, step->path)
                                 : NULL;

        if (folder)
            sweep_folder(s, folder);
    }
}

/* ---- install ---- */

/* Removes empty folders that install created, lowest first. */
static bool remove_folders(struct startup *s, const char *folder, unsigned n, struct jw_err *err)
{
    for (; n && folder; n--, folder = jw_path_dir(s->a, folder))
        if (!jw_startup_remove_folder(folder, err))
            return false;
    return true;
}

static bool make_folders(struct startup *s, const struct jw_startup_step *step, struct jw_err *err)
{
    const char *folder = step->folders_for;

    if (!folder)
        return true;
    if (!jw_make_dirs(folder, err))
        return jw_wrap(err, "%.250s", folder);
    for (unsigned n = step->folders; s->o->everybody && n && folder; n--, folder = jw_path_dir(s->a, folder))
        if (!jw_startup_for_all(folder, true, err))
            return false;
    return true;
}

static bool write_file(struct startup *s, const struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, step->path, true, err)
              && jw_out_write(&out, step->text, strlen(step->text), err) && jw_out_commit(&out, err);

    jw_out_close(&out);
    if (!ok)
        return jw_wrap(err, "%.250s", step->path);
    return !s->o->everybody || jw_startup_for_all(step->path, false, err);
}

static bool put(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    switch (step->act) {
    case JW_STARTUP_FILE: return make_folders(s, step, err) && write_file(s, step, err);
    case JW_STARTUP_LINK: return jw_startup_make_link(step->path, step->text, err);
    default: return jw_startup_task_put(step->path, step->text, s->o->everybody, err);
    }
}

/* Removes new files. One that cannot be removed is harmless: without its link no unit starts. */
static void take_back(struct startup *s, size_t n)
{
    struct jw_err ignored;

    while (n--) {
        struct jw_startup_step *step = &s->out->steps[n];

        if (step->act == JW_STARTUP_COMMAND || step->found != JW_FOUND_NOTHING)
            continue;
        if (step->act == JW_STARTUP_LINK)
            (void)!jw_startup_remove_link(step->path, &ignored);
        else if (step->act == JW_STARTUP_FILE) {
            (void)!jw_append_remove(step->path, &ignored);
            (void)!remove_folders(s, step->folders_for, step->folders, &ignored);
        }
        step->done = false;
    }
}

bool startup_put(struct startup *s, struct jw_err *err)
{
    startup_sweep(s);
    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->act == JW_STARTUP_COMMAND || step->found == JW_FOUND_SAME)
            continue;
        if (!put(s, step, err)) {
            take_back(s, i + 1);
            return false;
        }
        step->done = true;
    }
    return true;
}

/* ---- remove ---- */

/* The file notes how many folders were created. If these cannot be removed, writes the file again for the next try. */
static bool take_file(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_err ignored;

    if (!jw_append_remove(step->path, err))
        return jw_wrap(err, "%.250s", step->path);
    if (remove_folders(s, step->folders_for, step->folders, err))
        return true;
    if (make_folders(s, step, &ignored))
        (void)!write_file(s, step, &ignored);
    return false;
}

static bool take(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    switch (step->act) {
    case JW_STARTUP_LINK: return jw_startup_remove_link(step->path, err);
    case JW_STARTUP_FILE: return take_file(s, step, err);
    default: return jw_startup_task_remove(step->path, err);
    }
}

/* Removes the link first, so that an interrupted remove leaves nothing that starts. */
bool startup_take(struct startup *s, struct jw_err *err)
{
    startup_sweep(s); /* or a folder would not be empty */
    for (size_t i = s->out->n_steps; i-- > 0;) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->act == JW_STARTUP_COMMAND || step->found == JW_FOUND_NOTHING)
            continue;
        if (!take(s, step, err))
            return false;
        step->done = true;
    }
    return true;
}

/* ---- commands ---- */

static void run(struct startup *s, struct jw_startup_step *step)
{
    struct jw_buf out = JW_BUF(JW_MAX_STATE), text = JW_BUF(JW_MAX_LINE);
    struct jw_err why = { 0 };
    int code = 0;
    bool ok = jw_process_capture(step->argv[0], step->argv, COMMAND_MS, &out, &code, &why);

    step->done = ok && code == 0;
    if (!step->done) {
        jw_buf_printf(&text, "%s: ", step->path);
        if (ok)
            jw_buf_printf(&text, "exit code %d", code);
        else
            jw_buf_text(&text, why.msg);
        step->why = jw_arena_str(s->a, jw_buf_cstr(&text));
    }
    jw_buf_free(&text);
    jw_buf_free(&out);
}

void startup_command(struct startup *s, bool *failed)
{
    *failed = false;
    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->act != JW_STARTUP_COMMAND)
            continue;
        run(s, step);
        *failed |= !step->done;
    }
}
