/*
 * folders LIST: the least that one thread must do to see that no folder of a list has changed: it opens each parent once
 * and asks the system for each child. LIST has a line with the path of each parent, and below it the names of its
 * children, each behind a tab.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_list(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *text = NULL;

    if (fd >= 0 && fstat(fd, &st) == 0 && (text = calloc((size_t)st.st_size + 1, 1)) != NULL
        && read(fd, text, (size_t)st.st_size) != st.st_size)
        text[0] = '\0';
    (void)close(fd);
    return text;
}

int main(int argc, char **argv)
{
    char *text = argc == 2 ? read_list(argv[1]) : NULL;
    unsigned long folders = 0, times = 0;
    int parent = -1;

    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        struct stat st;

        if (*line != '\t') {
            (void)close(parent);
            parent = open(line, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        } else if (fstatat(parent, line + 1, &st, AT_SYMLINK_NOFOLLOW) == 0) {
            folders++;
            times += (unsigned long)st.st_mtim.tv_nsec;
        }
    }
    printf("%lu folders, %lu\n", folders, times);
    free(text);
    return folders == 0;
}
