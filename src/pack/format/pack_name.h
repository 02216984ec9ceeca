/* The kind of machine that a pack is for, beside its system, and the name of its file:
 *
 *   sm_86-20260107-225146                 architecture, and the build of libcuda, by its stamp
 *   sm_86-32da09558dfb                    or the driver's compiler, by its code
 *                                         (driver/worker/compiler_code.h)
 *   sm_86-20260107-225146-torch.tar.zst   kind, software
 *
 * A name ends in the last part of the path that was asked for, so that a later pack takes its
 * place; else in the name of the software, if all entries are of one and a file name can hold it;
 * else in the beginning of a digest of their names. A user may rename the file. */
#pragma once

#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"

#define JW_PACK_ENDING ".tar.zst"
#define JW_PACK_UNPROVEN "packs need a driver whose cache the probe proved; use jitwarm prime"
/* Behind the name of a pack: a signature of the whole file. */
#define JW_PACK_SIGNATURE ".minisig"

struct jw_pack_kind {
    char text[48]; /* "": there is no compiler, and the stamp is none */
};
struct jw_pack_kind jw_pack_kind(const char *compiler, const char *stamp, uint16_t sm);

/* Does the file's name begin with another kind than this one? False also for a name without a kind:
 * then only the manifest says what the pack is for. */
bool jw_pack_names_other(const char *name, const struct jw_pack_kind *kind);

/* For a checked manifest; `name` is the last part of a path, or "". With a signer it ends in a
 * digest, of the signer's id, too: packs of two signers do not replace each other. */
const char *jw_pack_file_name(const struct jw_pack_manifest *m, const char *name,
                              const struct jw_minisign_secret *signer, struct jw_arena *a);

/* The folder of this user's packs, $XDG_DATA_HOME/jitwarm/packs or %LOCALAPPDATA%\jitwarm\packs:
 * prune saves there, and prime takes from there. NULL: the system names none. */
const char *jw_packs_of_user(struct jw_arena *a);
/* An administrator fills it: /var/lib/jitwarm/packs, %ProgramData%\jitwarm\packs. NULL: none. */
const char *jw_packs_of_system(const char *sysroot, struct jw_arena *a);
