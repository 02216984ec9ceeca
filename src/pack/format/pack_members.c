#include "pack/format/pack_members.h"

#include "base/limits.h"
#include "pack/format/tar.h"

#include <string.h>

#define MOST (JW_CACHE_HEADER + JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD)

_Static_assert(MOST <= JW_TAR_MOST, "an entry fits into a tar");

struct members {
    const struct jw_pack_manifest *m; /* NULL: it is what is read */
    size_t at, end;                   /* of the entries */
    struct jw_pack_visitor to;
    bool *declined;
    struct jw_bytes data; /* of the member that is being read */
    struct jw_arena *a;
    struct jw_pack_manifest *out;
};

static bool begin_manifest(const struct members *p, const char *name, uint64_t size, struct jw_err *err)
{
    if (p->at)
        return jw_fail(err, JW_E_FORMAT, "pack: %s behind its manifest", name);
    if (strcmp(name, JW_PACK_MANIFEST_NAME) != 0)
        return jw_fail(err, JW_E_FORMAT, "pack: its last member is %s, expected %s", name,
                       JW_PACK_MANIFEST_NAME);
    return size <= JW_MAX_MANIFEST
           || jw_fail(err, JW_E_LIMIT, "pack: a manifest of %llu bytes, expected at most %zu",
                      (unsigned long long)size, JW_MAX_MANIFEST);
}

static bool on_member(void *ctx, const char *name, uint64_t size, struct jw_err *err)
{
    struct members *p = ctx;
    const struct jw_pack_entry *e;

    p->data = (struct jw_bytes){ NULL, 0 };
    if (!p->m)
        return begin_manifest(p, name, size, err);
    if (p->at == p->end)
        return jw_fail(err, JW_E_FORMAT, "pack: %s behind the entries of its frame", name);
    e = &p->m->entries[p->at];
    if (strcmp(name, jw_pack_member(e->name).text) != 0)
        return jw_fail(err, JW_E_FORMAT, "pack: %s, where its manifest has %s", name,
                       jw_pack_member(e->name).text);
    return size == jw_pack_entry_bytes(e)
           || jw_fail(err, JW_E_FORMAT, "pack: %s of %llu bytes, its manifest says %llu", name,
                      (unsigned long long)size, (unsigned long long)jw_pack_entry_bytes(e));
}

/* The tar is given whole, so that the data of a member come at once. */
static bool on_data(void *ctx, const void *bytes, size_t n, struct jw_err *err)
{
    (void)err;
    ((struct members *)ctx)->data = (struct jw_bytes){ bytes, n };
    return true;
}

static bool on_done(void *ctx, struct jw_err *err)
{
    struct members *p = ctx;
    size_t i = p->at++;
    uint8_t digest[JW_DIGEST];

    if (!p->m)
        return jw_pack_manifest_read(p->data, p->a, p->out, err);
    jw_digest(digest, p->data.p, p->data.n);
    if (memcmp(digest, p->m->entries[i].digest, JW_DIGEST) != 0)
        return jw_fail(err, JW_E_FORMAT, "pack: %s has not the digest that its manifest says",
                       jw_pack_member(p->m->entries[i].name).text);
    *p->declined = !p->to.entry(p->to.ctx, i, p->data, err);
    return !*p->declined;
}

static bool read_tar(struct members *p, struct jw_bytes tar, struct jw_tar_reader *r, struct jw_err *err)
{
    struct jw_sink in = jw_tar_read_sink(r);

    jw_tar_read_begin(r, (struct jw_tar_visitor){ on_member, on_data, on_done, p }, MOST);
    return in.put(in.ctx, tar.p, tar.n, err);
}

bool jw_pack_members_manifest(struct jw_bytes tar, struct jw_arena *a, struct jw_pack_manifest *out,
                              struct jw_err *err)
{
    struct members p = { .a = a, .out = out };
    struct jw_tar_reader r;

    return read_tar(&p, tar, &r, err) && jw_tar_read_end(&r, err)
           && (p.at || jw_fail(err, JW_E_FORMAT, "pack: there is no manifest at its end"));
}

bool jw_pack_members_entries(struct jw_bytes tar, const struct jw_pack_manifest *m,
                             const struct jw_pack_frame *frame, struct jw_pack_visitor to, bool *declined,
                             struct jw_err *err)
{
    struct members p = {
        .m = m, .at = frame->first, .end = frame->first + frame->n, .to = to, .declined = declined
    };
    struct jw_tar_reader r;

    *declined = false;
    if (!read_tar(&p, tar, &r, err))
        return false;
    return (r.state == JW_TAR_HEADER && !r.filled && p.at == p.end)
           || jw_fail(err, JW_E_FORMAT, "pack: a frame ends before entry %s of its manifest is whole",
                      jw_cache_name(m->entries[p.at < p.end ? p.at : p.end - 1].name).text);
}
