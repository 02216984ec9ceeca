/* hold.exe WHAT FILE MARK MS: a program that is in the way. It opens FILE as WHAT says, makes the file MARK, and lets go when
 * MARK is gone, or after so many milliseconds.
 *   alone   nobody else may open it
 *   read    others may read and write, and neither rename nor remove it
 *   lock    all of its bytes are locked, as programs lock the index of a cache */
#include <windows.h>

#include <shellapi.h>
#include <stdlib.h>
#include <wchar.h>

enum { NAP_MS = 20 };

static BOOL lock(HANDLE h)
{
    OVERLAPPED whole = { 0 };

    return LockFileEx(h, LOCKFILE_EXCLUSIVE_LOCK, 0, MAXDWORD, MAXDWORD, &whole);
}

static DWORD sharing(const wchar_t *what)
{
    if (wcscmp(what, L"alone") == 0)
        return 0;
    return FILE_SHARE_READ | FILE_SHARE_WRITE | (wcscmp(what, L"lock") == 0 ? FILE_SHARE_DELETE : 0);
}

int main(void)
{
    int argc;
    wchar_t **argv = CommandLineToArgvW(GetCommandLineW(), &argc);

    if (!argv || argc != 5)
        return 2;

    DWORD access = GENERIC_READ | (wcscmp(argv[1], L"lock") == 0 ? GENERIC_WRITE : 0);
    HANDLE h =
        CreateFileW(argv[2], access, sharing(argv[1]), NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);

    if (h == INVALID_HANDLE_VALUE || (wcscmp(argv[1], L"lock") == 0 && !lock(h)))
        return 1;
    HANDLE mark = CreateFileW(argv[3], GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                              NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (mark == INVALID_HANDLE_VALUE)
        return 1;
    (void)CloseHandle(mark);
    for (unsigned long left = wcstoul(argv[4], NULL, 10); left >= NAP_MS; left -= NAP_MS) {
        if (GetFileAttributesW(argv[3]) == INVALID_FILE_ATTRIBUTES)
            break;
        Sleep(NAP_MS);
    }
    (void)CloseHandle(h);
    return 0;
}
