#include "machine/whoami.h"

#include "base/path.h"
#include "os/files/file.h"

#include <string.h>

bool jw_in_wsl(const char *root, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(jw_path_join(a, root, "dev/dxg"), &info, &ignored) && info.kind != JW_FILE_NONE;
}

const char *jw_os_release(const char *text, const char *name, struct jw_arena *a)
{
    size_t length = strlen(name);

    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");

        if (n > length && strncmp(at, name, length) == 0 && at[length] == '=') {
            const char *value = at + length + 1;
            size_t size = n - length - 1;

            if (size >= 2 && (*value == '"' || *value == '\'') && value[size - 1] == *value) {
                value++;
                size -= 2;
            }
            return jw_arena_text(a, value, size);
        }
        at += n + (at[n] != '\0');
    }
    return NULL;
}
