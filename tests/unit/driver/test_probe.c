/* The levels, the devices, what is remembered, and where nothing can be. */
#include "facts/libraries.h"
#include "rigs/probe_rig.h"

#include "base/path.h"
#include "base/text.h"
#include "driver/worker/compiler_code.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#if !defined(_WIN32)
#include <sys/mount.h>
#endif

EACH(rig_begin, NULL)

TEST(placeable)
{
    struct jw_probe_report r = rig_probe();

    rig_expect(&r, JW_LEVEL_PLACEABLE);
    CHECK_TEXT(r.state.stamp, "Jan  7 202662:51:46");
    CHECK(!r.state.why);
    CHECK_HAS(r.on ? r.on->name : "", "NVIDIA GeForce RTX 3070 Laptop GPU");
    CHECK_NUM(r.driver.cuda_version, 13000);
    CHECK_NUM(r.n_devices, 1);
    CHECK_NUM(scratch_count(rig_path("state/drivers")), 1);
}

TEST(each_level)
{
    static const struct {
        const char *knowledge;
        enum jw_level level;
        const char *word;
    } cases[] = {
        {"0", JW_LEVEL_OPAQUE, "is not as expected: format 0x5a5a5a1b"},
        {"1", JW_LEVEL_READABLE, "5 of 5 files have another name than was computed"},
        {"2", JW_LEVEL_PREDICTABLE, "was not used as it is"},
        {"3", JW_LEVEL_PLACEABLE, ""},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        rig_begin();
        set_variable("SIMCUDA_KNOWLEDGE", cases[i].knowledge);
        struct jw_probe_report r = rig_probe();

        rig_expect(&r, cases[i].level);
        CHECK_HAS(r.state.why ? r.state.why : "", cases[i].word);
        CHECK_NUM(scratch_count(rig_path("state/drivers")), 1);
    }
}

/* The user's own settings keep nobody from probing, and are not touched. */
TEST(settings_of_the_user)
{
    set_variable("CUDA_CACHE_DISABLE", "1");
    set_variable("CUDA_CACHE_MAXSIZE", "100");
    set_variable("CUDA_MODULE_LOADING", "LAZY");
    set_variable("CUDA_DISABLE_PTX_JIT", "1");
    struct jw_probe_report r = rig_probe();

    rig_expect(&r, JW_LEVEL_PLACEABLE);
}

/* ---- devices ---- */

TEST(two_unlike_cards)
{
    set_variable("SIMCUDA_GPUS",
                 "sm_86:NVIDIA GeForce RTX 3070:8G;sm_120:NVIDIA GeForce RTX 5090:32G");
    struct jw_probe_report r = rig_probe();

    rig_expect(&r, JW_LEVEL_PLACEABLE);
    CHECK_NUM(r.n_devices, 2);
    CHECK_HAS(r.on ? r.on->name : "", "RTX 3070");
    CHECK_NUM(r.devices[1].sm, 120);
    /* Where the first is closed, the second one is asked. */
    rig_begin();
    set_variable("SIMCUDA_GPUS", "sm_86:NVIDIA GeForce RTX 3070:8G:mode=prohibited;sm_120:NVIDIA "
                                 "GeForce RTX 5090:32G:mode=exclusive");
    r = rig_probe();
    rig_expect(&r, JW_LEVEL_PLACEABLE);
    CHECK_HAS(r.on ? r.on->name : "", "RTX 5090");
    rig_begin();
    set_variable("SIMCUDA_GPUS", "sm_86:NVIDIA GeForce RTX 3070:8G:mode=prohibited");
    r = rig_probe();
    CHECK(!r.on && !r.saved && r.state.level == JW_LEVEL_NONE);
}

TEST(no_device_and_other_starts)
{
    static const int results[] = {34, 100, 802, 803, 804, 999};
    char number[16];

    for (size_t i = 0; i < JW_COUNT(results); i++) {
        rig_begin();
        (void)snprintf(number, sizeof number, "%d", results[i]);
        set_variable("SIMCUDA_INIT", number);
        struct jw_probe_report r = rig_probe();

        CHECK_NUM(r.driver.init_result, results[i]);
        CHECK(r.state.level == JW_LEVEL_NONE && !r.saved && !r.unproven && r.n_devices == 0);
        CHECK(!scratch_there(rig_path("state"))); /* nothing is made for nothing */
    }
    rig_begin();
    struct jw_probe_options o = rig_options();

    o.worker.driver = rig_path("no-such-library.so");
    struct jw_probe_report r = rig_probe_with(&o);

    CHECK(r.driver.init_result == -1 && !r.broken && !r.driver.library);
    CHECK_HAS(r.driver.init_name, "no-such-library.so");
}

/* ---- what is remembered ---- */

static char *state_file(void)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    bool more = false;
    const char *folder = rig_path("state/drivers");
    char *path = NULL;

    CHECK(jw_dir_open(&dir, folder, JW_IGNORED));
    if (dir && jw_dir_next(dir, &e, &more, JW_IGNORED) && more)
        path = jw_path_join(&rig_arena, folder, e.name);
    jw_dir_close(dir);
    CHECK(path != NULL);
    return path ? path : (char *)folder;
}

TEST(remembered)
{
    struct jw_probe_report first = rig_probe(), r = rig_probe();

    rig_expect(&first, JW_LEVEL_PLACEABLE);
    CHECK(!r.saved && !r.unproven);
    CHECK(r.state.level == JW_LEVEL_PLACEABLE);
    CHECK_TEXT(r.state.stamp, "Jan  7 202662:51:46");
    CHECK_TEXT(r.state.build, first.driver.build);
    /* Though nothing could be proven now. */
    set_variable("SIMCUDA_JIT", "none");
    r = rig_probe();
    CHECK(!r.saved && r.state.level == JW_LEVEL_PLACEABLE);
    /* With another compiler it is proven again. A bad day does not make us forget a good one. */
    struct jw_driver_state other = r.state;

    other.compiler = "another";
    CHECK(jw_driver_save(&other, &err));
    r = rig_probe();
    CHECK(!r.saved && r.unproven && r.state.level == JW_LEVEL_PLACEABLE);
    CHECK_NUM(r.refused, 221);
    set_variable("SIMCUDA_JIT", NULL);
    r = rig_probe();
    rig_expect(&r, JW_LEVEL_PLACEABLE);
}

/* What could not be proven is tried again on another day. */
TEST(a_low_level_is_not_for_ever)
{
    struct jw_driver_state s;

    set_variable("SIMCUDA_KNOWLEDGE", "1");
    struct jw_probe_report r = rig_probe();

    rig_expect(&r, JW_LEVEL_READABLE);
    CHECK(r.saved);
    set_variable("SIMCUDA_KNOWLEDGE", NULL);
    s = r.state;
    r = rig_probe();
    CHECK(!r.saved && r.state.level == JW_LEVEL_READABLE);
    for (unsigned i = 0; i < 2; i++) { /* or by a clock that was ahead */
        struct jw_driver_state old = s;

        old.proven_at += i ? 60 * 60 : -25 * 60 * 60;
        CHECK(jw_driver_save(&old, &err));
        r = rig_probe();
        rig_expect(&r, JW_LEVEL_PLACEABLE);
    }
    s = r.state;
    s.proven_at -= 1000L * 24 * 60 * 60;
    CHECK(jw_driver_save(&s, &err));
    r = rig_probe();
    CHECK(!r.saved && r.state.level == JW_LEVEL_PLACEABLE);
    CHECK_NUM(r.state.proven_at, s.proven_at);
}

/* One entry that is cut off while it is stored, as a read that fails, makes the level too low: it
 * is proven once more. */
TEST(a_low_level_is_proven_twice)
{
    set_variable("SIMCUDA_FAULTS", "short@2");
    set_variable("SIMCUDA_SHARED", tree_dir(&rig_arena, "shared"));
    struct jw_probe_report r = rig_probe();

    rig_expect(&r, JW_LEVEL_PLACEABLE);
    CHECK(r.saved);
}

enum { CUT = -1, DAMAGED = -2 };

/* The compiler that is beside the driver: with this many bytes more; its first hundred; with code
 * that is not its own. */
static void put_compiler(const char *folder, int more)
{
    FREED(jw_buf) bytes = JW_BUF((size_t)256 << 20);
    const char *from =
        jw_path_join(&rig_arena, jw_path_dir(&rig_arena, SIMCUDA), JW_DRIVER_COMPILER_FILE);
    bool found = false;

    CHECK(jw_file_slurp(from, &bytes, &found, JW_IGNORED) && found);
    if (more > 0)
        jw_buf_fill(&bytes, 0, (size_t)more);
    if (more == DAMAGED && bytes.n > 5000)
        memset(bytes.p + 4096, 0, 256);
    (void)tree_bytes(&rig_arena, jw_path_join(&rig_arena, folder, JW_DRIVER_COMPILER_FILE), bytes.p,
                     more == CUT ? 100 : bytes.n);
}

/* The same library with one byte of its build-id changed, as an update brings it. */
static const char *another_build(void)
{
    static const char id[] = "jitwarm-simcuda-0000";
    FREED(jw_buf) bytes = JW_BUF((size_t)256 << 20);
    bool found = false;
    size_t at;

    put_compiler("other", 0);
    CHECK(jw_file_slurp(SIMCUDA, &bytes, &found, JW_IGNORED) && found);
    at = jw_find(jw_buf_bytes(&bytes), (struct jw_bytes){(const uint8_t *)id, sizeof id - 1});
    CHECK(at < bytes.n);
    if (at < bytes.n)
        bytes.p[at]++;
    return tree_bytes(&rig_arena, "other/libcuda.so.1", bytes.p, bytes.n);
}

TEST(another_build_is_another_driver)
{
    struct jw_probe_options o = rig_options();

    if (jw_os_is_windows())
        SKIP("the mark that is changed is that of an ELF file");
    struct jw_probe_report first = rig_probe();

    o.worker.driver = another_build();
    set_variable("SIMCUDA_KNOWLEDGE", "1");
    struct jw_probe_report r = rig_probe_with(&o);

    rig_expect(&r, JW_LEVEL_READABLE);
    CHECK(strcmp(r.driver.build, first.driver.build) != 0);
    CHECK_NUM(scratch_count(rig_path("state/drivers")), 2);
    r = rig_probe();
    CHECK(!r.saved && r.state.level == JW_LEVEL_PLACEABLE);
}

/* The record says what two builds need to be known as one compiler that is called alike. */
TEST(what_it_compiles_with_is_remembered)
{
    struct jw_probe_options o = rig_options();

    if (jw_os_is_windows())
        SKIP("which compiler nvcuda.dll loads is not known");
    o.worker.driver = another_build();
    struct jw_probe_report first = rig_probe();
    struct jw_probe_report other = rig_probe_with(&o);

    rig_expect(&first, JW_LEVEL_PLACEABLE);
    rig_expect(&other, JW_LEVEL_PLACEABLE);
    CHECK_TEXT(other.state.code, jw_compiler_code_of_file(other.compiler.path, &rig_arena));
    CHECK_TEXT(other.state.probe_payload, first.state.probe_payload);
    CHECK(strncmp(first.state.probe_payload, "sm_86 ", 6) == 0);
    put_compiler("other", DAMAGED);
    CHECK(
        !jw_text_same(jw_compiler_code_of_file(other.compiler.path, &rig_arena), other.state.code));
}

/* libcuda is the same: what it finds in its cache is known, and what its compiler does is not. */
TEST(another_compiler_is_proven_again)
{
    struct jw_probe_options o = rig_options();

    if (jw_os_is_windows())
        SKIP("which compiler nvcuda.dll loads is not known");
    o.worker.driver = another_build();
    struct jw_probe_report r = rig_probe_with(&o);

    rig_expect(&r, JW_LEVEL_PLACEABLE);
    CHECK_TEXT(r.state.compiler, r.compiler.id);
    CHECK(r.compiler.path && !r.compiler.lacking);
    const char *first = r.compiler.id;

    CHECK(jw_file_remove(
        jw_path_join(&rig_arena, jw_path_dir(&rig_arena, o.worker.driver), JW_DRIVER_COMPILER_FILE),
        &(struct jw_err){0}));
    for (unsigned i = 0; i < 2; i++) { /* nothing of it is remembered */
        r = rig_probe_with(&o);
        CHECK(!r.saved && r.state.level == JW_LEVEL_PLACEABLE && r.refused == 221
              && !r.compiler.path);
    }
    put_compiler("other", CUT);
    r = rig_probe_with(&o);
    CHECK(!r.saved && r.state.level == JW_LEVEL_PLACEABLE && r.compiler.path && r.compiler.lacking);
    put_compiler("other", 0);
    r = rig_probe_with(&o);
    CHECK(!r.compiler.lacking && strcmp(r.compiler.id, first) != 0); /* of another time */
    put_compiler("other", DAMAGED);
    r = rig_probe_with(&o);
    CHECK(r.state.level == JW_LEVEL_PLACEABLE && r.compiler.lacking);
    put_compiler("other", 1);
    r = rig_probe_with(&o);
    rig_expect(&r, JW_LEVEL_PLACEABLE);
    CHECK(strcmp(r.state.compiler, first) != 0);
    r = rig_probe_with(&o);
    CHECK(!r.saved && !r.unproven);
}

TEST(a_damaged_memory)
{
    struct jw_probe_report r = rig_probe();
    char *path = state_file();

    scratch_write(path, "\1");
    r = rig_probe();
    CHECK(r.saved && r.state.level == JW_LEVEL_PLACEABLE && !r.unproven);
    r = rig_probe();
    CHECK(!r.saved);
}

/* ---- where nothing can be kept ---- */

TEST(interrupted)
{
    struct jw_probe_options o = rig_options();
    struct jw_probe_report r;
    atomic_bool stop = true;

    o.worker.interrupted = &stop;
    CHECK(!jw_probe(&o, &rig_arena, &r, &err));
    CHECK(err.code == JW_E_INTERRUPTED);
    rig_check_clean();
}

TEST(no_worker)
{
    struct jw_probe_options o = rig_options();
    struct jw_probe_report r;

    o.worker.exe = rig_path("no-such-program");
    CHECK_REFUSED(jw_probe(&o, &rig_arena, &r, &err), err, "no-such-program");
    rig_check_clean();
}

TEST(state_folder_is_a_file)
{
    (void)tree_file(&rig_arena, "state", "a file");
    struct jw_probe_options o = rig_options();
    struct jw_probe_report r;

    CHECK(jw_probe(&o, &rig_arena, &r, &err));
    CHECK(r.n_devices == 1 && r.state.level == JW_LEVEL_PLACEABLE && !r.unproven && !r.saved);
    scratch_holds(rig_path("state"), "a file");
}

#if !defined(_WIN32)

/* As in an image: there is no room, and nothing can be made. The probe works elsewhere, whose disk
 * counts. */
TEST(no_place_for_state)
{
    set_variable("JITWARM_STATE", "/proc/nosuch/state");
    struct jw_probe_report r = rig_probe();

    CHECK(r.state.level == JW_LEVEL_PLACEABLE && !r.unproven && !r.saved);
}

/* Disks of every size, from one with no room for a folder to one that nearly does. */
TEST(a_full_disk)
{
    const char *state;
    unsigned whole = 0;

    state = tree_dir(&rig_arena, "state");
    for (unsigned inodes = 2; inodes < 60 && !whole; inodes++) {
        char size[64];

        (void)snprintf(size, sizeof size, "size=8m,nr_inodes=%u,mode=0700", inodes);
        if (mount("none", state, "tmpfs", 0, size) != 0)
            SKIP("only root may mount a small disk");
        struct jw_probe_report r = rig_probe();

        CHECK(r.n_devices == 1
              && (r.unproven || r.state.level < JW_LEVEL_PLACEABLE || scratch_there(state_file())));
        if (r.state.level == JW_LEVEL_PLACEABLE && !r.unproven)
            whole = inodes;
        CHECK(umount(state) == 0);
    }
    CHECK(whole > 10);
}

#endif
