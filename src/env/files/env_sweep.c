#include "base/path.h"
#include "env/files/env_write.h"
#include "machine/listing.h"
#include "os/files/scratch.h"
#include "os/sys.h"

#include <stdlib.h>
#include <string.h>

/* os/files/file.h calls them .NAME.jw-PID-N.tmp. */
void jw_env_text_sweep(const char *real)
{
    struct jw_arena a = { 0 };
    struct jw_notes notes = { 0 };
    struct jw_listing list = { 0 };
    struct jw_err err = { 0 };
    struct jw_buf pattern = JW_BUF(1024);
    const char *folder = jw_path_dir(&a, real);

    jw_buf_printf(&pattern, ".%s.jw-*.tmp", jw_path_base(real));
    if (folder && !strpbrk(jw_path_base(real), "*?[")
        && jw_listing_read(folder, jw_buf_cstr(&pattern), &a, &list, &notes, &err))
        for (size_t i = 0; i < list.n; i++) {
            const char *path = jw_path_join(&a, folder, list.names[i]);
            unsigned long pid = strtoul(list.names[i] + strlen(jw_path_base(real)) + 5, NULL, 10);

            if (path && pid && !jw_sys_process_alive(pid))
                jw_sys_remove(path);
        }
    jw_buf_free(&pattern);
    jw_arena_free(&a);
}
