/* Values that JSON reports write as text of a fixed form: of the cache, the driver and its GPUs; and rows of a run. */
#ifndef CACHE_MEMORY_SPELL_H
#define CACHE_MEMORY_SPELL_H

#include "base/rows.h"

extern const struct jw_spelling jw_spell_sm; /* uint16_t: "sm_86" */
extern const struct jw_spelling
    jw_spell_entry; /* uint64_t, a name in the cache: "4/2/3e06b9e6ec62aa"; 0: null */
extern const struct jw_spelling
    jw_spell_stamp; /* of a driver build, as keys have it: "2026-01-07T22:51:46"; "": null */
extern const struct jw_spelling jw_spell_level;  /* enum jw_level: "placeable" */
extern const struct jw_spelling jw_spell_digest; /* JW_DIGEST bytes */

/* Rows of a struct jw_run: its notes; its advice and notes; how long it took. */
extern const struct jw_row jw_run_notes[], jw_run_advice[], jw_run_says[];

/* How it ended, and how such a run can end. */
#define JW_RUN_END(ends)                                                                                     \
    {                                                                                                        \
        { JW_ENDING(struct jw_run, end, ends) },                                                             \
            { JW_ROW("why", struct jw_run, why), JW_NULLABLE, JW_ABOUT("the sentence of the end") },         \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }

/* A driver build: two rows, its stamp and, if it is simulated, a flag. */
#define JW_STAMP(T, m)                                                                                       \
    { JW_SPELT_AT("stamp", T, m, &jw_spell_stamp), JW_NULLABLE, JW_ABOUT("when the driver was built") },     \
    {                                                                                                        \
        JW_SIMULATED(T, m)                                                                                   \
    }
#define JW_SIMULATED(T, m)                                                                                   \
    JW_ROW_AT("simulated", T, m), .kind = JW_ROW_FLAG, .write = jw_write_simulated,                          \
                                  JW_ABOUT("a simulated driver: nothing here is about hardware")
void jw_write_simulated(struct jw_json *j, const struct jw_row *r, const void *of);

#endif
