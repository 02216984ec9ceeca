#include "variables.h"

#include "check.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <stdlib.h>

enum { SLOTS = 64, ROOM = 8192, PATHS = 8 };

void set_variable(const char *name, const char *value)
{
    static char slots[SLOTS][ROOM]; /* putenv keeps what it is given */
    static unsigned next;
    char *slot = slots[next++ % SLOTS];

    (void)snprintf(slot, ROOM, "%s%s%s", name, value || jw_os_is_windows() ? "=" : "",
                   value ? value : "");
    CHECK(putenv(slot) == 0);
}

char *own_program(void)
{
    static char path[ROOM];
    struct jw_buf found = JW_BUF(sizeof path - 1);

    if (!*path) {
        CHECK(jw_process_self(&found, JW_IGNORED));
        (void)snprintf(path, sizeof path, "%s", jw_buf_cstr(&found));
        jw_buf_free(&found);
    }
    return path;
}

const char *built_path(const char *built)
{
    static char paths[PATHS][ROOM];
    static unsigned next;
    char *path = paths[next++ % PATHS];

    (void)snprintf(path, ROOM, "%s%s", jw_os_is_windows() && *built == '/' ? "Z:" : "", built);
    return path;
}
