/*
 * Finds this user's cache, its size limit, and the settings under which the driver uses it.
 */
#ifndef CACHE_PLACE_CACHEDIR_H
#define CACHE_PLACE_CACHEDIR_H

#include "base/arena.h"
#include "base/buf.h"
#include "machine/run.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_setting_value {
    const char *value;  /* as written; NULL: not set anywhere */
    const char *origin; /* "CUDA_CACHE_PATH", "the driver's default", "--cache" */
};

struct jw_cachedir {
    const char *folder;                  /* NULL: none, see `notes` (HOME is unset...) */
    struct jw_setting_value folder_from; /* value NULL: the default place */
    uint64_t limit; /* bytes, as the driver reads it; 0: nothing is cached, or see `limit_known` */
    uint64_t usual; /* the driver's default; 0: unknown driver */
    struct jw_setting_value limit_from;
    bool limit_known; /* false: no variable is set, and the driver is unknown */
    bool disabled;
    bool nameless; /* by an empty CUDA_CACHE_PATH. driver-fact: F99-empty-path */
    struct jw_setting_value disabled_from;
    struct jw_notes notes; /* bad values, relative paths...: one sentence each */
};

/* Values of the variables that say where the cache is; NULL: not set. */
struct jw_cache_variables {
    const char *path, *max_size, *disable; /* CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE, CUDA_CACHE_DISABLE */
};

/* `cache`: the --cache option, or NULL. The variables are those of this process. */
void jw_cachedir_find(const char *cache, struct jw_arena *a, struct jw_cachedir *out);

/* The same for a process with these variables, and with this one's home. */
void jw_cachedir_of(const char *cache, const struct jw_cache_variables *v, struct jw_arena *a,
                    struct jw_cachedir *out);

/* The least limit that may be recommended for this cache: the driver's default, or what a value with letters was meant
 * to be ("4G"). 0: not known. */
uint64_t jw_cachedir_least(const struct jw_cachedir *d);

/* Sets the limit to the default of this driver ("470.256.02"; NULL: unknown), unless a variable sets it. */
void jw_cachedir_default_limit(struct jw_cachedir *d, const char *driver);

/* The driver's default place; NULL and a sentence in `*why` when the system names none. */
const char *jw_cachedir_default(struct jw_arena *a, const char **why);

/* The setting under which every start compiles, whatever is in the cache, as a sentence: "CUDA_CACHE_DISABLE turns off the
 * driver's cache". NULL: there is none. driver-fact: F81-force-disable, F58-disable, F53-plain-bytes */
const char *jw_cache_why_ignored(const struct jw_cachedir *d, struct jw_arena *a);
/* The variable of that setting. */
const char *jw_cache_ignored_by(const struct jw_cachedir *d, struct jw_arena *a);
/* The variable that makes the driver compile although it keeps a cache: its name; NULL: none is set. */
const char *jw_cache_forced_by(struct jw_arena *a);
/* The variable that forbids the driver to compile, which what is in the cache does not need; and the same as a
 * sentence. NULL: none is set. driver-fact: F81-force-disable */
const char *jw_cache_forbidden_by(struct jw_arena *a);
const char *jw_cache_why_forbidden(struct jw_arena *a);

/* "1 GiB", "256 MiB", else as jw_text_bytes. */
void jw_cache_say_limit(struct jw_buf *out, uint64_t bytes);
#define JW_LIMIT(bytes) (jw_words(jw_cache_say_limit, bytes).text)

/* --cache named it. */
bool jw_cachedir_is_named(const struct jw_cachedir *d);

/* Is its limit below what real modules need? */
bool jw_cachedir_is_small(const struct jw_cachedir *d);

/* More bytes than the cache keeps: found until something else is stored, for which the driver evicts what came first. False
 * where the limit is not known. driver-fact: F56-fifo */
bool jw_cache_is_over(const struct jw_cachedir *d, uint64_t stored, uint64_t needed);

/* False if programs ignore the cache: it is off, or the driver must always compile. */
bool jw_cache_is_asked(const struct jw_cachedir *d, struct jw_arena *a);

#endif
