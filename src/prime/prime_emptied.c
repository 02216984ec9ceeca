/* Finds targets that were primed and hold no code any more: a program that an update replaced by a script, a folder that
 * was emptied. Software that a search found comes and goes: it is missed only where no other is left. */
#include "prime/commands/command.h"

#include "base/path.h"

#include <string.h>

static bool is_code(const struct jw_scan_file *f)
{
    return f->containers || f->ptx_pieces || f->n_problems || f->more_problems;
}

static bool is_in(const char *path, const struct search_root *t)
{
    return strcmp(path, t->path) == 0 || jw_path_below(path, t->path);
}

/* Did the scan of this run see something of this target? */
static bool is_seen(const struct jw_scan_report *scan, const struct search_root *t)
{
    for (size_t i = 0; i < scan->n_files; i++)
        if (is_code(&scan->files[i]) && is_in(scan->files[i].path, t))
            return true;
    for (size_t i = 0; i < scan->n_skipped; i++)
        if (is_in(scan->skipped[i].path, t))
            return true;
    return false;
}

/* Scans the target alone, without exclusions: a file of two names is listed under one of them. */
static bool holds_code(struct prime *p, const struct search_root *t, bool *holds, struct jw_err *err)
{
    const struct jw_scan_root root = { t->path, t->depth, false };
    struct jw_scan_options o = jw_session_scan(p->run->session);
    struct jw_scan_report scan = { 0 };

    o.roots = &root;
    o.n_roots = 1;
    o.exclude = NULL;
    o.n_exclude = 0;
    if (!jw_scan(&o, &scan, err))
        return false;
    *holds = scan.n_skipped > 0;
    for (size_t i = 0; i < scan.n_files; i++)
        *holds |= is_code(&scan.files[i]);
    jw_scan_free(&scan);
    return true;
}

static bool ask_target(struct prime *p, const struct search_root *t, struct jw_err *err)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    const char *itself = prime_target_text(p->run->a, t),
               *link = t->link ? jw_arena_printf(p->run->a, "=%s", t->link) : NULL;
    bool held = prime_had_code(memory, itself, t->path),
         by_link = link && prime_had_code(memory, link, t->path), holds = true;

    if ((held || by_link) && !is_seen(&p->ctx.software.found.scan, t) && !holds_code(p, t, &holds, err))
        return false;
    if (!holds && by_link)
        jw_note(&p->emptied, p->run->a, "%s", link);
    if (!holds && held)
        jw_note(&p->emptied, p->run->a, "%s", itself);
    return true;
}

bool prime_find_emptied(struct prime *p, struct jw_err *err)
{
    const struct prime_software *s = &p->ctx.software;
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    bool others = s->found.n || prime_left_out(p->out) || memory->n_recorded > 0;

    if (p->o->paths.n || p->o->run || p->o->profile || p->reuse.hint)
        return true;
    for (size_t i = 0; i < s->n_targets; i++)
        if ((s->targets[i].named || !others) && !ask_target(p, &s->targets[i], err))
            return false;
    return true;
}
