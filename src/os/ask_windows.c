#include "os/ask.h"

#include <string.h>

/* Ctrl-C ends a console's read by itself, which then has nothing. */
bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted)
{
    if (!fgets(line, (int)size, in) || (interrupted && atomic_load(interrupted)))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}
