#include "base/text.h"
#include "doctor/log/log_lines.h"
#include "facts/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mark of each line of NVIDIA's kernel module. */
static const char mark[] = "NVRM: ";

/* These messages are broken over lines before they say what they mean. */
static bool begins_long_message(const char *text)
{
    return jw_text_starts(text, "The NVIDIA ") || jw_text_starts(text, "API mismatch: ");
}

/* Adds a line's text with single blanks; a syslog that writes all lines as one has "#012NVRM: " between them. */
static void add_text(char message[JW_LOG_LINE], const char *text)
{
    static const char between[] = "#012NVRM: ";
    size_t n = strlen(message);

    for (; *text && n + 2 < JW_LOG_LINE; text++) {
        if (jw_text_starts(text, between))
            text += sizeof between - 2;
        if (*text != ' ' || (n && message[n - 1] != ' '))
            message[n++] = *text;
    }
    message[n] = '\0';
}

const char *jw_log_whole_message(struct jw_log *log, const char *line)
{
    const char *text = jw_log_behind(line, mark);
    struct jw_error_known known;

    if (!text) {
        log->kernel[0] = '\0';
        return line;
    }
    log->kernel_module = true;
    if (begins_long_message(text))
        (void)snprintf(log->kernel, sizeof log->kernel, "%s", mark);
    else if (log->kernel[0])
        add_text(log->kernel, " ");
    else
        return line;
    add_text(log->kernel, text);
    if (!jw_error_in_log(log->kernel, &known))
        return line;
    memcpy(log->message, log->kernel, sizeof log->message);
    log->kernel[0] = '\0';
    return log->message;
}

bool jw_log_is_of_kernel(const struct jw_log *log)
{
    return log->kernel_module && 2 * log->kernel_lines >= log->lines;
}

/* "[12345.678901] usb 1-1: ...", "Jul 31 14:10:32 box kernel: ...", or the next line of a message. */
void jw_log_see_kernel(struct jw_log *log, const char *line)
{
    static const char digits[] = "0123456789";
    const char *at = *line == '[' ? line + 1 + strspn(line + 1, " ") : NULL;
    size_t seconds = at ? strspn(at, digits) : 0;
    bool stamp =
        seconds && at[seconds] == '.' && strspn(at + seconds + 1, digits) == 6 && at[seconds + 7] == ']';

    log->kernel_lines += stamp || strstr(line, mark) || strstr(line, " kernel: ");
}

unsigned jw_log_xid(const char *line)
{
    const char *at = jw_log_behind(line, "NVRM: Xid ("), *number = at ? jw_log_behind(at, "): ") : NULL;

    return number ? (unsigned)strtoul(number, NULL, 10) : 0;
}
