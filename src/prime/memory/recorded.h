/*
 * Says of recorded commands what they load, whether it is in the cache, and whether they would load the same on this
 * machine as it is now. status and each run that is about commands ask here.
 */
#ifndef PRIME_MEMORY_RECORDED_H
#define PRIME_MEMORY_RECORDED_H

#include "cache/format/jitcache.h"
#include "cache/memory/trace.h"
#include "cache/memory/warmstate.h"
#include "jitwarm/prime.h"
#include "prime/memory/begun.h"
#include "prime/memory/places.h"
#include "prime/memory/sources.h"
#include "session/login_start.h"

struct prime_recorded_asked {
    const char *cache; /* of the cache */
    const struct jw_warm_state *memory;
    const char *build;            /* of libcuda */
    const struct jw_trace *now;   /* jw_session_machine */
    const char *command;          /* the only command that is asked about; NULL: all */
    const struct jw_job *planned; /* jobs whose entries are counted as modules, not here */
    size_t n_planned;
};

struct prime_recorded {
    uint64_t n;            /* commands with this driver build */
    uint64_t loads, found; /* entries: modules or not */
    uint64_t *lost;        /* entries that are not found and that no known software has */
    size_t n_lost;
    /* why they may load something else here: a sentence in the arena; NULL: they do not */
    const char *unsure;
    bool every;        /* that is that each start compiles */
    bool gpus_unknown; /* whether they load the same depends on the GPUs, which only the driver knows */
    /* the first command that has to be started again, as it was typed; NULL: none, or one of a pack */
    const char *again;
    /* nothing helps but to change what it starts: the command that shows the line, or what a start does; NULL:
     * something does */
    const char *look;
    const char *folder; /* the folder in which its words name the same files; NULL: any, or it is not known */
    enum jw_index_trouble index; /* of the cache */
    bool gone;                   /* a file that the words of one of these name is not there any more */
    const char *unwatched; /* a folder in which no change would be seen, and why: a sentence; NULL: none */
    /* entries of this driver build for commands that were recorded with another one, if all of them are
     * planned and warm */
    struct jw_warm_loads *carried;
    size_t n_carried;
    /* records that hold because the bytes of files are the same: with the files as they are now */
    struct jw_warm_loads *renewed;
    size_t n_renewed;
};

bool prime_find_recorded(const struct prime_recorded_asked *asked, struct jw_arena *a,
                         struct prime_recorded *out, struct jw_err *err) JW_MUST;

/* Says why commands that start here as they were recorded may load something else in a fresh login. */
struct prime_recorded_at_login {
    const char *why;              /* a sentence; NULL: they do not, or there are none */
    const char *as_there;         /* the command after which this shell starts them as the login does */
    const char *command, *folder; /* the first of them, as in struct prime_recorded */
};

/* Compares the GPUs of the login, and the places of compilers' caches that the commands use (CUPY_CACHE_DIR). `login`
 * NULL: it is not known. */
struct prime_recorded_at_login prime_recorded_at_login(const struct jw_warm_state *memory, uint64_t commands,
                                                       const struct jw_login_gpus *there,
                                                       const struct jw_login_env *login, struct jw_arena *a);

/* Sets `*out` to a number that changes with the commands, their entries, and the number of these in the cache; never
 * 0. */
bool prime_recorded_state(const struct prime_recorded_asked *asked, struct jw_arena *a, uint64_t *out,
                          struct jw_err *err) JW_MUST;

/* With EAGER a start loads all modules of its libraries. */
#define PRIME_LOADING "CUDA_MODULE_LOADING"
/* The answer for the record of a command, as it is here. */
struct jw_warm_answer prime_loading(struct jw_arena *a);
struct jw_warm_answer prime_libraries(struct jw_arena *a); /* the same for LD_LIBRARY_PATH */

/* Is this one of the questions whose answers decide which code a program loads? The files of the loader's search are
 * of the driver, and it is the same build. */
bool prime_is_of_machine(const char *question);

/* Compares the machine, the programs, the named files and their places with the record. `*what`: a question, an
 * absolute path, or a sentence about a program. */
enum jw_trace_state prime_same_machine(const struct jw_warm_loads *then, const struct jw_trace *now,
                                       const char **what);

/* Do its words name the same files here? */
bool prime_is_in_its_folder(const struct jw_warm_loads *then, struct jw_arena *a);

/* Is there anything that prime_find_recorded looks at? */
bool prime_has_commands(const struct jw_warm_state *memory, struct jw_arena *a);

/* Returns the words of a recorded command that can be started again, and its folder (NULL: any); NULL: there is none. */
const char *prime_recorded_start(const struct jw_warm_state *memory, const char **folder);

/* Returns the first file, or folder with CUDA files, that the command's words named, and that is not there any more;
 * NULL: none. */
const char *prime_named_gone(const struct jw_warm_loads *then);

/* ---- the files that a command's words name: another one of that name may load other code ---- */

struct prime_named {
    struct jw_warm_answer *started; /* the programs that PATH found: prime/memory/started.h */
    size_t n_started;
    struct jw_warm_answer *links; /* the real folders of what starts */
    size_t n_links;
    struct jw_warm_answer *files; /* as they were before it was started */
    size_t n;
    size_t n_start; /* the first of them: programs and what they start, a script: they are never its output */
    /* the working folder, where a word that is not absolute named one of them; NULL: none did */
    const char *folder;
    struct prime_places places; /* folders in which it may find other modules */
};

/* Finds the files that are there. */
void prime_name_files(const char *const *words, struct jw_arena *a, struct prime_named *out);

/* Fills in what is started, for the file of a recording (begun.h). */
void prime_named_start(const struct prime_named *named, struct jw_arena *a, struct prime_begun *out);

/* Returns the record that each start of the command compiles, where its program and script are the same since; NULL: there
 * is none. */
const struct prime_begun *prime_still_unkept(const struct jw_warm_state *memory, const char *command,
                                             struct jw_digests *digests, struct jw_arena *a);

/* Records the program, the first file behind it, and each file that did not change while the command ran,
 * because then it is no output; the content of their folders; the source files that it read; and those of the
 * files that it had mapped (`loaded`) that hold CUDA code. */
void prime_record_named(const struct prime_named *named, const char *const *loaded, size_t n,
                        const struct prime_sources *sources, struct prime_digesting *d,
                        struct jw_warm_loads *out);

#endif
