/* ptx LIBRARY SM: unpacks the PTX of each module that a driver compiles for this architecture, and takes BLAKE2b-256 and FNV-1a-64 of it. */
#include "base/buf.h"
#include "base/digest.h"
#include "base/num.h"
#include "formats/fatbin_unpack.h"
#include "formats/image.h"
#include "formats/select.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static const struct jw_driver_limits any;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_image image;
    struct jw_err err = { 0 };
    uint64_t bytes = 0, sum = JW_FNV_START;

    if (argc != 3 || !jw_file_open(&f, argv[1], &err) || !jw_file_info(&f, &info, &err))
        return 2;
    struct jw_source all = jw_file_source(&f, info.size);

    if (!jw_image_scan(&all, argv[1], (struct jw_image_options){ 0 }, &image, &err))
        return 2;
    for (size_t i = 0; i < image.fats.n; i++) {
        struct jw_choice c = jw_select(&image.fats.list[i], image.fats.entries,
                                       (unsigned)strtoul(argv[2], NULL, 10), &any, false);
        struct jw_buf text = JW_BUF(JW_MAX_PLAIN);
        uint8_t digest[JW_DIGEST];

        if (c.outcome != JW_SELECTED_JIT)
            continue;
        if (!jw_fat_unpack(&all, c.entry, jw_sink_buf(&text), &err))
            return 1;
        jw_digest(digest, text.p, text.n);
        sum ^= jw_fnv1a(JW_FNV_START, text.p, text.n) ^ digest[0];
        bytes += text.n;
        jw_buf_free(&text);
    }
    printf("%llu bytes, %llx\n", (unsigned long long)bytes, (unsigned long long)sum);
    return bytes == 0;
}
