/*
 * A bar of your own: reads the lines of `jitwarm prime --progress json` (docs/progress.md). Nothing but C and POSIX's popen
 * (Windows: _popen); the names that are looked for stand in each line once.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long number(const char *line, const char *name)
{
    const char *at = strstr(line, name);

    return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    char command[4096] = "jitwarm prime --progress json";
    long code = 70; /* of a run that ended without its last line */

    for (int i = 1; i < argc; i++) /* quote them in a program of yours */
        snprintf(command + strlen(command), sizeof command - strlen(command), " %s", argv[i]);
    FILE *lines = popen(command, "r");

    if (!lines)
        return 70;
    while (fgets(line, sizeof line, lines)) {
        if (strstr(line, "\"phase\":\"end\""))
            code = number(line, "\"exit\":");
        else
            printf("%ld %%\n", number(line, "\"percent\":"));
    }
    pclose(lines);
    return (int)code;
}
