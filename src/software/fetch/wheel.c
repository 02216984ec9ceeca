#include "software/fetch/wheel.h"

#include "base/text.h"

#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* The bytes before the last of `c` in text[0 .. n); n: there is none. */
static size_t before_last(const char *text, size_t n, char c)
{
    size_t k = n;

    while (k && text[k - 1] != c)
        k--;
    return k ? k - 1 : n;
}

bool jw_wheel_parse(const char *file, struct jw_arena *a, struct jw_wheel *out)
{
    const char **const tags[] = { &out->platform, &out->abi, &out->python };
    size_t n = strlen(file), name;

    *out = (struct jw_wheel){ 0 };
    if (!jw_text_ends(file, ".whl") || strspn(file, LETTERS "._+!-") != n)
        return false;
    n -= strlen(".whl");
    for (size_t i = 0; i < JW_COUNT(tags); i++) {
        size_t k = before_last(file, n, '-');

        if (k == n || k + 1 == n)
            return false;
        *tags[i] = jw_arena_text(a, file + k + 1, n - k - 1);
        n = k;
    }
    name = strcspn(file, "-");
    if (name >= n)
        return false;
    size_t version = strcspn(file + name + 1, "-"), most = n - name - 1;

    out->version_text = jw_arena_text(a, file + name + 1, version < most ? version : most);
    out->name = jw_package_name(a, file, name);
    out->file = jw_arena_str(a, file);
    return out->name && jw_pyversion_parse(out->version_text, &out->version);
}

const char *jw_wheel_tag(struct jw_arena *a, const char *tags)
{
    const char *dot = strrchr(tags, '.');

    return dot ? jw_arena_str(a, dot + 1) : tags;
}

unsigned jw_wheel_python(const char *tag)
{
    unsigned major, minor = 0;

    if (!jw_text_starts(tag, "cp") && !jw_text_starts(tag, "py"))
        return 0;
    if (!jw_is_digit(tag[2]))
        return 0;
    major = (unsigned)(tag[2] - '0');
    for (size_t i = 3; i < 5 && jw_is_digit(tag[i]); i++)
        minor = minor * 10 + (unsigned)(tag[i] - '0');
    return major * 100 + minor;
}

const char *jw_wheel_windows(const struct jw_wheel_system *s)
{
    return strcmp(s->arch, "aarch64") == 0 ? "win_arm64" : "win_amd64";
}

/* Whether one of the platforms is for the system; *any: for each system. */
static bool has_platform(const char *tags, const struct jw_wheel_system *s, bool *any)
{
    bool found = false;

    *any = false;
    for (size_t n; *tags; tags += n + (tags[n] == '.')) {
        n = strcspn(tags, ".");
        size_t arch = strlen(s->arch);

        *any |= n == 3 && strncmp(tags, "any", 3) == 0;
        if (s->windows) {
            const char *name = jw_wheel_windows(s);

            found |= n == strlen(name) && strncmp(tags, name, n) == 0;
        } else
            found |= (jw_text_starts(tags, "manylinux") || jw_text_starts(tags, "linux_")) && n > arch
                     && strncmp(tags + n - arch, s->arch, arch) == 0;
    }
    return found || *any;
}

static bool is_for(const struct jw_wheel *w, const struct jw_wheel_system *s)
{
    bool any;

    return has_platform(w->platform, s, &any);
}

/* 2: for the preferred Python; 1: for another one; 0: one without the lock that most programs rely on (cp313t). */
static unsigned rank_of_python(const struct jw_wheel *w, unsigned preferred)
{
    unsigned python = jw_wheel_python(w->python);
    bool stable = strstr(w->abi, "abi3") || strcmp(w->abi, "none") == 0;

    if (jw_text_ends(w->abi, "t"))
        return 0;
    return preferred && (python == preferred || (stable && python <= preferred)) ? 2 : 1;
}

static bool is_better(const struct jw_wheel *a, const struct jw_wheel *b, const struct jw_wheel_system *s)
{
    int by = jw_pyversion_compare(&a->version, &b->version);
    bool any_a, any_b;

    if (by)
        return by > 0;
    (void)has_platform(a->platform, s, &any_a);
    (void)has_platform(b->platform, s, &any_b);
    if (any_a != any_b)
        return any_b;
    unsigned rank_a = rank_of_python(a, s->python), rank_b = rank_of_python(b, s->python);

    return rank_a != rank_b ? rank_a > rank_b : jw_wheel_python(a->python) > jw_wheel_python(b->python);
}

const struct jw_offer *jw_offer_newest(const struct jw_offers *o, const struct jw_requirement *r)
{
    const struct jw_offer *best = NULL;

    for (int pre = r->pre; pre < 2 && !best; pre++)
        for (size_t i = 0; i < o->n; i++)
            if ((pre || !jw_pyversion_is_pre(&o->v[i].version)) && jw_requirement_allows(r, &o->v[i].version)
                && (!best || jw_pyversion_compare(&o->v[i].version, &best->version) > 0))
                best = &o->v[i];
    return best;
}

static bool is_offered(const struct jw_wheel *w, const struct jw_offers *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (jw_pyversion_compare(&o->v[i].version, &w->version) == 0)
            return true;
    return false;
}

const struct jw_wheel *jw_wheel_choose(const struct jw_wheel *list, size_t n, const struct jw_requirement *r,
                                       const struct jw_wheel_system *s, const struct jw_offers *o)
{
    const struct jw_wheel *best = NULL;

    for (int any = 0; any < 2; any++)
        for (int pre = r->pre; pre < 2 && !best; pre++)
            for (size_t i = 0; i < n; i++)
                if (strcmp(list[i].name, r->name) == 0 && (pre || !jw_pyversion_is_pre(&list[i].version))
                    && jw_requirement_allows(r, &list[i].version) && is_for(&list[i], s)
                    && (any || is_offered(&list[i], o)) && (!best || is_better(&list[i], best, s)))
                    best = &list[i];
    return best;
}
