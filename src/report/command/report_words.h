/* Words that all forms of a report share. */
#ifndef REPORT_COMMAND_REPORT_WORDS_H
#define REPORT_COMMAND_REPORT_WORDS_H

#include "base/text.h"
#include "report/command/report_view.h"

#include <string.h>

enum { REPORT_TEXT = 1 << 16, REPORT_FACTS = 6 };

struct jw_words report_size(uint64_t bytes);                 /* "12.3 MiB"; nothing for 0 */
struct jw_words report_warm(const struct report_machine *m); /* "4,990 of 5,000" */
struct jw_words report_ms(uint64_t milliseconds);            /* "1 min 5 s", "0.3 s" */
const char *report_severity(const char *word);               /* "Problem", "Warning", "Note" */

/* Returns the label of the i-th fact about a machine; `value` empty: unknown. */
const char *report_fact(const struct report_machine *m, size_t i, struct jw_buf *value);

/* The plain name of its first kernel. */
const char *report_module_name(const struct report_module *m);

#endif
