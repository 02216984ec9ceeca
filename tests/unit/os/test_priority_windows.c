/* This program is its own child and grandchild: one turns polite, the other tells what it has
 * inherited. */
#include "check.h"
#include "os/machine/priority.h"
#include "os/process/process.h"
#include "rigs/variables.h"

#include <windows.h>

static char *self; /* this program */

static void capture(const char *what, struct jw_buf *out)
{
    struct jw_err err = {0};
    int code = -1;

    CHECK_OK(
        jw_process_capture(self, (const char *const[]){self, what, NULL}, 60000, out, &code, &err),
        err);
}

/* Wine does not hand the class on, as Windows does. */
static bool wine(void)
{
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

TEST(what_it_starts_is_as_polite)
{
    FREED(jw_buf) out = JW_BUF(1000);

    capture("polite", &out);
    CHECK_TEXT(jw_buf_cstr(&out),
               wine() ? "normal; below normal; " : "below normal; below normal; ");
}

static int report(void)
{
    DWORD class = GetPriorityClass(GetCurrentProcess());

    printf("%s; ", class == BELOW_NORMAL_PRIORITY_CLASS || class == IDLE_PRIORITY_CLASS
                       ? "below normal"
                       : "normal");
    return fflush(stdout);
}

/* Wine knows no background mode; the class holds. */
static int polite(void)
{
    FREED(jw_buf) out = JW_BUF(1000);

    jw_priority_lower(JW_PRIORITY_BACKGROUND);
    capture("report", &out);
    printf("%s", jw_buf_cstr(&out));
    return report();
}

MAIN(argc, argv)
{
    self = own_program();
    if (argc > 1 && strcmp(argv[1], "report") == 0)
        return report();
    if (argc > 1 && strcmp(argv[1], "polite") == 0)
        return polite();
    return RUN(argc, argv);
}
