/*
 * list_entries FILE...: what jw_image_scan finds, a line for each container and entry, to compare
 *
 *   file FORMAT NAME
 *   container AT SIZE SECTION WRAPPER ROLE
 *   entry KIND TARGET MAJOR.MINOR PACKING HEADER STORED PACKED PLAIN FNV1A OPTIONS
 *   problem TEXT
 *
 * PACKING are the flags of the compression. FNV1A is of the unpacked payload, "-" where it cannot
 * be unpacked.
 */
#include "formats/fatbin_unpack.h"
#include "formats/image.h"
#include "os/files/file.h"

#include <inttypes.h>
#include <stdio.h>

static bool hash(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    uint64_t *h = ctx;

    (void)err;
    for (size_t i = 0; i < n; i++)
        *h = (*h ^ ((const uint8_t *)p)[i]) * 0x100000001b3U;
    return true;
}

static void entry(const struct jw_source *src, const struct jw_fat_entry *e)
{
    static const char *const kinds[] = {"elf", "ptx", "nvvm", "other"};
    uint64_t h = 0xcbf29ce484222325U;
    struct jw_err err;
    char sum[24] = "-";

    if (jw_fat_unpack(src, e, (struct jw_sink){hash, &h}, &err))
        (void)snprintf(sum, sizeof sum, "%016" PRIx64, h);
    printf("entry %s %s %u.%u %04x %u %" PRIu64 " %u %" PRIu64 " %s %s\n",
           kinds[jw_fat_code_kind(e->kind)], jw_fat_arch_name(e).text, e->major, e->minor,
           (unsigned)(e->flags & JW_FAT_PACKED), e->header, e->stored, e->packed, jw_fat_plain(e),
           sum, e->options);
}

static bool list(const char *path, struct jw_err *err)
{
    static const char *const roles[] = {"code", "rdc", "lazy"};
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_image image = {0};

    if (!jw_file_open(&f, path, err))
        return false;
    bool ok = jw_file_info(&f, &info, err);
    struct jw_source src = jw_file_source(&f, ok ? info.size : 0);

    ok = ok && jw_image_scan(&src, path, false, &image, err);
    if (ok)
        printf("file %s %s\n", jw_format_name(image.format), path);
    for (size_t i = 0; ok && i < image.fats.n; i++) {
        const struct jw_fat *fat = &image.fats.list[i];

        printf("container 0x%" PRIx64 " %" PRIu64 " %u %s\n", fat->at, fat->size, fat->wrapper,
               roles[fat->role]);
        for (size_t k = 0; k < fat->n; k++)
            entry(&src, &image.fats.entries[fat->first + k]);
    }
    for (size_t i = 0; ok && i < image.problems.n; i++)
        printf("problem %s\n", image.problems.text[i]);
    jw_image_free(&image);
    jw_file_close(&f);
    return ok;
}

int main(int argc, char **argv)
{
    int rc = 0;

    for (int i = 1; i < argc; i++) {
        struct jw_err err = {0};

        if (list(argv[i], &err))
            continue;
        printf("error %s\n", err.msg);
        rc = 1;
    }
    return rc;
}
