/*
 * Parses references: where shared packs are stored. Pure.
 *
 *   oci://host[:port]/name[:tag]   a registry
 *   /PATH, ./PATH, ../PATH         a folder in OCI's image layout; on Windows also C:\PATH, \\SERVER\PATH. A bare
 *                                  word could be a host, and is none
 */
#ifndef FLEET_FORMAT_REF_H
#define FLEET_FORMAT_REF_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>

enum jw_ref_kind { JW_REF_REGISTRY, JW_REF_FOLDER };

struct jw_ref {
    enum jw_ref_kind kind;
    const char *text; /* as the user wrote it */
    const char *path; /* of a FOLDER */
    const char *host; /* "reg.example:5000"; of a FOLDER NULL */
    const char *name; /* of a REGISTRY: "team/jit" */
    const char *tag;  /* of a REGISTRY; NULL: none */
};

enum { JW_REF_TAG = 128, JW_REF_NAME = 255, JW_REF_DIGEST = 7 + 64 };

bool jw_ref_parse(const char *text, struct jw_arena *a, struct jw_ref *out, struct jw_err *err) JW_MUST;

bool jw_ref_is_tag(const char *text);
bool jw_ref_is_digest(const char *text);   /* "sha256:" and 64 lower-case hex digits */
bool jw_ref_is_loopback(const char *host); /* "localhost", "127.x.x.x" or "[::1]", with or without a port */

#endif
