#include "env/env_ledger.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/digest.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "cache/memory/state.h"
#include "env/files/env_write.h"
#include "machine/list.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

#define SCHEMA "jitwarm.env-undo/1"

enum { MOST_RECORDS = 256 };

static const char *const scopes[] = { "user", "system" };
static const char *const kinds[] = { "folder", "file", "registry" };

const char *jw_env_scope_name(enum jw_env_scope s)
{
    return scopes[s];
}

/* ---- where ---- */

static const char *system_path(const char *sysroot, struct jw_arena *a)
{
    const char *base;

    if (jw_os_is_windows()) {
        base = jw_env_config_system(a);
        return base ? jw_path_join(a, base, "jitwarm/env.json") : NULL;
    }
    return jw_path_join(a, *sysroot ? sysroot : "/", "var/lib/jitwarm/env.json");
}

static const char *own_path(struct jw_arena *a, struct jw_err *err)
{
    const char *state = jw_state_dir(a, err), *folder;

    if (!state)
        return NULL;
    folder = jw_path_join(a, state, "env");
    return folder ? jw_path_join(a, folder, "user.json") : NULL;
}

/* ---- reading ---- */

static bool text_of(const struct jw_jval *v, const char *field, struct jw_arena *a, const char **out,
                    struct jw_err *err)
{
    const char *text = jw_jtext(jw_jget(v, field));

    if (!text)
        return jw_fail(err, JW_E_FORMAT, "\"%s\" is missing", field);
    *out = jw_arena_str(a, text);
    return *out || jw_nomem(err, strlen(text));
}

static bool flag_of(const struct jw_jval *v, const char *field, bool *out, struct jw_err *err)
{
    return jw_jbool(jw_jget(v, field), out) || jw_fail(err, JW_E_FORMAT, "\"%s\" is missing", field);
}

static bool data_of(const struct jw_jval *v, struct jw_arena *a, struct jw_bytes *out, struct jw_err *err)
{
    const char *text = jw_jtext(jw_jget(v, "data"));
    size_t length = text ? strlen(text) : 0, pads = 0, n;
    uint8_t *data;

    while (pads < 2 && length > pads && text[length - 1 - pads] == '=')
        pads++;
    if (!text || length % 4)
        return jw_fail(err, JW_E_FORMAT, "\"data\" is not base64");
    n = length / 4 * 3 - pads;
    data = jw_arena_alloc(a, n + 1);
    if (!data)
        return jw_nomem(err, n);
    *out = (struct jw_bytes){ data, n };
    return jw_base64_get(data, n, (struct jw_bytes){ (const uint8_t *)text, length })
           || jw_fail(err, JW_E_FORMAT, "\"data\" is not base64");
}

static bool read_registry(const struct jw_jval *v, struct jw_arena *a, struct jw_env_record *r,
                          struct jw_err *err)
{
    double type;

    if (!flag_of(v, "machine", &r->machine, err) || !flag_of(v, "existed", &r->existed, err)
        || !text_of(v, "wrote", a, &r->wrote, err) || !data_of(v, a, &r->data, err))
        return false;
    if (!jw_jnumber(jw_jget(v, "type"), &type) || type < 0 || type > 1 << 16)
        return jw_fail(err, JW_E_FORMAT, "\"type\" is missing");
    r->type = (unsigned)type;
    return true;
}

static bool read_record(const struct jw_jval *v, struct jw_arena *a, struct jw_env_ledger *out,
                        struct jw_err *err)
{
    struct jw_env_record r = { 0 };
    const char *kind = jw_jtext(jw_jget(v, "kind"));
    size_t k = 0;

    while (k < JW_COUNT(kinds) && (!kind || strcmp(kinds[k], kind) != 0))
        k++;
    if (k == JW_COUNT(kinds))
        return jw_fail(err, JW_E_FORMAT, "a record is of no kind that is known");
    r.kind = (enum jw_env_record_kind)k;
    if (!text_of(v, "path", a, &r.path, err))
        return false;
    if (r.kind != JW_ENV_REGISTRY && !jw_path_absolute(r.path))
        return jw_fail(err, JW_E_FORMAT, "a record names no absolute path");
    if (r.kind == JW_ENV_FILE
        && (!text_of(v, "block", a, &r.block, err) || !flag_of(v, "made", &r.made, err)
            || !flag_of(v, "joint", &r.joint, err)
            || (jw_jget(v, "was") && !text_of(v, "was", a, &r.was, err))))
        return false;
    if (r.kind == JW_ENV_REGISTRY && !read_registry(v, a, &r, err))
        return false;
    return jw_env_ledger_add(out, r, a, err);
}

static bool read_settings(const struct jw_jval *list, struct jw_arena *a, struct jw_env_ledger *out,
                          struct jw_err *err)
{
    for (const struct jw_jval *v = jw_jfirst(list); v; v = jw_jnext(v)) {
        struct jw_env_kept *s =
            jw_list_add(a, &out->settings, &out->n_settings, sizeof *s, MOST_RECORDS, err);

        if (!s || !text_of(v, "name", a, &s->name, err) || !text_of(v, "value", a, &s->value, err)
            || !flag_of(v, "asked", &s->asked, err))
            return false;
    }
    return true;
}

static bool read_root(const struct jw_jval *root, struct jw_arena *a, struct jw_env_ledger *out,
                      struct jw_err *err)
{
    const char *schema = jw_jtext(jw_jget(root, "schema")), *scope = jw_jtext(jw_jget(root, "scope"));
    size_t s = 0;

    if (!schema || strcmp(schema, SCHEMA) != 0)
        return jw_fail(err, JW_E_FORMAT, "another version of jitwarm wrote it (schema %.40s)",
                       schema ? schema : "none");
    while (s < JW_COUNT(scopes) && (!scope || strcmp(scopes[s], scope) != 0))
        s++;
    if (s == JW_COUNT(scopes))
        return jw_fail(err, JW_E_FORMAT, "\"scope\" is missing");
    out->scope = (enum jw_env_scope)s;
    if (!read_settings(jw_jget(root, "settings"), a, out, err))
        return false;
    for (const struct jw_jval *v = jw_jfirst(jw_jget(root, "records")); v; v = jw_jnext(v))
        if (!read_record(v, a, out, err))
            return false;
    return true;
}

bool jw_env_ledger_read(struct jw_bytes text, struct jw_arena *a, struct jw_env_ledger *out,
                        struct jw_err *err)
{
    struct jw_jdoc *doc = NULL;
    bool ok = jw_jdoc_parse(&doc, text, err) && read_root(jw_jdoc_root(doc), a, out, err);

    jw_jdoc_free(doc);
    return ok;
}

static bool believe(const char *path, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_path_dir(a, path);

    return folder ? jw_trust_believe(folder, "folder", a, err) && jw_trust_believe(path, "file", a, err)
                  : jw_nomem(err, strlen(path));
}

bool jw_env_ledger_load(enum jw_env_scope scope, const char *sysroot, struct jw_arena *a,
                        struct jw_env_ledger *out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    bool ok;

    *out = (struct jw_env_ledger){ .scope = scope };
    out->path = scope == JW_ENV_SYSTEM ? system_path(sysroot, a) : own_path(a, err);
    if (!out->path)
        return err->code != JW_OK ? false : jw_nomem(err, 64);
    ok = believe(out->path, a, err) && jw_file_slurp(out->path, &text, &out->found, err)
         && (!out->found || jw_env_ledger_read(jw_buf_bytes(&text), a, out, err));
    jw_buf_free(&text);
    if (ok && out->found && out->scope != scope)
        ok = jw_fail(err, JW_E_FORMAT, "it is of another scope");
    return ok || jw_wrap(err, "%.300s", out->path);
}

struct jw_env_record *jw_env_ledger_of(struct jw_env_ledger *l, enum jw_env_record_kind kind,
                                       const char *path)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->records[i].kind == kind && strcmp(l->records[i].path, path) == 0)
            return &l->records[i];
    return NULL;
}

bool jw_env_ledger_add(struct jw_env_ledger *l, struct jw_env_record r, struct jw_arena *a,
                       struct jw_err *err)
{
    struct jw_env_record *slot = jw_list_add(a, &l->records, &l->n, sizeof *slot, MOST_RECORDS, err);

    if (slot)
        *slot = r;
    return slot != NULL;
}

/* ---- writing ---- */

static bool write_data(struct jw_json *j, const struct jw_env_record *r, struct jw_err *err)
{
    char *text = jw_alloc(JW_BASE64(r->data.n) + 1);

    if (!text)
        return jw_nomem(err, JW_BASE64(r->data.n));
    jw_base64_put(text, r->data.p, r->data.n);
    jw_json_text(j, "data", text);
    jw_free(text);
    return true;
}

static bool write_record(struct jw_json *j, const struct jw_env_record *r, struct jw_err *err)
{
    bool ok = true;

    jw_json_object(j, NULL);
    jw_json_text(j, "kind", kinds[r->kind]);
    jw_json_text(j, "path", r->path);
    if (r->kind == JW_ENV_FILE) {
        jw_json_text(j, "block", r->block);
        if (r->was)
            jw_json_text(j, "was", r->was);
        jw_json_bool(j, "made", r->made);
        jw_json_bool(j, "joint", r->joint);
    } else if (r->kind == JW_ENV_REGISTRY) {
        jw_json_bool(j, "machine", r->machine);
        jw_json_bool(j, "existed", r->existed);
        jw_json_number(j, "type", r->type);
        ok = write_data(j, r, err);
        jw_json_text(j, "wrote", r->wrote);
    }
    jw_json_close(j);
    return ok;
}

static bool write_all(const struct jw_env_ledger *l, struct jw_sink sink, struct jw_err *err)
{
    struct jw_json j;
    bool ok = true;

    jw_json_begin(&j, sink, true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", SCHEMA);
    jw_json_text(&j, "scope", scopes[l->scope]);
    jw_json_array(&j, "settings");
    for (size_t i = 0; i < l->n_settings; i++) {
        jw_json_object(&j, NULL);
        jw_json_text(&j, "name", l->settings[i].name);
        jw_json_text(&j, "value", l->settings[i].value);
        jw_json_bool(&j, "asked", l->settings[i].asked);
        jw_json_close(&j);
    }
    jw_json_close(&j);
    jw_json_array(&j, "records");
    for (size_t i = 0; ok && i < l->n; i++)
        ok = write_record(&j, &l->records[i], err);
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j) && ok;
}

bool jw_env_ledger_save(const struct jw_env_ledger *l, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_env_text file = { 0 };
    const char *folder = jw_path_dir(&a, l->path), *above = folder ? jw_path_dir(&a, folder) : NULL;
    bool ok = above || jw_nomem(err, 64);

    ok = ok && write_all(l, jw_sink_buf(&text), err) && jw_trust_make(above, err)
         && jw_trust_make(folder, err);
    if (!ok)
        jw_err_wrap(err, "%.300s", l->path);
    ok =
        ok && jw_env_text_read(l->path, &a, &file, err) && jw_env_text_write(&file, jw_buf_bytes(&text), err);
    jw_env_text_free(&file);
    jw_buf_free(&text);
    jw_arena_free(&a);
    return ok;
}

bool jw_env_ledger_drop(const struct jw_env_ledger *l, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_env_text file = { 0 };
    struct jw_err ignored = { 0 };
    bool ok = jw_env_text_read(l->path, &a, &file, err) && (!file.exists || jw_env_text_remove(&file, err));
    const char *folder = ok ? jw_path_dir(&a, l->path) : NULL;

    if (folder)
        (void)jw_env_folder_drop(folder, &ignored);
    jw_env_text_free(&file);
    jw_arena_free(&a);
    return ok;
}
