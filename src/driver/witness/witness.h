/* Watches whether the driver compiles PTX for a command and all processes that it starts. The
 * driver opens its compiler's library when it compiles, never when it finds an entry, and keeps it
 * loaded until the process ends; only cuLinkCreate opens it without compiling, and cuInit where it
 * preloads it: then only new entries show what was compiled. driver-fact: F86-compiler-opened,
 * F120-preload
 *
 * Files that this process itself opens do not count. An event does not name the process that opened
 * the file: it is looked up in /proc, also among other programs, and if no process is found for an
 * open of the compiler, the answer is unknown. */
#pragma once

#include "base/arena.h"
#include "base/compiler.h"
#include "driver/witness/loaded.h"
#include "jitwarm/err.h"

/* `nothing` needs evidence: the command used the driver that was watched, and the watch missed
 * nothing. */
enum jw_witness_answer {
    JW_WITNESS_UNKNOWN,
    JW_WITNESS_UNUSED, /* unknown, as no process of the command was seen to load a driver */
    JW_WITNESS_NOTHING,
    JW_WITNESS_COMPILED,
    JW_WITNESS_ANSWERS
};

extern const char *const jw_witness_answer_names[JW_WITNESS_ANSWERS];

/* Does cuInit of a process load the compiler, by its JW_PRELOAD_VARIABLE? UNSET, also where that is
 * not known: as the driver does by itself. */
enum jw_preload { JW_PRELOAD_UNSET, JW_PRELOAD_OFF, JW_PRELOAD_ON };

/* The settings of one process while it had the driver, which reads them once, in cuInit. Each set
 * that was seen is listed. */
struct jw_witness_process {
    bool compiled; /* the process loaded the driver's compiler, and not as it preloads it */
    enum jw_preload preload;
    const char *cache; /* the folder of its cache, an absolute path; NULL: it has none, or it is not
                          known */
    /* the setting by which it keeps nothing large: "CUDA_CACHE_DISABLE=1"; NULL */
    const char *no_cache;
    const char *forced; /* the setting by which it compiles whatever is kept:
                           "CUDA_FORCE_PTX_JIT=1"; NULL */
};

/* A variable of a running process as it is now, which /proc/PID/environ does not show: programs
 * change it after they began, and the driver reads it in cuInit. */
struct jw_variable {
    const char *name, *value; /* value NULL: not set */
};

/* Sets the values of `v` from the memory of the process, where its C library or program has
 * `environ`. False: that cannot be found or read. `maps`: the text of its file maps. */
bool jw_variables_now(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_variable *v, size_t n);

/* Sets the cache of process `pid`, the settings that keep entries out of it, and the one by which
 * it loads the compiler, as they are in its memory now. `maps`: the text of its file maps. False:
 * its memory cannot be read, and nothing is changed. */
bool jw_settings_read(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_witness_process *out);

struct jw_witness_report {
    enum jw_witness_answer answer;
    bool shared;     /* another program had the driver compile, then or before */
    const char *why; /* why the answer is unknown, a sentence without a full stop; else NULL */
    const struct jw_witness_process *processes;
    size_t n;
    /* programs and libraries that processes with the driver had loaded, as far as was seen, and
     * that are there still */
    const char *const *files;
    size_t n_files;
    /* file names of the compilers that processes of the command had loaded, and which may be gone
     * since; NULL: none */
    const char *nvvm, *nvrtc;
    const char *program; /* "nvcc", "cicc" or "ptxas", if a process of the command was it */
};

/* Time for processes that go on when the command has ended: workers, resource trackers. */
enum { JW_LEFT_MS = 10000 };

/* Chooses the files to watch: the driver's library that programs load, and the compiler that it
 * loads (driver/probe/driver_known.h). A NULL path is an error: no such file is known. */
bool jw_witness_files(const char *library, const char *compiler, struct jw_arena *a,
                      struct jw_loaded_ask *out, struct jw_err *err) JW_MUST;

struct jw_witness;

/* Begins to watch, before the command is started, the driver's files that it will load (NULL: not
 * known). If nothing can be watched, the report says why. Where it decides the answer, `preloads`
 * says whether the driver by itself loads the compiler in cuInit; NULL: it does not. */
typedef bool jw_witness_preloads(void *ctx);
struct jw_witness *jw_witness_begin(const char *library, const char *compiler,
                                    jw_witness_preloads *preloads, void *ctx);

/* Looks at the processes now. A caller has to do so before the end of each process of the
 * command. */
void jw_witness_look(struct jw_witness *w);

/* Ends the watch after the command has ended, and frees it. If `interrupted` (or NULL) is set, it
 * waits for no process. */
void jw_witness_end(struct jw_witness *w, const atomic_bool *interrupted, struct jw_arena *a,
                    struct jw_witness_report *out);

/* What was seen, of which the answer is a pure function. */
struct jw_witness_seen {
    const char *unable; /* why nothing was watched; NULL: it was */
    bool lost;          /* events were lost, or a file was replaced */
    bool missed; /* the compiler was opened, and no process of the command was found that loaded it
                    then */
    bool unseen; /* the driver was opened by a process that had ended before it was looked at */
    uint64_t hidden; /* processes of other users, whose libraries could not be read */
    uint64_t closed; /* processes of this user of which that is so, too */
    uint64_t others; /* processes with another driver, or another driver's compiler */
    uint64_t left;   /* processes of the command that still ran when it had ended */
    uint64_t users, compilers;
    uint64_t preloading; /* processes that preload the compiler, whether they compile or not */
    uint64_t strangers;  /* processes of other programs that had loaded the compiler */
};

void jw_witness_answer(const struct jw_witness_seen *seen, struct jw_arena *a,
                       struct jw_witness_report *out);
