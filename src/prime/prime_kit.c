/* What a command does in other caches than the driver's. */
#include "base/mem.h"
#include "base/text.h"
#include "prime/prime_work.h"

static void note_use(struct prime *p, const struct jw_kit_use *u)
{
    const char *of = u->known ? jw_arena_printf(p->run->a, " of %s", JW_NUM(u->known)) : "";

    if (!p->o->verify_only)
        prime_note(p, "%s: %s of it in %s; jitwarm export --run packs them with --sign", u->name,
                   JW_N(u->read + u->made, "file", "files"), u->root);
    else if (u->why)
        prime_note(p, "%s: reused %s%s, and it is not known whether more was made: %s (%s)", u->name,
                   JW_NUM(u->read), of, u->why, u->root);
    else
        prime_note(p, "%s: reused %s%s, made %s%s%s (%s)", u->name, JW_NUM(u->read), of, JW_NUM(u->made),
                   u->differs && !jw_kit_use_held(u) ? ": " : "",
                   u->differs && !jw_kit_use_held(u) ? u->differs : "", u->root);
}

void prime_end_kit(struct prime_watching *w, bool ended)
{
    struct prime *p = w->p;
    struct jw_err why = { 0 };
    char *key = jw_prime_command(p->o->run);
    struct jw_kit_use *uses = NULL;
    bool ok = jw_kit_watch_end(w->kit, key, p->o->run, !p->o->verify_only, ended && !p->out->run_code, &uses,
                               &p->out->n_kit, &why);

    jw_free(key);
    w->kit = NULL;
    p->out->kit = uses;
    for (size_t i = 0; ok && !p->o->verify_only && i < p->out->n_kit; i++)
        p->out->profile_files += uses[i].read + uses[i].made;
    for (size_t i = 0; i < p->out->n_kit; i++)
        note_use(p, &uses[i]);
    p->out->kit_unknown = !ok;
    if (!ok)
        prime_note(p, "what it used of other caches is not known: %s", why.msg);
}

bool prime_kit_held(const struct prime *p)
{
    for (size_t i = 0; i < p->out->n_kit; i++)
        if (!jw_kit_use_held(&p->out->kit[i]))
            return false;
    return !p->out->kit_unknown;
}

/* ---- in the report ---- */

#define U struct jw_kit_use

static const struct jw_row uses[] = {
    { JW_ROW("name", U, name) },
    { JW_ROW("root", U, root) },
    { JW_ROW("reused", U, read),
      JW_ABOUT("files that were there before, were opened and left as they were") },
    { JW_ROW("made", U, made), JW_ABOUT("files that are new or were changed") },
    { JW_ROW("recorded", U, known), JW_ABOUT("files that its record has; 0: there is no record") },
    { JW_ROW("differs", U, differs), JW_NULLABLE, JW_ABOUT("in what this machine is not the record's") },
    { JW_ROW("why_unknown", U, why), JW_NULLABLE, JW_ABOUT("null: all was seen") },
    { 0 },
};

const struct jw_row prime_kit_rows[] = {
    { JW_LIST("other_caches", struct jw_prime_report, kit, n_kit, uses),
      JW_ABOUT("of CuPy, Triton and others, that it used") },
    { 0 },
};
