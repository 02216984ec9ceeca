/*
 * A remote holds packs: a registry or a folder. It stores documents by tag or digest, and blobs by digest. Everything read from it is checked against its digest and size. JW_E_NET: the
 * remote is unreachable or returned bad data.
 */
#ifndef FLEET_REMOTE_REMOTE_H
#define FLEET_REMOTE_REMOTE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/source.h"
#include "fleet/format/oci.h"
#include "fleet/format/ref.h"
#include "machine/config.h"
#include "machine/run.h"

struct jw_remote_options {
    const struct jw_ref *ref;
    bool write;         /* a remote that does not exist yet is no error */
    const char *cacert; /* file; NULL: the system's roots */
    char *login;        /* "user:password", wiped after use; NULL: look for one */
    bool plain_http;    /* allow http to other machines */
    unsigned answer_ms; /* for the first document, without another try; 0: an hour, as for each request */
    const struct jw_run *run; /* shows the bytes of one blob, and ends it; or NULL */
};

/* Adds the `plain_http` and `cacert` lines of jitwarm.conf. A line that others could have written does not count, for
 * it would decide which server gets the login; `ignored` gets a sentence for each. */
void jw_remote_configure(struct jw_remote_options *o, const struct jw_config *c, struct jw_arena *a,
                         struct jw_notes *ignored);

struct jw_remote;

struct jw_remote_ops {
    /* Reads a document by tag or digest. If there is none it returns true with `*found` false. */
    bool (*document)(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                     struct jw_err *err);
    /* Call before the first write: creates and locks a folder. NULL: there is nothing to do. */
    bool (*hold)(struct jw_remote *r, struct jw_err *err);
    bool (*put_manifest)(struct jw_remote *r, const char *tag, struct jw_bytes text, struct jw_err *err);
    bool (*has)(struct jw_remote *r, const struct jw_oci_item *item, bool *has, struct jw_err *err);
    bool (*put)(struct jw_remote *r, const struct jw_oci_item *item, const char *file, struct jw_err *err);
    /* The path of a file with the blob: in the folder itself, or downloaded into `staging`. */
    bool (*get)(struct jw_remote *r, const struct jw_oci_item *item, const char *staging, const char **path,
                struct jw_err *err);
    void (*close)(struct jw_remote *r);
};

struct jw_remote { /* first member of each implementation's struct */
    const struct jw_remote_ops *ops;
    struct jw_remote_options o;
    struct jw_arena *a;
    bool answered; /* it sent a whole document, or said that there is none */
};

bool jw_remote_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                    struct jw_err *err) JW_MUST;

/* Reads an index or manifest into `a`, and checks it against its digest. `digest` (or NULL): of the document, "" if there
 * is none. */
bool jw_remote_oci(struct jw_remote *r, const char *name, struct jw_arena *a, struct jw_oci_doc *out,
                   char digest[72], bool *found, struct jw_err *err) JW_MUST;

/* Reads a file once: its digest, and a copy to `to` (put NULL: none), called `into` in messages. `size`: for the progress
 * of `run`. */
bool jw_remote_hash_file(const struct jw_run *run, const char *from, uint64_t size, struct jw_sink to,
                         const char *into, char digest[72], struct jw_err *err) JW_MUST;

/* ---- for the implementations ---- */

void remote_open_folder(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out);

bool remote_open_registry(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                          struct jw_err *err);

#endif
