#include "gen/traps_make.h"

#include <string.h>

MAKE(cubin_without_an_architecture)
{
    gen_cubin(b, (struct gen_cubin){ .target = { 86, '\0' } });
    gen_set32(b, 48, 0);
}

/* A sized attribute that claims more bytes than there are hides what would follow. */
MAKE(cubin_compat_cut_off)
{
    gen_cubin(b, (struct gen_cubin){ .target = { 100, 'a' }, .cuda13 = true });
    size_t at = jw_find(jw_buf_bytes(b), (struct jw_bytes){ (const uint8_t *)"\2\10\1\0\2\11\1\0", 8 });

    if (at < b->n)
        memcpy(b->p + at, "\4\10\377\377", 4);
}

MAKE(ptx_without_version)
{
    jw_buf_text(b, "this is not PTX, whatever its name may say\n");
}
MAKE(ptx_of_a_strange_version)
{
    jw_buf_text(b, ".version nine\n.target sm_80\n.address_size 64\n");
}
MAKE(ptx_without_target)
{
    jw_buf_text(b, ".version 8.4\n.address_size 64\n.target sm_80\n");
}
MAKE(ptx_of_a_strange_target)
{
    jw_buf_text(b, ".version 8.4\n.target compute_80\n.address_size 64\n");
}
MAKE(ptx_comment_without_end)
{
    jw_buf_text(b, "/* .version 8.4\n ");
}
MAKE(ptx_of_32_bits)
{
    jw_buf_text(b, ".version 3.2\n.target sm_20\n.address_size 32\n");
}

/* Two members of 800 bytes: stored, then deflated or as `last` says. */
static struct gen_box wheel(struct jw_buf *b, struct gen_member last)
{
    static uint8_t text[800];
    struct gen_member m[2] = { { .name = "pkg/METADATA", .data = JW_BYTES("Name: pkg\n") }, last };

    memset(text, 'x', sizeof text);
    m[1].name = "pkg/lib.so";
    m[1].data = (struct jw_bytes){ text, sizeof text };
    return gen_zip(b, m, 2, "");
}

static const struct gen_member deflated = { .deflated = true };

MAKE(zip_cut_off)
{
    struct gen_box box = wheel(b, deflated);

    b->n = box.end + 10;
}

MAKE(zip_directory_past_the_end)
{
    struct gen_box box = wheel(b, deflated);

    gen_set32(b, box.end + 16, 0x7fffffff);
}

MAKE(zip_directory_of_other_bytes)
{
    struct gen_box box = wheel(b, deflated);

    gen_set32(b, box.end + 16, 0);
}

MAKE(zip_entry_cut_off)
{
    struct gen_box box = wheel(b, deflated);

    gen_set16(b, box.directory + 58 + 28, 60000);
}

MAKE(zip_zip64_end_past_the_end)
{
    struct gen_box box = wheel(b, (struct gen_member){ .zip64 = true });

    gen_set64(b, box.end + 56 + 8, INT64_MAX);
}

MAKE(zip_zip64_end_missing)
{
    struct gen_box box = wheel(b, (struct gen_member){ .zip64 = true });

    gen_set64(b, box.end + 56 + 8, 0);
}

MAKE(zip_too_many_members)
{
    struct gen_box box = wheel(b, (struct gen_member){ .zip64 = true });

    gen_set64(b, box.end + 32, (uint64_t)1 << 40);
}

MAKE(zip_encrypted)
{
    (void)wheel(b, (struct gen_member){ .flags = 1 });
}
MAKE(zip_unknown_method)
{
    (void)wheel(b, (struct gen_member){ .method = 12 });
}

MAKE(zip_local_header_past_the_end)
{
    struct gen_box box = wheel(b, deflated);

    gen_set32(b, box.directory + 58 + 42, 0x7fffffff);
}

MAKE(zip_local_header_missing)
{
    struct gen_box box = wheel(b, deflated);

    gen_set32(b, box.header[1], 0);
}

MAKE(zip_member_past_the_end)
{
    struct gen_box box = wheel(b, deflated);

    gen_set32(b, box.directory + 58 + 20, 1000000);
}

MAKE(zip_stored_of_two_sizes)
{
    (void)wheel(b, (struct gen_member){ .plain = 801 });
}
MAKE(zip_deflated_is_shorter)
{
    (void)wheel(b, (struct gen_member){ .deflated = true, .plain = 900 });
}
MAKE(zip_deflated_is_longer)
{
    (void)wheel(b, (struct gen_member){ .deflated = true, .plain = 700 });
}

MAKE(zip_deflated_is_damaged)
{
    struct gen_box box = wheel(b, deflated);

    b->p[box.at[1]] = 0x07; /* a block of the type that does not exist */
}

MAKE(zip_deflated_is_cut_off)
{
    struct gen_box box = wheel(b, deflated);

    gen_set32(b, box.directory + 58 + 20, 1);
}

MAKE(zip_deflated_of_another_crc)
{
    struct gen_box box = wheel(b, deflated);

    gen_set32(b, box.directory + 58 + 16, 1);
}

MAKE(zip_bomb)
{
    (void)wheel(b, (struct gen_member){ .method = 8, .zip64 = true, .plain = (uint64_t)1 << 40 });
}

MAKE(zip_member_count_lies)
{
    struct gen_box box = wheel(b, deflated);

    gen_set16(b, box.end + 8, 1);
    gen_set16(b, box.end + 10, 1);
}
