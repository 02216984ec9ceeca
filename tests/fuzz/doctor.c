#include "doctor/doctor_log.h"
#include "fuzz.h"

#include <string.h>

/* In two pieces, at every place in turn that the first byte says: where it is cut must not
 * matter. */
FUZZ(log)
{
    static struct jw_log_report whole, cut;
    struct jw_log_reader one = {.out = &whole}, two = {.out = &cut};
    size_t at = size ? data[0] % (size + 1) : 0;

    memset(&whole, 0, sizeof whole);
    memset(&cut, 0, sizeof cut);
    jw_log_feed(&one, (const char *)data, size);
    jw_log_end(&one);
    jw_log_feed(&two, (const char *)data, at);
    jw_log_feed(&two, (const char *)data + at, size - at);
    jw_log_end(&two);
    FUZZ_CHECK(whole.lines == cut.lines && whole.n_hits == cut.n_hits);
    FUZZ_CHECK(whole.before == cut.before);
    FUZZ_CHECK(whole.n_hits <= JW_LOG_HITS && whole.pause >= 0);
    for (size_t i = 0; i < whole.n_hits; i++)
        FUZZ_CHECK(whole.hits[i].line >= 1 && whole.hits[i].line <= whole.lines
                   && whole.hits[i].line == cut.hits[i].line);
}
