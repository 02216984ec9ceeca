/* The CUDA software of this machine, read from its files. */
#ifndef DOCTOR_DOCTOR_SOFTWARE_FILES_H
#define DOCTOR_DOCTOR_SOFTWARE_FILES_H

#include "doctor/doctor_software.h"
#include "session/session.h"

struct jw_software_search {
    struct jw_session *session;
    const struct jw_software_case *c;
    const struct jw_scan_cache *cache;                             /* NULL: it is not known what is warm */
    void (*progress)(void *ctx, const struct jw_scan_progress *p); /* may be NULL */
    void *progress_ctx;
};

/* The files that were looked through, for "nothing is wrong". */
struct jw_software_seen {
    uint64_t files;
    struct jw_library cuda, cudnn; /* major versions of NVIDIA's libraries among the files */
    struct jw_notes notes;
    struct jw_notes sites;   /* the site-packages that were searched */
    struct jw_notes unread;  /* a file and why, each: it may hold CUDA code, and could not be read */
    const char *unread_path; /* of the first; NULL: there is none */
    struct jw_notes closed;  /* a folder and why, each: another user closed it */
};

/* By name; packages of NVIDIA's own and files that belong to nothing are left out. Packages of the table that are
 * installed without CUDA are there, too. False for an interruption. */
bool jw_software_here(const struct jw_software_search *o, struct jw_software **out, size_t *n,
                      struct jw_software_seen *seen, struct jw_err *err) JW_MUST;

#endif
