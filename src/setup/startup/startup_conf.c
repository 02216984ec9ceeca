#include "setup/startup/startup_conf.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "fleet/format/ref.h"
#include "os/files/file.h"
#include "pack/keys/keys.h"
#include "session/session.h"

#include <string.h>

#define MARK "# by jitwarm startup install"

/* ---- the lines ---- */

static bool add_source(struct jw_buf *out, const char *text, struct jw_arena *a, struct jw_err *err)
{
    struct jw_ref ref = { 0 };

    if (!jw_ref_parse(text, a, &ref, err))
        return jw_wrap(err, "--source");
    if (ref.kind == JW_REF_FOLDER && !jw_path_absolute(text))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s is not an absolute path", text);
    if (strpbrk(text, "#\n\r"))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s cannot stand in jitwarm.conf", text);
    jw_buf_printf(out, "source = %s  " MARK "\n", text);
    return true;
}

/* Writes the key itself, not the name of its file: a user who can write to a share cannot exchange it
 * later. */
static bool add_key(struct jw_buf *out, const char *word, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_keys_options o = { .files = &word, .n_files = 1 };
    struct jw_trusted_keys keys = { 0 };
    char line[JW_MINISIGN_LINE + 1];

    if (!jw_keys_load(&o, a, &keys, err))
        return jw_wrap(err, "--trust");
    jw_minisign_show_public(line, &keys.v[0].key);
    jw_buf_printf(out, "trust = %s  " MARK "\n", line);
    return true;
}

/* Without any key the sources would be of no use. */
static bool has_key(const struct jw_startup_options *o, struct jw_session *s, struct jw_err *err)
{
    const struct jw_keys_options all = { .conf = jw_session_config(s) };
    struct jw_trusted_keys keys = { 0 };

    return o->trust.n || (jw_keys_load(&all, s->a, &keys, err) && keys.n > 0)
           || jw_fail(err, JW_E_USAGE,
                      "--source needs --trust KEY: no key is trusted here, so nothing of a source would be "
                      "taken");
}

/* The lines of these sources and keys. */
static bool lines_of(const struct jw_startup_options *o, struct jw_session *s, const char **out,
                     struct jw_err *err)
{
    struct jw_arena *a = s->a;
    struct jw_buf text = JW_BUF_IN(s->a, JW_MAX_CONF);
    bool ok = !o->sources.n || has_key(o, s, err);

    for (size_t i = 0; ok && i < o->sources.n; i++)
        ok = add_source(&text, o->sources.items[i], a, err);
    for (size_t i = 0; ok && i < o->trust.n; i++)
        ok = add_key(&text, o->trust.items[i], a, err);
    ok = ok && jw_buf_ok(&text, err);
    *out = ok ? jw_arena_str(a, text.n ? jw_buf_cstr(&text) : "") : NULL;
    return ok;
}

static bool is_marked(struct jw_bytes line)
{
    line = jw_text_trim(line);
    return line.n >= sizeof MARK - 1
           && memcmp(line.p + line.n - (sizeof MARK - 1), MARK, sizeof MARK - 1) == 0;
}

/* The text without marked lines, and behind it `lines`. True: there were marked lines. */
static bool edit(struct jw_bytes text, const char *lines, struct jw_buf *out)
{
    bool found = false;

    for (size_t at = 0; at < text.n;) {
        const uint8_t *end = memchr(text.p + at, '\n', text.n - at);
        size_t n = end ? (size_t)(end - (text.p + at)) + 1 : text.n - at;

        if (is_marked((struct jw_bytes){ text.p + at, n }))
            found = true;
        else
            jw_buf_add(out, text.p + at, n);
        at += n;
    }
    if (*lines && out->n && out->p[out->n - 1] != '\n')
        jw_buf_text(out, "\n");
    jw_buf_text(out, lines);
    return found;
}

/* ---- the step ---- */

static bool edit_file(const char *path, const char *lines, struct jw_buf *now, bool *found, bool *same,
                      struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    bool exists, ok = jw_file_slurp(path, &text, &exists, err) || jw_wrap(err, "%.250s", path);

    if (ok) {
        *found = edit(jw_buf_bytes(&text), lines, now);
        *same = now->n == text.n && (!text.n || memcmp(now->p, text.p, text.n) == 0);
        ok = jw_buf_ok(now, err);
    }
    jw_buf_free(&text);
    return ok;
}

bool startup_conf_find(struct startup *s, enum startup_purpose purpose, struct jw_err *err)
{
    const char *folder = startup_conf_folder(s), *lines = "";
    const char *path = folder ? jw_path_join(s->run->a, folder, "jitwarm/jitwarm.conf") : NULL;
    bool enrols = purpose == FOR_INSTALL && (s->o->sources.n || s->o->trust.n), found = false, same = false;
    struct jw_buf now = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    struct jw_startup_step *step;
    struct jw_err why = { 0 };

    if (enrols && !lines_of(s->o, s->run->session, &lines, err))
        return false;
    if (enrols && !path)
        return jw_fail(err, JW_E_IO, "this user has no folder for settings (is HOME unset?)");
    if (!path || (purpose == FOR_INSTALL && !enrols))
        return true;

    bool ok = edit_file(path, lines, &now, &found, &same, &why);

    if (ok && (enrols || found)) {
        step = startup_add_step(s, JW_STARTUP_LINES, path, err);
        if (step) {
            step->found = found;
            step->same = enrols && same;
            step->text = enrols ? lines : NULL;
        }
        ok = step != NULL;
    } else if (!ok && purpose == FOR_STATUS)
        ok = true; /* prime says what is wrong with it */
    else if (!ok)
        *err = why;
    return ok;
}

static bool change(struct startup *s, struct jw_startup_step *step, const char *lines, struct jw_err *err)
{
    struct jw_buf now = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    bool found, same;
    bool ok = edit_file(step->path, lines, &now, &found, &same, err)
              && (same || startup_conf_write(s, step->path, jw_buf_bytes(&now), err));

    step->done = ok && !same;
    return ok;
}

bool startup_conf_put(struct startup *s, struct jw_err *err)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->kind == JW_STARTUP_LINES && !step->same && !change(s, step, step->text, err))
            return false;
    }
    return true;
}

bool startup_conf_take(struct startup *s, struct jw_err *err)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->kind == JW_STARTUP_LINES && step->found && !change(s, step, "", err))
            return false;
    }
    return true;
}
