#include "os/sys.h"

#include <errno.h>
#include <string.h>

static const struct {
    int code;
    const char *sentence;
} sentences[] = {
    {ENOENT, "no such file"},
    {EACCES, "permission denied"},
    {EPERM, "permission denied"},
    {EISDIR, "is a folder"},
    {ENOTDIR, "part of the path is not a folder"},
    {ENXIO, "is not a regular file"},
    {ELOOP, "the links lead in a circle"},
    {ENAMETOOLONG, "the name is too long"},
    {EEXIST, "already exists"},
    {EROFS, "the file system is read-only"},
    {ENOSPC, "the disk is full"},
    {EFBIG, "files may not become as large (ulimit -f)"},
    {EDQUOT, "the disk quota is used up"},
    {EMFILE, "too many open files"},
    {ENFILE, "too many open files"},
    {ENOEXEC, "is not a program of this system"},
};

static const char *own_sentence(long code)
{
    for (size_t i = 0; i < JW_COUNT(sentences); i++)
        if (sentences[i].code == code)
            return sentences[i].sentence;
    return NULL;
}

bool jw_sys_fail(struct jw_err *err, long code)
{
    char text[128];
    const char *sentence = own_sentence(code);

    if (!sentence)
        sentence = strerror_r((int)code, text, sizeof text);
    (void)jw_fail(err, JW_E_IO, "%s", sentence);
    err->os = code;
    return false;
}

bool jw_sys_is_not_found(long code) { return code == ENOENT || code == ENOTDIR; }
