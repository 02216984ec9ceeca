/*
 * The kernels that jitwarm's probe and lab launch add a number to one that they are given and store the sum. They are
 * recognised by their code, as the compilers of Volta to Ada make it, and what they would store is stored. No other
 * kernel is computed.
 */
#include "phantom/phantom.h"

enum {
    INSTRUCTIONS = 12,
    /* Bits 0 to 11 of an instruction of 16 bytes. */
    MOVE_REGISTER = 0x624,
    MOVE = 0xa02,
    MOVE_UNIFORM = 0xab9,
    ADD = 0x810,
    STORE = 0x986,
    STORE_OF_VOLTA = 0x386,
    SHUFFLE_OF_VOLTA = 0x389, /* of nothing: each kernel begins so */
    EXIT = 0x94d,
    /* The rest of an addition of a register, a number and nothing else, never skipped. */
    PLAIN_ADD = 0x07ffe0ff,
    /* In the constants: where to, and the number that is given. */
    PARAMETERS = 0x160,
    GIVEN = 0x168,
    /* Words of a launch's descriptor (clc9c0qmd.h; those of Volta to Ampere have them there, too). */
    CONSTANTS_AT = 32,
    PROGRAM_AT = 48
};

/* What it adds: it loads both parameters, adds once, stores once and ends. */
static bool is_canary(const uint64_t *code, uint32_t *n)
{
    unsigned adds = 0, stores = 0;
    bool to = false, given = false;

    for (unsigned i = 0; i < INSTRUCTIONS; i++, code += 2) {
        unsigned loaded = (unsigned)(code[0] >> 40 & 0x3fff) * 4;

        switch (code[0] & 0xfff) {
        case MOVE_REGISTER:
        case MOVE:
        case MOVE_UNIFORM:
            to |= loaded == PARAMETERS;
            given |= loaded == GIVEN;
            break;
        case ADD:
            adds += (uint32_t)code[1] == PLAIN_ADD ? 1 : 2;
            *n = (uint32_t)(code[0] >> 32);
            break;
        case SHUFFLE_OF_VOLTA: break;
        case STORE:
        case STORE_OF_VOLTA: stores++; break;
        case EXIT: return to && given && adds == 1 && stores == 1;
        default: return false;
        }
    }
    return false;
}

static uint64_t address_at(const uint32_t *q, unsigned word)
{
    return (uint64_t)(q[word + 1] & 0x1ffff) << 32 | q[word];
}

void ph_canary(const uint32_t *descriptor)
{
    const uint64_t *code = ph_space_at(address_at(descriptor, PROGRAM_AT), INSTRUCTIONS * 16);
    const uint32_t *constants = ph_space_at(address_at(descriptor, CONSTANTS_AT), GIVEN + 4);
    uint32_t n = 0, *out;

    if (!code || !constants || !is_canary(code, &n)) {
        ph_log("engine: a launch; nothing is computed");
        return;
    }
    n += constants[GIVEN / 4];
    out = ph_space_at((uint64_t)constants[PARAMETERS / 4 + 1] << 32 | constants[PARAMETERS / 4], 4);
    ph_log("engine: a launch of a canary; phantom stores %u", n);
    if (out)
        *out = n;
}
