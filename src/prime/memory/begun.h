/*
 * Commands whose start is recorded. Before it is started a file beside the records of the cache says so, which this
 * process holds locked as long as it records; at the end it is removed. One that stays and that nobody holds is of a
 * start of which not all is recorded: the recording was killed, processes of the command go on, verify --run saw what
 * no recorded start had loaded, or another start would show no more: the driver keeps nothing for it, no cache keeps what
 * a compiler of its own makes, or it failed. No lock of the records is needed: another jitwarm may work on the cache for long.
 */
#ifndef PRIME_MEMORY_BEGUN_H
#define PRIME_MEMORY_BEGUN_H

#include "cache/memory/warmstate.h"
#include "os/files/append.h"

struct prime_begun {
    const char *key;    /* the command */
    const char *folder; /* the working folder in which its words name the same files; "": any */
    /* the program and script that are started. If one is missing, there is no next start */
    const char *const *files;
    size_t n_files;
    const char *const *facts; /* the state of these files then */
    size_t n_facts;           /* 0: they are not compared */
    const char *nowhere; /* the setting by which the driver keeps nothing: "CUDA_CACHE_DISABLE=1"; "": none */
    const char *unkept;  /* the compiler whose code no cache keeps: "libnvvm.so.4"; "": none */
    uint64_t failed;     /* its exit code, where it ended before it loaded a module; 0: it did not */
    const char *build;   /* of the driver that it failed with */
    uint64_t left;       /* processes that go on */
    /* entries that a start of it made while verify watched, and that its record has not; both 0: the recording was killed */
    uint64_t unrecorded;
};

static inline bool prime_keeps_nothing(const struct prime_begun *b)
{
    return b->nowhere && *b->nowhere;
}

/* Does it compile at each start, beside what the driver's cache has? */
static inline bool prime_compiles_always(const struct prime_begun *b)
{
    return b->unkept && *b->unkept;
}

/* Would the same start show no more than this one? */
static inline bool prime_begun_is_in_vain(const struct prime_begun *b)
{
    return prime_keeps_nothing(b) || prime_compiles_always(b) || b->failed;
}

/* Why each start of it compiles: a sentence; NULL: it does not. */
const char *prime_begun_every(const struct prime_begun *b, struct jw_arena *a);

/* The command that shows the line with the setting `nowhere`, where one of its files is a text that has it, or the line
 * of Numba's kernels; NULL: it is not known where that is. */
const char *prime_begun_setting(const struct prime_begun *b, struct jw_arena *a);

/* The same, or what shows what a start does. */
const char *prime_begun_look(const struct prime_begun *b, struct jw_arena *a);

/* The purpose of that command. */
const char *prime_begun_look_shows(const char *look);

/* The file of a recording that this process makes now. */
struct prime_begun_file {
    struct jw_append file;
    const char *path; /* NULL: none is written */
};

/* Writes the file. `cache`: of the cache that the command is given. */
bool prime_begin(const char *cache, const struct prime_begun *b, struct jw_arena *a,
                 struct prime_begun_file *out, struct jw_err *err) JW_MUST;

/* Ends a recording of which all is recorded, or the user was told why not: removes the file, and those of earlier starts
 * of this command, but not the one that has `unkept`. With `left`, `nowhere` or `failed` the file stays and says so.
 * Called once; without a file nothing happens. */
void prime_begun_end(struct prime_begun_file *f, const struct prime_begun *b, struct jw_arena *a);

/* Leaves the file, as if this process had been killed. */
void prime_begun_leave(struct prime_begun_file *f);

enum { PRIME_BEGUN_FAILED = 1, PRIME_BEGUN_NOWHERE = 2, PRIME_BEGUN_UNKEPT = 4 };

/* Forgets why earlier starts of the command were in vain. `whys`: the reasons that a start under watch has disproven. */
void prime_begun_forget(const struct jw_warm_state *memory, const char *key, unsigned whys,
                        struct jw_arena *a);

/* Lists the recordings that did not come to their end and whose programs are still there, each command once; one that has
 * `unkept` is listed beside another of its command. Returns how many. */
size_t prime_begun_list(const struct jw_warm_state *memory, struct jw_arena *a, struct prime_begun **out);

#endif
