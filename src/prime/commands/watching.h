/* Watches a command while it runs, and remembers its start. */
#ifndef PRIME_COMMANDS_WATCHING_H
#define PRIME_COMMANDS_WATCHING_H

#include "driver/witness/witness.h"
#include "os/process/name_watch.h"
#include "os/process/process.h"
#include "pack/kit/kit.h"
#include "prime/commands/command.h"

enum {
    /* the 256 folders of two caches, and jitwarm's records of the given one */
    PRIME_WATCHED = 512 + 1,
    PRIME_QUIET_MS = 10000 /* without a load or a file: the start is over */
};

struct prime_watching {
    struct prime *p;
    struct jw_witness *witness;
    int64_t began, started;         /* nanoseconds since 1970; `began` allows for the clock of files */
    uint64_t start;                 /* monotonic nanoseconds */
    struct jw_cache_listing before; /* of `cache` */
    const char *cache;              /* the cache that the command was given */
    const char *library, *compiler; /* the driver's; NULL: not known */
    /* sees opens of entries in `cache`, and in the cache that the command chose before; NULL: they cannot be seen */
    struct jw_name_watch *open_watch;
    const char *folders[PRIME_WATCHED];
    uint8_t first[PRIME_WATCHED]; /* the two digits of each */
    size_t n_given, n_folders;    /* the first ones are the given cache's */
    size_t n_caches;       /* so many are folders of caches; one more may be that of jitwarm's records */
    uint64_t others_until; /* until then another jitwarm probably reads the cache; monotonic nanoseconds */
    bool others;           /* opens were passed over, some of which may be the command's */
    bool asked;            /* this process was asked to end while the command ran */
    bool watched;          /* `opens` is there, or was until the end */
    bool dropped;          /* not all opens were seen */
    uint64_t *opened; /* names of entries that were opened, once each and sorted after prime_watch_sort */
    size_t n_opened, room_opened;
    uint64_t last; /* the last entry was opened, monotonic nanoseconds; 0: none was */
    struct jw_kit_command command;
    struct jw_kit_starts *kit;             /* other caches */
    struct jw_file_trace *trace;           /* files that it makes and opens; NULL: not traced any more */
    struct jw_traced traced;               /* the same at the end */
    const struct jw_witness_report *again; /* of a further start; NULL: there was none */
    void (*look)(void *ctx);               /* called now and then while the command runs; or NULL */
    void *ctx;
};

bool prime_watch_begin(struct prime *p, const char *cache, struct prime_watching *w, struct jw_err *err);
/* Runs the command of the options. */
bool prime_watch_run(struct prime_watching *w, const struct jw_child_edit *edits, size_t n,
                     struct jw_err *err);
/* Passes over the opens since the last look, in which this process read these entries (sorted). An open of any other
 * entry was the command's or another program's, which is not known: `others` is set then. */
void prime_watch_pass_over(struct prime_watching *w, const uint64_t *read, size_t n);
/* Sorts the names: called before prime_was_opened while the command runs. */
void prime_watch_sort(struct prime_watching *w);
/* After the end: was this entry, which was there before, opened? */
bool prime_was_opened(const struct prime_watching *w, uint64_t name);
/* Fills the report's `seen`. `after`: the cache's entries then, which the caller frees. */
bool prime_watch_end(struct prime *p, struct prime_watching *w, struct jw_cache_listing *after,
                     struct jw_err *err);
/* "sm_86 sm_90": in order, each once; NULL: none is known. */
const char *prime_kit_gpus(const struct jw_device *gpus, size_t n, struct jw_arena *a);
/* Traces the next start of the command. In `jitwarm run` the trace ends when the start is over. */
void prime_begin_trace(struct prime_watching *w);
void prime_end_trace(struct prime_watching *w);
/* Reports and notes what the command did in other caches than the report's `seen` ones, and adds it to the record of a
 * recorded command. Called once, after the trace. */
void prime_end_kit(struct prime_watching *w, bool ended);
/* Starts a recorded command once more where it made files, and records what it opens then. */
bool prime_look_again(struct prime_watching *w, struct jw_err *err);
void prime_remember_start(struct prime_watching *w); /* writes how the start went, for status */
/* Returns the cache that the command used instead of the given one; NULL: it used that one. */
const char *prime_other_cache(const struct prime *p);

/* Ends the run if another user can change that cache: its entries are not trusted. */
bool prime_check_own_cache(struct prime *p, const char *cache, struct jw_err *err);
/* Returns the cache that the command is known to have chosen itself; NULL: none. */
const char *prime_known_cache(struct prime *p);
/* Remembers the start that was watched. `cache`: the cache that the command chose itself; "": none; NULL: as before. */
void prime_remember_command(struct prime *p, const char *cache);

/* Is the entry new, or another file than before? */
bool prime_is_new(const struct jw_cache_listing *before, const struct jw_cache_file *f);
/* Adds the entries that the command may load to those that it loaded. Ends soon when it is interrupted. */
bool prime_share_loads(struct prime *p, const struct jw_digest_set *ids, struct jw_warm_loads *loads,
                       struct jw_err *err);

#endif
