#include "os/machine/ask.h"

#include "jitwarm/err.h"

#include <sodium.h>
#include <string.h>
#include <windows.h>

enum { LINE = 2048 };

/* Ctrl-C ends a console read without data. */
bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted)
{
    if (!fgets(line, (int)size, in) || jw_interrupted(interrupted))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

static HANDLE console(const wchar_t *name)
{
    return CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                       OPEN_EXISTING, 0, NULL);
}

static void write_console(HANDLE out, const char *text)
{
    DWORD written;

    (void)WriteConsoleA(out, text, (DWORD)strlen(text), &written, NULL);
}

/* Converts the line to UTF-8, without its end. */
static bool read_secret(HANDLE in, char *secret, size_t size, size_t *n)
{
    wchar_t line[LINE];
    DWORD got = 0;
    int bytes = 0;
    bool ok = ReadConsoleW(in, line, LINE, &got, NULL) && got;
    bool whole = ok && line[got - 1] == L'\n';

    while (got && (line[got - 1] == L'\n' || line[got - 1] == L'\r'))
        got--;
    if (whole && got)
        bytes = WideCharToMultiByte(CP_UTF8, 0, line, (int)got, secret, (int)size, NULL, NULL);
    *n = ok && (!whole || (got && !bytes)) ? size + 1 : (size_t)bytes;
    sodium_memzero(line, sizeof line);
    return ok;
}

enum jw_secret_answer jw_ask_secret(const char *prompt, char *secret, size_t size, size_t *n,
                                    const atomic_bool *interrupted)
{
    HANDLE in = console(L"CONIN$");
    HANDLE out = console(L"CONOUT$");
    DWORD before;
    bool there =
        in != INVALID_HANDLE_VALUE && out != INVALID_HANDLE_VALUE && GetConsoleMode(in, &before);
    bool given = false;

    *n = 0;
    if (there) {
        write_console(out, prompt);
        (void)FlushConsoleInputBuffer(in);
        (void)SetConsoleMode(in, ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT);
        given = read_secret(in, secret, size, n) && !jw_interrupted(interrupted);
        (void)SetConsoleMode(in, before);
        write_console(out, "\r\n");
    }
    if (in != INVALID_HANDLE_VALUE)
        (void)CloseHandle(in);
    if (out != INVALID_HANDLE_VALUE)
        (void)CloseHandle(out);
    if (!there)
        return JW_SECRET_NO_TERMINAL;
    return given ? JW_SECRET_GIVEN : JW_SECRET_NONE;
}
