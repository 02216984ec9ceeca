#include "fleet/format/ref.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

#include <string.h>

/* ---- characters ---- */

static bool is_ref_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || is_ref_digit(c);
}

static bool is_ref_word(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_';
}

bool jw_ref_is_tag(const char *text)
{
    size_t n = strlen(text);

    if (!n || n > JW_REF_TAG || !is_ref_word(text[0]))
        return false;
    for (size_t i = 1; i < n; i++)
        if (!is_ref_word(text[i]) && text[i] != '.' && text[i] != '-')
            return false;
    return true;
}

bool jw_ref_is_digest(const char *text)
{
    if (!jw_text_starts(text, "sha256:") || strlen(text) != JW_REF_DIGEST)
        return false;
    for (const char *c = text + 7; *c; c++)
        if (!is_ref_digit(*c) && !(*c >= 'a' && *c <= 'f'))
            return false;
    return true;
}

/* The length of one path component of a repository name: lower-case runs, separated by '.', '_', '__' or dashes. */
static size_t part_length(const char *text)
{
    size_t n = 0;

    for (;;) {
        size_t run = n;

        while (is_lower(text[n]))
            n++;
        if (n == run)
            return 0;
        if (text[n] == '-')
            while (text[n] == '-')
                n++;
        else if (text[n] == '.')
            n++;
        else if (text[n] == '_')
            n += text[n + 1] == '_' ? 2 : 1;
        else
            return n;
    }
}

/* The name of a repository: "team/jit". */
static bool jw_ref_is_name(const char *text)
{
    if (strlen(text) > JW_REF_NAME)
        return false;
    for (;;) {
        size_t n = part_length(text);

        if (!n)
            return false;
        if (!text[n])
            return true;
        if (text[n] != '/')
            return false;
        text += n + 1;
    }
}

static bool is_port(const char *text)
{
    uint64_t n;

    return jw_text_u64(text, &n) && n > 0 && n <= 65535 && strlen(text) <= 5;
}

/* A name, an IPv4 address or [an IPv6 address], with an optional port. */
static bool is_host(const char *text)
{
    size_t n = 0;

    if (text[0] == '[') {
        for (n = 1; is_ref_digit(text[n]) || (text[n] >= 'a' && text[n] <= 'f')
                    || (text[n] >= 'A' && text[n] <= 'F') || text[n] == ':' || text[n] == '.';)
            n++;
        if (n < 4 || text[n++] != ']')
            return false;
    } else {
        while (is_ref_word(text[n]) || text[n] == '.' || text[n] == '-')
            n++;
        if (!n || text[0] == '-' || text[0] == '.')
            return false;
    }
    return n < 254 && (!text[n] || (text[n] == ':' && is_port(text + n + 1)));
}

bool jw_ref_is_loopback(const char *host)
{
    size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

    if ((n == 9 && strncmp(host, "localhost", n) == 0) || (n == 5 && strncmp(host, "[::1]", n) == 0))
        return true;
    if (strncmp(host, "127.", 4) != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_ref_digit(host[i]) && host[i] != '.')
            return false;
    return true;
}

/* ---- parsing ---- */

struct parsing {
    struct jw_arena *a;
    struct jw_ref *out;
    const char *text;
};

static bool bad(const struct parsing *p, struct jw_err *err, const char *why)
{
    return jw_fail(err, JW_E_USAGE, "%.200s: %s", p->text, why);
}

/* Splits at the first '/'. */
static bool take_host(struct parsing *p, const char *text, const char **rest, struct jw_err *err)
{
    size_t n = strcspn(text, "/");

    if (memchr(text, '@', n))
        return jw_fail(
            err, JW_E_USAGE,
            "a reference must not contain a user name or password; see JITWARM_LOGIN in jitwarm help push");
    p->out->host = jw_arena_text(p->a, text, n);
    if (!is_host(p->out->host))
        return bad(p, err, "the host is not a valid name or address");
    *rest = text + n;
    return true;
}

static bool parse_registry(struct parsing *p, const char *text, struct jw_err *err)
{
    size_t n;

    p->out->kind = JW_REF_REGISTRY;
    if (!take_host(p, text, &text, err))
        return false;
    if (!*text++)
        return bad(p, err, "the repository is missing, as in oci://host/team/jit");
    n = strcspn(text, ":");
    p->out->name = jw_arena_text(p->a, text, n);
    if (!jw_ref_is_name(p->out->name))
        return bad(p, err, "a repository has lower-case letters and digits, separated by . _ - or /");
    if (!text[n])
        return true;
    p->out->tag = jw_arena_str(p->a, text + n + 1);
    return jw_ref_is_tag(p->out->tag)
           || bad(p, err, "a tag has letters, digits and . _ -, at most 128 characters");
}

/* A text that can only be a path: "/srv/packs", "./packs", "../packs", "C:\\packs", "\\\\server\\packs". A bare word
 * could be a host. */
static bool is_path(const char *text)
{
    bool drive = ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z') && text[1] == ':'
                 && (text[2] == '/' || text[2] == '\\');

    return text[0] == '/' || jw_text_starts(text, "./") || jw_text_starts(text, "../") || drive
           || jw_text_starts(text, "\\\\") || strcmp(text, ".") == 0 || strcmp(text, "..") == 0;
}

bool jw_ref_parse(const char *text, struct jw_arena *a, struct jw_ref *out, struct jw_err *err)
{
    static const char registry[] = "oci://";
    struct parsing p = { a, out, text };

    *out = (struct jw_ref){ .text = text };
    if (strlen(text) > JW_MAX_PATH
        || !jw_utf8_valid((struct jw_bytes){ (const uint8_t *)text, strlen(text) }))
        return jw_fail(err, JW_E_USAGE, "the reference is too long, or is not UTF-8");
    if (jw_text_starts(text, registry))
        return parse_registry(&p, text + strlen(registry), err);
    if (!is_path(text))
        return bad(&p, err, "not a reference; write ./DIR or /DIR for a folder, or oci://HOST/NAME");
    out->kind = JW_REF_FOLDER;
    out->path = jw_arena_str(a, text);
    return true;
}
