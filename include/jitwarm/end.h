/* How a run ended. The exit code follows from it, and most reports carry a sentence that says why. */
#ifndef JITWARM_END_H
#define JITWARM_END_H

enum jw_end {
    JW_END_DONE,
    JW_END_NOTHING, /* there was nothing to do */
    JW_END_LISTED,  /* there is something to do, but the user did not ask for it */
    JW_END_PARTLY,  /* some of it could not be done */
    JW_END_NO_GPU,  /* no driver, no GPU, or none of the requested ones */
    JW_END_CANNOT_WRITE,
    JW_END_CONSENT, /* needs --yes */
    JW_END_BUSY,    /* another jitwarm works on this cache */
    JW_END_TIME,    /* the time box is over; the next run continues */
    JW_END_INTERRUPTED,
    JW_END_STOPPED,   /* a setting makes it useless (CUDA_CACHE_DISABLE...) */
    JW_END_WAITING,   /* waits for mains power, an idle machine or a reboot; the next run continues */
    JW_END_UNFIT,     /* the pack is for another machine, or this driver accepts no packs */
    JW_END_REFUSED,   /* the pack is damaged, not signed by a trusted key, or does not match its sources */
    JW_END_NOT_PROVEN /* the probe level of this driver is too low for packs */
};

#define JW_ENDS (JW_END_NOT_PROVEN + 1)

/* "done" "nothing" "listed" "partly" "no-gpu" "cannot-write" "consent" "busy" "time" "interrupted" "stopped" "waiting"
 * "unfit" "refused" "not-proven" */
const char *jw_end_name(enum jw_end e);

#endif
