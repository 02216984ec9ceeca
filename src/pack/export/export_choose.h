/*
 * Which entries of a cache go into the pack of one architecture, and why others do not. Pure: a listing, what is wanted,
 * and what is remembered go in.
 */
#ifndef PACK_EXPORT_EXPORT_CHOOSE_H
#define PACK_EXPORT_EXPORT_CHOOSE_H

#include "base/arena.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "os/files/file.h"
#include "pack/export/export.h"
#include "pack/format/pack_manifest.h"

/* An entry that somebody asked for. Several may be about one entry: the first origin counts. */
struct export_wanted {
    uint64_t name;
    uint64_t bytes;  /* key + payload, where that is known */
    uint16_t sm;     /* 0: not known */
    bool needed;     /* its lack is a lack; else it is taken where it is */
    uint32_t origin; /* index into the candidates, or JW_PACK_NO_ORIGIN */
};

/* Software that entries may be of. */
struct export_candidate {
    struct jw_pack_origin is;
    const char *path;       /* the one file that it is; NULL: it is a package, or no file of it is known */
    struct jw_file_info as; /* of the file, when it was looked into */
};

struct export_candidates { /* not sorted, and not each of them is used */
    struct export_candidate *list;
    size_t n;
};

struct export_input {
    const struct jw_cache_file *files; /* by name */
    size_t n_files;
    struct export_wanted *wanted; /* is sorted here */
    size_t n_wanted;
    bool everything; /* all files are wanted, too */
    const struct jw_warm_state *memory;
    const char *build; /* of what is remembered that counts */
    const char *stamp;
    uint16_t sm;
    bool unknown_too; /* counts what is not there and of no known architecture */
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

/* The origins of what was chosen as a manifest has them: plain, sorted, each once; `entries[i].origin` is set. */
void export_origins(const struct export_choice *choice, const struct export_candidates *candidates,
                    struct jw_arena *a, struct jw_pack_entry *entries, const struct jw_pack_origin **out,
                    size_t *n);

/* What a manifest takes for a name; the text itself where it is one. */
const char *export_plain_name(const char *text, struct jw_arena *a);
const char *export_plain_word(const char *text); /* NULL: it is none */

#endif
