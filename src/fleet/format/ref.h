/*
 * Parses references: where shared packs are stored. Pure.
 *
 *   oci://host[:port]/name[:tag|@digest]   a registry
 *   oci-layout:DIR[:tag]                   a folder in OCI's image layout
 *   dir:PATH                               the same folder; a colon in PATH is a part of it. What can only be a path needs
 *                                          no dir: /PATH, ./PATH, ../PATH, C:\PATH, \\SERVER\PATH
 *   https://host[:port]/path               the same folder behind a web server; http:// needs loopback or --plain-http
 */
#ifndef FLEET_FORMAT_REF_H
#define FLEET_FORMAT_REF_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>

enum jw_ref_kind { JW_REF_REGISTRY, JW_REF_FOLDER, JW_REF_WEB };

struct jw_ref {
    enum jw_ref_kind kind;
    const char *text;   /* as the user wrote it */
    const char *host;   /* REGISTRY, WEB: "reg.example:5000" */
    const char *name;   /* REGISTRY: "team/jit" */
    const char *path;   /* FOLDER: its path; WEB: "/packs", without a final / */
    const char *tag;    /* NULL: none */
    const char *digest; /* "sha256:..." instead of a tag; NULL: none */
    bool plain;         /* WEB: http:// */
};

enum { JW_REF_TAG = 128, JW_REF_NAME = 255, JW_REF_DIGEST = 7 + 64 };

bool jw_ref_parse(const char *text, struct jw_arena *a, struct jw_ref *out, struct jw_err *err) JW_MUST;

bool jw_ref_is_tag(const char *text);
bool jw_ref_is_digest(const char *text);   /* "sha256:" and 64 lower-case hex digits */
bool jw_ref_is_name(const char *text);     /* of a repository: "team/jit" */
bool jw_ref_is_loopback(const char *host); /* "localhost", "127.x.x.x" or "[::1]", with or without a port */

/* The reference with this tag instead of its own. */
const char *jw_ref_with_tag(const struct jw_ref *ref, const char *tag, struct jw_arena *a) JW_MUST;

#endif
