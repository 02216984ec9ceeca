/* One push, for push.c and push_folder.c. */
#ifndef FLEET_PUSH_RUN_H
#define FLEET_PUSH_RUN_H

#include "fleet/push.h"
#include "pack/file/pack_read.h"

struct pack {
    const char *file; /* NULL: the registry has it */
    struct jw_pack_peeked is;
    struct jw_oci_item item, names; /* names.digest NULL: there are none */
    struct jw_push_layer layer;
};

struct push {
    const struct jw_push_options *o;
    struct jw_run *run;
    struct jw_push_report *out;
    struct jw_remote *to; /* NULL: a folder */
    const char *work;     /* a folder for the lists of names */
    struct pack *packs;
    size_t n;
};

/* Reads a file once: its digest, and a copy to `to` (put NULL: none), called `into` in messages. `size`: for the progress. */
bool push_read_file(const struct jw_run *run, const char *from, uint64_t size, struct jw_sink to,
                    const char *into, char digest[72], struct jw_err *err) JW_MUST;

/* The names of its origins, separated by blanks. */
const char *push_software(const struct jw_pack_manifest *m, struct jw_arena *a);
/* The pack of this push that has all of this software. NULL: none. */
const struct pack *push_successor(const char *software, const struct pack *v, size_t n);
/* Machines that trust `key` would refuse an unsigned pack in the place of one that it signed. */
bool push_may_replace(const struct push *p, const char *software, const char *key, const struct pack *by,
                      struct jw_err *err) JW_MUST;
void push_report(struct push *p, const char *tag, const struct pack *v, size_t n);

/* `n` packs of one key, as files under their own names. */
bool push_to_folder(struct push *p, const char *tag, const struct pack *v, size_t n,
                    struct jw_err *err) JW_MUST;

#endif
