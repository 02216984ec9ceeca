/*
 * The bytes of version 3, kept for ever: a jitwarm that does not write and read exactly these has broken every pack that
 * is out there. golden/manifest.json is the manifest of a small made-up pack, pack.tar its uncompressed tar, trailer the
 * frame behind it, as if the tar were all that comes before, with a made-up signature. JW_PACK_GOLDEN=FOLDER writes what
 * would be the bytes of today there.
 */
#include "base/buf.h"
#include "os/files/file.h"
#include "pack/format/pack_layout.h"
#include "pack_sample.h"
#include "rigs/digest512.h"

#include <stdio.h>
#include <stdlib.h>

static void save(const char *folder, const char *name, const struct jw_buf *bytes)
{
    char path[4096];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "wb");
    CHECK(f && fwrite(bytes->p, 1, bytes->n, f) == bytes->n);
    if (f)
        (void)fclose(f);
}

static void is_golden(const char *name, const struct jw_buf *bytes)
{
    struct jw_buf golden = JW_BUF(SAMPLE_MAX);
    struct jw_err err = { 0 };
    const char *source = getenv("JW_SOURCE_DIR"), *folder = getenv("JW_PACK_GOLDEN");
    bool found = false;
    char path[4096];

    if (folder)
        save(folder, name, bytes);
    (void)snprintf(path, sizeof path, "%s/tests/unit/pack/golden/%s", source ? source : ".", name);
    CHECK(jw_file_slurp(path, &golden, &found, &err) && found);
    CHECK(golden.n == bytes->n && memcmp(golden.p, bytes->p, golden.n) == 0);
    jw_buf_free(&golden);
}

TEST(manifest)
{
    struct jw_buf text = JW_BUF(SAMPLE_MAX);
    struct sample s;

    sample_make(&s);
    sample_text(&s, &text);
    is_golden("manifest.json", &text);
    jw_buf_free(&text);
    sample_free(&s);
}

TEST(tar)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MAX);
    struct sample s;

    sample_make(&s);
    sample_tar(&s, &tar);
    is_golden("pack.tar", &tar);
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(trailer)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MAX), frame = JW_BUF(SAMPLE_MAX);
    struct jw_trailer t = { .signature = JW_BYTES("untrusted comment: made up\nRUQ=\n") };
    struct jw_err err = { 0 };
    uint8_t digest[JW_DIGEST512];
    struct sample s;

    sample_make(&s);
    sample_tar(&s, &tar);
    digest512(digest, tar.p, tar.n);
    memcpy(t.digest, digest, sizeof t.digest);
    CHECK(jw_trailer_write(&frame, &t, &err));
    is_golden("trailer", &frame);
    jw_buf_free(&tar);
    jw_buf_free(&frame);
    sample_free(&s);
}
