#include "cache/format/jitcache.h"

#include "base/num.h"
#include "base/text.h"
#include "formats/ptx.h"

#include <stdlib.h>

enum { DATE = 11, HOST = 6, SM = 3, ARCH_DIGITS = 3, DAY_HOURS = 24 };

static const char bitcode[] = "BC\xC0\xDE";

/* Part of the options of OpenCL's second stage, which compiles PTX under a key like a module's.
 * driver-fact: F09-other-compilers */
static const char opencl_option[] = "--reserve-null-pointer";

/* nvJitLink keeps its own command line, " -arch=sm_90 -c". The driver's linker keeps " -c" alone.
 * driver-fact: F09-other-compilers */
static const char nvjitlink_option[] = " -arch=sm_";

/* Part of the options of bitcode that nvJitLink links with -lto. */
static const char lto_option[] = " -link-lto";

static struct jw_bytes from(struct jw_bytes b, size_t at)
{
    return at < b.n ? (struct jw_bytes){b.p + at, b.n - at} : (struct jw_bytes){NULL, 0};
}

static struct jw_bytes first(struct jw_bytes b, size_t n)
{
    return n && b.n ? (struct jw_bytes){b.p, n < b.n ? n : b.n} : (struct jw_bytes){NULL, 0};
}

static bool holds_bytes(struct jw_bytes b, const char *text)
{
    return jw_find(b, (struct jw_bytes){(const uint8_t *)text, strlen(text)}) < b.n;
}

/* ---- stamp and architecture ---- */

static unsigned two_digits(const uint8_t *p)
{
    return (unsigned)(p[0] - '0') * 10 + (unsigned)(p[1] - '0');
}

/* The number of a month, from 0; 12: no month. */
static unsigned month_of(const uint8_t *p)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    unsigned month = 0;

    while (month < 12 && memcmp(months + (size_t)month * 3, p, 3) != 0)
        month++;
    return month;
}

/* "Jan  7 2026": the day is padded with a blank, as __DATE__ has it. */
static bool is_date(const uint8_t *p)
{
    static const uint8_t days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned month = month_of(p);

    if (month == 12 || p[3] != ' ' || p[6] != ' ' || !jw_is_digit((char)p[5]))
        return false;
    if (p[4] != ' ' && (p[4] < '1' || p[4] > '3'))
        return false;
    unsigned day = p[4] == ' ' ? (unsigned)(p[5] - '0') : two_digits(p + 4);
    return day >= 1 && day <= days[month] && jw_is_digit((char)p[7]) && jw_is_digit((char)p[8])
           && jw_is_digit((char)p[9]) && jw_is_digit((char)p[10]);
}

/* "22:51:46"; "62:51:46" is simulated */
static bool is_time(const uint8_t *p)
{
    for (unsigned i = 0; i < 8; i++)
        if (i % 3 == 2 ? p[i] != ':' : !jw_is_digit((char)p[i]))
            return false;
    unsigned hour = two_digits(p);

    if (hour >= JW_SIMULATED_HOURS)
        hour -= JW_SIMULATED_HOURS;
    return hour < DAY_HOURS && two_digits(p + 3) <= 59 && two_digits(p + 6) <= 60;
}

/* "sm_86", "sm_90a", "sm_120f" at the start of `b`: its length, 0 when it is none.
 * driver-fact: F19-arch-spelling */
static size_t arch_length(struct jw_bytes b)
{
    size_t n = SM;

    if (!jw_starts(b, "sm_"))
        return 0;
    while (n < b.n && jw_is_digit((char)b.p[n]))
        n++;
    if (n < SM + 2 || n > SM + ARCH_DIGITS || b.p[SM] == '0')
        return 0;
    return n < b.n && (b.p[n] == 'a' || b.p[n] == 'f') ? n + 1 : n;
}

static size_t take_arch(struct jw_bytes b, struct jw_cache_key *out)
{
    size_t n = arch_length(b);

    if (!n || !b.p)
        return 0;
    memset(out->arch, 0, sizeof out->arch); /* of two the last counts */
    memcpy(out->arch, b.p, n);              /* at most "sm_120a" */
    out->sm = (uint16_t)strtoul(out->arch + SM, NULL, 10);
    return n;
}

/* ---- what was compiled ---- */

static bool is_text_byte(uint8_t c) { return (c >= '\t' && c <= '\r') || (c >= ' ' && c != 0x7f); }

/* Blanks, comments, then .version; of a head that is cut off, the part that is there must agree. */
static bool begins_ptx(struct jw_bytes input, bool whole)
{
    static const char version[] = ".version";
    struct jw_bytes rest = from(input, jw_ptx_skip(input, 0));

    if (whole || rest.n >= sizeof version - 1)
        return jw_starts(rest, version);
    if (rest.n == 1 && rest.p[0] == '/')
        return true;
    return input.n && (rest.n == 0 || memcmp(rest.p, version, rest.n) == 0);
}

/* How many NULs begin at `at`. */
static unsigned nuls_at(struct jw_bytes b, size_t at)
{
    unsigned n = 0;

    while (b.p && at < b.n && b.p[at] == '\0') {
        at++;
        n++;
    }
    return n;
}

/* Text ends at its first NUL. Bitcode has NULs inside, so its end is found from behind. */
static void split(struct jw_bytes rest, bool text, struct jw_cache_key *out)
{
    size_t end = 0;
    size_t options = rest.n;

    if (text) {
        end = jw_find(rest, JW_BYTES("\0"));
    } else {
        while (options && rest.p[options - 1] != '\0')
            options--;
        end = options ? options : rest.n;
        while (options && end && rest.p[end - 1] == '\0')
            end--;
    }
    out->nuls = nuls_at(rest, end);
    out->input = first(rest, end);
    out->options = from(rest, end + out->nuls);
}

/* CUDA cannot load this target, of OpenCL's textures; nothing else in PTX is OpenCL's own.
 * driver-fact: F09-other-compilers */
static bool is_opencl(struct jw_bytes ptx)
{
    struct jw_bytes target = from(ptx, jw_find(ptx, JW_BYTES(".target ")));

    return holds_bytes(first(target, jw_find(target, JW_BYTES("\n"))), "texmode_independent");
}

static void read_compiled(struct jw_bytes rest, bool whole, struct jw_cache_key *out)
{
    size_t arch = jw_starts(rest, "HOST64") ? take_arch(from(rest, HOST), out) : 0;
    struct jw_bytes input = from(rest, HOST + arch);

    if (!arch)
        return;
    if (jw_starts(input, bitcode))
        out->kind = JW_CACHE_NVVM;
    else if (begins_ptx(input, whole))
        out->kind = is_opencl(input) ? JW_CACHE_OPENCL : JW_CACHE_CUDA;
    if (whole && out->kind != JW_CACHE_OTHER)
        split(input, out->kind != JW_CACHE_NVVM, out);
}

/* OpenCL's first stage: source, NUL, build options, numbers, the driver's version, "NVVM70". */
static bool is_source(struct jw_bytes key)
{
    struct jw_bytes head = first(key, JW_CACHE_KEY_HEAD);
    size_t end = jw_find(head, JW_BYTES("\0"));

    for (size_t i = 0; head.p && i < end; i++)
        if (!is_text_byte(head.p[i]))
            return false;
    return end && !holds_bytes(head, "HOST64");
}

/* "580.126.09", NUL, "NVVM70": how the key ends. */
static void take_version(struct jw_bytes key, size_t end, struct jw_cache_key *out)
{
    size_t at = end ? --end : 0;

    while (at && (jw_is_digit((char)key.p[at - 1]) || key.p[at - 1] == '.'))
        at--;
    if (end - at <= JW_CACHE_VERSION)
        memcpy(out->version, key.p + at, end - at); /* the rest of it is zero */
}

void jw_cache_key_read_end(struct jw_bytes tail, struct jw_cache_key *out)
{
    static const char arch[] = "-cl-nv-arch ";
    size_t end = tail.n;

    while (end && tail.p[end - 1] != '\0')
        end--;
    const struct jw_bytes last = from(tail, end);

    if (out->kind == JW_CACHE_CUDA && holds_bytes(last, opencl_option))
        out->kind = JW_CACHE_OPENCL;
    else if ((out->kind == JW_CACHE_CUDA && holds_bytes(last, nvjitlink_option))
             || (out->kind == JW_CACHE_NVVM && holds_bytes(last, lto_option)))
        out->kind = JW_CACHE_NVJITLINK;
    if (out->kind != JW_CACHE_OPENCL || *out->stamp)
        return;
    if (jw_starts(last, "NVVM"))
        take_version(tail, end, out);
    /* The architecture of the last options: a source may name others in its text. */
    for (size_t at; (at = jw_find(tail, JW_BYTES(arch))) < tail.n;
         tail = from(tail, at + sizeof arch - 1))
        (void)take_arch(from(tail, at + sizeof arch - 1), out);
}

void jw_cache_key_read(struct jw_bytes head, uint64_t key_size, struct jw_cache_key *out)
{
    bool whole = head.n >= key_size;
    struct jw_bytes key = first(head, (size_t)jw_min(head.n, key_size));

    *out = (struct jw_cache_key){.kind = JW_CACHE_OTHER};
    if (key.n >= JW_CACHE_STAMP && is_date(key.p) && is_time(key.p + DATE)) {
        memcpy(out->stamp, key.p, JW_CACHE_STAMP);
        read_compiled(from(key, JW_CACHE_STAMP), whole, out);
    } else if (is_source(key))
        out->kind = JW_CACHE_OPENCL;
    if (whole)
        jw_cache_key_read_end(key, out);
}

/* driver-fact: F05-key-parts, F12-exact-bytes, F13-nuls, F16-options-in-key */
void jw_cache_key_make(struct jw_buf *out, const char *stamp, const char *arch, struct jw_bytes ptx,
                       unsigned nuls, const char *options)
{
    jw_buf_text(out, stamp);
    jw_buf_text(out, "HOST64");
    jw_buf_text(out, arch);
    jw_buf_add(out, ptx.p, ptx.n);
    jw_buf_fill(out, 0, nuls);
    jw_buf_text(out, " ");
    jw_buf_text(out, options ? options : "");
}

/* ---- whose, and for which GPU ---- */

bool jw_cache_serves(enum jw_cache_kind kind, const char *entry_stamp, const char *entry_version,
                     const char *stamp, const char *version)
{
    switch (kind) {
    case JW_CACHE_CUDA: return stamp && strcmp(entry_stamp, stamp) == 0;
    case JW_CACHE_OPENCL:
        return *entry_stamp ? stamp && strcmp(entry_stamp, stamp) == 0
                            : version && *entry_version && strcmp(entry_version, version) == 0;
    case JW_CACHE_NVVM:
    case JW_CACHE_NVJITLINK: return true;
    default: return false;
    }
}

const char *const jw_cache_makers[] = {[JW_CACHE_CUDA] = "the driver",
                                       [JW_CACHE_NVVM] = "NVRTC",
                                       [JW_CACHE_NVJITLINK] = "nvJitLink",
                                       [JW_CACHE_OPENCL] = "OpenCL",
                                       [JW_CACHE_OTHER] = "an unknown compiler"};
JW_ROW_FOR_EACH(jw_cache_makers, JW_CACHE_KINDS, 5);

/* Digits one after the other: year, month, day, hour, minute, second. */
uint64_t jw_stamp_time(const char *stamp)
{
    const uint8_t *p = (const uint8_t *)stamp;

    if (!stamp || strlen(stamp) != JW_CACHE_STAMP || !is_date(p) || !is_time(p + DATE))
        return 0;
    uint64_t day = p[4] == ' ' ? (unsigned)(p[5] - '0') : two_digits(p + 4);
    uint64_t date = ((uint64_t)two_digits(p + 7) * 100 + two_digits(p + 9)) * 10000
                    + (uint64_t)(month_of(p) + 1) * 100 + day;

    p += DATE;
    return date * 1000000 + (uint64_t)two_digits(p) * 10000 + (uint64_t)two_digits(p + 3) * 100
           + two_digits(p + 6);
}

bool jw_stamp_simulated(const char *stamp)
{
    return jw_stamp_time(stamp) && two_digits((const uint8_t *)stamp + DATE) >= DAY_HOURS;
}

struct jw_stamp_text jw_stamp_text(const char *stamp)
{
    const uint64_t built = jw_stamp_time(stamp);
    const uint64_t day = 1000000;
    struct jw_stamp_text out = {""};

    if (built)
        (void)snprintf(out.text, sizeof out.text, "%08u-%06u", (unsigned)(built / day),
                       (unsigned)(built % day));
    return out;
}
