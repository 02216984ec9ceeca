#include "pack/format/pack_members.h"

#include "base/limits.h"

#include <string.h>

#define MOST (JW_CACHE_HEADER + JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD)

_Static_assert(MOST <= JW_TAR_MOST, "an entry fits into a tar");

/* Of the member that is being read; the first is the manifest. */
static const struct jw_pack_entry *entry_at(const struct jw_pack_members *p)
{
    return &p->manifest.entries[p->read - 1];
}

static bool begin_manifest(const char *name, uint64_t size, struct jw_err *err)
{
    if (strcmp(name, JW_PACK_MANIFEST_NAME) != 0)
        return jw_fail(err, JW_E_FORMAT, "pack: its first member is %s, expected %s", name,
                       JW_PACK_MANIFEST_NAME);
    return size <= JW_MAX_MANIFEST
           || jw_fail(err, JW_E_LIMIT, "pack: a manifest of %llu bytes, expected at most %zu",
                      (unsigned long long)size, JW_MAX_MANIFEST);
}

static bool begin_entry(struct jw_pack_members *p, const char *name, uint64_t size, struct jw_err *err)
{
    const struct jw_pack_entry *e = entry_at(p);
    uint64_t expected = jw_pack_entry_bytes(e);

    if (strcmp(name, jw_pack_member(e->name).text) != 0)
        return jw_fail(err, JW_E_FORMAT, "pack: %s, where its manifest has %s", name,
                       jw_pack_member(e->name).text);
    if (size != expected)
        return jw_fail(err, JW_E_FORMAT, "pack: %s of %llu bytes, its manifest says %llu", name,
                       (unsigned long long)size, (unsigned long long)expected);
    jw_digest_init(&p->digest);
    return p->to.entry(p->to.ctx, e, err);
}

static bool on_member(void *ctx, const char *name, uint64_t size, struct jw_err *err)
{
    struct jw_pack_members *p = ctx;

    if (p->read == 0)
        return begin_manifest(name, size, err);
    if (p->read > p->manifest.n_entries)
        return jw_fail(err, JW_E_FORMAT, "pack: %s behind the %zu entries of its manifest", name,
                       p->manifest.n_entries);
    return begin_entry(p, name, size, err);
}

static bool on_data(void *ctx, const void *bytes, size_t n, struct jw_err *err)
{
    struct jw_pack_members *p = ctx;

    if (p->read == 0) {
        jw_buf_add(&p->text, bytes, n);
        return jw_buf_ok(&p->text, err);
    }
    jw_digest_update(&p->digest, bytes, n);
    return p->to.data(p->to.ctx, bytes, n, err);
}

static bool end_manifest(struct jw_pack_members *p, struct jw_err *err)
{
    bool ok = jw_pack_manifest_read(jw_buf_bytes(&p->text), p->a, &p->manifest, err);

    jw_buf_free(&p->text);
    return ok && p->to.manifest(p->to.ctx, &p->manifest, err);
}

static bool end_entry(struct jw_pack_members *p, struct jw_err *err)
{
    const struct jw_pack_entry *e = entry_at(p);
    uint8_t digest[JW_DIGEST];

    jw_digest_final(&p->digest, digest);
    if (memcmp(digest, e->digest, JW_DIGEST) != 0)
        return jw_fail(err, JW_E_FORMAT, "pack: %s has not the digest that its manifest says",
                       jw_pack_member(e->name).text);
    return p->to.done(p->to.ctx, err);
}

static bool on_done(void *ctx, struct jw_err *err)
{
    struct jw_pack_members *p = ctx;

    if (!(p->read == 0 ? end_manifest(p, err) : end_entry(p, err)))
        return false;
    p->read++;
    return true;
}

void jw_pack_members_begin(struct jw_pack_members *p, struct jw_pack_visitor to, struct jw_arena *a)
{
    memset(p, 0, sizeof *p);
    p->to = to;
    p->a = a;
    p->text = JW_BUF(JW_MAX_MANIFEST);
    jw_tar_read_begin(&p->tar, (struct jw_tar_visitor){ on_member, on_data, on_done, p }, MOST);
}

struct jw_sink jw_pack_members_sink(struct jw_pack_members *p)
{
    return jw_tar_read_sink(&p->tar);
}

bool jw_pack_members_end(const struct jw_pack_members *p, struct jw_err *err)
{
    if (!jw_tar_read_end(&p->tar, err))
        return false;
    if (!p->read)
        return jw_fail(err, JW_E_FORMAT, "pack: nothing is in it");
    return p->read - 1 == p->manifest.n_entries
           || jw_fail(err, JW_E_FORMAT, "pack: it ends after %zu entries, its manifest has %zu", p->read - 1,
                      p->manifest.n_entries);
}

void jw_pack_members_free(struct jw_pack_members *p)
{
    jw_buf_free(&p->text);
}
