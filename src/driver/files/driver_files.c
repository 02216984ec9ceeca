#include "driver/files/driver_files.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/worker/identity.h"
#include "facts/driver_settings.h"
#include "facts/drivers.h"
#include "facts/libraries.h"
#include "machine/paths.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

#define CACHE "JITWARM_DRIVER_FILES_CACHE" /* set for that run */
#define PHANTOM "libjitwarm-phantom.so"
#define LIBCUDA JW_LIBCUDA "."

enum { START_MS = 60 * 1000 }; /* of a program under qemu-user on a busy machine */

static void look_in(const char *folder, struct jw_arena *a, struct jw_driver_files *out,
                    struct jw_texts *unread)
{
    const struct jw_listing found = jw_listing_read(folder, LIBCUDA "*", a, unread);

    for (size_t i = 0; i < found.n && !out->version; i++)
        if (jw_is_file(jw_path_join(a, folder, found.names[i]))) {
            out->version = jw_identity_version_in_name(found.names[i], a);
            out->from = folder;
        }
}

/* Searches the folders of a .run file, of distributions' packages and of images; no 32-bit ones. */
static bool find_libcuda(const char *folder, struct jw_arena *a, struct jw_driver_files *out,
                         struct jw_err *err)
{
    static const char *const below[] = {
        "",          "usr/lib/x86_64-linux-gnu",  "usr/lib/x86_64-linux-gnu/nvidia/current",
        "usr/lib64", "usr/lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu/nvidia/current",
        "usr/lib",   "usr/lib64/nvidia",          "usr/local/nvidia/lib64",
    };
    struct jw_texts unread = {0};
    struct jw_file_info info;
    const char *real;

    if (!*folder)
        return jw_fail(err, JW_E_USAGE, "--driver-files: the name is empty");
    if (!jw_real_path(folder, a, &real, err) || !jw_file_stat(real, &info, err))
        return false;
    if (info.kind != JW_FILE_DIR)
        return jw_fail(err, JW_E_USAGE,
                       "--driver-files %.200s %s. It takes the folder of an unpacked driver: sh "
                       "NVIDIA-Linux-x86_64-VERSION.run --extract-only",
                       folder, jw_why_no_folder(real));
    for (size_t i = 0; i < JW_COUNT(below) && !out->version; i++)
        look_in(*below[i] ? jw_path_join(a, real, below[i]) : real, a, out, &unread);
    if (!out->version && unread.n)
        return jw_fail(err, JW_E_IO, "--driver-files: %.300s", unread.v[0]);
    return out->version
           || jw_fail(err, JW_E_USAGE,
                      "--driver-files %.200s: found no " LIBCUDA
                      "VERSION there. Unpack a driver: sh NVIDIA-Linux-x86_64-VERSION.run "
                      "--extract-only, or the packages of your distribution",
                      folder);
}

/* The names without a version by which the driver loads such a file. */
static bool link_as_asked(struct jw_arena *a, struct jw_driver_files *out, const char *name,
                          const char *target, struct jw_err *err)
{
    for (const char *const *asked = jw_driver_names; *asked; asked++) {
        size_t stem = (size_t)(strstr(*asked, ".so") - *asked) + strlen(".so");

        if (strncmp(name, *asked, stem) == 0 && name[stem] == '.' && strcmp(name, *asked) != 0
            && !jw_make_link(jw_path_join(a, out->links, *asked), target, err))
            return false;
    }
    return true;
}

static bool is_whole(const char *path, struct jw_arena *a, struct jw_err *err)
{
    const char *truncated = jw_library_look(path, a).truncated;

    return !truncated
           || jw_fail(err, JW_E_FORMAT,
                      "--driver-files: %.200s %s; unpack the driver of 64 bits again", path,
                      truncated);
}

static bool link_libraries(struct jw_arena *a, struct jw_driver_files *out, struct jw_err *err)
{
    const struct jw_listing found = jw_listing_read(out->from, "lib*.so.*", a, NULL);
    bool compiler = false;

    for (size_t i = 0; i < found.n; i++) {
        const char *name = found.names[i];
        const char *target = jw_path_join(a, out->from, name);

        if (!jw_text_ends(name, out->version) || !jw_is_file(target))
            continue;
        if (!is_whole(target, a, err)
            || !jw_make_link(jw_path_join(a, out->links, name), target, err)
            || !link_as_asked(a, out, name, target, err))
            return false;
        compiler |= jw_text_starts(name, JW_DRIVER_COMPILER);
    }
    return compiler
           || jw_fail(err, JW_E_USAGE,
                      "--driver-files: %.200s has no " JW_DRIVER_COMPILER
                      ".%s, the driver's compiler; some "
                      "distributions have it in a separate package",
                      out->from, out->version);
}

/* Where qemu-user finds the C library of aarch64. */
static struct jw_child_edit foreign_libraries(struct jw_arena *a)
{
    const char *named = jw_env(a, "QEMU_LD_PREFIX");

    return (struct jw_child_edit){"QEMU_LD_PREFIX", named ? named : "/usr/aarch64-linux-gnu"};
}

static bool runs_here(const char *program, struct jw_arena *a)
{
    const struct jw_child_edit edit = foreign_libraries(a);
    const char *const argv[] = {program, "version", NULL};
    const struct jw_command ask = {.exe = program, .argv = argv, .edits = &edit, .n_edits = 1};
    struct jw_buf said = JW_LINE(a);
    int code;

    return jw_process_run(&ask, START_MS, &said, &code, JW_IGNORED) && code == 0;
}

/* Finds jitwarm for aarch64: unpacked in lib/jitwarm, or built beside this one. */
static bool find_foreign_program(struct jw_arena *a, struct jw_driver_files *out,
                                 struct jw_err *err)
{
    const char *folder = jw_path_dir(a, out->program);
    const char *unpacked = jw_path_join(a, jw_path_dir(a, folder), "lib/jitwarm/aarch64");

    if (strcmp(out->foreign, "aarch64") != 0 || jw_os_is_windows())
        return jw_fail(err, JW_E_USAGE, "--driver-files: the driver in %.200s is for %s", out->from,
                       out->foreign);
    out->program = jw_path_join(a, unpacked, "bin/jitwarm");
    if (!jw_is_file(out->program))
        out->program = jw_path_join(a, folder, "../aarch64/jitwarm");
    if (!jw_is_file(out->program))
        return jw_fail(err, JW_E_USAGE,
                       "--driver-files: the driver is for aarch64, and jitwarm for aarch64 is not "
                       "installed: tar -xzf jitwarm-VERSION-linux-aarch64.tar.gz "
                       "--one-top-level=%.200s --strip-components=1",
                       unpacked);
    return runs_here(out->program, a)
           || jw_fail(err, JW_E_USAGE,
                      "--driver-files: the driver is for aarch64, and programs for aarch64 do not "
                      "run here: apt-get install qemu-user-static libc6-arm64-cross (in a "
                      "container, qemu-user-static on its host, too)");
}

static bool find_program(struct jw_arena *a, struct jw_driver_files *out, struct jw_err *err)
{
    const char *libcuda = jw_arena_printf(a, "%s/" LIBCUDA "%s", out->from, out->version);
    struct jw_buf self = JW_BUF_IN(a, JW_MAX_PATH);

    if (!jw_process_self(&self, err))
        return false;
    out->program = jw_buf_cstr(&self);
    out->foreign = jw_library_look(libcuda, a).foreign;
    return !out->foreign || find_foreign_program(a, out, err);
}

/* Beside the program where both were built, and in a package's lib. */
static bool find_phantom(struct jw_arena *a, struct jw_driver_files *out, struct jw_err *err)
{
    static const char *const places[] = {PHANTOM, "../lib/jitwarm/" PHANTOM};
    const char *folder = jw_path_dir(a, out->program);

    for (size_t i = 0; i < JW_COUNT(places); i++) {
        const char *path = jw_path_join(a, folder, places[i]);

        if (jw_is_file(path) && jw_real_path(path, a, &out->phantom, JW_IGNORED))
            return true;
    }
    return jw_fail(err, JW_E_USAGE,
                   PHANTOM " is not installed with %.200s. It emulates a GPU for NVIDIA's driver "
                           "(Linux)",
                   out->program);
}

bool jw_driver_files_ready(const char *folder, struct jw_arena *a, struct jw_driver_files *out,
                           struct jw_err *err)
{
    *out = (struct jw_driver_files){0};
    if (!find_libcuda(folder, a, out, err) || !find_program(a, out, err)
        || !find_phantom(a, out, err))
        return false;
    out->licence = jw_path_join(a, out->from, "LICENSE");
    out->licence = jw_is_file(out->licence) ? out->licence : NULL;
    if (!jw_state_scratch(a, &out->links, err))
        return false;
    if (link_libraries(a, out, err)
        && jw_make_link(jw_path_join(a, out->links, PHANTOM), out->phantom, err))
        return true;
    jw_scratch_remove(out->links);
    out->links = NULL;
    return false;
}

static const char *gpu_to_emulate(const char *driver, struct jw_arena *a)
{
    static const unsigned usual[] = {75, 86, 80, 70};
    unsigned branch = jw_branch_of(driver);
    size_t i = 0;

    while (i + 1 < JW_COUNT(usual) && jw_driver_support(branch, usual[i]) != JW_DRIVER_FITS)
        i++;
    return jw_arena_printf(a, "sm_%u:an emulated GPU", usual[i]);
}

static const char *put_before(struct jw_arena *a, const char *variable, const char *value,
                              const char *between)
{
    const char *old = jw_env(a, variable);

    return old && *old ? jw_arena_printf(a, "%s%s%s", value, between, old) : value;
}

bool jw_driver_files_run(const struct jw_driver_files *files, char *const *argv,
                         const atomic_bool *interrupted, struct jw_arena *a, int *code,
                         struct jw_err *err)
{
    const char *cache = jw_state_own(JW_STATE_ABSENT_GPUS, a, err);
    const struct jw_child_edit edits[] = {
        {CACHE, cache},
        {"JITWARM_LOGIN", files->login},
        {"LD_LIBRARY_PATH", put_before(a, "LD_LIBRARY_PATH", files->links, ":")},
        /* by its name, from the links: the loader would cut a path at blanks */
        {"LD_PRELOAD", put_before(a, "LD_PRELOAD", PHANTOM, " ")},
        {"JITWARM_PHANTOM_GPUS", gpu_to_emulate(files->version, a)},
        {"JITWARM_PHANTOM_DRIVER", files->version},
        {"JITWARM_PHANTOM_BESIDE", "1"}, /* phantom works also on a machine with a driver */
        foreign_libraries(a),
        {"JITWARM_DRIVER", NULL},
        {"CUDA_VISIBLE_DEVICES", NULL},
        /* Entries for the emulated GPU must not enter the user's cache. */
        {"CUDA_CACHE_PATH", cache},
        {"CUDA_CACHE_MAXSIZE", JW_CACHE_MOST_TEXT},
        {"CUDA_CACHE_DISABLE", NULL},
        /* The variables that choose what programs of this machine compile do not count. */
        {"CUDA_DISABLE_PTX_JIT", NULL},
        {"CUDA_DISABLE_JIT", NULL},
        {"CUDA_FORCE_PTX_JIT", NULL},
        {"CUDA_FORCE_JIT", NULL},
    };
    struct jw_process_end ended = {0};
    const struct jw_command run = {.exe = files->program,
                                   .argv = (const char *const *)argv,
                                   .edits = edits,
                                   .n_edits = JW_COUNT(edits),
                                   .interrupted = interrupted};

    bool ok = cache && jw_process_foreground(&run, &ended, err);

    *code = ended.code;
    jw_scratch_remove(files->links);
    return ok;
}

const char *jw_driver_files_cache(struct jw_arena *a) { return jw_env(a, CACHE); }
