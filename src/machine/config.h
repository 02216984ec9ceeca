/* jitwarm.conf: `key = value` lines, blank lines, # comments (at the start of a line or after a
 * blank). Repeat a key to make a list. The user's file adds to the lists of the system's file and
 * overrides other values.
 *
 * A wrong line gives a warning with file and line; the other lines still count. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "machine/run.h"

struct jw_conf_item {
    const char *value, *origin; /* origin: "/etc/jitwarm/jitwarm.conf:3" */
    const char *doubt;          /* why this file is not trusted; NULL: it is */
};

struct jw_conf_list {
    struct jw_conf_item *v;
    size_t n;
};

struct jw_config {
    struct jw_conf_list search;  /* more absolute folders to search for software */
    struct jw_conf_list exclude; /* patterns for jw_path_match */
    struct jw_conf_list trust;   /* trusted keys: pack/keys/keys.h */
    struct jw_conf_list source;  /* folders and registries with packs: fleet/pull.h */
    struct jw_conf_list cacert;  /* files; the last one counts */
    struct jw_conf_list carry; /* "no": nothing is carried over (prime/carry.h); the last counts */
    struct jw_conf_list plain; /* registries without TLS: HOST[:PORT] */
    unsigned jobs;             /* 0: not set */
    unsigned timeout_s;        /* limit of a module; 0: not set */
    struct jw_texts warnings;
};

/* Reads jitwarm.conf and startup.conf (of startup install) of the system and of the user. */
void jw_config_load(struct jw_arena *a, struct jw_config *out);

/* Adds one file to `out`. A missing file is fine; an unreadable one is a warning. */
void jw_config_load_file(const char *path, const char *home, struct jw_arena *a,
                         struct jw_config *out);

/* Adds a text to `out`; origins and warnings call it `name`. `home` replaces ~. */
void jw_config_parse(struct jw_bytes text, const char *name, const char *home, const char *doubt,
                     struct jw_arena *a, struct jw_config *out);
