/*
 * A place that holds packs for several machines: documents by tag or digest, blobs by digest. One file for each kind of
 * place. What it gives is checked against its digest and size before anybody sees it. JW_E_NET: the place is at fault, or
 * is not there.
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
    bool write;                           /* nothing there yet is no fault */
    const char *cacert, *cert, *cert_key; /* files; NULL: the system's roots, no certificate of ours */
    char *login;                          /* "user:password", wiped when it was used; NULL: look for one */
    const char *mount;   /* another repository of the registry, which may have layers; NULL: none */
    bool plain_http;     /* http to a host that is not this machine */
    unsigned deadline_s; /* for all of it; 0: an hour */
    const atomic_bool *interrupted;
    /* NULL: nobody listens. Bytes of one blob. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
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

struct jw_remote { /* the head of each kind's own struct */
    const struct jw_remote_ops *ops;
    struct jw_remote_options o;
    struct jw_arena *a;
};

bool jw_remote_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                    struct jw_err *err) JW_MUST;
void jw_remote_close(struct jw_remote *r); /* accepts NULL */

/* The document that a tag names, or that has this digest. None there: `*found` false, and true. */
bool jw_remote_document(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                        struct jw_err *err) JW_MUST;

/* Before anything is put: a folder is made, and held against other writers. The deadline begins again. */
bool jw_remote_hold(struct jw_remote *r, struct jw_err *err) JW_MUST;

/* `tag` NULL: it is found by its digest alone. */
bool jw_remote_put_document(struct jw_remote *r, const char *tag, const char *media, struct jw_bytes text,
                            struct jw_err *err) JW_MUST;

bool jw_remote_has(struct jw_remote *r, const struct jw_oci_item *item, bool *has,
                   struct jw_err *err) JW_MUST;

/* Has another repository there given it? Then nothing is to be put. */
bool jw_remote_mount(struct jw_remote *r, const struct jw_oci_item *item, bool *done,
                     struct jw_err *err) JW_MUST;

/* Does it keep lists of what belongs to a document (OCI referrers)? */
bool jw_remote_refers(struct jw_remote *r, const char *digest, bool *yes, struct jw_err *err) JW_MUST;
bool jw_remote_put(struct jw_remote *r, const struct jw_oci_item *item, const char *file,
                   struct jw_err *err) JW_MUST;

/* A file with the blob's bytes: its own where they lie in a folder, else one in `staging`, a folder of this user's. */
bool jw_remote_get(struct jw_remote *r, const struct jw_oci_item *item, const char *staging,
                   const char **path, struct jw_err *err) JW_MUST;

/* ---- for the kinds ---- */

void remote_open_folder(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out);

bool remote_open_registry(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                          struct jw_err *err);
bool remote_open_web(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                     struct jw_err *err);

/* Are these the bytes that the item names? */
bool remote_check(const struct jw_oci_item *item, struct jw_bytes bytes, struct jw_err *err);

/* The file `from`, whose bytes must be the item's, hashed while it is read. `to` (put NULL: nobody) gets them, of which people know as `into`. A file that is
 * not there is JW_E_NET. */
bool remote_read_file(const struct jw_remote *r, const struct jw_oci_item *item, const char *from,
                      struct jw_sink to, const char *into, struct jw_err *err);

#endif
