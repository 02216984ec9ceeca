/* Chooses the entries for the pack of one architecture. Pure functions. */
#ifndef PACK_EXPORT_EXPORT_CHOOSE_H
#define PACK_EXPORT_EXPORT_CHOOSE_H

#include "base/arena.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "os/files/file.h"
#include "pack/export/export.h"
#include "pack/format/pack_manifest.h"

/* A request for an entry. The first origin of several requests for one entry counts. */
struct export_wanted {
    uint64_t name;
    uint64_t bytes;  /* key + payload, or 0 */
    uint16_t sm;     /* 0: unknown */
    bool needed;     /* report it if it is missing */
    uint32_t origin; /* index into the candidates, or JW_PACK_NO_ORIGIN */
};

/* Software of entries. */
struct export_candidate {
    struct jw_pack_origin is;
    const char *path;       /* NULL: a package, or the file is unknown */
    struct jw_file_info as; /* of the file, when it was scanned */
};

struct export_candidates { /* not sorted; some are unused */
    struct export_candidate *list;
    size_t n;
};

struct export_input {
    const struct jw_cache_file *files; /* by name */
    size_t n_files;
    struct export_wanted *wanted; /* gets sorted */
    size_t n_wanted;
    bool everything; /* all files are wanted */
    const struct jw_warm_state *memory;
    const char *build; /* whose records count */
    const char *stamp;
    uint16_t sm;
    bool unknown_too; /* also report missing entries of unknown architecture */
    bool include_carried;
};

struct export_chosen {
    const struct jw_cache_file *file;
    uint32_t origin; /* as in `wanted` */
    enum jw_pack_made made;
};

struct export_choice {
    struct export_chosen *list; /* by name */
    size_t n;
    struct jw_export_sum left_out[JW_EXPORT_WHYS];
};

void export_choose(const struct export_input *in, struct jw_arena *a, struct export_choice *out);

/* The origins for the manifest: sorted, each once. Sets `entries[i].origin`. */
void export_origins(const struct export_choice *choice, const struct export_candidates *candidates,
                    struct jw_arena *a, struct jw_pack_entry *entries, const struct jw_pack_origin **out,
                    size_t *n);

/* The text as a manifest's name: without characters that are not allowed there. */
const char *export_plain_name(const char *text, struct jw_arena *a);
const char *export_plain_word(const char *text); /* NULL: not allowed in a manifest */

#endif
