/* Real compilers behind the simulated driver, where a toolkit is installed. */
#include "rig.h"

#include "base/buf.h"
#include "base/mem.h"
#include "formats/cubin.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char real_home[2048];

static bool in_toolkit(const char *below, char path[4096])
{
    (void)snprintf(path, 4096, "%s/.cache/jitwarm-corpus/toolkit/%s", real_home, below);
    return scratch_there(path);
}

static const char *load(const char *path)
{
    static char command[4200];

    (void)snprintf(command, sizeof command, "load %s", path);
    return command;
}

/* The payload is a real compiler's: it has a symbol table, which a stand-in has not. */
static void check_real(uint64_t name, unsigned sm)
{
    struct jw_buf file = JW_BUF((size_t)1 << 24);
    struct jw_cache_entry e;
    struct jw_arena a = { 0 };
    struct jw_cubin cubin = { 0 };
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(rig_entry(name), &file, &found, &err) && found);
    CHECK(jw_cache_entry_read(jw_buf_bytes(&file), file.n, &e, &err));
    struct jw_bytes code = { file.p + JW_CACHE_HEADER + e.key_size, (size_t)e.payload_size };
    struct jw_source src = jw_source_memory(&code);
    struct jw_elf elf = jw_elf_header(code);

    CHECK(jw_find(code, JW_BYTES(".symtab")) < code.n);
    CHECK(jw_cubin_read(&src, &elf, &a, &cubin, &err));
    CHECK_NUM(cubin.target.sm, sm);
    jw_arena_free(&a);
    jw_buf_free(&file);
}

static void real_compiler(const char *jit, const char *variable, const char *below)
{
    char path[4096];

    if (!in_toolkit(below, path))
        SKIP("no CUDA toolkit here (scripts/fetch-corpus gets one)");
    rig_begin();
    rig_set("SIMCUDA_JIT", jit);
    rig_set(variable, path);
    const char *ptx = rig_ptx("a.ptx", "8.0", "sm_75", 1234567, 0);

    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), "launch jw_canary_add_1234567 1", NULL),
              "load 0\nlaunch 0 1234568");
    check_real(rig_name(ptx, "sm_86", 1, ""), 86);
    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), "launch jw_canary_add_1234567 2", NULL),
              "launch 0 1234569");
}

TEST(ptxas)
{
    real_compiler("ptxas", "SIMCUDA_PTXAS", "bin/ptxas");
}

TEST(nvjitlink)
{
#if defined(__SANITIZE_ADDRESS__)
    SKIP("a sanitizer's allocator and libnvJitLink do not go together");
#endif
    SKIP_UNDER_QEMU("runs this program only; the toolkit's library here is for another machine");
    real_compiler("nvjitlink", "SIMCUDA_NVJITLINK", "lib/libnvJitLink.so.13");
}

TEST(a_newer_isa_is_lowered_for_the_compiler_only)
{
    char path[4096];

    if (!in_toolkit("bin/ptxas", path))
        SKIP("no CUDA toolkit here (scripts/fetch-corpus gets one)");
    rig_begin();
    rig_set("SIMCUDA_JIT", "ptxas");
    rig_set("SIMCUDA_PTXAS", path);
    rig_set("SIMCUDA_DRIVER", "615.10");
    rig_set("SIMCUDA_STAMP", "Jan  7 2026 22:51:46");
    const char *ptx = rig_ptx("n.ptx", "9.4", "sm_75", 1234567, 0);

    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), "launch jw_canary_add_1234567 1", NULL),
              "launch 0 1234568");
    check_real(rig_name(ptx, "sm_86", 1, ""), 86);
}

TEST(what_ptxas_refuses_is_218)
{
    char path[4096];

    if (!in_toolkit("bin/ptxas", path))
        SKIP("no CUDA toolkit here (scripts/fetch-corpus gets one)");
    rig_begin();
    rig_set("SIMCUDA_JIT", "ptxas");
    rig_set("SIMCUDA_PTXAS", path);
    scratch_write(scratch("b.ptx"),
                  ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { nonsense; }\n");
    CHECK_HAS(rig_play("init", "ctx 0", load(scratch("b.ptx")), NULL), "load 218");
    CHECK_NUM(rig_files(), 0);
}

TEST(a_compiler_that_is_not_there_is_221)
{
    rig_begin();
    rig_set("SIMCUDA_JIT", "ptxas");
    rig_set("SIMCUDA_PTXAS", "/nonexistent/ptxas");
    CHECK_HAS(rig_play("init", "ctx 0", load(rig_ptx("a.ptx", "7.0", "sm_75", 1, 0)), NULL), "load 221");
}

/* A hit opens the index for both: where that is forbidden, there is none; and only that. F64 */
TEST(no_hits_without_writing_the_index)
{
    if (geteuid() == 0)
        SKIP("root may write everywhere");
    rig_begin();
    const char *ptx = rig_ptx("a.ptx", "7.0", "sm_75", 1, 0);

    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), NULL), "load 0");
    rig_set("SIMCUDA_JIT", "none");
    CHECK(chmod(scratch("root"), 0500) == 0);
    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), NULL), "load 0");
    CHECK(chmod(scratch("root/index"), 0400) == 0);
    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), NULL), "load 221");
    CHECK(chmod(scratch("root/index"), 0600) == 0 && chmod(scratch("root"), 0700) == 0);
}

struct holder {
    int fd;
    const char *ptx, *said;
};

static void let_go(void *ctx, unsigned worker)
{
    struct holder *h = ctx;

    if (worker == 0) {
        h->said = rig_play("init", "ctx 0", load(h->ptx), NULL);
        return;
    }
    jw_time_sleep_ms(50);
    CHECK(close(h->fd) == 0);
}

static int hold_index(void)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(scratch("root/index"), O_RDWR | O_CLOEXEC);

    CHECK(fd >= 0 && fcntl(fd, F_SETLK, &all) == 0);
    return fd;
}

/* Another process holds the index for longer than 200 ms: the driver goes on without the cache. E4c. */
TEST(a_locked_index_is_passed_by)
{
    struct holder h = { .fd = -1 };

    rig_begin();
    const char *ptx = rig_ptx("a.ptx", "7.0", "sm_75", 1, 0), *other = rig_ptx("b.ptx", "7.0", "sm_75", 2, 0);

    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), NULL), "load 0");
    int fd = hold_index();
    uint64_t began = jw_time_monotonic_ns();

    CHECK_HAS(rig_play("init", "ctx 0", load(other), NULL), "load 0");
    CHECK(jw_time_monotonic_ns() - began >= 200 * UINT64_C(1000000));
    rig_set("SIMCUDA_JIT", "none");
    CHECK_HAS(rig_play("init", "ctx 0", load(ptx), NULL), "load 221");
    CHECK(close(fd) == 0);
    struct rig_look l = rig_look();

    CHECK(l.records == 1 && l.index_sound);
    rig_look_free(&l);

    h = (struct holder){ .fd = hold_index(), .ptx = ptx };
    jw_parallel(2, let_go, &h);
    CHECK_HAS(h.said, "load 0");
}

int main(int argc, char **argv)
{
    const char *home = getenv("HOME");

    (void)snprintf(real_home, sizeof real_home, "%s", home ? home : "");
    scratch_begin();
    return RUN(argc, argv, T(ptxas), T(nvjitlink), T(a_newer_isa_is_lowered_for_the_compiler_only),
               T(what_ptxas_refuses_is_218), T(a_compiler_that_is_not_there_is_221),
               T(no_hits_without_writing_the_index), T(a_locked_index_is_passed_by));
}
