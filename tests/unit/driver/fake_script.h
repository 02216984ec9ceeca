/* What the fake libraries share: a script in the variable FAKE_SCRIPT, a list of words, and the
 * ways to fail. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#else
#include <unistd.h>
#define EXPORT __attribute__((visibility("default")))
#endif

/* What follows `word` where the script has it, or NULL. */
static const char *script(const char *word)
{
    const char *at = getenv(FAKE_SCRIPT);
    size_t n = strlen(word);

    while (at && *at) {
        if (strncmp(at, word, n) == 0)
            return at + n;
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return NULL;
}

static bool says(const char *word)
{
    const char *rest = script(word);

    return rest && (*rest == '\0' || *rest == ' ');
}

static void make_noise(void)
{
    static char rubbish[1 << 20]; /* more than any pipe holds */

    (void)fwrite(memset(rubbish, 'x', sizeof rubbish - 1), sizeof rubbish, 1,
                 stdout); /* a NUL at its end */
    (void)fprintf(stderr, "and on standard error\n");
    (void)fflush(stdout);
}

static void crash(void)
{
#ifdef _WIN32
    RaiseException(EXCEPTION_ACCESS_VIOLATION, EXCEPTION_NONCONTINUABLE, 0, NULL);
#else
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
#endif
}

static void hang(void)
{
    for (;;) {
#ifdef _WIN32
        Sleep(1000);
#else
        (void)sleep(1);
#endif
    }
}
