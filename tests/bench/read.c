/*
 * read FILE...: reads each file once, in pieces of a megabyte.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char piece[1 << 20];

static int read_all(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = 1;

    while (fd >= 0 && n > 0)
        n = read(fd, piece, sizeof piece);
    if (fd < 0 || n < 0)
        perror(path);
    return fd < 0 || n < 0 || close(fd) != 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed |= read_all(argv[i]);
    return failed;
}
