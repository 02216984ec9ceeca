/* A text page: sentences over the whole width, and lines with a label and a hanging indent. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "base/buf.h"
#include "base/rows.h"
#include "base/source.h"
#include "cli/paint.h"
#include "cli/table.h"

struct cli;
struct jw_messages;

struct jw_page {
    struct jw_sink to;
    struct jw_paint paint;
    size_t label;              /* width of the label column, with its gap */
    size_t width;              /* at which text wraps */
    unsigned columns;          /* of the terminal; 0: none, and tables are not cut */
    struct jw_arena *arena;    /* for tables and what is put together */
    bool verbose;              /* this option was given */
    struct jw_messages *quiet; /* with -q: where a failure is still reported; else NULL */
    struct jw_err *err;
    bool bad;           /* *err is set; later calls do nothing */
    struct jw_buf kept; /* for standard error */
};

/* Writes to the standard output of `cli`. */
void jw_page_open(struct jw_page *p, struct cli *cli, size_t label, struct jw_err *err);

/* Keeps the page until jw_page_close prints it on standard error, because something else uses standard output. */
void jw_page_open_stderr(struct jw_page *p, struct cli *cli, size_t label, struct jw_err *err);

/* False: *err is set. */
bool jw_page_close(struct jw_page *p, struct cli *cli) JW_MUST;

/* Not wrapped; the formats are those of jw_say. */
void jw_page_put(struct jw_page *p, const char *fmt, ...) JW_PRINTF(2, 3);

/* The last line of a report about a driver build: a warning when it is simulated. `stamp` NULL: unknown. */
void jw_page_end(struct jw_page *p, const char *stamp);

/* A row of the text alone that prints it. `m`: the stamp. */
#define JW_LAST_LINE(T, m) JW_PART_AT(T, m, jw_no_rows), JW_SHOW(jw_page_show_end)
void jw_page_show_end(struct jw_page *p, const void *stamp);

/* Both wrap and free `text`; an empty text prints nothing. */
void jw_page_line(struct jw_page *p, enum jw_tint tint, const char *label, struct jw_buf *text);
void jw_page_sentence(struct jw_page *p, enum jw_tint tint, struct jw_buf *text);

/* The same; lines after the first begin with `indent` blanks. */
void jw_page_hanging(struct jw_page *p, size_t indent, struct jw_buf *text);

/* A sentence that is one line where no width is known, so that scripts can search for it. */
void jw_page_one_line(struct jw_page *p, struct jw_buf *text);

/* The first sentence of a report. With -q one that warns of something or is bad is a message. */
void jw_page_head(struct jw_page *p, enum jw_tint tint, struct jw_buf *text);

/* The same with the formats of jw_say; `label` NULL: a sentence. */
void jw_page_say(struct jw_page *p, enum jw_tint tint, const char *label, const char *fmt, ...)
    JW_PRINTF(4, 5);

/* The same, not wrapped, for what users copy: a command or a path. `label` NULL: the text has the tint.
 * "   # a remark" behind a command is in lines of its own below it. */
void jw_page_whole(struct jw_page *p, enum jw_tint tint, const char *label, const char *fmt, ...)
    JW_PRINTF(4, 5);

/* Sentences, of which the first has the label. */
void jw_page_texts(struct jw_page *p, enum jw_tint tint, const char *label, const char *const *list,
                   size_t n);

/* Prints the commands to type as they are pasted, each in one line, whatever its length. */
void jw_page_advice(struct jw_page *p, const char *const *list, size_t n);

/* Prints a report in the order of its rows: a row with a function calls it, and a row with a label is a line
 * (a text, a name, yes or no, a list or object of texts). A row whose member is absent prints nothing, and an
 * empty value is no line. */
void jw_page_rows(struct jw_page *p, enum jw_tint tint, const struct jw_row *rows, const void *of);

/* For the rows jw_run_says: the notes of a struct jw_run, and what to do. */
void jw_page_says(struct jw_page *p, const void *run);

/* "and 3 more files (--verbose lists all)" where not all are `shown`. `label` NULL: a sentence, else a line below one. */
void jw_page_more(struct jw_page *p, const char *label, uint64_t shown, uint64_t all, const char *one,
                  const char *many);

/* The lines of a file: indented, not wrapped, with control characters escaped. */
void jw_page_lines(struct jw_page *p, size_t indent, const char *text);

void jw_page_table(struct jw_page *p, const struct jw_table *t);

/* A sink that counts the rows of a terminal of `width` columns. Set `line` and `width`, zero the rest. */
struct jw_row_counter {
    struct jw_buf line; /* JW_BUF(JW_MAX_LINE) */
    size_t width;
    size_t n;
};

struct jw_sink jw_row_counter_sink(struct jw_row_counter *r);

#endif
