/* How many options there are, and that one thing is spelled in one way. */
#include "base/compiler.h"
#include "base/text.h"
#include "check.h"
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OF_PRIME = 15, MAX_OF_VERB = 11, MAX_ROWS = 110, MAX_SEEN = 2 * MAX_ROWS };

static const struct opt *seen[MAX_SEEN];
static size_t n_seen;

static size_t count(const struct opt *o)
{
    size_t n = 0;

    while (o && o[n].name)
        n++;
    return n;
}

/* What can be typed without a value is a flag. */
static const char *value_of(const struct opt *o)
{
    return o->arg && o->kind != OPT_MAYBE_CHOICE ? o->arg : "";
}

/* A letter stands for one word, and a word has one letter and takes one kind of value. False: another verb has this very row. */
static bool check_spelling(const struct opt *o)
{
    bool fresh = true;

    for (size_t i = 0; i < n_seen; i++) {
        const struct opt *other = seen[i];
        bool same = strcmp(other->name, o->name) == 0;

        CHECK(!o->short_name || same == (o->short_name == other->short_name));
        CHECK(!same || strcmp(value_of(o), value_of(other)) == 0);
        fresh &= !same || strcmp(o->help, other->help) != 0;
    }
    return fresh;
}

/* How many rows nobody had before. */
static size_t take_rows(const char *owner, const struct opt *o, size_t max)
{
    size_t n = count(o), fresh = 0;

    if (n > max)
        (void)printf("%s has %zu options\n", owner, n);
    CHECK(n <= max);
    for (size_t i = 0; i < n && n_seen < MAX_SEEN; i++) {
        fresh += check_spelling(&o[i]);
        seen[n_seen++] = &o[i];
    }
    return fresh;
}

TEST(a_verb_has_few_options)
{
    size_t rows = take_rows("every verb", jw_common_opts, MAX_OF_VERB)
                  + take_rows("a report", jw_report_opts, MAX_OF_VERB)
                  + take_rows("a cache", jw_cache_opts, MAX_OF_VERB);

    for (size_t i = 0; jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            rows += take_rows(jw_cmds[i]->name, jw_cmds[i]->opts,
                              strcmp(jw_cmds[i]->name, "prime") == 0 ? MAX_OF_PRIME : MAX_OF_VERB);
    (void)printf("%zu options\n", rows);
    CHECK(rows > MAX_OF_PRIME);
    CHECK(rows <= MAX_ROWS);
}

/* A name of a file is looked up before the work (HINT_GIVEN, HINT_NEW), but for these: a log may be a pipe, a pack's name may be a folder
 * to be filled, a key may be its text, a source is a REF, of a command the system looks for the program, and the folder of a new key
 * may be one that is made. */
TEST(files_are_looked_up_by_the_options)
{
    static const char *const others[] = { "log", "output", "pack", "trust", "source", "run", "new" };

    for (size_t i = 0; jw_cmds[i]; i++)
        for (const struct opt *o = jw_cmds[i]->opts; o && o->name; o++)
            CHECK(o->hint != HINT_FILES || jw_text_among(o->name, others, JW_COUNT(others)));
}
