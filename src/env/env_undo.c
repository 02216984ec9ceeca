/* What env apply has written is taken back. */
#include "env/env_apply_parts.h"

#include "base/limits.h"
#include "env/env_edit.h"
#include "env/files/env_registry.h"
#include "machine/listing.h"

#include <string.h>

/* Or the one before it, where a run was killed between the ledger and the file. */
static bool take_block(const struct jw_env_text *text, const struct jw_env_record *r, struct jw_buf *after,
                       bool *found, struct jw_err *err)
{
    if (!jw_env_edit_take(jw_buf_bytes(&text->text), r->block, r->joint, after, found, err))
        return false;
    if (*found || !r->was)
        return true;
    jw_buf_clear(after);
    return jw_env_edit_take(jw_buf_bytes(&text->text), r->was, r->joint, after, found, err);
}

static bool take_file(struct applier *k, const struct jw_env_record *r)
{
    struct jw_env_text text = { 0 };
    struct jw_buf after = JW_BUF(JW_MAX_CONF * 2);
    struct jw_env_step step = { JW_ENV_FILE, r->path, r->block, JW_ENV_SAME, NULL };
    bool found = false, gone = false;
    bool ok = jw_env_text_read(r->path, k->a, &text, k->err);

    ok = ok && (!text.exists || take_block(&text, r, &after, &found, k->err));
    if (ok && found) {
        gone = r->made && after.n == 0;
        step.done = gone ? JW_ENV_REMOVED : JW_ENV_TAKEN;
        if (!k->o->dry_run)
            ok = gone ? jw_env_text_remove(&text, k->err)
                      : jw_env_text_write(&text, jw_buf_bytes(&after), k->err);
    } else if (ok && text.exists && strstr(jw_buf_cstr(&text.text), "jitwarm env")) {
        step.done = JW_ENV_LEFT;
        step.why =
            "what jitwarm wrote there was changed by hand since, and is left as it is: remove it by hand";
    }
    if (ok && !found && !k->o->dry_run)
        jw_env_text_sweep(text.real); /* a run that was killed before it got so far */
    jw_buf_free(&after);
    jw_env_text_free(&text);
    return ok && env_add_step(k, step);
}

static bool take_value(struct applier *k, const struct jw_env_record *r)
{
    struct jw_env_step step = { JW_ENV_REGISTRY, jw_env_registry_key(r->machine), r->path, JW_ENV_LEFT,
                                NULL };
    struct jw_env_reg now, was = { .exists = r->existed, .type = r->type, .data = r->data };

    if (!jw_env_registry_get(r->machine, r->path, k->a, &now, k->err))
        return false;
    if (!now.exists && !r->existed) {
        step.done = JW_ENV_SAME;
    } else if (now.exists && now.type == r->type && now.data.n == r->data.n && r->existed
               && memcmp(now.data.p, r->data.p, r->data.n) == 0) {
        step.done = JW_ENV_SAME;
    } else if (!now.text || strcmp(now.text, r->wrote) != 0) {
        step.why = "it was changed since, and is left as it is";
    } else {
        step.done = r->existed ? JW_ENV_TAKEN : JW_ENV_REMOVED;
        if (!k->o->dry_run && !jw_env_registry_put_back(r->machine, r->path, &was, k->err))
            return false;
    }
    return env_add_step(k, step);
}

/* Made last, removed first: folders are empty by then, or stay. */
static bool take_all(struct applier *k)
{
    bool registry = false, ok = true;

    for (size_t i = k->ledger.n; i-- > 0;) {
        const struct jw_env_record *r = &k->ledger.records[i];

        registry = registry || r->kind == JW_ENV_REGISTRY;
        if (r->kind == JW_ENV_FILE ? !take_file(k, r) : r->kind == JW_ENV_REGISTRY && !take_value(k, r))
            return false;
    }
    for (size_t i = k->ledger.n; i-- > 0;)
        if (k->ledger.records[i].kind == JW_ENV_FOLDER && !k->o->dry_run)
            ok = jw_env_folder_drop(k->ledger.records[i].path, k->err) && ok;
    if (registry && !k->o->dry_run)
        jw_env_registry_announce();
    return ok;
}

bool jw_env_undo(const struct jw_env_apply_options *o, struct jw_arena *a, struct jw_env_report *out,
                 struct jw_err *err)
{
    struct applier k = { .o = o, .a = a, .out = out, .lock = JW_APPEND_CLOSED, .err = err };
    struct jw_env_setting gone[JW_ENV_ADVICES];
    const char *place = NULL;
    size_t n = 0;

    bool ok = env_begin(&k);

    if (ok && k.ledger.found && !o->dry_run)
        ok = env_lock(&k) && env_begin(&k);
    if (!ok || !k.ledger.found) {
        env_unlock(&k, false);
        return ok;
    }
    for (size_t i = 0; i < k.ledger.n_settings && n < JW_ENV_ADVICES; i++) {
        if (strcmp(k.ledger.settings[i].name, JW_ENV_PLACE_NAME) == 0)
            place = k.ledger.settings[i].value;
        gone[n++] = (struct jw_env_setting){ k.ledger.settings[i].name, NULL };
    }
    ok = take_all(&k) && (o->dry_run || jw_env_ledger_drop(&k.ledger, err));
    env_unlock(&k, ok && !o->dry_run);
    if (!ok)
        return false;
    if (!o->dry_run && place && jw_is_folder(place)
        && !jw_note(&out->notes, a, err, "%s stays, with what is in it: remove it when no program uses it",
                    place))
        return false;
    return env_find_running(o, gone, n, a, out, err);
}
