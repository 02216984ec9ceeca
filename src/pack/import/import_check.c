#include "pack/import/import_check.h"

#include "base/num.h"
#include "base/sort.h"
#include "facts/gpus.h"
#include "pack/kit/kit.h"

#include <stdio.h>
#include <string.h>

const char *const jw_import_state_names[] = { "new",     "imported", "present", "foreign",
                                              "no-room", "unproven", "rejected" };

/* ---- the pack ---- */

enum { VALUE = sizeof((struct jw_import_factor *)0)->pack };

static void add_factor(struct jw_import_report *out, const char *name, const char *what, const char *pack,
                       const char *here)
{
    struct jw_import_factor *f = &out->factors[out->n_factors++];

    f->name = name;
    f->what = what;
    (void)snprintf(f->pack, sizeof f->pack, "%s", pack);
    (void)snprintf(f->machine, sizeof f->machine, "%s", here);
}

static const char *driver_text(char out[VALUE], const char *stamp, const char *version)
{
    (void)snprintf(out, VALUE, "%s%s%s", jw_stamp_text(stamp).text, version ? ", version " : "",
                   version ? version : "");
    return out;
}

static void compare_sm(struct jw_import_report *out, uint16_t sm, const struct import_machine *here)
{
    char pack[VALUE], text[VALUE] = "";
    size_t n = 0;

    if (jw_sms_have(here->sms, here->n_sms, sm))
        return;
    (void)snprintf(pack, sizeof pack, "sm_%u", sm);
    for (size_t i = 0; i < here->n_sms && n + 12 < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%ssm_%u", i ? ", " : "", here->sms[i]);
    add_factor(out, "sm", "GPU architecture", pack, text);
}

void import_compare_pack(const struct jw_pack_manifest *m, const struct import_machine *here,
                         struct jw_import_report *out)
{
    char pack[VALUE], text[VALUE];

    out->n_factors = 0;
    if (strcmp(m->os, here->os) != 0)
        add_factor(out, "os", "operating system", m->os, here->os);
    if (strcmp(m->arch, here->arch) != 0)
        add_factor(out, "arch", "processor", m->arch, here->arch);
    if (!here->driver_known)
        return;
    if (strcmp(m->stamp, here->stamp) != 0)
        add_factor(out, "stamp", "driver build", driver_text(pack, m->stamp, m->driver),
                   driver_text(text, here->stamp, here->driver));
    compare_sm(out, m->sm, here);
}

bool import_fits_later(const struct jw_import_report *r)
{
    for (size_t i = 0; i < r->n_factors; i++)
        if (strcmp(r->factors[i].name, "stamp") != 0 && strcmp(r->factors[i].name, "sm") != 0)
            return false;
    return true;
}

/* ---- its entries ---- */

/* Uses the software found on this machine. The origin in the manifest is only what the signer wrote there. */
static enum jw_import_state check_software(const struct import_wants *w, uint64_t name)
{
    return w->everything || jw_find_u64(w->modules, w->n_modules, sizeof name, name) ? JW_IMPORT_NEW
                                                                                     : JW_IMPORT_FOREIGN;
}

static enum jw_import_state check_presence(const struct import_wants *w, const struct jw_pack_entry *e,
                                           bool present)
{
    return present ? JW_IMPORT_PRESENT : check_software(w, e->name);
}

void import_check_entries(const struct import_wants *w, struct jw_import_report *r)
{
    uint64_t left = w->room;

    jw_sort_u64(w->modules, w->n_modules, sizeof *w->modules);
    r->need = 0;
    for (size_t i = 0; i < r->n_entries; i++) {
        struct jw_import_entry *e = &r->entries[i];

        e->state = check_presence(w, e->of, w->present[i]);
        if (e->state != JW_IMPORT_NEW)
            continue;
        r->need += e->bytes;
        if (left != UINT64_MAX && e->bytes > left)
            e->state = JW_IMPORT_NO_ROOM;
        else if (left != UINT64_MAX)
            left -= e->bytes;
    }
}

void import_count(struct jw_import_report *r)
{
    memset(r->counts, 0, sizeof r->counts);
    memset(r->bytes, 0, sizeof r->bytes);
    for (size_t i = 0; i < r->n_entries; i++) {
        r->counts[r->entries[i].state]++;
        r->bytes[r->entries[i].state] += r->entries[i].bytes;
    }
}

static bool all_found(const struct jw_verify_report *v)
{
    for (size_t i = 0; i < v->n_passes; i++)
        if (!jw_verify_pass_succeeded(&v->passes[i]))
            return false;
    return !v->why;
}

/* Foreign entries are no failure, unless there is nothing else. */
static enum jw_end end_of_counts(const struct jw_import_report *r, uint64_t imported)
{
    uint64_t here = imported + r->counts[JW_IMPORT_PRESENT], placed = 0, present = 0, files = 0;
    bool left = false;

    for (size_t i = 0; i < r->n_kit; i++) {
        placed += r->kit[i].placed;
        present += r->kit[i].present;
        files += r->kit[i].files;
        left |= r->kit[i].left != NULL;
    }
    if (left || (placed + present < files && !r->dry_run))
        return JW_END_PARTLY;
    if (!r->n_entries)
        return placed || (files && r->dry_run) ? JW_END_DONE : JW_END_NOTHING;
    imported += placed;
    if (here + r->counts[JW_IMPORT_FOREIGN] < r->n_entries || !here || r->records)
        return JW_END_PARTLY;
    return imported ? JW_END_DONE : JW_END_NOTHING;
}

static bool came_to_its_end(const struct jw_run *run)
{
    return run->end == JW_END_DONE || run->end == JW_END_NOTHING || run->end == JW_END_PARTLY;
}

struct jw_next_start_facts jw_import_facts(const struct jw_import_report *r)
{
    uint64_t imported = r->counts[JW_IMPORT_IMPORTED], here = imported + r->counts[JW_IMPORT_PRESENT];

    return (struct jw_next_start_facts){
        .asked = JW_BESIDE_A_PACK | JW_ASKED_MODULES | JW_ASKED_SETTINGS | JW_ASKED_PLACE | JW_ASKED_LIMIT,
        .modules = r->n_entries - r->counts[JW_IMPORT_FOREIGN],
        .warm = here - jw_min(here, r->records),
        .setting = r->run->end == JW_END_STOPPED ? r->run->why : NULL,
        .obstacle = r->n_entries ? r->obstacle : NULL,
        .index = r->n_entries ? r->index : NULL,
        .refuted = !all_found(&r->verify),
        .stored = r->cache.used + r->bytes[JW_IMPORT_IMPORTED],
        .limit = r->n_entries ? r->cache.limit : (struct jw_cache_limit){ 0 },
        .forbidden = r->cache.forbidden,
        .unasked = !came_to_its_end(r->run)       ? r->run->why ? r->run->why : "nothing was imported"
                   : imported && !r->verify.done  ? "what was imported is not verified"
                   : r->counts[JW_IMPORT_FOREIGN] ? "not all of its software was found here"
                   : !r->n_entries                ? "it has no entries"
                                                  : NULL,
    };
}

enum jw_end import_end_of(const struct jw_import_report *r)
{
    enum jw_end end = end_of_counts(r, r->counts[r->dry_run ? JW_IMPORT_NEW : JW_IMPORT_IMPORTED]);
    struct jw_next_start_facts f = jw_import_facts(r);

    f.unasked = NULL; /* was not asked for */
    if (r->dry_run)   /* it would be done */
        f.warm += r->counts[JW_IMPORT_NEW];
    return (end == JW_END_DONE || end == JW_END_NOTHING) && jw_next_start_of(&f) != JW_NEXT_START_WARM
               ? JW_END_PARTLY
               : end;
}
