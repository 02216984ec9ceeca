/* How a run ended; the exit code follows from it. Of most a sentence says why. */
#ifndef JITWARM_END_H
#define JITWARM_END_H

enum jw_end {
    JW_END_DONE,
    JW_END_NOTHING, /* nothing was to be done */
    JW_END_LISTED,  /* something could be done, and was not asked for */
    JW_END_PARTLY,  /* not all of it */
    JW_END_NO_GPU,  /* no driver, no GPU, or none of those asked for */
    JW_END_CANNOT_WRITE,
    JW_END_CONSENT, /* it needs --yes */
    JW_END_BUSY,    /* another one is at work on this cache */
    JW_END_TIME,    /* the time box is over; the next run goes on */
    JW_END_INTERRUPTED,
    JW_END_STOPPED, /* settings would make it useless (CUDA_CACHE_DISABLE...) */
    JW_END_WAITING, /* if_stale and background: for mains power, a quiet machine, a reboot; the next run goes on */
    JW_END_UNFIT,     /* the pack is for another machine, or this driver takes none */
    JW_END_REFUSED,   /* damaged, not signed by a trusted key, or not what its entries' sources make */
    JW_END_NOT_PROVEN /* too little is known of this driver for packs */
};

#define JW_ENDS (JW_END_NOT_PROVEN + 1)

/* "done" "nothing" "listed" "partly" "no-gpu" "cannot-write" "consent" "busy" "time" "interrupted" "stopped" "waiting"
 * "unfit" "refused" "not-proven" */
const char *jw_end_name(enum jw_end e);

#endif
