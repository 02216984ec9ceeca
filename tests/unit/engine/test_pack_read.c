/* Packs, read: nothing but what a writer writes is taken. */
#include "pack_rig.h"

#include "../os/scratch.h"

static struct jw_buf made(struct pack_rig *r)
{
    struct jw_buf pack = JW_BUF(PACK_RIG_MOST);

    pack_rig_make(r, 3, 2000, 300);
    (void)pack_rig_write(r, NULL, &pack);
    return pack;
}

TEST(cut_off_anywhere)
{
    struct pack_rig r;
    struct jw_buf pack = made(&r);

    for (size_t n = 0; n < pack.n; n++) {
        struct pack_reader got = { .rig = &r };
        struct jw_err err = { 0 };

        CHECK(!pack_rig_read((struct jw_bytes){ pack.p, n }, &got, 1, &err));
        CHECK(err.code == JW_E_FORMAT && got.manifests == 0);
        CHECK_HAS(err.msg, n ? "x.tar.zst: " : "x.tar.zst: it is empty");
    }
    jw_buf_free(&pack);
    pack_rig_free(&r);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(cut_off_anywhere));
}
