/* Does a pack fit this machine, and which of its entries are for it? Pure: facts in, answers out. */
#ifndef PACK_IMPORT_IMPORT_JUDGE_H
#define PACK_IMPORT_IMPORT_JUDGE_H

#include "pack/import/import.h"

struct import_machine {
    const char *os, *arch;
    bool driver_known;          /* else all below is nothing */
    const char *stamp, *driver; /* `driver`: its version, for people; NULL */
    bool simulated;
    const uint16_t *sms;
    size_t n_sms;
};

/* Fills `factors` and `n_factors`: those that differ. */
void import_judge_pack(const struct jw_pack_manifest *m, const struct import_machine *here,
                       struct jw_import_report *out);

/* Might it fit later: once the driver is another one, or another GPU is here? */
bool import_of_later_use(const struct jw_import_report *r);

struct import_wants {
    const bool *present;     /* for each entry of the pack: a sound one is in the cache */
    const uint64_t *modules; /* names that modules of the software here have, sorted */
    size_t n_modules;
    const uint64_t *covered; /* of them those of software that the key is trusted for, sorted */
    size_t n_covered;
    bool scoped;  /* the key is trusted for some software alone: `covered` decides, and `foreign` does not */
    bool foreign; /* of any software */
    bool forged;  /* those of another compiler may be tried */
    uint64_t canary; /* of them; 0: none */
    uint64_t room;   /* bytes that the cache may grow by; UINT64_MAX: no limit */
};

/* Sets the state of each, and `need`. What does not fit is left out from the end. */
void import_judge_entries(const struct import_wants *w, struct jw_import_report *r);

void import_count(struct jw_import_report *r); /* fills `counts` and `bytes` */

/* DONE, NOTHING or PARTLY, of what the states and the proof say; of a dry run, what it would be. */
enum jw_end import_judge_end(const struct jw_import_report *r, const struct jw_verify_report *proof);
enum jw_end import_judge_plan(const struct jw_import_report *r);

#endif
