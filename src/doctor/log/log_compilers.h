/* A program that prints nothing for a while may compile with a cache of its own, tune, or build graphs: these lines
 * show which. */
#ifndef DOCTOR_LOG_LOG_COMPILERS_H
#define DOCTOR_LOG_LOG_COMPILERS_H

struct jw_log_compiler {
    const char *name;     /* "FlashInfer" */
    const char *begins;   /* a line of the pause, or the one before it, has this; NULL: nothing is printed */
    const char *ends;     /* the line after it; NULL: nothing is printed */
    const char *owner;    /* of its cache (cache/place/other_caches.h); NULL: the next two say where it is */
    const char *folder;   /* without the variable: "~/.cache/deep_gemm" */
    const char *variable; /* that moves it */
    const char *does;     /* "measures its kernels"; NULL: it compiles */
    const char *so, *fix; /* with `does`: the meaning, and the remedy */
    const char *command;  /* that helps; NULL: no command is enough */
};

/* The one that begins, or has ended, at this line. NULL: none. */
const struct jw_log_compiler *jw_log_compiler_begins(const char *line);
const struct jw_log_compiler *jw_log_compiler_ends(const char *line);

/* The seconds that something took, as a line says: "took 84.1 s", "The operation took 6m29.04s", "load time =
 * 412388.44 ms". 0: nothing. */
double jw_log_stated_seconds(const char *line);

#endif
