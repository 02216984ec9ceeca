#include "probe_rig.h"
#include "cache/format/jitcache.h"

#include "base/text.h"
#include "os/files/dir.h"
#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <stdio.h>
#include <stdlib.h>

struct jw_arena rig_arena;

const char *rig_path(const char *name) { return tree_path(&rig_arena, name); }

/* No variable of another test, an empty state folder, and a cache of the user's that must stay as
 * it is. */
void rig_begin(void)
{
    static const char *const variables[] = {
        "SIMCUDA_KNOWLEDGE", "SIMCUDA_GPUS",       "SIMCUDA_DRIVER",       "SIMCUDA_INIT",
        "SIMCUDA_FAULTS",    "SIMCUDA_JIT",        "SIMCUDA_STAMP",        "CUDA_CACHE_PATH",
        "XDG_STATE_HOME",    "CUDA_CACHE_DISABLE", "CUDA_MODULE_LOADING",  "CUDA_CACHE_MAXSIZE",
        "JITWARM_DRIVER",    "SIMCUDA_SHARED",     "CUDA_DISABLE_PTX_JIT", "CUDA_VISIBLE_DEVICES",
    };

    for (size_t i = 0; i < JW_COUNT(variables); i++)
        set_variable(variables[i], NULL);
    scratch_empty(rig_path("."));
    set_variable("HOME", tree_dir(&rig_arena, "home"));
    set_variable("JITWARM_STATE", rig_path("state"));
    (void)tree_file(&rig_arena, "home/.nv/ComputeCache/index", "the user's own");
}

/* Is the user's cache untouched, and nothing of the probe left behind? */
void rig_check_clean(void)
{
    const char *state = rig_path("state");
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    bool more = true;

    scratch_holds(rig_path("home/.nv/ComputeCache/index"), "the user's own");
    CHECK_NUM(scratch_count(rig_path("home/.nv/ComputeCache")), 1);
    if (!scratch_there(state))
        return;
    CHECK(jw_dir_open(&dir, state, JW_IGNORED));
    while (dir && jw_dir_next(dir, &e, &more, JW_IGNORED) && more)
        if (jw_text_starts(e.name, "jitwarm-work-"))
            CHECK_TEXT(e.name, "nothing of the probe");
    jw_dir_close(dir);
}

/* A path that CMake names, as this system spells it: Wine has the root of Linux on Z:. */
static const char *spelt(const char *path)
{
    char text[4096];

    if (!path || !jw_os_is_windows() || *path != '/')
        return path;
    (void)snprintf(text, sizeof text, "Z:%s", path);
    return jw_arena_str(&rig_arena, text);
}

struct jw_probe_options rig_options(void)
{
    return (struct jw_probe_options){.worker = {.driver = spelt(SIMCUDA),
                                                .exe = spelt(getenv("JW_TEST_TOOL")),
                                                .timeout_ms = 20000}};
}

struct jw_session rig_session(void)
{
    const struct jw_probe_options o = rig_options();

    return (struct jw_session){.a = &rig_arena, .driver = o.worker.driver, .exe = o.worker.exe};
}

struct jw_probe_report rig_probe_with(const struct jw_probe_options *o)
{
    struct jw_probe_options now = *o;
    struct jw_drivers met;
    struct jw_driver_file file;
    struct jw_probe_report r;
    struct jw_err err = {0};

    jw_drivers_load(&rig_arena, &met);
    jw_driver_file_here(o->worker.driver, &met, &rig_arena, &file);
    now.met = &met;
    now.file = file.found ? &file : NULL;
    CHECK_OK(jw_probe(&now, &rig_arena, &r, &err), err);
    rig_check_clean();
    return r;
}

struct jw_probe_report rig_probe(void)
{
    struct jw_probe_options o = rig_options();

    return rig_probe_with(&o);
}

void rig_expect(const struct jw_probe_report *r, enum jw_level level)
{
    CHECK_NUM(r->state.level + 1, level + 1);
    CHECK_TEXT(r->unproven ? r->unproven : "", "");
    CHECK(r->saved == (level > JW_LEVEL_NONE) && !r->broken && r->refused == 0);
    CHECK(!r->state.stamp || jw_stamp_simulated(r->state.stamp));
    CHECK((r->state.stamp != NULL) == (level >= JW_LEVEL_READABLE));
}

/* Not proven to its end: a sentence, and nothing is remembered. */
void rig_expect_unproven(const struct jw_probe_report *r, enum jw_level level, int refused,
                         const char *word)
{
    CHECK_NUM(r->state.level + 1, level + 1);
    CHECK_HAS(r->unproven ? r->unproven : "", word);
    CHECK_NUM(r->refused, refused);
    CHECK(!scratch_there(rig_path("state/drivers"))
          || scratch_count(rig_path("state/drivers")) == 0);
}
