/*
 * What env apply has written, so that env undo can take it back: written before the first change, removed after the last one.
 *
 *   STATE/env/user.json, STATE/env/for-DIGEST.json      Linux, the machine: /var/lib/jitwarm/env.json
 *
 *   { "schema": "jitwarm.env-undo/1", "scope": "user",
 *     "settings": [ { "name": "CUDA_CACHE_MAXSIZE", "value": "4294967296", "asked": false } ],
 *     "records": [ { "kind": "folder", "path": "..." },
 *                  { "kind": "file", "path": "...", "block": "...", "was": "...", "made": true, "joint": false },
 *                  { "kind": "registry", "path": "CUDA_CACHE_MAXSIZE", "machine": false, "existed": true, "type": 1,
 *                    "data": "BASE64", "wrote": "4294967296" } ] }
 */
#ifndef ENV_ENV_LEDGER_H
#define ENV_ENV_LEDGER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum jw_env_scope { JW_ENV_USER, JW_ENV_SYSTEM };

const char *jw_env_scope_name(enum jw_env_scope s); /* "user", "system" */

enum jw_env_record_kind {
    JW_ENV_FOLDER, /* was made, and is removed when it is empty */
    JW_ENV_FILE,
    JW_ENV_REGISTRY
};

struct jw_env_record {
    enum jw_env_record_kind kind;
    const char *path; /* REGISTRY: the variable */
    const char *block;
    const char *
        was; /* the block that stood there before: a run that was killed may not have got so far; NULL: none did */
    bool made;  /* the file was not there */
    bool joint; /* see env_edit.h */
    bool machine, existed;
    unsigned type;
    struct jw_bytes data; /* what was there */
    const char *wrote;    /* REGISTRY: what was written last */
};

struct jw_env_kept {
    const char *name, *value;
    bool asked; /* the user named this very value */
};

struct jw_env_ledger {
    const char *path; /* of the file */
    bool found;       /* it was there */
    enum jw_env_scope scope;
    struct jw_env_kept *settings;
    size_t n_settings;
    struct jw_env_record *records;
    size_t n;
};

/* `sysroot`: "" but in tests. One that is damaged, or that others could have
 * written, is an error. */
bool jw_env_ledger_load(enum jw_env_scope scope, const char *sysroot, struct jw_arena *a,
                        struct jw_env_ledger *out, struct jw_err *err) JW_MUST;

/* NULL: there is none of this kind and path. */
struct jw_env_record *jw_env_ledger_of(struct jw_env_ledger *l, enum jw_env_record_kind kind,
                                       const char *path);

/* A copy of the struct; its texts are borrowed. */
bool jw_env_ledger_add(struct jw_env_ledger *l, struct jw_env_record r, struct jw_arena *a,
                       struct jw_err *err) JW_MUST;

/* Old or new at any instant. */
bool jw_env_ledger_save(const struct jw_env_ledger *l, struct jw_err *err) JW_MUST;
bool jw_env_ledger_drop(const struct jw_env_ledger *l, struct jw_err *err) JW_MUST;

/* Text to records and back, for the fuzzer and the tests. */
bool jw_env_ledger_read(struct jw_bytes text, struct jw_arena *a, struct jw_env_ledger *out,
                        struct jw_err *err) JW_MUST;

#endif
