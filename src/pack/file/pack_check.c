#include "pack/file/pack_read.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "pack/file/pack_index.h"

#include <string.h>

enum { PART = 1 << 20 };
#define MAX_OLD_KIND                                                                                         \
    ((uint64_t)1 << 28) /* bytes that a signature of the older kind may be over: it needs all at once */

/* Where a signature is, and what it is over. */
struct signature {
    const char *where;
    struct jw_bytes text;
    bool whole; /* over the whole file; else over what lies before the trailer */
};

struct checking {
    struct jw_pack_in *in;
    const struct jw_trusted_keys *keys;
    const struct jw_pack_check_options *o;
    struct jw_arena *a;
    struct signature found[2];
    size_t n;
    uint8_t body512[JW_DIGEST512], whole512[JW_DIGEST512];
};

/* ---- which signatures ---- */

static void add(struct checking *c, const char *where, struct jw_bytes text, bool whole)
{
    const char *copy = jw_arena_text(c->a, (const char *)text.p, text.n);

    c->found[c->n++] = (struct signature){ where, { (const uint8_t *)copy, text.n }, whole };
}

static bool add_file(struct checking *c, const char *path, bool must, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_SIGNATURE);
    bool found = false, ok = jw_file_slurp(path, &text, &found, err);

    if (ok && !found && must)
        ok = jw_fail(err, JW_E_IO, "no such file");
    if (ok && found)
        add(c, path, jw_buf_bytes(&text), true);
    if (!ok)
        (void)jw_wrap(err, "%s", path);
    if (!ok && must)
        (void)jw_pack_misnamed(path, err);
    jw_buf_free(&text);
    return ok;
}

static const char *beside(const char *path, struct jw_arena *a)
{
    struct jw_buf name = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&name, "%s.minisig", path);
    path = jw_arena_str(a, jw_buf_cstr(&name));
    jw_buf_free(&name);
    return path;
}

static bool collect(struct checking *c, struct jw_err *err)
{
    const struct jw_pack_in *in = c->in;
    bool given = c->o->signature != NULL;
    const char *path = given ? c->o->signature : in->path ? beside(in->path, c->a) : NULL;

    if (path && !add_file(c, path, given, err))
        return false;
    if (in->trailer.signature.n)
        add(c, "the pack itself", in->trailer.signature, false);
    return true;
}

/* ---- the bytes ---- */

struct sums {
    struct jw_digest_state body, both512;
    bool sign;
};

static bool hash_range(struct checking *c, struct sums *s, uint64_t at, uint64_t end, uint8_t *part,
                       struct jw_err *err)
{
    while (at < end) {
        size_t n = (size_t)jw_min(end - at, PART);

        if (c->o->interrupted && atomic_load(c->o->interrupted))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (!jw_source_read(&c->in->bytes, at, part, n, err))
            return false;
        jw_digest_update(&s->body, part, n);
        if (s->sign)
            jw_digest_update(&s->both512, part, n);
        at += n;
        if (c->o->progress)
            c->o->progress(c->o->ctx, at, c->in->bytes.size);
    }
    return true;
}

static bool is_its_digest(struct checking *c, struct sums *s, struct jw_err *err)
{
    struct jw_digest_state half = s->both512;
    uint8_t digest[JW_DIGEST];

    jw_digest512_final(&half, c->body512);
    jw_digest_final(&s->body, digest);
    jw_digest_init(&s->body); /* what follows is not of it */
    return memcmp(digest, c->in->trailer.digest, JW_DIGEST) == 0
           || jw_fail(err, JW_E_FORMAT,
                      "its bytes are not those that its digest is of: it is damaged, or was changed");
}

/* What is hashed of the manifest is what will be read of it. */
static bool hash_manifest(struct checking *c, struct sums *s, struct jw_err *err)
{
    struct jw_buf *kept = &c->in->manifest;

    jw_buf_clear(kept);
    if (!jw_pack_take_index(c->in, err))
        return false;
    jw_digest_update(&s->body, kept->p, kept->n);
    if (s->sign)
        jw_digest_update(&s->both512, kept->p, kept->n);
    return true;
}

static bool hash_all(struct checking *c, struct jw_err *err)
{
    struct sums s = { .sign = c->n != 0 };
    uint8_t *part = jw_alloc((size_t)jw_min(c->in->bytes.size, PART));
    bool ok;

    jw_digest_init(&s.body);
    jw_digest512_init(&s.both512);
    ok = hash_range(c, &s, 0, c->in->index, part, err) && hash_manifest(c, &s, err)
         && is_its_digest(c, &s, err) && hash_range(c, &s, c->in->body, c->in->bytes.size, part, err);
    jw_digest512_final(&s.both512, c->whole512);
    jw_free(part);
    return ok;
}

/* ---- the signatures ---- */

/* One of the older kind is over the message itself. */
static bool verify_old_kind(struct checking *c, const struct signature *s, const struct jw_minisign_sig *sig,
                            const struct jw_minisign_public *key, struct jw_err *err)
{
    uint64_t n = s->whole ? c->in->bytes.size : c->in->body;
    uint8_t *all;
    bool ok;

    if (n > MAX_OLD_KIND)
        return jw_fail(err, JW_E_FORMAT,
                       "it is of the older kind (Ed), which is not taken for more than 256 MiB; sign with a "
                       "newer minisign, or with -H");
    all = jw_alloc((size_t)n);
    ok = jw_source_read(&c->in->bytes, 0, all, (size_t)n, err)
         && jw_minisign_verify(sig, key, (struct jw_bytes){ all, (size_t)n }, err);
    jw_free(all);
    return ok;
}

static bool verify(struct checking *c, const struct signature *s, const struct jw_minisign_sig *sig,
                   const struct jw_minisign_public *key, struct jw_err *err)
{
    if (!sig->prehashed)
        return verify_old_kind(c, s, sig, key, err);
    return jw_minisign_verify_digest(sig, key, s->whole ? c->whole512 : c->body512, err);
}

static bool say_why(struct checking *c, struct jw_pack_verdict *v, const struct jw_err *why,
                    struct jw_err *err)
{
    if (why->code == JW_E_IO) {
        *err = *why;
        return false;
    }
    v->kind = JW_PACK_SIGNED_WRONG;
    v->why = jw_arena_str(c->a, why->msg);
    return true;
}

/* False: it could not be read; what is wrong with the signature is in `v`. */
static bool judge(struct checking *c, const struct signature *s, struct jw_pack_verdict *v,
                  struct jw_err *err)
{
    struct jw_minisign_sig sig;
    struct jw_err why = { 0 };
    const struct jw_trusted_key *key;
    bool holds = false;

    *v = (struct jw_pack_verdict){ .kind = JW_PACK_SIGNED_UNKNOWN, .where = s->where };
    if (!jw_minisign_sig_read(s->text, &sig, &why))
        return say_why(c, v, &why, err);
    jw_minisign_show_id(v->key, sig.id);
    for (key = NULL; !holds && (key = jw_keys_find(c->keys, sig.id, key)) != NULL;) {
        struct jw_err no = { 0 };

        holds = verify(c, s, &sig, &key->key, &no);
        if (!holds && (why.code == JW_OK || no.code == JW_E_IO))
            why = no;
    }
    if (!holds)
        return why.code == JW_OK || say_why(c, v, &why, err);
    v->kind = JW_PACK_SIGNED;
    v->by = key;
    v->comment = jw_arena_text(c->a, (const char *)sig.trusted.p, sig.trusted.n);
    return true;
}

static unsigned weight(enum jw_pack_signature kind)
{
    static const unsigned weights[] = {
        [JW_PACK_UNSIGNED] = 0, [JW_PACK_SIGNED_UNKNOWN] = 1, [JW_PACK_SIGNED] = 2, [JW_PACK_SIGNED_WRONG] = 3
    };

    return weights[kind];
}

bool jw_pack_check(struct jw_pack_in *in, const struct jw_trusted_keys *keys,
                   const struct jw_pack_check_options *o, struct jw_arena *a, struct jw_pack_verdict *out,
                   struct jw_err *err)
{
    struct checking c = { .in = in, .keys = keys, .o = o, .a = a };
    struct jw_pack_verdict one;

    *out = (struct jw_pack_verdict){ .kind = JW_PACK_UNSIGNED };
    if (!collect(&c, err))
        return false;
    if (!hash_all(&c, err))
        return jw_wrap(err, "%s", in->name);
    for (size_t i = 0; i < c.n; i++) {
        if (!judge(&c, &c.found[i], &one, err))
            return jw_wrap(err, "%s", in->name);
        if (weight(one.kind) > weight(out->kind))
            *out = one;
    }
    for (size_t i = 0; i < c.n; i++)
        if (c.found[i].whole)
            out->beside = c.found[i].text;
    in->checked = true;
    return true;
}

/* ---- what follows from it ---- */

bool jw_pack_admit(const struct jw_pack_in *in, const struct jw_pack_verdict *v, bool allow_unsigned,
                   struct jw_err *err)
{
    switch (v->kind) {
    case JW_PACK_SIGNED: return true;
    case JW_PACK_SIGNED_WRONG:
        return jw_fail(err, JW_E_TRUST, "%s: its signature (%s) does not hold: %s; nothing of it is used",
                       in->name, v->where, v->why);
    case JW_PACK_SIGNED_UNKNOWN:
        return allow_unsigned
               || jw_fail(
                   err, JW_E_TRUST,
                   "%s is signed with key %s, which is none of your trusted keys; "
                   "get that public key from whom you had the pack, and put it among your keys (jitwarm help "
                   "keygen) or import with --trust KEYFILE",
                   in->name, v->key);
    case JW_PACK_UNSIGNED: break;
    }
    return allow_unsigned
           || jw_fail(err, JW_E_TRUST,
                      "%s is not signed, so that anybody could have made it; if you know where it is from, "
                      "add --allow-unsigned",
                      in->name);
}

bool jw_pack_covered(const struct jw_pack_verdict *v, const struct jw_pack_manifest *m, struct jw_err *err)
{
    for (size_t i = 0; v->kind == JW_PACK_SIGNED && i < m->n_entries; i++) {
        const struct jw_pack_entry *e = &m->entries[i];
        const char *origin = e->origin == JW_PACK_NO_ORIGIN ? NULL : m->origins[e->origin].name;

        if (!jw_key_covers(v->by, origin))
            return jw_fail(err, JW_E_TRUST, "key %s (%s) is not trusted for entries of %s; entry %s is one",
                           v->key, v->by->from, origin ? origin : "unknown origin",
                           jw_cache_name(e->name).text);
    }
    return true;
}
