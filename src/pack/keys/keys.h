/* The trusted public keys:
 *
 *   *.pub         as minisign writes them, in $XDG_CONFIG_HOME/jitwarm/keys/ and /etc/jitwarm/keys/
 *                 (%APPDATA%, %ProgramData%)
 *   trust = KEY   in jitwarm.conf: an absolute path of such a file, or the 56 characters of base64
 *   --trust KEY   for this run: a path of such a file, or the 56 characters
 *
 * JW_E_TRUST: another user (except root, administrators and the system) can write to a key file, to
 * such a conf file, or to a folder on the way to it (machine/trust.h), and so could place code in
 * this user's programs. For files of --trust only their own folder is checked. Links in the key
 * folders are refused, too. */
#pragma once

#include "base/arena.h"
#include "machine/config.h"
#include "pack/format/minisign.h"

struct jw_trusted_key {
    struct jw_minisign_public key;
    const char *from; /* "/etc/jitwarm/keys/x.pub", "/etc/jitwarm/jitwarm.conf:3", "--trust" */
};

struct jw_trusted_keys {
    struct jw_trusted_key *v;
    size_t n;
};

/* Loads all keys: those of --trust (paths, or keys themselves) first, those of lines of `conf`
 * (NULL: none) last. False: one of them is none, so that none is to be trusted; `out` has the
 * others, to be listed. */
bool jw_keys_load(struct jw_texts given, const struct jw_config *conf, struct jw_arena *a,
                  struct jw_trusted_keys *out, struct jw_err *err) JW_MUST;

/* The key with this id, or NULL. */
const struct jw_trusted_key *jw_keys_find(const struct jw_trusted_keys *keys,
                                          const uint8_t id[JW_MINISIGN_ID]);

/* The name of the public key's file: .pub replaces .key, or is appended. */
const char *jw_key_public_path(const char *secret, struct jw_arena *a);

/* The file of a public key in this user's key folder; named by its id, because several keys may be
 * called lab.pub. NULL: none. */
const char *jw_key_trusted_path(const struct jw_minisign_public *key, struct jw_arena *a);

/* Writes both keys to new files (`over`: the public one also over an old one), before them the
 * public one into this user's key folder: a key that is made here is trusted here, also where a
 * kill left the secret one (0600) alone. After a failure there is none. Makes the folder. */
bool jw_key_pair_save(const char *secret_path, const struct jw_minisign_secret_text *secret,
                      const char *public_path, bool over, const struct jw_minisign_public *public,
                      struct jw_err *err) JW_MUST;

/* Reads a secret key from a regular file that no other user can write to; without a passphrase, nor
 * read. Wipe `out`. */
bool jw_key_secret_load(const char *path, struct jw_minisign_encrypted *out,
                        struct jw_err *err) JW_MUST;

/* This user's own key, without a passphrase, in the folder of jitwarm.conf: what prune saves is
 * signed with it, so that prime takes it again. Made when it is first asked for. Wipe `out`. */
bool jw_key_own(struct jw_minisign_secret *out, struct jw_err *err) JW_MUST;
