/* Decides whether a pack fits this machine and which entries to import. Pure functions. */
#ifndef PACK_IMPORT_IMPORT_CHECK_H
#define PACK_IMPORT_IMPORT_CHECK_H

#include "pack/import/import.h"
#include "session/session.h"

struct import_machine {
    const char *os, *arch;
    bool driver_known;          /* else the members below are not set */
    const char *stamp, *driver; /* build; version or NULL */
    const uint16_t *sms;
    size_t n_sms;
};

/* Asks the driver (import_set.c). */
bool import_ask_machine(struct jw_session *s, struct import_machine *out, struct jw_err *err) JW_MUST;

/* Decides by the manifest, before anything is verified: the import verifies what it takes. A file that is no pack
 * fits, so that the import says what is wrong with it (import_set.c). */
bool import_fits(const struct import_machine *here, const char *file, struct jw_arena *a);

/* Fills `factors` and `n_factors`. */
void import_compare_pack(const struct jw_pack_manifest *m, const struct import_machine *here,
                         struct jw_import_report *out);

/* Could the pack fit this machine after a change of the driver or the GPU? */
bool import_fits_later(const struct jw_import_report *r);

struct import_wants {
    bool *present;     /* for each entry of the pack: the cache has it, valid and in the index */
    uint64_t *modules; /* entry names of the software here; are sorted here */
    size_t n_modules;
    bool everything; /* entries of any software */
    uint64_t room;   /* bytes that the cache can grow by; UINT64_MAX: no limit */
};

/* Sets the state of each entry, and `need`. Entries that do not fit are skipped. */
void import_check_entries(const struct import_wants *w, struct jw_import_report *r);

void import_count(struct jw_import_report *r); /* fills `counts` and `bytes` */

/* DONE, NOTHING or PARTLY, from the states and jw_import_facts. */
enum jw_end import_end_of(const struct jw_import_report *r);

#endif
