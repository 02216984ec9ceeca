/*
 * A remote holds packs: a registry, a folder or a web server. It stores documents by tag or digest, and blobs by
 * digest. Everything read from it is checked against its digest and size. JW_E_NET: the remote is unreachable or
 * returned bad data.
 */
#ifndef FLEET_REMOTE_REMOTE_H
#define FLEET_REMOTE_REMOTE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/source.h"
#include "fleet/format/oci.h"
#include "fleet/format/ref.h"

#include <stdatomic.h>

struct jw_remote_options {
    const struct jw_ref *ref;
    bool write;                           /* a remote that does not exist yet is no error */
    const char *cacert, *cert, *cert_key; /* files; NULL: the system's roots, no client certificate */
    char *login;                          /* "user:password", wiped after use; NULL: look for one */
    const char *mount;   /* another repository of the registry to mount layers from; NULL: none */
    bool plain_http;     /* allow http to other machines */
    unsigned deadline_s; /* for the whole operation; 0: an hour */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* bytes of one blob; or NULL */
    void *ctx;
};

struct jw_remote;

struct jw_remote_ops {
    bool (*document)(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                     struct jw_err *err);
    bool (*hold)(struct jw_remote *r, struct jw_err *err); /* NULL: nothing to do */
    bool (*put_document)(struct jw_remote *r, const char *tag, const char *media, struct jw_bytes text,
                         struct jw_err *err);
    bool (*has)(struct jw_remote *r, const struct jw_oci_item *item, bool *has, struct jw_err *err);
    bool (*mount)(struct jw_remote *r, const struct jw_oci_item *item, bool *done,
                  struct jw_err *err); /* NULL: it cannot */
    bool (*refers)(struct jw_remote *r, const char *digest, bool *yes, struct jw_err *err); /* NULL: no */
    bool (*put)(struct jw_remote *r, const struct jw_oci_item *item, const char *file, struct jw_err *err);
    bool (*get)(struct jw_remote *r, const struct jw_oci_item *item, const char *staging, const char **path,
                struct jw_err *err);
    void (*close)(struct jw_remote *r);
};

struct jw_remote { /* first member of each implementation's struct */
    const struct jw_remote_ops *ops;
    struct jw_remote_options o;
    struct jw_arena *a;
};

bool jw_remote_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                    struct jw_err *err) JW_MUST;
void jw_remote_close(struct jw_remote *r); /* accepts NULL */

/* Reads a document by tag or digest. If there is none it returns true with `*found` false. */
bool jw_remote_document(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                        struct jw_err *err) JW_MUST;

/* The same, parsed into `a`. `digest` (or NULL): of the document, "" if there is none. */
bool jw_remote_oci(struct jw_remote *r, const char *name, struct jw_arena *a, struct jw_oci_doc *out,
                   char digest[72], bool *found, struct jw_err *err) JW_MUST;

/* Call before the first write: creates and locks a folder, restarts the deadline of a registry. */
bool jw_remote_hold(struct jw_remote *r, struct jw_err *err) JW_MUST;

/* `tag` NULL: store it by digest only. */
bool jw_remote_put_document(struct jw_remote *r, const char *tag, const char *media, struct jw_bytes text,
                            struct jw_err *err) JW_MUST;

bool jw_remote_has(struct jw_remote *r, const struct jw_oci_item *item, bool *has,
                   struct jw_err *err) JW_MUST;

/* Mounts the blob from o.mount. `*done`: the repository has it now. */
bool jw_remote_mount(struct jw_remote *r, const struct jw_oci_item *item, bool *done,
                     struct jw_err *err) JW_MUST;

/* Does the registry list referrers (OCI 1.1)? */
bool jw_remote_refers(struct jw_remote *r, const char *digest, bool *yes, struct jw_err *err) JW_MUST;
bool jw_remote_put(struct jw_remote *r, const struct jw_oci_item *item, const char *file,
                   struct jw_err *err) JW_MUST;

/* The path of a file with the blob: in the folder itself, or downloaded into `staging`. */
bool jw_remote_get(struct jw_remote *r, const struct jw_oci_item *item, const char *staging,
                   const char **path, struct jw_err *err) JW_MUST;

/* ---- for the implementations ---- */

void remote_open_folder(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out);

bool remote_open_registry(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                          struct jw_err *err);
bool remote_open_web(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                     struct jw_err *err);

/* ---- OCI's image layout, in a folder and on a web server: index.json, blobs/sha256/HEX ---- */

/* Reads a file of the layout by its name there. */
typedef bool remote_layout_read(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                                struct jw_err *err);

bool remote_layout_top(struct jw_remote *r, remote_layout_read *read, struct jw_oci_doc *out, bool *found,
                       struct jw_err *err);
bool remote_layout_document(struct jw_remote *r, remote_layout_read *read, const char *name,
                            struct jw_buf *out, bool *found, struct jw_err *err);

/* Reads the file `from`, checks its digest and copies it to `to` (unless put is NULL), called `into` in messages.
 * JW_E_NET: it is missing or damaged. */
bool remote_read_file(const struct jw_remote *r, const struct jw_oci_item *item, const char *from,
                      struct jw_sink to, const char *into, struct jw_err *err);

#endif
