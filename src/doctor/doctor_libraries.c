#include "doctor/doctor_libraries.h"

#include "base/arena.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "formats/elf.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 64, MAX_BYTES = 64 << 20, CHUNK = 1 << 20, MAX_NAME = 64, CODE_OF_PYTHON = 1 << 16 };

/* "libcudnn-463fd6d5.so.8.9.7" is libcudnn.so.8 as a wheel brings it. */
static size_t stem_length(const char *name)
{
    return strcspn(name, "-.");
}

/* ---- names in a file ---- */

static bool is_stem(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of "libX.so.12" or "libX.so" at the beginning of the text, which a zero byte ends; 0: there is none. */
static size_t name_length(struct jw_bytes text)
{
    size_t n = 0;

    while (n < text.n && is_stem(text.p[n]))
        n++;
    if (n + 4 > text.n || memcmp(text.p + n, ".so", 3) != 0)
        return 0;
    for (n += 3; n < text.n && ((text.p[n] >= '0' && text.p[n] <= '9') || text.p[n] == '.'); n++)
        ;
    return n < text.n && n < MAX_NAME && text.p[n] == 0 ? n : 0;
}

/* The name by which the loader is asked for the library; without a number it is a part of the library that names it.
 * NULL: it is no such library. */
static const char *asked_name(const char *name, const char *of, struct jw_arena *a)
{
    const struct jw_cuda_library *l = jw_cuda_library_of(name);
    size_t n = stem_length(name);

    if (!l || l->in_no_file || jw_library_major(name))
        return l && !l->in_no_file ? name : NULL;
    return of && jw_cuda_library_of(of) == l && jw_library_major(of)
                   && (n != stem_length(of) || strncmp(name, of, n) != 0)
               ? jw_arena_printf(a, "%s.%u", name, jw_library_major(of))
               : NULL;
}

const char *jw_library_name_next(struct jw_bytes text, const char *of, size_t *at, struct jw_arena *a)
{
    while (*at + 8 < text.n) {
        const uint8_t *l = memchr(text.p + *at, 'l', text.n - *at);

        if (!l)
            break;
        size_t from = (size_t)(l - text.p), n;

        *at = from + 1;
        if (text.n - from < 8 || memcmp(l, "lib", 3) != 0 || (from && is_stem(l[-1])))
            continue;
        n = name_length((struct jw_bytes){ l, text.n - from });

        const char *name = n ? asked_name(jw_arena_text(a, (const char *)l, n), of, a) : NULL;

        if (name) {
            *at = from + n;
            return name;
        }
    }
    *at = text.n;
    return NULL;
}

/* ---- what it names ---- */

struct names {
    const char *v[MAX_NAMES];
    size_t n;
    bool looks_itself; /* a file names the folders of NVIDIA's packages */
    struct jw_arena *a;
};

static void add_name(struct names *s, const char *name)
{
    if (!jw_text_among(name, s->v, s->n) && s->n < MAX_NAMES)
        s->v[s->n++] = name;
}

static void see_text(struct names *s, const char *of, struct jw_bytes text)
{
    const char *name;

    for (size_t at = 0; (name = jw_library_name_next(text, of, &at, s->a));)
        add_name(s, name);
    for (const uint8_t *at = text.p; !s->looks_itself && at;) {
        at = memchr(at, 'n', text.n - (size_t)(at - text.p));
        if (at && text.n - (size_t)(at - text.p) > 7 && memcmp(at, "nvidia/", 7) == 0 && at > text.p
            && at[-1] == '/')
            s->looks_itself = true;
        at = at ? at + 1 : NULL;
    }
}

/* Names are constants or in the table of the loader. */
static bool may_name(const struct jw_section *s)
{
    return strcmp(s->name, ".dynstr") == 0 || jw_text_starts(s->name, ".rodata")
           || jw_text_starts(s->name, ".data");
}

static void see_section(struct names *s, const char *of, const struct jw_source *src,
                        const struct jw_section *section)
{
    uint8_t *bytes = jw_arena_alloc(s->a, CHUNK + MAX_NAME);
    uint64_t size = section->size < MAX_BYTES ? section->size : MAX_BYTES;
    struct jw_err ignored;

    for (uint64_t at = 0; at < size; at += CHUNK) {
        size_t n = (size_t)(size - at < CHUNK + MAX_NAME ? size - at : CHUNK + MAX_NAME);

        if (!jw_source_read(src, section->at + at, bytes, n, &ignored))
            return;
        see_text(s, of, (struct jw_bytes){ bytes, n });
    }
}

static void see_library(struct names *s, const char *path)
{
    struct jw_arena a = { 0 };
    struct jw_sections sections = { 0 };
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_err ignored;
    uint8_t head[JW_ELF_HEADER];

    if (jw_file_open(&f, path, &ignored) && jw_file_info(&f, &info, &ignored) && info.size > sizeof head) {
        struct jw_source src = jw_file_source(&f, info.size);
        struct jw_elf elf = { 0 };

        if (jw_source_read(&src, 0, head, sizeof head, &ignored))
            elf = jw_elf_header((struct jw_bytes){ head, sizeof head });
        if (elf.ours && jw_elf_sections(&src, &elf, &a, &sections, &ignored))
            for (size_t i = 0; i < sections.n; i++)
                if (may_name(&sections.list[i]))
                    see_section(s, jw_path_base(path), &src, &sections.list[i]);
    }
    jw_sections_free(&sections);
    jw_file_close(&f);
    jw_arena_free(&a);
}

/* The Python code at its start may load them. */
static void see_python(struct names *s, const struct jw_library_ask *o)
{
    struct jw_buf text = JW_BUF_IN(s->a, CODE_OF_PYTHON);
    struct jw_err ignored;
    bool found;

    if (o->site && o->module
        && jw_file_slurp(jw_arena_printf(s->a, "%s/%s/__init__.py", o->site, o->module), &text, &found,
                         &ignored)
        && found && strstr(jw_buf_cstr(&text), "nvidia"))
        s->looks_itself = true;
}

/* The oldest that a name asks for: a program may try several. 0: no name says it. */
static unsigned oldest_cuda(const struct names *s)
{
    unsigned oldest = 0;

    for (size_t i = 0; i < s->n; i++)
        if (jw_cuda_library_of(s->v[i])->has_cuda_number && jw_library_major(s->v[i])
            && (!oldest || jw_library_major(s->v[i]) < oldest))
            oldest = jw_library_major(s->v[i]);
    return oldest;
}

/* ---- what is here ---- */

/* Every folder in which the loader looks. */
struct folders {
    const char **v;
    size_t n;
    struct jw_arena *a;
};

static void add_folder(struct folders *f, const char *path)
{
    struct jw_err full;
    const char **slot = jw_list_add(f->a, &f->v, &f->n, sizeof *slot, JW_MAX_LISTED, &full);

    if (slot)
        *slot = path;
}

static void add_configured(struct folders *f, const char *sysroot)
{
    const char *folder = jw_arena_printf(f->a, "%s/etc/ld.so.conf.d", sysroot);
    struct jw_notes ignored = { 0 };
    struct jw_listing names = jw_listing_read(folder, "*.conf", f->a, &ignored);

    for (size_t i = 0; i < names.n; i++) {
        struct jw_buf text = JW_BUF_IN(f->a, JW_MAX_CONF);
        struct jw_err no_file;
        bool found;

        if (jw_file_slurp(jw_path_join(f->a, folder, names.names[i]), &text, &found, &no_file) && found)
            for (const char *at = jw_buf_cstr(&text); *at;) {
                size_t n = strcspn(at, " \t\r\n");

                if (*at == '/')
                    add_folder(f, jw_arena_printf(f->a, "%s%.*s", sysroot, (int)n, at));
                at += n + (at[n] != '\0');
            }
    }
}

static void add_loader(struct folders *f, const struct jw_library_ask *o)
{
    static const char *const usual[] = { "/usr/lib/x86_64-linux-gnu",
                                         "/lib/x86_64-linux-gnu",
                                         "/usr/lib/aarch64-linux-gnu",
                                         "/usr/lib64",
                                         "/lib64",
                                         "/usr/lib",
                                         "/lib",
                                         "/usr/local/lib" };
    const char *path = jw_env(f->a, "LD_LIBRARY_PATH");

    for (; path && *path; path += strcspn(path, ":"), path += *path == ':')
        if (*path != ':')
            add_folder(f, jw_arena_text(f->a, path, strcspn(path, ":")));
    for (size_t i = 0; i < o->n_folders; i++)
        add_folder(f, o->folders[i]);
    if (o->site) /* <prefix>/lib/python3.11/site-packages: a conda environment's own libraries */
        add_folder(f, jw_path_dir(f->a, jw_path_dir(f->a, o->site)));
    for (size_t i = 0; i < JW_COUNT(usual); i++)
        add_folder(f, jw_arena_printf(f->a, "%s%s", o->sysroot, usual[i]));
    add_configured(f, o->sysroot);
}

static bool brings(const char *folder, const char *name, struct jw_arena *a)
{
    size_t n = strcspn(name, ".");
    struct jw_notes ignored = { 0 };

    return jw_listing_read(folder, jw_arena_printf(a, "%.*s-*%s*", (int)n, name, name + n), a, &ignored).n
           > 0;
}

static const char *folder_of(const struct folders *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (jw_is_file(jw_path_join(f->a, f->v[i], name)) || brings(f->v[i], name, f->a))
            return f->v[i];
    return NULL;
}

/* Folders of NVIDIA's packages in the same environment, and of the toolkit. */
static void add_packages(struct folders *f, const struct jw_library_ask *o)
{
    const char *top = o->site ? jw_path_join(f->a, o->site, "nvidia") : NULL;
    struct jw_notes ignored = { 0 };
    struct jw_listing names = { 0 };

    if (top)
        names = jw_listing_read(top, "*", f->a, &ignored);
    for (size_t i = 0; i < names.n; i++) {
        add_folder(f, jw_arena_printf(f->a, "%s/%s/lib", top, names.names[i]));
        add_folder(f, jw_arena_printf(f->a, "%s/%s/nvvm/lib64", top, names.names[i]));
    }
    add_folder(f, jw_arena_printf(f->a, "%s/usr/local/cuda/lib64", o->sysroot));
}

/* ---- the answer ---- */

static unsigned cuda_major(const struct names *s, unsigned of_table)
{
    for (size_t i = 0; i < s->n; i++)
        if (jw_cuda_library_of(s->v[i])->has_cuda_number)
            return jw_library_major(s->v[i]);
    return of_table / 100;
}

static const char *append(struct jw_arena *a, const char *list, const char *between, const char *one)
{
    return *list ? jw_arena_printf(a, "%s%s%s", list, between, one) : one;
}

static void say_missing(const struct names *s, const char *name, unsigned major,
                        const struct jw_library_ask *o, struct jw_needed_libraries *out,
                        const char **packages)
{
    const char *package = jw_library_package(name, major, s->a);

    out->missing = append(s->a, out->missing, ", ", name);
    if (!package || !*o->pip)
        return;
    if (strchr(package, '*'))
        package = jw_arena_printf(s->a, "\"%s\"", package);
    if (!strstr(*packages, package))
        *packages = jw_arena_printf(s->a, "%s %s", *packages, package);
}

void jw_libraries_needed(const struct jw_library_ask *o, struct jw_arena *a, struct jw_needed_libraries *out)
{
    struct names s = { .a = a };
    struct folders loader = { .a = a }, packages = { .a = a };
    const char *install = "";

    *out = (struct jw_needed_libraries){
        .missing = "", .install = "", .unseen = "", .folders = "", .how = "its files name them"
    };
    for (size_t i = 0; i < o->n_folders; i++) {
        struct jw_notes ignored = { 0 };
        struct jw_listing names = jw_listing_read(o->folders[i], "*.so*", a, &ignored);

        for (size_t k = 0; k < names.n; k++)
            see_library(&s, jw_path_join(a, o->folders[i], names.names[k]));
    }
    out->looked = s.n > 0;
    if (!out->looked)
        return;
    out->cuda = oldest_cuda(&s);
    see_python(&s, o);
    add_loader(&loader, o);
    add_packages(&packages, o);
    for (size_t i = 0; i < s.n; i++) {
        const char *there = folder_of(&loader, s.v[i]), *elsewhere = folder_of(&packages, s.v[i]);

        if (there)
            continue;
        if (!elsewhere) {
            say_missing(&s, s.v[i], cuda_major(&s, o->cuda), o, out, &install);
        } else if (!s.looks_itself) {
            out->unseen = append(a, out->unseen, ", ", s.v[i]);
            if (!strstr(out->folders, elsewhere))
                out->folders = append(a, out->folders, ":", elsewhere);
        }
    }
    if (*install)
        out->install = jw_arena_printf(a, "%s install%s", o->pip, install);
}

/* ---- at run time ---- */

/* "libnvvm.so.4", or of one CUDA alone "libnvrtc.so.12"; "libcudart.so.11.0" is of 11. */
static bool has_library(const struct folders *f, const char *stem, unsigned cuda)
{
    const char *pattern =
        cuda ? jw_arena_printf(f->a, "%s.so.%u*", stem, cuda) : jw_arena_printf(f->a, "%s.so*", stem);
    struct jw_notes ignored = { 0 };

    for (size_t i = 0; i < f->n; i++)
        if (jw_listing_read(f->v[i], pattern, f->a, &ignored).n)
            return true;
    return false;
}

static void add_toolkit(struct folders *f, const char *top)
{
    add_folder(f, jw_path_join(f->a, top, "lib64"));
    add_folder(f, jw_path_join(f->a, top, "lib"));
    add_folder(f, jw_path_join(f->a, top, "nvvm/lib64"));
}

static void add_toolkits(struct folders *f, const struct jw_library_ask *o)
{
    static const char *const names[] = { "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX" };
    const char *usual = jw_arena_printf(f->a, "%s/usr/local", o->sysroot);
    struct jw_notes ignored = { 0 };
    struct jw_listing tops = jw_listing_read(usual, "cuda*", f->a, &ignored);

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *top = jw_env(f->a, names[i]);

        if (top && *top)
            add_toolkit(f, top);
    }
    for (size_t i = 0; i < tops.n; i++)
        add_toolkit(f, jw_path_join(f->a, usual, tops.names[i]));
    add_toolkit(f, jw_arena_printf(f->a, "%s/opt/cuda", o->sysroot));
    if (o->site) /* a conda environment */
        add_toolkit(f, jw_path_dir(f->a, jw_path_dir(f->a, jw_path_dir(f->a, o->site))));
}

/* The toolkit of NVIDIA's compilers and runtime in an environment: a compiler of another toolkit makes PTX
 * that these do not read. */
struct beside {
    unsigned major, minor;
};

static struct beside find_beside(const struct jw_library_ask *o, struct jw_arena *a)
{
    static const char *const names[] = { "nvidia_cuda_nvrtc*-*.dist-info", "nvidia_nvjitlink*-*.dist-info",
                                         "nvidia_cuda_nvcc*-*.dist-info",
                                         "nvidia_cuda_runtime*-*.dist-info" };
    struct beside out = { 0 };
    struct jw_notes ignored = { 0 };

    for (size_t i = 0; o->site && i < JW_COUNT(names) && !out.major; i++) {
        struct jw_listing found = jw_listing_read(o->site, names[i], a, &ignored);
        const char *version = found.n ? strchr(found.names[0], '-') : NULL;
        char *end;

        if (!version)
            continue;
        out.major = (unsigned)strtoul(version + 1, &end, 10);
        out.minor = *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    }
    return out;
}

static const char *run_time_package(const char *stem, unsigned cuda, const struct beside *b,
                                    struct jw_arena *a)
{
    const char *package = jw_library_package(stem, cuda, a);

    if (!package || b->major != cuda)
        return package;
    return jw_arena_printf(a, "%.*s==%u.%u.*", (int)strcspn(package, "="), package, b->major, b->minor);
}

static const char *with_package(const char *list, const char *package, struct jw_arena *a)
{
    return package ? jw_arena_printf(a, strchr(package, '*') ? "%s \"%s\"" : "%s %s", list, package) : list;
}

void jw_libraries_at_run_time(const struct jw_library_ask *o, const struct jw_run_time *package,
                              struct jw_arena *a, struct jw_needed_libraries *out)
{
    const struct beside b = find_beside(o, a);
    unsigned cuda = package->cuda ? package->cuda : b.major ? b.major : o->cuda / 100;
    struct folders f = { .a = a };
    const char *install = "";

    *out = (struct jw_needed_libraries){ .looked = true,
                                         .missing = "",
                                         .install = "",
                                         .unseen = "",
                                         .folders = "",
                                         .how = "it loads them when it compiles, while a program runs" };
    add_loader(&f, o);
    add_packages(&f, o);
    add_toolkits(&f, o);
    for (const char *at = package->libraries; *at; at += strcspn(at, " "), at += *at == ' ') {
        const char *stem = jw_arena_text(a, at, strcspn(at, " "));

        if (has_library(&f, stem, package->cuda))
            continue;
        out->missing = append(a, out->missing, ", ", stem);
        install = with_package(install, run_time_package(stem, cuda, &b, a), a);
    }
    if (*out->missing && *package->with && !has_library(&f, package->with, 0))
        install = with_package(install, run_time_package(package->with, cuda, &b, a), a);
    if (*install && *o->pip)
        out->install = jw_arena_printf(a, "%s install%s", o->pip, install);
}

/* ---- its environment ---- */

const char *jw_site_of(const char *path, struct jw_arena *a)
{
    static const char word[] = "/site-packages/";
    const char *at = path ? strstr(path, word) : NULL;

    return at ? jw_arena_text(a, path, (size_t)(at - path) + sizeof word - 2) : NULL;
}

static bool have_uv(void)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_err ignored;
    bool found = false;
    bool have = jw_process_find("uv", &path, &found, &ignored) && found;

    jw_buf_free(&path);
    return have;
}

const char *jw_environment_pip(const char *site, struct jw_arena *a)
{
    const char *prefix = site ? jw_path_dir(a, jw_path_dir(a, jw_path_dir(a, site))) : NULL;
    const char *python = prefix ? jw_path_join(a, prefix, "bin/python") : NULL;
    struct jw_buf word = JW_LINE(a);
    const char *pip = "";
    struct jw_file_info info;
    struct jw_err ignored;

    if (!python || !jw_file_stat(python, &info, &ignored) || info.kind != JW_FILE_REGULAR)
        return "";
    if (jw_is_folder(jw_path_join(a, site, "pip"))) {
        jw_command_word(&word, python, false);
        pip = jw_arena_printf(a, "%s -m pip", jw_buf_cstr(&word));
    } else if (have_uv()) {
        jw_command_word(&word, prefix, false);
        pip = jw_arena_printf(a, "env VIRTUAL_ENV=%s uv pip", jw_buf_cstr(&word));
    } else {
        jw_command_word(&word, python, false);
        pip = jw_arena_printf(a, "%s -m ensurepip && %s -m pip", jw_buf_cstr(&word), jw_buf_cstr(&word));
    }
    return pip;
}
