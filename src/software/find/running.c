/* Finds the folders of libraries that running programs have loaded together with the driver. */
#include "software/find/places.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "software/find/pyinfo.h"

#include <string.h>

/* Skips the system's own folders: places.c has those that matter. */
static bool is_of_the_system(const char *folder)
{
    static const char *const system_folders[] = {
        "/lib",
        "/usr/lib",
        "/lib64",
        "/usr/lib64",
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib/wsl/lib",
    };

    for (size_t i = 0; i < JW_COUNT(system_folders); i++)
        if (strcmp(system_folders[i], folder) == 0)
            return true;
    return false;
}

/* Cuts a path at its site-packages folder, if it has one. */
static void truncate_at_site_packages(char *folder)
{
    static const char *const sites[] = { "/site-packages/", "/dist-packages/" };

    for (size_t i = 0; i < JW_COUNT(sites); i++) {
        char *at = strstr(folder, sites[i]);

        if (at)
            at[strlen(sites[i]) - 1] = '\0';
    }
}

static void add_loaded(struct jw_finder *f, struct jw_listing *list, const char *path)
{
    struct jw_err full;

    for (size_t i = list->n; i-- > 0;)
        if (strcmp(list->names[i], path) == 0)
            return;
    const char **slot = jw_list_add(f->a, &list->names, &list->n, sizeof *slot, JW_MAX_ROOTS, &full);

    if (slot)
        *slot = path;
}

/* "7f.. r-xp 0000 08:01 1234   /opt/app/libx.so.1" */
static void take_mapping(struct jw_finder *f, struct jw_listing *list, const char *line, size_t n)
{
    const char *start = memchr(line, '/', n);
    const char *path = start ? jw_arena_text(f->a, start, (size_t)(line + n - start)) : "";

    if ((jw_text_ends(path, ".so") || strstr(jw_path_base(path), ".so.") || jw_text_ends(path, ".node"))
        && !is_of_the_system(jw_path_dir(f->a, path)))
        add_loaded(f, list, f->sysroot[0] ? jw_path_join(f->a, f->sysroot, path + 1) : path);
}

/* The program has the GPU open: loading a library of that name is not enough. */
static bool uses_gpu(const char *maps)
{
    return strstr(maps, "/libcuda.so") && (strstr(maps, "/dev/nvidia") || strstr(maps, "/libdxcore.so"));
}

static void look_at_process(struct jw_finder *f, const char *process, struct jw_listing *list)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_err ignored = { 0 };
    const char *maps = jw_path_join(f->a, process, "maps");
    bool found = false;
    struct jw_trust t;

    if (jw_file_slurp(maps, &text, &found, &ignored) && found && uses_gpu(jw_buf_cstr(&text))
        && jw_trust_read(process, f->a, &t, &ignored) && !t.owner) {
        for (const char *at = jw_buf_cstr(&text); *at;) {
            size_t n = strcspn(at, "\n");

            take_mapping(f, list, at, n);
            at += at[n] ? n + 1 : n;
        }
    }
    jw_buf_free(&text);
}

static void look_at_processes(struct jw_finder *f, struct jw_listing *list)
{
    const char *proc = jw_path_join(f->a, f->sysroot[0] ? f->sysroot : "/", "proc");
    const struct jw_listing ids = jw_listing_read(proc, "[0-9]*", f->a, &f->out->notes);

    for (size_t i = 0; i < ids.n; i++)
        look_at_process(f, jw_path_join(f->a, proc, ids.names[i]), list);
}

void jw_finder_running(struct jw_finder *f)
{
    struct jw_listing loaded = { 0 };

    if (f->out->windows || f->others || f->o->skip_programs)
        return;
    look_at_processes(f, &loaded);
    for (size_t i = 0; i < loaded.n; i++) {
        char *folder = jw_path_dir(f->a, loaded.names[i]);

        truncate_at_site_packages(folder);
        jw_finder_add(f, folder, "loaded by a running program", NULL,
                      jw_pyinfo_is_site(jw_path_base(folder)) ? JW_MAX_DEPTH : 0);
    }
}
