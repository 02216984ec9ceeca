/* Caches of other compilers that die with a container: each is missed by another watchdog, one after the other. */
#include "base/text.h"
#include "doctor/doctor_words.h"

#include <string.h>

static bool lasts(const struct jw_doctor_machine *m, const char *path)
{
    for (size_t i = 0; path && i < m->n_volumes; i++) {
        size_t n = strlen(m->volumes[i]);

        if (strncmp(path, m->volumes[i], n) == 0 && (path[n] == '/' || !path[n]))
            return true;
    }
    return false;
}

/* "flashinfer": a folder's name. */
static const char *name_of(const struct jw_other_cache *c, struct jw_findings *f)
{
    char *name = (char *)jw_fmt(f, "%s", c->module ? c->module : c->owner);

    for (char *at = name; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at == ' ' ? '-' : *at);
    return name;
}

static const char *append(struct jw_findings *f, const char *list, const char *between, const char *one)
{
    return *list ? jw_fmt(f, "%s%s%s", list, between, one) : one;
}

/* Without a volume all of them move at once, and the driver's with them. */
static const char *move_all(const struct jw_doctor_machine *m, struct doctor_set *sets, size_t n,
                            struct jw_findings *f)
{
    if (jw_finding_of(f, "cache-container"))
        sets[n++] = (struct doctor_set){ "CUDA_CACHE_PATH", "cuda" };
    return doctor_container_volume(m, sets, n, f);
}

/* jitwarm env prints lines for the driver's cache alone. */
static bool is_for_the_driver_alone(const char *command)
{
    return jw_text_starts(command, "jitwarm env --shell ");
}

static const char *lines_for_image(const struct doctor_set *sets, size_t n, struct jw_findings *f)
{
    const char *lines = "";

    for (size_t i = 0; i < n; i++)
        lines = jw_fmt(f, "%s ENV %s=/jit-caches/%s", lines, sets[i].name, sets[i].folder);
    return jw_fmt(f, "mount a volume at /jit-caches, and set in the image:%s", lines);
}

void jw_doctor_others(const struct jw_doctor_machine *m, const struct jw_other_cache *caches, size_t n,
                      const bool *installed, struct jw_findings *f)
{
    const char *names = "", *sets = "";
    struct doctor_set *moved = jw_arena_alloc(f->a, (n + 1) * sizeof *moved);
    bool used = false;
    size_t lost = 0;

    for (size_t i = 0; m->probe.driver.container && i < n; i++) {
        const struct jw_other_cache *c = &caches[i];

        if (!c->variable || !(c->set || c->there || installed[i]) || lasts(m, c->path))
            continue;
        used = used || c->set || c->there;
        moved[lost++] = (struct doctor_set){ c->variable, name_of(c, f) };
        names = append(f, names, ", ",
                       c->path ? jw_fmt(f, "%s (%s)", c->owner, c->path)
                               : jw_fmt(f, "%s (keeps nothing without %s)", c->owner, c->variable));
        if (m->volume)
            sets = append(
                f, sets, " && ",
                doctor_set_in_shell(m, c->variable, jw_fmt(f, "%s/.cache/%s", m->volume, name_of(c, f)), f));
    }
    if (!lost)
        return;
    const char *command = m->volume ? sets : move_all(m, moved, lost, f);
    bool by_hand = is_for_the_driver_alone(command);

    JW_FINDING(f, .id = "other-caches-lost", .severity = used ? JW_WARNING : JW_NOTE, .evidence = names,
               .text = lost == 1 ? "a cache of another compiler dies with this container"
                                 : jw_fmt(f, "%zu caches of other compilers die with this container", lost),
               .consequence = "in each new container these compile again, which a watchdog may not wait for",
               .fix = by_hand     ? lines_for_image(moved, lost, f)
                      : m->volume ? doctor_volume_fix(m, f)
                                  : doctor_container_volume_fix(m),
               .command = by_hand ? NULL : command);
}
