/*
 * walk FILE...: the least that a program can do to count CUDA code. It maps each file, steps over
 * the container and entry headers in .nv_fatbin, and searches the other sections but instructions
 * for containers and for PTX text. It believes every number: a yardstick, not an example.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct counts {
    uint64_t containers, elf, ptx, other, stored, plain, found;
};

static uint32_t le32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t le64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static void walk_section(const uint8_t *p, const uint8_t *end, struct counts *c)
{
    while (end - p >= 16) {
        if (le64(p) != 0x00100001BA55ED50ULL) {
            p += 8;
            continue;
        }
        const uint8_t *next = p + 16 + le64(p + 8);

        c->containers++;
        for (p += 16; p < next; p += le32(p + 4) + le64(p + 8)) {
            unsigned kind = le32(p) & 0xffff;

            c->elf += kind == 2;
            c->ptx += kind == 1;
            c->other += kind > 2;
            c->stored += le32(p + 4) + le64(p + 8);
            c->plain += le32(p + 16) ? le64(p + 56) : le64(p + 8);
        }
    }
}

static void search(const uint8_t *p, const uint8_t *end, const void *word, size_t size,
                   struct counts *c)
{
    while (p < end && (p = memmem(p, (size_t)(end - p), word, size)) != NULL) {
        c->found++;
        p += size;
    }
}

static void walk_file(const uint8_t *p, struct counts *c)
{
    Elf64_Ehdr h;
    Elf64_Shdr names, s;

    memcpy(&h, p, sizeof h);
    memcpy(&names, p + h.e_shoff + (size_t)h.e_shstrndx * sizeof s, sizeof names);
    for (size_t i = 0; i < h.e_shnum; i++) {
        memcpy(&s, p + h.e_shoff + i * sizeof s, sizeof s);
        if (strcmp((const char *)p + names.sh_offset + s.sh_name, ".nv_fatbin") == 0) {
            walk_section(p + s.sh_offset, p + s.sh_offset + s.sh_size, c);
        } else if (s.sh_type != SHT_NOBITS && !(s.sh_flags & SHF_EXECINSTR)) {
            search(p + s.sh_offset, p + s.sh_offset + s.sh_size, "\x50\xED\x55\xBA", 4, c);
            search(p + s.sh_offset, p + s.sh_offset + s.sh_size, ".version", 8, c);
        }
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct counts c = {0};
        struct stat st;
        int fd = open(argv[i], O_RDONLY);

        if (fd < 0 || fstat(fd, &st) != 0) {
            perror(argv[i]);
            return 1;
        }
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (p == MAP_FAILED) {
            perror(argv[i]);
            return 1;
        }
        walk_file(p, &c);
        printf("%s: %llu containers, %llu ELF, %llu PTX, %llu other, %llu bytes, %llu plain, %llu "
               "elsewhere\n",
               argv[i], (unsigned long long)c.containers, (unsigned long long)c.elf,
               (unsigned long long)c.ptx, (unsigned long long)c.other, (unsigned long long)c.stored,
               (unsigned long long)c.plain, (unsigned long long)c.found);
        (void)munmap(p, (size_t)st.st_size);
        (void)close(fd);
    }
    return 0;
}
