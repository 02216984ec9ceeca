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
#include "setup/parts.h"

#include <string.h>

struct removal {
    struct jw_run *run;
    bool dry_run;
    struct jw_step_list *steps;
};

static bool take_steps(const struct removal *r, const struct jw_step_list *from)
{
    for (size_t i = 0; i < from->n; i++)
        *jw_step_add(r->steps, from->v[i].kind, from->v[i].path, r->run->a) = from->v[i];
    return true;
}

static bool remove_env(const struct removal *r, struct jw_err *err)
{
    struct jw_step_list steps = { 0 };

    return !jw_env_config_user(r->run->a)
           || (jw_env_change(NULL, 0, r->dry_run, r->run->a, &steps, err) && take_steps(r, &steps));
}

/* Everybody's: root's to remove; others hear of it. */
static bool remove_startup(const struct removal *r, bool everybody, struct jw_err *err)
{
    bool may = !everybody || jw_process_elevated();
    struct jw_startup s = { .everybody = everybody, .dry_run = r->dry_run || !may };
    struct jw_run run = { .session = r->run->session, .a = r->run->a, .interrupted = r->run->interrupted };

    if (!jw_startup_remove(&run, &s, err))
        return false;
    if (may)
        return take_steps(r, &s.steps);
    if (jw_steps_found(&s.steps))
        JW_NOTE(r->run, "%s and what belongs to it is of every user: %s removes it", s.steps.v[0].path,
                jw_os_is_windows() ? "an administrator's jitwarm uninstall" : "sudo jitwarm uninstall");
    return true;
}

static void add_found(struct jw_step_list *list, enum jw_step_kind kind, const char *path, const char *top,
                      struct jw_arena *a)
{
    struct jw_step *s;

    if (jw_is_absent(path))
        return;
    s = jw_step_add(list, kind, path, a);
    s->top = top;
    s->found = true;
}

/* Only the places of jitwarm's own table: JITWARM_STATE may name a folder with other things in it. */
static bool remove_state(const struct removal *r, struct jw_err *err)
{
    struct jw_arena *a = r->run->a;
    struct jw_step_list steps = { 0 };
    struct jw_err why = { 0 };
    const char *state = jw_state_dir(a, &why), *top;

    if (!state || !jw_is_folder(state))
        return true;
    if (!jw_trust_check_own(state, "folder", a, &why)) {
        JW_NOTE(r->run, "%s is kept: %s", state, why.msg);
        return true;
    }
    for (unsigned i = 0; i < JW_STATE_PLACES; i++)
        add_found(&steps, JW_STEP_FOLDER, jw_path_join(a, state, jw_state_names[i]), NULL, a);
    if (!jw_steps_remove(&steps, r->dry_run, a, err))
        return false;
    if (!r->dry_run) {
        jw_scratch_sweep(state, JW_WORK); /* what killed runs left; that of a run that goes on stays */
        top = strcmp(jw_path_base(state), "state") == 0 ? jw_path_dir(a, state) : state;
        jw_step_drop_folders(state, jw_path_dir(a, top), a);
    }
    return take_steps(r, &steps);
}

static bool remove_packs(const struct removal *r, bool wanted, struct jw_err *err)
{
    struct jw_arena *a = r->run->a;
    const char *folder = jw_packs_of_user(a);
    struct jw_step_list steps = { 0 };

    if (!folder || !jw_is_folder(folder))
        return true;
    if (!wanted) {
        JW_NOTE(r->run, "%s is kept (--packs removes its packs)", folder);
        return true;
    }

    const struct jw_listing packs = jw_listing_read(folder, "*" JW_PACK_ENDING "*", a, &r->run->notes);

    for (size_t i = 0; i < packs.n; i++)
        add_found(&steps, JW_STEP_FILE, jw_path_join(a, folder, packs.names[i]), jw_env_data_user(a), a);
    if (!jw_steps_remove(&steps, r->dry_run, a, err))
        return false;
    return take_steps(r, &steps);
}

bool jw_uninstall(struct jw_run *run, bool packs, bool dry_run, struct jw_step_list *steps,
                  struct jw_err *err)
{
    const struct removal r = { .run = run, .dry_run = dry_run, .steps = steps };
    const char *config = jw_env_config_user(run->a);
    struct jw_lock_holder holder;

    jw_run_begin(run);
    if (jw_cache_lock_any(run->a, &holder))
        return jw_run_end(run, JW_END_BUSY, "Another jitwarm (process %lu) is at work", holder.pid);
    if (!remove_env(&r, err) || !remove_startup(&r, false, err) || !remove_startup(&r, true, err))
        return false;
    if (!remove_state(&r, err) || !remove_packs(&r, packs, err))
        return false;
    if (config && !dry_run)
        jw_step_drop_folders(jw_path_join(run->a, config, "jitwarm"), config, run->a);
    if (!jw_steps_found(steps))
        return jw_run_end(run, JW_END_NOTHING, "%s", "");
    for (size_t i = 0; i < steps->n && !dry_run && !run->ended; i++)
        if (steps->v[i].found && !steps->v[i].done)
            jw_run_end(run, JW_END_PARTLY, "%s was not removed", steps->v[i].path);
    return true;
}
