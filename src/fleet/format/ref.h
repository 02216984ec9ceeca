/* Parses references: where shared packs are stored. Pure.
 *
 *   oci://host[:port]/name[:tag]   a registry
 *   /PATH, ./PATH, ../PATH         a folder of packs; on Windows also .\PATH, C:\PATH,
 * \\SERVER\PATH. A bare word could be a host, and is none */
#pragma once

#include "base/arena.h"

struct jw_ref {
    const char *text; /* as the user wrote it */
    const char *path; /* of a folder; of a registry NULL, and the rest of a folder */
    const char *host; /* "reg.example:5000" */
    const char *name; /* "team/jit" */
    const char *tag;  /* NULL: none */
};

/* Is it meant to name a server, and no file or folder? jw_ref_parse says what is wrong with it. */
bool jw_ref_is_remote(const char *text);
bool jw_ref_parse(const char *text, struct jw_arena *a, struct jw_ref *out,
                  struct jw_err *err) JW_MUST;

/* The tag for machines of this kind (pack/format/pack_name.h): "linux-x86_64-sm_86-32da09558dfb",
 * behind the reference's own tag where it has one. NULL: the kind makes none (JW_E_UNFIT). */
const char *jw_ref_tag_of(const struct jw_ref *ref, const char *os, const char *arch,
                          const char *kind, struct jw_arena *a, struct jw_err *err);
bool jw_ref_is_tag(const char *text);
bool jw_ref_is_digest(const char *text); /* "sha256:" and 64 lower-case hex digits */
/* "localhost", "127.x.x.x" or "[::1]", with or without a port */
bool jw_ref_is_loopback(const char *host);
