#include "setup/uninstall.h"

#include "base/path.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "memory/cache_folder.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "pack/export/export.h"
#include "pack/format/pack_key.h"
#include "session/session.h"
#include "setup/env.h"
#include "setup/startup.h"

#include <string.h>

struct removal {
    const struct jw_uninstall_options *o;
    struct jw_run *run;
    struct jw_step_list *steps;
};

static void take_steps(struct removal *r, const struct jw_step_list *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct jw_step *s = &from->v[i];

        if (s->found)
            *jw_step_add(r->steps, s->kind, s->path, r->run->a) = *s;
        if (s->why)
            JW_NOTE(r->run, "%s", s->why);
    }
}

static bool remove_env(struct removal *r, struct jw_err *err)
{
    struct jw_step_list steps = { 0 };

    if (!jw_env_config_user(r->run->a))
        return true;
    if (!jw_env_undo(r->o->dry_run, r->run->a, &steps, err))
        return false;
    take_steps(r, &steps);
    return true;
}

/* Everybody's: root's to remove; others hear of it. */
static bool remove_startup(struct removal *r, bool everybody, struct jw_err *err)
{
    bool may = !everybody || jw_process_elevated();
    const struct jw_startup_options o = { .everybody = everybody, .dry_run = r->o->dry_run || !may };
    struct jw_run run = jw_session_run(r->run->session);
    struct jw_startup_report report = { 0 };

    if (!jw_startup_remove(&run, &o, &report, err))
        return false;
    if (may)
        take_steps(r, &report.steps);
    else if (jw_steps_found(&report.steps))
        JW_NOTE(r->run, "%s and what belongs to it is of every user: %s removes it", report.steps.v[0].path,
                jw_os_is_windows() ? "an administrator's jitwarm uninstall" : "sudo jitwarm uninstall");
    return true;
}

/* ---- the state folder ---- */

static void remove_folder(struct removal *r, const char *path)
{
    struct jw_step *s = jw_step_add(r->steps, JW_STEP_FOLDER, path, r->run->a);

    s->found = true;
    if (r->o->dry_run)
        return;
    jw_scratch_remove(path);
    s->done = !jw_is_folder(path);
    if (!s->done)
        JW_NOTE(r->run, "%s could not be removed whole", path);
}

/* Folders of a run; those of a run that goes on stay. */
static void remove_scratch(struct removal *r, const char *state)
{
    const struct jw_listing names = jw_listing_read(state, JW_WORK "-*", r->run->a, &r->run->notes);

    for (size_t i = 0; i < names.n; i++) {
        const char *path = jw_path_join(r->run->a, state, names.names[i]);

        if (jw_scratch_abandoned(path, names.names[i], JW_WORK))
            remove_folder(r, path);
    }
}

/* Only the places of jitwarm's own table: JITWARM_STATE may name a folder with other things in it. */
static void remove_state(struct removal *r)
{
    struct jw_arena *a = r->run->a;
    struct jw_err why = { 0 };
    const char *state = jw_state_dir(a, &why);

    if (!state || !jw_is_folder(state))
        return;
    if (!jw_trust_check_own(state, "folder", a, &why)) {
        JW_NOTE(r->run, "%s is kept: %s", state, why.msg);
        return;
    }
    for (unsigned i = 0; i < JW_STATE_PLACES; i++) {
        const char *path = jw_path_join(a, state, jw_state_names[i]);

        if (jw_is_folder(path))
            remove_folder(r, path);
    }
    remove_scratch(r, state);
    if (!r->o->dry_run) {
        jw_out_sweep(state);
        jw_step_drop_folders(
            state, jw_path_dir(a, strcmp(jw_path_base(state), "state") == 0 ? jw_path_dir(a, state) : state),
            a);
    }
}

/* ---- packs ---- */

static void remove_packs(struct removal *r)
{
    const char *folder = jw_packs_of_user(r->run->a);

    if (!folder || !jw_is_folder(folder))
        return;
    if (!r->o->packs) {
        JW_NOTE(r->run, "%s is kept (--packs removes its packs)", folder);
        return;
    }

    const struct jw_listing packs =
        jw_listing_read(folder, "*" JW_PACK_ENDING "*", r->run->a, &r->run->notes);

    for (size_t i = 0; i < packs.n; i++) {
        const char *path = jw_path_join(r->run->a, folder, packs.names[i]);
        struct jw_step *s = jw_step_add(r->steps, JW_STEP_FILE, path, r->run->a);
        struct jw_err why = { 0 };

        s->found = true;
        if (!r->o->dry_run && !jw_step_remove(s, r->run->a, &why))
            JW_NOTE(r->run, "%s", why.msg);
    }
    if (!r->o->dry_run)
        jw_step_drop_folders(folder, jw_env_data_user(r->run->a), r->run->a);
}

bool jw_uninstall(struct jw_run *run, const struct jw_uninstall_options *o, struct jw_uninstall_report *out,
                  struct jw_err *err)
{
    struct removal r = { .o = o, .run = run, .steps = &out->steps };
    struct jw_lock_holder holder;
    const char *config;

    *out = (struct jw_uninstall_report){ .run = run };
    jw_run_begin(run);
    if (jw_cache_lock_any(run->a, &holder))
        return jw_run_end(run, JW_END_BUSY, "Another jitwarm (process %lu) is at work", holder.pid);
    if (!remove_env(&r, err) || !remove_startup(&r, false, err) || !remove_startup(&r, true, err))
        return false;
    remove_state(&r);
    remove_packs(&r);
    config = jw_env_config_user(run->a);
    if (config && !o->dry_run)
        jw_step_drop_folders(jw_path_join(run->a, config, "jitwarm"), config, run->a);
    if (!jw_steps_found(&out->steps))
        return jw_run_end(run, JW_END_NOTHING, "%s", "");
    for (size_t i = 0; i < out->steps.n && !o->dry_run && !run->ended; i++)
        if (!out->steps.v[i].done)
            jw_run_end(run, JW_END_PARTLY, "%s was not removed", out->steps.v[i].path);
    return true;
}
