/*
 * A publisher's matrix: packs of the same software for many kinds of machines (driver build, architecture,
 * system) at one remote. The content of a layer is known by a digest of its entries' names, so jitwarm knows
 * before it compiles anything whether the remote has it already.
 */
#ifndef FLEET_MATRIX_H
#define FLEET_MATRIX_H

#include "fleet/machine.h"
#include "fleet/remote/remote.h"

/* The modules to compile for one architecture. */
struct jw_matrix_input {
    uint16_t sm;
    char digest[72]; /* of the names of all its entries, sorted; "": they are not all known before */
    size_t modules;
    bool there; /* the remote has it */
};

/* `names`: of the entries of one architecture; they are sorted here. `key`: id of the key that will sign, or "". */
void jw_matrix_digest(struct jw_matrix_input *to, uint64_t *names, size_t n, const char *key);

/* Sets `there` of each. `m`: the driver. `net` as for jw_push. */
bool jw_matrix_look(const struct jw_remote_options *net, const struct jw_ref *ref,
                    const struct jw_fleet_machine *m, struct jw_matrix_input *v, size_t n, struct jw_arena *a,
                    struct jw_err *err) JW_MUST;

/* ---- all that a remote has ---- */

struct jw_matrix_kind {
    const char *tag, *driver, *stamp, *system, *software,
        *key,    /* driver, key may be NULL: unknown, unsigned */
        *pushed; /* "2026-11-24", the day on which its manifest came there; or NULL */
    uint16_t sm;
    uint64_t entries, bytes, packed; /* packed 0: unknown */
};

struct jw_matrix {
    const char *from;
    struct jw_matrix_kind *kinds; /* by driver, then by architecture */
    size_t n;
    /* "sm_89 for driver 535.261.03": others of its row and of its column are there, and there are such machines */
    const char **missing;
    size_t n_missing;
    uint64_t requests; /* documents that were read */
};

/* The kinds under the reference's tag; without one, under all tags that `push` chooses without one. */
bool jw_matrix_list(const struct jw_remote_options *net, const struct jw_ref *ref, struct jw_arena *a,
                    struct jw_matrix *out, struct jw_err *err) JW_MUST;

#endif
