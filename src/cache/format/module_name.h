/* One module as the driver will know it: the identity of its PTX, and the name of the cache entry
 * that it becomes for each architecture, computed while the text streams by. */
#pragma once

#include "base/digest.h"
#include "base/limits.h"
#include "base/source.h"
#include "cache/format/jitcache.h"
#include "jitwarm/module.h"

/* The driver's linker begins its options with it; those of the input follow at once. driver-fact:
 * F17-link-options */
#define JW_LINK_OPTION "-c"

struct module_rules {
    const char *stamp; /* NULL: names cannot be computed */
    bool cuts_ptx;     /* the driver ends PTX at its first NUL: before JW_NULS_FIRST_BRANCH */
};

struct module_name {
    const struct module_rules *rules;
    size_t n_archs;
    uint64_t fnv[JW_MAX_SMS];  /* of the key so far, for each architecture */
    uint64_t head[JW_MAX_SMS]; /* bytes of the key before the text */
    struct jw_digest_state text;
    uint64_t bytes, zeros; /* of the text; of the NULs behind it */
    uint64_t kernels;
    size_t matched;  /* bytes of ".entry " that the text so far ends in; all: a name follows */
    char kernel[80]; /* the first one's name, as far as it has room; "" none yet */
    bool named;      /* that name has ended */
    size_t n_kernel; /* bytes of the name that is read now */
    /* Each kernel that other modules may have under the same name, to be taken from any of them;
     * NULL: not asked for */
    void (*shared)(void *ctx, uint64_t kernel); /* FNV of its name */
    void *ctx;
    uint64_t hash;
    uint8_t solid;  /* the last character that is no blank */
    bool is_shared; /* the kernel that is read now */
    bool broken;    /* something else follows the zeros */
};

void module_name_begin(struct module_name *m, const struct module_rules *rules, const uint16_t *sms,
                       size_t n);
struct jw_sink module_name_sink(struct module_name *m); /* takes the payload; never fails */

/* How its container stores it, or that it is a text of its own. */
enum module_form { MODULE_TEXT, MODULE_RAW, MODULE_PACKED };

/* Completes a job whose options and architecture (number `at` of those given) are set: bytes and
 * kernels, the digest of the text, the id (of text, NULs, options and architecture), and name and
 * size of the key, 0 if they cannot be computed. */
void module_name_job(const struct module_name *m, enum module_form form, size_t at,
                     struct jw_job *j);
