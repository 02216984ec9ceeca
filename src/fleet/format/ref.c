#include "fleet/format/ref.h"

#include "base/text.h"

#include <string.h>

enum { MAX_TAG = 128, MAX_NAME = 255, MAX_HOST = 253, HEX_DIGITS = 64 };

#define DIGITS "0123456789"
#define LOWER "abcdefghijklmnopqrstuvwxyz" DIGITS
#define LETTERS LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

bool jw_ref_is_tag(const char *text)
{
    size_t n = strlen(text);

    return n && n <= MAX_TAG && strchr(LETTERS, text[0]) && strspn(text, LETTERS ".-") == n;
}

const char *jw_ref_tag_of(const struct jw_ref *ref, const char *os, const char *arch,
                          const char *kind, struct jw_arena *a, struct jw_err *err)
{
    const char *own = ref->tag ? ref->tag : "";
    const char *tag = jw_arena_printf(a, "%s%s%s-%s-%s", own, *own ? "-" : "", os, arch, kind);

    if (*kind && jw_ref_is_tag(tag))
        return tag;
    (void)jw_fail(err, JW_E_UNFIT, "this driver's build makes no tag: %.200s", tag);
    return NULL;
}

bool jw_ref_is_digest(const char *text)
{
    return jw_text_starts(text, "sha256:") && strspn(text + 7, DIGITS "abcdef") == HEX_DIGITS
           && !text[7 + HEX_DIGITS];
}

/* The name of a repository, "team/jit": it can stand in a URL as it is. A registry knows more
 * rules. */
static bool is_repository(const char *text)
{
    size_t n = strlen(text);

    return n && n <= MAX_NAME && strspn(text, LOWER "._-/") == n && strchr(LOWER, text[0])
           && strchr(LOWER, text[n - 1]) && !strstr(text, "..") && !strstr(text, "//");
}

/* A name, an IPv4 address or [an IPv6 address], with an optional port: it can stand in a URL as it
 * is. */
static bool is_host(const char *text)
{
    bool bracket = text[0] == '[';
    size_t n = bracket ? 1 + strspn(text + 1, DIGITS "abcdefABCDEF:.") : strspn(text, LETTERS ".-");
    uint64_t port = 1;

    if (bracket ? n < 4 || text[n++] != ']' : !n || strchr("-.", text[0]))
        return false;
    if (text[n] && (text[n] != ':' || !jw_text_u64(text + n + 1, &port)))
        return false;
    return n <= MAX_HOST && port && port <= UINT16_MAX;
}

bool jw_ref_is_loopback(const char *host)
{
    size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

    return (n == 9 && strncmp(host, "localhost", n) == 0)
           || (n == 5 && strncmp(host, "[::1]", n) == 0)
           || (jw_text_starts(host, "127.") && strspn(host, DIGITS ".") == n);
}

/* ---- parsing ---- */

static bool bad(const struct jw_ref *ref, struct jw_err *err, const char *why)
{
    return jw_fail(err, JW_E_USAGE, "%.200s: %s", ref->text, why);
}

/* host/name:tag */
static bool parse_registry(const char *text, struct jw_arena *a, struct jw_ref *out,
                           struct jw_err *err)
{
    size_t n = strcspn(text, "/");

    if (memchr(text, '@', n)) /* not repeated: it may be a password */
        return jw_fail(err, JW_E_USAGE,
                       "a reference must not contain a user name or password; see JITWARM_LOGIN in "
                       "jitwarm help import");
    out->host = jw_arena_text(a, text, n);
    if (!is_host(out->host))
        return bad(out, err, "the host is not a valid name or address");
    if (!text[n])
        return bad(out, err, "the repository is missing, as in oci://host/team/jit");
    text += n + 1;
    n = strcspn(text, ":");
    out->name = jw_arena_text(a, text, n);
    if (!is_repository(out->name))
        return bad(out, err,
                   "a repository has lower-case letters and digits, separated by . _ - or /");
    out->tag = text[n] ? jw_arena_str(a, text + n + 1) : NULL;
    return !out->tag || jw_ref_is_tag(out->tag)
           || bad(out, err, "a tag has letters, digits and . _ -, at most 128 characters");
}

/* A text that can only be a path: a bare word could be a host. */
static bool is_path(const char *text)
{
    bool drive = jw_is_letter(text[0]) && text[1] == ':' && (text[2] == '/' || text[2] == '\\');
    size_t dots = strspn(text, ".");

    return text[0] == '/' || drive || jw_text_starts(text, "\\\\")
           || (dots && dots <= 2 && strchr("/\\", text[dots])); /* or nothing behind them */
}

bool jw_ref_is_remote(const char *text)
{
    return !is_path(text) && (jw_text_starts(text, "oci:") || strstr(text, "://"));
}

bool jw_ref_parse(const char *text, struct jw_arena *a, struct jw_ref *out, struct jw_err *err)
{
    static const char registry[] = "oci://";

    *out = (struct jw_ref){.text = text};
    if (jw_text_starts(text, registry))
        return parse_registry(text + strlen(registry), a, out, err);
    if (!is_path(text))
        return bad(out, err,
                   "not a reference; write ./DIR or /DIR for a folder, or oci://HOST/NAME");
    out->path = jw_arena_str(a, text);
    return true;
}
