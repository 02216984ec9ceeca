#include "pack_parts.h"

#include "pack/format/tar.h"

void pack_parts_take(struct pack_parts *p, const struct pack_rig *r)
{
    struct jw_err err = {0};

    memset(p, 0, sizeof *p);
    p->text = JW_BUF(PACK_RIG_MAX);
    p->members = JW_BUF(PACK_RIG_MAX);
    p->n = r->n;
    CHECK(jw_pack_manifest_write(&p->text, &r->manifest, &err));
    for (size_t i = 0; i < r->n; i++) {
        p->at[i] = p->members.n;
        jw_tar_put(&p->members, jw_pack_member(r->entries[i].name).text, r->files[i]);
    }
    p->at[r->n] = p->members.n;
    CHECK_TEXT(err.msg, "");
}

void pack_parts_free(struct pack_parts *p)
{
    jw_buf_free(&p->text);
    jw_buf_free(&p->members);
}

void pack_parts_last(const struct pack_parts *p, struct jw_buf *tar)
{
    jw_tar_put(tar, JW_PACK_MANIFEST_NAME, jw_buf_bytes(&p->text));
    jw_buf_fill(tar, 0, JW_TAR_END);
}

void pack_parts_end(const struct pack_parts *p, struct jw_buf *pack)
{
    FREED(jw_buf) last = JW_BUF(PACK_RIG_MAX);
    size_t at = pack->n;

    pack_parts_last(p, &last);
    pack_rig_list(pack);
    pack_rig_frame(pack, jw_buf_bytes(&last));
    pack_rig_pointer(pack, at);
    pack_rig_trailer(pack);
}

void pack_parts_join(const struct pack_parts *p, struct jw_buf *pack)
{
    pack_rig_frame(pack, jw_buf_bytes(&p->members));
    pack_parts_end(p, pack);
}

void pack_refused(struct jw_bytes pack, const char *sentence)
{
    struct pack_reader got = {.rig = NULL};
    struct jw_err err = {0};

    CHECK(!pack_rig_read(pack, &got, 2, &err));
    CHECK_NUM(err.code, JW_E_FORMAT);
    CHECK_HAS(err.msg, sentence);
}

void pack_parts_refused(const struct pack_parts *p, const char *sentence)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);

    pack_parts_join(p, &pack);
    pack_refused(jw_buf_bytes(&pack), sentence);
}
