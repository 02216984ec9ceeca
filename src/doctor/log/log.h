/*
 * Reads the log of a framework: its pauses, the GPUs and CUDA libraries that it names, and known messages. It
 * reads one line at a time, so a log may be of any length.
 */
#ifndef DOCTOR_LOG_LOG_H
#define DOCTOR_LOG_LOG_H

#include "doctor/doctor_software.h"
#include "doctor/log/log_compilers.h"
#include "facts/errors.h"
#include "machine/shell.h"

#include <stdatomic.h>

enum {
    JW_LOG_LINE = 2048,
    JW_LOG_KEPT = 200,
    JW_LOG_GPUS = 16,
    JW_LOG_COMPLAINTS = 24,
    JW_LOG_MISSING = 8,
    JW_LOG_PAUSES = 4,
    JW_LOG_LONG = 60 /* seconds: a pause of this length is shown of any log */
};

/* An error this far from the end is what the program ended with: more is printed while it ends. */
enum { JW_LOG_LAST = 20 };

struct jw_log_gap {
    double seconds;      /* 0: none worth a word */
    uint64_t line, next; /* the lines before and behind it that have a time */
    char before[JW_LOG_KEPT], after[JW_LOG_KEPT];
    bool compiling;   /* a place where TensorFlow is known to wait for the driver's compiler */
    bool downloading; /* the line before it says that something is */
    /* one with a cache of its own says that it compiles there; NULL: none */
    const struct jw_log_compiler *compiler;
    uint64_t said; /* the line where it says so */
    char saying[JW_LOG_KEPT];
};

struct jw_log_complaint {
    struct jw_error_known known;
    uint64_t line, times, last; /* the first line that has it, how many have, and the last of them */
    /* 1204, where the line says which CUDA the driver has or the image wants; 0: it does not */
    unsigned cuda;
    char text[JW_LOG_KEPT];
    char library[64];       /* that the loader did not find: "libcudnn_ops_infer.so.8"; "" none */
    char file[JW_LOG_KEPT]; /* the library or the Python package that the log names there; "" none */
    bool tried_again;       /* after the last one, as the program says */
    bool spoken_of;         /* in sentences alone, as a person speaks of an error */
};

struct jw_log {
    uint64_t lines, stamped; /* stamped: lines with a time */
    bool printed;            /* a line is as programs print it: a source file, a level, a traceback */
    uint64_t sentences;      /* lines that are like those of a text that a person wrote */
    uint64_t full_stops;     /* in those */
    uint64_t words, words_of_sentences;
    bool names_cuda;               /* a line names CUDA, a GPU or software that computes on one */
    double longest[JW_LOG_PAUSES]; /* seconds, the longest first */
    bool begun, unlike; /* the first pause, a later one, is between lines that differ in more than numbers */
    bool server_ready;  /* it waits for requests: silence is that of its clients */
    double idle_s;      /* the longest such silence; 0: none worth a word */
    double load_s;      /* that loading took, as llama.cpp says at its end; 0: it does not */
    struct jw_log_gap gap; /* the longest */
    /* the longest where a compiler with a cache of its own compiles; it may be the same */
    struct jw_log_gap other;
    /* the longest work of such a compiler, in its own words; before, after: empty */
    struct jw_log_gap stated;
    struct jw_gpu gpus[JW_LOG_GPUS];
    size_t n_gpus;
    struct jw_gpu here;  /* the log names none and may be of this machine: its GPU; sm 0: several, or none */
    struct jw_gpu named; /* by a product's name alone; sm 0: none */
    char named_as[88];
    unsigned n_named; /* times that the table was asked */
    bool names_differ;
    struct jw_log_complaint complaints[JW_LOG_COMPLAINTS];
    size_t n_complaints;
    char ptxas
        [JW_LOG_KEPT]; /* the first line in which ptxas names an error that is not in the table; "" none */
    uint64_t ptxas_line;
    char error[JW_LOG_KEPT]; /* the first line that looks like an error and is not in the table; "" none */
    uint64_t error_line;
    /* the last exception of Python, or the head of a traceback that is cut off */
    char exception[JW_LOG_KEPT];
    uint64_t exception_line; /* 0: none */
    bool traceback;          /* within one, which begins in this column */
    size_t traceback_at;
    uint64_t explained_line;          /* the last one that is a known problem; 0: none */
    char name[64];                    /* of a GPU whose capability is on the next line */
    char missing[JW_LOG_MISSING][64]; /* libraries that could not be loaded */
    size_t n_missing;
    unsigned cudart, cudnn; /* 1001 of cudart64_101.dll, 700 of cudnn64_7.dll; 0 none */
    bool asked_for_gpu;     /* by the line before */
    bool tensorflow, pytorch, numba, windows, linux; /* of which system a file of it is */
    char python[JW_LOG_KEPT]; /* the interpreter of the environment that it names files of; "": none */
    const char *site;         /* its site-packages, where they are of this machine; NULL */
    const char *pip;          /* installs there, if that environment is on this machine; else NULL */
    enum jw_shell shell;      /* of the person who asks */
    bool tells_compiling;     /* a TensorFlow that says so before it has the driver compile: 2.14 and newer */
    char release[64];         /* "torch==2.1.0+cu121", as the log says; "": it does not */
    char driver[16];          /* "535.54.03", where it says so */
    char sass[128], ptx[128]; /* the architectures that a message lists, as the tables write them */
    bool archs_guessed;       /* the list does not say whether it is machine code or PTX: both are assumed */
    const char *made_by;      /* the software that printed those; NULL: none */
    unsigned ollama;          /* 512 of Ollama 0.5.12; 0: not known */
    unsigned year, month;     /* of its last date; 0: it has none */

    char code[JW_LOG_KEPT];    /* the last file of GPU code that it names: "kernels.ptx"; "" none */
    char package[JW_LOG_KEPT]; /* ".../site-packages/torch" of the innermost frame of a traceback; "" none */
    const struct jw_log_compiler *compiler; /* that has begun since the last time stamp */
    uint64_t said;
    char saying[JW_LOG_KEPT];
    bool stamp_known, stamp_unix; /* of the line before */
    double stamp;
    char last[JW_LOG_KEPT];   /* the last one with a time */
    char ending[JW_LOG_KEPT]; /* the last one that is not blank */
    uint64_t ending_line;
    uint64_t last_line;
    bool kernel_module;        /* NVIDIA's speaks */
    uint64_t kernel_lines;     /* of the kernel's log */
    char kernel[JW_LOG_LINE];  /* a message of it, of which more lines may come; "": none */
    char message[JW_LOG_LINE]; /* the last whole one of several lines */
    char line[JW_LOG_LINE];
    size_t n_line;
};

/* Reads bytes of a log; jw_log_end reads a last line without an end. */
void jw_log_feed(struct jw_log *log, const char *text, size_t n);
void jw_log_end(struct jw_log *log);

/* True if it speaks of CUDA software at all, as prose does, too. */
static inline bool jw_log_speaks_of_cuda(const struct jw_log *log)
{
    return log->names_cuda || log->n_gpus || log->cudart || log->cudnn || log->tensorflow || log->pytorch
           || log->release[0];
}

/* True if it is about CUDA: only then is a pause one of CUDA's. */
static inline bool jw_log_is_about_cuda(const struct jw_log *log)
{
    return jw_log_speaks_of_cuda(log) || log->other.seconds > 0 || log->stated.seconds > 0
           || log->n_complaints || log->n_missing || log->sass[0];
}

/* True if a person wrote it, and not a program. */
static inline bool jw_log_is_prose(const struct jw_log *log)
{
    bool sentences = 2 * log->sentences >= log->lines,
         letter =
             log->full_stops > 1 && 2 * log->words_of_sentences >= log->words; /* with short lines, too */

    return !log->printed && log->stamped < 2 && (sentences || letter);
}

/* True if anything in the log was recognized, and a program printed it. */
static inline bool jw_log_understood(const struct jw_log *log)
{
    return log->exception_line || log->n_complaints || log->n_missing || log->sass[0]
           || (!jw_log_is_prose(log) && jw_log_is_about_cuda(log));
}

/* True if the longest pauses are equal steps of the program's own work. */
bool jw_log_is_steady(const struct jw_log *log);

/* True if the software itself says there that it has no code for the GPU. */
bool jw_log_says_no_code(const struct jw_log_complaint *c);

/* A whole file ("-": standard input), also one that PowerShell wrote (UTF-16). False for what cannot be read
 * (JW_E_IO), is empty or no text (JW_E_FORMAT), and for an interruption. */
bool jw_log_read(const char *path, const atomic_bool *interrupted, struct jw_log *log,
                 struct jw_err *err) JW_MUST;

/* The software: by its printed version, else (`*guessed`) the newest of its libraries' time. False: none. */
bool jw_log_software(const struct jw_log *log, struct jw_release *out, bool *guessed);

/* The system of the program: that of the files that it names, or this one. */
enum jw_build_system jw_log_system(const struct jw_log *log, enum jw_build_system here);

/* Makes findings of the log. `path`: its name. */
void jw_doctor_log(const struct jw_log *log, const char *path, struct jw_findings *f);

#endif
