/* Computes the test kernels of jitwarm's probe and lab, which add a constant to a number and store
 * the sum. They are recognised by their code, as the compilers for Volta to Hopper produce it. No
 * other kernel is computed. */
#include "phantom/phantom.h"

enum {
    INSTRUCTIONS = 12,
    /* Bits 0 to 11 of an instruction of 16 bytes. */
    MOVE_REGISTER = 0x624,
    MOVE = 0xa02,
    MOVE_UNIFORM = 0xab9,
    LOAD_CONSTANT = 0xb82,
    ADD = 0x810,
    STORE = 0x986,
    STORE_OF_VOLTA = 0x386,
    SHUFFLE_OF_VOLTA = 0x389, /* no operation; each kernel begins with it */
    EXIT = 0x94d,
    /* The other bits of an unconditional addition of a register and a constant. */
    PLAIN_ADD = 0x07ffe0ff
};

/* The constant that the kernel adds. The kernel loads both parameters, adds once, stores once and
 * ends. */
static bool is_canary(const uint64_t *code, unsigned parameters, uint32_t *n)
{
    unsigned adds = 0;
    unsigned stores = 0;
    bool to = false;
    bool given = false;

    for (unsigned i = 0; i < INSTRUCTIONS; i++, code += 2) {
        unsigned loaded = (unsigned)(code[0] >> 40 & 0x3fff) * 4;

        switch (code[0] & 0xfff) {
        case MOVE_REGISTER:
        case MOVE:
        case MOVE_UNIFORM:
        case LOAD_CONSTANT:
            to |= loaded == parameters;
            given |= loaded == parameters + 8;
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

void ph_canary(uint64_t program, uint64_t constants_at, unsigned parameters)
{
    const uint64_t *code = ph_space_at(program, INSTRUCTIONS * 16);
    const uint32_t *given = ph_space_at(constants_at + parameters, 12);
    uint32_t n = 0, *out;

    if (!code || !given || !is_canary(code, parameters, &n)) {
        ph_log("engine: a launch; nothing is computed");
        return;
    }
    n += given[2];
    out = ph_space_at((uint64_t)given[1] << 32 | given[0], 4);
    ph_log("engine: a launch of a canary; phantom stores %u", n);
    if (out)
        *out = n;
}
