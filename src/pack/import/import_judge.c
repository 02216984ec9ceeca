#include "pack/import/import_judge.h"

#include "base/compiler.h"
#include "cache/status/status.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static const char *const states[] = {
    [JW_IMPORT_NEW] = "new",         [JW_IMPORT_IMPORTED] = "imported",   [JW_IMPORT_PRESENT] = "present",
    [JW_IMPORT_FOREIGN] = "foreign", [JW_IMPORT_BEYOND] = "out-of-scope", [JW_IMPORT_UNPROVEN] = "unproven",
    [JW_IMPORT_NO_ROOM] = "no-room", [JW_IMPORT_REJECTED] = "rejected",   [JW_IMPORT_CANARY] = "canary",
};

_Static_assert(JW_COUNT(states) == JW_IMPORT_STATES, "every state has a name");

const char *jw_import_state_name(enum jw_import_state s)
{
    return states[s];
}

/* ---- the pack ---- */

static struct jw_import_factor *differs(struct jw_import_report *out, const char *name, const char *what)
{
    struct jw_import_factor *f = &out->factors[out->n_factors++];

    f->name = name;
    f->what = what;
    return f;
}

static void judge_word(struct jw_import_report *out, const char *name, const char *what, const char *pack,
                       const char *here)
{
    struct jw_import_factor *f;

    if (strcmp(pack, here) == 0)
        return;
    f = differs(out, name, what);
    (void)snprintf(f->pack, sizeof f->pack, "%s", pack);
    (void)snprintf(f->here, sizeof f->here, "%s", here);
}

static void say_driver(char *out, size_t n, const char *stamp, const char *version)
{
    (void)snprintf(out, n, "%s%s%s", jw_stamp_text(stamp).text, version ? ", version " : "",
                   version ? version : "");
}

static void judge_stamp(struct jw_import_report *out, const struct jw_pack_manifest *m,
                        const struct import_machine *here)
{
    struct jw_import_factor *f;

    if (strcmp(m->stamp, here->stamp) == 0)
        return;
    f = differs(out, "stamp", "driver build");
    say_driver(f->pack, sizeof f->pack, m->stamp, m->driver);
    say_driver(f->here, sizeof f->here, here->stamp, here->driver);
}

static void judge_sm(struct jw_import_report *out, const struct jw_pack_manifest *m,
                     const struct import_machine *here)
{
    struct jw_import_factor *f;
    size_t n = 0;

    for (size_t i = 0; i < here->n_sms; i++)
        if (here->sms[i] == m->sm)
            return;
    f = differs(out, "sm", "GPU architecture");
    (void)snprintf(f->pack, sizeof f->pack, "sm_%u", m->sm);
    for (size_t i = 0; i < here->n_sms && n + 12 < sizeof f->here; i++)
        n += (size_t)snprintf(f->here + n, sizeof f->here - n, "%ssm_%u", i ? ", " : "", here->sms[i]);
}

void import_judge_pack(const struct jw_pack_manifest *m, const struct import_machine *here,
                       struct jw_import_report *out)
{
    out->n_factors = 0;
    judge_word(out, "os", "operating system", m->os, here->os);
    judge_word(out, "arch", "processor", m->arch, here->arch);
    if (!here->driver_known)
        return;
    judge_word(out, "simulated", "kind of driver", m->simulated ? "simulated" : "real",
               here->simulated ? "simulated" : "real");
    judge_stamp(out, m, here);
    judge_sm(out, m, here);
}

bool import_of_later_use(const struct jw_import_report *r)
{
    for (size_t i = 0; i < r->n_factors; i++)
        if (strcmp(r->factors[i].name, "stamp") != 0 && strcmp(r->factors[i].name, "sm") != 0)
            return false;
    return true;
}

/* ---- its entries ---- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static bool among(const uint64_t *names, size_t n, uint64_t name)
{
    return n && bsearch(&name, names, n, sizeof name, by_value);
}

/* What the pack calls its origin is the signer's word; what asks for it here is not. */
static enum jw_import_state judge_software(const struct import_wants *w, uint64_t name)
{
    bool here = among(w->modules, w->n_modules, name);

    if (w->scoped && !among(w->covered, w->n_covered, name))
        return here ? JW_IMPORT_BEYOND : JW_IMPORT_FOREIGN;
    return here || w->foreign ? JW_IMPORT_NEW : JW_IMPORT_FOREIGN;
}

static enum jw_import_state judge_entry(const struct import_wants *w, const struct jw_pack_manifest *m,
                                        size_t i)
{
    const struct jw_pack_entry *e = &m->entries[i];

    if (e->made == JW_PACK_FORGED && w->canary && e->name == w->canary)
        return JW_IMPORT_CANARY;
    if (w->present[i])
        return JW_IMPORT_PRESENT;
    if (e->made == JW_PACK_CARRIED || (e->made == JW_PACK_FORGED && !w->forged))
        return JW_IMPORT_UNPROVEN;
    return judge_software(w, e->name);
}

void import_judge_entries(const struct import_wants *w, struct jw_import_report *r)
{
    uint64_t left = w->room;

    r->need = 0;
    for (size_t i = 0; i < r->n_entries; i++) {
        struct jw_import_entry *e = &r->entries[i];
        uint64_t size = e->of->key_bytes + e->of->payload_bytes;

        e->state = judge_entry(w, r->manifest, i);
        if (e->state != JW_IMPORT_NEW)
            continue;
        r->need += size;
        if (left != UINT64_MAX && size > left)
            e->state = JW_IMPORT_NO_ROOM;
        else if (left != UINT64_MAX)
            left -= size;
    }
}

void import_count(struct jw_import_report *r)
{
    memset(r->counts, 0, sizeof r->counts);
    memset(r->bytes, 0, sizeof r->bytes);
    for (size_t i = 0; i < r->n_entries; i++) {
        r->counts[r->entries[i].state]++;
        r->bytes[r->entries[i].state] += r->entries[i].of->key_bytes + r->entries[i].of->payload_bytes;
    }
}

static bool found_again(const struct jw_verify_report *v)
{
    for (size_t i = 0; i < v->n_passes; i++)
        if (v->passes[i].misses || v->passes[i].failed || v->passes[i].new_entries)
            return false;
    return !v->why;
}

/* That a pack for many machines holds more than this one has software for is no failure; that it holds nothing for it
 * is one. */
static enum jw_end judge(const struct jw_import_report *r, uint64_t imported)
{
    uint64_t here = imported + r->counts[JW_IMPORT_PRESENT];

    if (here + r->counts[JW_IMPORT_FOREIGN] + r->counts[JW_IMPORT_CANARY] < r->n_entries || !here
        || r->records)
        return JW_END_PARTLY;
    return imported ? JW_END_DONE : JW_END_NOTHING;
}

enum jw_end import_judge_end(const struct jw_import_report *r, const struct jw_verify_report *proof)
{
    return found_again(proof) ? judge(r, r->counts[JW_IMPORT_IMPORTED]) : JW_END_PARTLY;
}

enum jw_end import_judge_plan(const struct jw_import_report *r)
{
    return judge(r, r->counts[JW_IMPORT_NEW]);
}
