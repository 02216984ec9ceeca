/*
 * The public keys whose packs are believed:
 *
 *   *.pub in $XDG_CONFIG_HOME/jitwarm/keys/ and /etc/jitwarm/keys/ (%APPDATA%, %ProgramData%), as minisign writes them
 *   trust = KEY [ORIGIN...]   in jitwarm.conf: KEY is an absolute path of such a file, in "" when blanks are in it, or
 *                             the 56 characters of base64 themselves
 *   --trust KEYFILE           for this run
 *
 * A key can be scoped: then it vouches for entries of these origins alone (names of packages or libraries, patterns of
 * base/path.h: torch libfoo*). In a file that is a third line, which minisign reads over:
 *
 *   untrusted comment: minisign public key 5A5B...
 *   RWQ...
 *   # origins: torch libfoo*
 *
 * A key file, a conf file with such a line, or a folder on the way to one of them (machine/trust.h), that somebody else can
 * write to is refused with JW_E_TRUST: whoever can write there could place code in this user's programs. Of a file of --trust
 * that is asked of its own folder alone. So are links in the key folders. Root (administrators, the system) is nobody else.
 */
#ifndef PACK_KEYS_KEYS_H
#define PACK_KEYS_KEYS_H

#include "base/arena.h"
#include "machine/config.h"
#include "pack/format/minisign.h"

struct jw_trusted_key {
    struct jw_minisign_public key;
    const char *from;           /* "/etc/jitwarm/keys/x.pub", "/etc/jitwarm/jitwarm.conf:3" */
    const char *const *origins; /* patterns */
    size_t n_origins;           /* 0: for everything */
};

struct jw_trusted_keys {
    struct jw_trusted_key *v;
    size_t n;
};

struct jw_keys_options {
    const struct jw_config *conf; /* NULL: none */
    const char *const *files;     /* of --trust; paths */
    size_t n_files;
};

/* All of them, the ones of --trust first. */
bool jw_keys_load(const struct jw_keys_options *o, struct jw_arena *a, struct jw_trusted_keys *out,
                  struct jw_err *err) JW_MUST;

/* May this key vouch for entries of an origin of this name? NULL: of unknown origin. */
bool jw_key_covers(const struct jw_trusted_key *key, const char *origin);

/* The next key with this id behind `after` (NULL: the first), or NULL. Nothing keeps two keys from having one id: whose a
 * signature is, only verifying tells. */
const struct jw_trusted_key *jw_keys_find(const struct jw_trusted_keys *keys,
                                          const uint8_t id[JW_MINISIGN_ID],
                                          const struct jw_trusted_key *after);

/* The text of a key file. Pure. */
bool jw_key_file_read(struct jw_bytes text, struct jw_arena *a, struct jw_trusted_key *out,
                      struct jw_err *err) JW_MUST;

/* Where `jitwarm keygen` puts a key when nobody says where: "jitwarm.key" in the folder of jitwarm.conf. NULL: the system
 * names no such folder, or no memory. */
const char *jw_key_usual_path(struct jw_arena *a);

/* The name of the public half: .pub in place of .key, or behind the name. */
const char *jw_key_public_path(const char *secret, struct jw_arena *a);

/* Both halves into files that are not there yet, the secret one (0600) first. False: neither is there, or both names are as
 * they were. The folder is made when it is missing. */
bool jw_key_pair_save(const char *secret_path, const struct jw_minisign_secret_text *secret,
                      const char *public_path, struct jw_bytes public, struct jw_err *err) JW_MUST;

/* A secret key's file: of a regular file that nobody else can write to. Wipe `out`. */
bool jw_key_secret_load(const char *path, struct jw_minisign_box *out, struct jw_err *err) JW_MUST;

#endif
