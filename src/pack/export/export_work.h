/* The steps of an export. Each can end the run with a reason. */
#ifndef PACK_EXPORT_EXPORT_WORK_H
#define PACK_EXPORT_EXPORT_WORK_H

#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "cache/place/listing.h"
#include "pack/export/export.h"
#include "pack/kit/kit.h"
#include "session/session.h"
#include "software/find/discover.h"
#include "software/scan/scan_jobs.h"

/* ---- which entries (export_choose.c, pure) ---- */

/* An entry that a pack should have. The first origin of several requests for one entry counts. */
struct export_entry {
    uint64_t name;
    uint64_t bytes;                   /* key + payload, or 0 */
    uint16_t sm;                      /* 0: unknown */
    bool needed;                      /* report it if it is missing */
    bool once;                        /* it cannot be compiled again from its key */
    bool loaded;                      /* a command loads it, whichever compiler made it */
    uint32_t origin;                  /* index into the candidates, or JW_PACK_NO_ORIGIN */
    const struct jw_cache_file *file; /* that goes in; NULL before it is chosen */
};

struct export_candidates { /* software of entries: not sorted; some is unused */
    struct jw_pack_origin *list;
    size_t n;
};

struct export_input {
    const struct jw_cache_file *files; /* by name */
    size_t n_files;
    struct export_entry *wanted; /* gets sorted */
    size_t n_wanted;
    bool everything;             /* all files are wanted */
    const char *stamp, *version; /* of the driver */
    uint16_t sm;
    bool unknown_too; /* also report missing entries of unknown architecture */
};

struct export_choice {
    struct export_entry *list; /* by name */
    size_t n;
    struct jw_export_sum left_out[JW_EXPORT_WHYS];
};

void export_choose(const struct export_input *in, struct jw_arena *a, struct export_choice *out);

/* The manifest's origins, and which of them `entries[i]` has. */
void export_origins(const struct export_choice *choice, const struct export_candidates *candidates,
                    struct jw_arena *a, struct jw_pack_entry *entries, struct jw_pack_manifest *m);

/* The text as a manifest's name: without characters that are not allowed there. */
const char *export_plain_name(const char *text, struct jw_arena *a);
const char *export_plain_word(const char *text); /* NULL: not allowed in a manifest */

/* ---- the run ---- */

/* A pack to write. */
struct export_job {
    struct export_choice choice;
    struct jw_pack_manifest manifest;
    struct jw_pack_entry *entries; /* of `choice.list`, in its order */
    const char *name;              /* of the file; NULL: a stream */
    bool replaces;                 /* a file that is not a pack */
};

struct export
{
    const struct jw_export_options *o;
    struct jw_export_report *out;
    struct jw_run *run;
    const char *const *paths; /* o->paths, absolute */
    const char *folder;       /* for the packs; NULL: a stream */
    const char *file;         /* name given by the user; NULL: default names */
    struct jw_cachedir dir;
    const struct jw_warm_state *memory;
    const struct jw_probe_report *probe;
    struct jw_driver_state driver; /* that made the entries */
    uint16_t sms[JW_MAX_SMS];
    size_t n_sms;
    struct jw_cache_listing listing;
    struct scan_jobs found; /* below the given paths */
    uint64_t unread;        /* given files that could not be read */
    uint64_t missing;       /* entries of architectures without a pack */
    struct export_entry *wanted;
    size_t n_wanted;
    struct export_candidates candidates;
    struct jw_discovery discovery;
    struct jw_kit kit;       /* of the command */
    struct export_job *jobs; /* of out->packs, in their order */
};

/* Ends the run. Always true, for steps to return. */
#define export_end(x, ...) jw_run_end((x)->run, __VA_ARGS__)
#define export_note(x, ...) JW_NOTE((x)->run, __VA_ARGS__)
/* The command that records what the exported one loads. */
const char *export_prime_command(const struct export *x);
/* Advises to prime first, and then this command again. */
void export_advise_prime(struct export *x);
#define export_advise(x, ...) JW_ADVISE((x)->run, __VA_ARGS__)
void export_notes(struct export *x, const struct jw_notes *notes);
void export_notify(const struct export *x, const char *what);

/* ---- the steps ---- */

bool export_check_paths(struct export *x, struct jw_err *err);
bool export_find_cache(struct export *x, struct jw_err *err);
bool export_ask_driver(struct export *x, struct jw_err *err);
bool export_list_cache(struct export *x, struct jw_err *err);
bool export_choose_archs(struct export *x, struct jw_err *err); /* one pack for each */
bool export_find_wanted(struct export *x, struct jw_err *err);  /* by paths, or by records */
bool export_write(struct export *x, struct jw_err *err);
/* Finds what the command used of other caches; only a signed pack of its own gets it. */
bool export_find_kit(struct export *x, struct jw_err *err);
/* `ctx`: the export. */
bool export_read_kit(void *ctx, size_t file, uint8_t *dst, size_t n, struct jw_err *err);

/* Number of entries that came from untrusted packs. */
uint64_t export_untrusted(const struct export *x, size_t pack);

/* Copies the pack to the store. A failure is only a note. */
bool export_store(struct export *x, size_t pack, struct jw_err *err);

/* Fills the job's manifest from its choice. */
void export_fill_job(struct export *x, size_t pack);

/* ---- origins (export_origin.c) ---- */

/* Finds or adds a candidate. */
bool export_origin(struct export *x, const char *name, const char *version, uint32_t *at, struct jw_err *err);

/* The PTX that the command of a pack loads, for machines where the entries do not serve. */
void export_list_modules(struct export *x, const struct export_choice *choice, struct jw_pack_manifest *m);

/* Sums the entries by origin; with `everything` also reads names of kernels. */
void export_sum_up(struct export *x, size_t pack);

#endif
