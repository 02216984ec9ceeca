/* What the writer makes is what the samples have, which are laid out as the toolkits lay
 * them out. */
#include "formats/fatbin_write.h"
#include "scanned.h"

static const char text[] = ".version 8.4\n.target sm_75\n.address_size 64\n";

static struct gen_fat_image image(void)
{
    return (struct gen_fat_image){.kind = JW_KIND_PTX,
                                  .target = {75, '\0'},
                                  .layout = GEN_LAYOUT_12_5,
                                  .payload = {(const uint8_t *)text, sizeof text - 1}};
}

TEST(what_jitwarm_writes_is_the_same)
{
    static const uint64_t packings[] = {0, JW_FAT_LZ4, JW_FAT_ZSTD};
    static const char *const options[] = {"", "-maxrregcount=40", "1234567"};

    for (size_t i = 0; i < JW_COUNT(packings) * JW_COUNT(options); i++) {
        FREED(jw_buf) ours = GEN_BUF, theirs = GEN_BUF;
        struct gen_fat_image m = image();

        err = (struct jw_err){0};
        m.packing = packings[i % 3];
        m.options = options[i / 3];
        m.bare = i == 4;
        gen_fat_images(&theirs, &m, 1);
        CHECK_OK(jw_fat_write(&ours,
                              &(struct jw_fat_ptx){.target = m.target,
                                                   .packing = m.packing,
                                                   .bare = m.bare,
                                                   .options = m.options,
                                                   .payload = m.payload},
                              &err),
                 err);
        CHECK(ours.n == theirs.n && memcmp(ours.p, theirs.p, ours.n) == 0);
    }
}
