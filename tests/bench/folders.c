/* folders LIST: the least that one thread must do to see what is in folders: it reads the names in each. LIST has a line with the path of
 * each folder. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    unsigned long folders = 0, names = 0;
    char line[4096];

    while (list && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';

        DIR *dir = opendir(line);

        if (!dir)
            continue;
        folders++;
        while (readdir(dir))
            names++;
        (void)closedir(dir);
    }
    if (list)
        (void)fclose(list);
    printf("%lu folders, %lu names\n", folders, names);
    return folders == 0;
}
