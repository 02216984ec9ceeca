#include "os/files/append.h"

#include "os/files/file.h"
#include "os/sys.h"

bool jw_append_open(struct jw_append *f, const char *path, struct jw_err *err)
{
    *f = JW_APPEND_CLOSED;
    return !jw_sys_fault(err) && jw_sys_append_open(path, &f->handle, &f->size, err);
}

bool jw_append_truncate(struct jw_append *f, uint64_t size, struct jw_err *err)
{
    if (!jw_file_truncate(&(struct jw_file){ .handle = f->handle }, size, err))
        return false;
    f->size = size;
    f->torn = false;
    return true;
}

bool jw_append_write(struct jw_append *f, const void *p, size_t n, struct jw_err *err)
{
    struct jw_err ignored;

    if (f->torn && !jw_append_truncate(f, f->size, err))
        return false;
    if (jw_file_write(&(struct jw_file){ .handle = f->handle }, f->size, p, n, err)) {
        f->size += n;
        return true;
    }
    f->torn = true;
    (void)!jw_append_truncate(f, f->size, &ignored);
    return false;
}

void jw_append_close(struct jw_append *f)
{
    struct jw_err ignored;

    if (f->handle != -1)
        (void)!jw_sys_close(f->handle, &ignored);
    *f = JW_APPEND_CLOSED;
}
