/* opens FOLDER: opens, stats and reads the first 64 bytes of each file below; the sums keep the calls honest. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sums {
    unsigned long files, bytes, heads;
};

static void take_file(int folder, const char *name, struct sums *s)
{
    char head[64];
    struct stat st;
    int fd = openat(folder, name, O_RDONLY);

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && read(fd, head, sizeof head) > 0) {
        s->files++;
        s->bytes += (unsigned long)st.st_size;
        s->heads += (unsigned char)head[0];
    }
    (void)close(fd);
}

static void take_folder(int folder, struct sums *s)
{
    DIR *dir = folder < 0 ? NULL : fdopendir(folder);
    const struct dirent *e;

    while (dir && (e = readdir(dir)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (e->d_type == DT_DIR)
            take_folder(openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY), s);
        else
            take_file(dirfd(dir), e->d_name, s);
    }
    if (dir)
        (void)closedir(dir);
}

int main(int argc, char **argv)
{
    struct sums s = { 0 };

    if (argc != 2)
        return 2;
    take_folder(open(argv[1], O_RDONLY | O_DIRECTORY), &s);
    printf("%lu files, %lu bytes, %lu\n", s.files, s.bytes, s.heads);
    return 0;
}
