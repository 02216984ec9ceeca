#include "machine/config.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

enum key_kind { KEY_FOLDERS, KEY_TEXTS, KEY_NUMBER };

#define KNOWN "search, exclude, jobs, timeout, carry, trust, source, cacert, plain_http"
#define AT(field) offsetof(struct jw_config, field)

struct key {
    const char *name;
    enum key_kind kind;
    size_t at; /* where struct jw_config has its list or number */
    unsigned max;
};

static const struct key keys[] = {
    {"search", KEY_FOLDERS, AT(search), 0},
    {"exclude", KEY_TEXTS, AT(exclude), 0},
    {"jobs", KEY_NUMBER, AT(jobs), JW_MAX_WORKERS},
    {"timeout", KEY_NUMBER, AT(timeout_s), JW_MAX_TIMEOUT_S},
    {"carry", KEY_TEXTS, AT(carry), 0},
    {"trust", KEY_TEXTS, AT(trust), 0},
    {"source", KEY_TEXTS, AT(source), 0},
    {"cacert", KEY_FOLDERS, AT(cacert), 0},
    {"plain_http", KEY_TEXTS, AT(plain), 0},
    {0},
};

struct line {
    struct jw_arena *a;
    struct jw_config *out;
    const char *home, *origin, *doubt;
};

static struct jw_bytes without_comment(struct jw_bytes b)
{
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] == '#' && (i == 0 || jw_text_blank(b.p[i - 1])))
            b.n = i;
    return jw_text_trim(b);
}

static void add_item(struct line *l, const struct key *key, const char *value)
{
    struct jw_conf_list *list = (void *)((char *)l->out + key->at);
    struct jw_err full;
    struct jw_conf_item *item =
        jw_list_add(l->a, &list->v, &list->n, sizeof *item, JW_MAX_CONF_ITEMS, &full);

    if (item)
        *item = (struct jw_conf_item){.value = value, .origin = l->origin, .doubt = l->doubt};
    else
        jw_note(&l->out->warnings, l->a, "%s: more than %zu lines of \"%s\"; this one is ignored",
                l->origin, JW_MAX_CONF_ITEMS, key->name);
}

static void set_number(struct line *l, const struct key *key, const char *value)
{
    uint64_t n;

    if (jw_text_u64(value, &n) && n > 0 && n <= key->max)
        *(unsigned *)(void *)((char *)l->out + key->at) = (unsigned)n;
    else
        jw_note(&l->out->warnings, l->a, "%s: %s is a number from 1 to %u, not \"%.64s\"",
                l->origin, key->name, key->max, value);
}

static void take_setting(struct line *l, const char *name, const char *value)
{
    const struct key *k = keys;

    while (k->name && strcmp(name, k->name) != 0)
        k++;
    if (value[0] == '~' && (value[1] == '/' || value[1] == '\\') && l->home)
        value = jw_path_join(l->a, l->home, value + 2);
    if (!k->name)
        jw_note(&l->out->warnings, l->a, "%s: unknown key \"%.64s\"; known are " KNOWN, l->origin,
                name);
    else if (value[0] == '\0')
        jw_note(&l->out->warnings, l->a, "%s: %s has no value", l->origin, name);
    else if (k->kind == KEY_NUMBER)
        set_number(l, k, value);
    else if (k->kind == KEY_TEXTS || jw_path_absolute(value))
        add_item(l, k, value);
    else
        jw_note(&l->out->warnings, l->a, "%s: \"%.200s\" is not an absolute path", l->origin,
                value);
}

static void parse_line(struct line *l, struct jw_bytes text)
{
    struct jw_texts *warnings = &l->out->warnings;

    if ((text.n && memchr(text.p, '\0', text.n)) || !jw_utf8_valid(text)) {
        jw_note(warnings, l->a, "%s: the line is not UTF-8 text", l->origin);
        return;
    }
    text = without_comment(text);
    if (text.n == 0)
        return;

    const uint8_t *equals = memchr(text.p, '=', text.n);
    if (!equals || equals == text.p) {
        jw_note(warnings, l->a, "%s: this is not a \"key = value\" line", l->origin);
        return;
    }

    size_t n = (size_t)(equals - text.p);
    struct jw_bytes left = jw_text_trim((struct jw_bytes){text.p, n});
    struct jw_bytes right = jw_text_trim((struct jw_bytes){equals + 1, text.n - n - 1});

    take_setting(l, jw_arena_text(l->a, (const char *)left.p, left.n),
                 jw_arena_text(l->a, (const char *)right.p, right.n));
}

void jw_config_parse(struct jw_bytes text, const char *name, const char *home, const char *doubt,
                     struct jw_arena *a, struct jw_config *out)
{
    struct line l = {a, out, home, NULL, doubt};
    struct jw_bytes rest = text;

    if (jw_starts(rest, "\xef\xbb\xbf")) /* Notepad writes this mark */
        rest = (struct jw_bytes){rest.p + 3, rest.n - 3};
    for (unsigned at = 1; rest.n; at++) {
        const uint8_t *end = memchr(rest.p, '\n', rest.n);
        size_t n = end ? (size_t)(end - rest.p) : rest.n;
        struct jw_bytes line = {rest.p, n};

        n += end != NULL;
        rest = (struct jw_bytes){rest.p + n, rest.n - n};
        l.origin = jw_arena_printf(a, "%s:%u", name, at);
        parse_line(&l, line);
    }
}

void jw_config_load_file(const char *path, const char *home, struct jw_arena *a,
                         struct jw_config *out)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_file f = JW_FILE_CLOSED;
    const char *doubt = NULL;
    struct jw_err why = {0};
    bool found = false;

    if (!jw_trust_open(path, "file", a, &f, &found, &doubt, &why)
        || (found && !jw_file_read_all(&f, &text, &why)))
        jw_note(&out->warnings, a, "%s: %s", path, why.msg);
    else if (found)
        jw_config_parse(jw_buf_bytes(&text), path, home, doubt, a, out);
    jw_file_close(&f);
    jw_buf_free(&text);
}

void jw_config_load(struct jw_arena *a, struct jw_config *out)
{
    const char *folders[] = {jw_env_config_system(a), jw_env_config_user(a)};
    const char *home = jw_env_home(a);
    static const char *const names[] = {"jitwarm/jitwarm.conf", "jitwarm/startup.conf"};
    struct jw_file_info inside;

    *out = (struct jw_config){0};
    /* A home that this user may not enter is another user's, whose settings do not count. */
    if (home && folders[1] && jw_path_below(folders[1], home)
        && !jw_file_stat(jw_path_join(a, home, "."), &inside, JW_IGNORED))
        folders[1] = NULL;
    for (size_t i = 0; i < 2 * JW_COUNT(folders); i++)
        if (folders[i / 2])
            jw_config_load_file(jw_path_join(a, folders[i / 2], names[i % 2]), home, a, out);
}
