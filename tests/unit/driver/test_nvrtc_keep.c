/* PTX that is kept: which source may be answered by it, when it is replaced, when it goes. */
#include "check.h"
#include "driver/nvrtc/nvrtc_keep.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

#include <string.h>
#include <sys/stat.h>
#include <utime.h>

static struct jw_arena arena;

static bool alone(const char *text)
{
    return jw_nvrtc_stands_alone((struct jw_bytes){ (const uint8_t *)text, strlen(text) });
}

TEST(only_a_source_without_headers_stands_alone)
{
    CHECK(alone("__global__ void k() {}\n"));
    CHECK(alone("// incl ude iinclud\n"));
    CHECK(!alone("#include \"a.h\"\n"));
    CHECK(!alone("# include <a.h>"));
    CHECK(!alone("#iinclude"));
    CHECK(!alone("#inc\\\nlude \"a.h\"\n"));
    CHECK(!alone("#inc\\ \r\nlu\\\n\\\nde \"a.h\"\n"));
}

static const char *path_in(const char *folder, const char *source, const char *arch, const char *library)
{
    struct jw_toolkit_place place = { .path = library };
    const struct jw_toolkit_places places = { .v = &place, .n = 1 };
    struct jw_nvrtc_asked asked = { .folder = folder, .name = "k.cu", .arch = arch, .libraries = &places };

    jw_digest(asked.source, source, strlen(source));
    return jw_nvrtc_kept_path(&arena, scratch("state/sources"), &asked);
}

static const char *path_of(const char *source, const char *arch, const char *library)
{
    return path_in("/a", source, arch, library);
}

/* It may have other headers. */
TEST(another_folder_is_another_file)
{
    CHECK_TEXT(path_in("/a", "a", "sm_80", ""), path_of("a", "sm_80", ""));
    CHECK(strcmp(path_in("/b", "a", "sm_80", ""), path_of("a", "sm_80", "")) != 0);
}

TEST(another_source_architecture_or_library_is_another_file)
{
    const char *first = path_of("a", "sm_80", "");

    CHECK(strcmp(first, path_of("a", "sm_80", "")) == 0);
    CHECK(strcmp(first, path_of("b", "sm_80", "")) != 0);
    CHECK(strcmp(first, path_of("a", "sm_86", "")) != 0);
    scratch_write(scratch("lib"), "one");
    const char *one = path_of("a", "sm_80", scratch("lib"));

    CHECK(strcmp(first, one) != 0);
    scratch_write(scratch("lib"), "another build of the same version");
    CHECK(strcmp(one, path_of("a", "sm_80", scratch("lib"))) != 0);
    CHECK_HAS(first, "-k.ptx");
}

static void age(const char *path, int days)
{
    struct stat info;

    CHECK(stat(path, &info) == 0);
    struct utimbuf times = { info.st_atime, info.st_mtime - (time_t)days * 24 * 60 * 60 };

    CHECK(utime(path, &times) == 0);
}

TEST(equal_ptx_stays_the_same_file_and_old_ptx_goes)
{
    const char *path = path_of("a", "sm_80", ""), *other = path_of("b", "sm_80", "");
    struct jw_file_info before, after;
    struct jw_err err = { 0 };

    CHECK(jw_nvrtc_keep(path, JW_BYTES("ptx"), &arena, &err));
    age(path, JW_NVRTC_KEPT_DAYS - 1);
    CHECK(jw_file_stat(path, &before, &err));
    CHECK(jw_nvrtc_keep(path, JW_BYTES("ptx"), &arena, &err));
    CHECK(jw_nvrtc_keep(other, JW_BYTES("more"), &arena, &err));
    CHECK(jw_file_stat(path, &after, &err));
    CHECK(before.ctime == after.ctime && jw_file_same(before.id, after.id));
    CHECK(jw_nvrtc_keep(path, JW_BYTES("else"), &arena, &err));
    CHECK(jw_file_stat(path, &after, &err) && after.mtime > before.mtime);
    age(path, JW_NVRTC_KEPT_DAYS + 1);
    CHECK(jw_nvrtc_keep(other, JW_BYTES("new"), &arena, &err));
    CHECK(!scratch_there(path) && scratch_there(other));
}
