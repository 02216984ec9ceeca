/*
 * inflate WHEEL MEMBER...: unpacks these members of a zip file once, with zlib, to nowhere. No
 * zip64; it believes every number: a yardstick, not an example.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

static unsigned le16(const uint8_t *p) { return p[0] | (unsigned)p[1] << 8; }

static uint32_t le32(const uint8_t *p) { return le16(p) | (uint32_t)le16(p + 2) << 16; }

static int unpack(const uint8_t *from, uint32_t n, uint64_t *plain)
{
    static uint8_t out[128 * 1024];
    z_stream z = {0};
    int state = inflateInit2(&z, -MAX_WBITS);

    z.next_in = (uint8_t *)(uintptr_t)from;
    z.avail_in = n;
    while (state == Z_OK) {
        z.next_out = out;
        z.avail_out = sizeof out;
        state = inflate(&z, Z_NO_FLUSH);
    }
    *plain += z.total_out;
    (void)inflateEnd(&z);
    return state == Z_STREAM_END ? 0 : 1;
}

static int wanted(const uint8_t *name, unsigned n, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strlen(argv[i]) == n && memcmp(argv[i], name, n) == 0)
            return 1;
    return 0;
}

static int walk(const uint8_t *p, uint64_t size, int argc, char **argv, uint64_t *plain)
{
    const uint8_t *end = p + size - 22;
    int failed = 0;

    while (le32(end) != 0x06054b50)
        end--;
    const uint8_t *d = p + le32(end + 16);

    for (unsigned left = le16(end + 10); left && !failed; left--) {
        unsigned name = le16(d + 28);

        if (wanted(d + 46, name, argc, argv)) {
            const uint8_t *local = p + le32(d + 42),
                          *data = local + 30 + le16(local + 26) + le16(local + 28);

            failed = le16(d + 10) != Z_DEFLATED || unpack(data, le32(d + 20), plain);
        }
        d += 46 + name + le16(d + 30) + le16(d + 32);
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct stat st;
    uint64_t plain = 0;
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

    if (fd < 0 || fstat(fd, &st) != 0)
        return 2;
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

    if (p == MAP_FAILED || walk(p, (uint64_t)st.st_size, argc, argv, &plain))
        return 1;
    printf("%llu bytes\n", (unsigned long long)plain);
    return plain == 0;
}
