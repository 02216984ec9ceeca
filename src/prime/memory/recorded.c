#include "prime/memory/recorded.h"

#include "base/command.h"
#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/format/digest_set.h"
#include "cache/place/lookup.h"
#include "cache/place/other_caches.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "machine/shell.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "pack/kit/kit.h"
#include "prime/memory/programs.h"
#include "prime/memory/same_file.h"
#include "prime/memory/started.h"
#include "session/lines.h"

#include <string.h>

char *jw_prime_command(const char *const *argv)
{
    struct jw_buf b = JW_BUF((size_t)4 << 20); /* more than any system allows */
    char *text;

    jw_command_key(&b, argv);
    text = jw_strdup(jw_buf_cstr(&b));
    jw_buf_free(&b);
    return text;
}

/* ---- the files that its words name: its program, a script, a model ---- */

#define QUESTION "file "
#define IN_FOLDER "working folder"
#define LOADING "module loading"
#define REAL_FOLDER "real folder of "

enum { MAX_NAMED = 64 };

/* Between the words of a shell's line. */
#define SEPARATORS " \t\n;&|()<>"

/* The driver's own library is known by its build. */
static void name_file(struct prime_named *named, const char *word, struct jw_arena *a)
{
    struct jw_err ignored;
    const char *here = NULL;

    if (!jw_path_absolute(word) && !jw_real_path(".", a, &here, &ignored))
        here = NULL;

    /* A link is not resolved: it may lead elsewhere later. */
    const char *path = here ? jw_path_join(a, here, word) : word,
               *facts = jw_is_file(path) ? prime_file_facts(path, a) : NULL;

    if (jw_is_folder(path) && *word) {
        prime_place_add(&named->places, path, false, a);
        named->folder = here ? here : named->folder;
        return;
    }
    if (!facts || jw_is_libcuda(jw_path_base(path)))
        return;
    if (named->n == MAX_NAMED) {
        named->places.more = true;
        return;
    }
    if (prime_is_program(path)) /* a program that was written again while the command ran may be unchanged */
        facts = prime_file_record(path, facts, &(struct jw_digests){ .a = a },
                                  &(uint64_t){ PRIME_MAX_DIGESTED }, a);
    named->files[named->n++] = (struct jw_warm_answer){ jw_arena_printf(a, QUESTION "%s", path), facts };
    prime_place_add(&named->places, jw_path_dir(a, path), true, a);
    named->folder = here ? here : named->folder;
}

/* Takes the next word of a shell's line, without its quotes; nothing is expanded. `out` has room for the rest of the
 * line. */
static bool next_shell_word(const char **line, char *out)
{
    const char *at = *line + strspn(*line, SEPARATORS), *begin = at;
    char quote = 0;

    for (; *at && (quote || !strchr(SEPARATORS, *at)); at++)
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && at[1] && quote != '\'')
            *out++ = *++at;
        else
            *out++ = *at;
    *out = 0;
    *line = at;
    return at > begin;
}

/* True for -c, -lc, -ec: the next word is a line for a shell, as "cd DIR && ./start.sh". */
static bool is_before_line(const char *word)
{
    size_t n = strlen(word);

    return n > 1 && word[0] == '-' && word[1] != '-' && word[n - 1] == 'c';
}

static void name_inside(struct prime_named *named, const char *line, struct jw_arena *a)
{
    char *word = jw_arena_alloc(a, strlen(line) + 1);

    while (next_shell_word(&line, word))
        name_file(named, jw_arena_str(a, word), a);
}

/* Remembers where the folders of the programs and of the script are: behind a link, another release or environment may
 * take their place, with the same program in it. */
static void find_links(struct prime_named *named, struct jw_arena *a)
{
    size_t n = named->n < named->n_start ? named->n : named->n_start;

    named->links = jw_arena_alloc(a, (n + 1) * sizeof *named->links);
    for (size_t i = 0; i < n; i++) {
        const char *folder = jw_path_dir(a, named->files[i].question + sizeof QUESTION - 1), *real;
        struct jw_err ignored;

        if (jw_real_path(folder, a, &real, &ignored))
            named->links[named->n_links++] =
                (struct jw_warm_answer){ jw_arena_printf(a, REAL_FOLDER "%s", folder), real };
    }
}

void prime_name_files(const char *const *words, struct jw_arena *a, struct prime_named *out)
{
    *out = (struct prime_named){ .files = jw_arena_alloc(a, MAX_NAMED * sizeof *out->files) };
    if (!words || !words[0])
        return;
    const char *program = jw_process_program(words[0], a);

    prime_started_find(words, a, &out->started, &out->n_started);
    for (size_t i = 0; i < out->n_started; i++)
        name_file(out, out->started[i].answer, a);
    out->n_start = (out->n ? out->n : 1) + 1;
    for (size_t i = program && program != words[0]; words[i]; i++) {
        const char *value = words[i][0] == '-' ? strchr(words[i], '=') : NULL;

        name_file(out, value ? value + 1 : words[i], a);
        if (i && is_before_line(words[i - 1]))
            name_inside(out, words[i], a);
    }
    find_links(out, a);
    prime_places_see(&out->places, a);
}

static bool is_of_link(const struct jw_warm_answer *answer)
{
    return jw_text_starts(answer->question, REAL_FOLDER);
}

static const char *link_change(const struct jw_warm_loads *then, struct jw_arena *a)
{
    for (size_t i = 0; i < then->n_answers; i++) {
        const struct jw_warm_answer *was = &then->answers[i];
        const char *folder = was->question + sizeof REAL_FOLDER - 1, *real;
        struct jw_err ignored;

        if (is_of_link(was) && jw_real_path(folder, a, &real, &ignored) && strcmp(real, was->answer) != 0)
            return jw_arena_printf(a, "the folder %s is now %s, and not %s, which was recorded", folder, real,
                                   was->answer);
    }
    return NULL;
}

static bool is_named_file(const struct jw_warm_answer *answer)
{
    return jw_text_starts(answer->question, QUESTION);
}

static bool has_changed(const struct jw_warm_answer *file, struct jw_digests *d, struct jw_arena *a)
{
    const char *path = file->question + sizeof QUESTION - 1;

    return !jw_is_file(path) || !prime_file_is(path, file->answer, d, a);
}

void prime_named_start(const struct prime_named *named, struct jw_arena *a, struct prime_begun *out)
{
    const char **files = jw_arena_alloc(a, (named->n_start + 1) * sizeof *files),
               **facts = jw_arena_alloc(a, (named->n_start + 1) * sizeof *facts);

    out->folder = named->folder ? named->folder : "";
    out->nowhere = "";
    out->files = files;
    out->facts = facts;
    for (out->n_files = 0; out->n_files < named->n_start && out->n_files < named->n; out->n_files++) {
        files[out->n_files] = named->files[out->n_files].question + sizeof QUESTION - 1;
        facts[out->n_files] = named->files[out->n_files].answer;
    }
}

bool prime_has_commands(const struct jw_warm_state *memory, struct jw_arena *a)
{
    struct prime_begun *ignored;

    return memory->n_recorded || prime_begun_list(memory, a, &ignored);
}

/* The answer with the program's present digest, if it is still the program that was started. */
static struct jw_warm_answer with_digest(const struct jw_warm_answer *file, struct prime_digesting *d)
{
    const char *path = file->question + sizeof QUESTION - 1;

    return (struct jw_warm_answer){ file->question,
                                    prime_file_record(path, file->answer, d->known, &d->room, d->a) };
}

void prime_record_named(const struct prime_named *named, const char *const *loaded, size_t n,
                        const struct prime_sources *sources, struct prime_digesting *d,
                        struct jw_warm_loads *out)
{
    struct jw_arena *a = d->a;
    struct jw_warm_answer *in_places, *of_loaded, *of_sources, *kept;
    size_t n_in_places, n_loaded, n_sources;

    prime_sources_record(sources, d, &of_sources, &n_sources);
    prime_loaded_record(loaded, n, d, &of_loaded, &n_loaded);
    prime_places_record(&named->places, d, &in_places, &n_in_places);
    kept = jw_arena_alloc(
        a, (named->n_started + named->n_links + named->n + n_in_places + n_loaded + n_sources + 2)
               * sizeof *kept);
    out->n_answers = 0;
    for (size_t i = 0; i < named->n_started; i++)
        kept[out->n_answers++] = named->started[i];
    for (size_t i = 0; i < named->n_links; i++)
        kept[out->n_answers++] = named->links[i];
    for (size_t i = 0; i < named->n; i++) {
        const struct jw_warm_answer *file = &named->files[i];

        if (i < named->n_start || !has_changed(file, d->known, a))
            kept[out->n_answers++] = with_digest(file, d);
    }
    if (named->folder)
        kept[out->n_answers++] = (struct jw_warm_answer){ IN_FOLDER, named->folder };
    for (size_t i = 0; i < n_in_places; i++)
        kept[out->n_answers++] = in_places[i];
    for (size_t i = 0; i < n_loaded; i++)
        kept[out->n_answers++] = of_loaded[i];
    for (size_t i = 0; i < n_sources; i++)
        kept[out->n_answers++] = of_sources[i];
    out->answers = kept;
}

static void take_named(const struct jw_warm_loads *from, struct jw_arena *a, struct jw_warm_loads *out)
{
    struct jw_warm_answer *kept = jw_arena_alloc(a, (from->n_answers + 1) * sizeof *kept);

    out->n_answers = 0;
    for (size_t i = 0; i < from->n_answers; i++)
        if (is_named_file(&from->answers[i]) || prime_is_of_place(&from->answers[i])
            || prime_is_of_started(&from->answers[i]) || is_of_link(&from->answers[i])
            || prime_is_of_sources(&from->answers[i]) || strcmp(from->answers[i].question, IN_FOLDER) == 0)
            kept[out->n_answers++] = from->answers[i];
    out->answers = kept;
}

static const char *named_change(const struct jw_warm_loads *then, const struct jw_trace *now)
{
    const char *changed;

    for (size_t i = 0; i < then->n_answers; i++)
        if (is_named_file(&then->answers[i]) && has_changed(&then->answers[i], now->digests, now->a))
            return then->answers[i].question + sizeof QUESTION - 1;
    changed = prime_place_change(then, now->digests, now->a);
    for (size_t i = 0; !changed && i < then->n_answers; i++)
        if (prime_is_of_sources(&then->answers[i]))
            changed = prime_sources_change(&then->answers[i], now);
    return changed;
}

/* If only the bytes of a file are the same: makes the record with the files as they are now, so that the next run need
 * not read them. False: all is as it was recorded. */
static bool is_renewed(const struct jw_warm_loads *then, const struct jw_trace *now,
                       struct jw_warm_loads *out)
{
    struct jw_arena *a = now->a;

    struct jw_warm_answer *answers = jw_arena_alloc(a, (then->n_answers + 1) * sizeof *answers);
    bool renewed = false;

    for (size_t i = 0; i < then->n_answers; i++) {
        const struct jw_warm_answer *one = &then->answers[i];
        const char *path = is_named_file(one) ? one->question + sizeof QUESTION - 1 : prime_place_path(one),
                   *text = path                       ? prime_file_renewed(path, one->answer, a)
                           : prime_is_of_sources(one) ? prime_sources_renewed(one, now)
                                                      : NULL;

        answers[i] = (struct jw_warm_answer){ one->question, text ? text : one->answer };
        renewed |= text != NULL;
    }
    *out = *then;
    out->answers = answers;
    return renewed;
}

/* Returns the command's program; NULL: it was not recorded. */
static const char *first_named(const struct jw_warm_loads *then)
{
    for (size_t i = 0; i < then->n_answers; i++)
        if (is_named_file(&then->answers[i]))
            return then->answers[i].question + sizeof QUESTION - 1;
    return NULL;
}

/* Does one of its words name this, and not only its folder? */
static bool names_it(const struct jw_warm_loads *then, const char *path)
{
    for (size_t i = 0; i < then->n_answers; i++)
        if (is_named_file(&then->answers[i])
            && strcmp(then->answers[i].question + sizeof QUESTION - 1, path) == 0)
            return true;
    return false;
}

const char *prime_named_gone(const struct jw_warm_loads *then)
{
    for (size_t i = 0; i < then->n_answers; i++)
        if (is_named_file(&then->answers[i]) && jw_is_absent(then->answers[i].question + sizeof QUESTION - 1))
            return then->answers[i].question + sizeof QUESTION - 1;
    return prime_place_gone(then);
}

/* ---- how the driver loads modules ---- */

/* Does CUDA load all modules at the start, used or not? Else each is loaded when it is used first, and a record may have
 * a part of them. */
static bool is_eager(const char *value)
{
    return value && strcmp(value, "EAGER") == 0;
}

static bool is_eager_here(struct jw_arena *a)
{
    return is_eager(jw_env(a, PRIME_LOADING));
}

struct jw_warm_answer prime_loading(struct jw_arena *a)
{
    return (struct jw_warm_answer){ LOADING, is_eager_here(a) ? "EAGER" : "" };
}

static bool was_eager(const struct jw_warm_loads *then)
{
    for (size_t i = 0; then && i < then->n_answers; i++)
        if (strcmp(then->answers[i].question, LOADING) == 0)
            return is_eager(then->answers[i].answer);
    return false;
}

/* ---- from which folders it may load other libraries ---- */

#define LIBRARIES "LD_LIBRARY_PATH"

struct jw_warm_answer prime_libraries(struct jw_arena *a)
{
    return (struct jw_warm_answer){ LIBRARIES, jw_trace_folders(jw_env(a, LIBRARIES), false, a) };
}

static bool same_libraries(const struct jw_warm_loads *then, const struct jw_trace *now)
{
    for (size_t i = 0; i < then->n_answers; i++)
        if (strcmp(then->answers[i].question, LIBRARIES) == 0)
            return strcmp(then->answers[i].answer, jw_trace_libraries(now)) == 0;
    return true;
}

/* ---- do they hold? ---- */

bool prime_is_of_machine(const char *question)
{
    return jw_trace_is_setting(question) || strcmp(question, JW_TRACE_GPUS) == 0
           || strcmp(question, JW_TRACE_DRIVERS_GPUS) == 0;
}

enum jw_trace_state prime_same_machine(const struct jw_warm_loads *then, const struct jw_trace *now,
                                       const char **what)
{
    struct jw_warm_answer *of_machine = jw_arena_alloc(now->a, (then->n_answers + 1) * sizeof *of_machine);
    struct jw_warm_receipt trace = { .answers = of_machine };

    for (size_t i = 0; i < then->n_answers; i++)
        if (prime_is_of_machine(then->answers[i].question))
            of_machine[trace.n_answers++] = then->answers[i];
    enum jw_trace_state state = jw_trace_replay(&trace, now, what);

    if (state == JW_TRACE_CHANGED)
        return state;
    if (!same_libraries(then, now)) {
        *what = JW_TRACE_SETTING LIBRARIES;
        return JW_TRACE_CHANGED;
    }
    *what = is_eager_here(now->a) && !was_eager(then) ? "by " PRIME_LOADING
                                                        "=EAGER starts load modules that were not recorded"
                                                      : prime_started_change(then, now->a);
    if (!*what)
        *what = link_change(then, now->a);
    if (!*what)
        *what = named_change(then, now);
    return *what ? JW_TRACE_CHANGED : state;
}

enum why {
    SAME,
    CACHE_GONE,
    IN_PART,
    NOT_TO_ITS_END,
    MORE,
    UNRECORDED,
    NOWHERE,
    UNKEPT,
    OTHER_GPUS,
    OTHER_SETTINGS,
    OTHER_DRIVER,
    OTHER_PROGRAM,
    OTHER_FILES,
    FAILED,
    WHYS
};

struct looking {
    const struct prime_recorded_asked *asked;
    struct jw_cache_lookup lookup;
    const uint64_t *planned; /* sorted */
    struct prime_recorded *out;
    uint64_t unsure[WHYS]; /* commands, by the reason why they are unsure */
    const struct prime_begun *begun;
    size_t n_begun;
    const struct prime_begun *nowhere; /* the first command for which the driver keeps nothing */
    const struct prime_begun *unkept;  /* the first that compiles at each start for another reason */
    const struct prime_begun *failed;  /* the first that would be started again, and failed like this */
    /* the first changed file that a command names or has beside it */
    const char *changed;
    const struct jw_warm_loads *changed_of; /* the loads of that command */
    const char *setting;    /* the first variable that has another value than at the recorded start */
    const char *program;    /* which program is another one now: a sentence */
    const char *cache_gone; /* files that the first command lacks in another compiler's cache: a sentence */
};

/* `loads` names command and build. */
static enum why why_unsure(struct looking *l, const struct jw_warm_loads *loads)
{
    const struct jw_warm_loads *then = jw_warm_machine(l->asked->memory, loads->key, loads->build);
    const char *what;

    if (!then)
        return UNRECORDED;
    enum jw_trace_state state = prime_same_machine(then, l->asked->now, &what);

    if (!l->out->unwatched)
        l->out->unwatched = prime_place_unwatched(then, l->asked->now->a);
    l->out->gpus_unknown |= state == JW_TRACE_ASK_DRIVER;
    if (state == JW_TRACE_CHANGED && !prime_is_of_machine(what) && !jw_path_absolute(what)) {
        l->program = l->program ? l->program : what;
        return OTHER_PROGRAM;
    }
    if (state == JW_TRACE_CHANGED && !prime_is_of_machine(what)) {
        l->changed_of = l->changed ? l->changed_of : then;
        l->changed = l->changed ? l->changed : what;
        return OTHER_FILES;
    }
    if (state != JW_TRACE_CHANGED)
        return SAME;
    if (!jw_trace_is_setting(what))
        return OTHER_GPUS;
    l->setting = l->setting ? l->setting : jw_trace_words(what);
    return OTHER_SETTINGS;
}

static const char *program_of(const struct looking *l, const struct jw_warm_loads *loads)
{
    const struct jw_warm_loads *then = jw_warm_machine(l->asked->memory, loads->key, loads->build);

    return then ? first_named(then) : NULL;
}

/* Returns a sentence where the compiler that keeps this cache was replaced in the command's environment: a compiler
 * finds nothing of another version. */
static const char *find_other_version(struct looking *l, const struct jw_kit_cache *c,
                                      const struct jw_warm_loads *loads)
{
    struct jw_arena *a = l->asked->now->a;
    const char *program[] = { program_of(l, loads), NULL };
    const char *now = program[0] ? jw_kit_version_here(l->asked->now->listings, c->name, program, a) : NULL;

    return now && c->version && strcmp(now, c->version) != 0 ? jw_arena_printf(
               a, "%.80s was recorded with %s, and %s is here now", loads->key, c->version, now)
                                                             : NULL;
}

/* Returns a sentence where packages of the command's environment came, went or have other versions: kernels that are
 * compiled while it runs are in any of them. */
static const char *find_other_packages(struct looking *l, const struct jw_kit *kit,
                                       const struct jw_warm_loads *loads)
{
    struct jw_arena *a = l->asked->now->a;
    const char *program[] = { program_of(l, loads), NULL };
    const char *now =
        program[0] && kit->packages ? jw_kit_packages_here(l->asked->now->listings, program, a) : NULL;

    return now && strcmp(now, kit->packages) != 0 ? jw_arena_printf(
               a, "the packages of the environment have changed since %.80s was recorded", loads->key)
                                                  : NULL;
}

/* Returns why the next start makes files in other compilers' caches again: they are not as they were recorded, or of no
 * use to the compiler that is here. NULL: it makes none. */
static const char *find_cache_gone(struct looking *l, const struct jw_warm_loads *loads)
{
    const char *command = loads->key, *other;
    struct jw_arena *a = l->asked->now->a;
    struct jw_err unread = { 0 };
    struct jw_kit_record r;

    if (!jw_kit_recall(command, a, &r, &unread))
        return NULL;
    for (size_t i = 0; i < r.kit.n_caches; i++) {
        if ((other = find_other_version(l, &r.kit.caches[i], loads)))
            return other;

        const struct jw_kit_count c = jw_kit_count(&r.kit, i, a);
        uint64_t lacks = c.recorded - c.files;

        if (lacks)
            return jw_arena_printf(a, "%s of %s of %s's cache that %.80s uses %s %s", JW_NUM(lacks),
                                   JW_N(c.recorded, "file", "files"),
                                   jw_compiler_cache_owner(r.kit.caches[i].name), command,
                                   lacks == 1 ? "is" : "are",
                                   !c.changed           ? "gone"
                                   : c.changed == lacks ? "changed"
                                                        : "gone or changed");
        if ((other = jw_kit_newer_source(&r, i, a)))
            return jw_arena_printf(a, "%s was written after %.80s compiled its kernels", other, command);
    }
    return r.kit.n_caches ? find_other_packages(l, &r.kit, loads) : NULL;
}

/* Counts the entries of a command, and how many are in the cache. If a file that it names or loads has changed, none
 * counts as planned: it is not known which came from that file. */
static void look_at(struct looking *l, const struct jw_warm_loads *loads, enum why why)
{
    for (size_t i = 0; i < loads->n; i++) {
        uint64_t name = loads->list[i].name;

        if (jw_find_u64(l->planned, l->asked->n_planned, sizeof *l->planned, name))
            continue;
        bool found = jw_cache_finds_name(&l->lookup, name);

        l->out->loads++;
        l->out->found += found;
        if (!found && (why == OTHER_FILES || !jw_warm_origin(l->asked->memory, name)))
            l->out->lost[l->out->n_lost++] = name;
    }
}

static const char *folder_of(const struct jw_warm_loads *then)
{
    for (size_t i = 0; then && i < then->n_answers; i++)
        if (strcmp(then->answers[i].question, IN_FOLDER) == 0)
            return then->answers[i].answer;
    return NULL;
}

bool prime_is_in_its_folder(const struct jw_warm_loads *then, struct jw_arena *a)
{
    const char *folder = folder_of(then), *here;
    struct jw_err ignored;

    return !folder || !jw_real_path(".", a, &here, &ignored) || strcmp(folder, here) == 0;
}

static bool has_same_files(const struct prime_begun *b, struct jw_digests *digests, struct jw_arena *a)
{
    bool same = b->n_facts == b->n_files;

    for (size_t i = 0; same && i < b->n_files; i++)
        same = !has_changed(
            &(struct jw_warm_answer){ jw_arena_printf(a, QUESTION "%s", b->files[i]), b->facts[i] }, digests,
            a);
    return same;
}

static bool is_as_it_was_started(const struct looking *l, const struct prime_begun *b)
{
    return has_same_files(b, l->asked->now->digests, l->asked->now->a);
}

const struct prime_begun *prime_still_unkept(const struct jw_warm_state *memory, const char *command,
                                             struct jw_digests *digests, struct jw_arena *a)
{
    struct prime_begun *list;
    size_t n = prime_begun_list(memory, a, &list);

    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].key, command) == 0 && prime_compiles_always(&list[i])
            && has_same_files(&list[i], digests, a))
            return &list[i];
    return NULL;
}

static bool still_fails(const struct looking *l, const struct prime_begun *b)
{
    return b->failed && jw_text_same(b->build, l->asked->build) && is_as_it_was_started(l, b);
}

/* Returns the recording of a start that failed as the next one would; NULL: another start may show more. */
static const struct prime_begun *find_failed(const struct looking *l, const char *command)
{
    for (size_t i = 0; i < l->n_begun; i++)
        if (strcmp(l->begun[i].key, command) == 0 && still_fails(l, &l->begun[i]))
            return &l->begun[i];
    return NULL;
}

/* `loads` names command and build. One that came with a pack has a name in place of its words. */
static void start_again(struct looking *l, const struct jw_warm_loads *loads)
{
    const struct prime_begun *failed = find_failed(l, loads->key);

    l->failed = l->failed ? l->failed : failed;
    if (l->out->again || failed || jw_warm_is_alias(loads->key))
        return;
    l->out->again = loads->key;
    l->out->folder = folder_of(jw_warm_machine(l->asked->memory, loads->key, loads->build));
}

/* Is the program or script gone, so that the command cannot be started? */
static bool can_no_more(const struct looking *l, const struct jw_warm_loads *loads)
{
    const struct jw_warm_loads *then = jw_warm_machine(l->asked->memory, loads->key, loads->build);

    return then && prime_named_gone(then);
}

const char *prime_recorded_start(const struct jw_warm_state *memory, const char **folder)
{
    const struct prime_recorded_asked asked = { .memory = memory };
    struct prime_recorded found = { 0 };
    struct looking l = { .asked = &asked, .out = &found };

    for (size_t i = 0; i < memory->n_commands; i++)
        for (size_t k = 0; k < memory->commands[i].n_loads; k++)
            if (!can_no_more(&l, &memory->commands[i].loads[k]))
                start_again(&l, &memory->commands[i].loads[k]);
    *folder = found.folder;
    return found.again;
}

/* True if the next start would go as the last one, for which the driver kept nothing. Earlier records do not
 * count then. */
static bool still_keeps_nothing(const struct looking *l, const struct prime_begun *b)
{
    return prime_keeps_nothing(b) && is_as_it_was_started(l, b);
}

static bool is_kept(const struct looking *l, const char *command)
{
    for (size_t i = 0; i < l->n_begun; i++)
        if (strcmp(l->begun[i].key, command) == 0 && still_keeps_nothing(l, &l->begun[i]))
            return false;
    return true;
}

static void look_at_command(struct looking *l, const struct jw_warm_loads *loads)
{
    uint64_t missing = l->out->loads - l->out->found;
    bool over = can_no_more(l, loads);
    enum why why = why_unsure(l, loads);

    l->out->n++;
    if (!over) /* else no start misses entries */
        look_at(l, loads, why);
    const char *gone = why == SAME ? find_cache_gone(l, loads) : NULL;
    const struct jw_warm_loads *then = jw_warm_machine(l->asked->memory, loads->key, loads->build);

    if (why == SAME && then && is_renewed(then, l->asked->now, &l->out->renewed[l->out->n_renewed]))
        l->out->n_renewed++;

    why = gone ? CACHE_GONE : why;
    l->cache_gone = l->cache_gone ? l->cache_gone : gone;
    l->unsure[why]++;
    if ((why != SAME || l->out->loads - l->out->found > missing) && !over)
        start_again(l, loads);
}

/* True if the command was recorded again and chooses another cache now: its modules are counted for that
 * cache. */
static bool has_moved_on(const struct prime_recorded_asked *asked, const struct jw_warm_command *c)
{
    return *c->cache && asked->cache && strcmp(c->cache, asked->cache) != 0;
}

/* Returns what the command loaded with the newest driver build with which it loaded anything; NULL: nothing. */
static const struct jw_warm_loads *last_loads(const struct jw_warm_command *c)
{
    for (size_t i = c->n_loads; i-- > 0;)
        if (c->loads[i].n)
            return &c->loads[i];
    return NULL;
}

/* Did the command load no entry when it was recorded, with this driver build or with an unknown one? */
static bool loads_nothing(const struct prime_recorded_asked *asked, const struct jw_warm_command *c)
{
    const struct jw_warm_loads *here = jw_warm_machine(asked->memory, c->key, asked->build);

    return c->recorded && !c->n && c->when && (!last_loads(c) || (here && !here->n));
}

static void look_at_all(struct looking *l)
{
    const struct jw_warm_state *memory = l->asked->memory;

    for (size_t i = 0; i < memory->n_commands; i++) {
        const struct jw_warm_command *c = &memory->commands[i];
        const struct jw_warm_loads none = { .key = c->key, .build = l->asked->build }, *loads = NULL;

        for (size_t k = 0; k < c->n_loads && !loads; k++)
            if (c->loads[k].n && strcmp(c->loads[k].build, l->asked->build) == 0)
                loads = has_moved_on(l->asked, c) ? NULL : &c->loads[k];
        if (loads_nothing(l->asked, c))
            loads = &none;
        if (loads && is_kept(l, c->key))
            look_at_command(l, loads);
    }
}

/* Counts recordings that did not come to their end, also of commands that were recorded before: another start
 * may load more than is recorded. */
static void look_at_begun(struct looking *l)
{
    const struct jw_warm_state *memory = l->asked->memory;
    const struct prime_begun *list = l->begun;

    for (size_t i = 0; i < l->n_begun; i++) {
        if (l->asked->command && strcmp(l->asked->command, list[i].key) != 0)
            continue;
        if (prime_keeps_nothing(&list[i])) {
            if (!still_keeps_nothing(l, &list[i]))
                continue;
            l->unsure[NOWHERE]++;
            l->nowhere = l->nowhere ? l->nowhere : &list[i];
            continue;
        }
        if (prime_compiles_always(&list[i])) {
            if (!is_as_it_was_started(l, &list[i]))
                continue;
            l->unsure[UNKEPT]++;
            l->unkept = l->unkept ? l->unkept : &list[i];
            continue;
        }
        if (list[i].failed && (jw_warm_profile(memory, list[i].key) || !still_fails(l, &list[i])))
            continue; /* its record says what it needs */
        if (list[i].failed) {
            l->unsure[FAILED]++;
            l->failed = l->failed ? l->failed : &list[i];
            continue;
        }
        l->out->n += !jw_warm_profile(memory, list[i].key);
        l->unsure[list[i].unrecorded ? MORE : list[i].left ? IN_PART : NOT_TO_ITS_END]++;
        if (!l->out->again) {
            l->out->again = list[i].key;
            l->out->folder = *list[i].folder ? list[i].folder : NULL;
        }
    }
}

static void look_at_one(struct looking *l, const char *command)
{
    const struct jw_warm_loads *loads = jw_warm_loads(l->asked->memory, command, l->asked->build);

    if (loads && is_kept(l, command))
        look_at_command(l, loads);
}

/* ---- recorded with another driver build ---- */

/* Returns what a command loaded last with another driver build; NULL: it has a record of this build, or none at all. */
static const struct jw_warm_loads *of_other_build(const struct prime_recorded_asked *asked,
                                                  const struct jw_warm_command *c)
{
    return jw_warm_loads(asked->memory, c->key, asked->build)
                   || jw_warm_machine(asked->memory, c->key, asked->build) || has_moved_on(asked, c)
                   || (asked->command && strcmp(asked->command, c->key) != 0)
               ? NULL
               : last_loads(c);
}

/* Are all modules of the command planned, and did it load nothing else? `list`: their entries here, or none where not
 * all are warm. */
static bool is_planned(struct looking *l, struct jw_arena *a, const struct jw_warm_loads *then,
                       struct jw_warm_loads *list)
{
    const struct prime_recorded_asked *asked = l->asked;
    const struct jw_warm_command *p = jw_warm_profile(asked->memory, then->key);
    struct jw_warm_load *entries = jw_arena_alloc(a, (asked->n_planned + 1) * sizeof *entries);
    size_t n = 0, warm = 0;

    for (size_t i = 0; i < then->n; i++)
        if (then->list[i].once)
            return false;
    for (size_t i = 0; p && p->n && i < asked->n_planned; i++) {
        const struct jw_job *j = &asked->planned[i];

        if (!jw_digest_among(p->ids, p->n, j->id))
            continue;
        entries[n++].name = j->name;
        warm += j->name && jw_job_is_warm(j);
    }
    *list = (struct jw_warm_loads){
        .key = then->key, .build = asked->build, .list = entries, .n = warm == n ? n : 0
    };
    take_named(then, a, list);
    return n && n == p->n;
}

/* Looks at commands that were recorded with another driver build alone. A run without PATH plans their modules, and on
 * the same machine these are the same code. */
static void look_at_other_builds(struct looking *l, struct jw_arena *a)
{
    const struct jw_warm_state *memory = l->asked->memory;

    l->out->carried = jw_arena_alloc(a, (memory->n_commands + 1) * sizeof *l->out->carried);
    for (size_t i = 0; i < memory->n_commands; i++) {
        const struct jw_warm_loads *then = of_other_build(l->asked, &memory->commands[i]);
        struct jw_warm_loads *carried = &l->out->carried[l->out->n_carried];

        if (!then || !is_kept(l, then->key))
            continue;
        /* status plans nothing and does not know other changes, so only the driver is named. */
        bool same = is_planned(l, a, then, carried) && why_unsure(l, then) == SAME;

        l->unsure[same ? SAME : OTHER_DRIVER]++;
        if (!same && can_no_more(l, then))
            l->out->gone = true;
        else if (!same)
            start_again(l, then);
        l->out->n_carried += same && carried->n;
    }
}

/* Is it a source file, and not known as one beside its script? */
static bool was_read_alone(const struct looking *l)
{
    return !prime_place_knew(l->changed_of, l->changed)
           && prime_was_read(l->changed_of, l->changed, l->asked->now->a);
}

/* Is what changed a new file, and not a folder that cannot be compared? */
static bool is_new(const struct looking *l)
{
    return jw_is_file(l->changed) && !names_it(l->changed_of, l->changed)
           && !prime_place_knew(l->changed_of, l->changed) && !prime_was_loaded(l->changed_of, l->changed)
           && !was_read_alone(l);
}

static const char *words_of(const struct looking *l, struct jw_arena *a)
{
    static const char *const words[WHYS] = { [OTHER_GPUS] = "started with other GPUs",
                                             [OTHER_SETTINGS] = "started with other settings",
                                             [OTHER_DRIVER] = "started with another driver" };
    uint64_t n;

    if (l->failed && !l->out->again)
        return jw_arena_printf(a,
                               "%.80s ended with exit code %llu before it loaded a module, and what it loads "
                               "here is not recorded",
                               l->failed->key, (unsigned long long)l->failed->failed);
    for (unsigned why = OTHER_GPUS; why < OTHER_PROGRAM; why++)
        if ((n = l->unsure[why]))
            return jw_arena_printf(a, "%s %s%s%s", JW_N(n, "recorded command was", "recorded commands were"),
                                   words[why], why == OTHER_SETTINGS ? ": " : "",
                                   why == OTHER_SETTINGS ? l->setting : "");
    if (l->program)
        return l->program;
    if (l->changed)
        return jw_arena_printf(a, "%s since a command that %s was recorded: %s",
                               jw_is_absent(l->changed) ? "gone"
                               : is_new(l)              ? "new"
                                                        : "changed",
                               names_it(l->changed_of, l->changed)           ? "names it"
                               : prime_was_loaded(l->changed_of, l->changed) ? "loads it"
                               : was_read_alone(l)                           ? "reads it"
                                                                             : "names its folder",
                               l->changed);
    if ((n = l->unsure[NOT_TO_ITS_END]))
        return jw_arena_printf(a, "the start of %s was not recorded to its end",
                               JW_N(n, "command", "commands"));
    if ((n = l->unsure[IN_PART]))
        return jw_arena_printf(a, "%s in the background, and what it loads there was not recorded",
                               JW_N(n, "recorded command goes on", "recorded commands go on"));
    if ((n = l->unsure[MORE]))
        return jw_arena_printf(a, "a start of %s compiled what no recorded start of it loads",
                               JW_N(n, "command", "commands"));
    if (l->cache_gone)
        return l->cache_gone;
    n = l->unsure[UNRECORDED];
    l->out->every = (l->nowhere || l->unkept) && !n;
    if (l->out->every)
        return prime_begun_every(l->nowhere ? l->nowhere : l->unkept, a);
    return n ? jw_arena_printf(a, "with which GPUs %s started is not known",
                               JW_N(n, "recorded command was", "recorded commands were"))
             : NULL;
}

static const char *value_here(const void *of, const char *name, struct jw_arena *a)
{
    const char *value = jw_env(a, name);

    (void)of;
    return value && *value ? value : NULL;
}

static const char *value_there(const void *of, const char *name, struct jw_arena *a)
{
    const char *value = jw_env_set_value(of, name);

    (void)a;
    return value && *value ? value : NULL;
}

/* Returns the variable by which programs of that login look for this cache elsewhere; NULL: they do not. */
static const char *moved_by(const struct jw_kit_cache *c, const struct jw_env_set *there, struct jw_arena *a)
{
    const struct jw_other_env here = { .value = value_here }, login = { value_there, there };
    const char *variable = NULL;

    if (c->place && *c->place == '$') {
        variable = jw_arena_text(a, c->place + 1, strcspn(c->place + 1, "/"));
        return jw_text_same(value_here(NULL, variable, a), value_there(there, variable, a)) ? NULL : variable;
    }
    return jw_other_cache_differs(c->name, here, login, a, &variable) ? variable : NULL;
}

/* Returns a sentence where programs of that login look elsewhere for what this command keeps in a compiler's cache;
 * NULL: they do not. */
static const char *caches_apart(const char *command, const struct jw_login_env *login, struct jw_arena *a,
                                const char **as_there)
{
    /* Compares with a new terminal where it is known: else a user in a terminal is sent back and forth
     * between it and other logins. */
    const struct jw_env_set *there = login->terminal_known ? &login->terminal : &login->sets;
    struct jw_kit_record r;
    struct jw_err unread;

    if (!jw_kit_recall(command, a, &r, &unread))
        return NULL;
    for (size_t i = 0; i < r.kit.n_caches; i++) {
        const char *name = moved_by(&r.kit.caches[i], there, a);
        const char *value = name ? value_there(there, name, a) : NULL;

        if (!name)
            continue;
        bool terminal = !jw_text_same(jw_env_set_value(&login->sets, name), value);

        *as_there = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), name, value);
        return jw_arena_printf(a, "%s has another one of %s's caches than %.80s was recorded with: %s%s%s",
                               jw_login_name(terminal), jw_compiler_cache_owner(r.kit.caches[i].name),
                               command, name, value ? "=" : " is not set there", value ? value : "");
    }
    return NULL;
}

/* Returns a sentence where the command was recorded while it loaded only the modules that it uses, and a login has it
 * load all of them; NULL: that is not so. */
static const char *eager_apart(const struct jw_warm_loads *loads, const struct jw_login_env *login,
                               struct jw_arena *a, const char **as_there)
{
    const char *value = jw_env_set_value(&login->sets, PRIME_LOADING);
    bool of_login = is_eager(value);

    if (!of_login && login->terminal_known)
        value = jw_env_set_value(&login->terminal, PRIME_LOADING);
    if (!is_eager(value) || is_eager_here(a) || was_eager(loads))
        return NULL;
    *as_there = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), PRIME_LOADING, value);
    return jw_arena_printf(a, "by " PRIME_LOADING "=EAGER %.80s loads more in %s than was recorded",
                           loads->key, jw_login_name(!of_login));
}

struct prime_recorded_at_login prime_recorded_at_login(const struct jw_warm_state *memory, uint64_t commands,
                                                       const struct jw_login_gpus *there,
                                                       const struct jw_login_env *login, struct jw_arena *a)
{
    struct prime_recorded_at_login out = { 0 };

    if (commands && there->apart) {
        out.why = jw_arena_printf(a, "%s started with other GPUs than %s shows: %s",
                                  JW_N(commands, "recorded command was", "recorded commands were"),
                                  jw_login_name(there->by->terminal_only), there->how);
        out.as_there = there->as_there;
        out.command = prime_recorded_start(memory, &out.folder);
        return out;
    }
    for (size_t i = 0; commands && login && login->known && i < memory->n_commands && !out.why; i++) {
        const struct jw_warm_command *c = &memory->commands[i];

        if (!c->n_loads || jw_warm_is_alias(c->key))
            continue;
        out.why = eager_apart(&c->loads[c->n_loads - 1], login, a, &out.as_there);
        if (!out.why)
            out.why = caches_apart(c->key, login, a, &out.as_there);
        out.command = c->key;
        out.folder = folder_of(&c->loads[c->n_loads - 1]);
    }
    return out;
}

static const uint64_t *names_of(const struct prime_recorded_asked *asked, struct jw_arena *a)
{
    uint64_t *names = jw_arena_alloc(a, (asked->n_planned + 1) * sizeof *names);

    for (size_t i = 0; i < asked->n_planned; i++)
        names[i] = asked->planned[i].name;
    if (asked->n_planned)
        jw_sort_u64(names, asked->n_planned, sizeof *names);
    return names;
}

static uint64_t *room_for_loads(const struct jw_warm_state *memory, struct jw_arena *a)
{
    size_t n = 1;

    for (size_t i = 0; i < memory->n_commands; i++)
        for (size_t k = 0; k < memory->commands[i].n_loads; k++)
            n += memory->commands[i].loads[k].n;
    return jw_arena_alloc(a, n * sizeof(uint64_t));
}

bool prime_find_recorded(const struct prime_recorded_asked *asked, struct jw_arena *a,
                         struct prime_recorded *out, struct jw_err *err)
{
    struct looking l = { .asked = asked, .planned = names_of(asked, a), .out = out };

    *out = (struct prime_recorded){ .lost = room_for_loads(asked->memory, a) };
    out->renewed = jw_arena_alloc(a, (asked->memory->n_commands + 1) * sizeof *out->renewed);
    if (!jw_cache_lookup_open(asked->cache, a, &l.lookup, err))
        return false;
    out->index = l.lookup.trouble;
    struct prime_begun *begun;

    l.n_begun = prime_begun_list(asked->memory, a, &begun);
    l.begun = begun;
    if (asked->command)
        look_at_one(&l, asked->command);
    else
        look_at_all(&l);
    look_at_other_builds(&l, a);
    look_at_begun(&l);
    jw_cache_lookup_close(&l.lookup);
    out->unsure = words_of(&l, a);
    const struct prime_begun *in_vain = l.failed ? l.failed : l.nowhere ? l.nowhere : l.unkept;

    out->look = in_vain && !out->again ? prime_begun_look(in_vain, a) : NULL;
    out->gone |= l.changed && jw_is_absent(l.changed);
    return true;
}

bool prime_recorded_state(const struct prime_recorded_asked *asked, struct jw_arena *a, uint64_t *out,
                          struct jw_err *err)
{
    const struct jw_warm_state *memory = asked->memory;
    uint64_t digest = JW_FNV_START;
    struct prime_recorded seen;

    if (!prime_find_recorded(asked, a, &seen, err))
        return false;
    if (seen.unsure)
        digest = jw_fnv1a(digest, seen.unsure, strlen(seen.unsure));
    digest = jw_fnv1a(digest, &seen.found, sizeof seen.found);
    digest = jw_fnv1a(digest, &seen.loads, sizeof seen.loads);
    for (size_t i = 0; i < memory->n_commands; i++) {
        const struct jw_warm_command *c = &memory->commands[i];

        if (!c->recorded && !c->n_loads)
            continue;
        digest = jw_fnv1a(digest, c->key, strlen(c->key) + 1);
        digest = jw_fnv1a(digest, &c->recorded, sizeof c->recorded);
        for (size_t k = 0; k < c->n_loads; k++) {
            digest = jw_fnv1a(digest, c->loads[k].build, strlen(c->loads[k].build) + 1);
            for (size_t e = 0; e < c->loads[k].n; e++)
                digest = jw_fnv1a(digest, &c->loads[k].list[e].name, sizeof c->loads[k].list[e].name);
        }
    }
    *out = digest ? digest : 1;
    return true;
}
