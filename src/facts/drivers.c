#include "facts/drivers.h"

#include "facts/archs.h"
#include "facts/rows.h"

#include <stdlib.h>

/* The count of numbers in "1.2.3" (up to four); 0: other text. */
static size_t split_numbers(const char *text, unsigned numbers[4])
{
    for (size_t n = 0; n < 4; text++) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (!jw_is_digit(*text) || number > 99999)
            return 0;
        numbers[n++] = (unsigned)number;
        text = end;
        if (*text != '.')
            return *text ? 0 : n;
    }
    return 0;
}

static bool of_cuda(const unsigned cuda[2], unsigned *branch, struct jw_err *err)
{
    for (size_t i = 0; i < jw_facts_branches_n; i++) {
        const struct jw_branch_row *row = &jw_facts_branches[i];

        if (row->cuda_major == cuda[0] && row->cuda_minor == cuda[1]) {
            *branch = row->branch;
            return true;
        }
    }
    return jw_fail(
        err, JW_E_USAGE,
        "no driver that is known here reports CUDA %u.%u; give the driver's own version, such as "
        "580.126.09",
        cuda[0], cuda[1]);
}

bool jw_driver_parse(const char *text, unsigned *branch, struct jw_err *err)
{
    unsigned v[4] = {0};
    const char *rest = text;
    bool cuda = jw_text_starts_nocase(text, "cuda");
    bool release = *text == 'r' || *text == 'R';

    if (cuda)
        rest += text[4] == ' ' || text[4] == '-' ? 5 : 4;
    else if (release)
        rest++;
    size_t n = split_numbers(rest, v);

    if ((n == 2 || n == 3) && v[0] < 30 && !release)
        return of_cuda(v, branch, err);
    if (n == 4 && v[2] >= 10 && v[3] <= 9999 && !cuda) {
        /* Windows' file version hides 591.44 in its last five digits. */
        v[0] = (v[2] % 10 * 10000 + v[3]) / 100;
        n = 2;
    }
    if (n == 0 || n == 4 || cuda || v[0] < 100 || v[0] > 9999)
        return jw_fail(
            err, JW_E_USAGE,
            "\"%.40s\" is not a driver version; it looks like 580.126.09, 591.44, 580, or the CUDA "
            "version that nvidia-smi shows, 13.0",
            text);
    *branch = v[0];
    return true;
}

/* The newest row that is not newer than `branch`; older ones count as the first. */
static const struct jw_branch_row *row_of(unsigned branch)
{
    const struct jw_branch_row *found = jw_facts_branches;

    for (size_t i = 1; i < jw_facts_branches_n; i++) {
        if (jw_facts_branches[i].branch > branch)
            break;
        found = &jw_facts_branches[i];
    }
    return found;
}

unsigned jw_branch_cuda(unsigned branch)
{
    return branch ? row_of(branch)->cuda_major * 1000U + row_of(branch)->cuda_minor * 10U : 0;
}

unsigned jw_driver_isa(unsigned branch)
{
    const struct jw_branch_row *row = row_of(branch);
    bool newer = branch > jw_facts_branches[jw_facts_branches_n - 1].branch;

    return newer ? 0 : row->isa_major * 10U + row->isa_minor;
}

unsigned jw_driver_newest_code(unsigned branch) { return row_of(branch)->newest_code; }

double jw_driver_module_seconds(unsigned branch)
{
    return row_of(branch ? branch : JW_BRANCH_TO_COME)->module_ms / 1e3;
}

unsigned jw_isa_needs_driver(unsigned major, unsigned minor)
{
    for (const struct jw_branch_row *row = jw_facts_branches;
         row < jw_facts_branches + jw_facts_branches_n; row++)
        if (row->isa_major > major || (row->isa_major == major && row->isa_minor >= minor))
            return row->branch;
    return JW_BRANCH_TO_COME;
}

struct jw_words jw_driver_branch_text(unsigned branch)
{
    return branch == JW_BRANCH_TO_COME ? jw_phrase("newer") : jw_phrase("%u", branch);
}

struct jw_words jw_driver_needed(unsigned branch)
{
    return branch == JW_BRANCH_TO_COME ? jw_phrase("a newer driver than this jitwarm knows")
                                       : jw_phrase("driver %u or newer", branch);
}

unsigned jw_branch_of(const char *driver)
{
    unsigned branch;

    return driver && jw_driver_parse(driver, &branch, JW_IGNORED) ? branch : 0;
}

bool jw_driver_is_before(const char *driver, unsigned branch)
{
    unsigned own = jw_branch_of(driver);

    return own && own < branch;
}

enum jw_driver_fit jw_driver_support(unsigned branch, unsigned sm)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);

    if (!branch || !arch || !arch->first_branch)
        return JW_DRIVER_FITS;
    if (branch < arch->first_branch)
        return JW_DRIVER_TOO_OLD;
    /* On Windows, 581 and 582 are of branch 580. */
    return arch->last_branch && row_of(branch)->branch > arch->last_branch ? JW_DRIVER_TOO_NEW
                                                                           : JW_DRIVER_FITS;
}
