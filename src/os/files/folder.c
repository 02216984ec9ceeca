#include "os/files/folder.h"

#include "base/mem.h"
#include "base/work.h"
#include "os/files/at.h"
#include "os/sys.h"

static const char *kind_words(enum jw_file_kind kind, bool folder)
{
    if (kind == JW_FILE_LINK)
        return "is a link";
    if (folder)
        return "is not a folder";
    return kind == JW_FILE_DIR ? "is a folder" : "is not a regular file";
}

bool jw_at_check_kind(const struct jw_file_info *info, unsigned how, struct jw_err *err)
{
    bool folder = how & JW_AT_FOLDER;
    bool strict = how & JW_AT_STRICT;

    if (info->kind == (folder ? JW_FILE_DIR : JW_FILE_REGULAR))
        return true;
    return jw_fail(err, folder || strict ? JW_E_FORMAT : JW_E_IO, "%s",
                   kind_words(info->kind, folder));
}

bool jw_folder_open(struct jw_folder *t, const char *path, struct jw_err *err)
{
    *t = JW_FOLDER_CLOSED;
    return !jw_sys_fault(err) && jw_at_enter(NULL, path, 0, t, NULL, err) == JW_AT_DONE;
}

bool jw_folder_enter(const struct jw_folder *t, const char *name, bool make, struct jw_folder *sub,
                     bool *found, struct jw_err *err)
{
    struct jw_err why = {0};

    *sub = JW_FOLDER_CLOSED;
    *found = false;
    if (jw_sys_fault(err))
        return false;

    enum jw_at how = jw_at_enter(t, name, JW_AT_STRICT, sub, NULL, &why);

    if (how == JW_AT_ABSENT && make) {
        how = jw_at_mkdir(t, name, true, &why);
        if (how == JW_AT_ABSENT)
            return jw_fail(err, JW_E_IO, "its folder vanished");
        if (how == JW_AT_DONE || how == JW_AT_TAKEN)
            how = jw_at_enter(t, name, JW_AT_STRICT, sub, NULL, &why);
    }
    *found = how == JW_AT_DONE;
    return *found || how == JW_AT_ABSENT || jw_pass(err, why);
}

bool jw_folder_sync(const struct jw_folder *t, struct jw_err *err)
{
    jw_work_add(JW_WORK_SYNCS, 1);
    return !jw_sys_fault(err) && jw_at_sync(t, err);
}

void jw_folder_close(struct jw_folder *t)
{
    jw_file_close(&(struct jw_file){t->handle});
    jw_free(t->path);
    *t = JW_FOLDER_CLOSED;
}

bool jw_folder_stat(const struct jw_folder *t, const char *name, struct jw_file_info *info,
                    struct jw_err *err)
{
    *info = (struct jw_file_info){.kind = JW_FILE_NONE};
    return !jw_sys_fault(err) && jw_at_stat(t, name, JW_AT_STRICT, info, err);
}

bool jw_folder_open_file(const struct jw_folder *t, const char *name, enum jw_folder_use use,
                         struct jw_file *f, bool *found, struct jw_err *err)
{
    static const unsigned hows[] = {[JW_FOLDER_READ] = 0,
                                    [JW_FOLDER_CHANGE] = JW_AT_WRITE,
                                    [JW_FOLDER_MAKE] = JW_AT_WRITE | JW_AT_MAKE};
    JW_ROW_FOR_EACH(hows, JW_FOLDER_USES, 3);
    struct jw_err why = {0};

    *f = JW_FILE_CLOSED;
    *found = false;
    if (jw_sys_fault(err))
        return false;

    enum jw_at how = jw_at_open(t, name, hows[use] | JW_AT_STRICT, &f->handle, NULL, &why);

    *found = how == JW_AT_DONE;
    if (how == JW_AT_ABSENT)
        return use != JW_FOLDER_MAKE || jw_fail(err, JW_E_IO, "its folder vanished");
    return *found || jw_pass(err, why);
}

bool jw_folder_move(const struct jw_folder *from, const char *name, const struct jw_folder *to,
                    const char *new_name, bool replaces, bool *moved, struct jw_err *err)
{
    struct jw_err why = {0};
    enum jw_at how =
        jw_sys_fault(&why) ? JW_AT_FAILED : jw_at_rename(from, name, to, new_name, replaces, &why);

    *moved = how == JW_AT_DONE;
    return *moved || how == JW_AT_TAKEN || jw_pass(err, why);
}

bool jw_folder_remove(const struct jw_folder *t, const char *name, struct jw_err *err)
{
    struct jw_err why = {0};
    enum jw_at how = jw_sys_fault(&why) ? JW_AT_FAILED : jw_at_remove(t, name, false, &why);

    return how == JW_AT_DONE || how == JW_AT_ABSENT || jw_pass(err, why);
}

bool jw_dir_open(struct jw_dir **dir, const char *path, struct jw_err *err)
{
    struct jw_dir d = {0};
    struct jw_file_info info;

    *dir = NULL;
    if (jw_sys_fault(err) || jw_at_enter(NULL, path, 0, &d.folder, &info, err) != JW_AT_DONE)
        return false;
    d.id = info.id;
    if (!jw_at_list(&d, err))
        return false;
    jw_work_add(JW_WORK_FOLDERS_LISTED, 1);
    *dir = jw_alloc(sizeof **dir);
    **dir = d;
    return true;
}

bool jw_dir_next(struct jw_dir *dir, struct jw_entry *entry, bool *more, struct jw_err *err)
{
    *more = false;
    return !jw_sys_fault(err) && jw_at_next(dir, entry, more, err);
}

struct jw_file_id jw_dir_id(const struct jw_dir *dir) { return dir->id; }

bool jw_dir_stat(struct jw_dir *dir, const char *name, struct jw_file_info *info,
                 struct jw_err *err)
{
    return !jw_sys_fault(err) && jw_at_stat(&dir->folder, name, 0, info, err)
           && jw_at_check_kind(info, 0, err);
}

bool jw_dir_open_file(struct jw_dir *dir, const char *name, struct jw_file *f,
                      struct jw_file_info *info, struct jw_err *err)
{
    *f = JW_FILE_CLOSED;
    return !jw_sys_fault(err)
           && jw_at_open(&dir->folder, name, JW_AT_SPARSE, &f->handle, info, err) == JW_AT_DONE;
}

bool jw_may_use(const char *path, enum jw_file_kind kind)
{
    struct jw_file_info info;

    return jw_at_stat(NULL, path, 0, &info, JW_IGNORED) && info.kind == kind
           && jw_at_may(path, kind == JW_FILE_DIR);
}

void jw_dir_close(struct jw_dir *dir)
{
    if (dir)
        jw_at_end(dir);
    jw_free(dir);
}
