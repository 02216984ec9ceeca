#include "base/path.h"
#include "machine/paths.h"
#include "memory/cache_memory.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "pack/format/pack_name.h"
#include "pack/keys/keys.h"
#include "setup/parts.h"

#include <string.h>

static void add_found(struct jw_step_list *steps, enum jw_step_kind kind, const char *path,
                      const char *top, struct jw_arena *a)
{
    if (!jw_is_absent(path))
        *jw_step_add(steps, kind, path, a) =
            (struct jw_step){.kind = kind, .path = path, .top = top, .found = true};
}

/* Removes the startup task. That of all users is root's to remove; other users are told. */
static void remove_startup(struct jw_run *run, bool everybody, bool dry_run,
                           struct jw_step_list *steps)
{
    bool may = !everybody || jw_process_elevated();
    struct jw_startup s = {.everybody = everybody, .dry_run = dry_run || !may};
    struct jw_run own = jw_run_part(run);
    struct jw_err why = {0};

    if (!jw_startup_remove(&own, &s, &why))
        jw_run_end(run, JW_END_PARTLY, "%s", why.msg);
    for (size_t i = 0; may && i < s.steps.n; i++)
        *jw_step_add(steps, s.steps.v[i].kind, s.steps.v[i].path, run->a) = s.steps.v[i];
    if (!may && jw_steps_found(&s.steps))
        JW_NOTE(run, "%s and what belongs to it is of every user: %s removes it",
                jw_steps_found(&s.steps)->path,
                jw_os_is_windows() ? "an administrator's jitwarm uninstall"
                                   : "sudo jitwarm uninstall");
}

/* JITWARM_STATE may name a folder with drivers or sources of the user's: in jitwarm's own places
 * all has a digest as its name. */
static bool is_own(struct jw_run *run, const char *place)
{
    const struct jw_listing in = jw_listing_read(place, "*", run->a, &run->notes);

    for (size_t i = 0; i < in.n && !jw_is_link(place); i++)
        if (strspn(in.names[i], "0123456789abcdef") < sizeof JW_STATE_NAMES - 1)
            return false;
    return true;
}

/* Adds the state folder; NULL: it stays. */
static const char *add_state(struct jw_run *run, struct jw_step_list *steps)
{
    struct jw_err why = {0};
    const char *state = jw_state_dir(run->a, &why);
    const char *whole =
        jw_env(run->a, "JITWARM_STATE") ? NULL : state; /* else others may be in it */

    if (!state)
        JW_NOTE(run, "what is remembered is kept: %s", why.msg);
    if (!state || !jw_is_folder(state))
        return NULL;
    for (unsigned i = 0; i < JW_STATE_PLACES; i++) {
        const char *place = jw_path_join(run->a, state, jw_state_names[i]);

        if (i == JW_STATE_ABSENT_GPUS || is_own(run, place))
            add_found(steps, JW_STEP_FOLDER, place, whole, run->a);
    }
    return state;
}

/* The key with which prune signed, and the same where keys are trusted. */
static void add_own_key(struct jw_arena *a, const char *config, struct jw_step_list *steps)
{
    const char *public = jw_path_join(a, config, "jitwarm/own.pub");
    struct jw_trusted_keys own = {0};

    if (jw_keys_load((struct jw_texts){&public, 1}, NULL, a, &own, JW_IGNORED) && own.n)
        add_found(steps, JW_STEP_FILE, jw_key_trusted_path(&own.v->key, a), config, a);
    add_found(steps, JW_STEP_FILE, public, config, a);
    add_found(steps, JW_STEP_FILE, jw_path_join(a, config, "jitwarm/own.key"), config, a);
}

static void add_packs(struct jw_run *run, const char *config, bool wanted,
                      struct jw_step_list *steps)
{
    struct jw_arena *a = run->a;
    const char *folder = jw_packs_of_user(a);
    bool there = folder && jw_is_folder(folder);

    if (there && !wanted) {
        JW_NOTE(run, "%s and own.key, which signed them, are kept (uninstall --packs removes them)",
                folder);
        return;
    }
    if (config)
        add_own_key(a, config, steps);

    const struct jw_listing packs =
        there ? jw_listing_read(folder, "*" JW_PACK_ENDING "*", a, &run->notes)
              : (struct jw_listing){0};

    for (size_t i = 0; i < packs.n; i++)
        add_found(steps, JW_STEP_FILE, jw_path_join(a, folder, packs.names[i]), jw_env_data_user(a),
                  a);
}

/* Removes what killed runs left, and folders that are empty now; on Windows the system has those
 * above. */
static void sweep(struct jw_arena *a, const char *config, const char *state)
{
    const char *const above[] = {config, jw_env_state_user(a), jw_env_data_user(a)};

    if (config)
        jw_step_drop_folders(jw_path_join(a, config, "jitwarm"), config, a);
    if (state) {
        jw_scratch_sweep(state, JW_WORK_FOLDER); /* the work folder of a running jitwarm stays */
        jw_out_sweep(state);
        bool own = strcmp(jw_path_base(state), "state") == 0; /* jitwarm's folder is above it */

        jw_step_drop_folders(state, jw_path_dir(a, own ? jw_path_dir(a, state) : state), a);
    }
    for (size_t i = 0; i < JW_COUNT(above) && !jw_os_is_windows(); i++)
        if (above[i])
            jw_step_drop_folders(above[i], jw_env_home(a), a);
}

bool jw_uninstall(struct jw_run *run, bool packs, bool dry_run, struct jw_step_list *steps,
                  struct jw_err *err)
{
    const char *state;
    const char *config = jw_env_config_user(run->a);
    const char *there = jw_state_path(run->a, JW_IGNORED);
    struct jw_lock_holder holder;
    bool all;

    if (jw_cache_lock_any(run->a, &holder))
        return holder.pid ? jw_run_end(run, JW_END_BUSY, "it is process %lu", holder.pid)
                          : jw_run_end(run, JW_END_BUSY, "which process it is cannot be seen");
    remove_startup(run, false, dry_run, steps);
    remove_startup(run, true, dry_run, steps);
    if (config && !jw_env_change(NULL, 0, dry_run, run->a, steps, err))
        return false;
    state = add_state(run, steps);
    add_packs(run, config, packs, steps);
    all = jw_steps_remove(steps, dry_run, run->a)
          && (dry_run || state || !there || !jw_is_folder(there));
    if (!dry_run)
        sweep(run->a, config, state);
    return run->ended || (all && jw_steps_found(steps))
           || jw_run_done(run, all ? JW_END_NOTHING : JW_END_PARTLY);
}
