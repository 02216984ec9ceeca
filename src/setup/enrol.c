/* Lines of jitwarm.conf that end with a mark; all other lines stay as they are. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "fleet/format/ref.h"
#include "os/files/file.h"
#include "pack/keys/keys.h"
#include "session/session.h"
#include "setup/startup_system.h"

#include <string.h>

#define MARK "  # by jitwarm startup install"

static bool add_source(struct jw_buf *out, const char *text, struct jw_arena *a, struct jw_err *err)
{
    struct jw_ref ref = { 0 };

    if (!jw_ref_parse(text, a, &ref, err))
        return jw_wrap(err, "--source");
    if (ref.path && !jw_path_absolute(text))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s is not an absolute path", text);
    if (strpbrk(text, "#\n\r"))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s cannot stand in jitwarm.conf", text);
    jw_buf_printf(out, "source = %s" MARK "\n", text);
    return true;
}

/* The key itself, not the name of its file: a user who can write to a share cannot exchange it later. */
static bool add_key(struct jw_buf *out, const char *word, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_keys_options o = { .files = &word, .n_files = 1 };
    struct jw_trusted_keys keys = { 0 };
    char line[JW_MINISIGN_LINE + 1];

    if (!jw_keys_load(&o, a, &keys, err))
        return jw_wrap(err, "--trust");
    jw_minisign_show_public(line, &keys.v[0].key);
    jw_buf_printf(out, "trust = %s" MARK "\n", line);
    return true;
}

/* Without any key the sources would be of no use. */
static bool has_key(const struct startup *s, struct jw_err *err)
{
    const struct jw_keys_options all = { .conf = jw_session_config(s->run->session) };
    struct jw_trusted_keys keys = { 0 };

    return !s->o->sources.n || s->o->trust.n || (jw_keys_load(&all, s->run->a, &keys, err) && keys.n > 0)
           || jw_fail(
               err, JW_E_USAGE,
               "--source needs --trust KEY: no key is trusted here, so nothing of a source would be taken");
}

static const char *lines_of(const struct startup *s, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    bool ok = has_key(s, err);

    for (size_t i = 0; ok && i < s->o->sources.n; i++)
        ok = add_source(&text, s->o->sources.items[i], s->run->a, err);
    for (size_t i = 0; ok && i < s->o->trust.n; i++)
        ok = add_key(&text, s->o->trust.items[i], s->run->a, err);
    return ok && jw_buf_ok(&text, err) ? jw_buf_cstr(&text) : NULL;
}

static bool is_marked(struct jw_bytes line)
{
    line = jw_text_trim(line);
    return line.n >= strlen(MARK) && memcmp(line.p + line.n - strlen(MARK), MARK, strlen(MARK)) == 0;
}

/* The file without marked lines, and behind it `lines`. `*found`: there were some. */
static bool edit(const char *path, const char *lines, struct jw_buf *now, bool *found, bool *same,
                 struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    bool exists, ok = jw_file_slurp(path, &text, &exists, err) || jw_wrap(err, "%.250s", path);

    *found = false;
    for (size_t at = 0, n; ok && at < text.n; at += n) {
        const uint8_t *line = text.p + at, *end = memchr(line, '\n', text.n - at);

        n = end ? (size_t)(end - line) + 1 : text.n - at;
        if (is_marked((struct jw_bytes){ line, n }))
            *found = true;
        else
            jw_buf_add(now, line, n);
    }
    if (*lines && now->n && now->p[now->n - 1] != '\n')
        jw_buf_text(now, "\n");
    jw_buf_text(now, lines);
    *same = now->n == text.n && (!text.n || memcmp(now->p, text.p, text.n) == 0);
    jw_buf_free(&text);
    return ok && jw_buf_ok(now, err)
           && (strlen(jw_buf_cstr(now)) == now->n
               || jw_fail(err, JW_E_FORMAT, "%.250s has a zero byte", path));
}

bool startup_enrol_find(struct startup *s, const char *folder, bool texts, struct jw_err *err)
{
    const char *path = folder ? jw_path_join(s->run->a, folder, "jitwarm/jitwarm.conf") : NULL, *lines = "";
    bool enrols = texts && (s->o->sources.n || s->o->trust.n), found, same;
    struct jw_buf now = JW_BUF_IN(s->run->a, JW_MAX_CONF);

    if (enrols
        && (!(lines = lines_of(s, err))
            || (!path && !jw_fail(err, JW_E_IO, "this user has no folder for settings"))))
        return false;
    if (!path || (texts && !enrols))
        return true;
    if (!edit(path, lines, &now, &found, &same, err))
        return false;
    if (!enrols && !found)
        return true;

    struct jw_step *step = jw_step_add(&s->out->steps, JW_STEP_LINES, path, s->run->a);

    step->top = folder;
    step->found = found;
    step->same = enrols && same;
    step->text = jw_buf_cstr(&now);
    return true;
}
