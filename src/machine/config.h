/*
 * jitwarm.conf: `key = value` lines, blank lines, # comments (at a line's start or behind a blank). A list
 * is made by repeating its key. The system's file is read first; the user's adds to lists and overrides the
 * rest.
 *
 * A line that makes no sense is a warning that names file and line, and the others still hold.
 */
#ifndef MACHINE_CONFIG_H
#define MACHINE_CONFIG_H

#include "base/arena.h"
#include "base/bytes.h"
#include "jitwarm/err.h"
#include "machine/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_conf_item {
    const char *value, *origin; /* origin: "/etc/jitwarm/jitwarm.conf:3" */
    const char *
        doubt; /* of trust, roots, cacert and plain: why their file may not say what is believed; NULL: it may */
};

struct jw_conf_list {
    struct jw_conf_item *v;
    size_t n;
};

struct jw_config {
    struct jw_conf_list roots;     /* absolute folders to search besides the usual ones */
    struct jw_conf_list exclude;   /* patterns, as jw_path_match takes them */
    struct jw_conf_list fleet;     /* architectures that "--gpu fleet" stands for */
    struct jw_conf_list trust;     /* keys whose packs are believed: pack/keys/keys.h */
    struct jw_conf_list cacert;    /* a file each; the last one counts */
    struct jw_conf_list plain;     /* registries that are asked by http: HOST[:PORT] */
    struct jw_conf_item jobs;      /* value NULL: not set */
    unsigned jobs_count;           /* 0: not set */
    struct jw_conf_item store_cap; /* value NULL: not set */
    uint64_t store_bytes;
    struct jw_notes warnings;
};

/* For help, the manual and a sample: every key that a file may have. `name` NULL ends the list. */
struct jw_config_key {
    const char *name, *usual; /* usual: without a line; NULL: nothing */
    const char *example;      /* a value that makes sense somewhere */
    const char *what;         /* a sentence or two */
    bool list;                /* a line for each value */
    unsigned kind;            /* here and below: config.c's own */
    size_t at;
};

extern const struct jw_config_key jw_config_keys[];

/* How much the store of packs may hold, in bytes. */
#define JW_STORE_CAP ((uint64_t)2 << 30)
uint64_t jw_config_store_cap(const struct jw_config *c);

/* The user's own patterns, and behind them those of the configuration. */
void jw_config_excludes(const struct jw_config *c, const char *const *own, size_t n_own, struct jw_arena *a,
                        const char *const **out, size_t *n);

/* Both files, where there are any. */
bool jw_config_load(struct jw_arena *a, struct jw_config *out, struct jw_err *err) JW_MUST;

/* One file, added to `out`; one that is absent changes nothing, one that cannot be read is a warning. */
bool jw_config_load_file(const char *path, const char *home, struct jw_arena *a, struct jw_config *out,
                         struct jw_err *err) JW_MUST;

/*
 * A text, added to `out`, called `name` in origins and warnings. `home` replaces a leading ~/ and may be
 * NULL.
 */
bool jw_config_parse(struct jw_bytes text, const char *name, const char *home, struct jw_arena *a,
                     struct jw_config *out, struct jw_err *err) JW_MUST;

#endif
