/*
 * Commands whose start is recorded. Before it is started a file beside the records of the cache says so, which this process holds
 * locked as long as it records; at the end it is removed. One that stays and that nobody holds is of a start of which not all is recorded:
 * the recording was killed, processes of the command go on, verify --run saw what no recorded start had loaded, or another start would show no
 * more: the driver keeps nothing for it, or it failed. No lock of the records is needed: another jitwarm may work on the cache for long.
 */
#ifndef PRIME_MEMORY_BEGUN_H
#define PRIME_MEMORY_BEGUN_H

#include "cache/memory/warmstate.h"
#include "os/files/append.h"

struct prime_begun {
    const char *key;    /* the command */
    const char *folder; /* in which its words name the same files; "": in any */
    /* what is started, as far as it is named: its program, a script. Without it there is no next start */
    const char *const *files;
    size_t n_files;
    const char *const *facts; /* of these files, as they were then */
    size_t n_facts;           /* 0: they are not asked about */
    const char *nowhere; /* by which the driver keeps nothing for it: "CUDA_CACHE_DISABLE=1"; "": it does */
    uint64_t failed;     /* its exit code, where it ended before it loaded a module; 0: it did not */
    const char *build;   /* of the driver that it failed with */
    uint64_t left;       /* processes of it that went on */
    /* entries that a start of it made while verify watched, and that its record has not; both 0: the recording was killed */
    uint64_t unrecorded;
};

static inline bool prime_keeps_nothing(const struct prime_begun *b)
{
    return b->nowhere && *b->nowhere;
}

/* The same start shows no more than this one. */
static inline bool prime_begun_is_in_vain(const struct prime_begun *b)
{
    return prime_keeps_nothing(b) || b->failed;
}

/* The file of one that runs now, of this process. */
struct prime_begun_file {
    struct jw_append file;
    const char *path; /* NULL: none is written */
};

/* `root`: of the cache that the command is given. */
bool prime_begin(const char *root, const struct prime_begun *b, struct jw_arena *a,
                 struct prime_begun_file *out, struct jw_err *err) JW_MUST;

/* All that its start loaded is recorded, or it was said why not: removes the file, and those of earlier starts of this command. With
 * `left`, `nowhere` or `failed` it stays, and says that. Once; without a file nothing happens. */
void prime_begun_end(struct prime_begun_file *f, const struct prime_begun *b, struct jw_arena *a);

/* The file stays, as if this process had been killed. */
void prime_begun_leave(struct prime_begun_file *f);

/* A start of it did not fail, under watch: another one may be recorded. */
void prime_begun_works(const struct jw_warm_state *memory, const char *key, struct jw_arena *a);

/* Those that were not recorded to their end, and whose files are still there: each command once. Returns how many. */
size_t prime_begun_list(const struct jw_warm_state *memory, struct jw_arena *a, struct prime_begun **out);

#endif
