/*
 * A report written once: its rows say where in a struct each field stands. Its JSON (jw_rows_write), its schema in
 * docs/schema (tests/cli/schemas.c) and its text (jw_page_rows) are made of them, in their order: a row with a label is a
 * line of the text, and where a sentence or a table needs more than a label and a value, the row names the function that
 * prints it. A list of rows ends with { 0 }.
 */
#ifndef BASE_ROWS_H
#define BASE_ROWS_H

#include "base/arena.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "jitwarm/run.h"

#include <stddef.h>

struct jw_page; /* of text: cli/page.h */

#define JW_ROWS_MAX                                                                                          \
    9007199254740991.0 /* 2^53 - 1: the largest number that every reader of JSON has exactly */

enum jw_row_kind {
    JW_ROW_END,
    JW_ROW_TEXT,   /* const char *; NULL: "", or null if it may be */
    JW_ROW_CHARS,  /* an array of them; "": null, if it may be */
    JW_ROW_NUMBER, /* of 1, 2, 4 or 8 bytes, and an enum */
    JW_ROW_SIGNED, /* a negative one is shown as 0, or is null */
    JW_ROW_REAL,   /* as a signed one */
    JW_ROW_BOOL,
    JW_ROW_FLAG,   /* true, or the field is absent */
    JW_ROW_NAME,   /* of an enum */
    JW_ROW_SPELT,  /* a text that a function makes */
    JW_ROW_OBJECT, /* another struct's rows, or more of this one's */
    JW_ROW_LIST,   /* of structs, or of texts where it has no rows */
    JW_ROW_MAP,    /* an array by enum: an object with a field for each name; of structs, or of numbers */
    JW_ROW_PART /* without a key: another struct's rows as if they stood here; of one that is not there null */
};

/* How a value that is no text becomes one. */
struct jw_spelling {
    const char *pattern;                                /* of the schema; NULL: any text */
    const char *(*spell)(const void *at, char out[80]); /* `out`, or what lives longer; NULL: null */
};

/* The words of the schema alone. A program that is built without the tests, which write it, does not carry them. */
#ifdef JW_NO_TESTS
#define JW_FOR_SCHEMA(a, b) bool no_##a, no_##b;
#define JW_ABOUT(...) .no_about = true
#define JW_PATTERN(...) .no_pattern = true
#else
#define JW_FOR_SCHEMA(a, b) const char *a, *b;
#define JW_ABOUT(...) .about = __VA_ARGS__
#define JW_PATTERN(...) .pattern = __VA_ARGS__
#endif

struct jw_row {
    const char *key;
    JW_FOR_SCHEMA(about, pattern) /* or NULL */
    const char *label;            /* of its line in the report's text; NULL: it has none of its own */
    /* Prints its text instead. `of` is the struct of an object or a part, of other rows the struct that they are of. */
    void (*show)(struct jw_page *p, const void *of);
    uint8_t kind;          /* enum jw_row_kind */
    bool may;              /* be null: a text that is NULL or "", a number that is 0, a signed one below 0 */
    bool at_pointer;       /* the struct, or the list, is pointed to; an object that is not there is null */
    bool wraps;            /* its line is a sentence, which may be wrapped, and nothing that is copied */
    bool either;           /* exactly one of the parts with this mark is there */
    uint16_t at, size;     /* of the member; of a list's pointer */
    uint16_t n_at, stride; /* of a list's number, and of its elements */
    uint64_t max;          /* of a number, or of a list's elements; 0: as it is typed */
    const struct jw_row *rows;
    const struct jw_spelling *spelling;
    const char *const *names; /* by the enum's values: */
    unsigned first, n_names;  /* first to n_names - 1; */
    unsigned only;            /* the schema lists those whose bits are set; 0: all */
    uint16_t if_at, if_size;  /* where these bytes are zero, the row is null if it may be, else absent */
    /* NULL: as its kind is written */
    void (*write)(struct jw_json *j, const struct jw_row *r, const void *of);
    void (*read)(const char *text, void *to); /* the reverse of `spelling`; NULL: it is only written */
};

struct jw_form {
    const char *verb, *about; /* "list": jitwarm.list/1 */
    const struct jw_row *rows;
    uint8_t label; /* of its text: the width of the column of labels, with its gap, */
    uint8_t tint;  /* and their enum jw_tint */
};

extern const struct jw_row jw_no_rows[];

/* Returns the member of `of` that a row is about, or its target where it is a pointer. NULL: it is not there. */
const void *jw_row_at(const struct jw_row *r, const void *of);

/* The word of a value of JW_NAMED; NULL: it has none. */
const char *jw_row_word(const struct jw_row *r, const void *at);

/* `of` NULL: those that may be null are. */
void jw_rows_write(struct jw_json *j, const struct jw_row *rows, const void *of);
void jw_rows_object(struct jw_json *j, const char *key, const struct jw_row *rows, const void *of);
/* A list of commands, without the remarks behind them. */
void jw_write_commands(struct jw_json *j, const struct jw_row *r, const void *of);
/* A whole report. */
bool jw_rows_report(struct jw_sink sink, const struct jw_form *form, const void *of, struct jw_err *err);

/*
 * Reads JSON that such rows wrote into `of`, which was zeroed: texts, numbers, spelled values, lists of structs. A
 * field that is missing or of another type stays as it is, an unknown one is ignored, and a number that does not fit
 * becomes the largest but one (a signed one may be null). A strict reader writes the result again and compares. Lists
 * and texts live in `a`.
 */
void jw_rows_read(const struct jw_jval *object, const struct jw_row *rows, struct jw_arena *a, void *of);

/* ---- how rows are written down: { JW_ROW(key, struct, member), JW_NULLABLE, JW_ABOUT("...") } ---- */

#define JW_SIZE_OF(T, m) sizeof(((const T *)0)->m)
#define JW_ROW_AT(k, T, m) .key = (k), .at = offsetof(T, m), .size = JW_SIZE_OF(T, m)
#define JW_ROW_KIND_OF(T, m)                                                                                 \
    _Generic(&((T *)0)->m,                                                                                   \
        bool *: JW_ROW_BOOL,                                                                                 \
        double *: JW_ROW_REAL,                                                                               \
        char **: JW_ROW_TEXT,                                                                                \
        const char **: JW_ROW_TEXT,                                                                          \
        int *: JW_ROW_SIGNED,                                                                                \
        long *: JW_ROW_SIGNED,                                                                               \
        long long *: JW_ROW_SIGNED,                                                                          \
        default: _Generic(((T *)0)->m, char *: JW_ROW_CHARS, default: JW_ROW_NUMBER))

#define JW_NULLABLE .may = true
#define JW_LABEL(text) .label = (text)                   /* "Kept": a path or another text that people copy */
#define JW_SENTENCE(text) .label = (text), .wraps = true /* "Checked": sentences */
#define JW_SHOW(function) .show = (function)
#define JW_TEXT_ALONE(function) .kind = JW_ROW_PART, .rows = jw_no_rows, .show = (function) /* no JSON */
#define JW_IF(T, m) .if_at = offsetof(T, m), .if_size = JW_SIZE_OF(T, m)

#define JW_ROW(k, T, m) JW_ROW_AT(k, T, m), .kind = JW_ROW_KIND_OF(T, m)
#define JW_NAMED(k, T, m, words) JW_ROW_AT(k, T, m), .kind = JW_ROW_NAME, JW_NAMES(words)
#define JW_NAMES(words) .names = (words), .n_names = JW_COUNT(words)
/* How it ended, and how such a run can end: JW_CAN(DONE) | ... */
#define JW_ENDING(T, m, ends) JW_NAMED("end", T, m, jw_end_names), .only = (ends)
#define JW_CAN(end) (1U << JW_END_##end)
#define JW_PACK_ENDS (JW_CAN(UNFIT) | JW_CAN(REFUSED) | JW_CAN(NOT_PROVEN))
#define JW_SPELT(k, T, m, s) JW_ROW_AT(k, T, m), .kind = JW_ROW_SPELT, .spelling = (s)
#define JW_SPELT_OF(k, s) .key = (k), .kind = JW_ROW_SPELT, .spelling = (s) /* of the whole struct */
#define JW_SUB(k, T, m, r) JW_ROW_AT(k, T, m), .kind = JW_ROW_OBJECT, .rows = (r)
#define JW_SUB_AT(k, T, m, r) JW_SUB(k, T, m, r), .at_pointer = true
#define JW_SUB_OF(k, r) .key = (k), .kind = JW_ROW_OBJECT, .rows = (r) /* of the same struct */
#define JW_LIST(k, T, m, n, r) JW_ARRAY(k, T, m, n, r), .at_pointer = true
#define JW_ARRAY(k, T, m, n, r)                                                                              \
    JW_ROW_AT(k, T, m), .kind = JW_ROW_LIST, .stride = sizeof *((const T *)0)->m, .rows = (r),               \
                        .n_at = offsetof(T, n) * sizeof(char[JW_SIZE_OF(T, n) == sizeof(size_t) ? 1 : -1])
/* A value that a function writes; the rest is for the schema. */
#define JW_SPELT_AT(k, T, m, s) JW_SPELT(k, T, m, s), .at_pointer = true
#define JW_CUSTOM(k, as, w) .key = (k), .kind = (as), .write = (w)
#define JW_TEXTS(k, T, m, n) JW_LIST(k, T, m, n, NULL)
#define JW_COMMANDS(k, T, m, n) JW_TEXTS(k, T, m, n), .write = jw_write_commands
#define JW_ENUM_MAP(k, T, m, words, r)                                                                       \
    JW_ROW_AT(k, T, m), .kind = JW_ROW_MAP, .stride = sizeof *((const T *)0)->m, .rows = (r), JW_NAMES(words)
#define JW_PART(T, m, r) JW_ROW_AT(NULL, T, m), .kind = JW_ROW_PART, .rows = (r)
#define JW_ROWS(r) .kind = JW_ROW_PART, .rows = (r) /* of the same struct */
#define JW_PART_AT(T, m, r) JW_PART(T, m, r), .at_pointer = true
#define JW_EITHER(T, m, r) JW_PART_AT(T, m, r), JW_IF(T, m), .either = true

#endif
